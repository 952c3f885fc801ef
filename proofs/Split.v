(* SPLIT (trusted/kernel/src/rules/select/split.rs): a program that is proved in one way for some pairs of states, and in another for the others, gives up the larger of the two amounts.
   A judgement is one about each pair of states and cost on its own (each), so what is given up for one pair is not given up for another.  Read: split. *)
From Probity Require Import Prelude Judgement.
From Probity Require Rules.
Local Open Scope ring_scope.
Local Open Scope ereal_scope.

Section Split.
Variables (R : realType) (S : Type).
Implicit Types (c : stmt R S) (Phi Theta Psi : assn R S).

Theorem split (d1 d2 : R) c (g : S -> S -> R -> Prop) Phi Theta Psi :
  judge d1 c Phi Psi -> judge d2 c Theta Psi ->
  judge (Num.max d1 d2) c (fun s s' k => (g s s' k -> Phi s s' k) /\ (~ g s s' k -> Theta s s' k)) Psi.
Proof.
move=> J1 J2 f F f0 f1 F0 H m m' k [H1 H2].
have [p|p] := pselect (g m m' k).
  by apply: (Rules.more_delta _ J1) => //; [rewrite le_maxr lexx|exact: H1].
by apply: (Rules.more_delta _ J2) => //; [rewrite le_maxr lexx orbT|exact: H2].
Qed.

(* one pair of states and one cost *)
Definition only (m m' : S) (k : R) : assn R S := fun s s' j => [/\ s = m, s' = m' & j = k].
Theorem each (d : R) c Phi Psi : judge d c Phi Psi <-> forall m m' k, Phi m m' k -> judge d c (only m m' k) Psi.
Proof.
split=> [J m m' k HP|J f F f0 f1 F0 H m m' k HP]; first by apply: Rules.strengthen J => s s' j [-> -> ->].
exact: (J m m' k HP f F f0 f1 F0 H m m' k).
Qed.
End Split.
