(* A charged coupling, the definition that docs/logic.md starts from, implies the judgement.

   mu is an integral on triples (s, s', cost): concentrated on Psi, its first marginal is the law of the first
   run but for mass d, and e^(k - k') mu moved to s' lies below the law of the second run. *)
From Probity Require Import Prelude Judgement.
Local Open Scope ring_scope.
Local Open Scope ereal_scope.

Section Coupling.
Variables (R : realType) (S : Type).
Implicit Types (c : stmt R S) (Phi Psi : assn R S).

(* mu is a (lower, upper or honest) integral against a measure on triples *)
Record charged (d : R) c Psi (m m' : S) (k : R) := Charged {
  mu : (S -> S -> R -> \bar R) -> \bar R;
  mu_on : forall h h', (forall s s' j, 0 <= h s s' j) ->
     (forall s s' j, Psi s s' j -> h s s' j <= h' s s' j) -> mu h <= mu h';   (* concentrated on Psi *)
  mu_fst : forall f, nneg f -> le1 f -> wp c f m <= mu (fun s _ _ => f s) + d%:E;
  mu_snd : forall F, nneg F -> mu (fun _ s' j => (expR (k - j))%:E * F s') <= wp c F m'
}.

Theorem coupling_judge d c Phi Psi :
  (forall m m' k, Phi m m' k -> inhabited (charged d c Psi m m' k)) -> judge d c Phi Psi.
Proof.
move=> H f F f0 f1 F0 Hr m m' k /H[[mu on fst snd]].
apply: (le_trans (fst f f0 f1)); rewrite lee_add2r//.
have e0 : (0 <= expR (- k))%R := expR_ge0 _.
apply: le_trans (wp_scale e0 c F0 m').
have F0' : nneg (fun t => (expR (- k))%:E * F t) by move=> t; rewrite mule_ge0// lee_fin.
apply: le_trans (snd _ F0'); apply: on => // s s' j HP.
apply: (le_trans (Hr _ _ _ HP)).
by rewrite muleA -EFinM -expRD addrAC subrr add0r.
Qed.

End Coupling.
