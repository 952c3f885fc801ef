(* The laws of FORESEE (Foresee.v): Laplace, Gumbel and exponential noise, and Laplace and geometric noise on the integers, may move (movable) as the kernel says: two-sided noise by any amount T at the price |T|/s,
   the others up.  Noise with a density is diffuse, so that ties have no mass.  The class of tests is that of all tests on the integers, and that of tests that are measurable in all entries for noise with a
   density: Tonelli's theorem, for two entries at a time.  Read: the theorems. *)
From Probity Require Import PreludeIntegral Judgement Laws Additive Sampling Density Continuous Plane Logarithm Tails Centered TwoSided Gumbel Foresee.
From Probity Require Rules.
Local Open Scope classical_set_scope.
Local Open Scope ring_scope.
Local Open Scope ereal_scope.

(* ---- integers ---- *)
Section Masses.
Variables (R : realType) (p : int -> R) (p0 : forall a, (0 <= p a)%R) (p1 : \esum_(a in [set: int]) (p a)%:E <= 1).
Let D : law R int := mlaw p0 p1.
Lemma mass_class : class D (fun=> True).
Proof.
split=> // [f i j z ij f0 _|f_ i z f0 _]; last by apply: (additive_mlaw p0 p1) => n y; exact: f0.
have pf x (h : int -> \bar R) : (forall y, 0 <= h y) -> \esum_(y in [set: int]) ((p x)%:E * ((p y)%:E * h y)) = (p x)%:E * \esum_(y in [set: int]) ((p y)%:E * h y).
  by move=> h0; rewrite esum_scale// => y; rewrite mule_ge0// lee_fin.
rewrite /one /= /mev; under eq_esum do rewrite -pf//.
rewrite esum_exchange; last by move=> x y; rewrite !mule_ge0// ?lee_fin.
apply: eq_esum => y _; rewrite -pf//; apply: eq_esum => x _; rewrite muleCA; congr (_ * (_ * f _)).
by rewrite putC.
Qed.
Lemma mass_moves (T : int) (c : R) (f F : int -> \bar R) : (forall y, p y * expR (- c) <= p (y + T))%R -> (forall y, 0 <= f y) -> (forall y, 0 <= F y) ->
  (forall y, f y <= (expR (- c))%:E * F (y + T)%R) -> D f <= D F.
Proof.
move=> pc f0 F0 H; have S : Rules.star D D (fun=> True) (fun y => y + T)%R (fun=> c).
  by apply: star_mass => [a /(_ I)//|x y _ _ /addIr//|y _]; exact: pc.
by apply: S => // y _.
Qed.
End Masses.

Section Integers.
Variables (R : realType) (s : R).
Theorem discrete_laplace_moves : @movable R [zmodType of int] (@discrete_laplace R 0 s) (fun e => @discrete_laplace R e s) (fun=> True) (fun=> True)
  s (fun=> True) (fun T => `|T|%:~R / s)%R.
Proof.
split=> [e f _ f0|||T s0 _|T f F s0 _ f0 F0 H].
- have E : flipped true e 0 = e := addr0 e.
  have H := @affine_discrete_laplace R 0 e s true f f0; rewrite E in H; exact (esym H).
- exact: mass_class.
- exact: I.
- by rewrite divr_ge0// ?ltW// ler0z.
by apply: mass_moves f0 F0 H => y; apply: dlap_shift => //; rewrite subr0 addr0 divfK// gt_eqF.
Qed.
Theorem geometric_moves : @movable R [zmodType of int] (@geometric R s) (fun=> @geometric R s) (fun e => e = 0%R) (fun=> True)
  s (fun T => 0 <= T)%R (fun T => T%:~R / s)%R.
Proof.
split=> [e f -> f0|||T s0 T0|T f F s0 T0 f0 F0 H].
- by congr (ev (geometric s) _); apply/funext => y; rewrite add0r.
- exact: mass_class.
- exact: I.
- by apply: divr_ge0; [rewrite ler0z|exact: ltW].
apply: mass_moves f0 F0 H => y; rewrite /norm_mass mulrAC; apply: ler_wpmul2r.
  by rewrite invr_ge0 fine_ge0// total_ge0// => a; exact: geo_w0.
rewrite /geo_w s0 /=; have [y0|y0] := boolP (0 <= y)%R; last first.
  by rewrite mul0r; case: ifP => // _; exact: expR_ge0.
by rewrite addr_ge0//= -expRD ler_expR -opprD ler_opp2 -mulrDl rmorphD.
Qed.
End Integers.

(* ---- reals ---- *)
Section Densities.
Variable R : realType.
Notation T := (measurableTypeR R).
Let leb : {measure set T -> \bar R} := [the measure _ _ of @lebesgue_measure R].
Notation rnoise := (noise [zmodType of R]).
(* the smallest sigma-algebra in which every entry is measurable *)
Definition entries : set (set (int -> T)) := fun X => exists n (B : set T), measurable B /\ X = (fun z => B (z n)).
Definition noises := [the measurableType _ of salgebraType entries].
Definition measured (f : rnoise -> \bar R) := @measurable_fun _ _ noises _ setT f.
Lemma entry_measurable n : @measurable_fun _ _ noises T setT (fun z => z n).
Proof. by move=> _ B mB; rewrite setTI; apply: sub_sigma_algebra; exists n, B. Qed.
Lemma to_noise d (X : measurableType d) (h : X -> noises) : (forall n, @measurable_fun _ _ X T setT (fun x => h x n)) -> measurable_fun setT h.
Proof.
move=> mh; apply: (@measurability _ _ X noises setT h entries) => //.
by move=> _ [_ [n [B [mB ->]]] <-]; exact: mh.
Qed.
Lemma put_measurable d (X : measurableType d) (z : X -> noises) (y : X -> T) i : measurable_fun setT z -> measurable_fun setT y ->
  measurable_fun setT (fun x => put (A := [zmodType of R]) (z x) i (y x) : noises).
Proof.
move=> mz my; apply: to_noise => n; rewrite /put; case: (n == i) => //.
exact: (measurable_fun_comp (@entry_measurable n) mz).
Qed.

Section Weight.
Variables (w : T -> R) (w0 : forall y, (0 <= w y)%R) (mw : measurable_fun setT w).
Let D : law R T := wdlaw leb w0 mw.
Let p := wp_ leb w.
Let p0 y : (0 <= p y)%R. Proof. exact: wp_ge0_. Qed.
Let mp : measurable_fun setT (fun y => (p y)%:E). Proof. by apply/EFin_measurable_fun; exact: wp_meas. Qed.

Theorem density_diffuse : diffuse (A := [eqType of R]) D.
Proof.
elim=> [|x ps IH] f g f0 g0 H; first by congr (ev D _); apply/funext => y; exact: H.
pose h y := if y == x then g y else f y; have h0 y : 0 <= h y by rewrite /h; case: ifP.
rewrite -(IH h g)// => [|y yp]; last by rewrite /h; case: eqP => // /eqP yx; apply: H; rewrite inE negb_or yx.
have cut (k : T -> \bar R) : (forall y, 0 <= k y) -> D k = \int[leb]_y cutg (~` [set (x : T)]) (fun y => (p y)%:E * k y) y.
  move=> k0; have pk y : 0 <= (p y)%:E * k y by rewrite mule_ge0// lee_fin.
  have mx : measurable ([set x] : set T) by exact: measurable_set1.
  by rewrite -[RHS]add0e -(no_place x pk); apply/eqP; rewrite eq_le low_cut_le//= low_cut_ge.
rewrite (cut f)// (cut h)//; apply: eq_integral => y _; rewrite /cutg; case: asboolP => // yx.
by rewrite /h; case: eqP => // e; case: yx.
Qed.

Lemma density_class : class (A := [zmodType of R]) D measured.
Proof.
split=> [f i f0 mf|f i j z ij f0 mf|f_ i z f0 mf].
- pose F (x : noises * T) : \bar R := ((p x.2)%:E * f (put (A := [zmodType of R]) x.1 i x.2)).
  rewrite /measured (_ : one _ i f = fubini_F leb F)//.
  apply: (measurable_fun_fubini_tonelli_F (leb_sigma_finite R)) => [|x]; last by rewrite mule_ge0// lee_fin.
  apply: emeasurable_funM; first exact: (measurable_fun_comp mp (@msnd _ _ noises T)).
  by apply: (measurable_fun_comp mf); apply: put_measurable; [exact: mfst|exact: msnd].
- rewrite /one; pose h (x y : T) := f (put (A := [zmodType of R]) (put (A := [zmodType of R]) z j x) i y).
  transitivity (D (fun y => D (fun x => h x y))).
    by congr (ev D _); apply/funext => y; congr (ev D _); apply/funext => x; rewrite /h putC.
  have turn := @in_turn R _ _ (wp_ge0_ leb w0) (wp_meas leb mw) (wp_sub leb w0) (wp_ge0_ leb w0) (wp_meas leb mw) (wp_sub leb w0) h.
  apply: turn => [x y|]; first exact: f0.
  apply: (measurable_fun_comp mf); apply: put_measurable; last exact: msnd.
  by apply: put_measurable; [exact: measurable_fun_cst|exact: mfst].
rewrite /one /= /dev.
have mfp k : @measurable_fun _ _ T _ setT (fun y => f_ k (put (A := [zmodType of R]) z i y)).
  by apply: (measurable_fun_comp (mf k)); apply: put_measurable; [exact: measurable_fun_cst|exact: measurable_fun_id].
rewrite -integral_nneseries//; last first.
- by move=> k y _; apply: mule_ge0; [exact: p0|exact: f0].
- by move=> k; exact: emeasurable_funM.
by apply: eq_integral => y _; rewrite nneseriesrM// => k _; exact: f0.
Qed.
Lemma density_moves (t c : R) (f F : T -> \bar R) : (forall y, p y * expR (- c) <= p (y + t))%R -> (forall y, 0 <= f y) -> (forall y, 0 <= F y) ->
  (forall y, f y <= (expR (- c))%:E * F (y + t)%R) -> D f <= D F.
Proof.
move=> pc f0 F0 H; rewrite /= /dev.
apply: le_trans (@low_shift_le _ t (fun y => (p y)%:E * F y) _); last by move=> y; rewrite mule_ge0// lee_fin.
apply: low_le => y; first by rewrite mule_ge0// lee_fin.
apply: (@le_trans _ _ ((p y)%:E * ((expR (- c))%:E * F (y + t)%R))); first by apply: lee_wpmul2l => //; rewrite lee_fin.
by rewrite muleA -EFinM; apply: lee_wpmul2r => //; rewrite lee_fin.
Qed.
End Weight.

Lemma measured_zero : measured (fun=> 0). Proof. exact: measurable_fun_cst. Qed.
Variable s : R.
Theorem laplace_moves : @movable R [zmodType of R] (@laplace R 0 s) (fun e => @laplace R e s) (fun=> True) measured s (fun=> True) (fun t => `|t| / s)%R.
Proof.
split=> [e f _ f0|||t s0 _|t f F s0 _ f0 F0 H].
- rewrite -[in LHS](addr0 e) -[X in laplace (e + X) _]mul1r -[X in laplace _ X]mul1r -[X in laplace _ (X * _)]normr1.
  rewrite -(@affine_laplace R 0 s e 1 f) ?oner_eq0//.
  by congr (ev (laplace 0 s) _); apply/funext => y; rewrite mul1r.
- exact: density_class.
- exact: measured_zero.
- by rewrite divr_ge0// ltW.
by apply: density_moves f0 F0 H => y; apply: lap_shift => //; rewrite subr0 addr0 divfK// gt_eqF.
Qed.
Theorem gumbel_moves : @movable R [zmodType of R] (@gumbel R 0 s) (fun e => @gumbel R e s) (fun=> True) measured s (fun t => 0 <= t)%R (fun t => t / s)%R.
Proof.
split=> [e f _ f0|||t s0 t0|t f F s0 t0 f0 F0 H].
- apply/esym; rewrite (_ : (fun y => _) = fun y => f (e + 1 * y)%R); last by apply/funext => y; rewrite mul1r.
  apply: (@affine_weight R _ _ (gum_w0 0 s) (gum_w_meas 0 s) (gum_w0 e s) (gum_w_meas e s) e 1 f) => //.
  by move=> z; rewrite /gum_w mul1r subr0 addrAC subrr add0r.
- exact: density_class.
- exact: measured_zero.
- by rewrite divr_ge0// ltW.
by apply: density_moves f0 F0 H => y; apply: gum_shift; rewrite ?subr0 ?addr0// divfK// gt_eqF.
Qed.
Theorem exponential_moves : @movable R [zmodType of R] (@exponential R s) (fun=> @exponential R s) (fun e => e = 0%R) measured s (fun t => 0 <= t)%R (fun t => t / s)%R.
Proof.
split=> [e f -> f0|||t s0 t0|t f F s0 t0 f0 F0 H].
- by congr (ev (exponential s) _); apply/funext => y; rewrite add0r.
- exact: density_class.
- exact: measured_zero.
- by rewrite divr_ge0// ltW.
apply: density_moves f0 F0 H => y; rewrite /wp_ mulrAC; apply: ler_wpmul2r.
  by rewrite invr_ge0 fine_ge0//; apply: wtotal_ge0 => x; exact: exp_w0.
rewrite !exp_wE; have [y0|y0] := boolP (0 <= y :> R)%R; last first.
  by rewrite mul0r; case: ifP => // _; exact: lap_w0.
by rewrite addr_ge0// /lap_w s0 -expRD ler_expR -opprD ler_opp2 !subr0 !ger0_norm ?addr_ge0// mulrDl.
Qed.
End Densities.
