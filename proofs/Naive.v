(* The threshold theorem for other implementations of what it draws (docs/threshold-theorem.md, sections 3 and 5): the naive uniform of j bits, a uniform real rounded down to a multiple of 2^-j,
   and a logarithm that is not correctly rounded.

   The naive uniform has the bounds of Lemma 2 with c = 2^-j e^R instead of 2 eta, for every R (naive_fine); delta has 2^-j e^r.  A logarithm with a relative error of at most e has K = 1/(1 - e) for its
   step (coarse_step), and (K - 1) R for d.  Read: naive_points, naive_pure, naive_far, coarse_pure, coarse_far. *)
From Coq Require Import Reals Lra Lia ZArith List.
From Flocq Require Import Core.
From Probity Require Import Uniform Noise Cell Cuts Threshold Pipeline Snapped.
Open Scope R_scope.

Lemma count_map {S T : Type} (f : S -> T) (l : list S) (A : T -> Prop) : count (map f l) A = count l (fun i => A (f i)).
Proof. induction l as [|x l IH]; simpl; [reflexivity|now rewrite IH]. Qed.

(* ---- 2^-j times 0, ..., 2^j - 1 ---- *)
Section Naive.
Variable j : Z.
Hypothesis j_pos : (0 <= j)%Z.
Notation step := (bpow radix2 (- j)).
Definition naive_count : nat := Z.to_nat (2 ^ j).
Definition naive_points : list R := map (fun i => INR i * step) (seq 0 naive_count).
Lemma naive_unit : INR naive_count * step = 1.
Proof.
unfold naive_count; rewrite INR_IZR_INZ, Z2Nat.id by (apply Z.pow_nonneg; lia).
change (2 ^ j)%Z with (Zpower radix2 j); rewrite IZR_Zpower by lia.
rewrite <- bpow_plus; replace (j + - j)%Z with 0%Z by lia; reflexivity.
Qed.
Lemma naive_count_pos : (0 < naive_count)%nat.
Proof. unfold naive_count; assert (0 < 2 ^ j)%Z by (apply Z.pow_pos_nonneg; lia); lia. Qed.
Lemma naive_nonempty : naive_points <> nil.
Proof. unfold naive_points; assert (H := naive_count_pos); destruct naive_count; [lia|easy]. Qed.
Lemma naive_length : length naive_points = naive_count.
Proof. unfold naive_points; now rewrite map_length, seq_length. Qed.
Lemma naive_range u : In u naive_points -> 0 <= u < 1.
Proof.
unfold naive_points; rewrite in_map_iff; intros [i [<- Hi]]; apply in_seq in Hi; assert (S := bpow_gt_0 radix2 (- j)).
split; [apply Rmult_le_pos; [apply pos_INR|lra]|].
rewrite <- naive_unit; apply Rmult_lt_compat_r; [exact S|]; apply lt_INR; lia.
Qed.
(* a uniform real t of [0, 1) rounded down is one of them, and each has the same share of [0, 1) *)
Theorem naive_rounds t : 0 <= t < 1 -> In (IZR (Zfloor (t / step)) * step) naive_points /\
  forall i, (i < naive_count)%nat -> (IZR (Zfloor (t / step)) * step = INR i * step <-> INR i * step <= t < (INR i + 1) * step).
Proof.
intros Ht; assert (S := bpow_gt_0 radix2 (- j)); assert (U := naive_unit).
assert (F0 : 0 <= t / step) by (apply Rmult_le_pos; [lra|left; now apply Rinv_0_lt_compat]).
assert (E : t / step * step = t) by (field; lra).
assert (L := Zfloor_lb (t / step)); assert (Hu := Zfloor_ub (t / step)).
assert (Z0 : (0 <= Zfloor (t / step))%Z) by (now apply Zfloor_lub).
split.
- unfold naive_points; rewrite in_map_iff; exists (Z.to_nat (Zfloor (t / step))); split.
  + now rewrite INR_IZR_INZ, Z2Nat.id by exact Z0.
  + apply in_seq; assert ((Z.to_nat (Zfloor (t / step)) < naive_count)%nat); [|lia].
    apply INR_lt; rewrite INR_IZR_INZ, Z2Nat.id by exact Z0; apply Rmult_lt_reg_r with step; [exact S|].
    assert (IZR (Zfloor (t / step)) * step <= t / step * step) by (apply Rmult_le_compat_r; lra). lra.
- intros i Hi; split; intros H.
  + assert (Ei : IZR (Zfloor (t / step)) = INR i) by (apply Rmult_eq_reg_r with step; lra).
    rewrite <- Ei; split.
    * rewrite <- E at 2; apply Rmult_le_compat_r; lra.
    * rewrite <- E at 1; apply Rmult_lt_compat_r; lra.
  + f_equal; rewrite INR_IZR_INZ; f_equal; apply Zfloor_imp; rewrite plus_IZR, <- INR_IZR_INZ; split.
    * apply Rmult_le_reg_r with step; lra.
    * apply Rmult_lt_reg_r with step; lra.
Qed.

Lemma naive_prob (A : R -> Prop) : prob naive_points A = count (seq 0 naive_count) (fun i => A (INR i * step)) * step.
Proof.
unfold prob; rewrite naive_length; unfold naive_points; rewrite count_map; assert (U := naive_unit).
assert (N : 0 < INR naive_count) by (apply lt_0_INR, naive_count_pos).
assert (I : / INR naive_count = step) by (apply Rmult_eq_reg_l with (INR naive_count); [rewrite Rinv_r by lra; lra|lra]).
unfold Rdiv; rewrite I; reflexivity.
Qed.
Lemma naive_lt y : 0 < y <= 1 -> y <= prob naive_points (fun u => u < y).
Proof.
intros Hy; assert (S := bpow_gt_0 radix2 (- j)); assert (U := naive_unit); rewrite naive_prob.
assert (E : y / step * step = y) by (field; lra).
set (k := Zceil (y / step)); assert (K := Zceil_ub (y / step)); fold k in K.
assert (Y0 : 0 < y / step) by (apply Rmult_lt_0_compat; [lra|now apply Rinv_0_lt_compat]).
assert (K0 : (0 < k)%Z) by (apply lt_IZR; lra).
assert (Kn : (Z.to_nat k <= naive_count)%nat).
{ assert (k <= Z.of_nat naive_count)%Z; [|lia]; apply Zceil_glb; rewrite <- INR_IZR_INZ; apply Rmult_le_reg_r with step; lra. }
apply Rle_trans with (INR (Z.to_nat k) * step).
- rewrite INR_IZR_INZ, Z2Nat.id by lia; rewrite <- E at 1; apply Rmult_le_compat_r; lra.
- apply Rmult_le_compat_r; [lra|]; rewrite <- (count_below naive_count _ Kn); apply count_mono; intros i _ Hi.
  assert (Hc : (Zceil (y / step) <= k)%Z) by (unfold k; lia).
  destruct (Rlt_or_le (INR i * step) y) as [L|L]; [exact L|exfalso].
  assert (k <= Z.of_nat i)%Z; [|lia]; apply Zceil_glb; rewrite <- INR_IZR_INZ; apply Rmult_le_reg_r with step; lra.
Qed.
Lemma naive_le y : 0 < y -> prob naive_points (fun u => u <= y) <= y + step.
Proof.
intros Hy; assert (S := bpow_gt_0 radix2 (- j)); assert (U := naive_unit).
destruct (Rle_or_lt 1 y) as [H1|H1].
{ apply Rle_trans with 1; [|lra]; rewrite <- (prob_true naive_points naive_nonempty); apply prob_mono; [exact naive_nonempty|easy]. }
rewrite naive_prob; assert (E : y / step * step = y) by (field; lra).
set (k := Zfloor (y / step)); assert (K := Zfloor_lb (y / step)); fold k in K.
assert (Y0 : 0 <= y / step) by (apply Rmult_le_pos; [lra|left; now apply Rinv_0_lt_compat]).
assert (K0 : (0 <= k)%Z) by (now apply Zfloor_lub).
assert (Kn : (Z.to_nat (k + 1) <= naive_count)%nat).
{ assert (k < Z.of_nat naive_count)%Z; [|lia]; apply lt_IZR; rewrite <- INR_IZR_INZ; apply Rmult_lt_reg_r with step; [exact S|].
  assert (IZR k * step <= y / step * step) by (apply Rmult_le_compat_r; lra). lra. }
apply Rle_trans with (INR (Z.to_nat (k + 1)) * step).
- apply Rmult_le_compat_r; [lra|]; rewrite <- (count_below naive_count _ Kn); apply count_mono; intros i _ Hi.
  assert (Z.of_nat i <= k)%Z; [|lia]; apply Zfloor_lub; rewrite <- INR_IZR_INZ; apply Rmult_le_reg_r with step; lra.
- rewrite INR_IZR_INZ, Z2Nat.id by lia; rewrite plus_IZR, Rmult_plus_distr_r, Rmult_1_l.
  assert (IZR k * step <= y / step * step) by (apply Rmult_le_compat_r; lra). lra.
Qed.
Definition naive_c (Rr : R) : R := step * exp Rr.
Lemma naive_c_pos Rr : 0 <= naive_c Rr.
Proof. apply Rmult_le_pos; [apply bpow_ge_0|left; apply exp_pos]. Qed.
(* every R: there is no condition on it *)
Theorem naive_fine Rr : fine_law (prob naive_points) (naive_c Rr) Rr.
Proof.
split; [exact naive_lt|]; intros y Hy; assert (Y : 0 < y) by (apply Rlt_le_trans with (2 := Hy); apply exp_pos).
apply Rle_trans with (1 := naive_le y Y); rewrite Rmult_plus_distr_l, Rmult_1_r; apply Rplus_le_compat_l; unfold naive_c.
assert (S := bpow_gt_0 radix2 (- j)); assert (X := exp_pos Rr).
replace step with (exp (- Rr) * (step * exp Rr)) at 1 by (rewrite exp_Ropp; field; lra).
apply Rmult_le_compat_r; [apply Rmult_le_pos; lra|exact Hy].
Qed.
End Naive.

(* ---- the mechanism ---- *)
Section Mechanism.
Variables emin prec k : Z.
Context {prec_gt_0_ : Prec_gt_0 prec}.
Notation F := (generic_format radix2 (FLT_exp emin prec)).
Notation RN := (round radix2 (FLT_exp emin prec) ZnearestE).
Notation Lam := (bpow radix2 k).
Notation tiny := (bpow radix2 (emin + prec - 1)).
Variables (B : R) (M : nat).
Hypothesis M_pos : (1 <= M)%nat.
Hypothesis B_range : 0 < B <= INR M * Lam.
Hypothesis half_grid : forall j : Z, (- Z.of_nat M < j <= Z.of_nat M)%Z ->
  F (IZR j * Lam - Lam / 2) /\ tiny <= Rabs (IZR j * Lam - Lam / 2).
Variable fs : list R.
Hypothesis fs_pos : Forall (fun f => 0 < f) fs.
Notation rho := (Pipeline.rho fs).
Variables (Rr D : R).
Hypothesis Rr_pos : 0 <= Rr.
Hypothesis D_pos : 0 <= D.
Notation h := (Threshold.h prec k M).
Notation q := (Threshold.q prec k M rho).
Notation r := (Rr - rho * (Lam + 2 * h + D)).
Hypothesis width : 2 * h < Lam.

(* a naive uniform of j bits, and a correctly rounded logarithm *)
Section NaiveUniform.
Variable j : Z.
Hypothesis j_pos : (0 <= j)%Z.
Notation points := (naive_points j).
Notation Pr := (P2 R points).
Notation kappa := (Pipeline.kappa prec fs).
Notation c := (naive_c j Rr).
Notation drift := (Snapped.drift prec Rr fs).
Hypothesis in_range : forall u, In u points -> 0 < u -> tiny <= - ln u /\ normal emin prec (RN (- ln u)) fs.
Hypothesis Cm_pos : 0 < Cminus kappa drift c q.
Notation eps := (epsilon c rho kappa drift q D).
Notation mechanism := (Threshold.mechanism emin prec k B (Pipeline.n emin prec fs)).
Theorem naive_pure x x' (E : R -> Prop) : rho * (B + INR M * Lam - Lam / 2 + h) <= Rr ->
  Rabs x <= B -> Rabs x' <= B -> Rabs (x - x') <= D ->
  Pr (fun u s => E (mechanism x u s)) <= exp eps * Pr (fun u s => E (mechanism x' u s)).
Proof.
intros; apply (snapped_pure_by emin prec k points c Rr); auto using naive_nonempty, naive_c_pos, naive_fine.
intros u; now apply naive_range.
Qed.
Theorem naive_far x x' (E : R -> Prop) : 0 <= r -> Rabs x <= B -> Rabs x' <= B -> Rabs (x - x') <= D ->
  Pr (fun u s => E (mechanism x u s)) <= exp eps * Pr (fun u s => E (mechanism x' u s)) + exp (- (r / kappa)) * (1 + bpow radix2 (- j) * exp r).
Proof.
intros; apply (snapped_far_by emin prec k points c Rr) with (c' := naive_c j r); auto using naive_nonempty, naive_c_pos, naive_fine.
intros u; now apply naive_range.
Qed.
End NaiveUniform.

(* a logarithm with a relative error, and any uniform draw *)
Section Coarse.
Variables (points : list R) (c : R).
Hypothesis nonempty : points <> nil.
Hypothesis in_unit : forall u, In u points -> 0 <= u < 1.
Hypothesis c_pos : 0 <= c.
Hypothesis law_fine : fine_law (prob points) c Rr.
Variables (lg : R -> R) (e : R).
Hypothesis e_range : 0 <= e < 1.
(* the computed logarithm is a float, no step leaves the normal range, and it errs by at most e times the logarithm, or e times itself *)
Hypothesis lg_near : forall u, In u points -> 0 < u -> F (lg u) /\ 0 < lg u /\ normal emin prec (lg u) fs /\
  (Rabs (lg u - - ln u) <= e * - ln u \/ Rabs (lg u - - ln u) <= e * lg u).
Definition coarse_kappa := / (1 - e) * Kap prec fs.
Definition coarse_n u := noise emin prec (lg u) fs.
Notation kappa := coarse_kappa.
Lemma coarse_step x L : 0 < x -> 0 < L -> (Rabs (x - L) <= e * L \/ Rabs (x - L) <= e * x) -> L / / (1 - e) <= x <= / (1 - e) * L.
Proof.
intros X L0 H; assert (I : 0 < / (1 - e)) by (apply Rinv_0_lt_compat; lra).
assert (E1 : / (1 - e) * (1 - e) = 1) by (field; lra).
replace (L / / (1 - e)) with (L * (1 - e)) by (field; lra).
assert (G : L * (1 - e) <= x /\ x * (1 - e) <= L).
{ destruct H as [H|H]; apply Rabs_le_inv in H; split; nra. }
split; [apply G|]; apply Rmult_le_reg_r with (1 - e); [lra|].
replace (/ (1 - e) * L * (1 - e)) with L by (field; lra); apply G.
Qed.
Lemma coarse_kappa1 : 1 <= kappa.
Proof.
unfold kappa; assert (K := Kap1 prec fs); assert (1 <= / (1 - e)) by (rewrite <- Rinv_1; apply Rinv_le_contravar; lra); nra.
Qed.
Lemma coarse_relative u : In u points -> 0 < u -> - ln u / kappa <= rho * coarse_n u <= kappa * - ln u.
Proof.
intros Hu U0; destruct (lg_near u Hu U0) as [Fl [L0 [Nl err]]].
assert (L : 0 < - ln u).
{ assert (H := in_unit u Hu); assert (H0 := ln_increasing u 1 U0 ltac:(lra)); rewrite ln_1 in H0; lra. }
assert (S := coarse_step (lg u) (- ln u) L0 L err); assert (K1 := Kap1 prec fs).
assert (I : 0 < / (1 - e)) by (apply Rinv_0_lt_compat; lra).
assert (H := relative emin prec fs (lg u) 1 Rlt_0_1 Fl L0 Nl); rewrite Rmult_1_l in H; unfold kappa, coarse_n; split.
- apply Rle_trans with (2 := proj1 H); replace (- ln u / (/ (1 - e) * Kap prec fs)) with (- ln u / / (1 - e) / Kap prec fs) by (field; lra).
  apply Rmult_le_compat_r; [left; apply Rinv_0_lt_compat; lra|apply S].
- apply Rle_trans with (1 := proj2 H); replace (/ (1 - e) * Kap prec fs * - ln u) with (/ (1 - e) * - ln u * Kap prec fs) by ring.
  apply Rmult_le_compat_r; [lra|apply S].
Qed.
Notation drift := ((kappa - 1) * Rr).
Hypothesis Cm_pos : 0 < Cminus kappa drift c q.
Notation eps := (epsilon c rho kappa drift q D).
Notation Pr := (P2 R points).
Notation mechanism := (Threshold.mechanism emin prec k B coarse_n).
Theorem coarse_pure x x' (E : R -> Prop) : rho * (B + INR M * Lam - Lam / 2 + h) <= Rr ->
  Rabs x <= B -> Rabs x' <= B -> Rabs (x - x') <= D ->
  Pr (fun u s => E (mechanism x u s)) <= exp eps * Pr (fun u s => E (mechanism x' u s)).
Proof.
intros; assert (K := coarse_kappa1); apply (threshold_pure_by emin prec k B M M_pos B_range half_grid points c Rr); auto.
- apply rate_pos; [lra|exact fs_pos].
- apply Rmult_le_pos; lra.
- left; lra.
- intros u Hu U0; now apply coarse_relative.
- intros u Hu U0; now apply coarse_relative.
Qed.
Theorem coarse_far (c' : R) x x' (E : R -> Prop) : fine_law (prob points) c' r -> 0 <= r -> Rabs x <= B -> Rabs x' <= B -> Rabs (x - x') <= D ->
  Pr (fun u s => E (mechanism x u s)) <= exp eps * Pr (fun u s => E (mechanism x' u s)) + exp (- (r / kappa)) * (1 + c').
Proof.
intros; assert (K := coarse_kappa1); apply (threshold_far_by emin prec k B M M_pos B_range half_grid points c Rr); auto.
- apply rate_pos; [lra|exact fs_pos].
- apply Rmult_le_pos; lra.
- left; lra.
- intros u Hu U0; now apply coarse_relative.
- intros u Hu U0; now apply coarse_relative.
Qed.
End Coarse.
End Mechanism.
