(* The lemmas ln-value and exp-value of trusted/kernel/src/evidence/lemma.rs: enclosures of exp and ln at rational numbers (exp_value, ln_value), decided by computing with rational numbers.

   On [0, 1] the exponential lies between its Taylor polynomial at x and the inverse of an odd one at -x (alternating series); anywhere it is a power of that, and ln(a) >= low says exp(low) <= a.  A
   check names the power and the number of terms; whatever it names, what it answers "yes" to is true.  Read: exp_value, ln_value. *)
From Coq Require Import Reals QArith Qreals Lra Lia Factorial.
From Probity Require Import Lemmas.
Local Open Scope bool_scope.
Local Open Scope R_scope.

(* ---- Taylor polynomials, by Horner's rule ---- *)
Fixpoint horner (n : nat) (k : nat) (x : R) : R := match n with O => 1 | S n' => 1 + x / INR k * horner n' (S k) x end.
Fixpoint hornerQ (n : nat) (k : positive) (x : Q) : Q :=
  match n with O => 1%Q | S n' => (1 + x * (1 # k) * hornerQ n' (Pos.succ k) x)%Q end.
Lemma Q2R_unit k : Q2R (1 # k) = / INR (Pos.to_nat k).
Proof. unfold Q2R; simpl Qnum; simpl Qden; rewrite INR_IZR_INZ, positive_nat_Z; apply Rmult_1_l. Qed.
Lemma Q2R_0 : Q2R 0 = 0. Proof. unfold Q2R; simpl; lra. Qed.
Lemma Q2R_1 : Q2R 1 = 1. Proof. unfold Q2R; simpl; lra. Qed.
Lemma hornerQ_ok n k x : Q2R (hornerQ n k x) = horner n (Pos.to_nat k) (Q2R x).
Proof.
revert k; induction n as [|n IH]; intro k; cbn [horner hornerQ]; [apply Q2R_1|].
now rewrite Q2R_plus, !Q2R_mult, IH, Pos2Nat.inj_succ, Q2R_1, Q2R_unit.
Qed.
Definition term (x : R) (i : nat) : R := / INR (fact i) * x ^ i.
Lemma horner_sum n x : horner n 1 x = sum_f_R0 (term x) n.
Proof.
enough (H : forall k, horner n (S k) x = sum_f_R0 (fun i => INR (fact k) / INR (fact (k + i)) * x ^ i) n).
  rewrite H; apply sum_eq; intros i _; unfold term, Rdiv; change (INR (fact 0)) with 1; change (0 + i)%nat with i; ring.
induction n as [|n IH]; intro k.
  simpl; rewrite Nat.add_0_r; field; apply INR_fact_neq_0.
rewrite decomp_sum by lia; simpl pred; cbn [horner]; rewrite IH, Nat.add_0_r, scal_sum; f_equal.
  simpl; field; apply INR_fact_neq_0.
apply sum_eq; intros i _; rewrite <- Nat.add_succ_comm, fact_simpl, mult_INR; simpl pow.
field; split; first [apply INR_fact_neq_0|apply not_0_INR; lia].
Qed.

(* ---- on [0, 1] ---- *)
Lemma exp_series x : Un_cv (fun n => sum_f_R0 (term x) n) (exp x).
Proof.
unfold exp; destruct (exist_exp x) as [l H]; simpl.
intros e pe; destruct (H e pe) as [N HN]; exists N; intros n nN; exact (HN n nN).
Qed.
Lemma exp_above n x : 0 <= x -> horner n 1 x <= exp x.
Proof.
intro x0; rewrite horner_sum; apply sum_incr; [apply exp_series|intro i; unfold term].
apply Rmult_le_pos; [left; apply Rinv_0_lt_compat, INR_fact_lt_0|now apply pow_le].
Qed.
Lemma exp_below n x : 0 <= x <= 1 -> horner (S (2 * n)) 1 (- x) <= exp (- x).
Proof.
intros [x0 x1]; rewrite horner_sum.
assert (E : forall i, term (- x) i = tg_alt (term x) i).
  intro i; unfold term, tg_alt; replace (- x) with (-1 * x) by ring; rewrite Rpow_mult_distr; ring.
rewrite (sum_eq _ _ _ (fun i _ => E i)).
apply (alternated_series_ineq (term x) (exp (- x)) n).
- intro i; unfold term; rewrite fact_simpl, mult_INR, Rinv_mult.
  assert (p : 0 < / INR (fact i)) by apply Rinv_0_lt_compat, INR_fact_lt_0.
  assert (q : 0 < INR (S i)) by (apply lt_0_INR; lia).
  assert (q1 : / INR (S i) <= 1).
    rewrite <- Rinv_1; apply Rinv_le_contravar; [lra|rewrite S_INR; pose proof (pos_INR i); lra].
  assert (q0 : 0 < / INR (S i)) by now apply Rinv_0_lt_compat.
  assert (xi : 0 <= x ^ i) by now apply pow_le.
  replace (/ INR (S i) * / INR (fact i) * x ^ S i) with (/ INR (fact i) * x ^ i * (/ INR (S i) * x)) by (simpl; ring).
  rewrite <- (Rmult_1_r (/ INR (fact i) * x ^ i)) at 2; apply Rmult_le_compat_l; [nra|].
  replace 1 with (1 * 1) by ring; apply Rmult_le_compat; lra.
- intros e pe; destruct (cv_speed_pow_fact x e pe) as [N HN]; exists N; intros i iN.
  specialize (HN i iN); unfold term; rewrite Rmult_comm; exact HN.
- apply (Un_cv_ext (fun n => sum_f_R0 (term (- x)) n)); [intro i; apply sum_eq; intros j _; apply E|apply exp_series].
Qed.

(* ---- anywhere ---- *)
Lemma exp_power m x : exp (INR m * x) = exp x ^ m.
Proof. induction m as [|m IH]; [simpl; rewrite Rmult_0_l; apply exp_0|rewrite S_INR, Rmult_plus_distr_r, Rmult_1_l, exp_plus, IH; simpl; ring]. Qed.
Fixpoint powQ (q : Q) (m : nat) : Q := match m with O => 1%Q | S m' => (q * powQ q m')%Q end.
Lemma powQ_ok q m : Q2R (powQ q m) = Q2R q ^ m.
Proof.
induction m as [|m IH]; [apply Q2R_1|cbn [powQ pow]].
now rewrite Q2R_mult, IH.
Qed.

(* a number that is at most exp(a): exp(a/m)^m, with n terms at the least; 0 where that says nothing *)
Definition exp_low (m : positive) (n : nat) (a : Q) : Q :=
  let x := (a * (1 # m))%Q in
  let q := if Qle_bool 0 x then hornerQ n 1 x else hornerQ (S (2 * n)) 1 x in
  if Qle_bool (- (1)) x && Qle_bool 0 q then powQ q (Pos.to_nat m) else 0%Q.
Lemma exp_low_ok m n a : Q2R (exp_low m n a) <= exp (Q2R a).
Proof.
unfold exp_low; set (x := (a * (1 # m))%Q); set (q := if Qle_bool 0 x then _ else _).
destruct (Qle_bool (- (1)) x && Qle_bool 0 q)%bool eqn:ok; [|rewrite Q2R_0; left; apply exp_pos].
apply andb_prop in ok; destruct ok as [x1 q0]; apply Qle_bool_iff, Qle_Rle in x1; apply Qle_bool_iff, Qle_Rle in q0.
rewrite Q2R_opp, Q2R_1 in x1; rewrite Q2R_0 in q0.
assert (m0 : INR (Pos.to_nat m) <> 0) by (apply not_0_INR; lia).
replace (Q2R a) with (INR (Pos.to_nat m) * Q2R x).
  2: { unfold x; rewrite Q2R_mult; rewrite Q2R_unit; field; exact m0. }
rewrite exp_power, powQ_ok; apply pow_incr; split; [exact q0|unfold q].
destruct (Qle_bool 0 x) eqn:sx; rewrite hornerQ_ok; change (Pos.to_nat 1) with 1%nat.
  apply Qle_bool_iff, Qle_Rle in sx; apply exp_above; rewrite Q2R_0 in sx; exact sx.
assert (neg : Q2R x <= 0).
  rewrite <- Q2R_0; apply Qle_Rle, Qlt_le_weak, Qnot_le_lt; intro h; apply Qle_bool_iff in h; congruence.
replace (Q2R x) with (- - Q2R x) by ring; apply exp_below; lra.
Qed.
Definition exp_ge m n (a low : Q) : bool := Qle_bool low (exp_low m n a).
Definition exp_le m n (a high : Q) : bool := Qle_bool 0 high && Qle_bool 1 (high * exp_low m n (- a)).
Lemma exp_ge_ok m n a low : exp_ge m n a low = true -> Q2R low <= exp (Q2R a).
Proof. intro h; apply Qle_bool_iff, Qle_Rle in h; apply (Rle_trans _ _ _ h), exp_low_ok. Qed.
Lemma exp_le_ok m n a high : exp_le m n a high = true -> exp (Q2R a) <= Q2R high.
Proof.
intro h; apply andb_prop in h; destruct h as [h0 h1]; apply Qle_bool_iff, Qle_Rle in h0; apply Qle_bool_iff, Qle_Rle in h1.
rewrite Q2R_0 in h0; rewrite Q2R_1, Q2R_mult in h1; pose proof (exp_low_ok m n (- a)%Q) as L; rewrite Q2R_opp in L.
assert (E : exp (Q2R a) * exp (- Q2R a) = 1) by (rewrite <- exp_plus, Rplus_opp_r; apply exp_0).
pose proof (exp_pos (Q2R a)) as p.
assert (u : 1 <= Q2R high * exp (- Q2R a)) by (apply (Rle_trans _ _ _ h1), Rmult_le_compat_l; assumption).
apply (Rmult_le_compat_l (exp (Q2R a))) in u; [|lra].
replace (exp (Q2R a) * (Q2R high * exp (- Q2R a))) with (Q2R high * (exp (Q2R a) * exp (- Q2R a))) in u by ring.
rewrite E in u; lra.
Qed.

(* the numbers as the kernel writes them *)
Theorem exp_value m n (a low high : Q) x l h : exp_ge m n a low && exp_le m n a high = true -> Q2R a = x -> Q2R low = l -> Q2R high = h ->
  l <= exp x /\ exp x <= h.
Proof. intros ok <- <- <-; apply andb_prop in ok; destruct ok as [g b]; split; [now apply (exp_ge_ok m n)|now apply (exp_le_ok m n)]. Qed.
(* exp(low) <= a <= exp(high) *)
Theorem ln_value m n (a low high : Q) x l h : exp_le m n low a && exp_ge m n high a = true -> Q2R a = x -> Q2R low = l -> Q2R high = h ->
  l <= ln_ x /\ ln_ x <= h.
Proof.
intros ok <- <- <-; apply andb_prop in ok; destruct ok as [b g]; apply exp_le_ok in b; apply exp_ge_ok in g.
pose proof (exp_pos (Q2R low)) as p; rewrite ln_E by lra; split.
  rewrite <- (Rpower.ln_exp (Q2R low)); destruct (Rle_lt_or_eq_dec _ _ b) as [lt|<-]; [left; now apply ln_increasing|apply Rle_refl].
rewrite <- (Rpower.ln_exp (Q2R high)); destruct (Rle_lt_or_eq_dec _ _ g) as [lt|e]; [left; apply ln_increasing; lra|rewrite e; apply Rle_refl].
Qed.
(* for exported certificates *)
Notation fraction := QArith_base.Qmake (only parsing).
Ltac enclosed := vm_cast_no_check (eq_refl true).
Ltac written := unfold Q2R; simpl Qnum; simpl Qden; lra.
