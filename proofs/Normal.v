(* Two normal laws, exactly: what is left of Pr[out in E] - e^eps Pr[out' in E] is at most profile mu eps = Phi(mu/2 - eps/mu) - e^eps Phi(-mu/2 - eps/mu), for every eps and for all tests
   (normal_profile), if the centers are at most mu deviations apart: the event in which it is largest is a half-line, by the ratio of the densities.

   mu-GDP is here its dual: the (eps, delta)-guarantees of two normal laws with centers mu deviations apart, for all eps (normal_delta, gdp).  GDP-NORMAL is then one of them (gdp_normal), and one normal draw
   with anything after it that reads no more of the input has it (gdp_draw).  Several draws: Mu.v. *)
From Probity Require Import PreludeIntegral Judgement Laws Density Continuous Gaussian Privacy Centered.
Local Open Scope classical_set_scope.
Local Open Scope ring_scope.
Local Open Scope ereal_scope.

Section Normal.
Variable R : realType.
Notation T := (measurableTypeR R).
Let leb : {measure set T -> \bar R} := [the measure _ _ of @lebesgue_measure R].
Implicit Types (mu eps x : R).

Definition below_at x (y : T) : \bar R := if (y <= x)%R then 1 else 0.
Lemma below_ge0 x y : 0 <= below_at x y. Proof. by rewrite /below_at; case: ifP => _; rewrite ?lee01. Qed.
Lemma below_le1 x y : below_at x y <= 1. Proof. by rewrite /below_at; case: ifP => _; rewrite ?lee01. Qed.
Lemma law_le1 (A : Type) (D : law R A) f : (forall y, 0 <= f y) -> (forall y, f y <= 1) -> D f <= 1.
Proof.
move=> f0 f1; apply: (@le_trans _ _ (D (fun=> 0 + 1%:E))); first by apply: ev_le => // y; rewrite add0e.
by have := @ev_addc _ _ D 1%R (fun=> 0) ler01 (fun=> lexx _); rewrite Judgement.ev0 add0e.
Qed.
Lemma law_fin (A : Type) (D : law R A) f : (forall y, 0 <= f y) -> (forall y, f y <= 1) -> D f \is a fin_num.
Proof. by move=> f0 f1; rewrite ge0_fin_numE ?ev_ge0//; apply: (le_lt_trans (law_le1 D f0 f1)); exact: ltry. Qed.

Definition normal x : R := fine (gaussian 0 1 (below_at x)).
Lemma normalE x : gaussian 0 1 (below_at x) = (normal x)%:E.
Proof. by rewrite /normal fineK//; apply: law_fin => y; [exact: below_ge0|exact: below_le1]. Qed.
Lemma normal_moved mu x : gaussian (- mu) 1 (below_at x) = (normal (x + mu))%:E.
Proof.
have := affine_gaussian 0 1 (- mu)%R (oner_neq0 R) (below_ge0 x); rewrite mulr0 addr0 normr1 mulr1 => <-.
rewrite -normalE; congr (ev _ _); apply/funext => z; rewrite /below_at mul1r.
by rewrite [(- mu + z)%R]addrC ler_subl_addr.
Qed.
Lemma normal_le x y : (x <= y)%R -> (normal x <= normal y)%R.
Proof.
move=> xy; rewrite -lee_fin -!normalE; apply: ev_le => z; first exact: below_ge0.
rewrite /below_at; case: ifP => [zx|_]; first by rewrite (le_trans zx xy).
by case: ifP => _; rewrite ?lee01.
Qed.
Definition profile mu eps : R := (normal (mu / 2 - eps / mu) - expR eps * normal (- (mu / 2) - eps / mu))%R.

Lemma normal_core mu eps (f : T -> \bar R) : (0 < mu)%R -> (forall y, 0 <= f y) -> (forall y, f y <= 1) ->
  gaussian (- mu) 1 f <= (expR eps)%:E * gaussian 0 1 f + (profile mu eps)%:E.
Proof.
move=> mu0 f0 f1; pose z := (- (mu / 2) - eps / mu)%R; pose e := expR eps; have e0 : (0 <= e)%R := expR_ge0 _.
pose p := wp_ leb (gauss_w (- mu) 1); pose q := wp_ leb (gauss_w 0 1).
have p0 y : (0 <= p y)%R by apply: wp_ge0_ => x; exact: gauss_w0.
have q0 y : (0 <= q y)%R by apply: wp_ge0_ => x; exact: gauss_w0.
have mp : measurable_fun setT p by apply: wp_meas; exact: gauss_w_meas.
have mq : measurable_fun setT q by apply: wp_meas; exact: gauss_w_meas.
pose Z := fine (wtotal leb (gauss_w 0 1)).
have Zi : (0 <= Z^-1)%R by rewrite invr_ge0; apply: fine_ge0; apply: wtotal_ge0 => x; exact: gauss_w0.
have pE y : (p y = expR (- ((y + mu) ^+ 2 / 2)) / Z)%R.
  by rewrite /p /wp_ (gauss_total (- mu)) -/Z /gauss_w ltr01 opprK expr1n.
have qE y : (q y = expR (- (y ^+ 2 / 2)) / Z)%R by rewrite /q /wp_ -/Z /gauss_w ltr01 subr0 expr1n.
have ratio y : ((y <= z) = (eps - y ^+ 2 / 2 <= - ((y + mu) ^+ 2 / 2)))%R.
  rewrite -subr_ge0 -[RHS]subr_ge0 -(pmulr_rge0 _ mu0); congr (0 <= _)%R.
  by rewrite /z; field; rewrite gt_eqF.
have up y : (y <= z)%R -> (e * q y <= p y)%R.
  by rewrite ratio pE qE mulrA -expRD => h; apply: ler_wpmul2r => //; rewrite ler_expR.
have down y : ~~ (y <= z)%R -> (p y <= e * q y)%R.
  by rewrite ratio -ltNge pE qE mulrA -expRD => h; apply: ler_wpmul2r => //; rewrite ler_expR ltW.
pose A := [set y | y <= z]%R : set T.
have mA : measurable A.
  rewrite (_ : A = ~` [set y | z < y]%R); first by apply: measurableC; exact: mray_gt.
  by apply/seteqP; split=> y; rewrite /A /=; [move=> h; apply/negP; rewrite -leNgt|move=> /negP; rewrite -leNgt].
have AE y : (\1_A y = if (y <= z)%R then 1 else 0 :> R)%R.
  by rewrite indicE; case: ifPn => h; [rewrite mem_set|rewrite memNset//; exact/negP].
pose r y := (\1_A y * (p y - e * q y))%R; pose qA y := (\1_A y * (e * q y))%R.
have r0 y : (0 <= r y)%R by rewrite /r AE; case: ifP => [/up h|_]; rewrite ?mul0r// mul1r subr_ge0.
have qA0 y : (0 <= qA y)%R by rewrite /qA AE; apply: mulr_ge0; [case: ifP|exact: mulr_ge0].
have mr : measurable_fun setT r.
  apply: measurable_funM; first exact: mindic.
  by apply: measurable_funB => //; exact: measurable_funrM.
have mqA : measurable_fun setT qA by apply: measurable_funM; [exact: mindic|exact: measurable_funrM].
have mass : \int[leb]_y (r y)%:E = (profile mu eps)%:E.
  have E : \int[leb]_y (r y)%:E + \int[leb]_y (qA y)%:E = gaussian (- mu) 1 (below_at z).
    rewrite -ge0_integralD//; last first.
    - exact/EFin_measurable_fun.
    - by move=> y _; rewrite lee_fin.
    - exact/EFin_measurable_fun.
    - by move=> y _; rewrite lee_fin.
    rewrite /= /dev; apply: eq_integral => y _; rewrite -EFinD /r /qA /below_at AE -/p.
    by case: ifP => _; rewrite ?mule1 ?mule0 ?mul0r ?addr0// !mul1r subrK.
  have Q : \int[leb]_y (qA y)%:E = (e * normal z)%:E.
    rewrite EFinM -normalE /= /dev -low_scale//; last by move=> y; apply: mule_ge0; [rewrite lee_fin|exact: below_ge0].
    apply: eq_integral => y _; rewrite /qA /below_at AE -/q.
    by case: ifP => _; rewrite ?mule1 ?mule0 ?mul0r// mul1r.
  rewrite Q normal_moved (_ : z + mu = mu / 2 - eps / mu)%R in E; last by rewrite /z; field; rewrite gt_eqF.
  by rewrite /profile EFinB -E addeK.
rewrite -mass /= /dev -/p -/q -low_scale//; last by move=> y; apply: mule_ge0; rewrite ?lee_fin.
have g0 y : 0 <= e%:E * ((q y)%:E * f y) by rewrite mule_ge0 ?mule_ge0 ?lee_fin.
apply: (le_trans _ (low_add leb g0 r0 mr)); apply: low_le => y; first by rewrite mule_ge0 ?lee_fin.
have ff : f y \is a fin_num by rewrite ge0_fin_numE//; apply: (le_lt_trans (f1 y)); exact: ltry.
have v0 : (0 <= fine (f y))%R by exact: fine_ge0.
have v1 : (fine (f y) <= 1)%R by rewrite -lee_fin fineK.
rewrite -(fineK ff) -!EFinM -EFinD lee_fin mulrA -ler_subl_addl -mulrBl.
rewrite /r AE; case: ifPn => [/up h|/down h].
  by rewrite mul1r -[leRHS]mulr1; apply: ler_wpmul2l => //; rewrite subr_ge0.
by rewrite mul0r mulr_le0_ge0// subr_le0.
Qed.
Lemma profile_le mu mu' eps : (0 < mu)%R -> (mu <= mu')%R -> (profile mu eps <= profile mu' eps)%R.
Proof.
move=> mu0 mm; have mu0' := lt_le_trans mu0 mm; pose z := (- (mu / 2) - eps / mu)%R.
have := normal_core eps mu0' (below_ge0 z) (below_le1 z); rewrite normal_moved normalE -EFinM -EFinD lee_fin => h.
rewrite {1}/profile ler_subl_addl; apply: le_trans h; apply: normal_le.
rewrite (_ : mu / 2 - eps / mu = z + mu)%R ?ler_add2l//.
by rewrite /z; field; rewrite gt_eqF.
Qed.

Theorem normal_profile (e e' s mu eps : R) (f : T -> \bar R) : (0 < s)%R -> (0 < mu)%R -> (`|e - e'| <= mu * s)%R ->
  (forall y, 0 <= f y) -> (forall y, f y <= 1) ->
  gaussian e s f <= (expR eps)%:E * gaussian e' s f + (profile mu eps)%:E.
Proof.
move=> s0 mu0 near f0 f1; have [<-|ee] := eqVneq e e'.
  have fin := law_fin (gaussian e s) f0 f1; have := law_le1 (gaussian e s) f0 f1; have := ev_ge0 (gaussian e s) f0.
  move: fin; set X := ev (gaussian e s) f => fin; rewrite -(fineK fin) -EFinM -EFinD !lee_fin; move: (fine X) => x x0 x1.
  have c0 := @normal_core mu eps (fun=> 0) mu0 (fun=> lexx 0) (fun=> lee01); rewrite !Judgement.ev0 mule0 add0e lee_fin in c0.
  have c1 := @normal_core mu eps (fun=> 1) mu0 (fun=> lee01) (fun=> lexx 1); rewrite !total_gaussian// mule1 -EFinD lee_fin in c1.
  have [big|small] := leP 1%R (expR eps).
    apply: (@le_trans _ _ (expR eps * x)%R); last by rewrite ler_addl.
    by rewrite -[leLHS]mul1r; apply: ler_wpmul2r.
  rewrite -ler_subl_addl; apply: (@le_trans _ _ (1 - expR eps)%R); last by rewrite ler_subl_addl.
  rewrite -{1}[x]mul1r -mulrBl -[leRHS]mulr1; apply: ler_wpmul2l => //.
  by rewrite subr_ge0 ltW.
have d0 : (0 < `|e - e'|)%R by rewrite normr_gt0 subr_eq0.
pose d := (`|e - e'| / s)%R; have dp0 : (0 < d)%R by rewrite divr_gt0.
pose k := ((e' - e) / d)%R; have kn : (k != 0)%R by apply: mulf_neq0; [rewrite subr_eq0 eq_sym|rewrite invr_eq0 gt_eqF].
have kd : (k * d = e' - e)%R by rewrite divfK// gt_eqF.
have ks : (`|k| = s)%R.
  rewrite /k normrM normfV (gtr0_norm dp0) distrC /d invf_div mulrCA divff ?mulr1// gt_eqF//.
have g0 y : 0 <= f (e' + k * y)%R by [].
have g1 y : f (e' + k * y)%R <= 1 by [].
have := normal_core eps dp0 g0 g1; rewrite !affine_gaussian// ks mulr1 mulr0 addr0 mulrN kd opprB addrC subrK => h.
by apply: (le_trans h); apply: lee_add => //; rewrite lee_fin; apply: profile_le => //; rewrite ler_pdivr_mulr.
Qed.

(* nothing is nearer than one law *)
Lemma profile_near mu eps : (0 < mu)%R -> (Num.max 0 (1 - expR eps) <= profile mu eps)%R.
Proof.
move=> mu0; rewrite le_maxl.
have := @normal_core mu eps (fun=> 0) mu0 (fun=> lexx 0) (fun=> lee01); rewrite !Judgement.ev0 mule0 add0e lee_fin => ->.
have := @normal_core mu eps (fun=> 1) mu0 (fun=> lee01) (fun=> lexx 1); rewrite !total_gaussian// mule1 -EFinD lee_fin.
by rewrite ler_subl_addl.
Qed.

(* ---- claims in mu ---- *)
(* delta(eps) of two normal laws with centers mu deviations apart; with mu = 0 of one law *)
Definition normal_delta mu eps : R := if (0 < mu)%R then profile mu eps else Num.max 0%R (1 - expR eps)%R.
Lemma normal_delta_le mu mu' eps : (mu <= mu')%R -> (normal_delta mu eps <= normal_delta mu' eps)%R.
Proof.
rewrite /normal_delta => mm; case: ifPn => [mu0|_]; first by rewrite (lt_le_trans mu0 mm); exact: profile_le.
by case: ifP => // mu0; exact: profile_near.
Qed.
Section Claims.
Variables (S O : Type) (out : S -> O).
Definition gdp (c : stmt R S) mu (m m' : S) := forall eps, dp out c eps (normal_delta mu eps) m m'.
(* GDP-NORMAL *)
Theorem gdp_normal c mu eps delta m m' : gdp c mu m m' -> (normal_delta mu eps <= delta)%R -> dp out c eps delta m m'.
Proof. by move=> H d; apply: (any_delta d); exact: H. Qed.
Theorem gdp_wider c mu mu' m m' : (mu <= mu')%R -> gdp c mu m m' -> gdp c mu' m m'.
Proof. by move=> mm H eps; exact: (any_delta (normal_delta_le eps mm) (H eps)). Qed.
(* one normal draw, and after it the input is not read *)
Theorem gdp_draw (center scale : S -> R) (u : S -> R -> S) d mu m m' :
  (0 < scale m)%R -> scale m = scale m' -> (0 < mu)%R -> (`|center m - center m'| <= mu * scale m)%R ->
  (forall (E : O -> Prop) y, wp d (ind R (fun s => E (out s))) (u m y) = wp d (ind R (fun s => E (out s))) (u m' y)) ->
  gdp (Seq (Draw (fun s => gaussian (center s) (scale s)) u) d) mu m m'.
Proof.
move=> s0 ss mu0 near rest eps E /=; rewrite -ss /normal_delta mu0.
have -> : (fun y => wp d (ind R (fun s => E (out s))) (u m' y)) = fun y => wp d (ind R (fun s => E (out s))) (u m y).
  by apply/funext => y; rewrite rest.
apply: normal_profile => // y; first by apply: wp_ge0; exact: ind_ge0.
by apply: wp_le1; [exact: ind_ge0|exact: ind_le1].
Qed.
End Claims.
End Normal.
