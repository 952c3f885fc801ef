(* Lists whose entries differ by at most b in L1 or in L2, for exported certificates: the ghost moved(q, i), the sum of the changes before the place i, or of
   their squares, and the lemma MOVED (moved_facts); no change is larger than the norm (every_l1, every_l2), for APART.

   Read: moved. *)
From Coq Require Import Reals ZArith Bool List Lia Lra.
From Probity Require Import Formulas.
Open Scope bool_scope.
Open Scope R_scope.

Definition change (squares : bool) (q q' : list R) (j : Z) : R :=
  if squares then (entry q' j - entry q j) * (entry q' j - entry q j) else Rabs (entry q' j - entry q j).
Fixpoint changes (squares : bool) (q q' : list R) (n : nat) : R :=
  match n with O => 0 | S n => changes squares q q' n + change squares q q' (Z.of_nat n) end.
Definition moved (squares : bool) (q q' : list R) (i : Z) : R := changes squares q q' (Z.to_nat i).

Section Moved.
Variables (squares : bool) (q q' : list R).
Hypothesis same_length : length q = length q'.
Notation sum := (changes squares q q').
Lemma change_nonnegative j : 0 <= change squares q q' j.
Proof. unfold change; destruct squares; [apply Rle_0_sqr|apply Rabs_pos]. Qed.
Lemma changes_grow n m : (n <= m)%nat -> sum n <= sum m.
Proof.
induction 1 as [|m _ IH]; [apply Rle_refl|cbn].
pose proof (change_nonnegative (Z.of_nat m)); lra.
Qed.
Lemma changes_end n : (length q <= n)%nat -> sum n = sum (length q).
Proof.
induction 1 as [|n h IH]; [reflexivity|cbn; rewrite IH].
assert (change squares q q' (Z.of_nat n) = 0) as ->; [|ring].
unfold change; rewrite !entry_outside by (unfold len; lia); destruct squares; [ring|now rewrite Rminus_0_r, Rabs_R0].
Qed.
Lemma changes_whole n : sum n <= sum (length q).
Proof.
destruct (Nat.le_ge_cases n (length q)) as [h|h]; [now apply changes_grow|rewrite changes_end by exact h; apply Rle_refl].
Qed.
Theorem moved_facts most b : moved squares q q' (len q) <= most -> 0 <= b -> forall i,
  (negb (eqR (IZR i) 0) || eqR (moved squares q q' i) 0) &&
  (negb (leR 0 (IZR i)) ||
   ((((leR 0 (moved squares q q' i) && eqR (moved squares q q' (i + 1)) (moved squares q q' i + change squares q q' i)) &&
      leR (moved squares q q' i) most) && leR (moved squares q q' (i + 1)) most) && leR 0 b)) = true.
Proof.
intros whole hb i; apply andb_true_iff; split; apply implied; intros h.
- apply eqRP in h; apply eq_IZR in h as ->; now apply eqRP.
- apply leRP, le_IZR in h; unfold moved, len in *; rewrite Nat2Z.id in whole.
  assert (Z.to_nat (i + 1) = S (Z.to_nat i)) as -> by lia.
  rewrite !andb_true_iff, !leRP, eqRP; repeat split.
  + exact (changes_grow 0 _ (Nat.le_0_l _)).
  + cbn [changes]; now rewrite Z2Nat.id.
  + exact (Rle_trans _ _ _ (changes_whole _) whole).
  + exact (Rle_trans _ _ _ (changes_whole _) whole).
  + exact hb.
Qed.
End Moved.
Theorem moved_l1 q q' b : length q = length q' -> leR (moved false q q' (len q)) b = true -> forall i,
  (negb (eqR (IZR i) 0) || eqR (moved false q q' i) 0) &&
  (negb (leR 0 (IZR i)) ||
   ((((leR 0 (moved false q q' i) && eqR (moved false q q' (i + 1)) (moved false q q' i + Rabs (entry q' i - entry q i))) &&
      leR (moved false q q' i) b) && leR (moved false q q' (i + 1)) b) && leR 0 b)) = true.
Proof.
intros h n; apply leRP in n; refine (moved_facts false q q' h b b n _).
exact (Rle_trans _ _ _ (changes_grow false q q' 0 _ (Nat.le_0_l _)) n).
Qed.
Theorem moved_l2 q q' b : length q = length q' -> leR 0 b && leR (moved true q q' (len q)) (b * b) = true -> forall i,
  (negb (eqR (IZR i) 0) || eqR (moved true q q' i) 0) &&
  (negb (leR 0 (IZR i)) ||
   ((((leR 0 (moved true q q' i) &&
       eqR (moved true q q' (i + 1)) (moved true q q' i + (entry q' i - entry q i) * (entry q' i - entry q i))) &&
      leR (moved true q q' i) (b * b)) && leR (moved true q q' (i + 1)) (b * b)) && leR 0 b)) = true.
Proof.
intros h n; apply and_true in n; destruct n as [hb n]; apply leRP in n; apply leRP in hb; exact (moved_facts true q q' h _ b n hb).
Qed.
(* every entry differs by at most b *)
Lemma change_whole squares q q' j : length q = length q' -> (0 <= j < len q)%Z -> change squares q q' j <= moved squares q q' (len q).
Proof.
intros h [j0 jl]; unfold moved, len in *; rewrite Nat2Z.id.
pose proof (changes_grow squares q q' (S (Z.to_nat j)) (length q) ltac:(lia)) as g; cbn [changes] in g.
rewrite Z2Nat.id in g by exact j0; pose proof (changes_grow squares q q' 0 (Z.to_nat j) (Nat.le_0_l _)) as p; cbn [changes] in p; lra.
Qed.
Theorem every_l1 q q' b : length q = length q' -> leR (moved false q q' (len q)) b = true ->
  forall j, (0 <= j < len q)%Z -> leR (Rabs (entry q' j - entry q j)) b = true.
Proof. intros h n j hj; apply leRP; apply leRP in n; exact (Rle_trans _ _ _ (change_whole false q q' j h hj) n). Qed.
Theorem every_l2 q q' b : length q = length q' -> leR 0 b && leR (moved true q q' (len q)) (b * b) = true ->
  forall j, (0 <= j < len q)%Z -> leR (Rabs (entry q' j - entry q j)) b = true.
Proof.
intros h n j hj; apply and_true in n; destruct n as [hb n]; apply leRP in n; apply leRP in hb; apply leRP.
pose proof (Rle_trans _ _ _ (change_whole true q q' j h hj) n) as c; unfold change in c.
rewrite <- (Rabs_pos_eq b hb); apply Rsqr_le_abs_0; exact c.
Qed.
(* neighbours are neighbours in both orders *)
Lemma moved_swap squares q q' i : moved squares q' q i = moved squares q q' i.
Proof.
unfold moved; induction (Z.to_nat i) as [|n IH]; [reflexivity|cbn; rewrite IH; f_equal].
unfold change; destruct squares; [ring|apply Rabs_minus_sym].
Qed.
