(* FIRST-ROUND (trusted/kernel/src/rules/equivalence/first_round.rs): what is drawn before a loop, drawn as the round before its first.

   y ~ D[i := n - 1]; a; for i in n..b { v ~ D; c }  =  z; for i in n - 1..max(n, b) { v ~ D; if i == n - 1 { y = v; a } else { c } }, up to v, for every law D and every c; z sets y, and what a sets before
   anything reads it, to anything.  b is what its expression is where the loop begins: in the one program behind a, in the other before it.  begun says it about meanings, for states of any type.  first_round
   asks for what the kernel checks on the text, for states that give names values: which names an expression, a law or a statement reads and sets (reads, reads_only, sets_only; good_... show it along a
   statement).  first_round_step is a step of two programs that goes on in any block (step_... in Branches.v, and step_while).

   Read: the statements of first_round and first_round_step; item, set_first, never_read. *)
From Probity Require Import Prelude Judgement Privacy Branches.
From Probity Require Rules.
Local Open Scope classical_set_scope.
Local Open Scope ring_scope.
Local Open Scope ereal_scope.

Section Loops.
Variables (R : realType) (S : Type).
Implicit Types (c : int -> stmt R S).
Lemma rounds_max (n b : int) : rounds n (Num.max n b) = rounds n b.
Proof. by rewrite /rounds; case: (leP n b) => [->//|_]; rewrite lexx subrr. Qed.
(* the round before the first, and then the others *)
Lemma a_round_earlier c (n b : int) f s : wp (For (n - 1)%R (Num.max n b) c) f s = wp (c (n - 1)%R) (wp (For n b c) f) s.
Proof.
have le : (n <= Num.max n b)%R by rewrite le_maxr lexx.
have [k kE] : exists k : nat, (Num.max n b = n + k%:Z)%R.
  by exists `|(Num.max n b - n)%R|%N; rewrite gez0_abs ?subr_ge0// addrC subrK.
have r : rounds n (n + k%:Z)%R = k by rewrite /rounds ler_addl addrC addKr.
have r1 : rounds (n - 1)%R (n + k%:Z)%R = k.+1.
  by rewrite /rounds ler_add// opprB addrC addrA subrK addrC -PoszD addn1.
by rewrite /= -(rounds_max n b) kE r r1 /= subrK.
Qed.
(* only the rounds of the loop count *)
Lemma same_rounds c c' (n b : int) f s : (forall i g, (n <= i)%R -> wp (c i) g = wp (c' i) g) -> wp (For n b c) f s = wp (For n b c') f s.
Proof.
move=> H /=; have E k : forall i, (n <= i)%R -> seqn k i (fun i => wp (c i)) f = seqn k i (fun i => wp (c' i)) f.
  by elim: k => [|k IH] i ni //=; rewrite H// IH// (le_trans ni)// ler_addl.
by rewrite E.
Qed.
End Loops.

(* ---- what it is about meanings: same, equal but for v; near, but for v and what is set before the loop as well; half, when y is drawn ---- *)
Section Begun.
Variables (R : realType) (S B : Type) (same near half : S -> S -> Prop).
Variables (D : int -> S -> law R B) (set_y set_v : S -> B -> S) (copy zero : S -> S) (a : stmt R S) (c : int -> stmt R S) (n : int) (to : S -> int).
Hypothesis laws : forall i s s', same s s' -> D i s = D i s'.
Hypothesis first_law : forall s s', near s s' -> D (n - 1)%R s = D (n - 1)%R s'.
Hypothesis over : forall s s' x, same s s' -> set_v s x = set_v s' x.
Hypothesis same_refl : forall s, same s s.
Hypothesis zeros : forall s s', same s s' -> near s (zero s').
Hypothesis drawn : forall s s' x, near s s' -> half (set_y s x) (copy (set_v s' x)).
Hypothesis alike_a : in_step half a a same.
Hypothesis to_zero : forall s s', same s s' -> to s = to (zero s').
Hypothesis to_y : forall s x, to s = to (set_y s x).
Hypothesis to_a : Rules.local (fun s t => to s = to t) a.
(* the rounds of the second loop *)
Definition both (i : int) : stmt R S := Seq (Draw (D i) set_v) (If (fun=> i == n - 1)%R (Seq (Assign R copy) a) (c i)).
Definition rest (i : int) : stmt R S := Seq (Draw (D i) set_v) (c i).

Theorem begun f f' : nneg f -> le1 f -> nneg f' -> le1 f' -> (forall s s', same s s' -> f s = f' s') -> forall s s', same s s' ->
  wp (Seq (Draw (D (n - 1)%R) set_y) a) (fun t => wp (For n (to t) rest) f t) s =
  wp (Assign R zero) (fun t => wp (For (n - 1)%R (Num.max n (to t)) both) f' t) s'.
Proof.
move=> f0 f1 f'0 f'1 ff s s' st; have ns := zeros st.
rewrite [RHS](a_round_earlier both) -(to_zero st) /= eqxx (first_law ns); congr (ev (D _ (zero s'))); apply/funext => x.
transitivity (wp a (wp (For n (to s) rest) f) (set_y s x)).
  by apply: to_a => [t|t|t <-]; rewrite ?(to_y s x)//; exact: (@wp_ge0 R S (For n _ rest)).
apply: alike_a (drawn x ns); [exact: (@wp_ge0 R S (For n _ rest))|exact: (@wp_le1 R S (For n _ rest))|exact: (@wp_ge0 R S (For n _ both))|exact: (@wp_le1 R S (For n _ both))|] => t t' tt.
have E : wp (For n (to s) both) f' t' = wp (For n (to s) rest) f' t'.
  apply: same_rounds => i g ni /=; rewrite (_ : (i == n - 1)%R = false)//.
  by apply/negP => /eqP iE; move: ni; rewrite iE ler_subr_addl ger_addr.
refine (etrans _ (esym E)).
have step : in_step same (For n (to s) rest) (For n (to s) rest) same; last exact: step.
apply: step_for => // i h h' h0 h1 h'0 h'1 hh r r' rr /=; rewrite (laws i rr); congr (ev (D i r')); apply/funext => z.
by rewrite (over z rr); congr (wp _ _ _); apply/funext => q; exact: hh.
Qed.
End Begun.

(* a `while` around it *)
Theorem step_while (R : realType) (S S' : Type) (T : S -> S' -> Prop) (g : S -> bool) (g' : S' -> bool) (c : stmt R S) (c' : stmt R S') :
  (forall s s', T s s' -> g s = g' s') -> in_step T c c' T -> in_step T (While g c) (While g' c') T.
Proof.
move=> Hg Hc f f' f0 f1 f'0 f'1 ff s s' st /=; congr ereal_sup; apply/seteqP.
have good (X : Type) (h : X -> bool) (d : stmt R X) k n : nneg k -> le1 k -> nneg (unroll n h (wp d) k) /\ le1 (unroll n h (wp d) k).
  move=> k0 k1; elim: n => [|n [IH0 IH1]] /=; first by split=> t; [exact: lexx|exact: lee01].
  by split=> t; case: (h t) => //; [exact: wp_ge0|exact: wp_le1].
have E n : forall s s', T s s' -> unroll n g (wp c) f s = unroll n g' (wp c') f' s'.
  elim: n => [|n IH] t t' tt //=; rewrite (Hg t t' tt); case: (g' t'); last exact: ff.
  have [a0 a1] := good _ g c f n f0 f1; have [b0 b1] := good _ g' c' f' n f'0 f'1.
  exact: Hc.
by split=> _ [n _ <-]; exists n => //; rewrite (E n s s').
Qed.

(* ---- what the kernel checks on the text: names that are read and set ---- *)
Section Names.
Variables (R : realType) (N : eqType) (V B : Type).
Notation state := (N -> V).
Definition but (X : pred N) (s s' : state) := forall w, ~~ X w -> s w = s' w.
Definition upd (s : state) (w : N) (x : V) : state := fun u => if u == w then x else s u.
(* an expression, or a law *)
Definition reads (A : Type) (r : pred N) (e : state -> A) := forall s s', (forall w, r w -> s w = s' w) -> e s = e s'.
(* a statement that does alike from states that differ in names which it does not read, and leaves others alone *)
Definition reads_only (r : pred N) (c : stmt R state) := forall X : pred N, (forall w, X w -> ~~ r w) -> in_step (but X) c c (but X).
Definition sets_only (u : pred N) (c : stmt R state) := Rules.local (but u) c.
(* a block without draws and loops, at its top level: assignments, with what they read, and other statements, with what they read and set *)
Inductive item := Sets of N & pred N & (state -> V) | Other of pred N & pred N & stmt R state.
Definition good (t : item) : Prop := match t with Sets w r e => reads r e | Other r u c => reads_only r c /\ sets_only u c end.
Definition does (t : item) : stmt R state := match t with Sets w _ e => Assign R (fun s => upd s w (e s)) | Other _ _ c => c end.
Definition block (a : seq item) : stmt R state := foldr (fun t d => Seq (does t) d) (Skip R state) a.
Definition item_reads (t : item) : pred N := match t with Sets _ r _ => r | Other r _ _ => r end.
Definition item_sets (t : item) : pred N := match t with Sets w _ _ => pred1 w | Other _ u _ => u end.
Definition never_read (w : N) (a : seq item) : bool := all (fun t => ~~ item_reads t w) a.
Definition sets_some (a : seq item) : pred N := fun w => has (fun t => item_sets t w) a.
(* an assignment at the top level sets w, and nothing reads it before *)
Fixpoint set_first (w : N) (a : seq item) : bool :=
  match a with [::] => false | t :: l => ~~ item_reads t w && ((if t is Sets u _ _ then u == w else false) || set_first w l) end.
Fixpoint all_good (a : seq item) : Prop := match a with [::] => True | t :: l => good t /\ all_good l end.

(* assignments (append(l, e) is one, of what reads l and e) and conditionals of such *)
Lemma good_assign r (e : state -> V) w : reads r e -> reads_only r (Assign R (fun s => upd s w (e s))) /\ sets_only (pred1 w) (Assign R (fun s => upd s w (e s))).
Proof.
move=> re; split=> [X Xr|].
  apply: step_assign => s t st u Xu; rewrite /upd; case: eqP => // _; last exact: st.
  by apply: re => x rx; apply: st; apply/negP => /Xr; rewrite rx.
by apply: Rules.local_assign => s u /= uw; rewrite /upd (negPf uw).
Qed.
Lemma good_skip r u : reads_only r (Skip R state) /\ sets_only u (Skip R state).
Proof. by split=> [X _|]; [exact: step_skip|exact: Rules.local_skip]. Qed.
Lemma sets_more (u u' : pred N) c : (forall w, u w -> u' w) -> sets_only u c -> sets_only u' c.
Proof.
move=> uu sc m f g f0 g0 fg; apply: sc => // s ms; apply: fg => w nw; apply: ms; apply: contra nw; exact: uu.
Qed.
Lemma good_seq r r' u u' c d : reads_only r c /\ sets_only u c -> reads_only r' d /\ sets_only u' d ->
  reads_only (fun w => r w || r' w) (Seq c d) /\ sets_only (fun w => u w || u' w) (Seq c d).
Proof.
move=> [rc sc] [rd sd]; split=> [X Xr|].
  by apply: (step_seq (rc X _) (rd X _)) => w /Xr; rewrite negb_or => /andP[].
apply: Rules.local_seq; [|by apply: sets_more sc => w ->|by apply: sets_more sd => w ->; rewrite orbT].
by move=> s t q st tq w nw; rewrite st// tq.
Qed.
Lemma good_if r r' r'' u u' g c d : reads r'' g -> reads_only r c /\ sets_only u c -> reads_only r' d /\ sets_only u' d ->
  reads_only (fun w => [|| r'' w, r w | r' w]) (If g c d) /\ sets_only (fun w => u w || u' w) (If g c d).
Proof.
move=> rg [rc sc] [rd sd]; split=> [X Xr|].
  apply: step_if; [|apply: rc|apply: rd]; try by move=> w /Xr; rewrite !negb_or => /and3P[].
  by move=> s t st; apply: rg => x rx; apply: st; apply/negP => /Xr; rewrite rx.
by apply: Rules.local_if; [apply: sets_more sc => w ->|apply: sets_more sd => w ->; rewrite orbT].
Qed.

Lemma but_refl X s : but X s s.
Proof. by []. Qed.
Lemma but_trans X s t r : but X s t -> but X t r -> but X s r.
Proof. by move=> st tr w w0; rewrite st// tr. Qed.
Lemma but_more (X Y : pred N) s t : (forall w, X w -> Y w) -> but X s t -> but Y s t.
Proof. by move=> XY st w Yw; apply: st; apply/negP => /XY; exact/negP. Qed.
Lemma reads_but A (r X : pred N) (e : state -> A) s t : reads r e -> (forall w, X w -> ~~ r w) -> but X s t -> e s = e t.
Proof. by move=> re Xr st; apply: re => w rw; apply: st; apply/negP => /Xr; rewrite rw. Qed.
(* what the block sets first does not matter before it, nor what it never reads *)
Lemma settled (v : N) (a : seq item) (X : pred N) : all_good a -> (forall w, X w -> set_first w a \/ w = v /\ never_read w a) ->
  in_step (but X) (block a) (block a) (but (pred1 v)).
Proof.
elim: a X => [|t a IH] X /=.
  move=> _ H f f' _ _ _ _ ff s s' st; apply: ff; apply: but_more st => w /H[//|[-> _]]; exact: eqxx.
move=> [gt ga] H; have Xr w : X w -> ~~ item_reads t w by case/H => [/andP[]|[_ /andP[]]].
case: t gt H Xr => [u r e|r u c] /= => [re|[rc _]] H Xr.
  apply: (step_seq (T1 := but (fun w => X w && (w != u)))).
    apply: step_assign => s s' st w; rewrite negb_and negbK /upd; case: eqP => [_ _|_]; first by exact: reads_but re Xr st.
    by rewrite orbF; exact: st.
  apply: IH => // w /andP[Xw wu]; case: (H w Xw) => [/andP[_ /orP[/eqP uw|]]|[wv /andP[_ nr]]]; [|by left|by right].
  by move: wu; rewrite uw eqxx.
apply: (step_seq (rc X Xr)); apply: IH => // w Xw; by case: (H w Xw) => [/andP[_ h]|[wv /andP[_ nr]]]; [left|right].
Qed.
Lemma block_sets (a : seq item) (agree : state -> state -> Prop) : (forall s, agree s s) -> (forall s t r, agree s t -> agree t r -> agree s r) ->
  (forall s t, but (sets_some a) s t -> agree s t) -> all_good a -> Rules.local agree (block a).
Proof.
move=> refl trans; elim: a => [|t a IH] H /=; first by move=> _; exact: Rules.local_skip.
move=> [gt ga]; apply: Rules.local_seq => //; last by apply: IH => // s r sr; apply: H; apply: but_more sr => w; rewrite /sets_some /= => ->; rewrite orbT.
case: t gt H => [u r e|r u c] /= => [_|[_ sc]] H.
  by apply: Rules.local_assign => s; apply: H => w; rewrite /sets_some /= negb_or /upd eq_sym => /andP[/negPf ->].
by move=> m f g f0 g0 fg; apply: sc => // s ms; apply: fg; apply: H; apply: but_more ms => w uw; rewrite /sets_some /= uw.
Qed.

Variables (y v : N) (D : int -> state -> law R B) (value : B -> V) (rD rt F : pred N) (a : seq item) (c : int -> stmt R state) (n : int) (to : state -> int) (zero : state -> state).
Definition set (w : N) (s : state) (x : B) : state := upd s w (value x).
Definition copied (s : state) : state := upd s y (s v).
(* D does not read v, nor what is 0 before the loop *)
Hypothesis D_reads : forall i, reads rD (D i).
Hypothesis D_v : ~~ rD v.
Hypothesis D_fresh : forall w, F w -> ~~ rD w.
(* b reads neither v nor what is set on the way *)
Hypothesis to_reads : reads rt to.
Hypothesis to_stays : forall w, rt w -> [/\ w != v, w != y & ~~ sets_some a w].
(* a reads v only if it is y *)
Hypothesis a_good : all_good a.
Hypothesis a_v : y = v \/ never_read v a.
(* what is 0 before the loop: y, and what a sets first *)
Hypothesis fresh : forall w, F w -> w = y \/ set_first w a.
Hypothesis zero_sets : forall s, but F s (zero s).

Let first : pred N := fun w => (w == v) || F w.
Lemma set_first_sets w : set_first w a -> sets_some a w.
Proof.
rewrite /sets_some; elim: (a) => [|t l IH] //= /andP[_ /orP[|/IH ->]]; last by rewrite orbT.
by case: t => // u r e /eqP ->; rewrite /= eqxx.
Qed.
Theorem first_round f f' : nneg f -> le1 f -> nneg f' -> le1 f' -> (forall s s', but (pred1 v) s s' -> f s = f' s') -> forall s s', but (pred1 v) s s' ->
  wp (Seq (Draw (D (n - 1)%R) (set y)) (block a)) (fun t => wp (For n (to t) (rest D (set v) c)) f t) s =
  wp (Assign R zero) (fun t => wp (For (n - 1)%R (Num.max n (to t)) (both D (set v) copied (block a) c n)) f' t) s'.
Proof.
apply: (@begun R state B (but (pred1 v)) (but first) (but (fun w => first w && (w != y)))) => //.
- by move=> i s s' st; apply: (reads_but (D_reads i)) st => w /eqP ->.
- by move=> s s' st; apply: (reads_but (D_reads _)) st => w /orP[/eqP ->|/D_fresh].
- move=> s s' x st; apply/funext => w; rewrite /set /upd; case: eqP => // /eqP; exact: st.
- move=> s s' st; apply: (@but_trans _ _ s'); first by apply: but_more st => w; rewrite /first /= => ->.
  by apply: but_more (zero_sets s') => w Fw; rewrite /first Fw orbT.
- move=> s s' x st w; rewrite negb_and negbK /copied /set /upd eqxx; case: eqP => // _; rewrite orbF => fw.
  by rewrite (negPf (_ : w != v)) ?st//; move: fw; rewrite /first negb_or => /andP[].
- apply: settled => // w /andP[/orP[/eqP ->|Fw] wy]; last by case: (fresh Fw) => [wE|]; [move: wy; rewrite wE eqxx|left].
  by case: a_v => [yv|]; [move: wy; rewrite yv eqxx|right].
- move=> s s' st; apply: (reads_but to_reads (X := first)); last first.
    apply: (@but_trans _ _ s'); first by apply: but_more st => w; rewrite /first /= => ->.
    by apply: but_more (zero_sets s') => w Fw; rewrite /first Fw orbT.
  move=> w /orP[/eqP ->|Fw]; apply/negP => /to_stays[]; first by rewrite eqxx.
  by move=> _ wy /negP; case: (fresh Fw) => [wE|/set_first_sets]; [move: wy; rewrite wE eqxx|].
- move=> s x; apply: to_reads => w /to_stays[_ wy _]; by rewrite /set /upd (negPf wy).
- apply: block_sets => // [s t r -> //|s t st]; apply: (reads_but to_reads) st => w sw; apply/negP => /to_stays[_ _]; by rewrite sw.
Qed.
End Names.

(* as a step of two programs: with b one number, which is how `For` has its bounds *)
Theorem first_round_step (R : realType) (N : eqType) (V B : Type) (y v : N) (D : int -> (N -> V) -> law R B) (value : B -> V) (rD F : pred N)
    (a : seq (item R N V)) (c : int -> stmt R (N -> V)) (n b : int) (zero : (N -> V) -> N -> V) :
  (forall i, reads rD (D i)) -> ~~ rD v -> (forall w, F w -> ~~ rD w) -> all_good a -> y = v \/ never_read v a ->
  (forall w, F w -> w = y \/ set_first w a) -> (forall s, but F s (zero s)) ->
  in_step (but (pred1 v))
    (Seq (Seq (Draw (D (n - 1)%R) (set value y)) (block a)) (For n b (fun i => Seq (Draw (D i) (set value v)) (c i))))
    (Seq (Assign R zero) (For (n - 1)%R (Num.max n b)
      (fun i => Seq (Draw (D i) (set value v)) (If (fun=> i == n - 1)%R (Seq (Assign R (copied y v)) (block a)) (c i)))))
    (but (pred1 v)).
Proof.
move=> Dr Dv DF ag av fr zs f f' f0 f1 f'0 f'1 ff s s' st.
exact: (@first_round R N V B y v D value rD pred0 F a c n (fun=> b) zero Dr Dv DF _ _ ag av fr zs f f' f0 f1 f'0 f'1 ff s s' st).
Qed.

(* so that the conditions can be met: the largest of some noisy values, y and w, whose first one is drawn before the loop.  y, w and v are 0, 1 and 2 *)
Section NoisyMaximum.
Variables (R : realType) (noise : int -> law R R) (b : int).
Notation state := (nat -> R).
Let round (i : int) : stmt R state := If (fun s => s 0%N < s 2%N)%R (Seq (Assign R (fun s => upd s 1%N i%:~R)) (Assign R (fun s => upd s 0%N (s 2%N)))) (Skip R state).
Let begin : stmt R state := Seq (Assign R (fun s => upd s 1%N 0%R)) (Skip R state).
Let same := @but [eqType of nat] R (pred1 2%N).
Theorem noisy_maximum :
  in_step same
    (Seq (Seq (Draw (fun=> noise 0%R) (fun s x => upd s 0%N x)) begin) (For 1%R b (fun i => Seq (Draw (fun=> noise i) (fun s x => upd s 2%N x)) (round i))))
    (Seq (Assign R (fun s => upd (upd s 0%N 0%R) 1%N 0%R)) (For 0%R (Num.max 1%R b)
      (fun i => Seq (Draw (fun=> noise i) (fun s x => upd s 2%N x)) (If (fun=> i == 0)%R (Seq (Assign R (fun s => upd s 0%N (s 2%N))) begin) (round i))))) same.
Proof.
apply: (@first_round_step R [eqType of nat] R R 0%N 2%N (fun i _ => noise i) id pred0 (fun w => w < 2)%N [:: Sets R 1%N pred0 (fun=> 0%R)] round 1%R b) => //=.
- by right.
- by case=> [|[|w]] // _; [left|right].
- by move=> s [|[|w]].
Qed.
End NoisyMaximum.
