(* The sum of two independent normal draws is normal (normal_sum), by the square completed and Tonelli's theorem, and what several normal draws tell together.

   gap v t is the mean of what is left of 1 beyond e^t times the likelihood ratio of two normal laws whose centers are sqrt(v) deviations apart.  With one draw more it is the gap of the sum
   (gap_draw), since the logarithm of the ratio is then a sum of two normal draws.  So a draw turns tests that are comparable with v into such that are with v + d^2/s^2 (mu_gauss), which is how
   mu^2 adds up.  Not here: that gap mu^2 is the profile of Normal.v, and a judgement of programs by it. *)
From Probity Require Import PreludeIntegral Judgement Laws Density Continuous Gaussian Plane Centered Normal.
Local Open Scope classical_set_scope.
Local Open Scope ring_scope.
Local Open Scope ereal_scope.

Section NormalSum.
Variable R : realType.
Notation T := (measurableTypeR R).
Let leb : {measure set T -> \bar R} := [the measure _ _ of @lebesgue_measure R].
Let Z := fine (wtotal leb (gauss_w 0 1)).
Let Z0 : (0 < Z)%R.
Proof. by rewrite fine_gt0// gauss_positive// gauss_finite. Qed.
Definition density (e s : R) (y : R) : R := wp_ leb (gauss_w e s) y.

Lemma square_scaled (s x : R) : (0 < s)%R -> ((x - 0) ^+ 2 / (1 ^+ 2 *+ 2) = (s * x - 0) ^+ 2 / (s ^+ 2 *+ 2))%R.
Proof. by move=> s0; rewrite !subr0; field; rewrite gt_eqF. Qed.
Lemma densityE (e s : R) y : (0 < s)%R -> density e s y = (expR (- ((y - e) ^+ 2 / (s ^+ 2 *+ 2))) / (s * Z))%R.
Proof.
move=> s0; rewrite /density /wp_ gauss_total {1}/gauss_w s0; congr (_ / _)%R.
have : wtotal leb (gauss_w 0 1) = s^-1%:E * wtotal leb (gauss_w 0 s).
  rewrite /wtotal -(low_dilate s0 (fun y => _ : 0 <= (gauss_w 0 s y)%:E)) => [|x]; last by rewrite lee_fin gauss_w0.
  apply: eq_integral => x _; rewrite /gauss_w s0 ltr01; congr (expR (- _))%:E.
  exact: square_scaled.
rewrite /Z => ->; have := gauss_finite 0 s0; have := gauss_positive 0 s0; case: (wtotal leb (gauss_w 0 s)) => [z| |]//= _ _.
by rewrite mulrA mulfV ?mul1r// gt_eqF.
Qed.
(* another density *)
Lemma reweighted (e s e' s' c : R) (w : R -> R) (f : T -> \bar R) : (forall y, density e s y * w y = c * density e' s' y)%R -> (0 <= c)%R ->
  (forall y, 0 <= f y) -> gaussian e s (fun y => (w y)%:E * f y) = c%:E * gaussian e' s' f.
Proof.
move=> ww c0 f0; transitivity (\int[leb]_y (c%:E * ((density e' s' y)%:E * f y))).
  apply: eq_integral => y _; rewrite [LHS]muleA [RHS]muleA -[in LHS]EFinM -[in RHS]EFinM; congr (_%:E * _); exact: ww.
by apply: low_scale => // y; rewrite mule_ge0// lee_fin; apply: wp_ge0_ => x; exact: gauss_w0.
Qed.
Lemma constant (e s x : R) : (0 < s)%R -> (0 <= x)%R -> gaussian e s (fun=> x%:E) = x%:E.
Proof.
move=> s0 x0; have := @ev_scale _ _ (gaussian e s) x (fun=> 1) x0 (fun=> lee01); rewrite total_gaussian// mule1 => E.
exact: E.
Qed.
(* the density of d z + r w, given z, beside that of the sum; and that of z, given the sum *)
Section Sum.
Variables (d r : R).
Hypothesis r0 : (0 < r)%R.
Let n2 := (d ^+ 2 + r ^+ 2)%R.
Let n := Num.sqrt n2.
Let n2p : (0 < n2)%R. Proof. by rewrite ltr_paddl ?sqr_ge0// exprn_gt0. Qed.
Let n0 : (0 < n)%R. Proof. by rewrite sqrtr_gt0. Qed.
Let nn : (n ^+ 2 = n2)%R. Proof. by rewrite sqr_sqrtr// ltW. Qed.
Definition tilt (z u : R) : R := (n / r * expR (u ^+ 2 / (n2 *+ 2) - (u - d * z) ^+ 2 / (r ^+ 2 *+ 2)))%R.
Lemma tilt_ge0 z u : (0 <= tilt z u)%R.
Proof. by rewrite mulr_ge0 ?expR_ge0// divr_ge0// ltW. Qed.
Lemma tilt_sum z u : (density 0 n u * tilt z u = 1 * density (d * z) r u)%R.
Proof.
rewrite !densityE// mul1r subr0 nn /tilt.
rewrite expRB !expRN; have pa := expR_gt0 (u ^+ 2 / (n2 *+ 2)); have pb := expR_gt0 ((u - d * z) ^+ 2 / (r ^+ 2 *+ 2)).
move: (expR _) (expR _) pa pb => A B A0 B0; move: n Z n0 Z0 => n' Z' n0' Z0'; field.
by rewrite !gt_eqF.
Qed.
Lemma square_completed z u : (- (z ^+ 2 / 2) + (u ^+ 2 / (n2 *+ 2) - (u - d * z) ^+ 2 / (r ^+ 2 *+ 2)) =
  - ((z - d * u / n2) ^+ 2 / ((r ^+ 2 / n2) *+ 2)))%R.
Proof. by rewrite /n2; field; apply/andP; split; rewrite gt_eqF// -/n2. Qed.
Lemma tilt_given z u : (density 0 1 z * tilt z u = 1 * density (d * u / n2) (r / n) z)%R.
Proof.
have rn : (0 < r / n)%R by rewrite divr_gt0.
rewrite !densityE// mul1r subr0 expr1n /tilt.
have -> : ((r / n) ^+ 2 = r ^+ 2 / n2)%R by rewrite expr_div_n nn.
rewrite -square_completed [in RHS]expRD; move: (expR (- (z ^+ 2 / 2))%R) (expR (_ - _)%R) => x y; move: n Z n0 Z0 => n' Z' n0' Z0'; field.
by rewrite !gt_eqF.
Qed.

Let mpoly (f : T * T -> R) : measurable_fun setT f -> measurable_fun setT (fun x => (expR (f x))%:E).
Proof.
move=> mf; apply/EFin_measurable_fun; apply: (measurable_fun_comp _ mf).
by apply: continuous_measurable_fun; exact: continuous_expR.
Qed.
Lemma tilt_meas : @measurable_fun _ _ [the measurableType _ of (T * T)%type] _ setT (fun x : T * T => (tilt x.2 x.1)%:E).
Proof.
have m1 : measurable_fun setT (fun x : T * T => x.1 : R) by exact: mfst.
have m2 : measurable_fun setT (fun x : T * T => x.2 : R) by exact: msnd.
rewrite (_ : (fun x => _) = fun x => (n / r)%:E * (expR (x.1 ^+ 2 / (n2 *+ 2) - (x.1 - d * x.2) ^+ 2 / (r ^+ 2 *+ 2)))%:E); last by [].
apply: emeasurable_funM; first exact: measurable_fun_cst.
apply: mpoly; rewrite (_ : (fun x => _) = fun x => ((n2 *+ 2)^-1 * (x.1 * x.1) - (r ^+ 2 *+ 2)^-1 * ((x.1 - d * x.2) * (x.1 - d * x.2)))%R); last first.
  by apply/funext => x; rewrite !expr2 ![((_ * _) / _)%R]mulrC.
have m3 : measurable_fun setT (fun x : T * T => x.1 - d * x.2 : R)%R by apply: measurable_funB => //; exact: measurable_funrM.
by apply: measurable_funB; apply: measurable_funrM; exact: measurable_funM.
Qed.
(* d z + r w is normal *)
Theorem normal_sum (h : T -> R) : (forall x, 0 <= h x)%R -> measurable_fun setT h ->
  gaussian 0 1 (fun z => gaussian 0 1 (fun w => (h (d * z + r * w)%R)%:E)) = gaussian 0 1 (fun u => (h (n * u)%R)%:E).
Proof.
move=> h0 mh; pose g x := (h x)%:E; have g0 x : 0 <= g x by rewrite lee_fin.
have mg : measurable_fun setT g by exact/EFin_measurable_fun.
have rE : (`|r| * 1 = r)%R by rewrite gtr0_norm// mulr1.
have nE : (`|n| * 1 = n)%R by rewrite gtr0_norm// mulr1.
have at0 (x y : R) : (x + y * 0 = x)%R by rewrite mulr0 addr0.
transitivity (gaussian 0 1 (fun z => gaussian 0 n (fun u => (tilt z u)%:E * g u))).
  congr (ev _ _); apply/funext => z; have W := @reweighted 0 n (d * z) r 1 (tilt z) g (tilt_sum z) ler01 g0; rewrite mul1e in W; rewrite W.
  have := @affine_gaussian R 0 1 (d * z)%R r g (lt0r_neq0 r0) g0; rewrite at0 rE => E; exact: E.
have k0 (u z : T) : 0 <= (tilt z u)%:E * g u by rewrite mule_ge0// lee_fin tilt_ge0.
have mk : @measurable_fun _ _ [the measurableType _ of (T * T)%type] _ setT (fun x : T * T => (tilt x.2 x.1)%:E * g x.1).
  by apply: emeasurable_funM; [exact: tilt_meas|exact: (measurable_fun_comp mg (@mfst _ _ T T))].
apply: (etrans (@in_turn R _ _ _ _ _ _ _ _ (fun u z => (tilt z u)%:E * g u) k0 mk)).
transitivity (gaussian 0 n g); last first.
  have := @affine_gaussian R 0 1 0 n g (lt0r_neq0 n0) g0; rewrite at0 nE => E; apply: (etrans (esym E)).
  by apply: (congr1 (ev (gaussian 0 1))); apply/funext => u; rewrite add0r.
apply: (congr1 (ev (gaussian 0 n))); apply/funext => u.
have rn : (0 < r / n)%R by rewrite divr_gt0.
have := @reweighted 0 1 (d * u / n2) (r / n) 1 (tilt^~ u) (fun=> g u) (fun z => tilt_given z u) ler01 (fun=> g0 u).
by rewrite mul1e => E; apply: (etrans E); exact: constant.
Qed.
End Sum.

(* ---- one draw, with the ratio of the densities ---- *)
Lemma ratio (d z : R) : (density 0 1 z * expR (d * z - d ^+ 2 / 2) = density d 1 z)%R.
Proof. by rewrite !densityE// mulrAC -expRD; congr (expR _ / _)%R; field. Qed.
Lemma density_ge0 e s y : (0 <= density e s y)%R. Proof. by apply: wp_ge0_ => x; exact: gauss_w0. Qed.
Lemma density_meas e s : @measurable_fun _ _ T T setT (density e s). Proof. exact: (wp_meas leb (gauss_w_meas e s)). Qed.
Lemma shifted_draw (d c : R) (f F : T -> \bar R) (G : T -> R) : (0 <= c)%R -> (forall z, 0 <= f z) -> (forall z, 0 <= F z) -> (forall z, 0 <= G z)%R ->
  measurable_fun setT G -> (forall z, f z <= (c * expR (d * z - d ^+ 2 / 2))%:E * F z + (G z)%:E) ->
  gaussian 0 1 f <= c%:E * gaussian d 1 F + gaussian 0 1 (fun z => (G z)%:E).
Proof.
move=> c0 f0 F0 G0 mG H.
have D0 z : 0 <= (density d 1 z)%:E * F z by rewrite mule_ge0// lee_fin density_ge0.
have C0 z : 0 <= c%:E * ((density d 1 z)%:E * F z) by rewrite mule_ge0// lee_fin.
have q0 z : (0 <= density 0 1 z * G z)%R by rewrite mulr_ge0// density_ge0.
apply: (@le_trans _ _ (\int[leb]_z (c%:E * ((density d 1 z)%:E * F z) + (density 0 1 z * G z)%:E))).
  apply: low_le => z; first by rewrite mule_ge0// lee_fin density_ge0.
  apply: (le_trans (lee_wpmul2l _ (H z))); first by rewrite lee_fin density_ge0.
  have A0 : (0 <= c * expR (d * z - d ^+ 2 / 2))%R by rewrite mulr_ge0 ?expR_ge0.
  rewrite (spread (density_ge0 0 1 z) A0 (G0 z) (F0 z)) mulrCA [X in (c * X)%R]ratio muleA -EFinM.
  exact: lexx.
apply: (le_trans (low_add leb C0 q0 _)); first by apply: measurable_funM => //; exact: density_meas.
apply: lee_add; first by rewrite (low_scale leb c0 D0); exact: lexx.
apply: low_le => z; first by rewrite lee_fin.
by rewrite EFinM; exact: lexx.
Qed.

(* ---- what is left of 1 ---- *)
Definition short (v t x : R) : R := (Num.max 0 (1 - expR (t + x - v / 2)))%R.
Lemma short_ge0 v t x : (0 <= short v t x)%R. Proof. by rewrite le_maxr lexx. Qed.
Lemma short_le1 v t x : (short v t x <= 1)%R. Proof. by rewrite le_maxl ler01 ler_subl_addr ler_addl expR_ge0. Qed.
Lemma short_meas d' (X : measurableType d') (v t : R) (x : X -> R) : measurable_fun setT x -> measurable_fun setT (fun y => short v t (x y)).
Proof.
move=> mx; apply: measurable_fun_max; first exact: measurable_fun_cst.
apply: measurable_funB; first exact: measurable_fun_cst.
have me : measurable_fun setT (@expR R : T -> T) by apply: continuous_measurable_fun; exact: continuous_expR.
apply: (measurable_fun_comp me); apply: measurable_funB; last exact: measurable_fun_cst.
by apply: measurable_funD => //; exact: measurable_fun_cst.
Qed.
Definition gap (v t : R) : R := fine (gaussian 0 1 (fun w => (short v t (Num.sqrt v * w)%R)%:E)).
Lemma gapE v t : gaussian 0 1 (fun w => (short v t (Num.sqrt v * w)%R)%:E) = (gap v t)%:E.
Proof. by rewrite /gap fineK//; apply: law_fin => w; rewrite lee_fin ?short_ge0 ?short_le1. Qed.
Lemma gap_ge0 v t : (0 <= gap v t)%R.
Proof. by apply: fine_ge0; apply: ev_ge0 => w; rewrite lee_fin short_ge0. Qed.
Lemma gap_inner (d v t z : R) : (gap v (t + (d * z - d ^+ 2 / 2))%R)%:E =
  gaussian 0 1 (fun w => (short (v + d ^+ 2)%R t (d * z + Num.sqrt v * w)%R)%:E).
Proof.
rewrite -gapE; apply: (congr1 (ev (gaussian 0 1))); apply/funext => w; congr (Num.max _ (_ - expR _))%:E.
by field.
Qed.
Lemma gap_meas (d v t : R) : measurable_fun setT (fun z : T => gap v (t + (d * z - d ^+ 2 / 2))%R).
Proof.
apply/EFin_measurable_fun; pose F (x : T * T) : \bar R := ((density 0 1 x.2)%:E * (short (v + d ^+ 2)%R t (d * x.1 + Num.sqrt v * x.2)%R)%:E)%E.
rewrite (_ : EFin \o _ = fubini_F leb F); last by apply/funext => z; exact: gap_inner.
apply: (measurable_fun_fubini_tonelli_F (leb_sigma_finite R)); last by move=> x; rewrite mule_ge0// lee_fin ?density_ge0 ?short_ge0.
apply: emeasurable_funM; apply/EFin_measurable_fun.
  exact: (measurable_fun_comp (density_meas 0 1) (@msnd _ _ T T)).
apply: short_meas; apply: measurable_funD; apply: measurable_funrM; [exact: mfst|exact: msnd].
Qed.
(* one draw more *)
Theorem gap_draw (d v t : R) : (0 <= d)%R -> (0 <= v)%R -> gaussian 0 1 (fun z => (gap v (t + (d * z - d ^+ 2 / 2))%R)%:E) = (gap (v + d ^+ 2)%R t)%:E.
Proof.
move=> d0 v0; rewrite -gapE.
transitivity (gaussian 0 1 (fun z => gaussian 0 1 (fun w => (short (v + d ^+ 2)%R t (d * z + Num.sqrt v * w)%R)%:E))).
  by apply: (congr1 (ev (gaussian 0 1))); apply/funext => z; exact: gap_inner.
move: v0; rewrite le_eqVlt => /orP[/eqP z|v0].
  rewrite -z sqrtr0 add0r sqrtr_sqr ger0_norm//; apply: (congr1 (ev (gaussian 0 1))); apply/funext => w.
  rewrite (_ : (fun w' => _) = fun=> (short (d ^+ 2)%R t (d * w)%R)%:E); last by apply/funext => w'; rewrite mul0r addr0.
  by apply: constant => //; exact: short_ge0.
have r0 : (0 < Num.sqrt v)%R by rewrite sqrtr_gt0.
have := @normal_sum d (Num.sqrt v) r0 (short (v + d ^+ 2)%R t) (short_ge0 _ _) (short_meas _ _ (@measurable_fun_id _ T setT)).
have nE : (d ^+ 2 + Num.sqrt v ^+ 2 = v + d ^+ 2)%R by rewrite sqr_sqrtr ?(ltW v0)// addrC.
by rewrite nE => E; exact: E.
Qed.
Lemma gap_beyond v t : (0 <= v)%R -> (1 <= expR t + gap v t)%R.
Proof.
move=> v0; have := @shifted_draw (Num.sqrt v) (expR t) (fun=> 1) (fun=> 1) (fun w => short v t (Num.sqrt v * w)%R) (expR_ge0 t) (fun=> lee01) (fun=> lee01).
have one e : gaussian e 1 (fun=> 1) = 1 by exact: total_gaussian.
rewrite gapE !one mule1 -EFinD lee_fin; apply=> [z||z]; [exact: short_ge0|by apply: short_meas; exact: mscale_fun|].
rewrite mule1 -EFinD lee_fin sqr_sqrtr// -expRD addrA -ler_subl_addl le_maxr.
by rewrite (_ : t + Num.sqrt v * z - v / 2 = t + (Num.sqrt v * z - v / 2))%R ?lexx ?orbT// addrA.
Qed.
Lemma gap_le v v' t : (0 <= v)%R -> (v <= v')%R -> (gap v t <= gap v' t)%R.
Proof.
move=> v0 vv; have w0 : (0 <= v' - v)%R by rewrite subr_ge0.
have sq : (Num.sqrt v ^+ 2 = v)%R := sqr_sqrtr v0.
have vE : (v' - v + Num.sqrt v ^+ 2 = v')%R by rewrite sq subrK.
have E := @gap_draw (Num.sqrt v) (v' - v)%R t (sqrtr_ge0 v) w0; rewrite vE in E.
have s0 w : 0 <= (short v t (Num.sqrt v * w)%R)%:E by rewrite lee_fin short_ge0.
have sg z : (short v t (Num.sqrt v * z)%R)%:E <= (gap (v' - v)%R (t + (Num.sqrt v * z - Num.sqrt v ^+ 2 / 2))%R)%:E.
  have := gap_beyond (t + (Num.sqrt v * z - Num.sqrt v ^+ 2 / 2)) w0; rewrite -ler_subl_addl sq => h.
  by rewrite lee_fin le_maxl gap_ge0 -addrA.
have X := ev_le (gaussian 0 1) s0 sg.
have Y : (gap v t)%:E <= (gap v' t)%:E := eq_ind _ (fun x => x <= _) (eq_ind _ (fun y => _ <= y) X _ E) _ (gapE v t).
by move: Y; rewrite lee_fin.
Qed.

(* ---- a draw, after which tests are comparable with the gap of v ---- *)
Definition under (v : R) (x y : \bar R) := forall t : R, x <= (expR t)%:E * y + (gap v t)%:E.
Theorem under_draw (d v : R) (f F : T -> \bar R) : (0 <= d)%R -> (0 <= v)%R -> (forall z, 0 <= f z) -> (forall z, 0 <= F z) ->
  (forall z, under v (f z) (F z)) -> under (v + d ^+ 2) (gaussian 0 1 f) (gaussian d 1 F).
Proof.
move=> d0 v0 f0 F0 H t; rewrite -(gap_draw t d0 v0).
apply: (@shifted_draw d (expR t) f F (fun z => gap v (t + (d * z - d ^+ 2 / 2))%R) (expR_ge0 t) f0 F0 (fun z => gap_ge0 _ _) (gap_meas d v t)) => z.
rewrite -expRD; exact: H.
Qed.
(* GAUSS in mu: what v was is v + d^2/s^2 after it, at most *)
Theorem mu_gauss (e e' s v w : R) (f F : T -> \bar R) : (0 < s)%R -> (0 <= v)%R -> (v + ((e - e') / s) ^+ 2 <= w)%R ->
  (forall y, 0 <= f y) -> (forall y, 0 <= F y) -> (forall y, under v (f y) (F y)) -> under w (gaussian e s f) (gaussian e' s F).
Proof.
move=> s0 v0 vw f0 F0 H t; pose d := (`|e' - e| / s)%R; have d0 : (0 <= d)%R by rewrite divr_ge0// ltW.
have dE : (d ^+ 2 = ((e - e') / s) ^+ 2)%R by rewrite /d !exprMn real_normK ?num_real// -[in RHS]sqrrN opprB.
pose k := (if (e <= e')%R then s else - s)%R.
have kn : (k != 0)%R by rewrite /k; case: ifP => _; rewrite ?oppr_eq0 gt_eqF.
have ks : (`|k| * 1 = s)%R by rewrite mulr1 /k; case: ifP => _; rewrite ?normrN gtr0_norm.
have kd : (e + k * d = e')%R.
  rewrite /k /d; case: ifPn => [le|]; first by rewrite ger0_norm ?subr_ge0//; field; rewrite gt_eqF.
  by rewrite -ltNge => lt; rewrite ltr0_norm ?subr_lt0//; field; rewrite gt_eqF.
have at0 : (e + k * 0 = e)%R by rewrite mulr0 addr0.
have vd : (0 <= v + d ^+ 2)%R by rewrite addr_ge0// sqr_ge0.
have vw' : (v + d ^+ 2 <= w)%R by rewrite dE.
have G : (gap (v + d ^+ 2)%R t)%:E <= (gap w t)%:E by rewrite lee_fin; exact: (gap_le t vd vw').
have A := @affine_gaussian R 0 1 e k f kn f0; rewrite at0 ks in A.
have B := @affine_gaussian R d 1 e k F kn F0; rewrite kd ks in B.
have U := @under_draw d v (fun z => f (e + k * z)%R) (fun z => F (e + k * z)%R) d0 v0 (fun z => f0 _) (fun z => F0 _) (fun z => H _) t.
rewrite A B in U; exact: (le_trans U (lee_add2l _ G)).
Qed.
End NormalSum.
