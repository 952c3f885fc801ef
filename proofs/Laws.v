(* The discrete laws of the language, and that each is normalised.

   A law outside its range has no mass; inside it the masses add up to 1 (the theorems total_...).  Finite laws are lists of
   weighted values (flaw); laws on the integers are weights divided by their sum (wlaw), which is finite
   and positive by the geometric series.  Ranges are those of trusted/kernel/src/text/term.rs: 0 <= p <= 1,
   low <= high, 2 <= count and 0 <= value < count, scale > 0. *)
From Probity Require Import Prelude.
From mathcomp.classical Require Import fsbigop.
From Probity Require Import Judgement.
Import numFieldNormedType.Exports.
Local Open Scope classical_set_scope.
Local Open Scope ring_scope.
Local Open Scope ereal_scope.

Section Laws.
Variable R : realType.

(* ---- finite laws ---- *)
Section Finite.
Variables (A : Type) (ok : bool) (ws : seq (R * A)).
Definition fine_list := [&& ok, all (fun x => 0 <= x.1)%R ws & (\sum_(x <- ws) x.1 <= 1)%R].
Definition fev (f : A -> \bar R) := if fine_list then \sum_(x <- ws) x.1%:E * f x.2 else 0.

Lemma fterm (f : A -> \bar R) : fine_list -> (forall a, 0 <= f a) ->
  forall x, List.In x ws -> 0 <= x.1%:E * f x.2.
Proof.
move=> /and3P[_ w0 _] f0 x; elim: ws w0 => [|y l IH] //= /andP[y0 l0] [<-|]; last exact: IH.
by rewrite mule_ge0// lee_fin.
Qed.

Lemma fev_ge0 f : (forall a, 0 <= f a) -> 0 <= fev f.
Proof.
move=> f0; rewrite /fev; case: ifP => // /and3P[_ w0 _].
elim: ws w0 => [|x l IH] /=; first by rewrite big_nil.
by move=> /andP[x0 l0]; rewrite big_cons adde_ge0 ?IH// mule_ge0// lee_fin.
Qed.
Lemma fev_le f g : (forall a, 0 <= f a) -> (forall a, f a <= g a) -> fev f <= fev g.
Proof.
move=> f0 fg; rewrite /fev; case: ifP => // /and3P[_ w0 _].
elim: ws w0 => [|x l IH] /=; first by rewrite !big_nil.
move=> /andP[x0 l0]; rewrite !big_cons lee_add ?IH//.
by apply: lee_wpmul2l => //; rewrite lee_fin.
Qed.
Lemma fev_scale (c : R) f : (0 <= c)%R -> (forall a, 0 <= f a) ->
  fev (fun a => c%:E * f a) = c%:E * fev f.
Proof.
move=> c0 f0; rewrite /fev; case: ifP => [/and3P[_ w0 _]|_]; last by rewrite mule0.
elim: ws w0 => [|x l IH] /=; first by rewrite !big_nil mule0.
move=> /andP[x0 l0]; rewrite !big_cons IH// ge0_muleDr; [by rewrite muleCA|by rewrite mule_ge0// lee_fin|].
elim: l l0 {IH} => [|y l IH] /=; first by rewrite big_nil.
by move=> /andP[y0 l0]; rewrite big_cons adde_ge0 ?IH// mule_ge0// lee_fin.
Qed.
Lemma fev_addc (d : R) f : (0 <= d)%R -> (forall a, 0 <= f a) ->
  fev (fun a => f a + d%:E) <= fev f + d%:E.
Proof.
move=> d0 f0; rewrite /fev; case: ifP => [/and3P[_ w0 w1]|_]; last by rewrite add0e lee_fin.
have -> : \sum_(x <- ws) x.1%:E * (f x.2 + d%:E) =
    \sum_(x <- ws) x.1%:E * f x.2 + (\sum_(x <- ws) x.1 * d)%:E.
  elim: ws w0 {w1} => [|x l IH] /=; first by rewrite !big_nil adde0.
  move=> /andP[x0 l0]; rewrite !big_cons IH// ge0_muleDr// ?lee_fin// EFinD.
  by rewrite EFinM addeACA.
rewrite lee_add2l// lee_fin -mulr_suml.
by rewrite -[X in (_ <= X)%R]mul1r ler_wpmul2r.
Qed.
Definition flaw : law R A := Law fev_ge0 fev_le fev_scale fev_addc.

Lemma flawE f : fine_list -> flaw f = \sum_(x <- ws) x.1%:E * f x.2.
Proof. by rewrite /flaw /= /fev => ->. Qed.
Lemma flaw_total : fine_list -> (\sum_(x <- ws) x.1 = 1)%R -> flaw (fun=> 1) = 1.
Proof.
move=> wl w1; rewrite flawE// -[RHS](_ : (\sum_(x <- ws) x.1)%:E = 1); last by rewrite w1.
by rewrite -sumEFin; apply: eq_bigr => x _; rewrite mule1.
Qed.
(* what holds of every value of the list has full measure *)
Lemma flaw_full (supp : A -> Prop) f g : (ok -> forall x, List.In x ws -> supp x.2) ->
  (forall a, supp a -> f a = g a) -> flaw f = flaw g.
Proof.
move=> sw fg; rewrite /flaw /= /fev; case: ifP => // /and3P[/sw {}sw _ _].
elim: ws sw => [|x l IH] sw; first by rewrite !big_nil.
by rewrite !big_cons fg ?IH//; [move=> y yl; apply: sw; right|apply: sw; left].
Qed.
End Finite.

Definition bernoulli (p : R) : law R bool := flaw (0 <= p <= 1)%R [:: (p, true); (1 - p, false)]%R.
Definition sign : law R R := flaw true [:: (2^-1, 1); (2^-1, -1)]%R.
(* low, low + 1, ..., high *)
Definition range (low high : int) : seq int := [seq (low + i%:Z)%R | i <- iota 0 `|(high - low + 1)%R|%N].
Definition uniform_int (low high : int) : law R int :=
  flaw (low <= high)%R [seq ((high - low + 1)%:~R^-1, y)%R | y <- range low high].
Definition category_range (count v : int) := ((2 <= count) && (0 <= v < count))%R.
Definition uniform_other (v count : int) : law R int :=
  flaw (category_range count v)
    [seq ((count - 1)%:~R^-1, y)%R | y <- range 0 (count - 1) & y != v].
Definition response (v : int) (p : R) (count : int) : law R int :=
  flaw (category_range count v && (0 <= p <= 1))%R
    [seq (if y == v then p else (1 - p) / (count - 1)%:~R, y)%R | y <- range 0 (count - 1)].

Lemma bernoulli_fine p : (0 <= p <= 1)%R -> fine_list (0 <= p <= 1)%R [:: (p, true); (1 - p, false)]%R.
Proof.
move=> /andP[p0 p1]; rewrite /fine_list p0 p1 /= p0 subr_ge0 p1 /=.
by rewrite !big_cons big_nil addr0 /= addrCA subrr addr0.
Qed.
Theorem total_bernoulli p : (0 <= p <= 1)%R -> bernoulli p (fun=> 1) = 1.
Proof.
move=> pr; apply: flaw_total; first exact: bernoulli_fine.
by rewrite !big_cons big_nil addr0 /= addrCA subrr addr0.
Qed.
Lemma bernoulliE p f : (0 <= p <= 1)%R -> bernoulli p f = p%:E * f true + (1 - p)%:E * f false.
Proof. by move=> pr; rewrite flawE ?bernoulli_fine// !big_cons big_nil adde0. Qed.

Lemma half2 : (2^-1 + 2^-1 = 1 :> R)%R.
Proof. by rewrite -mulr2n -mulr_natl divff// pnatr_eq0. Qed.
Lemma sign_fine : fine_list true ([:: (2^-1, 1); (2^-1, -1)] : seq (R * R))%R.
Proof. by rewrite /fine_list /= !invr_ge0 !ler0n /= !big_cons big_nil addr0 half2. Qed.
Lemma signE f : sign f = (2^-1)%:E * f 1%R + (2^-1)%:E * f (-1)%R.
Proof. by rewrite flawE ?sign_fine// !big_cons big_nil adde0. Qed.
Theorem total_sign : sign (fun=> 1) = 1.
Proof. by rewrite flaw_total ?sign_fine// !big_cons big_nil addr0 half2. Qed.

Lemma mem_range low high y : (low <= high + 1)%R -> (y \in range low high) = (low <= y <= high)%R.
Proof.
move=> lh; have n0 : (0 <= high - low + 1)%R by rewrite addrAC subr_ge0.
apply/mapP/andP=> [[i]|[ly yh]].
  rewrite mem_iota add0n /= => ih ->; rewrite ler_addl; split=> //.
  rewrite -ltz_addr1 -ltr_subr_addl addrAC.
  by rewrite -(gez0_abs n0) in ih *; move: ih; rewrite -ltz_nat.
exists `|(y - low)%R|%N; last by rewrite gez0_abs ?subr_ge0// addrC subrK.
by rewrite mem_iota add0n /= -ltz_nat !gez0_abs ?subr_ge0// ltz_addr1 ler_add2r.
Qed.
Lemma uniq_range low high : uniq (range low high).
Proof. by rewrite map_inj_uniq ?iota_uniq// => i j /addrI[]. Qed.
Lemma size_range low high : size (range low high) = `|(high - low + 1)%R|%N.
Proof. by rewrite size_map size_iota. Qed.

Lemma sum_const (A : Type) (c : R) (l : seq A) : (\sum_(y <- l) c = c *+ size l)%R.
Proof. by rewrite big_const_seq count_predT iter_addr_0. Qed.

Lemma In_mem (A : eqType) (x : A) (l : seq A) : List.In x l <-> x \in l.
Proof.
elim: l => [|y l IH] //=; rewrite inE; split.
  by move=> [->|/IH ->]; rewrite ?eqxx ?orbT.
by move=> /orP[/eqP ->|/IH]; [left|right].
Qed.

Lemma range_pos (low high : int) : (low <= high)%R -> (0 < high - low + 1)%R.
Proof. by move=> lh; rewrite ltz_addr1 subr_ge0. Qed.
Lemma uniform_int_sum (low high : int) : (low <= high)%R ->
  (\sum_(x <- [seq ((high - low + 1)%:~R^-1, y)%R | y <- range low high]) x.1 = 1 :> R)%R.
Proof.
move=> /range_pos lh; rewrite big_map sum_const size_range -mulr_natr pmulrn gez0_abs ?ltW//.
by rewrite mulVf// gt_eqF// ltr0z.
Qed.
Lemma uniform_int_fine (low high : int) : (low <= high)%R ->
  fine_list (low <= high)%R [seq ((high - low + 1)%:~R^-1 : R, y)%R | y <- range low high].
Proof.
move=> lh; rewrite /fine_list lh uniform_int_sum// lexx andbT.
by rewrite all_map; apply/allP => y _ /=; rewrite invr_ge0 ler0z ltW// range_pos.
Qed.
Theorem total_uniform_int low high : (low <= high)%R -> uniform_int low high (fun=> 1) = 1.
Proof. by move=> lh; rewrite flaw_total ?uniform_int_fine ?uniform_int_sum. Qed.

Lemma count_pos (count v : int) : category_range count v -> (0 < count - 1)%R.
Proof. by move=> /andP[c2 _]; rewrite subr_gt0; apply: lt_le_trans c2. Qed.
Lemma size_others count v : category_range count v ->
  size [seq y <- range 0 (count - 1) | y != v] = `|(count - 1)%R|%N.
Proof.
move=> cr; have c1 := count_pos cr; move/andP: cr => [c2 /andP[v0 vc]].
have vin : v \in range 0 (count - 1).
  by rewrite mem_range; [rewrite v0 -ltz_addr1 subrK|rewrite subrK (le_trans _ c2)].
have := count_predC (pred1 v) (range 0 (count - 1)).
rewrite count_uniq_mem ?uniq_range// vin size_range size_filter subr0 subrK.
rewrite (eq_count (a2 := predC (pred1 v)))// => H.
apply/eqP; rewrite -(eqn_add2l 1) H -eqz_nat PoszD !gez0_abs; [by rewrite addrC subrK|exact: ltW|by rewrite (le_trans _ c2)].
Qed.
Lemma uniform_other_sum v count : category_range count v ->
  (\sum_(x <- [seq ((count - 1)%:~R^-1, y)%R | y <- range 0 (count - 1) & y != v]) x.1 = 1 :> R)%R.
Proof.
move=> cr; rewrite big_map sum_const size_others// -mulr_natr pmulrn gez0_abs ?ltW ?(count_pos cr)//.
by rewrite mulVf// gt_eqF// ltr0z (count_pos cr).
Qed.
Lemma uniform_other_fine v count : category_range count v ->
  fine_list (category_range count v)
    [seq ((count - 1)%:~R^-1 : R, y)%R | y <- range 0 (count - 1) & y != v].
Proof.
move=> cr; rewrite /fine_list cr uniform_other_sum// lexx andbT.
by rewrite all_map; apply/allP => y _ /=; rewrite invr_ge0 ler0z ltW// (count_pos cr).
Qed.
Theorem total_uniform_other v count : category_range count v -> uniform_other v count (fun=> 1) = 1.
Proof. by move=> cr; rewrite flaw_total ?uniform_other_fine ?uniform_other_sum. Qed.

Lemma response_sum v p count : category_range count v ->
  (\sum_(x <- [seq (if y == v then p else (1 - p) / (count - 1)%:~R, y)%R | y <- range 0 (count - 1)]) x.1
    = 1 :> R)%R.
Proof.
move=> cr; have c1 := count_pos cr; have s := size_others cr.
move/andP: cr => [c2 /andP[v0 vc]].
have vin : v \in range 0 (count - 1).
  by rewrite mem_range; [rewrite v0 -ltz_addr1 subrK|rewrite subrK (le_trans _ c2)].
rewrite big_map (bigD1_seq v)//= ?uniq_range// eqxx -big_filter.
rewrite (eq_big_seq (fun=> (1 - p) / (count - 1)%:~R)%R); last first.
  by move=> y; rewrite mem_filter => /andP[/negPf ->].
rewrite sum_const s -mulr_natr pmulrn gez0_abs ?ltW// divfK; first by rewrite addrCA subrr addr0.
by rewrite gt_eqF// ltr0z.
Qed.
Lemma response_fine v p count : category_range count v -> (0 <= p <= 1)%R ->
  fine_list (category_range count v && (0 <= p <= 1))%R
    [seq (if y == v then p else (1 - p) / (count - 1)%:~R, y)%R | y <- range 0 (count - 1)].
Proof.
move=> cr /andP[p0 p1]; rewrite /fine_list cr p0 p1 response_sum// lexx /= andbT all_map.
apply/allP => y _ /=; case: ifP => // _.
by rewrite divr_ge0 ?subr_ge0// ler0z ltW// (count_pos cr).
Qed.
Theorem total_response v p count : category_range count v -> (0 <= p <= 1)%R ->
  response v p count (fun=> 1) = 1.
Proof. by move=> cr pr; rewrite flaw_total ?response_fine ?response_sum. Qed.

(* ---- countable laws ---- *)
Lemma esum_scale_le (T : choiceType) (c : R) (a : T -> \bar R) : (0 <= c)%R -> (forall x, 0 <= a x) ->
  \esum_(x in [set: T]) (c%:E * a x) <= c%:E * \esum_(x in [set: T]) a x.
Proof.
move=> c0 a0; apply: ub_ereal_sup => _ [X XT <-].
rewrite -ge0_mule_fsumr//; apply: lee_wpmul2l; first by rewrite lee_fin.
by apply: ereal_sup_ub; exists X.
Qed.
Lemma esum_scale (T : choiceType) (c : R) (a : T -> \bar R) : (0 <= c)%R -> (forall x, 0 <= a x) ->
  \esum_(x in [set: T]) (c%:E * a x) = c%:E * \esum_(x in [set: T]) a x.
Proof.
move=> c0 a0; apply/eqP; rewrite eq_le esum_scale_le//=.
move: c0; rewrite le_eqVlt => /orP[/eqP <-|c0].
  by rewrite mul0e; apply: esum_ge0 => x _; rewrite mul0e.
have ci : (0 <= c^-1)%R by rewrite invr_ge0 ltW.
have cc (z : \bar R) : c%:E * (c^-1%:E * z) = z by rewrite muleA -EFinM mulfV ?mul1e// gt_eqF.
have cc' (z : \bar R) : c^-1%:E * (c%:E * z) = z by rewrite muleA -EFinM mulVf ?mul1e// gt_eqF.
rewrite -[leRHS]cc; apply: lee_wpmul2l; first by rewrite lee_fin ltW.
apply: le_trans (esum_scale_le ci _); last by move=> x; rewrite mule_ge0// lee_fin ltW.
by apply: le_esum => x _; rewrite cc'.
Qed.

Section MassLaw.
Variables (A : choiceType) (p : A -> R).
Hypothesis p0 : forall a, (0 <= p a)%R.
Hypothesis p1 : \esum_(a in [set: A]) (p a)%:E <= 1.
Definition mev (f : A -> \bar R) := \esum_(a in [set: A]) ((p a)%:E * f a).
Lemma mev_ge0 f : (forall a, 0 <= f a) -> 0 <= mev f.
Proof. by move=> f0; apply: esum_ge0 => a _; rewrite mule_ge0// lee_fin. Qed.
Lemma mev_le f g : (forall a, 0 <= f a) -> (forall a, f a <= g a) -> mev f <= mev g.
Proof. by move=> f0 fg; apply: le_esum => a _; apply: lee_wpmul2l => //; rewrite lee_fin. Qed.
Lemma mev_scale (c : R) f : (0 <= c)%R -> (forall a, 0 <= f a) ->
  mev (fun a => c%:E * f a) = c%:E * mev f.
Proof.
move=> c0 f0; rewrite /mev -esum_scale//; last by move=> a; rewrite mule_ge0// lee_fin.
by apply: eq_esum => a _; rewrite muleCA.
Qed.
Lemma mev_addc (d : R) f : (0 <= d)%R -> (forall a, 0 <= f a) ->
  mev (fun a => f a + d%:E) <= mev f + d%:E.
Proof.
move=> d0 f0; have dE : 0 <= d%:E by rewrite lee_fin.
have pE a : 0 <= (p a)%:E by rewrite lee_fin.
rewrite /mev (eq_esum (b := fun a => (p a)%:E * f a + d%:E * (p a)%:E)); last first.
  by move=> a _; rewrite ge0_muleDr// [(p a)%:E * d%:E]muleC.
rewrite esumD; [|by move=> a _; rewrite mule_ge0|by move=> a _; rewrite mule_ge0].
rewrite lee_add2l// esum_scale// -[leRHS]mule1.
exact: lee_wpmul2l.
Qed.
Definition mlaw : law R A := Law mev_ge0 mev_le mev_scale mev_addc.
End MassLaw.

(* Laws given by weights: no mass at all when the weights have no finite sum. *)
Definition total (A : choiceType) (w : A -> R) := \esum_(a in [set: A]) (w a)%:E.
Definition norm_mass (A : choiceType) (w : A -> R) (a : A) : R := (w a / fine (total w))%R.

Section Weights.
Variables (A : choiceType) (w : A -> R).
Hypothesis w0 : forall a, (0 <= w a)%R.
Lemma total_ge0 : 0 <= total w.
Proof. by apply: esum_ge0 => a _; rewrite lee_fin. Qed.
Lemma norm_mass_ge0 a : (0 <= norm_mass w a)%R.
Proof. by rewrite mulr_ge0// invr_ge0 fine_ge0// total_ge0. Qed.
Lemma norm_mass_total : \esum_(a in [set: A]) (norm_mass w a)%:E = (fine (total w))^-1%:E * total w.
Proof.
have Zi : (0 <= (fine (total w))^-1)%R by rewrite invr_ge0 fine_ge0// total_ge0.
rewrite (eq_esum (b := fun a => (fine (total w))^-1%:E * (w a)%:E)); last first.
  by move=> a _; rewrite /norm_mass mulrC EFinM.
by rewrite esum_scale//.
Qed.
Lemma norm_mass_sub : \esum_(a in [set: A]) (norm_mass w a)%:E <= 1.
Proof.
rewrite norm_mass_total; move: total_ge0; case: (total w) => [z|_|//].
  rewrite lee_fin le_eqVlt => /orP[/eqP<-|z0]; first by rewrite mule0 lee01.
  by rewrite -EFinM mulVf// gt_eqF.
by rewrite /= invr0 mul0e lee01.
Qed.
Definition wlaw := mlaw norm_mass_ge0 norm_mass_sub.

Lemma total_wlaw a : (0 < w a)%R -> total w < +oo -> wlaw (fun=> 1) = 1.
Proof.
move=> wa wf; rewrite /= /mev.
have -> : \esum_(x in [set: A]) ((norm_mass w x)%:E * 1) = \esum_(x in [set: A]) (norm_mass w x)%:E.
  by apply: eq_esum => x _; rewrite mule1.
have wt : (w a)%:E <= total w.
  rewrite -(@esum_set1 _ _ a (fun a => (w a)%:E)) ?lee_fin ?w0// /total esum_mkcond.
  by apply: le_esum => x _; case: ifP => _; rewrite ?lee_fin.
rewrite norm_mass_total; move: wt wf; case: (total w) => [z| |]//.
rewrite lee_fin => wz _; rewrite -EFinM mulVf// gt_eqF//; exact: lt_le_trans wz.
Qed.
End Weights.

(* ---- the geometric series ---- *)
Lemma geometric_sum (z : R) : (0 <= z < 1)%R ->
  \esum_(n in [set: nat]) (z ^+ n)%:E <= (1 - z)^-1%:E.
Proof.
move=> /andP[z0 z1]; have d0 : (0 < 1 - z)%R by rewrite subr_gt0.
rewrite (_ : [set: nat] = [set x | xpredT x]); last by apply/seteqP; split.
rewrite -nneseries_esum; last by move=> n _; rewrite lee_fin exprn_ge0.
apply: lime_le; first by apply: is_cvg_nneseries => n _; rewrite lee_fin exprn_ge0.
apply: nearW => n; rewrite sumEFin lee_fin -(ler_pmul2l d0) mulfV ?gt_eqF//.
have := subrX1 z n; rewrite -opprB -(opprB 1%R z) mulNr => /oppr_inj.
rewrite big_mkord => <-; by rewrite ler_subl_addr ler_addl exprn_ge0.
Qed.

Lemma expR_lt1 (x : R) : (x < 0)%R -> (expR x < 1)%R.
Proof. by move=> x0; rewrite -expR0 ltr_expR. Qed.
Lemma expR_pow (x : R) n : (expR (x *+ n) = expR x ^+ n)%R.
Proof. by elim: n => [|n IH]; rewrite ?mulr0n ?expR0// mulrS expRD IH exprS. Qed.

(* weights on the integers that fall off geometrically on both sides of 0 have a finite sum *)
Lemma tails_finite (w : int -> R) (z : R) : (0 <= z < 1)%R -> (forall y, 0 <= w y)%R ->
  (forall y : int, w y <= z ^+ `|y|%N)%R -> total w < +oo.
Proof.
move=> zr w0 wz.
have sub (P : set int) (e : nat -> int) : set_inj setT e -> P `<=` e @` setT ->
    (forall n, `|e n|%N = n) -> \esum_(y in P) (w y)%:E <= (1 - z)^-1%:E.
  move=> ie Pe ae.
  apply: (@le_trans _ _ (\esum_(y in e @` setT) (w y)%:E)).
    rewrite esum_mkcond [leRHS]esum_mkcond; apply: le_esum => y _.
    case: ifPn => [|_]; last by case: ifP => _; rewrite ?lee_fin.
    by rewrite inE => /Pe ey; rewrite mem_set.
  rewrite esum_image//; apply: (le_trans _ (geometric_sum zr)).
  by apply: le_esum => n _; rewrite lee_fin -{2}(ae n).
rewrite /total (esumID [set y | 0 <= y]%R)//; last by move=> y _; rewrite lee_fin.
apply: (@le_lt_trans _ _ ((1 - z)^-1%:E + (1 - z)^-1%:E)); last by rewrite -EFinD ltry.
apply: lee_add.
  apply: (sub _ (fun n => n%:Z)) => //; first by move=> m n _ _ [].
  by move=> y /= [_ y0]; exists `|y|%N => //; rewrite gez0_abs.
apply: (sub _ (fun n => - n%:Z)%R) => //; first by move=> m n _ _ /oppr_inj[].
  move=> y /= [_ /negP]; rewrite -ltNge => y0; exists `|y|%N => //.
  by rewrite ltz0_abs// opprK.
by move=> n; rewrite abszN.
Qed.

(* ---- discrete Laplace, geometric, discrete Gaussian; scale > 0, or no mass ---- *)
Definition dlap_w (e : int) (b : R) (y : int) : R :=
  if (0 < b)%R then expR (- (`|y - e|%:~R / b)) else 0%R.
Definition geo_w (b : R) (y : int) : R :=
  if (0 < b)%R && (0 <= y)%R then expR (- (y%:~R / b)) else 0%R.
Definition dgauss_w (e : int) (s : R) (y : int) : R :=
  if (0 < s)%R then expR (- ((y - e)%:~R ^+ 2 / (s ^+ 2 *+ 2))) else 0%R.
Lemma dlap_w0 e b y : (0 <= dlap_w e b y)%R.
Proof. by rewrite /dlap_w; case: ifP => // _; exact: expR_ge0. Qed.
Lemma geo_w0 b y : (0 <= geo_w b y)%R.
Proof. by rewrite /geo_w; case: ifP => // _; exact: expR_ge0. Qed.
Lemma dgauss_w0 e s y : (0 <= dgauss_w e s y)%R.
Proof. by rewrite /dgauss_w; case: ifP => // _; exact: expR_ge0. Qed.
Definition discrete_laplace (e : int) (b : R) : law R int := wlaw (dlap_w0 e b).
Definition geometric (b : R) : law R int := wlaw (geo_w0 b).
Definition discrete_gaussian (e : int) (s : R) : law R int := wlaw (dgauss_w0 e s).

(* a law moved by an integer has the same total *)
Lemma total_shift (w w' : int -> R) (e : int) : (forall y, w y = w' (y - e)%R) -> total w = total w'.
Proof.
move=> ww; rewrite /total [RHS](@reindex_esum _ _ _ [set: int] [set: int] (fun y => y - e)%R).
  by apply: eq_esum => y _; rewrite ww.
by rewrite setTT_bijective; exists (fun y => y + e)%R => y; rewrite ?subrK ?addrK.
Qed.
Lemma dlap_total e b : total (dlap_w e b) = total (dlap_w 0 b).
Proof. by apply: (@total_shift _ _ e) => y; rewrite /dlap_w subr0. Qed.

Lemma ratio_lt1 (b : R) : (0 < b)%R -> (0 <= expR (- b^-1) < 1)%R.
Proof. by move=> b0; rewrite expR_ge0 expR_lt1// oppr_lt0 invr_gt0. Qed.

Lemma dlap_finite e b : (0 < b)%R -> total (dlap_w e b) < +oo.
Proof.
move=> b0; rewrite dlap_total; apply: (tails_finite (ratio_lt1 b0)) => y; first exact: dlap_w0.
rewrite /dlap_w b0 subr0 -expR_pow ler_expR mulNrn -mulr_natl.
by rewrite natr_absz.
Qed.
Theorem total_discrete_laplace e b : (0 < b)%R -> discrete_laplace e b (fun=> 1) = 1.
Proof.
move=> b0; apply: (@total_wlaw _ _ _ e); last exact: dlap_finite.
by rewrite /dlap_w b0 expR_gt0.
Qed.
Theorem total_geometric b : (0 < b)%R -> geometric b (fun=> 1) = 1.
Proof.
move=> b0; apply: (@total_wlaw _ _ _ 0%R); first by rewrite /geo_w b0 lexx expR_gt0.
apply: (tails_finite (ratio_lt1 b0)) => y; first exact: geo_w0.
rewrite /geo_w b0 /= -expR_pow; case: ifP => [y0|_]; last exact: expR_ge0.
by rewrite ler_expR mulNrn -mulr_natl pmulrn gez0_abs.
Qed.
Theorem total_discrete_gaussian e s : (0 < s)%R -> discrete_gaussian e s (fun=> 1) = 1.
Proof.
move=> s0; apply: (@total_wlaw _ _ _ e); first by rewrite /dgauss_w s0 expR_gt0.
rewrite (@total_shift _ (dgauss_w 0 s) e); last by move=> y; rewrite /dgauss_w subr0.
have s2 : (0 < s ^+ 2 *+ 2)%R by rewrite pmulrn_lgt0// exprn_gt0.
apply: (tails_finite (ratio_lt1 s2)) => y; first exact: dgauss_w0.
rewrite /dgauss_w s0 subr0 -expR_pow ler_expR mulNrn.
move: (s ^+ 2 *+ 2)%R s2 => t t0; rewrite -mulr_natl ler_opp2.
apply: ler_wpmul2r; first by rewrite invr_ge0 ltW.
rewrite natr_absz -rmorphX /= ler_int.
have [->|y0] := eqVneq y 0%R; first by rewrite normr0 expr0n.
by rewrite -(@real_normK _ y) ?num_real// expr2 ler_pmull ?normr_gt0// -gtz0_ge1 normr_gt0.
Qed.
End Laws.
