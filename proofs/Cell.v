(* Lemma 3 of docs/threshold-theorem.md: one cell, and the loss over the reals of a cell.

   G z is the probability that Laplace noise of rate rho exceeds z.  survive z S: S is what the floating-point
   noise has for it.  lemma3, lemma3_last, lemma3_first: a cell between two cuts, above the last, below the
   first; Cminus P0 <= P <= Cplus P0, where Cplus = e^A+ and Cminus = e^-A-.  ideal_shift: moving the input by at
   most D costs e^(rho D) over the reals. *)
From Coq Require Import Reals Lra.
From Flocq Require Import Core.Raux.
From Probity Require Import Noise.
Open Scope R_scope.

Lemma exp_ge1 x : 1 + x <= exp x.
Proof. destruct (Req_dec x 0) as [->|H]; [rewrite exp_0; lra|left; now apply exp_ineq1]. Qed.

(* s e^(-s/kappa) <= kappa / e *)
Lemma hump s kappa : 0 < kappa -> s * exp (- (s / kappa)) <= kappa * exp (-1).
Proof.
intros K; assert (H := exp_ge1 (s / kappa - 1)).
assert (E : exp (s / kappa - 1) = exp (-1) * exp (s / kappa)) by (rewrite <- exp_plus; f_equal; ring).
assert (P1 := exp_pos (s / kappa)).
assert (I : exp (- (s / kappa)) * exp (s / kappa) = 1) by (rewrite <- exp_plus; replace (- (s / kappa) + s / kappa) with 0 by ring; apply exp_0).
assert (S : s = kappa * (s / kappa)) by (field; lra).
assert (H' : s / kappa <= exp (-1) * exp (s / kappa)) by lra.
apply Rmult_le_reg_r with (exp (s / kappa)); [exact P1|].
rewrite Rmult_assoc, I, Rmult_1_r, S at 1. rewrite Rmult_assoc.
apply Rmult_le_compat_l; lra.
Qed.

(* H0 - H <= (kappa-1)/e *)
Lemma inside_low H sg kappa : 0 <= sg -> 1 <= kappa -> exp (- (kappa * sg)) <= H ->
  exp (- sg) - H <= (kappa - 1) * exp (-1).
Proof.
intros Hs K HH.
assert (H1 := exp_ge1 (- ((kappa - 1) * sg))).
assert (E : exp (- (kappa * sg)) = exp (- sg) * exp (- ((kappa - 1) * sg))) by (rewrite <- exp_plus; f_equal; ring).
assert (P := exp_pos (- sg)).
assert (Hh := hump sg 1 Rlt_0_1); replace (sg / 1) with sg in Hh by field.
assert (exp (- sg) * (1 - (kappa - 1) * sg) <= H) by (apply Rle_trans with (2 := HH); rewrite E; apply Rmult_le_compat_l; lra).
assert (0 <= (kappa - 1) * (1 * exp (-1) - sg * exp (- sg))) by (apply Rmult_le_pos; lra).
lra.
Qed.

(* H - H0 <= e^g (g + (kappa-1)/e) *)
Lemma inside_high H sg kappa g : 0 <= sg -> 1 <= kappa -> 0 <= g -> H <= exp (- (sg / kappa) + g) ->
  H - exp (- sg) <= exp g * (g + (kappa - 1) * exp (-1)).
Proof.
intros Hs K Hg HH; set (z := sg - sg / kappa + g).
assert (Z : exp (- sg) = exp (- (sg / kappa) + g) * exp (- z)) by (rewrite <- exp_plus; f_equal; unfold z; ring).
assert (H1 := exp_ge1 (- z)); assert (P := exp_pos (- (sg / kappa) + g)).
assert (B : H - exp (- sg) <= exp (- (sg / kappa) + g) * z) by (rewrite Z; nra).
apply Rle_trans with (1 := B); rewrite exp_plus.
assert (Pg := exp_pos g); assert (Pk := exp_pos (- (sg / kappa))).
rewrite (Rmult_comm (exp (- (sg / kappa)))), Rmult_assoc; apply Rmult_le_compat_l; [lra|].
assert (Hh := hump sg kappa ltac:(lra)).
assert (L1 : exp (- (sg / kappa)) <= 1).
{ rewrite <- exp_0; apply exp_le. assert (0 <= sg / kappa) by (apply Rmult_le_pos; [lra|left; apply Rinv_0_lt_compat; lra]); lra. }
unfold z; replace (exp (- (sg / kappa)) * (sg - sg / kappa + g))
  with ((1 - / kappa) * (sg * exp (- (sg / kappa))) + g * exp (- (sg / kappa))) by (field; lra).
assert (Hi : 0 <= 1 - / kappa) by (assert (/ kappa <= 1) by (rewrite <- Rinv_1; apply Rinv_le_contravar; lra); lra).
apply Rle_trans with ((1 - / kappa) * (kappa * exp (-1)) + g * 1).
- apply Rplus_le_compat; apply Rmult_le_compat_l; lra.
- right; field; lra.
Qed.

(* two ends at distances s1, s2 with s1 + s2 >= -ln q: e^-s1 + e^-s2 <= 1 + q *)
Lemma two_ends s1 s2 q : 0 <= s1 -> 0 <= s2 -> exp (- (s1 + s2)) <= q -> exp (- s1) + exp (- s2) <= 1 + q.
Proof.
intros H1 H2 Hq; rewrite Ropp_plus_distr, exp_plus in Hq.
assert (exp (- s1) <= 1) by (rewrite <- exp_0; apply exp_le; lra).
assert (exp (- s2) <= 1) by (rewrite <- exp_0; apply exp_le; lra).
assert (0 < exp (- s1)) by apply exp_pos. assert (0 < exp (- s2)) by apply exp_pos. nra.
Qed.
(* Lemma 3, x outside the cell: h1, h2 the tails at t1 < t2, h10, h20 what they are over the reals *)
Lemma lemma3_outside h1 h2 h10 q Q a b :
  0 < h10 -> 0 <= Q <= q -> q < 1 -> - b <= a ->
  let h20 := Q * h10 in
  exp (- b) * h10 <= h1 <= exp a * h10 -> exp (- b) * h20 <= h2 <= exp a * h20 ->
  (exp (- b) - q * exp a) / (1 - q) * (h10 - h20) <= h1 - h2 <= (exp a - q * exp (- b)) / (1 - q) * (h10 - h20).
Proof.
intros H0 HQ Hq Hab h20 B1 B2; unfold h20 in *.
assert (E : exp (- b) <= exp a) by (now apply exp_le).
set (ea := exp a) in *; set (eb := exp (- b)) in *.
assert (D : 0 < 1 - q) by lra.
assert (K : 0 <= (ea - eb) * (q - Q)) by nra.
split.
- apply Rmult_le_reg_r with (1 - q); [exact D|].
  replace ((eb - q * ea) / (1 - q) * (h10 - Q * h10) * (1 - q)) with ((eb - q * ea) * (1 - Q) * h10) by (field; lra).
  apply Rle_trans with ((eb - Q * ea) * (1 - q) * h10); [|nra].
  apply Rmult_le_compat_r; [lra|]. nra.
- apply Rmult_le_reg_r with (1 - q); [exact D|].
  replace ((ea - q * eb) / (1 - q) * (h10 - Q * h10) * (1 - q)) with ((ea - q * eb) * (1 - Q) * h10) by (field; lra).
  apply Rle_trans with ((ea - Q * eb) * (1 - q) * h10); [nra|].
  apply Rmult_le_compat_r; [lra|]. nra.
Qed.

(* ---- Lemma 3 ---- *)
Section Lemma3.
Variables rho kappa d c q : R.
Hypothesis rho_pos : 0 < rho.
Hypothesis kappa1 : 1 <= kappa.
Hypothesis d_pos : 0 <= d.
Hypothesis c_pos : 0 <= c.
Hypothesis q_range : 0 <= q < 1.
Notation g := (ln (1 + c)).
Notation ea := (exp (d + g)).
Notation eb := (exp (- d)).
Definition h2 := exp g * (g + (kappa - 1) * exp (-1)).
Definition Cplus := Rmax ((ea - q * eb) / (1 - q)) (1 + 2 * ((kappa - 1) * exp (-1)) / (1 - q)).
Definition Cminus := Rmin ((eb - q * ea) / (1 - q)) (1 - 2 * h2 / (1 - q)).
Notation tail := (Noise.tail c rho kappa d).

Lemma g_pos : 0 <= g.
Proof. destruct (Req_dec c 0) as [->|H]; [rewrite Rplus_0_r, ln_1; lra|]; assert (E := ln_increasing 1 (1 + c)); rewrite ln_1 in E; lra. Qed.
Lemma ebea : eb <= ea.
Proof. apply exp_le; assert (H := g_pos); lra. Qed.
Lemma tail_a t H : tail t H -> eb * exp (- (rho * t)) <= H <= ea * exp (- (rho * t)).
Proof.
intros [_ [[H1 H2] _]]; split.
- rewrite <- exp_plus; replace (- d + - (rho * t)) with (- (rho * t) - d) by ring; exact H1.
- rewrite <- exp_plus; replace (d + g + - (rho * t)) with (- (rho * t) + d + g) by ring.
  rewrite (exp_plus _ g), exp_ln by lra; exact H2.
Qed.
Lemma tail_k t H : 0 <= t -> tail t H ->
  exp (- (rho * t)) - H <= (kappa - 1) * exp (-1) /\ H - exp (- (rho * t)) <= h2.
Proof.
intros Ht [_ [_ [H1 H2]]]; assert (0 <= rho * t) by (apply Rmult_le_pos; lra); split.
- now apply inside_low.
- unfold h2; apply inside_high; auto using g_pos.
  replace (exp (- (rho * t / kappa) + g)) with (exp (- (rho * t / kappa)) * (1 + c)); [exact H2|].
  rewrite exp_plus, exp_ln by lra; reflexivity.
Qed.

Definition G z := if Rle_dec 0 z then exp (- (rho * z)) / 2 else 1 - exp (rho * z) / 2.
Definition survive z S := exists H, tail (Rabs z) H /\ ((0 <= z /\ S = H / 2) \/ (z <= 0 /\ S = 1 - H / 2)).

Lemma G_pos z : 0 <= z -> G z = exp (- (rho * z)) / 2.
Proof. intros H; unfold G; destruct Rle_dec; [reflexivity|lra]. Qed.
Lemma G_neg z : z <= 0 -> G z = 1 - exp (rho * z) / 2.
Proof.
intros H; unfold G; destruct Rle_dec as [Z|Z]; [|reflexivity].
replace z with 0 by lra; rewrite Rmult_0_r, Ropp_0, exp_0; field.
Qed.
Lemma G_mirror z : G (- z) = 1 - G z.
Proof.
destruct (Rle_or_lt 0 z) as [H|H].
- rewrite (G_pos z), (G_neg (- z)) by lra; replace (rho * - z) with (- (rho * z)) by ring; ring.
- rewrite (G_neg z), (G_pos (- z)) by lra; replace (- (rho * - z)) with (rho * z) by ring; ring.
Qed.
Lemma survive_mirror z S : survive z S -> survive (- z) (1 - S).
Proof.
intros [H [Ht [[Hz ->]|[Hz ->]]]]; exists H; rewrite Rabs_Ropp; (split; [exact Ht|]).
- right; lra.
- left; split; lra.
Qed.

Lemma inv_q : 0 < / (1 - q).
Proof. apply Rinv_0_lt_compat; lra. Qed.
Lemma Cplus_ea : ea <= Cplus.
Proof.
apply Rle_trans with (2 := Rmax_l _ _); apply Rmult_le_reg_r with (1 - q); [lra|].
unfold Rdiv; rewrite Rmult_assoc, Rinv_l by lra; assert (E := ebea); nra.
Qed.
Lemma Cminus_eb : Cminus <= eb.
Proof.
apply Rle_trans with (1 := Rmin_l _ _); apply Rmult_le_reg_r with (1 - q); [lra|].
unfold Rdiv; rewrite Rmult_assoc, Rinv_l by lra; assert (E := ebea); nra.
Qed.
(* around the input: P0 is at least (1 - q)/2, and P differs from it by little *)
Lemma around Q0 Q : (1 - q) / 2 <= Q0 -> Q0 - h2 <= Q <= Q0 + (kappa - 1) * exp (-1) ->
  Cminus * Q0 <= Q <= Cplus * Q0.
Proof.
intros H0 [H1 H2]; assert (I := inv_q).
assert (K : 0 <= (kappa - 1) * exp (-1)) by (apply Rmult_le_pos; [lra|left; apply exp_pos]).
assert (K2 : 0 <= h2) by (apply Rmult_le_pos; [left; apply exp_pos|assert (H := g_pos); lra]).
assert (D : 1 <= 2 / (1 - q) * Q0).
{ apply Rmult_le_reg_r with ((1 - q) / 2); [lra|]; field_simplify; lra. }
split.
- apply Rle_trans with ((1 - 2 * h2 / (1 - q)) * Q0); [apply Rmult_le_compat_r; [lra|apply Rmin_r]|].
  replace ((1 - 2 * h2 / (1 - q)) * Q0) with (Q0 - h2 * (2 / (1 - q) * Q0)) by (field; lra); nra.
- apply Rle_trans with ((1 + 2 * ((kappa - 1) * exp (-1)) / (1 - q)) * Q0); [|apply Rmult_le_compat_r; [lra|apply Rmax_r]].
  replace ((1 + 2 * ((kappa - 1) * exp (-1)) / (1 - q)) * Q0) with (Q0 + (kappa - 1) * exp (-1) * (2 / (1 - q) * Q0)) by (field; lra); nra.
Qed.

Lemma above_input z1 z2 S1 S2 : 0 <= z1 <= z2 -> exp (- (rho * (z2 - z1))) <= q ->
  tail z1 S1 -> tail z2 S2 ->
  Cminus * (G z1 - G z2) <= S1 / 2 - S2 / 2 <= Cplus * (G z1 - G z2).
Proof.
intros Hz Hq T1 T2; rewrite !G_pos by lra.
assert (A1 := tail_a _ _ T1); assert (A2 := tail_a _ _ T2).
set (h := exp (- (rho * z1))) in *; set (Q := exp (- (rho * (z2 - z1)))) in *.
assert (E : exp (- (rho * z2)) = Q * h) by (unfold Q, h; rewrite <- exp_plus; f_equal; ring).
rewrite E in *; assert (h0 : 0 < h) by apply exp_pos; assert (Q0 : 0 < Q) by apply exp_pos.
assert (B := lemma3_outside S1 S2 h q Q (d + g) d h0 ltac:(lra) ltac:(lra) ltac:(assert (X := g_pos); lra) A1 A2).
cbv zeta in B; assert (X : 0 <= h - Q * h) by nra.
assert (C1 : Cplus * (h - Q * h) >= (ea - q * eb) / (1 - q) * (h - Q * h)) by (apply Rle_ge, Rmult_le_compat_r; [exact X|apply Rmax_l]).
assert (C2 : Cminus * (h - Q * h) <= (eb - q * ea) / (1 - q) * (h - Q * h)) by (apply Rmult_le_compat_r; [exact X|apply Rmin_l]).
split; lra.
Qed.

Theorem lemma3 z1 z2 S1 S2 : z1 < z2 -> exp (- (rho * (z2 - z1))) <= q -> survive z1 S1 -> survive z2 S2 ->
  Cminus * (G z1 - G z2) <= S1 - S2 <= Cplus * (G z1 - G z2).
Proof.
intros Hz Hq [H1 [T1 D1]] [H2 [T2 D2]].
destruct D1 as [[P1 ->]|[N1 ->]]; destruct D2 as [[P2 ->]|[N2 ->]].
- rewrite !Rabs_pos_eq in * by lra; apply above_input; lra || assumption.
- exfalso; lra.
- rewrite (Rabs_left1 z1) in T1 by lra; rewrite (Rabs_pos_eq z2) in T2 by lra.
  rewrite (G_neg z1), (G_pos z2) by lra.
  assert (K1 := tail_k (- z1) H1 ltac:(lra) T1); assert (K2 := tail_k z2 H2 ltac:(lra) T2).
  replace (- (rho * - z1)) with (rho * z1) in K1 by ring.
  assert (E : exp (- (rho * - z1)) + exp (- (rho * z2)) <= 1 + q).
  { apply two_ends; [apply Rmult_le_pos; lra|apply Rmult_le_pos; lra|].
    replace (- (rho * - z1 + rho * z2)) with (- (rho * (z2 - z1))) by ring; exact Hq. }
  replace (- (rho * - z1)) with (rho * z1) in E by ring.
  replace (1 - H1 / 2 - H2 / 2) with (1 - H1 / 2 - H2 / 2) by ring.
  apply around; lra.
- rewrite (Rabs_left1 z1) in T1 by lra; rewrite (Rabs_left1 z2) in T2 by lra.
  assert (B := above_input (- z2) (- z1) H2 H1 ltac:(lra)).
  replace (- z1 - - z2) with (z2 - z1) in B by ring; specialize (B Hq T2 T1).
  rewrite !G_mirror in B; lra.
Qed.

Theorem lemma3_last z S : survive z S -> Cminus * G z <= S <= Cplus * G z.
Proof.
intros [H [T [[Hz ->]|[Hz ->]]]].
- rewrite Rabs_pos_eq in T by lra; rewrite G_pos by lra; assert (A := tail_a _ _ T).
  assert (h0 := exp_pos (- (rho * z))); assert (X := Cplus_ea); assert (Y := Cminus_eb); split; nra.
- rewrite Rabs_left1 in T by lra; rewrite G_neg by lra.
  assert (K := tail_k (- z) H ltac:(lra) T); replace (- (rho * - z)) with (rho * z) in K by ring.
  assert (E1 : exp (rho * z) <= 1) by (rewrite <- exp_0; apply exp_le; nra).
  assert (K1 : 0 <= (kappa - 1) * exp (-1)) by (apply Rmult_le_pos; [lra|left; apply exp_pos]).
  assert (K2 : 0 <= h2) by (apply Rmult_le_pos; [left; apply exp_pos|assert (X := g_pos); lra]).
  apply around; lra.
Qed.
Theorem lemma3_first z S : survive z S -> Cminus * (1 - G z) <= 1 - S <= Cplus * (1 - G z).
Proof. intros H; rewrite <- G_mirror; apply lemma3_last, survive_mirror, H. Qed.

(* ---- over the reals ---- *)
Definition K D z z' := exp (rho * D) * G z' - G z.

Lemma exp_gap x y : 0 <= x <= y -> exp (- x) - exp (- y) <= exp y - exp x.
Proof.
intros H; assert (E : exp y - exp x = exp (x + y) * (exp (- x) - exp (- y))).
{ rewrite Rmult_minus_distr_l, <- !exp_plus; f_equal; f_equal; ring. }
assert (1 <= exp (x + y)) by (rewrite <- exp_0; apply exp_le; lra).
assert (exp (- y) <= exp (- x)) by (apply exp_le; lra).
rewrite E; nra.
Qed.

(* moving both ends up by the same amount makes e^(rho D) G(z') - G(z) smaller, when |z - z'| <= D *)
Lemma K_up D z z' t : 0 <= z -> 0 <= z' -> Rabs (z - z') <= D -> 0 <= t -> K D (z + t) (z' + t) <= K D z z'.
Proof.
intros Hz Hz' HD Ht; apply Rabs_le_inv in HD; unfold K; rewrite !G_pos by lra.
assert (E : exp (rho * D) * exp (- (rho * z')) = exp (rho * (D - z'))) by (rewrite <- exp_plus; f_equal; ring).
assert (E2 : exp (rho * D) * exp (- (rho * (z' + t))) = exp (rho * (D - z')) * exp (- (rho * t))) by (rewrite <- !exp_plus; f_equal; ring).
assert (E3 : exp (- (rho * (z + t))) = exp (- (rho * z)) * exp (- (rho * t))) by (rewrite <- exp_plus; f_equal; ring).
assert (exp (- (rho * z)) <= exp (rho * (D - z'))) by (apply exp_le; nra).
assert (exp (- (rho * t)) <= 1) by (rewrite <- exp_0; apply exp_le; nra).
rewrite E3; nra.
Qed.
Lemma K_down D z z' t : z + t <= 0 -> z' + t <= 0 -> Rabs (z - z') <= D -> 0 <= t -> K D (z + t) (z' + t) <= K D z z'.
Proof.
intros Hz Hz' HD Ht; apply Rabs_le_inv in HD; unfold K; rewrite !G_neg by lra.
assert (E : exp (rho * D) * exp (rho * z') = exp (rho * (D + z'))) by (rewrite <- exp_plus; f_equal; ring).
assert (E2 : exp (rho * D) * exp (rho * (z' + t)) = exp (rho * (D + z')) * exp (rho * t)) by (rewrite <- !exp_plus; f_equal; ring).
assert (E3 : exp (rho * (z + t)) = exp (rho * z) * exp (rho * t)) by (rewrite <- exp_plus; f_equal; ring).
assert (exp (rho * z) <= exp (rho * (D + z'))) by (apply exp_le; nra).
assert (1 <= exp (rho * t)) by (rewrite <- exp_0; apply exp_le; nra).
rewrite E3; nra.
Qed.
Lemma K_mid D z z' t : 0 <= z -> z' + t <= 0 -> Rabs (z - z') <= D -> 0 <= t -> K D (z + t) (z' + t) <= K D z z'.
Proof.
intros Hz Hz' HD Ht; apply Rabs_le_inv in HD; unfold K; rewrite (G_pos (z + t)), (G_pos z), (G_neg (z' + t)), (G_neg z') by lra.
assert (H := exp_gap (rho * z) (rho * (z + t)) ltac:(nra)).
assert (E1 : exp (rho * D) * exp (rho * z') = exp (rho * (D + z' - z)) * exp (rho * z)) by (rewrite <- !exp_plus; f_equal; ring).
assert (E2 : exp (rho * D) * exp (rho * (z' + t)) = exp (rho * (D + z' - z)) * exp (rho * (z + t))) by (rewrite <- !exp_plus; f_equal; ring).
assert (1 <= exp (rho * (D + z' - z))) by (rewrite <- exp_0; apply exp_le; nra).
assert (exp (rho * z) <= exp (rho * (z + t))) by (apply exp_le; nra).
nra.
Qed.
Lemma K_mid' D z z' t : z + t <= 0 -> 0 <= z' -> Rabs (z - z') <= D -> 0 <= t -> K D (z + t) (z' + t) <= K D z z'.
Proof.
intros Hz Hz' HD Ht; apply Rabs_le_inv in HD; unfold K; rewrite (G_neg (z + t)), (G_neg z), (G_pos (z' + t)), (G_pos z') by lra.
assert (H := exp_gap (- (rho * (z + t))) (- (rho * z)) ltac:(nra)); rewrite !Ropp_involutive in H.
assert (E1 : exp (rho * D) * exp (- (rho * z')) = exp (rho * (D - z' + z)) * exp (- (rho * z))) by (rewrite <- !exp_plus; f_equal; ring).
assert (E2 : exp (rho * D) * exp (- (rho * (z' + t))) = exp (rho * (D - z' + z)) * exp (- (rho * (z + t)))) by (rewrite <- !exp_plus; f_equal; ring).
assert (1 <= exp (rho * (D - z' + z))) by (rewrite <- exp_0; apply exp_le; nra).
assert (exp (- (rho * (z + t))) <= exp (- (rho * z))) by (apply exp_le; nra).
nra.
Qed.

Lemma K_mono D z z' t : Rabs (z - z') <= D -> 0 <= t -> K D (z + t) (z' + t) <= K D z z'.
Proof.
intros HD Ht.
assert (step : forall s, 0 <= s <= t -> forall y y', Rabs (y - y') <= D ->
  (0 <= y \/ y + s <= 0) -> (0 <= y' \/ y' + s <= 0) -> K D (y + s) (y' + s) <= K D y y').
{ intros s Hs y y' Hy [A|A] [B|B]; [apply K_up|apply K_mid|apply K_mid'|apply K_down]; lra || assumption. }
assert (go : forall s1 s2, 0 <= s1 <= s2 -> s2 <= t -> (0 <= z + s1 \/ z + s2 <= 0) -> (0 <= z' + s1 \/ z' + s2 <= 0) ->
  K D (z + s2) (z' + s2) <= K D (z + s1) (z' + s1)).
{ intros s1 s2 H H2 A B; replace (z + s2) with (z + s1 + (s2 - s1)) by ring; replace (z' + s2) with (z' + s1 + (s2 - s1)) by ring.
  apply step; [lra|replace (z + s1 - (z' + s1)) with (z - z') by ring; exact HD|lra|lra]. }
assert (Z : K D z z' = K D (z + 0) (z' + 0)) by (f_equal; ring); rewrite Z.
set (p := Rmax 0 (Rmin t (- z))); set (p' := Rmax 0 (Rmin t (- z'))).
assert (Hp : 0 <= p <= t) by (unfold p, Rmax, Rmin; repeat destruct Rle_dec; lra).
assert (Hp' : 0 <= p' <= t) by (unfold p', Rmax, Rmin; repeat destruct Rle_dec; lra).
assert (Qp : (0 <= z + p \/ p = t) /\ (z + p <= 0 \/ p = 0)) by (unfold p, Rmax, Rmin; repeat destruct Rle_dec; lra).
assert (Qp' : (0 <= z' + p' \/ p' = t) /\ (z' + p' <= 0 \/ p' = 0)) by (unfold p', Rmax, Rmin; repeat destruct Rle_dec; lra).
destruct (Rle_or_lt p p') as [O|O].
- assert (S1 := go 0 p ltac:(lra) ltac:(lra)); assert (S2 := go p p' ltac:(lra) ltac:(lra)); assert (S3 := go p' t ltac:(lra) ltac:(lra)).
  apply Rle_trans with (K D (z + p') (z' + p')); [apply S3; lra|apply Rle_trans with (K D (z + p) (z' + p)); [apply S2; lra|apply S1; lra]].
- assert (S1 := go 0 p' ltac:(lra) ltac:(lra)); assert (S2 := go p' p ltac:(lra) ltac:(lra)); assert (S3 := go p t ltac:(lra) ltac:(lra)).
  apply Rle_trans with (K D (z + p) (z' + p)); [apply S3; lra|apply Rle_trans with (K D (z + p') (z' + p')); [apply S2; lra|apply S1; lra]].
Qed.

(* a cell between the cuts m1 <= m2, seen from x and from x' *)
Theorem ideal_shift D m1 m2 x x' : Rabs (x - x') <= D -> m1 <= m2 ->
  G (m1 - x) - G (m2 - x) <= exp (rho * D) * (G (m1 - x') - G (m2 - x')).
Proof.
intros HD Hm; assert (H := K_mono D (m1 - x) (m1 - x') (m2 - m1)).
replace (m1 - x + (m2 - m1)) with (m2 - x) in H by ring; replace (m1 - x' + (m2 - m1)) with (m2 - x') in H by ring.
unfold K in H; rewrite Rabs_minus_sym in HD; replace (m1 - x - (m1 - x')) with (x' - x) in H by ring.
specialize (H HD ltac:(lra)); lra.
Qed.
Lemma ideal_last D m x x' : Rabs (x - x') <= D -> G (m - x) <= exp (rho * D) * G (m - x').
Proof.
intros HD; apply Rabs_le_inv in HD.
assert (P : forall z z', z' - z <= D -> 0 <= z \/ z' <= z -> G z <= exp (rho * D) * G z').
{ intros z z' H S.
  assert (mono : forall y y', y <= y' -> G y' <= G y).
  { intros y y' Hy; destruct (Rle_or_lt 0 y) as [A|A]; [rewrite !G_pos by lra; assert (exp (- (rho * y')) <= exp (- (rho * y))) by (apply exp_le; nra); lra|].
    rewrite (G_neg y) by lra; destruct (Rle_or_lt 0 y') as [B|B].
    - rewrite G_pos by lra; assert (exp (- (rho * y')) <= 1) by (rewrite <- exp_0; apply exp_le; nra).
      assert (exp (rho * y) <= 1) by (rewrite <- exp_0; apply exp_le; nra); lra.
    - rewrite G_neg by lra; assert (exp (rho * y) <= exp (rho * y')) by (apply exp_le; nra); lra. }
  assert (D0 : 0 <= D) by lra.
  assert (E1 : 1 <= exp (rho * D)) by (rewrite <- exp_0; apply exp_le; nra).
  assert (G0 : forall y, 0 < G y).
  { intros y; destruct (Rle_or_lt 0 y) as [A|A]; [rewrite G_pos by lra; assert (X := exp_pos (- (rho * y))); lra|].
    rewrite G_neg by lra; assert (exp (rho * y) <= 1) by (rewrite <- exp_0; apply exp_le; nra); lra. }
  destruct (Rle_or_lt z' z) as [A|A]; [assert (M := mono _ _ A); assert (X := G0 z'); nra|].
  destruct S as [S|S]; [|lra]; rewrite !G_pos by lra.
  assert (exp (rho * D) * exp (- (rho * z')) >= exp (- (rho * z))) by (rewrite <- exp_plus; apply Rle_ge, exp_le; nra); lra. }
destruct (Rle_or_lt 0 (m - x)) as [A|A]; [apply P; lra|].
destruct (Rle_or_lt (m - x') (m - x)) as [B|B]; [apply P; lra|].
(* z < 0, z < z': compare the far tails *)
assert (H := K_mono D (m - x) (m - x') (- (m - x)) ltac:(apply Rabs_le; lra) ltac:(lra)).
unfold K in H; replace (m - x + - (m - x)) with 0 in H by ring.
assert (Q := P 0 (m - x' + - (m - x)) ltac:(lra) ltac:(lra)); lra.
Qed.
Lemma ideal_first D m x x' : Rabs (x - x') <= D -> 1 - G (m - x) <= exp (rho * D) * (1 - G (m - x')).
Proof.
intros HD; rewrite <- !G_mirror.
replace (- (m - x)) with (- m - - x) by ring; replace (- (m - x')) with (- m - - x') by ring.
apply ideal_last; replace (- x - - x') with (x' - x) by ring; now rewrite Rabs_minus_sym.
Qed.
End Lemma3.
