(* MAXDIV for exported certificates, where a probability has quotients by exponentials in it: the kernel writes it as a fraction without them (trusted/kernel/src/rules/finite.rs, fraction),
   which is the mass that the lemmas of Blocks.v compute (is_mass_frac). *)
From Probity Require Import PreludeReals Laws Finite Blocks.
Open Scope R_scope.

Lemma is_mass_frac (I V : Type) (Y : choiceType) (y : V -> Y) c (i : I) v x n d n' d' :
  is_mass y c i v x n d -> 0 < d' -> n * d' = n' * d -> is_mass y c i v x n' d'.
Proof.
move=> [d0 M] d0' E; split=> //; rewrite M; apply: efin; rewrite /frac.
have -> : n = n' * d / d' by rewrite -E; field; lra.
by field; lra.
Qed.
(* at the end of a block: y is what it was set to *)
Lemma m_end (I V : Type) (y : V -> bool) (i : I) v x : is_mass y (skip_ I V) i v x (if Bool.eqb (y v) x then 1 else 0) 1.
Proof.
split; first lra; rewrite -[LHS]/(if y v == x then 1 else 0)%E.
have -> : (y v == x) = Bool.eqb (y v) x by case: (y v); case: x.
by case: Bool.eqb; [apply: (@efin 1)|apply: (@efin 0)]; rewrite /frac /Rdiv Rinv_1 Rmult_1_r.
Qed.
Lemma m_endZ (I V : Type) (y : V -> Z) (i : I) v x : is_mass y (skip_ I V) i v x (if eqR (IZR (y v)) (IZR x) then 1 else 0) 1.
Proof.
split; first lra; rewrite -[LHS]/(if y v == x then 1 else 0)%E.
have -> : (y v == x) = eqR (IZR (y v)) (IZR x) by apply/idP/idP => [/eqP ->|/eqRP/eq_IZR ->//]; exact/eqRP.
by case: eqR; [apply: (@efin 1)|apply: (@efin 0)]; rewrite /frac /Rdiv Rinv_1 Rmult_1_r.
Qed.
(* exponentials are positive numbers *)
Ltac exponentials := repeat match goal with
  | |- context [exp ?x] => let e := fresh "e" in let p := fresh "p" in pose proof (exp_pos x) as p; set (e := exp x) in *; clearbody e
  | h : context [exp ?x] |- _ => let e := fresh "e" in let p := fresh "p" in pose proof (exp_pos x) as p; set (e := exp x) in *; clearbody e
  end.
Ltac conditions := repeat match goal with
  | h : _ && _ = true |- _ => apply and_true in h; destruct h
  | h : leR _ _ = true |- _ => apply leRP in h
  | h : ltR _ _ = true |- _ => apply ltRP in h
  end.
Ltac not_zero := repeat split; first [lra | apply Rgt_not_eq; repeat apply Rmult_lt_0_compat; lra].
Ltac quotient := unfold inv in *; exponentials; first [repeat apply Rmult_lt_0_compat; lra | field; not_zero | ring].
