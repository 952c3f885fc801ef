(* The threshold theorem as the kernel uses it (trusted/kernel/src/float/threshold.rs): the noise is a correctly
   rounded logarithm followed by rounded scalings (Pipeline.v), d is the smaller of (K - 1) R and D(R), and bounds of
   K, d and q, instead of their values, give a theorem for a family of parameters.

   The uniform draw is any finite list of equally likely numbers (snapped_pure_by, snapped_far_by), and a uniform real rounded down to the format (snapped_pure, snapped_far).

   Read: snapped_pure, snapped_far, family. *)
From Coq Require Import Reals Lra Lia ZArith List.
From Flocq Require Import Core.
From Probity Require Import Uniform Noise Cell Cuts Threshold Pipeline.
Open Scope R_scope.

(* ---- what grows with what ---- *)
Section Monotone.
Variables (k k' d d' c q q' : R).
Hypothesis kk : 1 <= k <= k'.
Hypothesis dd : 0 <= d <= d'.
Hypothesis c0 : 0 <= c.
Hypothesis qq : 0 <= q <= q'.
Hypothesis q1 : q' < 1.
Lemma inv_mono : 0 < / (1 - q) <= / (1 - q').
Proof. split; [apply Rinv_0_lt_compat; lra|apply Rinv_le_contravar; lra]. Qed.
Lemma odds_mono : 0 <= q / (1 - q) <= q' / (1 - q').
Proof. assert (H := inv_mono); unfold Rdiv; split; [apply Rmult_le_pos; lra|apply Rmult_le_compat; lra]. Qed.
Lemma split_plus a b : (a - q * b) / (1 - q) = a + q / (1 - q) * (a - b). Proof. field; lra. Qed.
Lemma split_plus' a b : (a - q' * b) / (1 - q') = a + q' / (1 - q') * (a - b). Proof. field; lra. Qed.
Lemma ea_mono : exp (d + ln (1 + c)) <= exp (d' + ln (1 + c)). Proof. apply exp_le; lra. Qed.
Lemma eb_mono : exp (- d') <= exp (- d). Proof. apply exp_le; lra. Qed.
Lemma gap_pos : exp (- d) <= exp (d + ln (1 + c)).
Proof. apply ebea; lra. Qed.
Theorem Cplus_mono : Cplus k d c q <= Cplus k' d' c q'.
Proof.
assert (A := ea_mono); assert (B := eb_mono); assert (G := gap_pos); assert (O := odds_mono); assert (I := inv_mono).
unfold Cplus; apply Rmax_lub.
- apply Rle_trans with (2 := Rmax_l _ _); rewrite split_plus, split_plus'; apply Rplus_le_compat; [exact A|].
  apply Rmult_le_compat; lra.
- apply Rle_trans with (2 := Rmax_r _ _); apply Rplus_le_compat_l; unfold Rdiv; assert (E := exp_pos (-1)).
  apply Rmult_le_compat; [|lra| |lra].
  + apply Rmult_le_pos; [lra|apply Rmult_le_pos; lra].
  + apply Rmult_le_compat_l; [lra|apply Rmult_le_compat_r; lra].
Qed.
Theorem Cminus_mono : Cminus k' d' c q' <= Cminus k d c q.
Proof.
assert (A := ea_mono); assert (B := eb_mono); assert (G := gap_pos); assert (O := odds_mono); assert (I := inv_mono).
unfold Cminus; apply Rmin_glb.
- apply Rle_trans with (1 := Rmin_l _ _); rewrite split_plus, split_plus'.
  assert (q / (1 - q) * (exp (d + ln (1 + c)) - exp (- d)) <= q' / (1 - q') * (exp (d' + ln (1 + c)) - exp (- d'))) by (apply Rmult_le_compat; lra).
  lra.
- apply Rle_trans with (1 := Rmin_r _ _).
  assert (E := exp_pos (-1)); assert (Eg := exp_pos (ln (1 + c))); assert (Gp := g_pos c c0).
  assert (H : h2 k c <= h2 k' c) by (unfold h2; apply Rmult_le_compat_l; [lra|]; apply Rplus_le_compat_l, Rmult_le_compat_r; lra).
  assert (H0 : 0 <= h2 k c) by (unfold h2; apply Rmult_le_pos; [lra|]; assert (0 <= (k - 1) * exp (-1)) by (apply Rmult_le_pos; lra); lra).
  assert (2 * h2 k c / (1 - q) <= 2 * h2 k' c / (1 - q')) by (unfold Rdiv; apply Rmult_le_compat; lra).
  lra.
Qed.
(* bounds instead of values: the loss is at most rho D plus what the bounds give *)
Theorem family rho D : 0 < Cminus k' d' c q' ->
  0 < Cminus k d c q /\ epsilon c rho k d q D <= rho * D + ln (Cplus k' d' c q') + - ln (Cminus k' d' c q').
Proof.
intros H; assert (P := Cplus_mono); assert (M := Cminus_mono); split; [lra|unfold epsilon].
assert (C0 : 0 < Cplus k d c q).
{ apply Rlt_le_trans with (2 := Cplus_ea k d c q ltac:(lra) c0 ltac:(lra)); apply exp_pos. }
assert (ln (Cplus k d c q) <= ln (Cplus k' d' c q')) by (destruct P as [P| ->]; [left; now apply ln_increasing|lra]).
assert (ln (Cminus k' d' c q') <= ln (Cminus k d c q)) by (destruct M as [M| ->]; [left; now apply ln_increasing|lra]).
lra.
Qed.
End Monotone.

(* ---- the mechanism with its pipeline ---- *)
Section Snapped.
Variables emin prec k : Z.
Context {prec_gt_0_ : Prec_gt_0 prec}.
Notation F := (generic_format radix2 (FLT_exp emin prec)).
Notation RN := (round radix2 (FLT_exp emin prec) ZnearestE).
Notation Lam := (bpow radix2 k).
Notation tiny := (bpow radix2 (emin + prec - 1)).
(* what the uniform draw may be, each with the same probability *)
Variables (points : list R) (c Rr : R).
Hypothesis nonempty : points <> nil.
Hypothesis in_unit : forall u, In u points -> 0 <= u < 1.
Hypothesis c_pos : 0 <= c.
Hypothesis law_fine : fine_law (prob points) c Rr.
Variables (B : R) (M : nat).
Hypothesis M_pos : (1 <= M)%nat.
Hypothesis B_range : 0 < B <= INR M * Lam.
Hypothesis half_grid : forall j : Z, (- Z.of_nat M < j <= Z.of_nat M)%Z ->
  F (IZR j * Lam - Lam / 2) /\ tiny <= Rabs (IZR j * Lam - Lam / 2).
(* the scalings: positive factors, no step leaves the normal range *)
Variable fs : list R.
Hypothesis fs_pos : Forall (fun f => 0 < f) fs.
Hypothesis in_range : forall u, In u points -> 0 < u -> tiny <= - ln u /\ normal emin prec (RN (- ln u)) fs.
Notation kappa := (Pipeline.kappa prec fs).
Notation rho := (Pipeline.rho fs).
Notation n := (Pipeline.n emin prec fs).
Variable D : R.
Hypothesis Rr_pos : 0 <= Rr.
Hypothesis D_pos : 0 <= D.
Definition drift := Rmin ((kappa - 1) * Rr) (Pipeline.D prec fs Rr).
Notation h := (Threshold.h prec k M).
Notation q := (Threshold.q prec k M rho).
Lemma drift_pos : 0 <= drift.
Proof.
unfold drift; apply Rmin_glb; [|now apply Pipeline.D_pos].
apply Rmult_le_pos; [|exact Rr_pos]; assert (H := Pipeline.kappa1 prec fs); lra.
Qed.
Hypothesis width : 2 * h < Lam.
Hypothesis Cm_pos : 0 < Cminus kappa drift c q.
Notation eps := (epsilon c rho kappa drift q D).
Notation Pr := (P2 R points).
Notation mechanism := (Threshold.mechanism emin prec k B n).

Lemma rho_pos : 0 < rho. Proof. apply rate_pos; [lra|exact fs_pos]. Qed.
Lemma close : (kappa - 1) * Rr <= drift \/
  forall u, In u points -> 0 < u -> - ln u <= kappa * Rr -> Rabs (rho * n u - - ln u) <= drift.
Proof.
unfold drift, Rmin; destruct Rle_dec; [left; lra|right].
intros u Hu H0 HL; destruct (in_range u Hu H0) as [A1 A2]; now apply noise_absolute.
Qed.
Lemma below : forall u, In u points -> 0 < u -> - ln u / kappa <= rho * n u.
Proof. intros u Hu H0; destruct (in_range u Hu H0); now apply noise_relative. Qed.
Lemma above : forall u, In u points -> 0 < u -> rho * n u <= kappa * - ln u.
Proof. intros u Hu H0; destruct (in_range u Hu H0); now apply noise_relative. Qed.

Theorem snapped_pure_by x x' (E : R -> Prop) : rho * (B + INR M * Lam - Lam / 2 + h) <= Rr ->
  Rabs x <= B -> Rabs x' <= B -> Rabs (x - x') <= D ->
  Pr (fun u s => E (mechanism x u s)) <= exp eps * Pr (fun u s => E (mechanism x' u s)).
Proof.
intros; apply (threshold_pure_by emin prec k B M M_pos B_range half_grid points c Rr); auto using rho_pos, drift_pos, close, below, above.
apply kappa1.
Qed.

Theorem snapped_far_by (c' : R) x x' (E : R -> Prop) : fine_law (prob points) c' (Rr - rho * (Lam + 2 * h + D)) -> 0 <= Rr - rho * (Lam + 2 * h + D) ->
  Rabs x <= B -> Rabs x' <= B -> Rabs (x - x') <= D ->
  Pr (fun u s => E (mechanism x u s)) <= exp eps * Pr (fun u s => E (mechanism x' u s)) +
    exp (- ((Rr - rho * (Lam + 2 * h + D)) / kappa)) * (1 + c').
Proof.
intros; apply (threshold_far_by emin prec k B M M_pos B_range half_grid points c Rr); auto using rho_pos, drift_pos, close, below, above.
apply kappa1.
Qed.
End Snapped.

(* ---- with a uniform real rounded down to the format ---- *)
Section Star.
Variables emin prec k : Z.
Context {prec_gt_0_ : Prec_gt_0 prec}.
Hypothesis emin_neg : (emin + prec <= 0)%Z.
Notation F := (generic_format radix2 (FLT_exp emin prec)).
Notation RN := (round radix2 (FLT_exp emin prec) ZnearestE).
Notation Lam := (bpow radix2 k).
Notation eta2 := (bpow radix2 (1 - prec)).
Notation tiny := (bpow radix2 (emin + prec - 1)).
Notation points := (Uniform.points emin prec).
Variables (B : R) (M : nat).
Hypothesis M_pos : (1 <= M)%nat.
Hypothesis B_range : 0 < B <= INR M * Lam.
Hypothesis half_grid : forall j : Z, (- Z.of_nat M < j <= Z.of_nat M)%Z ->
  F (IZR j * Lam - Lam / 2) /\ tiny <= Rabs (IZR j * Lam - Lam / 2).
Variable fs : list R.
Hypothesis fs_pos : Forall (fun f => 0 < f) fs.
Hypothesis in_range : forall u, In u points -> 0 < u -> tiny <= - ln u /\ normal emin prec (RN (- ln u)) fs.
Notation kappa := (Pipeline.kappa prec fs).
Notation rho := (Pipeline.rho fs).
Notation n := (Pipeline.n emin prec fs).
Variables (Rr D : R).
Hypothesis Rr_pos : 0 <= Rr.
Hypothesis Rr_fine : Rr <= - IZR (emin + prec - 1) * ln 2.
Hypothesis D_pos : 0 <= D.
Notation drift := (drift prec Rr fs).
Notation h := (Threshold.h prec k M).
Notation q := (Threshold.q prec k M rho).
Hypothesis width : 2 * h < Lam.
Hypothesis Cm_pos : 0 < Cminus kappa drift eta2 q.
Notation eps := (epsilon eta2 rho kappa drift q D).
Notation Pr := (P2 R points).
Notation mechanism := (Threshold.mechanism emin prec k B n).

Theorem snapped_pure x x' (E : R -> Prop) : rho * (B + INR M * Lam - Lam / 2 + h) <= Rr ->
  Rabs x <= B -> Rabs x' <= B -> Rabs (x - x') <= D ->
  Pr (fun u s => E (mechanism x u s)) <= exp eps * Pr (fun u s => E (mechanism x' u s)).
Proof.
intros; apply (threshold_pure emin prec k emin_neg B M M_pos B_range half_grid Rr); auto.
- now apply rho_pos.
- apply kappa1.
- now apply drift_pos.
- now apply close.
- now apply below.
- now apply above.
Qed.

Theorem snapped_far x x' (E : R -> Prop) : 0 <= Rr - rho * (Lam + 2 * h + D) ->
  Rabs x <= B -> Rabs x' <= B -> Rabs (x - x') <= D ->
  Pr (fun u s => E (mechanism x u s)) <= exp eps * Pr (fun u s => E (mechanism x' u s)) +
    exp (- ((Rr - rho * (Lam + 2 * h + D)) / kappa)) * (1 + eta2).
Proof.
intros; apply (threshold_far emin prec k emin_neg B M M_pos B_range half_grid Rr); auto.
- now apply rho_pos.
- apply kappa1.
- now apply drift_pos.
- now apply close.
- now apply below.
- now apply above.
Qed.
End Star.
