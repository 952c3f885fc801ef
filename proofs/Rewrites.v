(* INLINE, NAME, CONDITIONAL and RANGE (trusted/kernel/src/rules/equivalence.rs) for exported certificates: what they do to a program, as steps of two programs that go in step (Branches.v).

   INLINE leaves out x = e (step_drop): from there on the relation says that x is e in the program that still has x.  NAME sets y to what is released at the end (step_name). *)
From Probity Require Import PreludeReals Judgement Equivalence Branches Certificate.

Section Rewrites.
Variables (R : realType) (S S' : Type).
Implicit Types (T : S -> S' -> Prop).
Lemma step_drop T T1 T2 u (c : stmt R S) (c' : stmt R S') : (forall s s', T s s' -> T1 (u s) s') -> in_step T1 c c' T2 -> in_step T (Seq (Assign R u) c) c' T2.
Proof. by move=> H Hc f f' f0 f1 f'0 f'1 ff s s' st; exact: (Hc f f' f0 f1 f'0 f'1 ff _ _ (H _ _ st)). Qed.
Lemma step_name T T' (u' : S' -> S') : (forall s s', T s s' -> T' s (u' s')) -> in_step T (Skip R S) (Seq (Assign R u') (Skip R S')) T'.
Proof. by move=> H f f' _ _ _ _ ff s s' st; exact: ff _ _ (H _ _ st). Qed.
Lemma step_conditional T T' (g : S -> bool) u v (w : S' -> S') :
  (forall s s', T s s' -> g s = true -> T' (u s) (w s')) -> (forall s s', T s s' -> g s = false -> T' (v s) (w s')) ->
  in_step T (If g (Seq (Assign R u) (Skip R S)) (Seq (Assign R v) (Skip R S))) (Assign R w) T'.
Proof.
move=> Hu Hv f f' _ _ _ _ ff s s' st /=; case E : (g s); apply: ff; [exact: Hu|exact: Hv].
Qed.
(* RANGE, with bounds as texts have them *)
Lemma int_max (a b : Z) : int_of_Z (Z.max a b) = Num.max (int_of_Z a) (int_of_Z b).
Proof.
have le x y : (x <= y)%Z -> (int_of_Z x <= int_of_Z y)%R by move=> xy; rewrite le_int; apply/leRP; exact: IZR_le.
case: (Z.le_ge_cases a b) => h; first by rewrite Z.max_r// max_r//; exact: le.
by rewrite Z.max_l// max_l//; exact: le.
Qed.
Lemma step_range T (a b : Z) (c : int -> stmt R S) (c' : int -> stmt R S') : (forall z, in_step T (c z) (c' z) T) ->
  in_step T (For (int_of_Z a) (int_of_Z b) c) (For (int_of_Z a) (int_of_Z (Z.max a b)) c') T.
Proof.
move=> H f f' f0 f1 f'0 f'1 ff s s' st; rewrite int_max -range_loop.
exact: (step_for _ _ H f0 f1 f'0 f'1 ff st).
Qed.
End Rewrites.
