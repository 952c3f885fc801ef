(* UP-TO-BAD for one side of a coin (trusted/kernel/src/rules/sampling/tails.rs, up_to_side): what happens with probability d at most is given up, and on the other side both runs see the same.

   Read: the statement of up_to_side. *)
From Probity Require Import Prelude Judgement Laws.
Local Open Scope ring_scope.
Local Open Scope ereal_scope.

Section Sides.
Variables (R : realType) (S : Type) (u : S -> bool -> S) (p : S -> R) (d : R) (side : bool) (Psi : assn R S).
(* y ~ bernoulli(p): p = p', 0 <= p <= 1, and the side has at most the mass d, a number; Psi on the other side, at no cost *)
Theorem up_to_side : judge (Num.max 0 d)%R (Draw (fun s => bernoulli (p s)) u)
  (fun s s' k => [/\ p s = p s', (0 <= p s <= 1)%R, ((if side then p s else 1 - p s) <= d)%R & Psi (u s (~~ side)) (u s' (~~ side)) k]) Psi.
Proof.
move=> f F f0 f1 F0 H m m' k [pp pr mass Ps]; have /andP[p0 p1] := pr.
rewrite /= -[X in X <= _]/(bernoulli (p m) (fun b => f (u m b))) -[X in _ * X + _]/(bernoulli (p m') (fun b => F (u m' b))) -pp !bernoulliE//.
have q0 : (0 <= 1 - p m)%R by rewrite subr_ge0.
have kept : f (u m (~~ side)) <= (expR (- k))%:E * F (u m' (~~ side)) by exact: H.
have e0 : (0 <= expR (- k))%R := expR_ge0 _.
have part x b b' : (0 <= x)%R -> f (u m b) <= (expR (- k))%:E * F (u m' b') -> x%:E * f (u m b) <= (expR (- k))%:E * (x%:E * F (u m' b')).
  by move=> x0 h; rewrite muleCA; apply: lee_wpmul2l h; rewrite lee_fin.
have lost x b : (0 <= x)%R -> (x <= d)%R -> x%:E * f (u m b) <= (Num.max 0 d)%:E.
  move=> x0 xd; apply: (@le_trans _ _ (x%:E * 1)); first by apply: lee_wpmul2l; rewrite ?lee_fin.
  by rewrite mule1 lee_fin le_maxr xd orbT.
have pos x b : (0 <= x)%R -> 0 <= (expR (- k))%:E * (x%:E * F (u m' b)) by move=> x0; rewrite !mule_ge0// lee_fin.
rewrite ge0_muleDr ?mule_ge0 ?lee_fin//; case: side mass kept {Ps} => /= mass kept.
  by rewrite addeC; apply: lee_add; [apply: lee_paddl; [exact: pos|exact: part]|exact: lost].
by apply: lee_add; [apply: lee_paddr; [exact: pos|exact: part]|exact: lost].
Qed.
End Sides.
