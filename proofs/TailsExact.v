(* UP-TO-BAD for more tails: of a Laplace draw on the integers with its exact mass (up_to_exact_tail_int), of exponential and geometric noise (up_to_tail_exponential, up_to_tail_geometric),
   and for what is left out of uniform noise (up_to_tail_uniform, up_to_tail_uniform_int).

   With a = e^(-1/b), the integers y with y - e >= m have mass a^m/(1 + a), for an integer m >= 0.  Exponential noise of at least t has mass e^(-t/b), geometric noise too, for a real t or an
   integer.  In every rule any sampling rule may prove the draw with the post-condition restricted to what is kept.  Read: the statements of the theorems. *)
From Probity Require Import PreludeIntegral Judgement Laws Sampling Density Continuous.
From Probity Require Rules.
Local Open Scope classical_set_scope.
Local Open Scope ring_scope.
Local Open Scope ereal_scope.

(* ---- what is far is given up, whatever the law ---- *)
Section Split.
Variable R : realType.
Definition splits A (D : law R A) (near : A -> bool) := forall f, (forall a, 0 <= f a) -> (forall a, f a <= 1) ->
  D f <= D (fun a => if near a then f a else 0) + D (fun a => if near a then 0 else 1).
Lemma mlaw_splits (A : choiceType) (p : A -> R) p0 p1 near : splits (@mlaw R A p p0 p1) near.
Proof.
move=> f f0 f1; rewrite /= /mev.
have pe y : 0 <= (p y)%:E by rewrite lee_fin.
rewrite -esumD; last 2 first.
- by move=> y _; rewrite mule_ge0//; case: ifP.
- by move=> y _; rewrite mule_ge0//; case: ifP => _; rewrite ?lee01.
apply: le_esum => y _; case: ifP => _; first by rewrite mule0 adde0.
by rewrite mule0 add0e mule1 -[leRHS]mule1; apply: lee_wpmul2l.
Qed.
Lemma flaw_splits A (ok : bool) (ws : seq (R * A)) near : splits (flaw ok ws) near.
Proof.
move=> f f0 f1; rewrite /= /fev; case: ifP => [/and3P[_ w0 _]|_]; last by rewrite adde0.
elim: ws w0 => [|x l IH] /=; first by rewrite !big_nil adde0.
move=> /andP[x0 l0]; rewrite !big_cons addeACA; apply: lee_add; last exact: IH.
case: ifP => _; first by rewrite mule0 adde0.
by rewrite mule0 add0e; apply: lee_wpmul2l; rewrite ?lee_fin.
Qed.
Notation T := (measurableTypeR R).
Let leb : {measure set T -> \bar R} := [the measure _ _ of @lebesgue_measure R].
Lemma dlaw_splits (p : T -> R) p0 mp p1 (near : T -> bool) : measurable [set y | ~~ near y] -> splits (@dlaw _ T R leb p p0 mp p1) near.
Proof.
move=> mA f f0 f1; rewrite /= /dev; set A := mkset _ in mA.
pose q y := (p y * \1_A y)%R.
have mq : measurable_fun setT q by apply: measurable_funM => //; exact: mindic.
have qE y : (q y)%:E = (p y)%:E * (if near y then 0 else 1).
  rewrite /q indicE; case: ifPn => h; last by rewrite mem_set ?mulr1 ?mule1.
  by rewrite memNset ?mulr0 ?mule0// /A /= h.
have E2 : \int[leb]_y (q y)%:E = \int[leb]_y ((p y)%:E * (if near y then 0 else 1)).
  by apply: eq_integral => z _; exact: (qE z).
have g0 y : 0 <= (p y)%:E * (if near y then f y else 0) by rewrite mule_ge0 ?lee_fin//; case: ifP.
have q0 y : (0 <= q y)%R by rewrite mulr_ge0.
rewrite -E2; apply: (le_trans _ (low_add leb g0 q0 mq)); apply: low_le => y; first by rewrite mule_ge0// lee_fin.
rewrite qE; case: ifP => _; first by rewrite mule0 adde0.
by rewrite mule0 add0e mule1 -[leRHS]mule1; apply: lee_wpmul2l => //; rewrite lee_fin.
Qed.
End Split.

(* ---- on the integers ---- *)
Section Integers.
Variable R : realType.

(* from e on: with the other side, which is a times as much, at most everything *)
Lemma upper_side (e : int) (b : R) : (0 < b)%R ->
  \esum_(y in [set: int]) (if (e <= y)%R then (norm_mass (dlap_w e b) y)%:E else 0) <= ((1 + expR (- b^-1))^-1)%:E.
Proof.
move=> b0; set p := norm_mass (dlap_w e b); set a := expR _.
have p0 y : (0 <= p y)%R by apply: norm_mass_ge0 => x; exact: dlap_w0.
have a0 : (0 <= a)%R := expR_ge0 _.
pose up y : \bar R := if (e <= y)%R then (p y)%:E else 0; pose down y : \bar R := if (e <= y)%R then 0 else (p y)%:E.
have up0 y : 0 <= up y by rewrite /up; case: ifP; rewrite ?lee_fin.
have down0 y : 0 <= down y by rewrite /down; case: ifP; rewrite ?lee_fin.
rewrite -/(esum [set: int] up); set X := esum _ up; have X0 : 0 <= X by apply: esum_ge0 => y _; exact: up0.
have other : a%:E * X = \esum_(y in [set: int]) down y.
  rewrite /X -esum_scale//.
  rewrite [RHS](@reindex_esum _ _ _ [set: int] [set: int] (fun y => e + e - 1 - y)%R); last first.
    by rewrite setTT_bijective; exists (fun y => e + e - 1 - y)%R => y; rewrite subKr.
  apply: eq_esum => y _; rewrite /up /down.
  have -> : (e <= e + e - 1 - y)%R = ~~ (e <= y)%R.
    by rewrite -ltNge -lez_addr1 -[LHS]subr_ge0 -[RHS]subr_ge0; congr (0 <= _)%R; ring.
  case: ifP => ey /=; last by rewrite mule0.
  rewrite -EFinM /p /norm_mass /dlap_w b0 mulrA /a -expRD; congr ((expR _ / _)%:E).
  have -> : (e + e - 1 - y - e = - (y - e + 1))%R by ring.
  have ye : (0 <= y - e)%R by rewrite subr_ge0.
  by rewrite normrN (ger0_norm ye) (ger0_norm (addr_ge0 ye ler01)) [(y - e + 1)%:~R%R]rmorphD /= mulrDl mul1r opprD addrC.
have both : X + a%:E * X <= 1.
  rewrite other -esumD; [|by move=> y _; exact: up0|by move=> y _; exact: down0].
  apply: le_trans (norm_mass_sub (dlap_w0 e b)); apply: le_esum => y _.
  by rewrite /up /down; case: ifP; rewrite ?adde0 ?add0e.
have Xf : X \is a fin_num.
  rewrite ge0_fin_numE//; apply: (@le_lt_trans _ _ 1); last exact: ltry.
  by apply: le_trans both; rewrite lee_addl// mule_ge0// lee_fin.
have a1 : (0 < 1 + a)%R by rewrite ltr_spaddl.
rewrite -(fineK Xf) in both *; move: both; rewrite -EFinM -EFinD !lee_fin => h.
by rewrite -(ler_pmul2l a1) mulfV ?gt_eqF// mulrDl mul1r.
Qed.
Lemma exact_tail_mass_int (e m : int) (b : R) : (0 < b)%R -> (0 <= m)%R ->
  discrete_laplace e b (fun y => if (y - e < m)%R then 0 else 1) <= (expR (- (m%:~R / b)) / (1 + expR (- b^-1)))%:E.
Proof.
move=> b0 m0; rewrite /= /mev; set p := norm_mass (dlap_w e b).
have p0 y : (0 <= p y)%R by apply: norm_mass_ge0 => x; exact: dlap_w0.
pose up y : \bar R := if (e <= y)%R then (p y)%:E else 0.
have up0 y : 0 <= up y by rewrite /up; case: ifP; rewrite ?lee_fin.
apply: (@le_trans _ _ (\esum_(y in [set: int]) ((expR (- (m%:~R / b)))%:E * up (y - m)%R))).
  apply: le_esum => y _; case: ifPn => [_|]; first by rewrite mule0 mule_ge0 ?lee_fin ?expR_ge0.
  rewrite -leNgt mule1 => my; have ey : (e <= y - m)%R by rewrite ler_subr_addl -ler_subr_addr.
  rewrite /up ey -EFinM lee_fin /p /norm_mass mulrA; apply: ler_wpmul2r.
    by rewrite invr_ge0 fine_ge0// total_ge0// => x; exact: dlap_w0.
  rewrite /dlap_w b0 -expRD ler_expR -opprD ler_opp2 -mulrDl; apply: ler_wpmul2r; first by rewrite invr_ge0 ltW.
  have ye : (0 <= y - e)%R by exact: le_trans my.
  have yme : (0 <= y - m - e)%R by rewrite subr_ge0.
  by rewrite (ger0_norm ye) (ger0_norm yme) -rmorphD /= ler_int (_ : m + (y - m - e) = y - e)%R //; ring.
rewrite esum_scale ?expR_ge0//.
rewrite EFinM; apply: lee_wpmul2l; first by rewrite lee_fin expR_ge0.
apply: le_trans (upper_side e b0).
rewrite [leRHS](@reindex_esum _ _ _ [set: int] [set: int] (fun y => y - m)%R)//.
by rewrite setTT_bijective; exists (fun y => y + m)%R => y; rewrite ?subrK ?addrK.
Qed.
Theorem up_to_exact_tail_int (S : Type) (center : S -> int) (u : S -> int -> S) (Psi : assn R S) (b : R) (m : int) (Phi : assn R S) :
  (0 <= m)%R -> (0 < b)%R ->
  (forall s s' k, Phi s s' k -> exists supp phi (cost : int -> R),
     Rules.star (discrete_laplace (center s) b) (discrete_laplace (center s') b) supp phi cost /\
     forall y, supp y -> (y - center s < m)%R -> Psi (u s y) (u s' (phi y)) (k + cost y)%R) ->
  judge (expR (- (m%:~R / b)) / (1 + expR (- b^-1))) (Draw (fun s => discrete_laplace (center s) b) u) Phi Psi.
Proof.
move=> m0 b0 H; apply: (@Rules.up_to_bad _ _ _ _ _ _ _ _ (fun s y => y - center s < m)%R).
  by move=> s f f0 f1; exact: mlaw_splits.
move=> s s' k /H[supp [phi [cost [Hs HP]]]]; split; last by exists supp, phi, cost.
exact: exact_tail_mass_int.
Qed.

(* geometric noise of at least t *)
Lemma tail_mass_geometric (b t : R) : (0 < b)%R -> (0 <= t)%R ->
  geometric b (fun y => if (y%:~R < t)%R then 0 else 1) <= (expR (- (t / b)))%:E.
Proof.
move=> b0 t0; rewrite /= /mev; set p := norm_mass (geo_w b).
have p0 y : (0 <= p y)%R by apply: norm_mass_ge0 => x; exact: geo_w0.
pose m := ceil t; have tm : (t <= m%:~R)%R := ceil_ge t.
apply: (@le_trans _ _ (\esum_(y in [set: int]) ((expR (- (t / b)))%:E * (p (y - m)%R)%:E))).
  apply: le_esum => y _; case: ifPn => [_|]; first by rewrite mule0 mule_ge0 ?lee_fin ?expR_ge0.
  rewrite -leNgt mule1 ceil_ge_int -/m => my; rewrite -EFinM lee_fin /p /norm_mass mulrA; apply: ler_wpmul2r.
    by rewrite invr_ge0 fine_ge0// total_ge0// => x; exact: geo_w0.
  have m0 : (0 <= m)%R by rewrite -(ler_int R) (le_trans t0 tm).
  rewrite /geo_w b0 subr_ge0 my (le_trans m0 my) /= -expRD ler_expR -opprD ler_opp2 -mulrDl ler_pmul2r ?invr_gt0//.
  by rewrite rmorphB /= addrCA ger_addl subr_le0.
rewrite esum_scale ?expR_ge0//; last by move=> y; rewrite lee_fin.
rewrite -[leRHS]mule1; apply: lee_wpmul2l; first by rewrite lee_fin expR_ge0.
have -> : \esum_(y in [set: int]) (p (y - m)%R)%:E = total p by exact: (@total_shift R (fun y => p (y - m)%R) p m).
by apply: norm_mass_sub => x; exact: geo_w0.
Qed.
Theorem up_to_tail_geometric (S : Type) (u : S -> int -> S) (Psi : assn R S) (b t : R) (Phi : assn R S) :
  (0 <= t)%R -> (0 < b)%R ->
  (forall s s' k, Phi s s' k -> exists supp phi (cost : int -> R),
     Rules.star (@geometric R b) (geometric b) supp phi cost /\
     forall y, supp y -> (y%:~R < t)%R -> Psi (u s y) (u s' (phi y)) (k + cost y)%R) ->
  judge (expR (- (t / b))) (Draw (fun=> geometric b) u) Phi Psi.
Proof.
move=> t0 b0 H; apply: (@Rules.up_to_bad _ _ _ _ _ _ _ _ (fun _ y => y%:~R < t)%R).
  by move=> s f f0 f1; exact: mlaw_splits.
move=> s s' k /H[supp [phi [cost [Hs HP]]]]; split; last by exists supp, phi, cost.
exact: tail_mass_geometric.
Qed.

(* all of low, ..., high but l, ..., h *)
Lemma left_out_int (low high l h : int) : (low <= l)%R -> (l <= h + 1)%R -> (h <= high)%R -> (low <= high)%R ->
  uniform_int R low high (fun y => if (l <= y <= h)%R then 0 else 1) = ((l - low + (high - h))%:~R / (high - low + 1)%:~R)%:E.
Proof.
move=> ll lh hh range_ok; rewrite flawE ?uniform_int_fine// big_map /=.
set n : R := (high - low + 1)%:~R.
have -> : \sum_(y <- range low high) (n^-1)%:E * (if (l <= y <= h)%R then 0 else 1 : \bar R) =
    (\sum_(y <- range low high | ~~ (l <= y <= h)%R) n^-1)%R%:E.
  rewrite -sumEFin [RHS]big_mkcond; apply: eq_bigr => y _.
  by case: ifP => _ /=; rewrite ?mule0 ?mule1.
congr EFin; rewrite -big_filter sum_const size_filter -[(n^-1 *+ _)%R]mulr_natl; congr (_ * _)%R.
have kept : count (fun y => l <= y <= h)%R (range low high) = size (range l h).
  rewrite -size_filter; apply: perm_size; apply: uniq_perm; rewrite ?filter_uniq ?uniq_range// => y.
  rewrite mem_filter !mem_range//; last by rewrite (le_trans range_ok)// ler_addl.
  by case: (boolP (l <= y <= h)%R) => //= /andP[ly yh]; rewrite (le_trans ll ly) (le_trans yh hh).
have := count_predC (fun y => l <= y <= h)%R (range low high); rewrite kept !size_range => all_.
have z1 : (0 <= high - low + 1)%R by rewrite addr_ge0// subr_ge0.
have z2 : (0 <= h - l + 1)%R by rewrite addrAC subr_ge0.
rewrite -[RHS]/((_ : int)%:~R) pmulrn; congr (_%:~R); apply/eqP.
move: all_ => /eqP; rewrite -eqz_nat PoszD !gez0_abs// => /eqP all_.
rewrite (_ : (fun y => ~~ _) = predC (fun y => l <= y <= h)%R)//; rewrite -(inj_eq (addrI (h - l + 1)%R)) all_.
by apply/eqP; ring.
Qed.
Theorem up_to_tail_uniform_int (S : Type) (low high l h : S -> int) (u : S -> int -> S) (Psi : assn R S) (d : R) (Phi : assn R S) :
  (forall s s' k, Phi s s' k ->
     [/\ (low s <= l s)%R, (l s <= h s + 1)%R, (h s <= high s)%R, (low s <= high s)%R &
         ((l s - low s + (high s - h s))%:~R / (high s - low s + 1)%:~R <= d)%R] /\
     exists supp phi (cost : int -> R),
     Rules.star (uniform_int R (low s) (high s)) (uniform_int R (low s') (high s')) supp phi cost /\
     forall y, supp y -> (l s <= y <= h s)%R -> Psi (u s y) (u s' (phi y)) (k + cost y)%R) ->
  judge d (Draw (fun s => uniform_int R (low s) (high s)) u) Phi Psi.
Proof.
move=> H; apply: (@Rules.up_to_bad _ _ _ _ _ _ _ _ (fun s y => l s <= y <= h s)%R).
  by move=> s f f0 f1; exact: flaw_splits.
move=> s s' k /H[[ll lh hh ok small] [supp [phi [cost [Hs HP]]]]]; split; last by exists supp, phi, cost.
by rewrite left_out_int// lee_fin.
Qed.
End Integers.

(* ---- on the line ---- *)
Section Line.
Variable R : realType.
Notation T := (measurableTypeR R).
Notation star := Rules.star.
Let leb : {measure set T -> \bar R} := [the measure _ _ of @lebesgue_measure R].

(* exponential noise of at least t *)
Lemma tail_mass_exponential (b t : R) : (0 < b)%R -> (0 <= t)%R ->
  exponential b (fun y => if (y < t)%R then 0 else 1) <= (expR (- (t / b)))%:E.
Proof.
move=> b0 t0; rewrite /= /dev; set p := wp_ leb (exp_w b).
have p0 y : (0 <= p y)%R by apply: wp_ge0_ => x; exact: exp_w0.
have pe0 y : 0 <= (p y)%:E by rewrite lee_fin.
apply: (@le_trans _ _ (\int[leb]_y ((expR (- (t / b)))%:E * (p (y + (- t))%R)%:E))).
  apply: low_le => y; first by rewrite mule_ge0//; case: ifP => _; rewrite ?lee01.
  case: ifPn => [_|]; first by rewrite mule0 mule_ge0 ?lee_fin ?expR_ge0.
  rewrite mule1 -leNgt => ty; have y0 : (0 <= y)%R by exact: le_trans ty.
  have yt : (0 <= y - t)%R by rewrite subr_ge0.
  rewrite -EFinM lee_fin /p /wp_ mulrA; apply: ler_wpmul2r.
    by rewrite invr_ge0 fine_ge0// wtotal_ge0// => x; exact: exp_w0.
  rewrite /exp_w !indicE !mem_set// !mulr1 /lap_w b0 -expRD !subr0 !ger0_norm// ler_expR -opprD -mulrDl.
  by rewrite addrCA subrr addr0.
rewrite low_scale ?expR_ge0//.
rewrite (low_shift (- t)%R pe0) -[leRHS]mule1; apply: lee_wpmul2l; first by rewrite lee_fin expR_ge0.
by apply: wp_sub => x; exact: exp_w0.
Qed.
Theorem up_to_tail_exponential (S : Type) (u : S -> R -> S) (Psi : assn R S) (b t : R) (Phi : assn R S) :
  (0 <= t)%R -> (0 < b)%R ->
  (forall s s' k, Phi s s' k -> exists supp phi (cost : R -> R),
     star (exponential b) (exponential b) supp phi cost /\
     forall y, supp y -> (y < t)%R -> Psi (u s y) (u s' (phi y)) (k + cost y)%R) ->
  judge (expR (- (t / b))) (Draw (fun=> exponential b) u) Phi Psi.
Proof.
move=> t0 b0 H; apply: (@Rules.up_to_bad _ _ _ _ _ _ _ _ (fun _ y => y < t)%R).
  move=> s f f0 f1; apply: dlaw_splits => //.
  by rewrite (_ : mkset _ = [set y | t <= y]%R); [exact: mray_ge|apply/funext => y /=; rewrite -leNgt].
move=> s s' k /H[supp [phi [cost [Hs HP]]]]; split; last by exists supp, phi, cost.
exact: tail_mass_exponential.
Qed.

(* all of (0, 1] but what lies strictly between l and h *)
Lemma left_out (l h : R) : (0 <= l)%R -> (h <= 1)%R ->
  @uniform R (fun y => if (l < y < h)%R then 0 else 1) <= (l + (1 - h))%:E.
Proof.
move=> l0 h1; rewrite /= /dev; pose a (y : T) : \bar R := (1 * \1_(`[0%R, l]%classic : set T) y)%R%:E; pose b (y : T) : \bar R := (1 * \1_(`[h, 1%R]%classic : set T) y)%R%:E.
have a0 y : 0 <= a y by rewrite lee_fin mul1r.
have b0 y : 0 <= b y by rewrite lee_fin mul1r.
have m (x z : R) : measurable_fun setT (fun y : T => ((1 * \1_(`[x, z]%classic : set T) y)%R%:E : \bar R)).
  by apply/EFin_measurable_fun; apply: measurable_funrM; apply: mindic; exact: measurable_itv.
apply: (@le_trans _ _ (\int[leb]_y (a y + b y))); last first.
  rewrite ge0_integralD//; [|exact: m|exact: m].
  by rewrite !int_box// -EFinD !mul1r subr0.
apply: low_le => y.
  by rewrite mule_ge0//; [rewrite lee_fin; apply: wp_ge0_ => x; exact: uni_w0|case: ifP => _; rewrite ?lee01].
rewrite /wp_ uni_total divr1 /uni_w indicE; have [|_] := boolP (y \in _); last by rewrite mul0e adde_ge0.
rewrite inE /= in_itv /= => /andP[y0 y1]; rewrite mul1e; case: ifPn => [_|]; first exact: adde_ge0.
rewrite negb_and -!leNgt => /orP[yl|hy].
  by rewrite /a indicE mem_set ?mulr1 ?lee_addl//= in_itv /= yl ltW.
by rewrite addeC /b indicE mem_set ?mulr1 ?lee_addl//= in_itv /= hy y1.
Qed.
Theorem up_to_tail_uniform (S : Type) (l h : S -> R) (u : S -> R -> S) (Psi : assn R S) (d : R) (Phi : assn R S) :
  (forall s s' k, Phi s s' k -> [/\ (0 <= l s)%R, (h s <= 1)%R & (l s + (1 - h s) <= d)%R] /\
     exists supp phi (cost : R -> R), star (@uniform R) (@uniform R) supp phi cost /\
     forall y, supp y -> (l s < y < h s)%R -> Psi (u s y) (u s' (phi y)) (k + cost y)%R) ->
  judge d (Draw (fun=> @uniform R) u) Phi Psi.
Proof.
move=> H; apply: (@Rules.up_to_bad _ _ _ _ _ _ _ _ (fun s y => l s < y < h s)%R).
  move=> s f f0 f1; apply: dlaw_splits => //.
  rewrite (_ : mkset _ = ~` [set y | l s < y]%R `|` [set y | h s <= y]%R).
    by apply: measurableU; [apply: measurableC; exact: mray_gt|exact: mray_ge].
  apply/seteqP; split=> y /=; first by rewrite negb_and -[X in _ || X]leNgt => /orP[/negP|]; [left|right].
  by move=> [/negP n1|hy]; rewrite negb_and ?n1// -[X in _ || X]leNgt hy orbT.
move=> s s' k /H[[l0 h1 small] [supp [phi [cost [Hs HP]]]]]; split; last by exists supp, phi, cost.
by apply: (le_trans (left_out l0 h1)); rewrite lee_fin.
Qed.
End Line.
