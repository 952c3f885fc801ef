(* UP-TO-BAD for the upper tail alone of a Laplace draw on the integers (up_to_upper_tail of trusted/kernel/src/rules/sampling.rs): the draws with
   y - e > t are given up, and have mass at most e^(-t/b).  With the place where it begins (up_to_open_tail) the bound is the same. *)
From Probity Require Import Prelude Judgement Laws Sampling.
From Probity Require Rules.
Local Open Scope classical_set_scope.
Local Open Scope ring_scope.
Local Open Scope ereal_scope.

Section TailsInt.
Variable R : realType.

(* from e + m on, and t <= m *)
Lemma tail_mass_from (e m : int) (b t : R) (near : int -> bool) : (0 < b)%R -> (0 <= t)%R -> (t <= m%:~R)%R ->
  (forall y, ~~ near y -> (m <= y - e)%R) ->
  discrete_laplace e b (fun y => if near y then 0 else 1) <= (expR (- (t / b)))%:E.
Proof.
move=> b0 t0 tm m_le; rewrite /= /mev; set p := norm_mass (dlap_w e b).
have p0 y : (0 <= p y)%R by apply: norm_mass_ge0 => x; exact: dlap_w0.
apply: (@le_trans _ _ (\esum_(y in [set: int]) ((expR (- (t / b)))%:E * (p (y - m)%R)%:E))).
  apply: le_esum => y _; case: ifPn => [_|]; first by rewrite mule0 mule_ge0 ?lee_fin ?expR_ge0.
  rewrite mule1 => /m_le my; rewrite -EFinM lee_fin /p /norm_mass mulrA; apply: ler_wpmul2r.
    by rewrite invr_ge0 fine_ge0// total_ge0// => a; exact: dlap_w0.
  rewrite /dlap_w b0 -expRD ler_expR -opprD ler_opp2 -mulrDl ler_pmul2r ?invr_gt0//.
  have m0 : (0 <= m)%R by rewrite -(ler_int R) (le_trans t0 tm).
  rewrite (ger0_norm (le_trans m0 my)) (_ : y - m - e = y - e - m)%R; last by ring.
  by rewrite ger0_norm ?subr_ge0// rmorphB /= addrC -ler_subr_addl subKr.
rewrite esum_scale ?expR_ge0//; last by move=> y; rewrite lee_fin.
rewrite -[leRHS]mule1; apply: lee_wpmul2l; first by rewrite lee_fin expR_ge0.
have -> : \esum_(y in [set: int]) (p (y - m)%R)%:E = total p by exact: (@total_shift R (fun y => p (y - m)%R) p m).
by apply: norm_mass_sub => x; exact: dlap_w0.
Qed.
Lemma upper_tail_mass_int (e : int) (b t : R) : (0 < b)%R -> (0 <= t)%R ->
  discrete_laplace e b (fun y => if ((y - e)%:~R <= t)%R then 0 else 1) <= (expR (- (t / b)))%:E.
Proof.
move=> b0 t0; apply: (@tail_mass_from _ (floor t + 1)%R) => // [|y].
  by rewrite rmorphD /=; apply: ltW; exact: lt_succ_floor.
by rewrite -ltNge => ty; rewrite lez_addr1 -(ltr_int R); apply: le_lt_trans ty; exact: floor_le.
Qed.
Lemma open_tail_mass_int (e : int) (b t : R) : (0 < b)%R -> (0 <= t)%R ->
  discrete_laplace e b (fun y => if ((y - e)%:~R < t)%R then 0 else 1) <= (expR (- (t / b)))%:E.
Proof.
move=> b0 t0; apply: (@tail_mass_from _ (ceil t)) => // [|y]; first exact: ceil_ge.
by rewrite -leNgt ceil_ge_int.
Qed.

Lemma split_off_int (e : int) (b : R) (near : int -> bool) (f : int -> \bar R) : (forall y, 0 <= f y) -> (forall y, f y <= 1) ->
  discrete_laplace e b f <= discrete_laplace e b (fun y => if near y then f y else 0) +
    discrete_laplace e b (fun y => if near y then 0 else 1).
Proof.
move=> f0 f1; rewrite /= /mev; set p := norm_mass (dlap_w e b).
have p0 y : 0 <= (p y)%:E by rewrite lee_fin; apply: norm_mass_ge0 => x; exact: dlap_w0.
rewrite -esumD; last 2 first.
- by move=> y _; rewrite mule_ge0//; case: ifP.
- by move=> y _; rewrite mule_ge0//; case: ifP => _; rewrite ?lee01.
apply: le_esum => y _; case: ifP => _; first by rewrite mule0 adde0.
by rewrite mule0 add0e mule1 -[leRHS]mule1; apply: lee_wpmul2l.
Qed.

(* any sampling axiom that proves the draw with the post-condition restricted to y - e <= t *)
Theorem up_to_upper_tail_int (S : Type) (center : S -> int) (u : S -> int -> S) (Psi : assn R S) (b t : R) (Phi : assn R S) :
  (0 <= t)%R -> (0 < b)%R ->
  (forall m m' k, Phi m m' k -> exists supp phi (cost : int -> R),
     Rules.star (discrete_laplace (center m) b) (discrete_laplace (center m') b) supp phi cost /\
     forall y, supp y -> ((y - center m)%:~R <= t)%R -> Psi (u m y) (u m' (phi y)) (k + cost y)%R) ->
  judge (expR (- (t / b))) (Draw (fun s => discrete_laplace (center s) b) u) Phi Psi.
Proof.
move=> t0 b0 H; apply: (@Rules.up_to_bad _ _ _ _ _ _ _ _ (fun m y => (y - center m)%:~R <= t)%R).
  by move=> m f f0 f1; exact: split_off_int.
move=> m m' k /H[supp [phi [cost [Hs HP]]]]; split; last by exists supp, phi, cost.
exact: upper_tail_mass_int.
Qed.
(* the same for y - e < t *)
Theorem up_to_open_tail_int (S : Type) (center : S -> int) (u : S -> int -> S) (Psi : assn R S) (b t : R) (Phi : assn R S) :
  (0 <= t)%R -> (0 < b)%R ->
  (forall m m' k, Phi m m' k -> exists supp phi (cost : int -> R),
     Rules.star (discrete_laplace (center m) b) (discrete_laplace (center m') b) supp phi cost /\
     forall y, supp y -> ((y - center m)%:~R < t)%R -> Psi (u m y) (u m' (phi y)) (k + cost y)%R) ->
  judge (expR (- (t / b))) (Draw (fun s => discrete_laplace (center s) b) u) Phi Psi.
Proof.
move=> t0 b0 H; apply: (@Rules.up_to_bad _ _ _ _ _ _ _ _ (fun m y => (y - center m)%:~R < t)%R).
  by move=> m f f0 f1; exact: split_off_int.
move=> m m' k /H[supp [phi [cost [Hs HP]]]]; split; last by exists supp, phi, cost.
exact: open_tail_mass_int.
Qed.
End TailsInt.
