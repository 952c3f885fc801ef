(* The law of u in docs/threshold-theorem.md: a uniform real of (0, 1) rounded down to the format.

   Every float of [0, 1] is a multiple of the smallest positive one, 2^emin, so rounding a uniform real down is
   the same as rounding down a uniform multiple of 2^emin (rounds_alike): u is a function of an integer
   0 <= i < 2^-emin, each with the same probability.  The law is thus a count (P), additive by construction.
   P_lt: P(u < v) = v for every float v of (0, 1].  The naive uniform of j bits is the same with 2^-j and no
   rounding. *)
From Coq Require Import Reals Lra Lia ZArith List ClassicalEpsilon.
From Flocq Require Import Core.
Open Scope R_scope.

Definition dec (A : Prop) := excluded_middle_informative A.

Section Count.
Context {T : Type}.
Fixpoint count (l : list T) (A : T -> Prop) : R :=
  match l with nil => 0 | x :: l => (if dec (A x) then 1 else 0) + count l A end.
Definition prob (l : list T) (A : T -> Prop) : R := count l A / INR (length l).

Lemma count_ge0 l A : 0 <= count l A.
Proof. induction l as [|x l IH]; simpl; [lra|]; destruct dec; lra. Qed.
Lemma count_mono l (A B : T -> Prop) : (forall x, In x l -> A x -> B x) -> count l A <= count l B.
Proof.
induction l as [|x l IH]; simpl; intros H; [lra|].
assert (count l A <= count l B) by (apply IH; auto).
destruct (dec (A x)) as [a|a]; destruct (dec (B x)) as [b|b]; try lra; exfalso; apply b, H; auto.
Qed.
Lemma count_sum l (A B C : T -> Prop) :
  (forall x, In x l -> (A x <-> B x \/ C x)) -> (forall x, In x l -> ~ (B x /\ C x)) ->
  count l A = count l B + count l C.
Proof.
induction l as [|x l IH]; simpl; intros H D; [lra|].
rewrite IH by auto; assert (Hx := H x (or_introl eq_refl)); assert (Dx := D x (or_introl eq_refl)).
destruct (dec (A x)); destruct (dec (B x)); destruct (dec (C x)); try lra; exfalso; tauto.
Qed.
Lemma count_true l : count l (fun _ => True) = INR (length l).
Proof.
induction l as [|x l IH]; [reflexivity|].
change (length (x :: l)) with (S (length l)); rewrite S_INR; simpl; rewrite IH; destruct dec; [lra|tauto].
Qed.

Variable l : list T.
Hypothesis nonempty : l <> nil.
Lemma length_pos : 0 < INR (length l).
Proof. destruct l; [easy|]; apply lt_0_INR; simpl; lia. Qed.
Lemma prob_ge0 A : 0 <= prob l A.
Proof. apply Rmult_le_pos; [apply count_ge0|left; apply Rinv_0_lt_compat, length_pos]. Qed.
Lemma prob_mono (A B : T -> Prop) : (forall x, In x l -> A x -> B x) -> prob l A <= prob l B.
Proof.
intros H; apply Rmult_le_compat_r; [left; apply Rinv_0_lt_compat, length_pos|now apply count_mono].
Qed.
Lemma prob_sum (A B C : T -> Prop) : (forall x, In x l -> (A x <-> B x \/ C x)) -> (forall x, In x l -> ~ (B x /\ C x)) ->
  prob l A = prob l B + prob l C.
Proof. intros H D; unfold prob; rewrite (count_sum l A B C) by assumption; field; assert (H0 := length_pos); lra. Qed.
Lemma prob_true : prob l (fun _ => True) = 1.
Proof. unfold prob; rewrite count_true; field; assert (H0 := length_pos); lra. Qed.
Lemma prob_ext (A B : T -> Prop) : (forall x, In x l -> (A x <-> B x)) -> prob l A = prob l B.
Proof. intros H; apply Rle_antisym; apply prob_mono; intros x Hx; apply H, Hx. Qed.
End Count.

(* the integers 0, ..., n - 1 *)
Lemma count_below n k : (k <= n)%nat -> count (seq 0 n) (fun i => (i < k)%nat) = INR k.
Proof.
intros H; assert (G : forall m a, count (seq a m) (fun i => (i < k)%nat) = INR (min m (k - a))).
{ induction m as [|m IH]; intros a; [reflexivity|].
  cbn [seq count]; rewrite IH; destruct dec as [L|L].
  - replace (min (S m) (k - a)) with (S (min m (k - S a))) by lia. rewrite S_INR; lra.
  - replace (min (S m) (k - a)) with 0%nat by lia; replace (min m (k - S a)) with 0%nat by lia; lra. }
rewrite G; f_equal; lia.
Qed.

Section Star.
Variables emin prec : Z.
Context {prec_gt_0_ : Prec_gt_0 prec}.
Hypothesis emin_neg : (emin <= 0)%Z.
Notation fexp := (FLT_exp emin prec).
Notation F := (generic_format radix2 fexp).
Notation DN := (round radix2 fexp Zfloor).
Notation unit := (bpow radix2 emin).

Definition places : nat := Z.to_nat (2 ^ (- emin)).
Lemma places_unit : INR places * unit = 1.
Proof.
unfold places; rewrite INR_IZR_INZ, Z2Nat.id by (apply Z.pow_nonneg; lia).
change (2 ^ - emin)%Z with (Zpower radix2 (- emin)); rewrite IZR_Zpower by lia.
rewrite <- bpow_plus; replace (- emin + emin)%Z with 0%Z by lia; reflexivity.
Qed.
Lemma places_pos : (0 < places)%nat.
Proof. unfold places; assert (0 < 2 ^ (- emin))%Z by (apply Z.pow_pos_nonneg; lia); lia. Qed.

Definition point (i : nat) : R := DN (INR i * unit).
Definition points : list R := map point (seq 0 places).
Definition P (A : R -> Prop) : R := prob points A.

Lemma points_nonempty : points <> nil.
Proof. unfold points; assert (H := places_pos); destruct places; [lia|easy]. Qed.
Lemma points_length : length points = places.
Proof. unfold points; now rewrite map_length, seq_length. Qed.

(* a float is a whole number of units *)
Lemma float_units v : F v -> exists k : Z, v = IZR k * unit.
Proof.
intros Fv; apply FLT_format_generic in Fv; [|assumption]; destruct Fv as [[m e] -> _ He]; simpl in *.
exists (m * 2 ^ (e - emin))%Z; unfold F2R; simpl; rewrite mult_IZR.
change (2 ^ (e - emin))%Z with (Zpower radix2 (e - emin)); rewrite IZR_Zpower by lia.
rewrite Rmult_assoc, <- bpow_plus; do 2 f_equal; lia.
Qed.

(* rounding a real down, or the multiple of 2^emin below it, is the same *)
Theorem rounds_alike t : 0 <= t -> DN (IZR (Zfloor (t / unit)) * unit) = DN t.
Proof.
intros Ht; assert (U := bpow_gt_0 radix2 emin).
apply Rle_antisym.
- apply round_le; auto with typeclass_instances.
  assert (H := Zfloor_lb (t / unit)); apply Rmult_le_compat_r with (r := unit) in H; [|lra].
  replace (t / unit * unit) with t in H by (field; lra); exact H.
- destruct (round_DN_pt radix2 fexp t) as [Fd [Hd _]].
  apply round_ge_generic; auto with typeclass_instances.
  destruct (float_units _ Fd) as [k Hk]; rewrite Hk; apply Rmult_le_compat_r; [lra|].
  apply IZR_le, Zfloor_lub; apply Rmult_le_reg_r with unit; [exact U|].
  rewrite <- Hk; replace (t / unit * unit) with t by (field; lra); exact Hd.
Qed.

Lemma point_lt i v : F v -> (point i < v <-> INR i * unit < v).
Proof.
intros Fv; unfold point; split; intros H.
- destruct (Rlt_or_le (INR i * unit) v) as [L|L]; [exact L|exfalso].
  assert (v <= DN (INR i * unit)) by (apply round_ge_generic; auto with typeclass_instances); lra.
- apply Rle_lt_trans with (2 := H).
  destruct (round_DN_pt radix2 fexp (INR i * unit)) as [_ [Hd _]]; exact Hd.
Qed.

Theorem P_lt v : F v -> 0 < v <= 1 -> P (fun u => u < v) = v.
Proof.
intros Fv Hv; destruct (float_units v Fv) as [k Hk]; assert (U := bpow_gt_0 radix2 emin).
assert (PU := places_unit).
assert (K0 : (0 < k)%Z) by (apply lt_IZR; apply Rmult_lt_reg_r with unit; lra).
assert (Kn : (Z.to_nat k <= places)%nat).
{ apply INR_le; rewrite INR_IZR_INZ, Z2Nat.id by lia; apply Rmult_le_reg_r with unit; lra. }
unfold P, prob; rewrite points_length.
assert (C : count points (fun u => u < v) = INR (Z.to_nat k)).
{ rewrite <- (count_below places _ Kn); unfold points; induction (seq 0 places) as [|i l IH]; [reflexivity|].
  simpl; rewrite IH; f_equal.
  assert (E : point i < v <-> (i < Z.to_nat k)%nat).
  { rewrite point_lt by exact Fv; rewrite Hk; split; intros H.
    - apply INR_lt; rewrite (INR_IZR_INZ (Z.to_nat k)), Z2Nat.id by lia; apply Rmult_lt_reg_r with unit; assumption.
    - apply Rmult_lt_compat_r; [exact U|]; apply lt_INR in H; rewrite (INR_IZR_INZ (Z.to_nat k)), Z2Nat.id in H by lia; exact H. }
  destruct (dec (point i < v)); destruct (dec (i < Z.to_nat k)%nat); tauto || reflexivity. }
rewrite C, INR_IZR_INZ, Z2Nat.id by lia.
assert (N0 : 0 < INR places) by (apply lt_0_INR, places_pos).
apply Rmult_eq_reg_r with (INR places); [|lra]; field_simplify; [|lra].
rewrite Hk; replace (IZR k) with (IZR k * (INR places * unit)) at 1 by (rewrite PU; ring); ring.
Qed.

Definition U u := F u /\ 0 <= u < 1.
Lemma points_U u : In u points -> U u.
Proof.
unfold points; rewrite in_map_iff; intros [i [<- Hi]]; apply in_seq in Hi.
assert (Ub := bpow_gt_0 radix2 emin).
split; [apply generic_format_round; auto with typeclass_instances|].
assert (Hp : INR i * unit < 1).
{ rewrite <- places_unit; apply Rmult_lt_compat_r; [exact Ub|]; apply lt_INR; lia. }
assert (H0 : 0 <= INR i * unit) by (apply Rmult_le_pos; [apply pos_INR|lra]).
split.
- unfold point; apply round_ge_generic; auto with typeclass_instances; apply generic_format_0.
- apply Rle_lt_trans with (2 := Hp); destruct (round_DN_pt radix2 fexp (INR i * unit)) as [_ [Hd _]]; exact Hd.
Qed.
Lemma P_mono (A B : R -> Prop) : (forall u, U u -> A u -> B u) -> P A <= P B.
Proof. intros H; apply prob_mono; [exact points_nonempty|]; intros u Hu; apply H, points_U, Hu. Qed.
End Star.
