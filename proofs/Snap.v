(* Snap over the reals is eps-private, by derivation (000 and 002: Theorem 3, in its repaired form): z ~ laplace(0, 1), the release is
   clamp(round_to(x + z / eps, L), B).  The derivation is one use of LAPGEN with k = eps (x - x'), after which both runs hold
   the same sum; what is computed from it, rounding and clamping included, may be any function.

   That s ln(u) with u uniform and s a fair sign has the law laplace(0, 1) (LAPLACE-LAW) is not in Coq. *)
From mathcomp Require Import all_ssreflect all_algebra.
From mathcomp Require Import ring.
From mathcomp.classical Require Import boolp classical_sets functions.
From mathcomp.analysis Require Import reals ereal topology normedtype sequences exp.
From mathcomp.analysis Require Import measure lebesgue_measure.
From Probity Require Import Judgement Privacy Continuous.
From Probity Require Rules.
Set Implicit Arguments.
Unset Strict Implicit.
Unset Printing Implicit Defensive.
Import Order.TTheory GRing.Theory Num.Theory.
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
End Snap.
