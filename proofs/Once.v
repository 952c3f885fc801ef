(* FOR-ONCE (trusted/kernel/src/rules/once.rs): a loop that gives up mass only in rounds that are named by numbers which nothing changes.

   Rules.for_rounds has an amount for each round, and FOR-ONCE is the case in which it is d at the named rounds and 0 elsewhere.  Parameters and what the pair of
   inputs fixes are constants here, so ks is one list of numbers throughout.  Read: for_loop_once. *)
From Probity Require Import Prelude Judgement.
From Probity Require Rules.
Local Open Scope ring_scope.
Local Open Scope ereal_scope.

Section Once.
Variables (R : realType) (S : Type).
Notation given := Rules.given.

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
apply: Rules.for_rounds => // [i|i it]; first by case: ifP.
have [ni|ni] := boolP (named ks i).
  by apply: Rules.strengthen (Jd i) => s s' k; exact: these.
by apply: Rules.strengthen (J0 i) => s s' k; exact: other.
Qed.
End Once.
