(* MAXDIV of trusted/kernel/src/rules/finite.rs (same_value): a block of draws from finite laws, assignments and
   conditionals; one variable y matters afterwards.  If Pr[y = v] b <= a Pr[y' = v] for every v, the runs can
   be treated as equal in y at cost ln(a/b).  And the masses (mass_...): what the kernel's walk through the
   block computes is the expectation of the indicator of y = v. *)
From Probity Require Import Prelude Judgement Laws.
From Probity Require Rules.
Local Open Scope classical_set_scope.
Local Open Scope ring_scope.
Local Open Scope ereal_scope.

Lemma big_only (R : realType) (V : eqType) (r : seq V) v (F : V -> \bar R) : uniq r -> v \in r ->
  \sum_(x <- r | x == v) F x = F v.
Proof. by move=> ur vr; rewrite -big_filter filter_pred1_uniq// big_seq1. Qed.

Section Block.
Variables (R : realType) (S : Type).
Implicit Types (c : stmt R S).

(* c has finitely many outcomes from every state *)
Definition finite_block c := forall m, exists l : seq (R * S), all (fun x => 0 <= x.1)%R l /\
  forall f, nneg f -> wp c f m = \sum_(x <- l) x.1%:E * f x.2.

Lemma finite_skip : finite_block (Skip R S).
Proof.
by move=> m; exists [:: (1%R, m)]; split=> [|f _] /=; rewrite ?ler01// big_seq1 mul1e.
Qed.
Lemma finite_assign u : finite_block (Assign R u).
Proof.
by move=> m; exists [:: (1%R, u m)]; split=> [|f _] /=; rewrite ?ler01// big_seq1 mul1e.
Qed.
Lemma finite_draw A (ok : S -> bool) (ws : S -> seq (R * A)) u :
  finite_block (Draw (fun s => flaw (ok s) (ws s)) u).
Proof.
move=> m; case E : (fine_list (ok m) (ws m)); last first.
  by exists [::]; split=> // f _; rewrite big_nil /= /fev E.
exists [seq (x.1, u m x.2) | x <- ws m]; split.
  by move/and3P: E => [_ w0 _]; rewrite all_map; apply: sub_all w0 => x.
by move=> f _; rewrite big_map /= /fev E.
Qed.
Lemma finite_if g c d : finite_block c -> finite_block d -> finite_block (If g c d).
Proof. by move=> Hc Hd m /=; case: (g m); [exact: Hc|exact: Hd]. Qed.

Lemma sum_nneg (l : seq (R * S)) f : all (fun x => 0 <= x.1)%R l -> nneg f ->
  0 <= \sum_(x <- l) x.1%:E * f x.2.
Proof.
move=> + f0; elim: l => [|x l IH] /=; first by rewrite big_nil.
by move=> /andP[x0 l0]; rewrite big_cons adde_ge0 ?IH// mule_ge0// lee_fin.
Qed.

Lemma finite_seq c d : finite_block c -> finite_block d -> finite_block (Seq c d).
Proof.
move=> Hc Hd m; have [l [l0 lE]] := Hc m.
have [k [k0 kE]] : exists k : seq (R * S), all (fun x => 0 <= x.1)%R k /\
    forall f, nneg f -> \sum_(x <- l) x.1%:E * wp d f x.2 = \sum_(x <- k) x.1%:E * f x.2.
  elim: l l0 {lE} => [|x l IH] /=; first by exists [::]; split=> // f _; rewrite !big_nil.
  move=> /andP[x0 /IH[k [k0 kE]]]; have [j [j0 jE]] := Hd x.2.
  exists ([seq (x.1 * z.1, z.2)%R | z <- j] ++ k); split.
    rewrite all_cat k0 andbT all_map; apply: sub_all j0 => z /= z0; exact: mulr_ge0.
  move=> f f0; rewrite big_cons kE// big_cat big_map jE//=; congr (_ + _).
  elim: j j0 {jE} => [|z j IHj] /=; first by rewrite !big_nil mule0.
  move=> /andP[z0 j0]; rewrite !big_cons ge0_muleDr; first by rewrite IHj// muleA EFinM.
    by rewrite mule_ge0// lee_fin.
  exact: sum_nneg.
by exists k; split=> // f f0 /=; rewrite lE ?kE//; exact: wp_ge0.
Qed.

(* ---- the values of y ---- *)
Variable (V : choiceType) (y : S -> V).
Definition mass c m v : \bar R := wp c (fun s => if y s == v then 1 else 0) m.

Lemma mass_sum c m l v : (forall f, nneg f -> wp c f m = \sum_(x <- l) x.1%:E * f x.2) ->
  mass c m v = (\sum_(x <- l | y x.2 == v) x.1)%:E.
Proof.
move=> lE; rewrite /mass lE; last by move=> s; case: ifP => _; rewrite ?lee01.
rewrite -sumEFin [RHS]big_mkcond; apply: eq_bigr => x _.
by case: ifP => _; rewrite ?mule1 ?mule0.
Qed.

Lemma regroup (l : seq (R * S)) (vs : seq V) (g : V -> \bar R) :
  all (fun x => 0 <= x.1)%R l -> (forall v, 0 <= g v) -> uniq vs ->
  \sum_(v <- vs) (\sum_(x <- l | y x.2 == v) x.1)%:E * g v =
  \sum_(x <- l | y x.2 \in vs) x.1%:E * g (y x.2).
Proof.
move=> l0 g0 uvs; elim: l l0 => [|x l IH] /=.
  by rewrite big_nil big1// => v _; rewrite big_nil mul0e.
move=> /andP[x0 l0]; rewrite big_cons -(IH l0).
have pos v : (0 <= \sum_(x <- l | y x.2 == v) x.1)%R.
  elim: l l0 {IH} => [|z l IH] /=; first by rewrite big_nil.
  by move=> /andP[z0 l0]; rewrite big_cons; case: ifP => _; rewrite ?addr_ge0 ?IH.
have -> : (if y x.2 \in vs then x.1%:E * g (y x.2) + \sum_(v <- vs) (\sum_(x <- l | y x.2 == v) x.1)%:E * g v
    else \sum_(v <- vs) (\sum_(x <- l | y x.2 == v) x.1)%:E * g v) =
  \sum_(v <- vs | v == y x.2) x.1%:E * g v + \sum_(v <- vs) (\sum_(x <- l | y x.2 == v) x.1)%:E * g v.
  case: ifPn => h; first by rewrite big_only.
  rewrite [X in _ = X + _]big1_seq ?add0e// => v /andP[/eqP -> vin]; by rewrite vin in h.
rewrite [X in _ = X + _]big_mkcond -big_split /=; apply: eq_bigr => v _.
rewrite big_cons eq_sym; case: ifP => _; last by rewrite add0e.
by rewrite EFinD ge0_muleDl// lee_fin.
Qed.

(* the law of y, at the level of tests of y *)
Lemma star_finite c m m' (a b : R) (g G : V -> \bar R) : finite_block c ->
  (0 < a)%R -> (0 < b)%R -> (forall v, 0 <= g v) -> (forall v, 0 <= G v) ->
  (forall v, mass c m v * b%:E <= a%:E * mass c m' v) ->
  (forall v, 0 < mass c m v -> g v <= (expR (- ln (a / b)))%:E * G v) ->
  wp c (g \o y) m <= wp c (G \o y) m'.
Proof.
move=> fc a0 b0 g0 G0 Hab HgG.
have [l [l0 lE]] := fc m; have [l' [l0' lE']] := fc m'.
rewrite lE; last by move=> s; exact: g0.
rewrite lE'; last by move=> s; exact: G0.
pose vs := undup [seq y x.2 | x <- l].
have -> : \sum_(x <- l) x.1%:E * (g \o y) x.2 = \sum_(v <- vs) mass c m v * g v.
  under [RHS]eq_bigr do rewrite (mass_sum _ lE).
  rewrite regroup ?undup_uniq//.
  have : all (fun x => y x.2 \in vs) l.
    rewrite -[all _ _](all_map (fun x : R * S => y x.2) (mem vs)).
    by apply/allP => v vin; rewrite /= /vs mem_undup.
  elim: (l) => [|x k IH] /=; first by rewrite !big_nil.
  by move=> /andP[xv /IH kE]; rewrite !big_cons xv kE.
apply: (@le_trans _ _ (\sum_(v <- vs) mass c m' v * G v)).
  rewrite [leLHS]big_seq [leRHS]big_seq; apply: lee_sum => v _.
  have M0 n : 0 <= mass c n v by apply: wp_ge0 => s; case: ifP => _; rewrite ?lee01.
  have := M0 m; rewrite le_eqVlt => /orP[/eqP <-|Mpos].
    by rewrite mul0e mule_ge0.
  apply: (@le_trans _ _ (mass c m v * ((expR (- ln (a / b)))%:E * G v))).
    by apply: lee_wpmul2l => //; exact: HgG.
  rewrite muleA; apply: lee_wpmul2r => //.
  rewrite expRN lnK ?posrE ?divr_gt0// invf_div.
  have := Hab v; rewrite (mass_sum v lE) (mass_sum v lE') -!EFinM !lee_fin => H.
  by rewrite mulrA ler_pdivr_mulr// [leRHS]mulrC.
under eq_bigr do rewrite (mass_sum _ lE').
rewrite regroup ?undup_uniq// big_mkcond /=.
elim: l' l0' {lE'} => [|x l' IH] /=; first by rewrite !big_nil.
move=> /andP[x0 l0']; rewrite !big_cons lee_add ?IH//.
by case: ifP => // _; rewrite mule_ge0// lee_fin.
Qed.

Lemma local_le (agree : S -> S -> Prop) c : Rules.local agree c -> forall m f g, nneg f -> nneg g ->
  (forall s, agree m s -> f s <= g s) -> wp c f m <= wp c g m.
Proof.
move=> loc m f g f0 g0 fg; rewrite (loc m f (fun s => if `[< agree m s >] then f s else 0))//.
- by apply: wp_le => s; case: asboolP => // h; exact: fg.
- by move=> s; case: ifP.
- by move=> s h; rewrite asboolT.
Qed.

Theorem same_value (agree : S -> S -> Prop) c (a b : S -> S -> R -> R) (Psi : assn R S) :
  finite_block c -> Rules.local agree c ->
  judge 0 c
    (fun s s' k => [/\ (0 < a s s' k)%R, (0 < b s s' k)%R,
       forall v, mass c s v * (b s s' k)%:E <= (a s s' k)%:E * mass c s' v &
       forall v, 0 < mass c s v -> forall t t', agree s t -> agree s' t' -> y t = v -> y t' = v ->
         Psi t t' (k + ln (a s s' k / b s s' k))%R])
    Psi.
Proof.
move=> fc loc f F f0 f1 F0 Hr m m' k [a0 b0 Hab HP]; rewrite adde0.
pose up v := maxe 0 (ereal_sup [set f t | t in [set t | agree m t /\ y t = v]]).
pose dn v := ereal_inf [set F t | t in [set t | agree m' t /\ y t = v]].
have up0 v : 0 <= up v by rewrite /up le_maxr lexx.
have dn0 v : 0 <= dn v by apply: lb_ereal_inf => _ [t _ <-].
have e0 (x : R) : (0 <= expR x)%R by exact: expR_ge0.
apply: (@le_trans _ _ (wp c (up \o y) m)).
  apply: (local_le loc) => // [s|s ms]; first exact: up0.
  rewrite /up /= le_maxr; apply/orP; right.
  by apply: ereal_sup_ub; exists s.
have ek v : 0 <= (expR (- k))%:E * dn v by rewrite mule_ge0// lee_fin.
apply: (@le_trans _ _ (wp c ((fun v => (expR (- k))%:E * dn v) \o y) m')).
  apply: (star_finite fc a0 b0) => // v Mv.
  rewrite muleA -EFinM -expRD -opprD addrC.
  set j := (k + _)%R; have ej : (0 < expR j)%R := expR_gt0 _.
  rewrite expRN -(@lee_pmul2l _ (expR j)%:E) ?lte_fin// muleA -EFinM mulfV ?gt_eqF// mul1e.
  apply: lb_ereal_inf => _ [t' [mt' yt'] <-].
  rewrite -(@lee_pmul2l _ (expR (- j))%:E) ?lte_fin ?expR_gt0// muleA -EFinM -expRD addNr expR0 mul1e.
  rewrite /up le_maxl mule_ge0 ?lee_fin//=; apply: ub_ereal_sup => _ [t [mt yt] <-].
  by apply: Hr; apply: (HP v).
apply: (@le_trans _ _ (wp c (fun t => (expR (- k))%:E * F t) m')); last exact: wp_scale.
apply: (local_le loc) => [s|s|s ms] //=; first by rewrite mule_ge0// lee_fin.
apply: lee_wpmul2l; first by rewrite lee_fin.
by apply: ereal_inf_lb; exists s.
Qed.

(* ---- the walk through the block ---- *)
Theorem mass_mixture (p : S -> R) (u : S -> bool -> S) c m v : (0 <= p m <= 1)%R ->
  mass (Seq (Draw (fun s => bernoulli (p s)) u) c) m v =
  (p m)%:E * mass c (u m true) v + (1 - p m)%:E * mass c (u m false) v.
Proof. by move=> pr; rewrite /mass /= -[LHS]/(bernoulli (p m) _) bernoulliE. Qed.
Theorem mass_choice g c d m v : mass (If g c d) m v = if g m then mass c m v else mass d m v.
Proof. by []. Qed.
Theorem mass_follow g c d e m v :
  mass (Seq (If g c d) e) m v = if g m then mass (Seq c e) m v else mass (Seq d e) m v.
Proof. by []. Qed.
Theorem mass_known u c m v : mass (Seq (Assign R u) c) m v = mass c (u m) v.
Proof. by []. Qed.
Theorem mass_certain u m v : mass (Assign R u) m v = if y (u m) == v then 1 else 0.
Proof. by []. Qed.
End Block.

(* ---- the masses of the last draw ---- *)
Section Masses.
Variable R : realType.
Definition one_at (V : eqType) (v : V) (x : V) : \bar R := if x == v then 1 else 0.

Lemma mass_list (V : eqType) ok (w : V -> R) (r : seq V) v : fine_list ok [seq (w x, x) | x <- r] ->
  uniq r -> flaw ok [seq (w x, x) | x <- r] (one_at v) = if v \in r then (w v)%:E else 0.
Proof.
move=> fl ur; rewrite flawE// big_map /=.
transitivity (\sum_(x <- r | x == v) (w x)%:E).
  by rewrite [RHS]big_mkcond; apply: eq_bigr => x _; rewrite /one_at; case: ifP => _; rewrite ?mule1 ?mule0.
case: ifPn => h; first by rewrite big_only.
by rewrite big1_seq// => x /andP[/eqP -> xr]; rewrite xr in h.
Qed.

Theorem mass_bernoulli p v : (0 <= p <= 1)%R -> bernoulli p (one_at v) = (if v then p else 1 - p)%R%:E.
Proof. by move=> pr; rewrite bernoulliE// /one_at; case: v; rewrite /= ?mule1 ?mule0 ?adde0 ?add0e. Qed.
Theorem mass_sign (v : R) : sign R (one_at v) = if (v == 1)%R || (v == -1)%R then (1 / 2)%R%:E else 0.
Proof.
rewrite signE /one_at !(eq_sym _ v) mul1r.
have n : (1 == -1 :> R)%R = false by rewrite gt_eqF// (lt_trans (ltrN10 R) ltr01).
have [->|v1] /= := eqVneq v 1%R; first by rewrite n mule1 mule0 adde0.
by rewrite mule0 add0e; case: ifP => _; rewrite ?mule1 ?mule0.
Qed.
Theorem mass_uniform_int low high v : (low <= high)%R ->
  uniform_int R low high (one_at v) = if (low <= v <= high)%R then ((high - low + 1)%:~R^-1)%R%:E else 0.
Proof.
move=> lh; rewrite mass_list ?uniform_int_fine ?uniq_range// mem_range//.
by rewrite (le_trans lh)// ler_addl.
Qed.
Theorem mass_uniform_other x count v : category_range count x ->
  uniform_other R x count (one_at v) =
  if (0 <= v < count)%R && (v != x) then ((count - 1)%:~R^-1)%R%:E else 0.
Proof.
move=> cr; rewrite mass_list ?uniform_other_fine ?filter_uniq ?uniq_range//.
move/andP: cr => [c2 _]; rewrite mem_filter mem_range; last by rewrite subrK (le_trans _ c2).
by rewrite -ltz_addr1 subrK andbC.
Qed.
Theorem mass_response x p count v : category_range count x -> (0 <= p <= 1)%R ->
  response x p count (one_at v) =
  if v == x then p%:E else if (0 <= v < count)%R then ((1 - p) / (count - 1)%:~R)%R%:E else 0.
Proof.
move=> cr pr; rewrite mass_list ?response_fine ?uniq_range//.
move/andP: cr => [c2 /andP[x0 xc]]; rewrite mem_range; last by rewrite subrK (le_trans _ c2).
rewrite -ltz_addr1 subrK; have [->|vx] := eqVneq v x; first by rewrite x0 xc.
by [].
Qed.
End Masses.
