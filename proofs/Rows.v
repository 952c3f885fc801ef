(* ROWS as the kernel writes it (rows and differences of trusted/kernel/src/rules/tables.rs): the aggregates of the two runs need not be the same expression of a row.

   The kernel walks the two expressions in parallel.  Where they differ, it has come to parts that mention no field of the row, and asks that these be equal; a part that is the same in both may be anything, and
   every other step is the same operation on both sides.  walked says so of what the expressions mean, and then they are one function of the row (walked_equal).  The three forms of the lemma, one row more in the
   second run, one more in the first and one replaced, follow for sums of reals and of integers (rows_more, rows_fewer, rows_other and their kin with Z).

   Of lists: equal lists have equal entries at equal places (equal_entries), also outside of the lists; what is assumed of every entry holds at a place of both
   lists (assumed_entries). *)
From Coq Require Import Reals ZArith Bool List Permutation Lra Lia.
From Probity Require Import Formulas.
Open Scope R_scope.

Inductive walked (row : Type) : forall X : Type, (row -> X) -> (row -> X) -> Prop :=
| walked_same X (f : row -> X) : walked row X f f
| walked_fixed X (x x' : X) : x = x' -> walked row X (fun _ => x) (fun _ => x')
| walked_one X Y (op : X -> Y) f f' : walked row X f f' -> walked row Y (fun r => op (f r)) (fun r => op (f' r))
| walked_two X Y Z (op : X -> Y -> Z) f f' g g' : walked row X f f' -> walked row Y g g' ->
    walked row Z (fun r => op (f r) (g r)) (fun r => op (f' r) (g' r))
| walked_three X Y Z W (op : X -> Y -> Z -> W) f f' g g' h h' : walked row X f f' -> walked row Y g g' -> walked row Z h h' ->
    walked row W (fun r => op (f r) (g r) (h r)) (fun r => op (f' r) (g' r) (h' r)).
Arguments walked {row X}.
Theorem walked_equal {row X} (f f' : row -> X) : walked f f' -> forall r, f r = f' r.
Proof. induction 1; intros r; congruence. Qed.

Lemma sumR_walked {A} (t : list A) c c' e e' : walked c c' -> walked e e' -> sumR t c' e' = sumR t c e.
Proof.
intros hc he; induction t as [|r t IH]; [reflexivity|].
now rewrite !sumR_cons, IH, (walked_equal _ _ hc r), (walked_equal _ _ he r).
Qed.
Lemma sumZ_walked {A} (t : list A) c c' e e' : walked c c' -> walked e e' -> sumZ t c' e' = sumZ t c e.
Proof.
intros hc he; induction t as [|r t IH]; [reflexivity|].
now rewrite !sumZ_cons, IH, (walked_equal _ _ hc r), (walked_equal _ _ he r).
Qed.

Section Rows.
Variables (A : Type) (t t' : list A) (c c' : A -> bool).
Hypothesis alike : walked c c'.
(* what a row contributes *)
Notation part e p := (if c p then e p else 0).
Notation partZ e p := (if c p then e p else 0%Z).
Theorem rows_more (p' : A) (e e' : A -> R) : walked e e' -> Permutation t' (p' :: t) -> sumR t' c' e' = sumR t c e + part e p'.
Proof. intros he h; now rewrite (sumR_walked _ _ _ _ _ alike he), (rows_added _ _ _ _ _ h). Qed.
Theorem rows_fewer (p : A) (e e' : A -> R) : walked e e' -> Permutation t (p :: t') -> sumR t' c' e' + part e p = sumR t c e.
Proof. intros he h; now rewrite (sumR_walked _ _ _ _ _ alike he), (rows_added _ _ _ _ _ h). Qed.
Theorem rows_other (u : list A) (p p' : A) (e e' : A -> R) : walked e e' -> Permutation t (p :: u) -> Permutation t' (p' :: u) ->
  sumR t' c' e' + part e p = sumR t c e + part e p'.
Proof. intros he h h'; rewrite (sumR_walked _ _ _ _ _ alike he); exact (rows_replaced _ _ _ _ _ _ _ h h'). Qed.
Theorem rows_moreZ (p' : A) (e e' : A -> Z) : walked e e' -> Permutation t' (p' :: t) -> (sumZ t' c' e' = sumZ t c e + partZ e p')%Z.
Proof. intros he h; now rewrite (sumZ_walked _ _ _ _ _ alike he), (rows_addedZ _ _ _ _ _ h). Qed.
Theorem rows_fewerZ (p : A) (e e' : A -> Z) : walked e e' -> Permutation t (p :: t') -> (sumZ t' c' e' + partZ e p = sumZ t c e)%Z.
Proof. intros he h; now rewrite (sumZ_walked _ _ _ _ _ alike he), (rows_addedZ _ _ _ _ _ h). Qed.
Theorem rows_otherZ (u : list A) (p p' : A) (e e' : A -> Z) : walked e e' -> Permutation t (p :: u) -> Permutation t' (p' :: u) ->
  (sumZ t' c' e' + partZ e p = sumZ t c e + partZ e p')%Z.
Proof. intros he h h'; rewrite (sumZ_walked _ _ _ _ _ alike he); exact (rows_replacedZ _ _ _ _ _ _ _ h h'). Qed.
End Rows.

(* equal lists have equal entries *)
Theorem equal_entries (q q' : list R) (i i' : Z) : q = q' -> i = i' -> entry q i = entry q' i'.
Proof. congruence. Qed.
Theorem equal_entriesZ (q q' : list Z) (i i' : Z) : q = q' -> i = i' -> entryZ q i = entryZ q' i'.
Proof. congruence. Qed.

(* what is assumed of every entry holds of the entries at a place of both lists *)
Theorem assumed_entries (q q' : list R) (ok : R -> bool) (i : Z) : length q = length q' -> forallb ok q = true -> forallb ok q' = true ->
  (0 <= i < len q)%Z -> ok (entry q i) = true /\ ok (entry q' i) = true.
Proof.
intros l h h' Hi; assert (one : forall l0, forallb ok l0 = true -> (0 <= i < len l0)%Z -> ok (entry l0 i) = true).
{ intros l0 hl Hl; rewrite forallb_forall in hl; apply hl; unfold entry, len in *.
  destruct (Z.leb_spec 0 i); [|lia]; apply nth_In; lia. }
split; [now apply one|apply one; [exact h'|unfold len in *; now rewrite <- l]].
Qed.
