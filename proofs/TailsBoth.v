(* UP-TO-BAD for the exact tails of a Laplace draw on the integers, from a real t on, as the kernel has it (up_to_exact_tail_int and up_to_exact_tails_int of trusted/kernel/src/rules/sampling/tails.rs):
   one tail has mass at most a^t/(1 + a), both at most twice as much, with a = e^(-1/b).  Read: the theorems. *)
From Probity Require Import PreludeIntegral Judgement Laws Sampling Density Continuous TailsExact.
From Probity Require Rules.
Local Open Scope classical_set_scope.
Local Open Scope ring_scope.
Local Open Scope ereal_scope.

Section Both.
Variable R : realType.

(* an integer is at least t if it is at least the first integer that is *)
Lemma exact_tail_mass_real (e : int) (b t : R) : (0 < b)%R -> (0 <= t)%R ->
  discrete_laplace e b (fun y => if ((y - e)%:~R < t)%R then 0 else 1) <= (expR (- (t / b)) / (1 + expR (- b^-1)))%:E.
Proof.
move=> b0 t0; have tm : (t <= (ceil t)%:~R)%R := ceil_ge t.
have m0 : (0 <= ceil t)%R by rewrite -(ler_int R) (le_trans t0 tm).
apply: (@le_trans _ _ (discrete_laplace e b (fun y => if (y - e < ceil t)%R then 0 else 1))).
  apply: ev_le => y; first by case: ifP => _; rewrite ?lee01.
  case: ifPn => [_|]; first by case: ifP => _; rewrite ?lee01.
  by rewrite -leNgt ceil_ge_int leNgt => /negPf ->.
apply: (le_trans (exact_tail_mass_int e b0 m0)); rewrite lee_fin; apply: ler_wpmul2r.
  by rewrite invr_ge0 addr_ge0 ?expR_ge0.
by rewrite ler_expR ler_opp2; apply: ler_wpmul2r => //; rewrite invr_ge0 ltW.
Qed.
(* the other side has the same mass *)
Lemma mirrored (e : int) (b : R) (f : int -> \bar R) : (forall y, 0 <= f y) -> discrete_laplace e b (fun y => f (e + e - y)%R) = discrete_laplace e b f.
Proof.
move=> f0; rewrite /= /mev [RHS](@reindex_esum _ _ _ [set: int] [set: int] (fun y => e + e - y)%R); last first.
  by rewrite setTT_bijective; exists (fun y => e + e - y)%R => y; rewrite subKr.
apply: eq_esum => y _; congr (_%:E * _); rewrite /norm_mass /dlap_w.
by rewrite (_ : e + e - y - e = - (y - e))%R ?normrN//; ring.
Qed.
Lemma exact_tails_mass_real (e : int) (b t : R) : (0 < b)%R -> (0 <= t)%R ->
  discrete_laplace e b (fun y => if (`|y - e|%:~R < t)%R then 0 else 1) <= (2 * expR (- (t / b)) / (1 + expR (- b^-1)))%:E.
Proof.
move=> b0 t0; pose f (y : int) : \bar R := if ((y - e)%:~R < t)%R then 0 else 1.
have f0 y : 0 <= f y by rewrite /f; case: ifP => _; rewrite ?lee01.
have p0 y : 0 <= (norm_mass (dlap_w e b) y)%:E by rewrite lee_fin; apply: norm_mass_ge0 => x; exact: dlap_w0.
apply: (@le_trans _ _ (discrete_laplace e b f + discrete_laplace e b (fun y => f (e + e - y)%R))); last first.
  rewrite mirrored// -mulrA mulrDl mul1r EFinD; apply: lee_add; exact: exact_tail_mass_real.
rewrite /= /mev -esumD; [|by move=> y _; rewrite mule_ge0|by move=> y _; rewrite mule_ge0].
apply: le_esum => y _; rewrite -ge0_muleDr//; apply: lee_wpmul2l => //.
case: ifPn => [_|]; first exact: adde_ge0.
rewrite -leNgt; have [ye|ye] := leP 0%R (y - e)%R => ty.
  have -> : f y = 1 by rewrite /f ltNge -{1}(ger0_norm ye) ty.
  by apply: lee_paddr.
have -> : f (e + e - y)%R = 1.
  by rewrite /f (_ : e + e - y - e = - (y - e))%R; [rewrite ltNge -(ltr0_norm ye) ty|ring].
by rewrite addeC; apply: lee_paddr.
Qed.

Section Rules.
Variables (S : Type) (center : S -> int) (u : S -> int -> S) (Psi : assn R S) (b t : R) (Phi : assn R S).
(* any sampling axiom that proves the draw with the post-condition restricted to y - e < t *)
Theorem up_to_exact_tail_real : (0 <= t)%R -> (0 < b)%R ->
  (forall s s' k, Phi s s' k -> exists supp phi (cost : int -> R),
     Rules.star (discrete_laplace (center s) b) (discrete_laplace (center s') b) supp phi cost /\
     forall y, supp y -> ((y - center s)%:~R < t)%R -> Psi (u s y) (u s' (phi y)) (k + cost y)%R) ->
  judge (expR (- (t / b)) / (1 + expR (- b^-1))) (Draw (fun s => discrete_laplace (center s) b) u) Phi Psi.
Proof.
move=> t0 b0 H; apply: (@Rules.up_to_bad _ _ _ _ _ _ _ _ (fun s y => (y - center s)%:~R < t)%R).
  by move=> s f f0 f1; exact: mlaw_splits.
move=> s s' k /H[supp [phi [cost [Hs HP]]]]; split; last by exists supp, phi, cost.
exact: exact_tail_mass_real.
Qed.
(* ... to |y - e| < t *)
Theorem up_to_exact_tails_int : (0 <= t)%R -> (0 < b)%R ->
  (forall s s' k, Phi s s' k -> exists supp phi (cost : int -> R),
     Rules.star (discrete_laplace (center s) b) (discrete_laplace (center s') b) supp phi cost /\
     forall y, supp y -> (`|y - center s|%:~R < t)%R -> Psi (u s y) (u s' (phi y)) (k + cost y)%R) ->
  judge (2 * expR (- (t / b)) / (1 + expR (- b^-1))) (Draw (fun s => discrete_laplace (center s) b) u) Phi Psi.
Proof.
move=> t0 b0 H; apply: (@Rules.up_to_bad _ _ _ _ _ _ _ _ (fun s y => `|y - center s|%:~R < t)%R).
  by move=> s f f0 f1; exact: mlaw_splits.
move=> s s' k /H[supp [phi [cost [Hs HP]]]]; split; last by exists supp, phi, cost.
exact: exact_tails_mass_real.
Qed.
End Rules.
End Both.
