(* UP-TO-BAD for the upper tail alone of a Laplace draw (up_to_upper_tail of trusted/kernel/src/rules/sampling.rs): the draws with y - e > t are given up,
   and have mass at most e^(-t/b)/2.  With the place where it begins (up_to_open_tail) the tail has the same mass: a place has none. *)
From Probity Require Import PreludeIntegral.
From mathcomp.classical Require Import cardinality fsbigop set_interval.
From mathcomp.analysis Require Import derive.
From Probity Require Import Judgement Laws Sampling Density Continuous Logarithm.
From Probity Require Rules.
Local Open Scope classical_set_scope.
Local Open Scope ring_scope.
Local Open Scope ereal_scope.

Section Tails.
Variable R : realType.
Notation T := (measurableTypeR R).
Notation star := Rules.star.
Let leb : {measure set T -> \bar R} := [the measure _ _ of @lebesgue_measure R].

(* half of the mass lies above the center *)
Lemma upper_half (e b : R) : (0 < b)%R ->
  \int[leb]_y cutg ([set y | e < y]%R : set T) (fun y => (wp_ leb (lap_w e b) y)%:E) y <= (2^-1)%:E.
Proof.
move=> b0; set p := wp_ leb (lap_w e b); set up := mkset _; set X := integral _ _ _.
have p0 y : (0 <= p y)%R := lap_p0 e b y.
have pe0 y : 0 <= (p y)%:E by rewrite lee_fin.
have mup : measurable up := mray_gt e.
have c0 A y : 0 <= cutg A (fun y => (p y)%:E) y by exact: cutg_ge0.
have X0 : 0 <= X by apply: integral_ge0 => y _; exact: c0.
have mirror : \int[leb]_y cutg (~` up) (fun y => (p y)%:E) y >= X.
  rewrite /X -(low_shift (2 * e)%R (c0 up)) -(low_neg (g := fun y => cutg up (fun y => (p y)%:E) (y + 2 * e)%R)); last by move=> y; exact: c0.
  apply: low_le => y; first exact: c0.
  rewrite /cutg /up /=; case: asboolP => [h|_]; last by case: asboolP.
  have le : (y < e)%R by move: h; rewrite addrC -ltr_subl_addr opprK -ltr_subr_addl (_ : 2 * e - e = e)%R //; ring.
  rewrite asboolT; last by apply/negP; rewrite -leNgt ltW.
  rewrite lee_fin /p /wp_ /lap_w b0 (_ : `|- y + 2 * e - e| = `|y - e|)%R // (_ : - y + 2 * e - e = - (y - e))%R ?normrN//.
  by ring.
have both : X + X <= 1.
  apply: (@le_trans _ _ (\int[leb]_y (p y)%:E)); last by apply: wp_sub => x; exact: lap_w0.
  by apply: (le_trans _ (low_cut_ge mup pe0)); exact: lee_add2l.
have Xf : X \is a fin_num.
  rewrite ge0_fin_numE//; apply: (@le_lt_trans _ _ (X + X)); first by rewrite -[leLHS]adde0 lee_add2l.
  by apply: (le_lt_trans both); exact: ltry.
rewrite -(fineK Xf) in both *; move: both; rewrite -EFinD !lee_fin -mulr2n => h.
by rewrite -(ler_pmul2l (_ : 0 < 2 :> R)%R) ?ltr0n// mulfV ?pnatr_eq0// mulr_natl.
Qed.

Lemma upper_tail_mass (e b t : R) : (0 < b)%R -> (0 <= t)%R ->
  laplace e b (fun y => if (y - e <= t)%R then 0 else 1) <= (expR (- (t / b)) / 2)%:E.
Proof.
move=> b0 t0; rewrite /= /dev; set p := wp_ leb (lap_w e b).
have p0 y : (0 <= p y)%R := lap_p0 e b y.
pose up := [set y | e < y]%R : set T.
have c0 y : 0 <= cutg up (fun y => (p y)%:E) y by apply: cutg_ge0 => x; rewrite lee_fin.
have pE k y : (p y = p (y + k) * expR ((`|y + k - e| - `|y - e|) / b))%R.
  rewrite /p /wp_ /lap_w b0 mulrAC -expRD; congr (expR _ / _)%R; by rewrite mulrBl addrA addNr add0r.
apply: (@le_trans _ _ (\int[leb]_y ((expR (- (t / b)))%:E * cutg up (fun y => (p y)%:E) (y + (- t))%R))).
  apply: low_le => y; first by rewrite mule_ge0// ?lee_fin//; case: ifP => _; rewrite ?lee01.
  case: ifPn => [_|]; first by rewrite mule0 mule_ge0 ?lee_fin ?expR_ge0.
  rewrite mule1 -ltNge => yt; have yt' : (e < y - t)%R by rewrite ltr_subr_addl -ltr_subr_addr.
  have ye : (e <= y)%R by rewrite ltW// (lt_le_trans yt')// ler_subl_addr ler_addl.
  rewrite /cutg asboolT// -EFinM lee_fin (pE (- t)%R y) mulrC; apply: ler_wpmul2r => //.
  rewrite ler_expR (ger0_norm (_ : 0 <= y - t - e)%R) ?subr_ge0 ?(ltW yt')// ger0_norm ?subr_ge0//.
  by rewrite addrAC addrAC opprB addrA subrK addrAC subrr add0r mulNr.
rewrite low_scale ?expR_ge0//.
rewrite (low_shift (- t)%R c0) EFinM; apply: lee_wpmul2l; first by rewrite lee_fin expR_ge0.
exact: upper_half.
Qed.

(* the place where the tail begins *)
Lemma no_place (c : R) (g : T -> \bar R) : (forall x, 0 <= g x) -> \int[leb]_x cutg [set c] g x = 0.
Proof.
move=> g0; rewrite -(low_shift c (cutg_ge0 [set c] g0)) -[RHS](low_point (fun x => g0 (x + c)%R)).
apply: eq_integral => x _; rewrite /cutg; congr (if _ then _ else _); apply/asboolP/asboolP => /= [h|-> //].
  by apply: (@addIr _ c); rewrite h add0r.
by rewrite add0r.
Qed.
Lemma open_tail_mass (e b t : R) : (0 < b)%R -> (0 <= t)%R ->
  laplace e b (fun y => if (y - e < t)%R then 0 else 1) <= (expR (- (t / b)) / 2)%:E.
Proof.
move=> b0 t0; apply: le_trans (upper_tail_mass e b0 t0); rewrite /= /dev; set p := wp_ leb (lap_w e b).
have p0 y : (0 <= p y)%R := lap_p0 e b y.
pose g y := (p y)%:E * (if (y - e < t)%R then 0 else 1).
have g0 y : 0 <= g y by rewrite mule_ge0 ?lee_fin//; case: ifP => _; rewrite ?lee01.
apply: (le_trans (low_cut_le (measurable_set1 (t + e)%R) g0)).
rewrite no_place// add0e; apply: low_le => y; first exact: cutg_ge0.
rewrite /cutg; case: asboolP => [h|_]; last by rewrite mule_ge0 ?lee_fin//; case: ifP => _; rewrite ?lee01.
rewrite /g lt_neqAle -(inj_eq (addIr e)) subrK; case: eqP => [//|ne] /=.
by [].
Qed.

(* what is far is given up *)
Lemma split_off (e b : R) (near : T -> bool) (f : T -> \bar R) : measurable [set y | ~~ near y] -> (forall y, 0 <= f y) -> (forall y, f y <= 1) ->
  laplace e b f <= laplace e b (fun y => if near y then f y else 0) + laplace e b (fun y => if near y then 0 else 1).
Proof.
move=> mA f0 f1; rewrite /= /dev; set p := wp_ leb (lap_w e b); set A := mkset _ in mA.
have p0 y : (0 <= p y)%R := lap_p0 _ b y.
pose q y := (p y * \1_A y)%R.
have mq : measurable_fun setT q.
  apply: measurable_funM; last exact: mindic.
  by apply: wp_meas; exact: lap_w_meas.
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

(* any sampling axiom that proves the draw with the post-condition restricted to y - e <= t *)
Theorem up_to_upper_tail (S : Type) (center : S -> R) (u : S -> R -> S) (Psi : assn R S) (b t : R) (Phi : assn R S) :
  (0 <= t)%R -> (0 < b)%R ->
  (forall m m' k, Phi m m' k -> exists supp phi (cost : R -> R),
     star (laplace (center m) b) (laplace (center m') b) supp phi cost /\
     forall y, supp y -> (y - center m <= t)%R -> Psi (u m y) (u m' (phi y)) (k + cost y)%R) ->
  judge (expR (- (t / b)) / 2) (Draw (fun s => laplace (center s) b) u) Phi Psi.
Proof.
move=> t0 b0 H; apply: (@Rules.up_to_bad _ _ _ _ _ _ _ _ (fun m y => y - center m <= t)%R).
  move=> m f f0 f1; apply: split_off => //.
  by rewrite (_ : mkset _ = [set y | t + center m < y]%R); [exact: mray_gt|apply/funext => y /=; rewrite -ltNge ltr_subr_addr].
move=> m m' k /H[supp [phi [cost [Hs HP]]]]; split; last by exists supp, phi, cost.
exact: upper_tail_mass.
Qed.
(* the same for y - e < t *)
Theorem up_to_open_tail (S : Type) (center : S -> R) (u : S -> R -> S) (Psi : assn R S) (b t : R) (Phi : assn R S) :
  (0 <= t)%R -> (0 < b)%R ->
  (forall m m' k, Phi m m' k -> exists supp phi (cost : R -> R),
     star (laplace (center m) b) (laplace (center m') b) supp phi cost /\
     forall y, supp y -> (y - center m < t)%R -> Psi (u m y) (u m' (phi y)) (k + cost y)%R) ->
  judge (expR (- (t / b)) / 2) (Draw (fun s => laplace (center s) b) u) Phi Psi.
Proof.
move=> t0 b0 H; apply: (@Rules.up_to_bad _ _ _ _ _ _ _ _ (fun m y => y - center m < t)%R).
  move=> m f f0 f1; apply: split_off => //.
  by rewrite (_ : mkset _ = [set y | t + center m <= y]%R); [exact: mray_ge|apply/funext => y /=; rewrite -leNgt ler_subr_addr].
move=> m m' k /H[supp [phi [cost [Hs HP]]]]; split; last by exists supp, phi, cost.
exact: open_tail_mass.
Qed.
End Tails.
