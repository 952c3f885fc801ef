(* What the kernel checks of the numbers (trusted/kernel/src/float/shape.rs) is what the threshold theorem asks of them, and what it takes for all parameters of a range holds of each of them.

   The half-grid points are normal floats if 2^emin <= L/2 and 2M <= 2^p (half_grid_normal).  No step of the noise underflows or overflows if every partial product of the constants keeps the range of
   -ln u within twice the smallest normal number and half the largest one (in_range_checked, no_overflow; coarse_in_range for a logarithm that is not correctly rounded): for that K < 2 is needed, which the
   conditions of Lemma 3 imply (kappa_below_two, coarse_below_two), since with K >= 2 the noise might err by R.  So checked_pure and checked_far are the theorem with the kernel's conditions, and no others.
   Lemma 4 is that the grid that is computed is Mironov's (lemma4); with it the numbers of a family bound those of each of its members (rounded_rate, scale_of_grid, family_shape, family_delta).
   Read: the statements of these theorems. *)
From Coq Require Import Reals Lra Lia ZArith List.
From Flocq Require Import Core Relative.
From Probity Require Import Uniform Noise Cell Cuts Threshold Pipeline Snapped.
From Probity Require Lemmas Naive.
Open Scope R_scope.

(* ---- half-grid points ---- *)
Section Grid.
Variables emin prec k : Z.
Context {prec_gt_0_ : Prec_gt_0 prec}.
Notation F := (generic_format radix2 (FLT_exp emin prec)).
Notation Lam := (bpow radix2 k).
Notation tiny := (bpow radix2 (emin + prec - 1)).
Theorem half_grid_normal (M : nat) : (emin + prec <= k)%Z -> (2 * Z.of_nat M <= 2 ^ prec)%Z ->
  forall j : Z, (- Z.of_nat M < j <= Z.of_nat M)%Z -> F (IZR j * Lam - Lam / 2) /\ tiny <= Rabs (IZR j * Lam - Lam / 2).
Proof.
intros Hk HM j Hj; assert (P0 := prec_gt_0 prec).
assert (E : IZR j * Lam - Lam / 2 = F2R (Float radix2 (2 * j - 1) (k - 1))).
{ unfold F2R; cbn [Fnum Fexp]; rewrite minus_IZR, mult_IZR.
  replace k with (k - 1 + 1)%Z at 1 2 by ring; rewrite bpow_plus; change (bpow radix2 1) with 2; field. }
assert (S : (Z.abs (2 * j - 1) < 2 ^ prec)%Z) by lia.
rewrite E; split.
- apply generic_format_FLT; exists (Float radix2 (2 * j - 1) (k - 1)); [reflexivity|exact S|simpl; lia].
- rewrite <- F2R_Zabs; unfold F2R; cbn [Fnum Fexp].
  apply Rle_trans with (bpow radix2 (k - 1)); [apply bpow_le; lia|].
  rewrite <- (Rmult_1_l (bpow radix2 (k - 1))) at 1; apply Rmult_le_compat_r; [apply bpow_ge_0|apply (IZR_le 1); lia].
Qed.
End Grid.

(* ---- the noise stays in range ---- *)
Section Range.
Variables emin prec : Z.
Context {prec_gt_0_ : Prec_gt_0 prec}.
Notation fexp := (FLT_exp emin prec).
Notation F := (generic_format radix2 fexp).
Notation RN := (round radix2 fexp ZnearestE).
Notation eta := (bpow radix2 (- prec)).
Notation tiny := (bpow radix2 (emin + prec - 1)).

(* 1 and every partial product of the constants *)
Fixpoint partials (P : R -> Prop) (p : R) (fs : list R) : Prop := P p /\ match fs with nil => True | f :: fs => partials P (p * f) fs end.
Lemma partials_here P p fs : partials P p fs -> P p. Proof. destruct fs; simpl; tauto. Qed.

Lemma next_pos r f : F r -> 0 < r -> 0 < f -> tiny <= r * f -> 0 < RN (r * f).
Proof.
intros Fr Hr Hf Hv; assert (S := step_rel emin prec r f Fr Hr Hf Hv); assert (k1 := kap1 prec f).
apply Rlt_le_trans with (r * f / kap prec f); [|apply S].
apply Rmult_lt_0_compat; [apply Rmult_lt_0_compat; lra|apply Rinv_0_lt_compat; lra].
Qed.
(* x bounds what goes in from below, with an error of K so far *)
Lemma normal_of_partials x fs : 0 < x -> forall r p K, F r -> 0 < r -> 0 < p -> 1 <= K -> x * p / K <= r -> Forall (fun f => 0 < f) fs ->
  partials (fun p => 2 * tiny <= x * p) p fs -> K * Kap prec fs < 2 -> normal emin prec r fs.
Proof.
intros Hx; induction fs as [|f fs IH]; intros r p K Fr Hr Hp HK Hin Hpos Hpart HK2; simpl; [exact I|].
inversion Hpos as [|? ? Hf Hfs]; subst; destruct Hpart as [_ Hpart]; assert (H2 := partials_here _ _ _ Hpart); cbv beta in H2.
assert (k1 := kap1 prec f); assert (K1 := Kap1 prec fs); simpl in HK2.
assert (KK : K <= K * (kap prec f * Kap prec fs)).
{ rewrite <- (Rmult_1_r K) at 1; apply Rmult_le_compat_l; [lra|]; rewrite <- (Rmult_1_r 1); apply Rmult_le_compat; lra. }
assert (V : x * (p * f) / K <= r * f).
{ replace (x * (p * f) / K) with (x * p / K * f) by (field; lra); apply Rmult_le_compat_r; lra. }
assert (T : tiny <= x * (p * f) / K).
{ apply Rmult_le_reg_r with K; [lra|]; replace (x * (p * f) / K * K) with (x * (p * f)) by (field; lra).
  assert (T0 := bpow_gt_0 radix2 (emin + prec - 1)); apply Rle_trans with (2 := H2); rewrite Rmult_comm; apply Rmult_le_compat_r; lra. }
assert (Hv : tiny <= r * f) by lra; split; [exact Hf|split; [exact Hv|]].
assert (S := step_rel emin prec r f Fr Hr Hf Hv).
apply (IH (RN (r * f)) (p * f) (K * kap prec f)); auto.
- apply generic_format_round; auto with typeclass_instances.
- now apply next_pos.
- apply Rmult_lt_0_compat; lra.
- rewrite <- (Rmult_1_r 1); apply Rmult_le_compat; lra.
- apply Rle_trans with (2 := proj1 S); replace (x * (p * f) / (K * kap prec f)) with (x * (p * f) / K / kap prec f) by (field; lra).
  apply Rmult_le_compat_r; [left; apply Rinv_0_lt_compat; lra|exact V].
- rewrite Rmult_assoc; exact HK2.
Qed.
(* no step goes beyond the largest float *)
Fixpoint within (Om r : R) (fs : list R) : Prop := match fs with nil => True | f :: fs => RN (r * f) <= Om /\ within Om (RN (r * f)) fs end.
Lemma within_of_partials X Om fs : 0 < X -> forall r p K, F r -> 0 < r -> 0 < p -> 1 <= K -> r <= X * p * K -> normal emin prec r fs ->
  partials (fun p => 2 * (X * p) <= Om) p fs -> K * Kap prec fs < 2 -> within Om r fs.
Proof.
intros HX; induction fs as [|f fs IH]; intros r p K Fr Hr Hp HK Hin Hn Hpart HK2; simpl; [exact I|].
destruct Hn as [Hf [Hv Hn]]; destruct Hpart as [_ Hpart]; assert (H2 := partials_here _ _ _ Hpart); cbv beta in H2.
assert (k1 := kap1 prec f); assert (K1 := Kap1 prec fs); simpl in HK2.
assert (S := step_rel emin prec r f Fr Hr Hf Hv).
assert (B : RN (r * f) <= X * (p * f) * (K * kap prec f)).
{ apply Rle_trans with (1 := proj2 S); replace (X * (p * f) * (K * kap prec f)) with (X * p * K * f * kap prec f) by ring.
  apply Rmult_le_compat_r; [lra|]; apply Rmult_le_compat_r; lra. }
assert (KK : K * kap prec f <= K * (kap prec f * Kap prec fs)).
{ apply Rmult_le_compat_l; [lra|]; rewrite <- (Rmult_1_r (kap prec f)) at 1; apply Rmult_le_compat_l; lra. }
assert (Xpf : 0 < X * (p * f)) by (apply Rmult_lt_0_compat; [exact HX|apply Rmult_lt_0_compat; lra]).
split; [apply Rle_trans with (1 := B); apply Rle_trans with (2 := H2); rewrite Rmult_comm; apply Rmult_le_compat_r; lra|].
apply (IH (RN (r * f)) (p * f) (K * kap prec f)); auto.
- apply generic_format_round; auto with typeclass_instances.
- now apply next_pos.
- apply Rmult_lt_0_compat; lra.
- rewrite <- (Rmult_1_r 1); apply Rmult_le_compat; lra.
- rewrite Rmult_assoc; exact HK2.
Qed.

(* -ln u lies between eta and -emin, for the floats u of (0, 1) *)
Lemma ln_least u : F u -> 0 < u < 1 -> eta <= - ln u.
Proof.
intros Fu Hu; assert (E := eta_pos prec).
assert (H : u <= 1 - eta).
{ assert (H := pred_ge_gt radix2 fexp u 1 Fu).
  destruct (Z_le_gt_dec emin 0) as [L|G].
  - assert (F1 : F 1) by (change 1 with (bpow radix2 0); apply generic_format_FLT_bpow; [assumption|lia]).
    specialize (H F1 (proj2 Hu)); change 1 with (bpow radix2 0) in H at 1; rewrite pred_bpow in H; change (bpow radix2 0) with 1 in H.
    assert (bpow radix2 (- prec) <= bpow radix2 (fexp 0)) by (apply bpow_le; unfold FLT_exp; lia); lra.
  - apply FLT_format_generic in Fu; [|assumption]; destruct Fu as [[m e] -> _ He]; simpl in He; unfold F2R in Hu; simpl in Hu.
    assert (B := bpow_gt_0 radix2 e); assert (Hm : 0 < IZR m).
    { apply Rmult_lt_reg_r with (bpow radix2 e); [exact B|]; rewrite Rmult_0_l; apply Hu. }
    apply lt_IZR in Hm; assert (1 <= IZR m) by (apply IZR_le; lia).
    assert (1 <= bpow radix2 e) by (change 1 with (bpow radix2 0); apply bpow_le; lia); nra. }
assert (L : ln u <= - eta); [|lra].
rewrite <- (ln_exp (- eta)); destruct (Rle_lt_or_eq_dec u (exp (- eta))) as [L| ->]; [|left; apply ln_increasing; lra|lra].
apply Rle_trans with (1 := H); assert (G := exp_ineq1_le (- eta)); lra.
Qed.
Lemma ln_most u : (emin <= 0)%Z -> F u -> 0 < u -> - ln u <= IZR (- emin).
Proof.
intros He Fu Hu; destruct (float_units emin prec u Fu) as [m Hm]; assert (B := bpow_gt_0 radix2 emin).
assert (M0 : (0 < m)%Z).
{ apply lt_IZR; apply Rmult_lt_reg_r with (bpow radix2 emin); [exact B|]; rewrite Rmult_0_l, <- Hm; exact Hu. }
assert (L : bpow radix2 emin <= u).
{ rewrite Hm, <- (Rmult_1_l (bpow radix2 emin)) at 1; apply Rmult_le_compat_r; [lra|apply IZR_le; lia]. }
assert (Lu : ln (bpow radix2 emin) <= ln u) by (destruct L as [L|L]; [left; now apply ln_increasing|rewrite L; lra]).
assert (Eb : ln (bpow radix2 emin) = IZR emin * ln 2).
{ rewrite bpow_exp, ln_exp; reflexivity. }
rewrite opp_IZR; rewrite Eb in Lu; assert (L2 : 0 < ln 2 <= 1).
{ split; [rewrite <- ln_1; apply ln_increasing; lra|]; rewrite <- (ln_exp 1) at 1.
  assert (G := exp_ineq1_le 1); destruct (Rle_lt_or_eq_dec 2 (exp 1)) as [X|X]; [lra|left; apply ln_increasing; lra|rewrite <- X; lra]. }
assert (IZR emin <= 0) by (apply IZR_le; lia); nra.
Qed.

Variable fs : list R.
Hypothesis fs_pos : Forall (fun f => 0 < f) fs.
Notation kappa := (Pipeline.kappa prec fs).
Theorem in_range_checked u : F u -> 0 < u < 1 -> kappa < 2 -> partials (fun p => 2 * tiny <= eta * p) 1 fs ->
  tiny <= - ln u /\ normal emin prec (RN (- ln u)) fs.
Proof.
intros Fu Hu K2 Hp; assert (L := ln_least u Fu Hu); assert (E := eta_pos prec); assert (T := bpow_gt_0 radix2 (emin + prec - 1)).
assert (H1 := partials_here _ _ _ Hp); cbv beta in H1; assert (N : tiny <= - ln u) by lra.
split; [exact N|].
assert (G := near_one emin prec _ N).
apply (normal_of_partials eta fs E _ 1 (1 + eta)); auto; [apply generic_format_round; auto with typeclass_instances| |lra|lra|].
- apply Rlt_le_trans with (2 := proj1 G); apply Rmult_lt_0_compat; [lra|apply Rinv_0_lt_compat; lra].
- apply Rle_trans with (2 := proj1 G); rewrite Rmult_1_r; apply Rmult_le_compat_r; [left; apply Rinv_0_lt_compat; lra|exact L].
Qed.
Theorem no_overflow Om u : (emin < 0)%Z -> F u -> 0 < u < 1 -> kappa < 2 -> partials (fun p => 2 * tiny <= eta * p) 1 fs ->
  partials (fun p => 2 * (IZR (- emin) * p) <= Om) 1 fs -> RN (- ln u) <= Om /\ within Om (RN (- ln u)) fs.
Proof.
intros He Fu Hu K2 Hp Ho; destruct (in_range_checked u Fu Hu K2 Hp) as [N Nn]; assert (E := eta_pos prec).
assert (T := bpow_gt_0 radix2 (emin + prec - 1)); assert (G := near_one emin prec _ N); assert (L := ln_most u ltac:(lia) Fu (proj1 Hu)).
assert (H1 := partials_here _ _ _ Ho); cbv beta in H1; assert (K1 := Kap1 prec fs).
assert (X : 0 < IZR (- emin)) by (apply IZR_lt; lia).
assert (B : RN (- ln u) <= IZR (- emin) * 1 * (1 + eta)).
{ apply Rle_trans with (1 := proj2 G); rewrite Rmult_1_r; apply Rmult_le_compat_r; lra. }
assert (K : 1 + eta <= kappa).
{ unfold Pipeline.kappa; rewrite <- (Rmult_1_r (1 + eta)) at 1; apply Rmult_le_compat_l; lra. }
split; [rewrite Rmult_1_r in *; apply Rle_trans with (1 := B); nra|].
apply (within_of_partials (IZR (- emin)) Om fs X _ 1 (1 + eta)); auto; [apply generic_format_round; auto with typeclass_instances| |lra|lra].
apply Rlt_le_trans with (2 := proj1 G); apply Rmult_lt_0_compat; [lra|apply Rinv_0_lt_compat; lra].
Qed.

(* ---- the conditions of Lemma 3 leave no room for K >= 2 ---- *)
Fixpoint errors (fs : list R) : R := match fs with nil => 0 | f :: fs => (if dec (pow2 f) then 0 else eta) + errors fs end.
Lemma Kap_errors gs : Kap prec gs <= exp (errors gs).
Proof.
induction gs as [|f gs IH]; simpl; [rewrite exp_0; lra|]; rewrite exp_plus; assert (K := Kap1 prec gs); assert (k1 := kap1 prec f).
apply Rmult_le_compat; try lra; unfold kap; destruct dec; [rewrite exp_0; lra|apply exp_ineq1_le].
Qed.
Lemma half_f2 v : 0 < v -> v <= 2 * f2 v.
Proof.
intros H; unfold f2; replace (2 * bpow radix2 (mag radix2 v - 1)) with (bpow radix2 (mag radix2 v)).
- left; assert (G := bpow_mag_gt radix2 v); rewrite Rabs_pos_eq in G by lra; exact G.
- replace (mag radix2 v : Z) with (1 + (mag radix2 v - 1))%Z at 1 by ring; rewrite bpow_plus; reflexivity.
Qed.
Lemma Dsum_errors X gs : 0 < X -> Forall (fun f => 0 < f) gs -> forall r0, 0 < r0 -> errors gs * X <= 2 * Dsum prec r0 X gs.
Proof.
intros HX G; induction G as [|f gs Hf G IH]; intros r0 H; simpl; [lra|].
assert (Q : 0 < r0 / f) by (apply Rmult_lt_0_compat; [lra|now apply Rinv_0_lt_compat]); assert (I := IH _ Q).
destruct dec; [lra|]; assert (E := eta_pos prec).
assert (V : 0 < X / (r0 / f)) by (apply Rmult_lt_0_compat; [lra|now apply Rinv_0_lt_compat]).
assert (S : X <= 2 * (r0 / f * f2 (X / (r0 / f)))).
{ assert (W := half_f2 _ V); apply Rmult_le_compat_l with (r := r0 / f) in W; [|lra].
  replace (r0 / f * (X / (r0 / f))) with X in W by (field; split; lra); lra. }
apply Rmult_le_compat_l with (r := eta) in S; lra.
Qed.
Lemma large_errors Rr : 0 < Rr -> 2 <= kappa -> Rr <= Pipeline.D prec fs Rr.
Proof.
intros HR K2; assert (E := eta_pos prec); unfold Pipeline.D; set (X := kappa * (kappa * Rr)).
assert (X4 : 4 * Rr <= X).
{ unfold X; assert (2 * Rr <= kappa * Rr) by (apply Rmult_le_compat_r; lra); apply Rle_trans with (2 * (kappa * Rr)); [lra|apply Rmult_le_compat_r; lra]. }
assert (X0 : 0 < X) by lra.
assert (D1 := Dsum_errors X fs X0 fs_pos 1 Rlt_0_1); assert (D0 := half_f2 X X0).
assert (S : / 2 <= eta + errors fs).
{ assert (K : kappa <= exp (eta + errors fs)).
  { unfold Pipeline.kappa; rewrite exp_plus; assert (K1 := Kap1 prec fs); apply Rmult_le_compat; try lra; [apply exp_ineq1_le|apply Kap_errors]. }
  destruct (Rle_lt_dec (/ 2) (eta + errors fs)) as [L|L]; [exact L|exfalso].
  assert (Q := exp_increasing _ _ L); assert (T := exp_le_3).
  assert (SQ : exp (/ 2) * exp (/ 2) = exp 1) by (rewrite <- exp_plus; f_equal; field).
  assert (P := exp_pos (/ 2)); nra. }
assert (A : eta * X <= 2 * (eta * f2 X)) by (replace (2 * (eta * f2 X)) with (eta * (2 * f2 X)) by ring; apply Rmult_le_compat_l; lra).
assert (M : / 2 * X <= (eta + errors fs) * X) by (apply Rmult_le_compat_r; lra); lra.
Qed.
(* beside the input: twice the drift is less than the width of a cell *)
Lemma drift_below (kappa d c w : R) : 0 <= c -> 0 < w -> 0 < Cminus kappa d c (exp (- w)) -> 2 * d < w.
Proof.
intros Hc Hw HC; assert (Q : exp (- w) < 1) by (rewrite <- exp_0; apply exp_increasing; lra).
assert (H : 0 < (exp (- d) - exp (- w) * exp (d + ln (1 + c))) / (1 - exp (- w))).
{ apply Rlt_le_trans with (1 := HC); unfold Cminus; apply Rmin_l. }
assert (H1 : exp (- w) * exp (d + ln (1 + c)) < exp (- d)).
{ apply Rmult_lt_compat_r with (r := 1 - exp (- w)) in H; [|lra]; rewrite Rmult_0_l in H.
  unfold Rdiv in H; rewrite Rmult_assoc, Rinv_l in H by lra; lra. }
rewrite <- exp_plus in H1; apply exp_lt_inv in H1.
assert (0 <= ln (1 + c)) by (destruct Hc as [Hc| <-]; [left; rewrite <- ln_1; apply ln_increasing; lra|rewrite Rplus_0_r, ln_1; lra]).
lra.
Qed.
Theorem kappa_below_two (c w Rr : R) : 0 <= c -> 0 < w -> w <= 2 * Rr -> 0 < Cminus kappa (Snapped.drift prec Rr fs) c (exp (- w)) -> kappa < 2.
Proof.
intros Hc Hw HwR HC; destruct (Rlt_le_dec kappa 2) as [L|K2]; [exact L|exfalso].
assert (HR : 0 < Rr) by lra; assert (B := drift_below _ _ _ _ Hc Hw HC).
assert (D : Rr <= Snapped.drift prec Rr fs); [|lra].
unfold Snapped.drift; apply Rmin_glb; [|now apply large_errors].
rewrite <- (Rmult_1_l Rr) at 1; apply Rmult_le_compat_r; lra.
Qed.
(* ... and for a logarithm that is not correctly rounded *)
Theorem coarse_below_two (kappa c w Rr : R) : 0 <= c -> 0 < w -> w <= 2 * Rr -> 0 < Cminus kappa ((kappa - 1) * Rr) c (exp (- w)) -> kappa < 2.
Proof.
intros Hc Hw HwR HC; destruct (Rlt_le_dec kappa 2) as [L|K2]; [exact L|exfalso].
assert (B := drift_below _ _ _ _ Hc Hw HC); assert (Rr <= (kappa - 1) * Rr); [|lra].
rewrite <- (Rmult_1_l Rr) at 1; apply Rmult_le_compat_r; lra.
Qed.
Theorem coarse_in_range lg e u : F u -> 0 < u < 1 -> 0 <= e < 1 -> F lg -> 0 < lg ->
  (Rabs (lg - - ln u) <= e * - ln u \/ Rabs (lg - - ln u) <= e * lg) ->
  / (1 - e) * Kap prec fs < 2 -> partials (fun p => 2 * tiny <= eta * p) 1 fs -> normal emin prec lg fs.
Proof.
intros Fu Hu He Fl Hl H K2 Hp; assert (L := ln_least u Fu Hu); assert (E := eta_pos prec).
assert (G : - ln u * (1 - e) <= lg) by (destruct H as [H|H]; apply Rabs_le_inv in H; nra).
assert (I : 1 <= / (1 - e)) by (rewrite <- Rinv_1; apply Rinv_le_contravar; lra).
apply (normal_of_partials eta fs E lg 1 (/ (1 - e))); auto; [lra|].
replace (eta * 1 / / (1 - e)) with (eta * (1 - e)) by (field; lra); apply Rle_trans with (2 := G); apply Rmult_le_compat_r; lra.
Qed.
End Range.

(* what a naive uniform of j bits draws are floats, if j is at most the precision *)
Theorem naive_floats emin prec (P0 : Prec_gt_0 prec) (j : Z) u : (0 <= j <= prec)%Z -> (emin + prec <= 0)%Z ->
  In u (Naive.naive_points j) -> generic_format radix2 (FLT_exp emin prec) u.
Proof.
intros Hj He Hu; unfold Naive.naive_points in Hu; apply in_map_iff in Hu; destruct Hu as [i [<- Hi]]; apply in_seq in Hi.
unfold Naive.naive_count in Hi; assert (Pw : (0 < 2 ^ j)%Z) by (apply Z.pow_pos_nonneg; lia).
apply generic_format_FLT; exists (Float radix2 (Z.of_nat i) (- j)); [unfold F2R; cbn [Fnum Fexp]; now rewrite INR_IZR_INZ| |simpl; lia].
cbn [Fnum]; rewrite Z.abs_eq by lia; apply Z.lt_le_trans with (2 ^ j)%Z; [lia|]; apply (Z.pow_le_mono_r 2); lia.
Qed.

(* ---- the theorem with the kernel's conditions ---- *)
Section Checked.
Variables emin prec k : Z.
Context {prec_gt_0_ : Prec_gt_0 prec}.
Hypothesis emin_neg : (emin + prec <= 0)%Z.
Notation Lam := (bpow radix2 k).
Notation eta := (bpow radix2 (- prec)).
Notation eta2 := (bpow radix2 (1 - prec)).
Notation tiny := (bpow radix2 (emin + prec - 1)).
Notation points := (Uniform.points emin prec).
Variables (B : R) (M : nat).
Hypothesis M_pos : (1 <= M)%nat.
Hypothesis B_range : 0 < B <= INR M * Lam.
(* check_grid *)
Hypothesis grid_normal : (emin + prec <= k)%Z.
Hypothesis grid_fine : (2 * Z.of_nat M <= 2 ^ prec)%Z.
Variable fs : list R.
Hypothesis fs_pos : Forall (fun f => 0 < f) fs.
(* kappa: no partial product brings eta below twice the smallest normal number *)
Hypothesis noise_in_range : partials (fun p => 2 * tiny <= eta * p) 1 fs.
Notation kappa := (Pipeline.kappa prec fs).
Notation rho := (Pipeline.rho fs).
Notation n := (Pipeline.n emin prec fs).
Variables (Rr D : R).
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

Lemma h_pos : 0 <= h.
Proof.
unfold Threshold.h; apply Rmult_le_pos; [apply bpow_ge_0|]; assert (L := bpow_gt_0 radix2 k).
assert (1 <= INR M) by (apply (le_INR 1); lia); nra.
Qed.
Lemma in_range_of : rho * (Lam - 2 * h) <= 2 * Rr -> forall u, In u points -> 0 < u ->
  tiny <= - ln u /\ normal emin prec (round radix2 (FLT_exp emin prec) ZnearestE (- ln u)) fs.
Proof.
intros Hw u Hu U0; assert (P0 := prec_gt_0 prec); assert (L := bpow_gt_0 radix2 k); assert (H0 := h_pos).
assert (rp := Snapped.rho_pos fs fs_pos); assert (U := star_range emin prec emin_neg u Hu).
apply in_range_checked; auto.
- unfold Uniform.points in Hu; apply in_map_iff in Hu; destruct Hu as [i [<- _]].
  apply generic_format_round; auto with typeclass_instances.
- lra.
- apply (kappa_below_two prec fs fs_pos eta2 (rho * (Lam - 2 * h)) Rr); auto using bpow_ge_0.
  apply Rmult_lt_0_compat; lra.
Qed.
Theorem checked_pure x x' (E : R -> Prop) : rho * (B + INR M * Lam - Lam / 2 + h) <= Rr ->
  Rabs x <= B -> Rabs x' <= B -> Rabs (x - x') <= D ->
  Pr (fun u s => E (mechanism x u s)) <= exp eps * Pr (fun u s => E (mechanism x' u s)).
Proof.
intros HT; assert (L := bpow_gt_0 radix2 k); assert (H0 := h_pos); assert (rp := Snapped.rho_pos fs fs_pos).
assert (M1 : 1 <= INR M) by (apply (le_INR 1); lia).
assert (T : Lam - 2 * h <= 2 * (B + INR M * Lam - Lam / 2 + h)) by nra.
assert (T' : rho * (Lam - 2 * h) <= 2 * Rr) by (apply Rle_trans with (rho * (2 * (B + INR M * Lam - Lam / 2 + h))); [apply Rmult_le_compat_l; lra|lra]).
apply (snapped_pure emin prec k emin_neg B M M_pos B_range (half_grid_normal emin prec k M grid_normal grid_fine) fs fs_pos (in_range_of T') Rr); auto.
apply Rle_trans with (2 := HT); apply Rmult_le_pos; nra.
Qed.
Theorem checked_far x x' (E : R -> Prop) : 0 <= Rr - rho * (Lam + 2 * h + D) ->
  Rabs x <= B -> Rabs x' <= B -> Rabs (x - x') <= D ->
  Pr (fun u s => E (mechanism x u s)) <= exp eps * Pr (fun u s => E (mechanism x' u s)) +
    exp (- ((Rr - rho * (Lam + 2 * h + D)) / kappa)) * (1 + eta2).
Proof.
intros HT; assert (L := bpow_gt_0 radix2 k); assert (H0 := h_pos); assert (rp := Snapped.rho_pos fs fs_pos).
assert (W : 0 <= rho * (Lam + 2 * h + D)) by (apply Rmult_le_pos; lra).
assert (T' : rho * (Lam - 2 * h) <= 2 * Rr).
{ assert (rho * (Lam - 2 * h) <= rho * (Lam + 2 * h + D)) by (apply Rmult_le_compat_l; lra); lra. }
apply (snapped_far emin prec k emin_neg B M M_pos B_range (half_grid_normal emin prec k M grid_normal grid_fine) fs fs_pos (in_range_of T') Rr); auto.
lra.
Qed.
End Checked.

(* ---- Lemma 4: the grid that is computed ---- *)
Lemma power_at a : 0 < a -> exists e, bpow radix2 (e - 1) < a <= bpow radix2 e.
Proof.
intros H; assert (L := bpow_mag_le radix2 a ltac:(lra)); assert (U := bpow_mag_gt radix2 a); rewrite Rabs_pos_eq in L, U by lra.
destruct L as [L|L]; [exists (mag radix2 a); lra|].
exists (mag radix2 a - 1)%Z; assert (bpow radix2 (mag radix2 a - 1 - 1) < bpow radix2 (mag radix2 a - 1)) by (apply bpow_lt; lia); lra.
Qed.
Lemma power_unique a e : bpow radix2 (e - 1) < a <= bpow radix2 e -> Lemmas.pow2_at_least a = bpow radix2 e.
Proof.
intros [L U]; assert (B := bpow_gt_0 radix2 (e - 1)); assert (A0 : 0 < a) by lra; apply Rle_antisym.
- now apply Lemmas.pow2_smallest.
- assert (P := Lemmas.pow2 a A0); assert (Q : exists i, Lemmas.pow2_at_least a = bpow radix2 i).
  { unfold Lemmas.pow2_at_least; destruct Rlt_dec; [|easy]; destruct Req_EM_T as [E|E]; [exists (mag radix2 a - 1)%Z; exact E|now exists (mag radix2 a : Z)]. }
  destruct Q as [i Q]; rewrite Q in *; apply bpow_le; assert (e - 1 < i)%Z; [|lia].
  apply (lt_bpow radix2); lra.
Qed.
Section Mironov.
Variables emin prec : Z.
Context {prec_gt_0_ : Prec_gt_0 prec}.
Notation fexp := (FLT_exp emin prec).
Notation F := (generic_format radix2 fexp).
Notation RN := (round radix2 fexp ZnearestE).
Notation eta := (bpow radix2 (- prec)).
Notation tiny := (bpow radix2 (emin + prec - 1)).
Theorem lemma4 e : F e -> 0 < e -> tiny <= 1 / e -> Lemmas.pow2_at_least (RN (1 / e)) = Lemmas.pow2_at_least (1 / e).
Proof.
intros Fe He HN; assert (P0 := prec_gt_0 prec); assert (E := eta_pos prec); assert (T := bpow_gt_0 radix2 (emin + prec - 1)).
assert (I0 : 0 < 1 / e) by lra; destruct (power_at _ I0) as [i [L U]]; rewrite (power_unique (1 / e) i) by (split; assumption).
apply power_unique; assert (Fi : F (bpow radix2 i)).
{ apply generic_format_FLT_bpow; [assumption|]; assert (emin + prec - 1 <= i)%Z; [|lia].
  apply (le_bpow radix2); lra. }
split; [|apply round_le_generic; auto with typeclass_instances].
(* e < 2^(1 - i), so e <= 2^(1 - i) (1 - eta) *)
set (m := (1 - i)%Z); assert (Em : e < bpow radix2 m).
{ apply Rmult_lt_compat_r with (r := e) in L; [|exact He]; replace (1 / e * e) with 1 in L by (field; lra).
  apply Rmult_lt_reg_l with (bpow radix2 (i - 1)); [apply bpow_gt_0|]; rewrite <- bpow_plus; unfold m.
  replace (i - 1 + (1 - i))%Z with 0%Z by ring; simpl; exact L. }
assert (Fm : F (bpow radix2 m)).
{ apply generic_format_FLT_bpow; [assumption|]; destruct (float_units emin prec e Fe) as [j Hj]; assert (B := bpow_gt_0 radix2 emin).
  assert (J0 : (0 < j)%Z).
  { apply lt_IZR; apply Rmult_lt_reg_r with (bpow radix2 emin); [exact B|]; rewrite Rmult_0_l, <- Hj; exact He. }
  assert (bpow radix2 emin <= e) by (rewrite Hj, <- (Rmult_1_l (bpow radix2 emin)) at 1; apply Rmult_le_compat_r; [lra|apply IZR_le; lia]).
  apply Z.lt_le_incl, (lt_bpow radix2); lra. }
assert (H := pred_ge_gt radix2 fexp e _ Fe Fm Em); rewrite pred_bpow in H.
assert (U2 : bpow radix2 m * eta <= bpow radix2 (fexp m)) by (rewrite <- bpow_plus; apply bpow_le; unfold FLT_exp; lia).
assert (Hm : e <= bpow radix2 m * (1 - eta)) by lra.
assert (N := near_one emin prec _ HN); apply Rlt_le_trans with (2 := proj1 N).
assert (Bm := bpow_gt_0 radix2 m); assert (Bi := bpow_gt_0 radix2 (i - 1)).
assert (One : bpow radix2 (i - 1) * bpow radix2 m = 1) by (rewrite <- bpow_plus; unfold m; replace (i - 1 + (1 - i))%Z with 0%Z by ring; reflexivity).
apply Rmult_lt_reg_r with (e * (1 + eta)); [apply Rmult_lt_0_compat; lra|].
replace (1 / e / (1 + eta) * (e * (1 + eta))) with 1 by (field; lra).
apply Rle_lt_trans with (bpow radix2 (i - 1) * (bpow radix2 m * (1 - eta) * (1 + eta))).
- apply Rmult_le_compat_l; [lra|]; apply Rmult_le_compat_r; lra.
- replace (bpow radix2 (i - 1) * (bpow radix2 m * (1 - eta) * (1 + eta))) with (bpow radix2 (i - 1) * bpow radix2 m * (1 - eta * eta)) by ring.
  rewrite One; nra.
Qed.
(* a parameter that is rounded, and what it costs *)
Theorem rounded_rate e emax D : tiny <= e <= emax -> 0 <= D -> Rabs (RN e - e) <= eta * e /\ RN e * D <= e * D + eta * emax * D.
Proof.
intros [Hn Hm] HD; assert (E := eta_pos prec); assert (T := bpow_gt_0 radix2 (emin + prec - 1)).
assert (H : Rabs (RN e - e) <= eta * e).
{ apply Rle_trans with (1 := half_ulp emin prec e Hn); apply Rmult_le_compat_l; [lra|apply f2_self; lra]. }
split; [exact H|]; apply Rabs_le_inv in H; assert (eta * e <= eta * emax) by (apply Rmult_le_compat_l; lra).
rewrite <- Rmult_plus_distr_r; apply Rmult_le_compat_r; lra.
Qed.
End Mironov.

(* ---- families ---- *)
Theorem scale_of_grid e : 0 < e -> 1 <= e * Lemmas.pow2_at_least (1 / e) < 2.
Proof.
intros H; assert (I : 0 < 1 / e) by (apply Rmult_lt_0_compat; [lra|now apply Rinv_0_lt_compat]); destruct (Lemmas.pow2 _ I) as [A B].
apply Rmult_le_compat_l with (r := e) in A; [|lra]; apply Rmult_lt_compat_l with (r := e) in B; [|exact H].
replace (e * (1 / e)) with 1 in A by (field; lra); replace (e * (1 / e * 2)) with 2 in B by (field; lra); lra.
Qed.
(* g is Mironov's grid for e, top the smallest multiple of it that is at least B, eta (top - g/2) = h; the kernel's width, reach and overlap *)
Theorem family_shape eta e eh B Bh g top D : 0 <= eta -> 0 < e <= eh -> 0 < B <= Bh -> 0 < g -> 1 <= e * g < 2 -> top < B + g -> 0 <= D ->
  let h := eta * (top - g / 2) in let drift := eta * (eh * Bh + 1) in
  1 - 2 * drift <= e * (g - 2 * h) /\ e * (B + (top - g / 2) + h) <= 2 * (eh * Bh) + 1 + drift /\ e * (g + 2 * h + D) <= 2 + 2 * drift + eh * D.
Proof.
intros E [e0 ee] [B0 BB] g0 [s1 s2] Ht HD h drift.
assert (S : e * B <= eh * Bh) by (apply Rmult_le_compat; lra).
assert (T : e * (top - g / 2) <= eh * Bh + 1).
{ apply Rle_trans with (e * (B + g / 2)); [apply Rmult_le_compat_l; lra|]; lra. }
assert (H : e * h <= drift).
{ unfold h, drift; replace (e * (eta * (top - g / 2))) with (eta * (e * (top - g / 2))) by ring; apply Rmult_le_compat_l; lra. }
assert (De : e * D <= eh * D) by (apply Rmult_le_compat_r; lra).
repeat split; lra.
Qed.
Theorem family_delta Rr o o' kappa kappa' c : o <= o' <= Rr -> 1 <= kappa <= kappa' -> 0 <= c ->
  exp (- ((Rr - o) / kappa)) * (1 + c) <= exp (- ((Rr - o') / kappa')) * (1 + c).
Proof.
intros Ho Hk Hc; apply Rmult_le_compat_r; [lra|]; apply exp_le, Ropp_le_contravar; unfold Rdiv; apply Rmult_le_compat; try lra.
- left; apply Rinv_0_lt_compat; lra.
- apply Rinv_le_contravar; lra.
Qed.
