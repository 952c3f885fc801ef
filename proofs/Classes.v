(* The rules for programs for tests of a class (judge_for in Judgement.v), as SIGNED-LOG, DENSITY, CASES and REDRAW leave their judgements: COND, CONSEQ, SPLIT, FOR, FOR-ONCE, WHILE, FRAME, and what follows of the outputs.
   SEQ is Rules.seq_for.

   The class is closed under what the rules make of a test: what a program makes of one (kept), one that is lowered, one of two by a question, one that is 0 where a state does not agree with another.
   All tests are such a class, and the measurable ones of programs with measurable parts.  At the end privacy holds for the sets of outputs whose indicators are in the class.  Read: kept, equal_outputs_for. *)
From Probity Require Import Prelude Judgement Privacy.
From Probity Require Rules Once.
Local Open Scope ring_scope.
Local Open Scope ereal_scope.

Section Classes.
Variables (R : realType) (S : Type) (G : (S -> \bar R) -> Prop).
Implicit Types (c : stmt R S) (Phi Theta Psi : assn R S).

Definition kept c := forall f, nneg f -> le1 f -> G f -> G (wp c f).

(* ---- CONSEQ, COND, SPLIT: nothing is asked of the class ---- *)
Theorem strengthen_for d c Phi Phi' Psi : (forall s s' k, Phi s s' k -> Phi' s s' k) -> judge_for G d c Phi' Psi -> judge_for G d c Phi Psi.
Proof. by move=> Hp J f F Gf f0 f1 F0 H m m' k /Hp; exact: J. Qed.
Theorem weaken_for d c Phi Psi Psi' : (forall s s' k, Psi s s' k -> Psi' s s' k) -> judge_for G d c Phi Psi -> judge_for G d c Phi Psi'.
Proof. by move=> Hp J f F Gf f0 f1 F0 H; apply: J => // s s' k /Hp; exact: H. Qed.
Lemma more_delta_for (d1 d2 : R) c Phi Psi : (d1 <= d2)%R -> judge_for G d1 c Phi Psi -> judge_for G d2 c Phi Psi.
Proof.
move=> dd J f F Gf f0 f1 F0 H m m' k HP; apply: (le_trans (J f F Gf f0 f1 F0 H m m' k HP)).
by rewrite lee_add2l// lee_fin.
Qed.
Theorem cond_for (d1 d2 : R) (g : S -> bool) c1 c2 Phi Theta Psi : (0 <= d1)%R -> (0 <= d2)%R ->
  judge_for G d1 c1 Phi Psi -> judge_for G d2 c2 Theta Psi ->
  judge_for G (d1 + d2) (If g c1 c2) (fun s s' k => [/\ g s = g s', g s -> Phi s s' k & ~~ g s -> Theta s s' k]) Psi.
Proof.
move=> d10 d20 J1 J2 f F Gf f0 f1 F0 H m m' k [/= <- H1 H2].
case: (g m) H1 H2 => H1 H2.
  by apply: (more_delta_for _ J1) => //; rewrite ?ler_addl//; exact: H1.
by apply: (more_delta_for _ J2) => //; rewrite ?ler_addr//; exact: H2.
Qed.
Theorem split_for (d1 d2 : R) c (g : S -> S -> R -> Prop) Phi Theta Psi : judge_for G d1 c Phi Psi -> judge_for G d2 c Theta Psi ->
  judge_for G (Num.max d1 d2) c (fun s s' k => (g s s' k -> Phi s s' k) /\ (~ g s s' k -> Theta s s' k)) Psi.
Proof.
move=> J1 J2 f F Gf f0 f1 F0 H m m' k [H1 H2].
have [p|p] := pselect (g m m' k).
  by apply: (more_delta_for _ J1) => //; rewrite ?le_maxr ?lexx//; exact: H1.
by apply: (more_delta_for _ J2) => //; rewrite ?le_maxr ?lexx ?orbT//; exact: H2.
Qed.

(* ---- FOR, FOR-ONCE ---- *)
Section Lowered.
Hypothesis G_lower : forall (d : R) f, (0 <= d)%R -> nneg f -> le1 f -> G f -> G (fun s => maxe 0 (f s - d%:E)).

Theorem for_rounds_for (e : int -> R) (from to : int) (c : int -> stmt R S) (I : int -> assn R S) : (forall i, kept (c i)) ->
  (forall i, 0 <= e i)%R -> (from <= to)%R -> (forall i, (from <= i < to)%R -> judge_for G (e i) (c i) (I i) (I (i + 1)%R)) ->
  judge_for G (Rules.given e (rounds from to) from) (For from to c) (I from) (I to).
Proof.
move=> keeps e0 ab J f F Gf f0 f1 F0 Hr.
pose W n i h := seqn n i (fun i => wp (c i)) h.
have W0 n i h : nneg h -> nneg (W n i h) by move=> h0; apply: seqn_ge0 => // ? ?; exact: wp_ge0.
have W1 n i h : nneg h -> le1 h -> le1 (W n i h).
  by move=> h0 h1; elim: n i => [|n IH] i //= s; apply: wp_le1 => //; [exact: W0|exact: IH].
have WG n i : G (W n i f) by elim: n i => [|n IH] i //=; apply: keeps; [exact: W0|exact: W1|exact: IH].
suff H n i : (from <= i)%R -> (i + n%:Z = to)%R ->
    forall m m' j, I i m m' j -> W n i f m <= (expR (- j))%:E * W n i F m' + (Rules.given e n i)%:E.
  by move=> m m' j HI; apply: H => //; rewrite Rules.rounds_int// addrCA subrr addr0.
elim: n i => [|n IH] i ai it m m' j HI.
  by rewrite /W /= adde0; apply: Hr; rewrite -it addr0.
have i1 : (i + 1 + n%:Z = to)%R by rewrite -it intS addrA.
have Hi : (from <= i < to)%R by rewrite ai -it ltr_addl.
have ai1 : (from <= i + 1)%R by rewrite (le_trans ai)// ler_addl.
have g0 : (0 <= Rules.given e n (i + 1)%R)%R by exact: Rules.given_ge0.
apply: (@Rules.compose R S G (e i) (Rules.given e n (i + 1)%R) (c i) (I i) (I (i + 1)%R)) HI => //.
- exact: W0.
- exact: W1.
- exact: W0.
- by apply: G_lower => //; [exact: W0|exact: W1|exact: WG].
- exact: J.
- exact: IH.
Qed.
Theorem for_loop_for d (from to : int) (c : int -> stmt R S) (Phi I : int -> assn R S) : (forall i, kept (c i)) ->
  (0 <= d)%R -> (from <= to)%R -> (forall i, judge_for G d (c i) (Phi i) (I (i + 1)%R)) ->
  (forall i s s' k, (from <= i < to)%R -> I i s s' k -> Phi i s s' k) ->
  judge_for G ((to - from)%:~R * d) (For from to c) (I from) (I to).
Proof.
move=> keeps d0 ab J holds; apply: (@more_delta_for (Rules.given (fun=> d) (rounds from to) from)); last first.
  by apply: for_rounds_for => // i fi; apply: strengthen_for (J i) => s s' k; exact: holds.
rewrite -Rules.rounds_int// -pmulrn; move: (rounds from to) => n; elim: n {J ab holds} from => [|n IH] i /=; first by rewrite mul0r.
by rewrite mulrS mulrDl mul1r ler_add2l.
Qed.
Theorem for_loop_once_for (d : R) (from to : int) (c : int -> stmt R S) (Phi Theta I : int -> assn R S) (ks : seq R) : (forall i, kept (c i)) ->
  (0 <= d)%R -> (from <= to)%R -> (forall i, judge_for G 0 (c i) (Phi i) (I (i + 1)%R)) -> (forall i, judge_for G d (c i) (Theta i) (I (i + 1)%R)) ->
  (forall i s s' k, (from <= i < to)%R -> ~~ Once.named ks i -> I i s s' k -> Phi i s s' k) ->
  (forall i s s' k, (from <= i < to)%R -> Once.named ks i -> I i s s' k -> Theta i s s' k) ->
  judge_for G ((size ks)%:R * d) (For from to c) (I from) (I to).
Proof.
move=> keeps d0 ft J0 Jd other these.
apply: (@more_delta_for (Rules.given (fun i => if Once.named ks i then d else 0%R) (rounds from to) from)); first exact: Once.given_named.
apply: for_rounds_for => // [i|i it]; first by case: ifP.
have [ni|ni] := boolP (Once.named ks i).
  by apply: strengthen_for (Jd i) => s s' k; exact: these.
by apply: strengthen_for (J0 i) => s s' k; exact: other.
Qed.
End Lowered.

(* ---- WHILE ---- *)
Theorem while_loop_for (g : S -> bool) c Phi (I : assn R S) : kept c -> G (fun=> 0) ->
  (forall f h, G f -> G h -> G (fun s => if g s then f s else h s)) ->
  judge_for G 0 c Phi I -> (forall s s' k, I s s' k -> g s -> g s' -> Phi s s' k) -> (forall s s' k, I s s' k -> g s = g s') ->
  judge_for G 0 (While g c) I (fun s s' k => I s s' k /\ ~~ g s).
Proof.
move=> keeps G0 G_if J HPhi Hg f F Gf f0 f1 F0 H m m' k HI /=; rewrite adde0.
apply: ub_ereal_sup => _ [n _ <-].
apply: (@le_trans _ _ ((expR (- k))%:E * unroll n g (wp c) F m')); last first.
  rewrite lee_pmul2l//; first by apply: ereal_sup_ub; exists n.
  by rewrite lte_fin expR_gt0.
have ug0 h j : nneg h -> nneg (unroll j g (wp c) h) by move=> h0; apply: unroll_ge0 => // ?; exact: wp_ge0.
have ug1 j : le1 (unroll j g (wp c) f).
  by elim: j => [|j IHj] s /=; [exact: lee01|case: (g s) => //; apply: wp_le1 => //; exact: ug0].
have ugG j : G (unroll j g (wp c) f).
  by elim: j => [|j IHj] //=; apply: G_if => //; apply: keeps => //; exact: ug0.
elim: n m m' k HI => [|n IHn] m m' k HI /=; first by rewrite mule0.
rewrite -(Hg _ _ _ HI); case: ifPn => gm; last by apply: H.
have := J (unroll n g (wp c) f) (unroll n g (wp c) F) (ugG n) (ug0 _ n f0) (ug1 n) (ug0 _ n F0) IHn m m' k.
by rewrite adde0; apply; apply: HPhi => //; rewrite -(Hg _ _ _ HI).
Qed.

(* ---- FRAME, for CHAIN ---- *)
Theorem frame_for d c Phi Psi (agree : S -> S -> Prop) (theta : S -> S -> Prop) : Rules.local agree c ->
  (forall m f, G f -> G (fun s => if `[< agree m s >] then f s else 0)) ->
  (forall m m' s s', theta m m' -> agree m s -> agree m' s' -> theta s s') -> judge_for G d c Phi Psi ->
  judge_for G d c (fun s s' k => Phi s s' k /\ theta s s') (fun s s' k => Psi s s' k /\ theta s s').
Proof.
move=> loc cut Ht J f F Gf f0 f1 F0 Hr m m' k [HP Hth].
pose f' s := if `[< agree m s >] then f s else 0.
pose F' s := if `[< agree m' s >] then F s else +oo.
rewrite (loc m f f')//; [|by move=> s; rewrite /f'; case: ifP|by move=> s a; rewrite /f' asboolT].
rewrite (loc m' F F')//; [|by move=> s; rewrite /F'; case: ifP => // _; exact: leey|by move=> s a; rewrite /F' asboolT].
apply: J => //; [exact: cut|by move=> s; rewrite /f'; case: ifP|by move=> s; rewrite /f'; case: ifP => // _; exact: lee01| |].
  by move=> s; rewrite /F'; case: ifP => // _; exact: leey.
move=> s s' j HPs; rewrite /f' /F'; case: asboolP => [a|_]; last first.
  by rewrite mule_ge0// ?lee_fin ?expR_ge0//; case: ifP => // _; exact: leey.
case: asboolP => [a'|_]; first by apply: Hr; split => //; exact: Ht Hth a a'.
by rewrite gt0_muley ?lte_fin ?expR_gt0// leey.
Qed.

(* ---- equal outputs: for the sets of outputs whose indicators are in the class ---- *)
Theorem equal_outputs_for (O : Type) (out : S -> O) (d eps : R) c Phi :
  judge_for G d c Phi (fun s s' k => out s = out s' /\ (k <= eps)%R) ->
  forall m m', Phi m m' 0%R -> dp_on (fun E => G (ind R (fun s => E (out s)))) out c eps d m m'.
Proof.
move=> J m m' HP E GE; pose i := ind R (fun s => E (out s)).
have i0 : nneg i by exact: ind_ge0.
have Hr : related (fun s s' k => out s = out s' /\ (k <= eps)%R) i (fun s => (expR eps)%:E * i s).
  move=> s s' k [Ho Hk]; rewrite muleA -EFinM -expRD /i /ind -Ho.
  by case: ifP => _; rewrite ?mule0// mule1 lee_fin -expR0 ler_expR addrC subr_ge0.
have F0 : nneg (fun s => (expR eps)%:E * i s) by move=> s; rewrite mule_ge0// lee_fin expR_ge0.
have := J i _ GE i0 (@ind_le1 R S _) F0 Hr m m' 0%R HP; rewrite oppr0 expR0 mul1e => HJ.
by apply: (le_trans HJ); rewrite lee_add2r//; apply: wp_scale => //; exact: expR_ge0.
Qed.
End Classes.
