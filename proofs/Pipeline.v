(* The noise of section 1 of docs/threshold-theorem.md and Lemma 2 (i): a logarithm, then multiplications by positive
   constants (a division by c is a multiplication by 1/c), each step rounded to nearest.

   relative: the result is within a factor K of its ideal value, where a step contributes 1 + 2^-p, and a power of two
   nothing.  absolute (Lemma 2 (i)): it is within D of it, where a step that rounds contributes half a unit of the binade
   of the largest value that it can have; f2 v is the largest power of two at or below v. *)
From Coq Require Import Reals Lra Lia ZArith List.
From Flocq Require Import Core Relative.
From Probity Require Import Uniform Noise.
Open Scope R_scope.

Section Pipeline.
Variables emin prec : Z.
Context {prec_gt_0_ : Prec_gt_0 prec}.
Notation fexp := (FLT_exp emin prec).
Notation F := (generic_format radix2 fexp).
Notation RN := (round radix2 fexp ZnearestE).
Notation eta := (bpow radix2 (- prec)).
Notation tiny := (bpow radix2 (emin + prec - 1)).

Definition f2 v := bpow radix2 (mag radix2 v - 1).
Lemma f2_le v w : 0 < v <= w -> f2 v <= f2 w.
Proof. intros H; apply bpow_le; assert (M := mag_le radix2 v w ltac:(lra) ltac:(lra)); lia. Qed.
Lemma eta_pos : 0 < eta. Proof. apply bpow_gt_0. Qed.

(* half a unit of the last place *)
Lemma half_ulp v : tiny <= v -> Rabs (RN v - v) <= eta * f2 v.
Proof.
intros Hv; assert (T := bpow_gt_0 radix2 (emin + prec - 1)).
apply Rle_trans with (1 := error_le_half_ulp radix2 fexp (fun x => negb (Z.even x)) v).
rewrite ulp_neq_0 by lra; unfold cexp.
assert (M : (emin + prec <= mag radix2 v)%Z).
{ apply mag_ge_bpow; rewrite Rabs_pos_eq by lra; exact Hv. }
unfold FLT_exp; rewrite Z.max_l by lia; unfold f2.
replace (mag radix2 v - prec)%Z with (- prec + (mag radix2 v - 1) + 1)%Z by ring.
rewrite !bpow_plus; change (bpow radix2 1) with 2; right; field.
Qed.
Lemma f2_self v : 0 < v -> f2 v <= v.
Proof. intros H; unfold f2; assert (B := bpow_mag_le radix2 v ltac:(lra)); rewrite Rabs_pos_eq in B by lra; exact B. Qed.

(* RN v lies in [v/(1 + eta), v(1 + eta)] *)
Lemma near_one v : tiny <= v -> v / (1 + eta) <= RN v <= v * (1 + eta).
Proof.
intros Hv; assert (T := bpow_gt_0 radix2 (emin + prec - 1)); assert (E := eta_pos).
assert (H := half_ulp v Hv); assert (S := f2_self v ltac:(lra)); apply Rabs_le_inv in H.
assert (B0 := bpow_gt_0 radix2 (mag radix2 v - 1)); fold (f2 v) in B0.
assert (Fb : F (f2 v)).
{ apply generic_format_FLT_bpow; [easy|].
  assert (M : (emin + prec <= mag radix2 v)%Z) by (apply mag_ge_bpow; rewrite Rabs_pos_eq by lra; exact Hv).
  assert (P0 := prec_gt_0 prec); lia. }
assert (L : f2 v <= RN v) by (apply round_ge_generic; auto with typeclass_instances).
split; [|nra].
apply Rmult_le_reg_r with (1 + eta); [lra|]; unfold Rdiv; rewrite Rmult_assoc, Rinv_l by lra; nra.
Qed.

(* ---- the steps ---- *)
Definition pow2 f := exists e, f = bpow radix2 e.
Definition kap f := if dec (pow2 f) then 1 else 1 + eta.
Lemma kap1 f : 1 <= kap f. Proof. unfold kap; assert (E := eta_pos); destruct dec; lra. Qed.
Lemma exact_step r f : F r -> 0 < r -> pow2 f -> tiny <= r * f -> RN (r * f) = r * f.
Proof.
intros Fr Hr [e ->] Hv; apply round_generic; auto with typeclass_instances.
apply generic_format_FLT; apply FLT_format_generic in Fr; [|assumption]; destruct Fr as [[m x] Er Hm Hx]; simpl in *.
assert (Ev : r * bpow radix2 e = F2R (Float radix2 m (x + e))) by (rewrite Er; unfold F2R; simpl; rewrite bpow_plus; ring).
assert (G : generic_format radix2 fexp (r * bpow radix2 e)); [|now apply FLT_format_generic in G].
rewrite Ev; apply generic_format_F2R; intros Hm0; unfold cexp, FLT_exp.
rewrite <- Ev; assert (T := bpow_gt_0 radix2 (emin + prec - 1)).
assert (M : (emin + prec <= mag radix2 (r * bpow radix2 e))%Z) by (apply mag_ge_bpow; rewrite Rabs_pos_eq by lra; exact Hv).
rewrite Z.max_l by lia.
assert (Mu : (mag radix2 (r * bpow radix2 e) <= prec + (x + e))%Z).
{ apply mag_le_bpow; [lra|]; rewrite Ev, <- F2R_Zabs; unfold F2R; simpl; rewrite (bpow_plus radix2 prec).
  apply Rmult_lt_compat_r; [apply bpow_gt_0|]; rewrite <- IZR_Zpower by (assert (P0 := prec_gt_0 prec); lia); now apply IZR_lt. }
lia.
Qed.

Fixpoint noise (r : R) (fs : list R) : R := match fs with nil => r | f :: fs => noise (RN (r * f)) fs end.
(* no step leaves the normal range *)
Fixpoint normal (r : R) (fs : list R) : Prop :=
  match fs with nil => True | f :: fs => 0 < f /\ tiny <= r * f /\ normal (RN (r * f)) fs end.
Fixpoint Kap (fs : list R) : R := match fs with nil => 1 | f :: fs => kap f * Kap fs end.
(* the rate: what the ideal value is divided by *)
Fixpoint rate (rho : R) (fs : list R) : R := match fs with nil => rho | f :: fs => rate (rho / f) fs end.
(* errors of the steps when the ideal value is at most X *)
Fixpoint Dsum (rho X : R) (fs : list R) : R :=
  match fs with nil => 0 | f :: fs => (if dec (pow2 f) then 0 else eta * (rho / f * f2 (X / (rho / f)))) + Dsum (rho / f) X fs end.

Lemma Kap1 fs : 1 <= Kap fs.
Proof. induction fs as [|f fs IH]; simpl; [lra|]; assert (H := kap1 f); nra. Qed.

Lemma step_rel r f : F r -> 0 < r -> 0 < f -> tiny <= r * f -> r * f / kap f <= RN (r * f) <= r * f * kap f.
Proof.
intros Fr Hr Hf Hv; unfold kap; destruct dec as [p|p]; [rewrite exact_step by assumption; lra|now apply near_one].
Qed.

Theorem relative fs : forall r rho, 0 < rho -> F r -> 0 < r -> normal r fs ->
  rho * r / Kap fs <= rate rho fs * noise r fs <= rho * r * Kap fs.
Proof.
induction fs as [|f fs IH]; intros r rho H0 Fr Hr; simpl; [intros _; lra|intros [Hf [Hv Hn]]].
assert (T := bpow_gt_0 radix2 (emin + prec - 1)).
assert (S := step_rel r f Fr Hr Hf Hv); assert (k1 := kap1 f); assert (K1 := Kap1 fs).
assert (Hr' : 0 < RN (r * f)).
{ apply Rlt_le_trans with (r * f / kap f); [|apply S]; apply Rmult_lt_0_compat; [lra|apply Rinv_0_lt_compat; lra]. }
assert (F' : F (RN (r * f))) by (apply generic_format_round; auto with typeclass_instances).
assert (Hq : 0 < rho / f) by (apply Rmult_lt_0_compat; [lra|now apply Rinv_0_lt_compat]).
assert (I := IH (RN (r * f)) (rho / f) Hq F' Hr' Hn).
assert (E : rho / f * (r * f) = rho * r) by (field; lra).
split.
- apply Rle_trans with (2 := proj1 I).
  replace (rho * r / (kap f * Kap fs)) with (rho / f * (r * f / kap f) / Kap fs) by (field; lra).
  apply Rmult_le_compat_r; [left; apply Rinv_0_lt_compat; lra|]; apply Rmult_le_compat_l; lra.
- apply Rle_trans with (1 := proj2 I).
  replace (rho * r * (kap f * Kap fs)) with (rho / f * (r * f * kap f) * Kap fs) by (field; lra).
  apply Rmult_le_compat_r; [lra|]; apply Rmult_le_compat_l; lra.
Qed.

Theorem absolute fs : forall r rho X, 0 < rho -> F r -> 0 < r -> normal r fs -> rho * r * Kap fs <= X ->
  Rabs (rate rho fs * noise r fs - rho * r) <= Dsum rho X fs.
Proof.
induction fs as [|f fs IH]; intros r rho X H0 Fr Hr; simpl.
{ intros _ _; replace (rho * r - rho * r) with 0 by ring; rewrite Rabs_R0; lra. }
intros [Hf [Hv Hn]] HX; assert (T := bpow_gt_0 radix2 (emin + prec - 1)).
assert (S := step_rel r f Fr Hr Hf Hv); assert (k1 := kap1 f); assert (K1 := Kap1 fs).
assert (Hr' : 0 < RN (r * f)).
{ apply Rlt_le_trans with (r * f / kap f); [|apply S]; apply Rmult_lt_0_compat; [lra|apply Rinv_0_lt_compat; lra]. }
assert (F' : F (RN (r * f))) by (apply generic_format_round; auto with typeclass_instances).
assert (Hq : 0 < rho / f) by (apply Rmult_lt_0_compat; [lra|now apply Rinv_0_lt_compat]).
assert (E : rho / f * (r * f) = rho * r) by (field; lra).
assert (rr : 0 < rho * r) by (apply Rmult_lt_0_compat; lra).
assert (X' : rho / f * RN (r * f) * Kap fs <= X).
{ apply Rle_trans with (2 := HX); replace (rho * r * (kap f * Kap fs)) with (rho / f * (r * f * kap f) * Kap fs) by (field; lra).
  apply Rmult_le_compat_r; [lra|]; apply Rmult_le_compat_l; lra. }
assert (I := IH (RN (r * f)) (rho / f) X Hq F' Hr' Hn X').
assert (St : Rabs (rho / f * RN (r * f) - rho * r) <= if dec (pow2 f) then 0 else eta * (rho / f * f2 (X / (rho / f)))).
{ rewrite <- E, <- Rmult_minus_distr_l, Rabs_mult, (Rabs_pos_eq (rho / f)) by lra; destruct dec as [p|p].
  - rewrite exact_step by assumption; replace (r * f - r * f) with 0 by ring; rewrite Rabs_R0; lra.
  - assert (H := half_ulp (r * f) Hv).
    assert (rX : rho * r <= X).
    { apply Rle_trans with (2 := HX); assert (1 * 1 <= kap f * Kap fs) by (apply Rmult_le_compat; lra).
      rewrite <- (Rmult_1_r (rho * r)) at 1; apply Rmult_le_compat_l; lra. }
    assert (vX : r * f <= X / (rho / f)).
    { apply Rmult_le_reg_l with (rho / f); [exact Hq|]; rewrite E; replace (rho / f * (X / (rho / f))) with X by (field; lra); exact rX. }
    assert (V0 : 0 < r * f) by (apply Rmult_lt_0_compat; assumption).
    assert (Hf2 := f2_le (r * f) _ (conj V0 vX)); assert (E0 := eta_pos).
    apply Rle_trans with (rho / f * (eta * f2 (X / (rho / f)))); [|right; ring].
    apply Rmult_le_compat_l; [lra|]; apply Rle_trans with (1 := H); apply Rmult_le_compat_l; lra. }
replace (rate (rho / f) fs * noise (RN (r * f)) fs - rho * r) with
  (rate (rho / f) fs * noise (RN (r * f)) fs - rho / f * RN (r * f) + (rho / f * RN (r * f) - rho * r)) by ring.
apply Rle_trans with (1 := Rabs_triang _ _); rewrite Rplus_comm; now apply Rplus_le_compat.
Qed.

(* ---- with the logarithm in front ---- *)
Variable fs : list R.
Definition kappa := (1 + eta) * Kap fs.
Definition D R := eta * f2 (kappa * (kappa * R)) + Dsum 1 (kappa * (kappa * R)) fs.
Definition n u := noise (RN (- ln u)) fs.
Definition rho := rate 1 fs.

Lemma kappa1 : 1 <= kappa.
Proof. unfold kappa; assert (H := Kap1 fs); assert (E := eta_pos); nra. Qed.
Lemma rate_pos r0 gs : 0 < r0 -> Forall (fun f => 0 < f) gs -> 0 < rate r0 gs.
Proof.
intros H G; revert r0 H; induction G as [|f gs Hf G IH]; intros r0 H; [exact H|].
apply IH; apply Rmult_lt_0_compat; [lra|now apply Rinv_0_lt_compat].
Qed.

Lemma Dsum_pos r0 X gs : 0 < r0 -> Forall (fun f => 0 < f) gs -> 0 <= Dsum r0 X gs.
Proof.
intros H G; revert r0 H; induction G as [|f gs Hf G IH]; intros r0 H; simpl; [lra|].
assert (Q : 0 < r0 / f) by (apply Rmult_lt_0_compat; [lra|now apply Rinv_0_lt_compat]).
assert (I := IH _ Q); assert (E := eta_pos); assert (B := bpow_gt_0 radix2 (mag radix2 (X / (r0 / f)) - 1)).
destruct dec; [lra|]; assert (0 <= eta * (r0 / f * f2 (X / (r0 / f)))); [|lra].
unfold f2; apply Rmult_le_pos; [lra|apply Rmult_le_pos; lra].
Qed.
Lemma D_pos R : Forall (fun f => 0 < f) fs -> 0 <= D R.
Proof.
intros H; unfold D; assert (S := Dsum_pos 1 (kappa * (kappa * R)) fs Rlt_0_1 H); assert (E := eta_pos).
assert (0 <= eta * f2 (kappa * (kappa * R))); [|lra].
apply Rmult_le_pos; [lra|unfold f2; left; apply bpow_gt_0].
Qed.

Section Point.
Variable u : R.
Hypothesis ln_normal : tiny <= - ln u.
Hypothesis steps_normal : normal (RN (- ln u)) fs.
Lemma first_pos : 0 < RN (- ln u).
Proof.
assert (T := bpow_gt_0 radix2 (emin + prec - 1)); assert (E := eta_pos); assert (H := near_one _ ln_normal).
apply Rlt_le_trans with (2 := proj1 H); apply Rmult_lt_0_compat; [lra|apply Rinv_0_lt_compat; lra].
Qed.
Lemma first_float : F (RN (- ln u)).
Proof. apply generic_format_round; auto with typeclass_instances. Qed.

Theorem noise_relative : - ln u / kappa <= rho * n u <= kappa * - ln u.
Proof.
assert (H := relative fs (RN (- ln u)) 1 Rlt_0_1 first_float first_pos steps_normal); rewrite Rmult_1_l in H.
assert (G := near_one _ ln_normal); assert (K1 := Kap1 fs); assert (E := eta_pos); unfold kappa; split.
- apply Rle_trans with (2 := proj1 H); replace (- ln u / ((1 + eta) * Kap fs)) with (- ln u / (1 + eta) / Kap fs) by (field; lra).
  apply Rmult_le_compat_r; [left; apply Rinv_0_lt_compat; lra|apply G].
- apply Rle_trans with (1 := proj2 H); replace ((1 + eta) * Kap fs * - ln u) with (- ln u * (1 + eta) * Kap fs) by ring.
  apply Rmult_le_compat_r; [lra|apply G].
Qed.

(* Lemma 2 (i) *)
Theorem noise_absolute R : - ln u <= kappa * R -> Rabs (rho * n u - - ln u) <= D R.
Proof.
intros HR; assert (T := bpow_gt_0 radix2 (emin + prec - 1)); assert (E := eta_pos); assert (k1 := kappa1); assert (K1 := Kap1 fs).
assert (G := near_one _ ln_normal).
assert (X : kappa * - ln u <= kappa * (kappa * R)) by (apply Rmult_le_compat_l; lra).
assert (HX : 1 * RN (- ln u) * Kap fs <= kappa * (kappa * R)).
{ apply Rle_trans with (2 := X); rewrite Rmult_1_l; unfold kappa; replace ((1 + eta) * Kap fs * - ln u) with (- ln u * (1 + eta) * Kap fs) by ring.
  apply Rmult_le_compat_r; [lra|apply G]. }
assert (A := absolute fs (RN (- ln u)) 1 _ Rlt_0_1 first_float first_pos steps_normal HX); rewrite Rmult_1_l in A.
assert (B : Rabs (RN (- ln u) - - ln u) <= eta * f2 (kappa * (kappa * R))).
{ apply Rle_trans with (1 := half_ulp _ ln_normal); apply Rmult_le_compat_l; [lra|]; apply f2_le; split; [lra|nra]. }
unfold rho, n, D; replace (rate 1 fs * noise (RN (- ln u)) fs - - ln u) with
  (rate 1 fs * noise (RN (- ln u)) fs - RN (- ln u) + (RN (- ln u) - - ln u)) by ring.
apply Rle_trans with (1 := Rabs_triang _ _); rewrite Rplus_comm; now apply Rplus_le_compat.
Qed.
End Point.
End Pipeline.
