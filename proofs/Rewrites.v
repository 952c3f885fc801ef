(* INLINE, NAME, CONDITIONAL, RANGE and UNROLL (trusted/kernel/src/rules/equivalence.rs), ENTRY and ONE-DRAW (hoist.rs) for exported certificates: what they do to a program, as steps of two programs that go in step (Branches.v).

   INLINE leaves out x = e (step_drop): from there on the relation says that x is e in the program that still has x.  NAME sets y to what is released at the end (step_name).  UNROLL takes the rounds of a loop
   one by one (step_round, step_over), the statements of a round before what follows (step_inside, step_pass).  ENTRY makes two assignments of one (step_entry). *)
From Probity Require Import PreludeReals Judgement Equivalence Branches Certificate.
From Probity Require Rules.

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
(* ENTRY *)
Lemma step_entry T T1 T' u (v w : S' -> S') (c : stmt R S) (c' : stmt R S') : (forall s s', T s s' -> T1 (u s) (w (v s'))) -> in_step T1 c c' T' ->
  in_step T (Seq (Assign R u) c) (Seq (Assign R v) (Seq (Assign R w) c')) T'.
Proof. by move=> H Hc f f' f0 f1 f'0 f'1 ff s s' st; exact: (Hc f f' f0 f1 f'0 f'1 ff _ _ (H _ _ st)). Qed.
(* ONE-DRAW *)
Lemma step_one_draw T T' A (g : S -> bool) (D E : S -> law R A) (F : S' -> law R A) u v w :
  (forall s s', T s s' -> g s = true -> D s = F s') -> (forall s s', T s s' -> g s = false -> E s = F s') ->
  (forall s s' a, T s s' -> T' (u s a) (w s' a)) -> (forall s s' a, T s s' -> T' (v s a) (w s' a)) ->
  in_step T (If g (Seq (Draw D u) (Skip R S)) (Seq (Draw E v) (Skip R S))) (Draw F w) T'.
Proof.
move=> HD HE Hu Hv f f' _ _ _ _ ff s s' st /=; case G : (g s).
  by rewrite (HD s s' st G); congr (ev (F s')); apply/funext => a; apply: ff; exact: Hu.
by rewrite (HE s s' st G); congr (ev (F s')); apply/funext => a; apply: ff; exact: Hv.
Qed.
(* UNROLL *)
Lemma step_inside T T' (c d e : stmt R S) (x : stmt R S') : in_step T (Seq c (Seq d e)) x T' -> in_step T (Seq (Seq c d) e) x T'.
Proof. exact. Qed.
Lemma step_pass T T' (c : stmt R S) (x : stmt R S') : in_step T c x T' -> in_step T (Seq (Skip R S) c) x T'.
Proof. exact. Qed.
Lemma rounds_over (a b : int) : (b <= a)%R -> rounds a b = 0%N.
Proof. by move=> ba; rewrite /rounds; case: ifP => // ab; have -> : b = a; [apply: le_anti; rewrite ba ab|rewrite subrr]. Qed.
Lemma rounds_more (a b : int) : (a < b)%R -> rounds a b = (rounds (a + 1) b).+1.
Proof.
move=> ab; have ab1 : (a + 1 <= b)%R by rewrite lez_addr1.
by apply/eqP; rewrite -eqz_nat intS !Rules.rounds_int// ?ltW// [X in _ == X]addrC opprD addrA subrK.
Qed.
End Rewrites.
Section Rounds.
Variables (I V S' : Type).
Implicit Types (T : I * V -> S' -> Prop).
Lemma step_round T T' (a a' b : Z) (c : Z -> stmt RR (I * V)) d (x : stmt RR S') : (a + 1 = a')%Z -> (a < b)%Z ->
  in_step T (Seq (c a) (Seq (for_ a' b c) d)) x T' -> in_step T (Seq (for_ a b c) d) x T'.
Proof.
move=> <- ab H f f' f0 f1 f'0 f'1 ff s s' st; rewrite -(H f f' f0 f1 f'0 f'1 ff s s' st) /=.
by rewrite int_add rounds_more ?lt_int /= ?int_of_ZK//; apply/ltRP; exact: IZR_lt.
Qed.
Lemma step_over T T' (a b : Z) (c : Z -> stmt RR (I * V)) d (x : stmt RR S') : (b <= a)%Z -> in_step T d x T' -> in_step T (Seq (for_ a b c) d) x T'.
Proof.
move=> ba H f f' f0 f1 f'0 f'1 ff s s' st; rewrite -(H f f' f0 f1 f'0 f'1 ff s s' st) /=.
by rewrite rounds_over ?le_int//; apply/leRP; exact: IZR_le.
Qed.
End Rounds.
