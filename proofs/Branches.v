(* Programs in step, and the equivalences about branches of trusted/kernel/src/rules/hoist.rs: HOIST (hoist), JOIN (join),
   TAIL (tail), MERGE (merge), ENTRY (entry), ONE-DRAW (one_draw).

   in_step T c c' T': from states that T relates, c and c' have the same expectations of tests that T' makes equal; the two may have different
   states.  step_... build it along two programs.  What the kernel checks on the text ("y is read in its branch only") is a relation "same but
   for y" that everything else respects.  Read: in_step, hoist, join, tail, merge, entry, one_draw. *)
From Probity Require Import Prelude Judgement Privacy.
Local Open Scope ring_scope.
Local Open Scope ereal_scope.

Section InStep.
Variables (R : realType) (S S' : Type).
Implicit Types (T : S -> S' -> Prop).

Definition in_step T (c : stmt R S) (c' : stmt R S') (T' : S -> S' -> Prop) := forall f f', nneg f -> le1 f -> nneg f' -> le1 f' ->
  (forall s s', T' s s' -> f s = f' s') -> forall s s', T s s' -> wp c f s = wp c' f' s'.

Lemma step_skip T : in_step T (Skip R S) (Skip R S') T.
Proof. by move=> f f' _ _ _ _; exact. Qed.
Lemma step_seq T T1 T2 c c' d d' : in_step T c c' T1 -> in_step T1 d d' T2 -> in_step T (Seq c d) (Seq c' d') T2.
Proof.
move=> Hc Hd f f' f0 f1 f'0 f'1 ff s s' st /=.
by apply: Hc st; [exact: wp_ge0|exact: wp_le1|exact: wp_ge0|exact: wp_le1|exact: Hd].
Qed.
Lemma step_assign T T' u u' : (forall s s', T s s' -> T' (u s) (u' s')) -> in_step T (Assign R u) (Assign R u') T'.
Proof. by move=> H f f' _ _ _ _ ff s s' st /=; apply: ff; exact: H. Qed.
Lemma step_draw T T' A (D : S -> law R A) (D' : S' -> law R A) u u' : (forall s s', T s s' -> D s = D' s') ->
  (forall s s' a, T s s' -> T' (u s a) (u' s' a)) -> in_step T (Draw D u) (Draw D' u') T'.
Proof.
move=> HD H f f' _ _ _ _ ff s s' st /=; rewrite (HD s s' st); congr (ev (D' s')); apply/funext => a.
by apply: ff; exact: H.
Qed.
Lemma step_if T T' g g' c c' d d' : (forall s s', T s s' -> g s = g' s') -> in_step T c c' T' -> in_step T d d' T' ->
  in_step T (If g c d) (If g' c' d') T'.
Proof.
move=> Hg Hc Hd f f' f0 f1 f'0 f'1 ff s s' st /=; rewrite (Hg s s' st).
by case: (g' s'); [exact: Hc|exact: Hd].
Qed.
Lemma step_for T i j (c : int -> stmt R S) (c' : int -> stmt R S') : (forall z, in_step T (c z) (c' z) T) ->
  in_step T (For i j c) (For i j c') T.
Proof.
move=> Hc f f' f0 f1 f'0 f'1 ff /=; move: (rounds i j) => n.
have all1 (X : Type) (b : int -> stmt R X) (h : X -> \bar R) : nneg h -> le1 h -> forall n i, nneg (seqn n i (fun i => wp (b i)) h) /\
    le1 (seqn n i (fun i => wp (b i)) h).
  move=> h0 h1; elim=> [|k IH] z //=; have [a b0] := IH (z + 1)%R.
  by split; [exact: wp_ge0|exact: wp_le1].
elim: n i => [|n IH] i s s' st /=; first exact: ff.
have [a0 a1] := all1 _ c f f0 f1 n (i + 1)%R; have [b0 b1] := all1 _ c' f' f'0 f'1 n (i + 1)%R.
by apply: (Hc i) st => // t t' tt; exact: IH.
Qed.
Lemma step_weaken T T' T1 T2 c c' : (forall s s', T' s s' -> T s s') -> (forall s s', T1 s s' -> T2 s s') ->
  in_step T c c' T1 -> in_step T' c c' T2.
Proof. by move=> H K Hc f f' f0 f1 f'0 f'1 ff s s' /H; apply: Hc => // t t' /K; exact: ff. Qed.

(* the law of what is released is the same *)
Lemma step_law T T' c c' (O : Type) (out : S -> O) (out' : S' -> O) (E : O -> Prop) s s' : in_step T c c' T' ->
  (forall s s', T' s s' -> out s = out' s') -> T s s' ->
  wp c (ind R (fun s => E (out s))) s = wp c' (ind R (fun s => E (out' s))) s'.
Proof.
move=> Hc oo; apply: Hc; [exact: ind_ge0|exact: ind_le1|exact: ind_ge0|exact: ind_le1|].
by move=> t t' /oo; rewrite /ind => ->.
Qed.
End InStep.

(* a law of mass 1 leaves a number alone *)
Lemma law_const (R : realType) A (D : law R A) (x : \bar R) : D (fun=> 1) = 1 -> 0 <= x -> x <= 1 -> D (fun=> x) = x.
Proof.
move=> D1 x0 x1; have xf : x \is a fin_num by rewrite ge0_fin_numE//; apply: (le_lt_trans x1); exact: ltry.
rewrite -(fineK xf) -[X in D (fun=> X)]mule1 ev_scale ?D1 ?mule1//; first exact: fine_ge0.
Qed.

Section Branches.
Variables (R : realType) (S : Type).
Implicit Types (c d : stmt R S).

(* if g { y ~ D; c } else { d }  =  y ~ D; if g { c } else { d }.  same: up to y.  g, D and d do not read y, the draw sets nothing else,
   and D is a probability measure where g is false. *)
Theorem hoist (same : S -> S -> Prop) A (g : S -> bool) (D : S -> law R A) (u : S -> A -> S) c d :
  (forall s, same s s) -> (forall s t r, same s t -> same t r -> same s r) ->
  (forall s t, same s t -> g s = g t) -> (forall s t, same s t -> D s = D t) ->
  (forall s a, same s (u s a)) -> (forall s t a, same s t -> u s a = u t a) ->
  (forall s, ~~ g s -> D s (fun=> 1) = 1) ->
  in_step same d d same ->
  in_step same (If g (Seq (Draw D u) c) d) (Seq (Draw D u) (If g c d)) same.
Proof.
move=> refl trans Hg HD set over total Hd f f' f0 f1 f'0 f'1 ff s t st.
have fE : f = f' by apply/funext => r; exact: ff.
have gu a : g (u t a) = g t by rewrite -(Hg t (u t a)).
rewrite /= (Hg s t st); case: ifPn => gt.
  rewrite (HD s t st); congr (ev (D t)); apply/funext => a.
  by rewrite gu gt fE (over s t).
rewrite (_ : (fun a => if g (u t a) then wp c f' (u t a) else wp d f' (u t a)) = fun=> wp d f s).
  by rewrite law_const ?total//; [exact: wp_ge0|exact: wp_le1].
apply/funext => a; rewrite gu (negPf gt); apply/esym; apply: Hd => //; exact: trans st (set t a).
Qed.

(* if a { if b { c } }  =  if a and b { c } *)
Theorem join (a b : S -> bool) c f m :
  wp (If a (If b c (Skip R S)) (Skip R S)) f m = wp (If (fun s => a s && b s) c (Skip R S)) f m.
Proof. by rewrite /=; case: (a m). Qed.

(* if g { c; s } else { d; s }  =  if g { c } else { d }; s *)
Theorem tail (g : S -> bool) c d e f m :
  wp (If g (Seq c e) (Seq d e)) f m = wp (Seq (If g c d) e) f m.
Proof. by []. Qed.

(* as parts of a program, in the order in which it is read *)
Lemma step_hoist (same : S -> S -> Prop) A (g : S -> bool) (D : S -> law R A) (u : S -> A -> S) c d e e' :
  (forall s, same s s) -> (forall s t r, same s t -> same t r -> same s r) ->
  (forall s t, same s t -> g s = g t) -> (forall s t, same s t -> D s = D t) ->
  (forall s a, same s (u s a)) -> (forall s t a, same s t -> u s a = u t a) ->
  (forall s, ~~ g s -> D s (fun=> 1) = 1) ->
  in_step same d d same -> in_step same e e' same ->
  in_step same (Seq (If g (Seq (Draw D u) c) d) e) (Seq (Draw D u) (Seq (If g c d) e')) same.
Proof.
move=> refl trans Hg HD set over total Hd He f f' f0 f1 f'0 f'1 ff s t st.
exact (step_seq (hoist c refl trans Hg HD set over total Hd) He f0 f1 f'0 f'1 ff st).
Qed.
Lemma step_join (T : S -> S -> Prop) (a b a' b' : S -> bool) c c' : (forall s t, T s t -> a s = a' t) -> (forall s t, T s t -> b s = b' t) ->
  in_step T c c' T ->
  in_step T (If a (Seq (If b c (Skip R S)) (Skip R S)) (Skip R S)) (If (fun s => a' s && b' s) c' (Skip R S)) T.
Proof.
move=> Ha Hb Hc f f' f0 f1 f'0 f'1 ff s t st /=; rewrite (Ha s t st) (Hb s t st).
by case: (a' t) => /=; [case: (b' t) => /=; [exact: Hc|exact: ff]|exact: ff].
Qed.
Lemma step_tail (T T1 T2 : S -> S -> Prop) (g g' : S -> bool) c c' d d' e e' : (forall s t, T s t -> g s = g' t) ->
  in_step T c c' T1 -> in_step T d d' T1 -> in_step T1 e e' T2 ->
  in_step T (If g (Seq c e) (Seq d e)) (Seq (If g' c' d') e') T2.
Proof.
move=> Hg Hc Hd He f f' f0 f1 f'0 f'1 ff s t st; rewrite tail.
exact: (step_seq (step_if Hg Hc Hd) He f0 f1 f'0 f'1 ff st).
Qed.
End Branches.

(* if g { c; append(l, a) } else { d; append(l, b) }  =  if g { c; y = a } else { d; y = b }; append(l, y).  T: equal but for y, which nothing else reads *)
Theorem merge (R : realType) (S S' A : Type) (T : S -> S' -> Prop) (g : S -> bool) (g' : S' -> bool) (c d : stmt R S) (c' d' : stmt R S')
    (list : S -> seq A) (list' : S' -> seq A) (put : S -> seq A -> S) (put' : S' -> seq A -> S') (y : S' -> A) (set_y : S' -> A -> S')
    (a b : S -> A) (a' b' : S' -> A) :
  (forall s v, y (set_y s v) = v) -> (forall s v, list' (set_y s v) = list' s) ->
  (forall s s', T s s' -> [/\ g s = g' s', list s = list' s', a s = a' s' & b s = b' s']) ->
  (forall s s' l v, T s s' -> T (put s l) (put' (set_y s' v) l)) ->
  in_step T c c' T -> in_step T d d' T ->
  in_step T
    (If g (Seq c (Assign R (fun s => put s (rcons (list s) (a s))))) (Seq d (Assign R (fun s => put s (rcons (list s) (b s))))))
    (Seq (If g' (Seq c' (Assign R (fun s => set_y s (a' s)))) (Seq d' (Assign R (fun s => set_y s (b' s)))))
      (Assign R (fun s => put' s (rcons (list' s) (y s))))) T.
Proof.
move=> ys ls reads sets Hc Hd f f' f0 f1 f'0 f'1 ff s s' st /=.
have [-> _ _ _] := reads s s' st; case: (g' s'); [apply: Hc st|apply: Hd st] => // t t' tt; rewrite ys ls;
  have [_ -> ea eb] := reads t t' tt; rewrite ?ea ?eb; apply: ff; exact: sets.
Qed.

(* append(l, e)  =  y = e; append(l, y).  T: equal but for y *)
Theorem entry (R : realType) (S S' A : Type) (T : S -> S' -> Prop) (list : S -> seq A) (list' : S' -> seq A) (put : S -> seq A -> S) (put' : S' -> seq A -> S')
    (y : S' -> A) (set_y : S' -> A -> S') (e : S -> A) (e' : S' -> A) :
  (forall s v, y (set_y s v) = v) -> (forall s v, list' (set_y s v) = list' s) ->
  (forall s s', T s s' -> list s = list' s' /\ e s = e' s') -> (forall s s' l v, T s s' -> T (put s l) (put' (set_y s' v) l)) ->
  in_step T (Assign R (fun s => put s (rcons (list s) (e s))))
    (Seq (Assign R (fun s => set_y s (e' s))) (Assign R (fun s => put' s (rcons (list' s) (y s))))) T.
Proof.
move=> ys ls reads sets f f' f0 f1 f'0 f'1 ff s s' st /=; rewrite ys ls; have [-> ->] := reads s s' st.
by apply: ff; exact: sets.
Qed.

(* if g { y ~ D(a, s) } else { y ~ D(b, t) }  =  y ~ D(if g then a else b, if g then s else t): one law of a center and a scale; with one parameter, the other is the same on both sides *)
Theorem one_draw (R : realType) (S P Q A : Type) (D : P -> Q -> law R A) (u : S -> A -> S) (g : S -> bool) (a b : S -> P) (v w : S -> Q) f m :
  wp (If g (Draw (fun s => D (a s) (v s)) u) (Draw (fun s => D (b s) (w s)) u)) f m =
  wp (Draw (fun s => D (if g s then a s else b s) (if g s then v s else w s)) u) f m.
Proof. by rewrite /=; case: (g m). Qed.
(* a parameter that both branches write in the same way is kept *)
Theorem one_draw_kept (R : realType) (S P Q A : Type) (D : P -> Q -> law R A) (u : S -> A -> S) (g : S -> bool) (a b : S -> P) (v : S -> Q) f m :
  wp (If g (Draw (fun s => D (a s) (v s)) u) (Draw (fun s => D (b s) (v s)) u)) f m =
  wp (Draw (fun s => D (if g s then a s else b s) (v s)) u) f m.
Proof. by rewrite /=; case: (g m). Qed.
