(* UP-TO-BAD for the lower tail alone of a Laplace draw (up_to_lower_tail, up_to_open_lower_tail, up_to_exact_lower_tail_int of trusted/kernel/src/rules/sampling/tails.rs): the law is
   its own mirror image around the center, so the lower tail has the mass of the upper one, also on the integers.  Read: the theorems. *)
From Probity Require Import PreludeIntegral Judgement Laws Sampling Density Continuous Logarithm TailsExact Tails TailsInt TailsBoth.
From Probity Require Rules.
Local Open Scope classical_set_scope.
Local Open Scope ring_scope.
Local Open Scope ereal_scope.

Section Low.
Variable R : realType.
Notation T := (measurableTypeR R).
Notation star := Rules.star.
Let leb : {measure set T -> \bar R} := [the measure _ _ of @lebesgue_measure R].

(* the other side has the same mass *)
Lemma mirrored_real (e b : R) (f : T -> \bar R) : (forall y, 0 <= f y) -> laplace e b (fun y => f (2 * e - y)%R) = laplace e b f.
Proof.
move=> f0; rewrite /= /dev; set p := wp_ leb (lap_w e b).
have p0 y : (0 <= p y)%R := lap_p0 e b y.
pose g (y : T) := (p y)%:E * f y.
have g0 y : 0 <= g y by rewrite mule_ge0 ?lee_fin.
rewrite -[RHS]/(\int[leb]_y g y) -(low_shift (2 * e)%R g0) -(low_neg (g := fun y => g (y + 2 * e)%R)); last by move=> y; exact: g0.
apply: eq_integral => y _; rewrite /g (addrC (- y)%R); congr (_%:E * _).
rewrite /p /wp_ /lap_w (_ : `|2 * e - y - e| = `|y - e|)%R//.
by rewrite (_ : 2 * e - y - e = - (y - e))%R ?normrN//; ring.
Qed.
Lemma low_place (e y : R) : (2 * e - y - e = - (y - e))%R.
Proof. by ring. Qed.
Lemma lower_tail_mass (e b t : R) : (0 < b)%R -> (0 <= t)%R ->
  laplace e b (fun y => if (- t <= y - e)%R then 0 else 1) <= (expR (- (t / b)) / 2)%:E.
Proof.
move=> b0 t0; rewrite -mirrored_real; last by move=> y; case: ifP => _; rewrite ?lee01.
rewrite (_ : (fun y => _) = (fun y => if (y - e <= t)%R then 0 else 1)); first exact: upper_tail_mass.
by apply/funext => y; rewrite low_place ler_opp2.
Qed.
Lemma open_lower_tail_mass (e b t : R) : (0 < b)%R -> (0 <= t)%R ->
  laplace e b (fun y => if (- t < y - e)%R then 0 else 1) <= (expR (- (t / b)) / 2)%:E.
Proof.
move=> b0 t0; rewrite -mirrored_real; last by move=> y; case: ifP => _; rewrite ?lee01.
rewrite (_ : (fun y => _) = (fun y => if (y - e < t)%R then 0 else 1)); first exact: open_tail_mass.
by apply/funext => y; rewrite low_place ltr_opp2.
Qed.

Lemma low_place_int (e y : int) : ((e + e - y - e)%:~R = - (y - e)%:~R :> R)%R.
Proof. by rewrite -rmorphN /=; congr (_%:~R); ring. Qed.
Lemma lower_tail_mass_int (e : int) (b t : R) : (0 < b)%R -> (0 <= t)%R ->
  discrete_laplace e b (fun y => if (- t <= (y - e)%:~R)%R then 0 else 1) <= (expR (- (t / b)))%:E.
Proof.
move=> b0 t0; rewrite -mirrored; last by move=> y; case: ifP => _; rewrite ?lee01.
rewrite (_ : (fun y => _) = (fun y => if ((y - e)%:~R <= t)%R then 0 else 1)); first exact: upper_tail_mass_int.
by apply/funext => y; rewrite low_place_int ler_opp2.
Qed.
Lemma open_lower_tail_mass_int (e : int) (b t : R) : (0 < b)%R -> (0 <= t)%R ->
  discrete_laplace e b (fun y => if (- t < (y - e)%:~R)%R then 0 else 1) <= (expR (- (t / b)))%:E.
Proof.
move=> b0 t0; rewrite -mirrored; last by move=> y; case: ifP => _; rewrite ?lee01.
rewrite (_ : (fun y => _) = (fun y => if ((y - e)%:~R < t)%R then 0 else 1)); first exact: open_tail_mass_int.
by apply/funext => y; rewrite low_place_int ltr_opp2.
Qed.
Lemma exact_lower_tail_mass (e : int) (b t : R) : (0 < b)%R -> (0 <= t)%R ->
  discrete_laplace e b (fun y => if (- t < (y - e)%:~R)%R then 0 else 1) <= (expR (- (t / b)) / (1 + expR (- b^-1)))%:E.
Proof.
move=> b0 t0; rewrite -mirrored; last by move=> y; case: ifP => _; rewrite ?lee01.
rewrite (_ : (fun y => _) = (fun y => if ((y - e)%:~R < t)%R then 0 else 1)); first exact: exact_tail_mass_real.
by apply/funext => y; rewrite low_place_int ltr_opp2.
Qed.

(* any sampling axiom that proves the draw with the post-condition restricted to -t <= y - e *)
Theorem up_to_lower_tail (S : Type) (center : S -> R) (u : S -> R -> S) (Psi : assn R S) (b t : R) (Phi : assn R S) :
  (0 <= t)%R -> (0 < b)%R ->
  (forall m m' k, Phi m m' k -> exists supp phi (cost : R -> R),
     star (laplace (center m) b) (laplace (center m') b) supp phi cost /\
     forall y, supp y -> (- t <= y - center m)%R -> Psi (u m y) (u m' (phi y)) (k + cost y)%R) ->
  judge (expR (- (t / b)) / 2) (Draw (fun s => laplace (center s) b) u) Phi Psi.
Proof.
move=> t0 b0 H; apply: (@Rules.up_to_bad _ _ _ _ _ _ _ _ (fun m y => - t <= y - center m)%R).
  move=> m f f0 f1; apply: split_off => //.
  by rewrite (_ : mkset _ = ~` [set y | - t + center m <= y]%R); [apply: measurableC; exact: mray_ge|apply/funext => y /=; rewrite ler_subr_addr; apply/propext; split => /negP].
move=> m m' k /H[supp [phi [cost [Hs HP]]]]; split; last by exists supp, phi, cost.
exact: lower_tail_mass.
Qed.
(* the same for -t < y - e *)
Theorem up_to_open_lower_tail (S : Type) (center : S -> R) (u : S -> R -> S) (Psi : assn R S) (b t : R) (Phi : assn R S) :
  (0 <= t)%R -> (0 < b)%R ->
  (forall m m' k, Phi m m' k -> exists supp phi (cost : R -> R),
     star (laplace (center m) b) (laplace (center m') b) supp phi cost /\
     forall y, supp y -> (- t < y - center m)%R -> Psi (u m y) (u m' (phi y)) (k + cost y)%R) ->
  judge (expR (- (t / b)) / 2) (Draw (fun s => laplace (center s) b) u) Phi Psi.
Proof.
move=> t0 b0 H; apply: (@Rules.up_to_bad _ _ _ _ _ _ _ _ (fun m y => - t < y - center m)%R).
  move=> m f f0 f1; apply: split_off => //.
  by rewrite (_ : mkset _ = ~` [set y | - t + center m < y]%R); [apply: measurableC; exact: mray_gt|apply/funext => y /=; rewrite ltr_subr_addr; apply/propext; split => /negP].
move=> m m' k /H[supp [phi [cost [Hs HP]]]]; split; last by exists supp, phi, cost.
exact: open_lower_tail_mass.
Qed.

Section Integers.
Variables (S : Type) (center : S -> int) (u : S -> int -> S) (Psi : assn R S) (b t : R) (Phi : assn R S).
Hypotheses (t0 : (0 <= t)%R) (b0 : (0 < b)%R).
Let restricted (near : R -> bool) :=
  forall s s' k, Phi s s' k -> exists supp phi (cost : int -> R),
     star (discrete_laplace (center s) b) (discrete_laplace (center s') b) supp phi cost /\
     forall y, supp y -> near (y - center s)%:~R -> Psi (u s y) (u s' (phi y)) (k + cost y)%R.
Let draw := Draw (fun s => discrete_laplace (center s) b) u.

Theorem up_to_lower_tail_int : restricted (fun d => - t <= d)%R -> judge (expR (- (t / b))) draw Phi Psi.
Proof.
move=> H; apply: (@Rules.up_to_bad _ _ _ _ _ _ _ _ (fun s y => - t <= (y - center s)%:~R)%R).
  by move=> s f f0 f1; exact: split_off_int.
move=> s s' k /H[supp [phi [cost [Hs HP]]]]; split; last by exists supp, phi, cost.
exact: lower_tail_mass_int.
Qed.
Theorem up_to_open_lower_tail_int : restricted (fun d => - t < d)%R -> judge (expR (- (t / b))) draw Phi Psi.
Proof.
move=> H; apply: (@Rules.up_to_bad _ _ _ _ _ _ _ _ (fun s y => - t < (y - center s)%:~R)%R).
  by move=> s f f0 f1; exact: split_off_int.
move=> s s' k /H[supp [phi [cost [Hs HP]]]]; split; last by exists supp, phi, cost.
exact: open_lower_tail_mass_int.
Qed.
Theorem up_to_exact_lower_tail_int : restricted (fun d => - t < d)%R ->
  judge (expR (- (t / b)) / (1 + expR (- b^-1))) draw Phi Psi.
Proof.
move=> H; apply: (@Rules.up_to_bad _ _ _ _ _ _ _ _ (fun s y => - t < (y - center s)%:~R)%R).
  by move=> s f f0 f1; exact: split_off_int.
move=> s s' k /H[supp [phi [cost [Hs HP]]]]; split; last by exists supp, phi, cost.
exact: exact_lower_tail_mass.
Qed.
End Integers.
End Low.
