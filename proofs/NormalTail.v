(* GDP-TAIL (trusted/kernel/src/conversion.rs, normal_tail): what is left of two normal laws at eps is at most delta if it is so by a tail, mu^2 <= 2 eps and 8 mu^2 ln(1/(2 delta)) <= (2 eps - mu^2)^2,
   or if the two are near each other, mu <= 2 delta.

   The first is Phi(-x) <= e^(-x^2/2)/2; the second is that the density of the normal law is at most 1/2, since the integral of e^(-y^2/2) is at least 2 (gauss_two, by eight boxes on each side). *)
From Probity Require Import PreludeIntegral Judgement Laws Density Continuous Logarithm SignedLog Gaussian Privacy Normal.
Local Open Scope classical_set_scope.
Local Open Scope ring_scope.
Local Open Scope ereal_scope.

(* e^(-i/32) from below, in hundredths *)
Section Hundredths.
Variable R : realType.
Definition at_least (i n : nat) := (n%:R / 100%:R <= expR (- (i%:R / 32%:R)) :> R)%R.
Lemma hundred : (0 < 100%:R :> R)%R. Proof. by rewrite ltr0n. Qed.
(* 1 - x <= e^-x *)
Lemma at_least_line i n : (n * 32 + 100 * i <= 100 * 32)%N -> at_least i n.
Proof.
move=> h; apply: (@le_trans _ _ (1 - i%:R / 32%:R)%R); last first.
  have d0 : (0 <= i%:R / 32%:R :> R)%R by rewrite divr_ge0.
  have [_] := exp_bounds d0; rewrite ler_subl_addl => up.
  by rewrite expRN -(ler_pmul2r (expR_gt0 (i%:R / 32%:R))) mulVf ?gt_eqF ?expR_gt0// mulrBl mul1r ler_subl_addr.
rewrite ler_pdivr_mulr ?hundred// -(ler_pmul2r (_ : 0 < 32%:R)%R) ?ltr0n//.
rewrite (_ : (1 - i%:R / 32%:R) * 100%:R * 32%:R = 100%:R * 32%:R - 100%:R * i%:R)%R; last by field.
by rewrite ler_subr_addr -!natrM -natrD ler_nat.
Qed.
Lemma at_least_add i j a b c : at_least i a -> at_least j b -> (c * 100 <= a * b)%N -> at_least (i + j) c.
Proof.
move=> xa yb abc; rewrite /at_least natrD mulrDl opprD expRD.
apply: (@le_trans _ _ (a%:R / 100%:R * (b%:R / 100%:R))%R); last by apply: ler_pmul => //; rewrite divr_ge0.
rewrite ler_pdivr_mulr ?hundred// (_ : a%:R / 100%:R * (b%:R / 100%:R) * 100%:R = a%:R * b%:R / 100%:R)%R; last by field.
rewrite ler_pdivl_mulr ?hundred//.
by rewrite -!natrM ler_nat.
Qed.
End Hundredths.

Section Normal.
Variable R : realType.
Notation T := (measurableTypeR R).
Let leb : {measure set T -> \bar R} := [the measure _ _ of @lebesgue_measure R].
Implicit Types (mu eps x : R).

(* ---- the integral of e^(-y^2/2) is at least 2 ---- *)
Let right (a : R) := [set y | a < y]%R : set T.
Lemma box_step (g : T -> \bar R) (a b h : R) : (forall y, 0 <= g y) -> (0 <= h)%R -> (a <= b)%R -> (forall y, (a < y <= b)%R -> h%:E <= g y) ->
  (h * (b - a))%:E + \int[leb]_y cutg (right b) g y <= \int[leb]_y cutg (right a) g y.
Proof.
move=> g0 h0 ab hg; have mb : measurable (right b) := mray_gt b.
apply: (le_trans _ (low_cut_ge mb (cutg_ge0 (right a) g0))); rewrite addeC; apply: lee_add.
  apply: low_le => y; first exact: cutg_ge0.
  rewrite /cutg; case: asboolP => // yb; rewrite asboolT//; exact: le_lt_trans ab yb.
rewrite -int_oc//; apply: low_le => y; first by rewrite lee_fin mulr_ge0.
rewrite indicE /cutg; have [|_] := boolP (y \in _); last by rewrite mulr0; case: ifP => // _; case: ifP.
rewrite inE /= in_itv /= => /andP[ay yb]; rewrite mulr1 asboolT; last by apply/negP; rewrite -leNgt.
by rewrite asboolT// hg// ay.
Qed.
Lemma gauss_side : 1 <= \int[leb]_y cutg (right 0) (fun y => (gauss_w 0 1 y)%:E) y.
Proof.
pose g (y : T) := (gauss_w 0 1 y)%:E; have g0 y : 0 <= g y by rewrite lee_fin gauss_w0.
have low (k n : nat) : at_least R (k.+1 * k.+1) n ->
    (n%:R / 100%:R * 4%:R^-1)%:E + \int[leb]_y cutg (right (k.+1%:R / 4%:R)) g y <= \int[leb]_y cutg (right (k%:R / 4%:R)) g y.
  move=> hn; have w : (k.+1%:R / 4%:R - k%:R / 4%:R = 4%:R^-1 :> R)%R by rewrite -mulrBl -natrB// subSnn mul1r.
  rewrite -{1}w; apply: box_step => // [|y /andP[ky yk]].
    by rewrite -subr_ge0 w invr_ge0.
  have y0 : (0 <= y)%R by apply: (le_trans _ (ltW ky)); rewrite divr_ge0.
  rewrite lee_fin; apply: (le_trans hn); rewrite /gauss_w ltr01 subr0 expr1n ler_expR ler_opp2.
  rewrite (_ : (k.+1 * k.+1)%:R / 32%:R = (k.+1%:R / 4%:R) ^+ 2 / 2%:R :> R)%R; last by rewrite natrM; field.
  by apply: ler_wpmul2r; rewrite ?invr_ge0// ler_expn2r// nnegrE divr_ge0.
have e1 : at_least R 1 96 by exact: at_least_line.
have e4 : at_least R 4 87 by exact: at_least_line.
have e9 : at_least R 9 71 by exact: at_least_line.
have e8 : at_least R (4 + 4) 75 by exact: (at_least_add e4 e4).
have e16 : at_least R (8 + 8) 56 by exact: (at_least_add e8 e8).
have e25 : at_least R (16 + 9) 39 by exact: (at_least_add e16 e9).
have e32 : at_least R (16 + 16) 31 by exact: (at_least_add e16 e16).
have e36 : at_least R (32 + 4) 26 by exact: (at_least_add e32 e4).
have e48 : at_least R (32 + 16) 17 by exact: (at_least_add e32 e16).
have e49 : at_least R (48 + 1) 16 by exact: (at_least_add e48 e1).
have e64 : at_least R (32 + 32) 9 by exact: (at_least_add e32 e32).
have sum a b (X Y : \bar R) : (a%:R / 100%:R * 4%:R^-1)%:E + Y <= X -> (b%:R / 100%:R * 4%:R^-1)%:E <= Y -> ((a + b)%:R / 100%:R * 4%:R^-1)%:E <= X.
  move=> h1 h2; apply: le_trans h1; rewrite natrD !mulrDl EFinD.
  exact: lee_add2l.
have s7 : (9%:R / 100%:R * 4%:R^-1)%:E <= \int[leb]_y cutg (right (7%:R / 4%:R)) g y.
  by apply: le_trans (low 7%N 9%N e64); rewrite lee_addl//; apply: integral_ge0 => y _; exact: cutg_ge0.
have := sum _ _ _ _ (low 0%N 96%N e1) (sum _ _ _ _ (low 1%N 87%N e4) (sum _ _ _ _ (low 2%N 71%N e9) (sum _ _ _ _ (low 3%N 56%N e16)
  (sum _ _ _ _ (low 4%N 39%N e25) (sum _ _ _ _ (low 5%N 26%N e36) (sum _ _ _ _ (low 6%N 16%N e49) s7)))))).
rewrite mul0r; apply: le_trans.
by rewrite lee_fin -mulrA -invfM -natrM divff// pnatr_eq0.
Qed.
Lemma gauss_two : 2%:E <= wtotal leb (gauss_w 0 1).
Proof.
have g0 (y : T) : 0 <= (gauss_w 0 1 y)%:E by rewrite lee_fin gauss_w0.
rewrite /wtotal low_sides//; rewrite (_ : 2%:E = 1 + 1 :> \bar R); last by rewrite -EFinD.
have S := gauss_side; apply: lee_add; last exact: S.
rewrite -low_neg; last by move=> y; exact: cutg_ge0.
apply: (le_trans S); apply: low_le => y; first exact: cutg_ge0.
rewrite /cutg /right /= oppr_lt0; case: asboolP => // y0.
by rewrite lee_fin /gauss_w !subr0 sqrrN.
Qed.

(* ---- the normal law ---- *)
Let q := wp_ leb (gauss_w 0 1).
Let Z := fine (wtotal leb (gauss_w 0 1)).
Lemma q_ge0 y : (0 <= q y)%R. Proof. by apply: wp_ge0_ => x; exact: gauss_w0. Qed.
Lemma q_meas : measurable_fun setT (EFin \o q).
Proof. by apply/EFin_measurable_fun; apply: wp_meas; exact: gauss_w_meas. Qed.
Lemma Z_two : (2 <= Z)%R.
Proof.
have fin : wtotal leb (gauss_w 0 1) \is a fin_num.
  by rewrite ge0_fin_numE; [exact: (gauss_finite 0 ltr01)|apply: wtotal_ge0 => x; exact: gauss_w0].
by rewrite -lee_fin /Z fineK// gauss_two.
Qed.
Lemma qE y : (q y = expR (- (y ^+ 2 / 2)) / Z)%R.
Proof. by rewrite /q /wp_ -/Z /gauss_w ltr01 subr0 expr1n. Qed.
Lemma q_half y : (q y <= 2^-1)%R.
Proof.
have Z0 : (0 < Z)%R by apply: lt_le_trans Z_two; rewrite ltr0n.
rewrite qE ler_pdivr_mulr//; apply: (@le_trans _ _ 1%R).
  by rewrite -[leRHS]expR0 ler_expR oppr_le0 divr_ge0 ?sqr_ge0.
by rewrite -ler_pdivr_mull ?invr_gt0 ?ltr0n// invrK mulr1 Z_two.
Qed.
Lemma normal_int x : (normal x)%:E = \int[leb]_y cutg [set y | y <= x]%R (EFin \o q) y.
Proof.
rewrite -normalE /= /dev; apply: eq_integral => y _; rewrite /below_at /cutg -/q.
by case: ifPn => h; [rewrite asboolT// mule1|rewrite asboolF ?mule0//; exact/negP].
Qed.
Lemma measurable_low x : measurable ([set y | y <= x]%R : set T).
Proof.
rewrite (_ : mkset _ = ~` [set y | x < y]%R); first by apply: measurableC; exact: mray_gt.
by apply/seteqP; split=> y /=; [move=> h; apply/negP; rewrite -leNgt|move=> /negP; rewrite -leNgt].
Qed.
(* the density is at most 1/2 *)
Lemma normal_near x mu : (0 <= mu)%R -> (normal (x + mu) - normal x <= mu / 2)%R.
Proof.
move=> mu0; rewrite ler_subl_addl -lee_fin EFinD !normal_int.
have q0 y : 0 <= (EFin \o q) y by rewrite lee_fin q_ge0.
apply: (le_trans (low_cut_le (measurable_low x) (cutg_ge0 [set y | y <= x + mu]%R q0))); apply: lee_add.
  apply: low_le => y; first by do 2 apply: cutg_ge0 => ?.
  by rewrite /cutg; case: asboolP => // _; case: asboolP.
have E : (mu / 2 = 2^-1 * (x + mu - x))%R by rewrite addrAC subrr add0r mulrC.
rewrite E -(@int_oc R x (x + mu)%R) ?invr_ge0 ?ler_addl//; apply: low_le => y; first by do 2 apply: cutg_ge0 => ?.
rewrite /cutg; case: asboolP => [/= h|_]; last by rewrite lee_fin mulr_ge0 ?invr_ge0.
case: asboolP => [/= h'|_]; last by rewrite lee_fin mulr_ge0 ?invr_ge0.
rewrite indicE mem_set ?mulr1 ?lee_fin ?q_half//= in_itv /= h' andbT ltNge; exact/negP.
Qed.
(* one place has no mass *)
Lemma normal_negative : (normal (0 : R))%:E = \int[leb]_y cutg ([set y | y < 0]%R : set T) (EFin \o q) y.
Proof.
have q0 y : 0 <= (EFin \o q) y by rewrite lee_fin q_ge0.
rewrite normal_int low_sides; last by move=> y; exact: cutg_ge0.
rewrite [X in _ + X](_ : _ = 0) ?adde0.
  by apply: eq_integral => y _; rewrite /cutg; case: asboolP => // ny; rewrite asboolT//; exact: ltW.
rewrite (eq_integral (cst 0)) ?integral0// => y _; rewrite /cutg; case: asboolP => // py.
by rewrite asboolF//= => ly; move: py; rewrite /= ltNge ly.
Qed.
Lemma normal_zero : (normal (0 : R) <= 2^-1)%R.
Proof.
have q0 y : 0 <= (EFin \o q) y by rewrite lee_fin q_ge0.
have qN y : q (- y)%R = q y by rewrite !qE sqrrN.
have E := normal_negative.
have both : (normal (0 : R))%:E + (normal (0 : R))%:E <= 1.
  rewrite {2}E -low_neg; last by move=> y; exact: cutg_ge0.
  apply: (@le_trans _ _ (\int[leb]_y (q y)%:E)); last by apply: wp_sub => x; exact: gauss_w0.
  rewrite (low_sides q0) E; apply: lee_add => //; apply: low_le => y; first exact: cutg_ge0.
  by rewrite /cutg /= oppr_lt0 qN.
move: both; rewrite -EFinD lee_fin -mulr2n => h.
by rewrite -(ler_pmul2l (_ : 0 < 2 :> R)%R) ?ltr0n// mulfV ?pnatr_eq0// mulr_natl.
Qed.
Lemma normal_far x : (0 <= x)%R -> (normal (- x) <= expR (- (x ^+ 2 / 2)) / 2)%R.
Proof.
move=> x0; apply: (@le_trans _ _ (expR (- (x ^+ 2 / 2)) * normal 0)%R); last first.
  by apply: ler_wpmul2l; [exact: expR_ge0|exact: normal_zero].
rewrite -lee_fin EFinM !normal_int.
have q0 y : 0 <= (EFin \o q) y by rewrite lee_fin q_ge0.
rewrite -low_scale ?expR_ge0//; last by move=> y; exact: cutg_ge0.
rewrite -(low_shift (- x)%R (cutg_ge0 [set y | y <= - x]%R q0)); apply: low_le => y; first exact: cutg_ge0.
rewrite /cutg /=; case: asboolP => [h|_]; last first.
  by apply: mule_ge0; [rewrite lee_fin expR_ge0|case: asboolP => // _; exact: q0].
have y0 : (y <= 0)%R by move: h; rewrite -[X in (_ <= X)%R]add0r ler_add2r.
rewrite asboolT// -EFinM lee_fin !qE mulrA -expRD; apply: ler_wpmul2r.
  by rewrite invr_ge0; apply: (le_trans _ Z_two).
rewrite ler_expR -opprD ler_opp2 -mulrDl; apply: ler_wpmul2r; first by rewrite invr_ge0.
rewrite -subr_ge0 (_ : (y - x) ^+ 2 - (x ^+ 2 + y ^+ 2) = (x * - y) *+ 2)%R; last by ring.
by rewrite mulrn_wge0// mulr_ge0// oppr_ge0.
Qed.

(* what the kernel asks for *)
Definition tail_holds mu eps delta :=
  [/\ (0 < delta)%R, (0 <= eps)%R, (0 <= mu)%R &
      (mu * mu <= 2 * eps /\ 8%:R * (mu * mu) * ln (1 / (2 * delta)) <= (2 * eps - mu * mu) * (2 * eps - mu * mu))%R \/ (mu <= 2 * delta)%R].
Lemma profile_tail mu eps delta : (0 < mu)%R -> tail_holds mu eps delta -> (profile mu eps <= delta)%R.
Proof.
move=> mu0 [d0 e0 _ cases]; have two : (0 < 2 :> R)%R by rewrite ltr0n.
have n0 x : (0 <= normal x)%R.
  by rewrite -lee_fin -normalE; apply: ev_ge0 => y; exact: below_ge0.
case: cases => [[near far]|near].
  pose x := (eps / mu - mu / 2)%R; have x0 : (0 <= x)%R.
    by rewrite subr_ge0 ler_pdivl_mulr// mulrAC ler_pdivr_mulr// [(eps * 2)%R]mulrC.
  apply: (@le_trans _ _ (normal (- x))).
    by rewrite /profile (_ : mu / 2 - eps / mu = - x)%R ?opprB// ler_subl_addr ler_addl mulr_ge0// expR_ge0.
  apply: (le_trans (normal_far x0)); rewrite ler_pdivr_mulr//.
  have dd : (0 < delta * 2)%R by rewrite mulr_gt0.
  rewrite -[leRHS](@lnK R) ?qualifE// ler_expR ler_oppl -lnV ?qualifE// ler_pdivl_mulr//.
  have m8 : (0 < 4%:R * (mu * mu))%R by rewrite !mulr_gt0// ltr0n.
  rewrite -(ler_pmul2l m8) (_ : 4%:R * (mu * mu) * x ^+ 2 = (2 * eps - mu * mu) * (2 * eps - mu * mu))%R; last first.
    by rewrite /x; field; rewrite gt_eqF.
  apply: le_trans far; rewrite div1r [(2 * delta)%R]mulrC le_eqVlt; apply/orP; left; apply/eqP.
  by move: (ln _) => l; ring.
pose z := (- (mu / 2) - eps / mu)%R.
apply: (@le_trans _ _ (normal (z + mu) - normal z)%R).
  rewrite /profile -/z (_ : mu / 2 - eps / mu = z + mu)%R; last by rewrite /z; field; rewrite gt_eqF.
  rewrite ler_add2l ler_opp2 -[leLHS]mul1r; apply: ler_wpmul2r => //.
  by rewrite -expR0 ler_expR.
apply: (le_trans (normal_near z (ltW mu0))).
by rewrite ler_pdivr_mulr// mulrC.
Qed.

(* GDP-TAIL *)
Theorem gdp_tail (S O : Type) (out : S -> O) (c : stmt R S) mu eps delta m m' : tail_holds mu eps delta -> gdp out c mu m m' -> dp out c eps delta m m'.
Proof.
move=> H G; apply: (gdp_normal G); rewrite /normal_delta; case: ifP => [mu0|_]; first exact: profile_tail.
have [d0 e0 _ _] := H; rewrite le_maxl ltW//= (le_trans _ (ltW d0))// subr_le0.
by rewrite -expR0 ler_expR.
Qed.
End Normal.
