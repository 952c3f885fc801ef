(* Programs that end with probability 1: what CALL-PURE asks of the mechanism that it calls (price and ends of trusted/kernel/src/rules/call.rs: no `while`, and a theorem).

   A program without `while` whose laws all have mass 1 ends (no_while).  Of a mechanism with a theorem less is known: its laws are in range where its derivation comes to them.  ends c Phi says that the
   first run of c, from a pair of states in Phi, has mass 1; a theorem for each rule of a derivation shows it, next to the judgement that the rule proves, which says where the rest of the program begins
   (ends_skip ... ends_loop; SEQ and FOR ask that the mass of what follows be additive, as in PW-EQ).  There is none for `while`.  So CALL-PURE follows from the theorem of what is called and from
   its derivation, and nothing is asked of masses (call_pure_ends).

   A call at no cost, inside of what is called, may have no value, with one probability in both runs.  Then the mass that is lost is one more value of what is released, whose probabilities compare as
   those of the others do, and the rest compares as before (call_pure_lost).  Read: no_while, ends, call_pure_ends. *)
From Probity Require Import Prelude.
From Probity Require Import Judgement Laws Additive Finite Privacy Compared Concentrated Bounded Called Ratio.
From Probity Require Rules.
Local Open Scope classical_set_scope.
Local Open Scope ring_scope.
Local Open Scope ereal_scope.

Section Ends.
Variables (R : realType) (S : Type).
Implicit Types (c d : stmt R S) (Phi Theta Psi : assn R S).
Definition lives c (m : S) := wp c (fun=> 1) m = 1.

(* ---- every law has mass 1 ---- *)
Fixpoint in_range c : Prop :=
  match c with
  | Skip | Assign _ => True
  | Draw A D u => forall s, D s (fun=> 1) = 1
  | Seq c d | If _ c d => in_range c /\ in_range d
  | For _ _ c => forall i, in_range (c i)
  | While _ _ => False
  end.
Theorem no_while c : in_range c -> forall m, lives c m.
Proof.
rewrite /lives; elim: c => [|u|A D u|c IHc d IHd|g c IHc d IHd|a b c IH|g c IH] //=.
- move=> [rc rd] m; rewrite (_ : wp d (fun=> 1) = fun=> 1); first exact: IHc.
  by apply/funext => s; exact: IHd.
- by move=> [rc rd] m; case: (g m); [exact: IHc|exact: IHd].
- move=> rc m; suff -> : seqn (rounds a b) a (fun i => wp (c i)) (fun=> 1) = fun=> 1 by [].
  move: (rounds a b) => n; elim: n a => [//|n IHn] a /=; rewrite IHn; apply/funext => s; exact: IH.
Qed.

(* ---- along a derivation ---- *)
Definition ends c Phi := forall m m' k, Phi m m' k -> lives c m.
(* tests whose expectations add up: all of them for discrete programs, the measurable ones for programs that draw reals *)
Variable good : (S -> \bar R) -> Prop.
Hypothesis good1 : good (fun=> 1).
Hypothesis good_rest : forall f, nneg f -> le1 f -> good f -> good (fun s => 1 - f s).
Definition splits c := (forall f, nneg f -> le1 f -> good f -> good (wp c f)) /\
  forall f, nneg f -> le1 f -> good f -> forall m, wp c (fun=> 1) m <= wp c f m + wp c (fun s => 1 - f s) m.
Lemma test_fin (f : S -> \bar R) s : nneg f -> le1 f -> f s \is a fin_num.
Proof. by move=> f0 f1; rewrite ge0_fin_numE//; apply: (le_lt_trans (f1 s)); exact: ltry. Qed.
Lemma left_ge0 (f : S -> \bar R) : nneg f -> le1 f -> nneg (fun s => 1 - f s).
Proof. by move=> f0 f1 s; rewrite -(fineK (test_fin s f0 f1)) -EFinB lee_fin subr_ge0 -lee_fin fineK// test_fin. Qed.
Lemma left_le1 (f : S -> \bar R) : nneg f -> le1 f -> le1 (fun s => 1 - f s).
Proof. by move=> f0 f1 s; rewrite -(fineK (test_fin s f0 f1)) -EFinB lee_fin ler_subl_addr ler_addl -lee_fin fineK// test_fin. Qed.

Theorem ends_skip Phi : ends (Skip R S) Phi.
Proof. by []. Qed.
Theorem ends_assign u Phi : ends (Assign R u) Phi.
Proof. by []. Qed.
(* ONE-SIDED *)
Theorem ends_one_sided c Phi : Rules.draw_free c -> ends c Phi.
Proof. by move=> fc m m' k _; rewrite /lives Rules.wp_run. Qed.
(* every sampling rule: the law is in range.  CALL: what is called ends *)
Theorem ends_draw A (D : S -> law R A) u Phi : (forall m m' k, Phi m m' k -> D m (fun=> 1) = 1) -> ends (Draw D u) Phi.
Proof. by move=> range m m' k /range. Qed.
(* CONSEQ, and the rules that have the same program in their premise: SPLIT, CASES, SELECT *)
Theorem ends_strengthen c Phi Theta : (forall m m' k, Phi m m' k -> exists k', Theta m m' k') -> ends c Theta -> ends c Phi.
Proof. by move=> H E m m' k /H[k']; exact: E. Qed.
Theorem ends_split c (P : S -> S -> R -> Prop) Phi Theta : ends c Phi -> ends c Theta ->
  ends c (fun s s' k => (P s s' k -> Phi s s' k) /\ (~ P s s' k -> Theta s s' k)).
Proof. by move=> E E' m m' k [H H']; have [p|p] := pselect (P m m' k); [exact: E (H p)|exact: E' (H' p)]. Qed.
(* COND *)
Theorem ends_cond (g : S -> bool) c d Phi Theta : ends c Phi -> ends d Theta ->
  ends (If g c d) (fun s s' k => [/\ g s = g s', g s -> Phi s s' k & ~~ g s -> Theta s s' k]).
Proof. by move=> E E' m m' k [_ H H']; rewrite /lives /=; case: ifPn => gm; [exact: E (H gm)|exact: E' (H' gm)]. Qed.
(* a test that is 1 on all pairs in Theta is 1 after c, but for no mass *)
Lemma surely c Phi Theta (h : S -> \bar R) : splits c -> judge_for good 0 c Phi Theta -> nneg h -> le1 h -> good h ->
  ends c Phi -> (forall m m' k, Theta m m' k -> h m = 1) -> forall m m' k, Phi m m' k -> wp c h m = 1.
Proof.
move=> [_ sc] J h0 h1 gh E all m m' k HP; apply/eqP; rewrite eq_le wp_le1//=.
have r0 := left_ge0 h0 h1; have r1 := left_le1 h0 h1.
have lost : wp c (fun s => 1 - h s) m <= 0.
  have rel : related Theta (fun s => 1 - h s) (fun=> 0) by move=> s s' j /all ->; rewrite subee// mule0.
  have := J _ (fun=> 0) (good_rest h0 h1 gh) r0 r1 (fun=> lexx _) rel m m' k HP.
  have -> : wp c (fun=> 0) m' = 0.
    apply/eqP; rewrite eq_le wp_ge0// andbT.
    by have := @wp_scale R S 0%R (lexx _) c (fun=> 0) (fun=> lexx _) m'; rewrite !mul0e.
  by rewrite mule0 adde0.
rewrite -{1}(E m m' k HP); apply: (le_trans (sc h h0 h1 gh m)).
by rewrite -[X in _ <= X]adde0 lee_add2l.
Qed.
(* SEQ, CHAIN *)
Theorem ends_seq c d Phi Theta : splits c -> splits d -> judge_for good 0 c Phi Theta -> ends c Phi -> ends d Theta -> ends (Seq c d) Phi.
Proof.
move=> sc [gd _] J E E'; have w0 : nneg (wp d (fun=> 1)) by apply: wp_ge0 => s; exact: lee01.
have w1 : le1 (wp d (fun=> 1)) by apply: wp_le1 => s; [exact: lee01|exact: lexx].
have gw : good (wp d (fun=> 1)) by apply: gd => // s; exact: lee01.
by move=> m m' k HP; exact: (surely sc J w0 w1 gw E E' HP).
Qed.
(* FOR, FOR-ONCE *)
Theorem ends_for (from to : int) (c : int -> stmt R S) (I : int -> assn R S) : (forall i, splits (c i)) ->
  (forall i, (from <= i < to)%R -> judge_for good 0 (c i) (I i) (I (i + 1)%R)) -> (forall i, (from <= i < to)%R -> ends (c i) (I i)) ->
  ends (For from to c) (I from).
Proof.
move=> sc J E; rewrite /ends /lives /= /rounds; case: ifP => [ft|_ //].
have : (from + `|to - from|%N%:Z = to)%R by rewrite gez0_abs ?subr_ge0// addrC subrK.
move: `|(to - from)%R|%N => n; elim: n from J E {ft} => [|n IH] from J E nE //=.
have here : (from <= from < to)%R by rewrite lexx -nE ltr_addl.
have later i : (from + 1 <= i < to)%R -> (from <= i < to)%R by move=> /andP[lo ->]; rewrite andbT (le_trans _ lo)// ler_addl.
have s0 j i : nneg (seqn j i (fun i => wp (c i)) (fun=> 1 : \bar R)).
  by apply: seqn_ge0 => [? ?|?]; [exact: wp_ge0|exact: lee01].
have s1 j i : le1 (seqn j i (fun i => wp (c i)) (fun=> 1 : \bar R)).
  elim: j i => [|j IHj] i /=; first by move=> ?; exact: lexx.
  by apply: wp_le1; [exact: s0|exact: IHj].
have gs j i : good (seqn j i (fun i => wp (c i)) (fun=> 1 : \bar R)).
  by elim: j i => [|j IHj] i //=; apply: (sc i).1; [exact: s0|exact: s1|exact: IHj].
have E' : ends (c from) (I from) by exact: E.
apply: (surely (sc from) (J from here) (s0 n _) (s1 n _) (gs n _) E') => m m' k HI.
by apply: (IH (from + 1)%R _ _ _ m m' k HI) => [i /later|i /later|]; [exact: J|exact: E|rewrite -nE -addrA -PoszD add1n].
Qed.
(* blocks: what c does not change says that the rest ends; nothing is asked of tests *)
Theorem ends_block (agree : S -> S -> Prop) c d m : Rules.local agree c -> lives c m -> (forall s, agree m s -> lives d s) -> lives (Seq c d) m.
Proof. by move=> loc E E'; rewrite /lives -[RHS]E; apply: loc => [s|s|s /E' //]; [apply: wp_ge0 => ?; exact: lee01|exact: lee01]. Qed.
(* programs whose expectations are countably additive are such programs *)
Lemma splits_additive c : good (fun=> 0) -> additive good c -> splits c.
Proof.
move=> g0 [gc sc]; split=> [f f0 _|f f0 f1 gf m]; first exact: gc.
have r0 := left_ge0 f0 f1.
pose h n s : \bar R := if n == 0%N then f s else if n == 1%N then 1 - f s else 0.
have h0 n : nneg (h n) by move=> s; rewrite /h; case: ifP => // _; case: ifP => // _; exact: r0.
have gh n : good (h n).
  rewrite /h; case: (n == 0%N) => //; case: (n == 1%N) => //; exact: good_rest.
have two (a : nat -> \bar R) : (forall n, 0 <= a n) -> (forall n, (1 < n)%N -> a n = 0) -> \sum_(n <oo) a n = a 0%N + a 1%N.
  move=> a0 far; rewrite (@nneseries_split _ _ 2)// big_ord_recl big_ord1 /= [X in _ + X](_ : _ = 0) ?adde0//.
  rewrite (_ : (fun k => _) = fun=> 0); first by rewrite lim_cst.
  by apply/funext => k; rewrite big_nat_cond big1// => i /andP[/andP[+ _] _]; exact: far.
have zero t : wp c (fun=> 0) t = 0.
  apply/eqP; rewrite eq_le wp_ge0// andbT.
  by have := @wp_scale R S 0%R (lexx _) c (fun=> 0) (fun=> lexx _) t; rewrite !mul0e.
have E : (fun=> 1) = fun s => \sum_(n <oo) h n s.
  apply/funext => s; rewrite two => [|n|[|[|n]]//]; last exact: h0.
  by rewrite /h /= addeC subeK// test_fin.
rewrite {1}E; have /= -> := congr1 (@^~ m) (sc h h0 gh); rewrite two//= => [n|n]; first exact: wp_ge0.
case: n => [|[|n]] // _; exact: zero.
Qed.
End Ends.

(* ---- CALL-PURE ---- *)
Section CallPure.
Variables (R : realType) (S T O : Type) (E : (O -> Prop) -> Prop) (good : (T -> \bar R) -> Prop) (c : stmt R T) (out : T -> O) (arguments : S -> T) (u : S -> O -> S).
Hypothesis add : additive good c.
Hypothesis good0 : good (fun=> 0).
Hypothesis good_ind : forall A (y : \bar R), E A -> 0 <= y -> good (fun s => y * ind R (fun s => A (out s)) s).
(* the theorem of what is called, about the pairs in Theta, in both orders; its derivation shows that it ends *)
Theorem call_pure_ends (eps : T -> T -> R) (Theta : assn R T) (Phi Psi : assn R S) :
  (forall t t', Theta t t' 0%R -> forall A, E A -> wp c (ind R (fun s => A (out s))) t <= (expR (eps t t'))%:E * wp c (ind R (fun s => A (out s))) t') ->
  (forall t t', eps t t' = eps t' t) -> ends c Theta ->
  (forall m m' k, Phi m m' k -> [/\ Theta (arguments m) (arguments m') 0%R, Theta (arguments m') (arguments m) 0%R &
     forall y, Psi (u m y) (u m' y) (k + eps (arguments m) (arguments m') * eps (arguments m) (arguments m') / 2)%R]) ->
  zjudge_for (fun F => forall m, level_sets E (fun y => F (u m y))) (Draw (fun s => law_of c out (arguments s)) u) Phi Psi.
Proof.
move=> private sym E1 H a a0 f F f0 F0 gF rel m m' k /H[there back HP].
pose Phi1 : assn R S := fun s s' j => [/\ s = m, s' = m' & j = k].
have J : zjudge_for (fun F => forall m, level_sets E (fun y => F (u m y))) (Draw (fun s => law_of c out (arguments s)) u) Phi1 Psi.
  apply: (@z_called_pure_reals _ _ _ E _ _ (eps (arguments m) (arguments m'))) => [s|s s' j [-> -> ->]].
    exact: (@released_additive R T O good E c out (arguments s) add good0 good_ind).
  split=> //; [exact: E1 there|exact: E1 back|exact: private there|].
  by move=> A EA; rewrite sym; exact: private back A EA.
by apply: (J a a0 f F) => //.
Qed.
End CallPure.

(* what is released by a program that may lose mass: a law D, whole with one more value for what is lost *)
Section Lost.
Variables (R : realType) (S : Type) (O : choiceType).
Definition kept (f : O -> \bar R) (o : option O) : \bar R := if o is Some y then f y else 0.
Theorem call_pure_lost (D : S -> law R O) (D' : S -> law R [choiceType of option O]) (u : S -> O -> S) (eps : S -> S -> R -> R) (Phi Psi : assn R S) :
  (forall s f, (forall o, 0 <= f o) -> D s f = D' s (kept f)) ->
  (forall s f, (forall o, 0 <= f o) -> D' s f = \esum_(o in [set: option O]) (D' s (@one_at R _ o) * f o)) ->
  (forall m m' k, Phi m m' k -> [/\ D' m (fun=> 1) = 1, D' m' (fun=> 1) = 1,
     forall o, D' m (@one_at R _ o) <= (expR (eps m m' k))%:E * D' m' (@one_at R _ o),
     forall o, D' m' (@one_at R _ o) <= (expR (eps m m' k))%:E * D' m (@one_at R _ o) &
     forall y, Psi (u m y) (u m' y) (k + eps m m' k * eps m m' k / 2)%R]) ->
  zjudge (Draw D u) Phi Psi.
Proof.
move=> whole masses H a a0 f F f0 F0 rel m m' k /H[total total' near near' HP]; set e := eps m m' k in near near' HP.
(* a state with one more value: that of a run without an output *)
pose v (s : option S) (o : option O) : option S := if s is Some t then if o is Some y then Some (u t y) else None else None.
pose D1 (s : option S) : law R [choiceType of option O] := D' (odflt m s).
pose lift (g : S -> \bar R) (s : option S) : \bar R := if s is Some t then g t else 0.
pose Phi1 : assn R (option S) := fun s s' j => [/\ s = Some m, s' = Some m' & j = k].
pose Psi1 : assn R (option S) := fun s s' j => if s is Some t then if s' is Some t' then Psi t t' j else False else s' = None.
have J : zjudge (Draw D1 v) Phi1 Psi1.
  apply: (@z_called_pure _ _ _ D1 v e) => [s g g0|s s' j [-> -> ->]]; first exact: masses.
  by split=> // -[y|] //=; exact: HP.
have l0 g : nneg g -> nneg (lift g) by move=> g0 [s|] //=.
have := J a a0 (lift f) (lift F) (l0 _ f0) (l0 _ F0) _ (Some m) (Some m') k; rewrite /Phi1 /=.
have E g s : nneg g -> D' s (fun o => lift g (v (Some s) o)) = D s (fun y => g (u s y)).
  move=> g0; rewrite whole//; congr (ev (D' s) _); apply/funext => -[y|] //.
rewrite /D1 /= !E//; apply=> // s s' j; case: s => [t|] /=; case: s' => [t'|] //=; first exact: rel.
by move=> _; exact: (below0 a0).
Qed.
End Lost.
