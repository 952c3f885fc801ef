(* Normal noise in the concentrated measure: the law gaussian, normalised, and the rule GAUSS (gauss).

   zstar_density and zstar_mass carry the rules of laws with a density and with masses: y' = y at cost c, if the masses p and q of
   the runs have a function r of mass at most 1 with p (p/q)^a <= e^(a (1+a) c) r for a = alpha - 1, that is D_alpha <= alpha c. *)
From Probity Require Import PreludeIntegral Judgement Laws Sampling Density Continuous Privacy Concentrated.
From Probity Require Rules.
Local Open Scope classical_set_scope.
Local Open Scope ring_scope.
Local Open Scope ereal_scope.

Section Equal.
Variables (R : realType) (a c : R).
Hypothesis a0 : (0 < a)%R.

(* the tangent at t + h, with e^h about q/p *)
Definition moved (p q r : R) := exists h : R,
  (p * expR (- (a * c)) * expR h <= q)%R /\ (p * expR (- (a * c)) * expR (- (a * h)) <= r)%R.
Lemma spread (u A B : R) (F : \bar R) : (0 <= u)%R -> (0 <= A)%R -> (0 <= B)%R -> 0 <= F ->
  u%:E * (A%:E * F + B%:E) = (u * A)%:E * F + (u * B)%:E.
Proof. by move=> u0 A0 B0 F0; rewrite ge0_muleDr ?mule_ge0 ?lee_fin// muleA -!EFinM. Qed.
Lemma moved_point (p q r k t : R) (f F : \bar R) : (0 <= p)%R -> moved p q r -> 0 <= F -> below a (k + c) f F ->
  p%:E * f <= (expR (- (a * k)))%:E *
    ((a / (1 + a) * expR t)%:E * (q%:E * F) + ((1 + a)^-1 * expR (- (a * t)) * r)%:E).
Proof.
move=> p0 [h [hq hr]] F0 H.
have sl := slope_ge0 a0; have re := rest_ge0 a0; have e0 x : (0 <= expR x :> R)%R := expR_ge0 x.
have q0 : (0 <= q)%R by apply: le_trans hq; rewrite !mulr_ge0.
have r0 : (0 <= r)%R by apply: le_trans hr; rewrite !mulr_ge0.
apply: (@le_trans _ _ (p%:E * ((expR (- (a * (k + c))))%:E * tangent a (t + h) F))).
  by apply: lee_wpmul2l; [rewrite lee_fin|exact: H].
rewrite /tangent muleA -EFinM [in leRHS]muleA -EFinM.
have i0 : (0 <= (1 + a)^-1)%R by rewrite invr_ge0 ltW// a1_gt0.
have a0w := ltW a0; rewrite !spread ?mulr_ge0//.
have eE : expR (- (a * (k + c))) = (expR (- (a * k)) * expR (- (a * c)))%R by rewrite -expRD; congr expR; ring.
have eq_le_ (u v : R) : u = v -> (u <= v)%R by move=> ->.
apply: lee_add.
  apply: lee_wpmul2r => //; rewrite lee_fin eE expRD.
  have c0 : (0 <= expR (- (a * k)) * (a / (1 + a) * expR t))%R by rewrite mulr_ge0.
  by apply: (le_trans (le_trans _ (ler_wpmul2l c0 hq)) _); apply: eq_le_; ring.
have rE : expR (- (a * (t + h))) = (expR (- (a * t)) * expR (- (a * h)))%R by rewrite -expRD; congr expR; ring.
rewrite lee_fin eE rE; have c0 : (0 <= expR (- (a * k)) * ((1 + a)^-1 * expR (- (a * t))))%R by rewrite mulr_ge0.
by apply: (le_trans (le_trans _ (ler_wpmul2l c0 hr)) _); apply: eq_le_; ring.
Qed.

Lemma zstar_density d (T : measurableType d) (mu : {measure set T -> \bar R}) (p q r : T -> R) p0 mp p1 q0 mq q1 :
  (forall y, 0 <= r y)%R -> measurable_fun setT r -> \int[mu]_y (r y)%:E <= 1 -> (forall y, moved (p y) (q y) (r y)) ->
  zstar a (@dlaw _ T R mu p p0 mp p1) (@dlaw _ T R mu q q0 mq q1) (fun=> True) c.
Proof.
move=> r0 mr r1 mv f F k f0 F0 H t; rewrite /= /dev.
have sl := slope_ge0 a0 t; have re := rest_ge0 a0 t; have e0 : (0 <= expR (- (a * k)) :> R)%R := expR_ge0 _.
rewrite /tangent; set A := (a / (1 + a) * expR t)%R in sl *; set B := ((1 + a)^-1 * expR (- (a * t)))%R in re *.
have qF y : 0 <= (q y)%:E * F y by rewrite mule_ge0 ?lee_fin.
have AqF y : 0 <= A%:E * ((q y)%:E * F y) by rewrite mule_ge0 ?lee_fin.
apply: (@le_trans _ _ (\int[mu]_y ((expR (- (a * k)))%:E * (A%:E * ((q y)%:E * F y) + (B * r y)%:E)))).
  apply: low_le => y; first by rewrite mule_ge0 ?lee_fin.
  by apply: moved_point => //; exact: H.
rewrite low_scale//; last by move=> y; rewrite adde_ge0// lee_fin mulr_ge0.
apply: lee_wpmul2l; first by rewrite lee_fin.
apply: (le_trans (low_add mu AqF _ _)); [by move=> y; rewrite mulr_ge0|exact: measurable_funrM|].
rewrite low_scale//; apply: lee_add => //.
rewrite (eq_integral (fun y => B%:E * (r y)%:E)); last by move=> y _; rewrite EFinM.
rewrite low_scale//.
by rewrite -[leRHS]mule1; apply: lee_wpmul2l.
Qed.

Lemma zstar_mass (A : choiceType) (p q r : A -> R) p0 p1 q0 q1 :
  (forall y, 0 <= r y)%R -> \esum_(y in [set: A]) (r y)%:E <= 1 -> (forall y, moved (p y) (q y) (r y)) ->
  zstar a (@mlaw R A p p0 p1) (@mlaw R A q q0 q1) (fun=> True) c.
Proof.
move=> r0 r1 mv f F k f0 F0 H t; rewrite /= /mev.
have sl := slope_ge0 a0 t; have re := rest_ge0 a0 t; have e0 : (0 <= expR (- (a * k)) :> R)%R := expR_ge0 _.
rewrite /tangent; set U := (a / (1 + a) * expR t)%R in sl *; set V := ((1 + a)^-1 * expR (- (a * t)))%R in re *.
have qF y : 0 <= (q y)%:E * F y by rewrite mule_ge0 ?lee_fin.
have UqF y : 0 <= U%:E * ((q y)%:E * F y) by rewrite mule_ge0 ?lee_fin.
have Vr y : 0 <= V%:E * (r y)%:E by rewrite mule_ge0 ?lee_fin.
apply: (@le_trans _ _ (\esum_(y in [set: A]) ((expR (- (a * k)))%:E * (U%:E * ((q y)%:E * F y) + V%:E * (r y)%:E)))).
  by apply: le_esum => y _; rewrite -[V%:E * _]EFinM; apply: moved_point => //; exact: H.
rewrite esum_scale//; last by move=> y; rewrite adde_ge0.
apply: lee_wpmul2l; first by rewrite lee_fin.
rewrite esumD// esum_scale//; apply: lee_add => //.
rewrite esum_scale//.
by rewrite -[leRHS]mule1; apply: lee_wpmul2l.
Qed.
End Equal.

Section Gaussian.
Variable R : realType.
Notation T := (measurableTypeR R).
Let leb : {measure set T -> \bar R} := [the measure _ _ of @lebesgue_measure R].

Definition gauss_w (e s : R) (y : T) : R := if (0 < s)%R then expR (- (((y : R) - e) ^+ 2 / (s ^+ 2 *+ 2)))%R else 0%R.
Lemma gauss_w0 e s y : (0 <= gauss_w e s y)%R.
Proof. by rewrite /gauss_w; case: ifP => // _; exact: expR_ge0. Qed.
Lemma gauss_w_meas e s : measurable_fun setT (gauss_w e s).
Proof.
rewrite /gauss_w; case: (0 < s)%R; last exact: measurable_fun_cst.
have mexp : measurable_fun setT (@expR R : T -> T).
  by apply: continuous_measurable_fun; exact: continuous_expR.
apply: (measurable_fun_comp mexp).
rewrite (_ : (fun y => _) = (fun y => (- (s ^+ 2 *+ 2)^-1) * ((y - e) * (y - e)))%R); last first.
  by apply/funext => y; rewrite mulNr mulrC expr2.
by apply: measurable_funrM; apply: measurable_funM; exact: mshift.
Qed.
Definition gaussian (e s : R) : law R T := wdlaw leb (gauss_w0 e s) (gauss_w_meas e s).

Lemma gauss_total e s : wtotal leb (gauss_w e s) = wtotal leb (gauss_w 0 s).
Proof.
rewrite /wtotal -(@low_shift R (- e)%R (fun y => (gauss_w 0 s y)%:E)).
  by apply: eq_integral => y _; rewrite /gauss_w subr0.
by move=> y; rewrite lee_fin gauss_w0.
Qed.
Lemma two_squares (s : R) : (0 < s)%R -> (0 < s ^+ 2 *+ 2)%R.
Proof. by move=> s0; rewrite pmulrn_lgt0// exprn_gt0. Qed.
Lemma gauss_le_lap s y : (gauss_w 0 s y <= expR 2^-1 * lap_w 0 s y)%R.
Proof.
rewrite /gauss_w /lap_w; case: ifP => [s0|_]; last by rewrite mulr0.
rewrite -expRD ler_expR !subr0 -subr_ge0.
have H (z : R) : (2^-1 - z / s - - (z ^+ 2 / (s ^+ 2 *+ 2)) = (1 - z / s) ^+ 2 / 2)%R by field; rewrite gt_eqF.
by rewrite -(@real_normK R (y : R)) ?num_real// H divr_ge0// sqr_ge0.
Qed.
Lemma gauss_finite e s : (0 < s)%R -> wtotal leb (gauss_w e s) < +oo.
Proof.
move=> s0; rewrite gauss_total; apply: (@le_lt_trans _ _ ((expR 2^-1)%:E * wtotal leb (lap_w 0 s))).
  rewrite /wtotal -low_scale ?expR_ge0//; last by move=> y; rewrite lee_fin lap_w0.
  apply: low_le => y; first by rewrite lee_fin gauss_w0.
  by rewrite -EFinM lee_fin; exact: gauss_le_lap.
have := lap_finite 0 s0; have := lap_positive 0 s0; case: (wtotal leb (lap_w 0 s)) => [z| |]// _ _.
by rewrite -EFinM ltry.
Qed.
Lemma gauss_positive e s : (0 < s)%R -> 0 < wtotal leb (gauss_w e s).
Proof.
move=> s0; rewrite gauss_total; have s2 := two_squares s0.
apply: (@lt_le_trans _ _ (expR (- (s ^+ 2 *+ 2)^-1) * (1 - 0))%:E); first by rewrite lte_fin subr0 mulr1 expR_gt0.
rewrite -int_box ?expR_ge0 ?ler01//; apply: low_le => y; first by rewrite lee_fin mulr_ge0// expR_ge0.
rewrite lee_fin indicE; have [|_] := boolP (y \in _); last by rewrite mulr0 gauss_w0.
rewrite inE /= in_itv /= => /andP[y0 y1]; rewrite mulr1 /gauss_w s0 subr0 ler_expR ler_opp2.
rewrite ler_pdivr_mulr// mulVf ?gt_eqF//; exact: exprn_ile1.
Qed.
Theorem total_gaussian e s : (0 < s)%R -> gaussian e s (fun=> 1) = 1.
Proof. by move=> s0; apply: wdlaw_total; [exact: gauss_positive|exact: gauss_finite]. Qed.

(* s = s' > 0, |e - e'| <= d, d^2 <= 2 c s^2 *)
Definition near_centers (S : Type) (center scale_of : S -> R) (d c : S -> S -> R -> R) s s' (j : R) :=
  [/\ 0 < scale_of s, scale_of s = scale_of s', `|center s - center s'| <= d s s' j &
      d s s' j * d s s' j <= 2%:R * c s s' j * (scale_of s * scale_of s)]%R.

(* the square completed: the exponents of p (p/q)^a and of a normal weight around (1 + a) e - a e' *)
Lemma gauss_moved (a c s d e e' y Z : R) : (0 < a)%R -> (0 < s)%R -> (0 <= Z)%R -> (`|e - e'| <= d)%R -> (d * d <= 2%:R * c * (s * s))%R ->
  moved a c (expR (- ((y - e) ^+ 2 / (s ^+ 2 *+ 2))) / Z) (expR (- ((y - e') ^+ 2 / (s ^+ 2 *+ 2))) / Z)
    (expR (- ((y - ((1 + a) * e - a * e')) ^+ 2 / (s ^+ 2 *+ 2))) / Z).
Proof.
move=> a0 s0 Z0 near bound; have s2 := two_squares s0; set D := (s ^+ 2 *+ 2)%R in s2 *.
have Zi : (0 <= Z^-1)%R by rewrite invr_ge0.
exists (a * c + ((y - e) ^+ 2 - (y - e') ^+ 2) / D)%R; split.
  rewrite -mulrA -expRD mulrAC -expRD; apply: ler_wpmul2r => //; rewrite ler_expR le_eqVlt; apply/orP; left; apply/eqP.
  by rewrite mulrBl; ring.
rewrite -mulrA -expRD mulrAC -expRD; apply: ler_wpmul2r => //; rewrite ler_expR -(ler_pmul2r s2).
have sq : ((e - e') ^+ 2 <= c * D)%R.
  apply: (@le_trans _ _ (d * d)%R).
    rewrite -real_normK ?num_real// expr2; apply: ler_pmul => //.
  by apply: (le_trans bound); rewrite le_eqVlt; apply/orP; left; apply/eqP; rewrite /D; ring.
rewrite -subr_ge0 [X in (0 <= X)%R](_ : _ = (a * (1 + a) * (c * D - (e - e') ^+ 2))%R); last first.
  field; rewrite gt_eqF//.
by rewrite mulr_ge0 ?subr_ge0// mulr_ge0 ?(ltW a0)// (ltW (a1_gt0 a0)).
Qed.

(* GAUSS *)
Theorem gauss (S : Type) (center scale_of : S -> R) (u : S -> R -> S) (d c : S -> S -> R -> R) (Psi : assn R S) :
  zjudge (Draw (fun s => gaussian (center s) (scale_of s)) u)
    (fun s s' j => near_centers center scale_of d c s s' j /\ forall y, Psi (u s y) (u s' y) (j + c s s' j)%R) Psi.
Proof.
apply: z_sample => m m' j [[s0 ss near bound] HP]; exists (fun=> True), (c m m' j); split=> [a a0|y _]; last exact: HP.
rewrite -ss; set mid := ((1 + a) * center m - a * center m')%R.
apply: (@zstar_density R a _ a0 _ _ leb _ _ (wp_ leb (gauss_w mid (scale_of m)))).
- by move=> y; apply: wp_ge0_ => x; exact: gauss_w0.
- by apply: wp_meas; exact: gauss_w_meas.
- by apply: wp_sub => x; exact: gauss_w0.
move=> y; rewrite /wp_ (gauss_total (center m)) (gauss_total (center m')) (gauss_total mid).
have : (0 <= fine (wtotal leb (gauss_w 0 (scale_of m))))%R by apply: fine_ge0; apply: wtotal_ge0 => x; exact: gauss_w0.
move: (fine _) => Z Z0; rewrite /gauss_w s0; exact: (@gauss_moved a (c m m' j) _ (d m m' j)).
Qed.
End Gaussian.
