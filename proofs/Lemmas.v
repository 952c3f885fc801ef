(* The lemmas of trusted/kernel/src/evidence/lemma.rs, each under its name there with _ for -, and the functions that they are
   about as docs/language.md defines them: total, with the value 0 outside their domain.  ln-value and exp-value are in Values.v. *)
From Coq Require Import Reals Lra Lia ZArith.
From Flocq Require Import Core.
Open Scope R_scope.

(* a / 0 = 0 *)
Definition div a b := if Req_EM_T b 0 then 0 else a / b.
(* ln a = 0 for a <= 0 *)
Definition ln_ a := if Rlt_dec 0 a then ln a else 0.
Definition floor_ a := IZR (Zfloor a).
(* the nearest multiple of g, ties to the even multiple; 0 if g <= 0 *)
Definition round_to a g := if Rlt_dec 0 g then IZR (ZnearestE (a / g)) * g else 0.
(* on integers, in 0..b; 0 if b <= 0 *)
Definition mod_ (a b : Z) : Z := if Z_lt_dec 0 b then (a mod b)%Z else 0%Z.
(* the smallest power of two at or above a; 0 if a <= 0 *)
Definition pow2_at_least a :=
  if Rlt_dec 0 a then (if Req_EM_T a (bpow radix2 (mag radix2 a - 1)) then a else bpow radix2 (mag radix2 a)) else 0.

Theorem inverse a : a <> 0 -> a * div 1 a = 1.
Proof. intros H; unfold div; destruct Req_EM_T; [easy|field; exact H]. Qed.
Theorem inverse_positive a : 0 < a -> 0 < div 1 a.
Proof. intros H; unfold div; destruct Req_EM_T; [lra|]; apply Rmult_lt_0_compat; [lra|now apply Rinv_0_lt_compat]. Qed.
Theorem floor a : floor_ a <= a < floor_ a + 1.
Proof. split; [apply Zfloor_lb|apply Zfloor_ub]. Qed.
Theorem floor_monotone a b : a <= b -> floor_ a <= floor_ b.
Proof. intros H; apply IZR_le, Zfloor_le, H. Qed.
Theorem round_near a g : 0 < g -> Rabs (round_to a g - a) <= g / 2.
Proof.
intros H; unfold round_to; destruct Rlt_dec; [|easy].
assert (N := Znearest_half (fun x => negb (Z.even x)) (a / g)).
replace (IZR (ZnearestE (a / g)) * g - a) with (- (a / g - IZR (ZnearestE (a / g))) * g) by (field; lra).
rewrite Rabs_mult, Rabs_Ropp, (Rabs_pos_eq g) by lra; nra.
Qed.
Theorem round_monotone a b g : 0 < g -> a <= b -> round_to a g <= round_to b g.
Proof.
intros H L; unfold round_to; destruct Rlt_dec; [|easy]; apply Rmult_le_compat_r; [lra|].
apply IZR_le, (@Zrnd_le ZnearestE (valid_rnd_N _)).
apply Rmult_le_compat_r; [left; now apply Rinv_0_lt_compat|exact L].
Qed.
Theorem mod_range a b : (0 < b)%Z -> (0 <= mod_ a b < b)%Z.
Proof. intros H; unfold mod_; destruct Z_lt_dec; [|easy]; now apply Z.mod_pos_bound. Qed.
Theorem pow2 a : 0 < a -> a <= pow2_at_least a < a * 2.
Proof.
intros H; unfold pow2_at_least; destruct Rlt_dec; [|easy].
assert (L := bpow_mag_le radix2 a ltac:(lra)); assert (U := bpow_mag_gt radix2 a); rewrite Rabs_pos_eq in L, U by lra.
destruct Req_EM_T as [E|E]; [lra|].
assert (D : bpow radix2 (mag radix2 a) = 2 * bpow radix2 (mag radix2 a - 1)).
{ replace (mag radix2 a : Z) with (1 + (mag radix2 a - 1))%Z at 1 by ring; rewrite bpow_plus; reflexivity. }
lra.
Qed.
Theorem pow2_smallest a e : 0 < a -> a <= bpow radix2 e -> pow2_at_least a <= bpow radix2 e.
Proof.
intros H L; unfold pow2_at_least; destruct Rlt_dec; [|easy]; destruct Req_EM_T as [E|E]; [exact L|].
apply bpow_le; destruct (Z_le_gt_dec (mag radix2 a) e) as [G|G]; [exact G|exfalso].
assert (bpow radix2 e <= bpow radix2 (mag radix2 a - 1)) by (apply bpow_le; lia).
assert (M := bpow_mag_le radix2 a ltac:(lra)); rewrite Rabs_pos_eq in M by lra; lra.
Qed.
Theorem exp_positive a : 0 < exp a. Proof. apply exp_pos. Qed.
Theorem exp_sum a b : exp (a + b) = exp a * exp b. Proof. apply exp_plus. Qed.
Theorem exp_monotone a b : a <= b -> exp a <= exp b.
Proof. intros [H| ->]; [left; now apply exp_increasing|right; reflexivity]. Qed.
Theorem exp_tangent a : 1 + a <= exp a.
Proof. destruct (Req_dec a 0) as [->|H]; [rewrite exp_0; lra|left; now apply exp_ineq1]. Qed.
Lemma ln_E a : 0 < a -> ln_ a = ln a. Proof. intros H; unfold ln_; destruct Rlt_dec; [reflexivity|easy]. Qed.
Theorem ln_monotone a b : 0 < a -> a <= b -> ln_ a <= ln_ b.
Proof. intros H [L| ->]; [|lra]; rewrite !ln_E by lra; left; now apply ln_increasing. Qed.
Theorem ln_positive a : 1 < a -> 0 < ln_ a.
Proof. intros H; rewrite ln_E by lra; rewrite <- ln_1; apply ln_increasing; lra. Qed.
Theorem ln_product a b : 0 < a -> 0 < b -> ln_ (a * b) = ln_ a + ln_ b.
Proof. intros Ha Hb; rewrite !ln_E by (assumption || now apply Rmult_lt_0_compat); now apply ln_mult. Qed.
Theorem ln_quotient a b : 0 < a -> 0 < b -> ln_ (div a b) = ln_ a - ln_ b.
Proof.
intros Ha Hb; unfold div; destruct Req_EM_T as [E|_]; [lra|]; assert (I := Rinv_0_lt_compat b Hb).
rewrite !ln_E by (assumption || now apply Rmult_lt_0_compat); unfold Rdiv; rewrite ln_mult, ln_Rinv by assumption; ring.
Qed.
Theorem exp_ln a : 0 < a -> exp (ln_ a) = a.
Proof. intros H; rewrite ln_E by exact H; now apply Rpower.exp_ln. Qed.
Theorem ln_exp a : ln_ (exp a) = a.
Proof. rewrite ln_E by apply exp_pos; apply Rpower.ln_exp. Qed.
(* same-unary, same-binary, same-entry: equal arguments give equal values *)
Theorem root a : 0 <= a -> 0 <= sqrt a /\ sqrt a * sqrt a = a.
Proof. intros H; split; [apply sqrt_pos|now apply sqrt_sqrt]. Qed.

Theorem same_unary (A B : Type) (f : A -> B) a b : a = b -> f a = f b. Proof. now intros ->. Qed.
Theorem same_binary (A B C : Type) (f : A -> B -> C) a b c d : a = b -> c = d -> f a c = f b d. Proof. now intros -> ->. Qed.
Theorem same_entry (A : Type) (get : R -> A) a b : a = b -> get a = get b. Proof. now intros ->. Qed.
(* equal-entries, equal-lengths: equal lists have equal entries at equal places, and one length *)
Theorem equal_entries (L I A : Type) (get : L -> I -> A) l l' a b : l = l' -> a = b -> get l a = get l' b.
Proof. now intros -> ->. Qed.
Theorem equal_lengths (A : Type) (l l' : list A) : l = l' -> length l = length l'. Proof. now intros ->. Qed.

(* what the adjacency says of two entries at an index *)
Theorem adjacent_every (q q' : nat -> R) bound i : (forall j, Rabs (q' j - q j) <= bound) -> Rabs (q' i - q i) <= bound.
Proof. auto. Qed.
Theorem adjacent_one (q q' : nat -> R) bound changed i : 0 <= bound ->
  (forall j, j <> changed -> q' j = q j) -> Rabs (q' changed - q changed) <= bound ->
  (i <> changed -> q' i = q i) /\ Rabs (q' i - q i) <= bound.
Proof.
intros B H C; split; [apply H|]; destruct (Nat.eq_dec i changed) as [->|E]; [exact C|].
rewrite (H i E); replace (q i - q i) with 0 by ring; rewrite Rabs_R0; exact B.
Qed.

(* numbers defined by cases, as trusted/kernel/src/evidence/fact.rs unfolds them *)
Theorem abs_cases a : (0 <= a /\ Rabs a = a) \/ (a < 0 /\ Rabs a = - a).
Proof. unfold Rabs; destruct Rcase_abs; lra. Qed.
Theorem abs_le a b : Rabs a <= b <-> a <= b /\ - a <= b.
Proof. unfold Rabs; destruct Rcase_abs; split; lra. Qed.
Theorem min_cases a b : (a <= b /\ Rmin a b = a) \/ (b < a /\ Rmin a b = b).
Proof. unfold Rmin; destruct Rle_dec; lra. Qed.
Theorem max_cases a b : (a <= b /\ Rmax a b = b) \/ (b < a /\ Rmax a b = a).
Proof. unfold Rmax; destruct Rle_dec; lra. Qed.
Theorem integer_gap (p : Z) : IZR p > 0 <-> IZR p - 1 >= 0.
Proof.
split; intros H; [|lra]; apply lt_IZR in H; assert (1 <= p)%Z by lia; apply IZR_le in H0; lra.
Qed.
