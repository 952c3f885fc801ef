(* Snap over the reals is eps-private, by derivation (000 and 002: Theorem 3, in its repaired form): z ~ laplace(0, 1), the release is
   clamp(round_to(x + z / eps, L), B).  The derivation is one use of LAPGEN with k = eps (x - x'), after which both runs hold
   the same sum; what is computed from it, rounding and clamping included, may be any function.

   snap_derived is the same for the mechanism as the papers write it, u uniform on (0, 1] and s a fair sign: s ln(u) is Laplace (SignedLog.v).  Two draws in turn need
   events that are measurable: sets of outputs whose preimage is. *)
From Probity Require Import PreludeIntegral Judgement Laws Privacy Continuous SignedLog.
From Probity Require Rules.
Local Open Scope classical_set_scope.
Local Open Scope ring_scope.
Local Open Scope ereal_scope.

Section Snap.
Variables (R : realType) (eps : R) (O : Type) (finish : R -> O).
Hypothesis eps0 : (0 < eps)%R.
(* the state: the input, and the noise *)
Definition snap : stmt R (R * R) := Draw (fun=> laplace 0%R 1%R) (fun s z => (s.1, z)).
Definition release (s : R * R) : O := finish (s.1 + s.2 / eps)%R.

Theorem snap_private (x x' : R) : (`|x - x'| <= 1)%R -> dp release snap eps 0 (x, 0%R) (x', 0%R).
Proof.
move=> xx; pose k (s s' : R * R) (_ : R) := (eps * (s.1 - s'.1))%R; pose c (_ _ : R * R) (_ : R) := eps.
have J := @lapgen R (R * R)%type (fun=> 0%R) (fun=> 1%R) (fun s z => (s.1, z))
  (fun s s' j => release s = release s' /\ (j <= eps)%R) k c.
apply: equal_outputs J _ _ _; split=> [|y].
  split; [exact: ltr01|by []|].
  by rewrite /k /c /= addr0 subr0 mulr1 normrM gtr0_norm// -[leRHS]mulr1 ler_pmul2l.
split=> /=; last by rewrite add0r.
rewrite /release /k /=; congr finish.
by field; rewrite gt_eqF.
Qed.

(* the state: the input, u and s *)
Definition snap_drawn : stmt R (R * (R * R)) :=
  Seq (Draw (fun=> @uniform R) (fun m u => (m.1, (u, m.2.2)))) (Draw (fun=> sign R) (fun m s => (m.1, (m.2.1, s)))).
Definition release_drawn (m : R * (R * R)) : O := finish (m.1 + m.2.2 * ln m.2.1 / eps)%R.
Definition measurable_event (E : O -> Prop) := borel [set y : R | E (finish y)].

Lemma drawn_law (E : O -> Prop) (x : R) w : measurable_event E ->
  wp snap_drawn (ind R (fun m => E (release_drawn m))) (x, w) = wp snap (ind R (fun m => E (release m))) (x, 0%R).
Proof.
move=> mE; have := @laplace_law R (fun z => if `[< E (finish (x + z / eps)%R) >] then 1 else 0).
move=> /(_ _ _)/= <- //; first by move=> z; case: ifP; rewrite ?lee01.
pose A := [set z : R | E (finish (x + z / eps)%R)].
have mA : borel A.
  have m : borel_fun (fun z => x + z / eps)%R.
    apply: measurable_funD; first exact: measurable_fun_cst.
    by under eq_fun do rewrite mulrC; apply: measurable_funrM; exact: measurable_fun_id.
  by have := m measurableT _ mE; rewrite setTI.
rewrite (_ : (fun z => _) = EFin \o (\1_A : measurableTypeR R -> R)); first by apply/EFin_measurable_fun; exact: mindic.
apply/funext => z /=; rewrite indicE; case: asboolP => h; first by rewrite mem_set.
by rewrite memNset.
Qed.
Theorem snap_derived (x x' : R) w w' : (`|x - x'| <= 1)%R ->
  dp_on measurable_event release_drawn snap_drawn eps 0 (x, w) (x', w').
Proof. by move=> xx E mE; rewrite !drawn_law//; exact: snap_private. Qed.
End Snap.
