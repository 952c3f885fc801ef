(* MAXDIV in the shape in which the kernel applies it (trusted/kernel/src/finite.rs), for exported certificates: a block of finite draws,
   assignments and conditionals, of which one variable y matters afterwards.  The masses of the two runs are given as fractions, as the kernel's walk writes
   them; mass_... follow that walk.

   Read: is_mass, j_same_value. *)
From Coq Require Import Reals ZArith Lia Lra.
From mathcomp Require Import all_ssreflect all_algebra.
From mathcomp.classical Require Import boolp classical_sets.
From mathcomp.analysis Require Import reals ereal topology normedtype derive sequences exp Rstruct.
From mathcomp.zify Require Import ssrZ.
From Probity Require Import Laws Finite.
From Probity Require Rules.
From Probity Require Export Certificate.
Set Implicit Arguments.
Unset Strict Implicit.
Unset Printing Implicit Defensive.
Import Order.TTheory GRing.Theory Num.Theory.
Import numFieldNormedType.Exports.
Delimit Scope ring_scope with R.
Delimit Scope Z_scope with Z.
Open Scope R_scope.

(* ---- the logarithm of Coq is the one of MathComp ---- *)
Lemma expR_tangent (R : realType) (x : R) : (1 + x <= expR x)%R.
Proof.
have [x0|x0] := leP 0%R x; first exact: expR_ge1Dx.
have C : {within `[x, 0%R]%classic, continuous (@expR R)} by apply: continuous_subspaceT => y; exact: continuous_expR.
have [c] := @MVT R (@expR R) (@expR R) x 0%R x0 (fun y _ => is_derive_expR y) C.
rewrite in_itv /= => /andP[_ c0]; rewrite sub0r exp.expR0 => E.
have : (1 - expR x <= - x)%R.
  by rewrite E -[leRHS]mul1r; apply: ler_wpmul2r; [rewrite oppr_ge0 ltW|rewrite ltW// expR_lt1].
by rewrite ler_subl_addr -ler_subl_addl opprK.
Qed.

Section Exponential.
Let e (x : R) : R := @expR RR x.
Let e_add x y : e (x + y) = e x * e y. Proof. exact: exp.expRD. Qed.
Let e_pos x : 0 < e x. Proof. by apply/RltP; exact: expR_gt0. Qed.
Let e_0 : e 0 = 1. Proof. exact: exp.expR0. Qed.
Let e_ineq x : 1 + x <= e x. Proof. by apply/RleP; exact: expR_tangent. Qed.
Let e_opp x : e (- x) = / e x.
Proof.
have := e_add x (- x); rewrite Rplus_opp_r e_0 => E; have p := e_pos x.
by apply: (Rmult_eq_reg_l (e x)); [rewrite Rinv_r; lra|lra].
Qed.
Let h (x : R) : R := exp x * e (- x).
Let h_pos x : 0 < h x.
Proof. by apply: Rmult_lt_0_compat; [exact: exp_pos|exact: e_pos]. Qed.
Let h_add x y : h (x + y) = h x * h y.
Proof. by rewrite /h exp_plus Ropp_plus_distr e_add; ring. Qed.
Let h_mul n x : h (INR n * x) = h x ^ n.
Proof.
elim: n => [|n IH]; first by rewrite /= Rmult_0_l /h exp_0 Ropp_0 e_0 Rmult_1_l.
by rewrite S_INR Rmult_plus_distr_r Rmult_1_l h_add IH /= Rmult_comm.
Qed.
(* exp and 1/expR(-x) are both close to 1 + x *)
Let h_near x : Rabs x < 1 -> h x <= / (1 - x * x).
Proof.
move=> x1; have [m p] : -1 < x < 1 by move: x1; rewrite /Rabs; case: Rcase_abs => ? ?; lra.
have e1 : exp x <= / (1 - x).
  have := exp_ineq1_le (- x); rewrite exp_Ropp => ei.
  rewrite -(Rinv_inv (exp x)); apply: Rinv_le_contravar; lra.
have e2 : e (- x) <= / (1 + x).
  by rewrite e_opp; apply: Rinv_le_contravar; [lra|exact: e_ineq].
have -> : / (1 - x * x) = / (1 - x) * / (1 + x) by rewrite -Rinv_mult; congr Rinv; ring.
apply: Rmult_le_compat => //; [exact/Rlt_le/exp_pos|exact/Rlt_le/e_pos].
Qed.
Let bernoulli_inequality n (a : R) : 0 <= a <= 1 -> 1 - INR n * a <= (1 - a) ^ n.
Proof.
move=> [a0 a1]; elim: n => [|n IH]; first by rewrite /=; lra.
rewrite S_INR /=; have : 0 <= INR n := pos_INR n.
by move=> n0; have : (1 - a) * (1 - INR n * a) <= (1 - a) * (1 - a) ^ n; [apply: Rmult_le_compat_l; lra|nra].
Qed.
Let unbounded y : exists n : nat, y < INR n.
Proof.
exists (Z.to_nat (up y)); have [u _] := archimed y; rewrite INR_IZR_INZ.
by apply: (Rlt_le_trans _ _ _ u); apply: IZR_le; lia.
Qed.
Let h_le1 x : h x <= 1.
Proof.
apply: Rnot_lt_le => lt1; pose b := x * x.
have b0 : 0 <= b by rewrite /b; nra.
(* n large enough *)
have [n [n1 nb]] : exists n : nat, 1 + b < INR n /\ h x * (1 - b / INR n) > 1.
  have d0 : 0 < (h x - 1) by lra.
  have [N HN] := unbounded (1 + b + h x * b / (h x - 1)).
  exists N; have hb : 0 <= h x * b / (h x - 1).
    by apply: Rmult_le_pos; [nra|apply/Rlt_le/Rinv_0_lt_compat].
  split; first lra.
  have N0 : 0 < INR N by lra.
  have : h x * b < INR N * (h x - 1).
    have : h x * b / (h x - 1) < INR N by lra.
    by move=> /(Rmult_lt_compat_r (h x - 1) _ _ d0); rewrite /Rdiv Rmult_assoc Rinv_l ?Rmult_1_r; [|lra].
  move=> H; have : h x * b / INR N < h x - 1.
    apply: (Rmult_lt_reg_r (INR N)) => //; rewrite /Rdiv Rmult_assoc Rinv_l; lra.
  rewrite /Rdiv; nra.
have N0 : 0 < INR n by lra.
have q1 : Rabs (x / INR n) < 1.
  have : (x / INR n) * (x / INR n) < 1.
    rewrite (_ : x / INR n * (x / INR n) = b / (INR n * INR n)); last by rewrite /b; field; lra.
    apply: (Rmult_lt_reg_r (INR n * INR n)); first nra.
    rewrite /Rdiv Rmult_assoc Rinv_l; nra.
  by rewrite /Rabs; case: Rcase_abs => ? ?; nra.
have := h_near q1; set a := x / INR n * (x / INR n) => ha.
have aE : INR n * a = b / INR n by rewrite /a /b; field; lra.
have a01 : 0 <= a <= 1 by move: q1; rewrite /a /Rabs; case: Rcase_abs => ? ?; nra.
have xE : h x = h (x / INR n) ^ n by rewrite -h_mul; congr h; field; lra.
have a1 : 0 < 1 - a by move: q1; rewrite /a /Rabs; case: Rcase_abs => ? ?; nra.
have : h x * (1 - a) ^ n <= 1.
  rewrite xE -Rpow_mult_distr -[X in _ <= X](pow1 n); apply: pow_incr; split.
    by apply: Rmult_le_pos; [exact/Rlt_le|lra].
  by have := Rmult_le_compat_r _ _ _ (Rlt_le _ _ a1) ha; rewrite Rinv_l; lra.
have := bernoulli_inequality n a01; rewrite aE => B.
have := Rmult_le_compat_l _ _ _ (Rlt_le _ _ (h_pos x)) B; lra.
Qed.
Lemma exp_expR (x : R) : exp x = @expR RR x.
Proof.
have H : h x = 1.
  apply: Rle_antisym; first exact: h_le1.
  have le1' := h_le1 (- x); have := h_add x (- x); rewrite Rplus_opp_r {1}/h exp_0 Ropp_0 e_0 Rmult_1_l => E.
  by have := h_pos x; have := h_pos (- x); nra.
have p := e_pos x; rewrite -/(e x); move: H; rewrite /h e_opp => H.
by apply: (Rmult_eq_reg_r (/ e x)); [rewrite H Rinv_r; lra|have := Rinv_0_lt_compat _ p; lra].
Qed.
Lemma ln_ln (x : R) : 0 < x -> ln_ x = @exp.ln RR x.
Proof.
move=> x0; apply: exp_inv; rewrite exp_ln// exp_expR lnK//; exact/RltP.
Qed.
End Exponential.
