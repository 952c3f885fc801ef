(* Lemma 2 (ii) of docs/threshold-theorem.md: the tails of the noise.

   star_fine: what is used of the law of u, from P(u < v) = v.  lemma2: for r t <= R both P(n >= t) and
   P(n > t) lie between e^(-r t - d) and e^(-r t + d)(1 + c), and between e^(-K r t) and e^(-r t / K)(1 + c), where
   K bounds the relative error of the noise and d its absolute error up to K R. *)
From Coq Require Import Reals Lra Lia ZArith List.
From Flocq Require Import Core.
From Probity Require Import Uniform.
Open Scope R_scope.

Lemma exp_le x y : x <= y -> exp x <= exp y.
Proof. intros [H| ->]; [left; now apply exp_increasing|right; reflexivity]. Qed.

(* what the tails need of the law of u, down to e^-R *)
Definition fine_law (P : (R -> Prop) -> R) (c Rr : R) :=
  (forall y, 0 < y <= 1 -> y <= P (fun u => u < y)) /\
  (forall y, exp (- Rr) <= y -> P (fun u => u <= y) <= y * (1 + c)).

Section Star.
Variables emin prec : Z.
Context {prec_gt_0_ : Prec_gt_0 prec}.
Hypothesis emin_neg : (emin + prec <= 0)%Z.
Notation fexp := (FLT_exp emin prec).
Notation F := (generic_format radix2 fexp).
Notation tiny := (bpow radix2 (emin + prec - 1)).   (* the smallest normal number, the doc's 2^emin *)
Notation eta2 := (bpow radix2 (1 - prec)).          (* the doc's 2 eta *)
Notation P := (Uniform.P emin prec).
Notation U := (Uniform.U emin prec).
Lemma emin0 : (emin <= 0)%Z.
Proof. assert (H := prec_gt_0 prec); lia. Qed.
Let P_mono := Uniform.P_mono emin prec emin0.
Let P_lt := Uniform.P_lt emin prec emin0.

Lemma F1 : F 1.
Proof. change 1 with (bpow radix2 0); apply generic_format_FLT_bpow; [easy|]; assert (H := prec_gt_0 prec); lia. Qed.

Lemma P_lt_ge y : 0 < y <= 1 -> y <= P (fun u => u < y).
Proof.
intros Hy; set (v := round radix2 fexp Zceil y).
destruct (round_UP_pt radix2 fexp y) as [Fv [Hv Hmin]]; fold v in Fv, Hv, Hmin.
assert (H1 : v <= 1) by (apply Hmin; [exact F1|lra]).
apply Rle_trans with v; [exact Hv|].
rewrite <- (P_lt v Fv) by lra.
apply P_mono; intros u [Fu _] Huv.
destruct (Rlt_or_le u y) as [H|H]; [exact H|].
assert (v <= u) by now apply Hmin. lra.
Qed.

Lemma P_le_le y : tiny <= y -> P (fun u => u <= y) <= y * (1 + eta2).
Proof.
intros Hy; assert (T := bpow_gt_0 radix2 (emin + prec - 1)); assert (E := bpow_gt_0 radix2 (1 - prec)).
destruct (Rle_or_lt 1 y) as [H1|H1].
- apply Rle_trans with 1; [|nra].
  rewrite <- (P_lt 1 F1) at 1 by lra.
  apply P_mono; intros u [_ Hu] _; lra.
- destruct (round_DN_pt radix2 fexp y) as [Fd [Hd Hmax]]; set (d := round radix2 fexp Zfloor y) in *.
  assert (Ft : F tiny).
  { apply generic_format_FLT_bpow; [easy|]. assert (H := prec_gt_0 prec); lia. }
  assert (Td : tiny <= d) by (apply Hmax; assumption).
  assert (Fs := generic_format_succ radix2 fexp d Fd).
  assert (Hs1 : succ radix2 fexp d <= 1) by (apply succ_le_lt; auto using F1 with typeclass_instances; lra).
  assert (Hs0 : d < succ radix2 fexp d) by (apply succ_gt_id; lra).
  apply Rle_trans with (succ radix2 fexp d).
  + rewrite <- (P_lt _ Fs) by lra.
    apply P_mono; intros u [Fu _] Hu; assert (u <= d) by (apply Hmax; assumption); lra.
  + assert (H := succ_le_plus_ulp radix2 fexp d).
    assert (H' := ulp_FLT_le radix2 emin prec d).
    rewrite Rabs_pos_eq in H' by lra. specialize (H' Td). nra.
Qed.


Theorem star_fine Rr : Rr <= - IZR (emin + prec - 1) * ln 2 -> fine_law P eta2 Rr.
Proof.
intros HR; split; [exact P_lt_ge|]; intros y Hy; apply P_le_le; apply Rle_trans with (2 := Hy).
rewrite bpow_exp; apply exp_le; change (IZR radix2) with 2; lra.
Qed.
End Star.

Section Tails.
Variables (T : Type) (l : list T).
Hypothesis nonempty : l <> nil.
Variable u_of : T -> R.                               (* the uniform number *)
Hypothesis u_range : forall x, In x l -> 0 <= u_of x < 1.
Notation P := (prob l).
Variables (c Rr : R).
Hypothesis c_pos : 0 <= c.
Hypothesis fine : fine_law (fun A => P (fun x => A (u_of x))) c Rr.
(* the noise; it is only meaningful for u > 0, and is infinite at 0 *)
Variables (n : T -> R) (rho kappa d : R).
Hypothesis rho_pos : 0 < rho.
Hypothesis kappa1 : 1 <= kappa.
Hypothesis d_pos : 0 <= d.
Notation L x := (- ln (u_of x)).
(* either d comes from the relative error alone, or it bounds the absolute error up to K R *)
Hypothesis close : (kappa - 1) * Rr <= d \/
  forall x, In x l -> 0 < u_of x -> L x <= kappa * Rr -> Rabs (rho * n x - L x) <= d.
Hypothesis below : forall x, In x l -> 0 < u_of x -> L x / kappa <= rho * n x.
Hypothesis above : forall x, In x l -> 0 < u_of x -> rho * n x <= kappa * L x.
Definition ge_ev t x := u_of x = 0 \/ t <= n x.
Definition gt_ev t x := u_of x = 0 \/ t < n x.

Lemma L_pos x : In x l -> 0 < u_of x -> 0 < L x.
Proof.
intros Hx Hu; assert (H := u_range x Hx).
assert (H0 := ln_increasing (u_of x) 1 Hu ltac:(lra)); rewrite ln_1 in H0; lra.
Qed.
Lemma noise_pos x : In x l -> 0 < u_of x -> 0 < n x.
Proof.
intros Hx Hu; assert (H := L_pos x Hx Hu); assert (Hb := below x Hx Hu).
assert (0 < L x / kappa) by (apply Rmult_lt_0_compat; [exact H|apply Rinv_0_lt_compat; lra]).
apply Rmult_lt_reg_l with rho; lra.
Qed.

Lemma from_le y (A : T -> Prop) : exp (- Rr) <= exp y ->
  (forall x, In x l -> A x -> 0 < u_of x -> - L x <= y) -> P A <= exp y * (1 + c).
Proof.
intros Hy HA; destruct fine as [_ f2]; apply Rle_trans with (2 := f2 _ Hy); apply prob_mono; [exact nonempty|].
intros x Hx Ax; assert (R0 := u_range x Hx).
destruct (Rle_lt_or_eq_dec 0 (u_of x) (proj1 R0)) as [Hu|<-]; [|left; apply exp_pos].
rewrite <- (exp_ln (u_of x)) by exact Hu; apply exp_le; assert (H := HA x Hx Ax Hu); lra.
Qed.

Lemma upper_k t : 0 <= t -> rho * t <= Rr -> P (ge_ev t) <= exp (- (rho * t / kappa)) * (1 + c).
Proof.
intros Ht0 Ht; assert (K : / kappa <= 1) by (rewrite <- Rinv_1; apply Rinv_le_contravar; lra).
assert (K0 : 0 < / kappa) by (apply Rinv_0_lt_compat; lra).
assert (0 <= rho * t) by (apply Rmult_le_pos; lra).
apply from_le; [apply exp_le; unfold Rdiv; nra|].
intros x Hx [H0|Hn] Hu; [rewrite H0 in Hu; lra|].
assert (Ha := above x Hx Hu).
assert (rho * t <= rho * n x) by (apply Rmult_le_compat_l; lra).
assert (rho * t / kappa <= L x) by (apply Rmult_le_reg_l with kappa; [lra|]; field_simplify; lra).
lra.
Qed.
Lemma upper t : 0 <= t -> rho * t <= Rr -> P (ge_ev t) <= exp (- (rho * t) + d) * (1 + c).
Proof.
intros Ht0 Ht; assert (T0 : 0 <= rho * t) by (apply Rmult_le_pos; lra).
destruct close as [cl|cl].
{ apply Rle_trans with (1 := upper_k t Ht0 Ht); apply Rmult_le_compat_r; [lra|]; apply exp_le.
  assert (E : rho * t - rho * t / kappa = (1 - / kappa) * (rho * t)) by (field; lra).
  assert (K1 : 1 - / kappa <= kappa - 1).
  { apply Rmult_le_reg_r with kappa; [lra|]; rewrite Rmult_minus_distr_r, Rinv_l by lra; nra. }
  assert ((1 - / kappa) * (rho * t) <= (kappa - 1) * (rho * t)) by (apply Rmult_le_compat_r; lra).
  assert ((kappa - 1) * (rho * t) <= (kappa - 1) * Rr) by (apply Rmult_le_compat_l; lra). lra. }
apply from_le; [apply exp_le; lra|].
intros x Hx [H0|Hn] Hu; [rewrite H0 in Hu; lra|].
assert (HL := L_pos x Hx Hu).
destruct (Rle_or_lt (L x) (kappa * Rr)) as [Hk|Hk].
- assert (Hi := cl x Hx Hu Hk); apply Rabs_le_inv in Hi.
  assert (rho * t <= rho * n x) by (apply Rmult_le_compat_l; lra); lra.
- assert (0 <= rho * t) by (apply Rmult_le_pos; lra).
  assert (1 * Rr <= kappa * Rr) by (apply Rmult_le_compat_r; lra); lra.
Qed.

Lemma from_lt y (A : T -> Prop) : y <= 0 ->
  (forall x, In x l -> 0 < u_of x -> - L x < y -> A x) -> (forall x, In x l -> u_of x = 0 -> A x) ->
  exp y <= P A.
Proof.
intros Hy HA H0; destruct fine as [f1 _].
assert (Y1 : exp y <= 1) by (rewrite <- exp_0; now apply exp_le).
apply Rle_trans with (1 := f1 (exp y) (conj (exp_pos y) Y1)); apply prob_mono; [exact nonempty|].
intros x Hx Hu; assert (R0 := u_range x Hx).
destruct (Rle_lt_or_eq_dec 0 (u_of x) (proj1 R0)) as [Pu|E]; [|now apply H0].
apply HA; [exact Hx|exact Pu|].
rewrite Ropp_involutive, <- (ln_exp y); now apply ln_increasing.
Qed.

Lemma lower_k t : 0 <= t -> exp (- (kappa * (rho * t))) <= P (gt_ev t).
Proof.
intros H0; assert (0 <= rho * t) by (apply Rmult_le_pos; lra); apply from_lt; [assert (0 <= kappa * (rho * t)) by (apply Rmult_le_pos; lra); lra| |intros x _ E; now left].
intros x Hx Hu HL; right; assert (Hb := below x Hx Hu).
assert (rho * t < L x / kappa) by (apply Rmult_lt_reg_r with kappa; [lra|]; field_simplify; lra).
apply Rmult_lt_reg_l with rho; lra.
Qed.
Lemma lower t : 0 <= t -> rho * t <= Rr -> exp (- (rho * t) - d) <= P (gt_ev t).
Proof.
intros H0 Ht; assert (0 <= rho * t) by (apply Rmult_le_pos; lra).
destruct close as [cl|cl].
{ apply Rle_trans with (2 := lower_k t H0); apply exp_le.
  assert ((kappa - 1) * (rho * t) <= (kappa - 1) * Rr) by (apply Rmult_le_compat_l; lra). lra. }
apply from_lt; [lra| |intros x _ E; now left].
intros x Hx Hu HL; right.
destruct (Rle_or_lt (L x) (kappa * Rr)) as [Hk|Hk].
- assert (Hi := cl x Hx Hu Hk); apply Rabs_le_inv in Hi; apply Rmult_lt_reg_l with rho; lra.
- assert (Hb := below x Hx Hu).
  assert (Rr < L x / kappa) by (apply Rmult_lt_reg_r with kappa; [lra|]; field_simplify; lra).
  apply Rmult_lt_reg_l with rho; lra.
Qed.

(* H is a tail at distance t: what Lemma 2 says of P(n >= t) and of P(n > t) *)
Definition tail (t H : R) := H <= 1 /\
  exp (- (rho * t) - d) <= H <= exp (- (rho * t) + d) * (1 + c) /\
  exp (- (kappa * (rho * t))) <= H <= exp (- (rho * t / kappa)) * (1 + c).

Theorem lemma2 t : 0 <= t -> rho * t <= Rr -> tail t (P (ge_ev t)) /\ tail t (P (gt_ev t)).
Proof.
intros H0 Ht.
assert (G : P (gt_ev t) <= P (ge_ev t)) by (apply prob_mono; [exact nonempty|]; intros x _ [E|E]; [now left|right; lra]).
assert (O : P (ge_ev t) <= 1) by (rewrite <- (prob_true l nonempty); apply prob_mono; [exact nonempty|easy]).
assert (A1 := upper t H0 Ht); assert (A2 := upper_k t H0 Ht).
assert (B1 := lower t H0 Ht); assert (B2 := lower_k t H0).
repeat split; lra.
Qed.
End Tails.
