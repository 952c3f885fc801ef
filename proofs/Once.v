(* FOR-ONCE (trusted/kernel/src/rules/once.rs): a loop that gives up mass only in rounds that are named by numbers which nothing changes.

   for_rounds has an amount for each round, and FOR-ONCE is the case in which it is d at the named rounds and 0 elsewhere.  Parameters and what the pair of
   inputs fixes are constants here, so ks is one list of numbers throughout.  Read: for_loop_once. *)
From Probity Require Import Prelude Judgement.
From Probity Require Rules.
Local Open Scope ring_scope.
Local Open Scope ereal_scope.

Section Once.
Variables (R : realType) (S : Type).

(* what n rounds from i on give up *)
Fixpoint given (e : int -> R) (n : nat) (i : int) : R :=
  match n with O => 0 | n'.+1 => e i + given e n' (i + 1) end%R.
Lemma given_ge0 e n i : (forall i, 0 <= e i)%R -> (0 <= given e n i)%R.
Proof. by move=> e0; elim: n i => [|n IH] i //=; rewrite addr_ge0. Qed.

Theorem for_rounds (e : int -> R) (from to : int) (c : int -> stmt R S) (I : int -> assn R S) :
  (forall i, 0 <= e i)%R -> (from <= to)%R ->
  (forall i, (from <= i < to)%R -> judge (e i) (c i) (I i) (I (i + 1)%R)) ->
  judge (given e (rounds from to) from) (For from to c) (I from) (I to).
Proof.
move=> e0 ab J.
pose W n i h := seqn n i (fun i => wp (c i)) h.
have W0 n i h : nneg h -> nneg (W n i h) by move=> h0; apply: seqn_ge0 => // ? ?; exact: wp_ge0.
have W1 n i h : nneg h -> le1 h -> le1 (W n i h).
  by move=> h0 h1; elim: n i => [|n IH] i //= s; apply: wp_le1 => //; [exact: W0|exact: IH].
suff H n i : (from <= i)%R -> (i + n%:Z = to)%R ->
    forall f F, nneg f -> le1 f -> nneg F -> related (I to) f F ->
    forall m m' j, I i m m' j -> W n i f m <= (expR (- j))%:E * W n i F m' + (given e n i)%:E.
  move=> f F f0 f1 F0 Hr m m' j HI; apply: H => //.
  by rewrite Rules.rounds_int// addrCA subrr addr0.
elim: n i => [|n IH] i ai it f F f0 f1 F0 Hr m m' j HI.
  by rewrite /W /= adde0; apply: Hr; rewrite -it addr0.
have i1 : (i + 1 + n%:Z = to)%R by rewrite -it intS addrA.
have Hi : (from <= i < to)%R by rewrite ai -it ltr_addl.
have nd0 : (0 <= given e n (i + 1))%R by exact: given_ge0.
have ai1 : (from <= i + 1)%R by rewrite (le_trans ai)// ler_addl.
have IHn := IH (i + 1)%R ai1 i1.
pose f1' s := maxe 0 (W n (i + 1)%R f s - (given e n (i + 1))%:E).
have f1'0 : nneg f1' by move=> s; rewrite /f1' le_maxr lexx.
have f1'1 : le1 f1'.
  move=> s; rewrite /f1' le_maxl; apply/andP; split; [exact: lee01|rewrite lee_subl_addr//].
  by apply: (le_trans (W1 _ _ _ f0 f1 s)); rewrite -[X in X <= _]adde0 lee_add2l// lee_fin.
have Hrel : related (I (i + 1)%R) f1' (W n (i + 1)%R F).
  move=> s s' l HT; rewrite /f1' le_maxl; apply/andP; split.
    by apply: mule_ge0; [rewrite lee_fin expR_ge0|exact: W0].
  by rewrite lee_subl_addr//; exact: IHn.
have Hc := J i Hi f1' _ f1'0 f1'1 (W0 _ _ _ F0) Hrel m m' j HI.
rewrite /= EFinD addeA.
apply: (@le_trans _ _ (wp (c i) f1' m + (given e n (i + 1))%:E)); last by rewrite lee_add2r.
apply: (le_trans _ (wp_addc nd0 (c i) f1'0 m)).
apply: wp_le; first exact: W0.
by move=> s; rewrite -lee_subl_addr// /f1' le_maxr lexx orbT.
Qed.

(* the round i is named *)
Definition named (ks : seq R) (i : int) : bool := has (fun k => i%:~R == k :> R) ks.

(* one number names at most one round *)
Lemma given_one (d k : R) n i : (0 <= d)%R -> (given (fun j => if j%:~R == k then d else 0) n i <= d)%R.
Proof.
move=> d0; elim: n i => [|n IH] i //=; case: eqP => [ik|_]; last by rewrite add0r.
rewrite (_ : given _ n _ = 0%R) ?addr0//; rewrite -{}ik.
have : (i < i + 1)%R by rewrite ltr_addl.
elim: n {IH} (i + 1)%R => [|n IH] j ij //=.
rewrite (_ : (_ == _) = false) ?add0r; last by rewrite eqr_int gt_eqF.
by apply: IH; rewrite (lt_trans ij)// ltr_addl.
Qed.
Lemma given_le (e e' : int -> R) n i : (forall i, e i <= e' i)%R -> (given e n i <= given e' n i)%R.
Proof. by move=> h; elim: n i => [|n IH] i //=; apply: ler_add. Qed.
Lemma given_add (e e' : int -> R) n i : (given (fun i => e i + e' i) n i = given e n i + given e' n i)%R.
Proof. by elim: n i => [|n IH] i /=; rewrite ?addr0// IH addrACA. Qed.
Lemma given_named (d : R) ks n i : (0 <= d)%R -> (given (fun j => if named ks j then d else 0) n i <= (size ks)%:R * d)%R.
Proof.
move=> d0; elim: ks => [|k ks IH].
  by rewrite mul0r (_ : given _ _ _ = 0%R)//; elim: n i => [|n IH] i //=; rewrite add0r.
rewrite /= mulrS mulrDl mul1r.
apply: (@le_trans _ _ (given (fun j => (if j%:~R == k then d else 0) + (if named ks j then d else 0))%R n i)).
  apply: given_le => j; rewrite /named /=; case: eqP => _ /=; case: ifP => _; rewrite ?addr0 ?add0r ?ler_addl//.
by rewrite given_add; apply: ler_add => //; exact: given_one.
Qed.

(* Phi serves the rounds that are not named and gives up nothing; Theta serves those that are, up to d each *)
Theorem for_loop_once (d : R) (from to : int) (c : int -> stmt R S) (Phi Theta I : int -> assn R S) (ks : seq R) :
  (0 <= d)%R -> (from <= to)%R ->
  (forall i, judge 0 (c i) (Phi i) (I (i + 1)%R)) ->
  (forall i, judge d (c i) (Theta i) (I (i + 1)%R)) ->
  (forall i s s' k, (from <= i < to)%R -> ~~ named ks i -> I i s s' k -> Phi i s s' k) ->
  (forall i s s' k, (from <= i < to)%R -> named ks i -> I i s s' k -> Theta i s s' k) ->
  judge ((size ks)%:R * d) (For from to c) (I from) (I to).
Proof.
move=> d0 ft J0 Jd other these.
apply: (@Rules.more_delta R S (given (fun i => if named ks i then d else 0%R) (rounds from to) from)).
  exact: given_named.
apply: for_rounds => // [i|i it]; first by case: ifP.
have [ni|ni] := boolP (named ks i).
  by apply: Rules.strengthen (Jd i) => s s' k; exact: these.
by apply: Rules.strengthen (J0 i) => s s' k; exact: other.
Qed.
End Once.
