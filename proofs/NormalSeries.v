(* The enclosures of the normal law that trusted/exact/src/normal.rs computes: the series near the middle and the continued fraction of the tail.

   N is the distribution function, Z its total before it is divided, q(y) = e^(-y^2/2).  All that is used of N is that between a and b it grows by q/Z, which falls, that N(0) = 1/2, and that its
   tail is at most q/2 (Hypotheses; NormalEnclosed.v shows them of the normal law).  No integral occurs: a function whose growth is at most q(a) (b - a) between any a and b grows
   no more than Z N does, by ever finer steps (grows_less, grows_more), and that is a question about derivatives.

   With S_n(x) = sum over k <= n of x^(2k+1)/(1 3 5 ... (2k+1)), and P_n/Q_n the n-th convergent of 1/(x + 1/(x + 2/(x + 3/(x + ...)))), for x > 0:
     q(x) S_n(x) <= Z (N(x) - 1/2) <= q(x) (S_n(x) + C t_(n+1)(x))     for any C with C (1 - x^2/(2n+3)) >= 1     (series_low, series_high)
     q(x) P_n/Q_n <= Z (1 - N(x)) for an even n, and >= for an odd one                                                (fraction_low, fraction_high)
     and both ways together enclose Z (total_low, total_high).
   Read: term, series, cfP, cfQ, and the statements of these. *)
From Coq Require Import Reals Lra Lia Psatz.
Local Open Scope R_scope.

Definition q (y : R) := exp (- (y * y / 2)).
Lemma q_pos y : 0 < q y. Proof. apply exp_pos. Qed.
Lemma q_falls a b : 0 <= a <= b -> q b <= q a.
Proof. intros [a0 ab]; unfold q; destruct (Req_dec a b) as [->|n]; [lra|left; apply exp_increasing; nra]. Qed.
Lemma q_le1 y : 0 <= y -> q y <= 1.
Proof. intro y0; apply Rle_trans with (q 0); [apply q_falls; lra|unfold q; replace (- (0 * 0 / 2)) with 0 by field; rewrite exp_0; lra]. Qed.
Lemma q_derives y : derivable_pt_lim q y (- y * q y).
Proof.
unfold q; replace (- y * exp (- (y * y / 2))) with (exp (- (y * y / 2)) * (- (y * 1 + 1 * y) / 2)) by field.
apply (derivable_pt_lim_comp (fun y => - (y * y / 2)) exp); [|apply derivable_pt_lim_exp].
replace (- (y * 1 + 1 * y) / 2) with (- ((1 * y + y * 1) * / 2 + y * y * 0)) by field.
apply (derivable_pt_lim_opp (fun y => y * y / 2)).
apply (derivable_pt_lim_mult (fun y => y * y) (fun _ => / 2)); [|apply derivable_pt_lim_const].
apply (derivable_pt_lim_mult (fun y => y) (fun y => y)); apply derivable_pt_lim_id.
Qed.

(* ---- steps that get finer ---- *)
Section Law.
Variables (N : R -> R) (Z : R).
Hypothesis growth : forall a b, 0 <= a <= b -> (b - a) * q b <= Z * (N b - N a) <= (b - a) * q a.
Hypothesis middle : N 0 = 1 / 2.
Hypothesis far : forall x, 0 <= x -> 1 - q x / 2 <= N x <= 1.
Hypothesis positive : 0 < Z.

Lemma finer (x y c : R) : 0 <= c -> (forall n, (0 < n)%nat -> x <= y + c / INR n) -> x <= y.
Proof.
intros c0 H; destruct (Rle_dec x y) as [h|h]; [exact h|exfalso].
assert (e : 0 < x - y) by lra.
destruct (archimed_cor1 ((x - y) / (c + 1))) as [n [nn n0]]; [apply Rdiv_lt_0_compat; lra|].
specialize (H n n0); assert (i : 0 < INR n) by now apply lt_0_INR.
assert (c / INR n < x - y); [|lra].
apply Rle_lt_trans with ((c + 1) * / INR n); [unfold Rdiv; apply Rmult_le_compat_r; [left; now apply Rinv_0_lt_compat|lra]|].
apply Rlt_le_trans with ((c + 1) * ((x - y) / (c + 1))); [apply Rmult_lt_compat_l; lra|right; field; lra].
Qed.
Lemma steps_less (F : R -> R) a h n : 0 <= a -> 0 <= h -> (forall x y, a <= x <= y -> y <= a + INR n * h -> F y - F x <= (y - x) * q x) ->
  F (a + INR n * h) - F a <= Z * (N (a + INR n * h) - N a) + h * (q a - q (a + INR n * h)).
Proof.
intros a0 h0; induction n as [|n IH]; intro less.
  replace (a + INR 0 * h) with a by (simpl; ring); lra.
rewrite S_INR in *; assert (i : 0 <= INR n) by apply pos_INR.
assert (IH' := IH (fun x y xy yn => less x y xy ltac:(nra))); clear IH.
set (x := a + INR n * h) in *; set (y := a + (INR n + 1) * h) in *.
assert (yx : y = x + h) by (unfold x, y; ring).
assert (ax : a <= x) by (unfold x; nra).
assert (l := less x y ltac:(lra) ltac:(lra)); destruct (growth x y) as [g _]; [lra|nra].
Qed.
Lemma steps_more (F : R -> R) a h n : 0 <= a -> 0 <= h -> (forall x y, a <= x <= y -> y <= a + INR n * h -> (y - x) * q y <= F y - F x) ->
  Z * (N (a + INR n * h) - N a) <= F (a + INR n * h) - F a + h * (q a - q (a + INR n * h)).
Proof.
intros a0 h0; induction n as [|n IH]; intro more.
  replace (a + INR 0 * h) with a by (simpl; ring); lra.
rewrite S_INR in *; assert (i : 0 <= INR n) by apply pos_INR.
assert (IH' := IH (fun x y xy yn => more x y xy ltac:(nra))); clear IH.
set (x := a + INR n * h) in *; set (y := a + (INR n + 1) * h) in *.
assert (yx : y = x + h) by (unfold x, y; ring).
assert (ax : a <= x) by (unfold x; nra).
assert (l := more x y ltac:(lra) ltac:(lra)); destruct (growth x y) as [_ g]; [lra|nra].
Qed.
Theorem grows_less (F : R -> R) a b : 0 <= a <= b -> (forall x y, a <= x <= y -> y <= b -> F y - F x <= (y - x) * q x) -> F b - F a <= Z * (N b - N a).
Proof.
intros ab less; assert (qq := q_falls a b ab).
apply (finer _ _ ((b - a) * (q a - q b))); [apply Rmult_le_pos; lra|intros n n0].
assert (i : 0 < INR n) by now apply lt_0_INR.
assert (e : a + INR n * ((b - a) / INR n) = b) by (field; lra).
assert (s := steps_less F a ((b - a) / INR n) n); rewrite e in s.
replace ((b - a) * (q a - q b) / INR n) with ((b - a) / INR n * (q a - q b)) by (field; lra).
apply s; [lra|unfold Rdiv; apply Rmult_le_pos; [lra|left; now apply Rinv_0_lt_compat]|exact less].
Qed.
Theorem grows_more (F : R -> R) a b : 0 <= a <= b -> (forall x y, a <= x <= y -> y <= b -> (y - x) * q y <= F y - F x) -> Z * (N b - N a) <= F b - F a.
Proof.
intros ab more; assert (qq := q_falls a b ab).
apply (finer _ _ ((b - a) * (q a - q b))); [apply Rmult_le_pos; lra|intros n n0].
assert (i : 0 < INR n) by now apply lt_0_INR.
assert (e : a + INR n * ((b - a) / INR n) = b) by (field; lra).
assert (s := steps_more F a ((b - a) / INR n) n); rewrite e in s.
replace ((b - a) * (q a - q b) / INR n) with ((b - a) / INR n * (q a - q b)) by (field; lra).
apply s; [lra|unfold Rdiv; apply Rmult_le_pos; [lra|left; now apply Rinv_0_lt_compat]|exact more].
Qed.

(* by derivatives: F' = q G with G <= 1, or with G >= 1 *)
Lemma by_slope_less (F G : R -> R) a b : 0 <= a -> (forall y, a <= y <= b -> derivable_pt_lim F y (q y * G y)) ->
  (forall y, a <= y <= b -> G y <= 1) -> forall x y, a <= x <= y -> y <= b -> F y - F x <= (y - x) * q x.
Proof.
intros a0 D G1 x y [ax xy] yb; destruct (Req_dec x y) as [->|n]; [replace ((y - y) * q y) with 0 by ring; lra|].
destruct (MVT_cor2 F (fun y => q y * G y) x y) as [c [E [xc cy]]]; [lra|intros c [xc cy]; apply D; lra|].
assert (g := G1 c ltac:(lra)); assert (p := q_pos c); assert (f := q_falls x c ltac:(lra)); rewrite E, Rmult_comm.
apply Rmult_le_compat_l; [lra|apply Rle_trans with (q c * 1); [apply Rmult_le_compat_l; lra|lra]].
Qed.
Lemma by_slope_more (F G : R -> R) a b : 0 <= a -> (forall y, a <= y <= b -> derivable_pt_lim F y (q y * G y)) ->
  (forall y, a <= y <= b -> 1 <= G y) -> forall x y, a <= x <= y -> y <= b -> (y - x) * q y <= F y - F x.
Proof.
intros a0 D G1 x y [ax xy] yb; destruct (Req_dec x y) as [->|n]; [replace ((y - y) * q y) with 0 by ring; lra|].
destruct (MVT_cor2 F (fun y => q y * G y) x y) as [c [E [xc cy]]]; [lra|intros c [xc cy]; apply D; lra|].
assert (g := G1 c ltac:(lra)); assert (p := q_pos c); assert (f := q_falls c y ltac:(lra)); rewrite E, (Rmult_comm (q c * G c)).
apply Rmult_le_compat_l; [lra|apply Rle_trans with (q c * 1); [lra|apply Rmult_le_compat_l; lra]].
Qed.

(* ---- the series ---- *)
Fixpoint term (k : nat) (y : R) : R := match k with O => y | S k' => term k' y * (y * y) / (2 * INR k' + 3) end.
Fixpoint series (n : nat) (y : R) : R := match n with O => term 0 y | S n' => series n' y + term (S n') y end.
Definition slope k y := match k with O => 1 | S k' => y * term k' y end.
Lemma odd_pos k : 0 < 2 * INR k + 3. Proof. assert (h := pos_INR k); lra. Qed.
Lemma slope_term k y : slope k y * y = (2 * INR k + 1) * term k y.
Proof. destruct k as [|k]; [simpl; ring|rewrite S_INR; cbn [slope term]; assert (h := odd_pos k); field; lra]. Qed.
Lemma term_derives k y : derivable_pt_lim (term k) y (slope k y).
Proof.
induction k as [|k IH]; [apply derivable_pt_lim_id|].
change (term (S k)) with (fun y => term k y * (y * y) / (2 * INR k + 3)); assert (h := odd_pos k).
replace (slope (S k) y) with ((slope k y * (y * y) + term k y * (1 * y + y * 1)) * / (2 * INR k + 3) + term k y * (y * y) * 0).
  2: { cbn [slope]; replace (slope k y * (y * y)) with (slope k y * y * y) by ring; rewrite slope_term; field; lra. }
apply (derivable_pt_lim_mult (fun y => term k y * (y * y)) (fun _ => / (2 * INR k + 3))); [|apply derivable_pt_lim_const].
apply (derivable_pt_lim_mult (term k) (fun y => y * y)); [exact IH|].
apply (derivable_pt_lim_mult (fun y => y) (fun y => y)); apply derivable_pt_lim_id.
Qed.
Lemma series_derives n y : derivable_pt_lim (series n) y (1 + y * series n y - y * term n y).
Proof.
induction n as [|n IH]; [replace (1 + y * series 0 y - y * term 0 y) with 1 by (simpl; ring); apply derivable_pt_lim_id|].
replace (1 + y * series (S n) y - y * term (S n) y) with (1 + y * series n y - y * term n y + slope (S n) y) by (cbn [series slope]; ring).
apply (derivable_pt_lim_plus (series n) (term (S n))); [exact IH|apply term_derives].
Qed.
Lemma term_ge0 k y : 0 <= y -> 0 <= term k y.
Proof.
intro y0; induction k as [|k IH]; [exact y0|cbn [term]; unfold Rdiv; assert (h := odd_pos k)].
apply Rmult_le_pos; [apply Rmult_le_pos; [exact IH|nra]|left; now apply Rinv_0_lt_compat].
Qed.
Lemma at_zero n : series n 0 = 0.
Proof. assert (t : forall k, term k 0 = 0) by (induction k as [|k IH]; [reflexivity|cbn [term]; rewrite IH; unfold Rdiv; ring]).
induction n as [|n IH]; [reflexivity|cbn [series]; rewrite IH, t; ring]. Qed.

Theorem series_low n x : 0 <= x -> q x * series n x <= Z * (N x - 1 / 2).
Proof.
intro x0; rewrite <- middle; replace (q x * series n x) with (q x * series n x - q 0 * series n 0) by (rewrite at_zero; ring).
apply (grows_less (fun y => q y * series n y)); [lra|].
apply (by_slope_less _ (fun y => 1 - y * term n y)); [lra| |].
  intros y _; replace (q y * (1 - y * term n y)) with (- y * q y * series n y + q y * (1 + y * series n y - y * term n y)) by ring.
  apply (derivable_pt_lim_mult q (series n)); [apply q_derives|apply series_derives].
intros y [y0 _]; assert (t := term_ge0 n y y0); nra.
Qed.
Theorem series_high n x C : 0 <= x -> 0 <= C -> 1 <= C * (1 - x * x / (2 * INR n + 3)) ->
  Z * (N x - 1 / 2) <= q x * (series n x + C * term (S n) x).
Proof.
intros x0 C0 C1; assert (h := odd_pos n); rewrite <- middle.
replace (q x * (series n x + C * term (S n) x)) with (q x * (series n x + C * term (S n) x) - q 0 * (series n 0 + C * term (S n) 0)).
  2: { rewrite at_zero; cbn [term]; unfold Rdiv; ring. }
apply (grows_more (fun y => q y * (series n y + C * term (S n) y))); [lra|].
apply (by_slope_more _ (fun y => 1 + y * term n y * (C * (1 - y * y / (2 * INR n + 3)) - 1))); [lra| |].
  intros y _.
  replace (q y * (1 + y * term n y * (C * (1 - y * y / (2 * INR n + 3)) - 1)))
    with (- y * q y * (series n y + C * term (S n) y) + q y * (1 + y * series n y - y * term n y + C * slope (S n) y)) by (cbn [term slope]; field; lra).
  apply (derivable_pt_lim_mult q (fun y => series n y + C * term (S n) y)); [apply q_derives|].
  apply (derivable_pt_lim_plus (series n) (fun y => C * term (S n) y)); [apply series_derives|].
  apply (derivable_pt_lim_scal (term (S n))); apply term_derives.
intros y [y0 yx]; assert (t := term_ge0 n y y0).
assert (C * (1 - x * x / (2 * INR n + 3)) <= C * (1 - y * y / (2 * INR n + 3))).
  apply Rmult_le_compat_l; [exact C0|unfold Rdiv]; assert (i := Rinv_0_lt_compat _ h); assert (y * y <= x * x) by nra; nra.
assert (0 <= y * term n y) by now apply Rmult_le_pos.
nra.
Qed.

(* ---- the continued fraction ---- *)
Fixpoint cfP (n : nat) (y : R) : R := match n with O => 0 | S m => match m with O => 1 | S l => y * cfP m y + INR m * cfP l y end end.
Fixpoint cfQ (n : nat) (y : R) : R := match n with O => 1 | S m => match m with O => y | S l => y * cfQ m y + INR m * cfQ l y end end.
Lemma P_step n y : cfP (S (S n)) y = y * cfP (S n) y + INR (S n) * cfP n y. Proof. reflexivity. Qed.
Lemma Q_step n y : cfQ (S (S n)) y = y * cfQ (S n) y + INR (S n) * cfQ n y. Proof. reflexivity. Qed.
Lemma two_steps (A : nat -> Prop) : A 0%nat -> A 1%nat -> (forall n, A n -> A (S n) -> A (S (S n))) -> forall n, A n.
Proof. intros a0 a1 H n; enough (A n /\ A (S n)) by tauto; induction n as [|n [IH IH']]; auto. Qed.
Lemma Q_down n y : cfQ (S n) y = y * cfQ n y + INR n * cfQ (pred n) y.
Proof. destruct n as [|n]; [simpl; ring|reflexivity]. Qed.
Lemma Q_derives n y : derivable_pt_lim (cfQ n) y (INR n * cfQ (pred n) y).
Proof.
revert n; apply two_steps.
- replace (INR 0 * cfQ (pred 0) y) with 0 by (simpl; ring); apply derivable_pt_lim_const.
- replace (INR 1 * cfQ (pred 1) y) with 1 by (simpl; ring); apply derivable_pt_lim_id.
- intros n IH IH'; change (cfQ (S (S n))) with (fun y => y * cfQ (S n) y + INR (S n) * cfQ n y).
replace (INR (S (S n)) * cfQ (pred (S (S n))) y)
  with (1 * cfQ (S n) y + y * (INR (S n) * cfQ (pred (S n)) y) + INR (S n) * (INR n * cfQ (pred n) y)).
  2: { cbn [pred]; rewrite (Q_down n), !S_INR; ring. }
apply (derivable_pt_lim_plus (fun y => y * cfQ (S n) y) (fun y => INR (S n) * cfQ n y)).
  apply (derivable_pt_lim_mult (fun y => y) (cfQ (S n))); [apply derivable_pt_lim_id|exact IH'].
apply (derivable_pt_lim_scal (cfQ n)); exact IH.
Qed.
Lemma P_derives n y : derivable_pt_lim (cfP n) y (cfP (S n) y - cfQ n y).
Proof.
revert n; apply two_steps.
- replace (cfP 1 y - cfQ 0 y) with 0 by (simpl; ring); apply derivable_pt_lim_const.
- replace (cfP 2 y - cfQ 1 y) with 0 by (simpl; ring); apply derivable_pt_lim_const.
- intros n IH IH'; change (cfP (S (S n))) with (fun y => y * cfP (S n) y + INR (S n) * cfP n y).
replace (cfP (S (S (S n))) y - cfQ (S (S n)) y)
  with (1 * cfP (S n) y + y * (cfP (S (S n)) y - cfQ (S n) y) + INR (S n) * (cfP (S n) y - cfQ n y)).
  2: { rewrite (P_step (S n)), Q_step, !S_INR; ring. }
apply (derivable_pt_lim_plus (fun y => y * cfP (S n) y) (fun y => INR (S n) * cfP n y)).
  apply (derivable_pt_lim_mult (fun y => y) (cfP (S n))); [apply derivable_pt_lim_id|exact IH'].
apply (derivable_pt_lim_scal (cfP n)); exact IH.
Qed.
Lemma Q_pos n y : 0 < y -> 0 < cfQ n y.
Proof.
intro y0; revert n; apply two_steps; [simpl; lra|exact y0|intros n IH IH'; rewrite Q_step].
assert (i := pos_INR (S n)); nra.
Qed.
Lemma P_ge0 n y : 0 < y -> 0 <= cfP n y.
Proof.
intro y0; revert n; apply two_steps; [simpl; lra|simpl; lra|intros n IH IH'; rewrite P_step].
assert (i := pos_INR (S n)); nra.
Qed.
Lemma P_le n y : 0 < y -> cfP n y * y <= cfQ n y.
Proof.
intro y0; revert n; apply two_steps; [simpl; lra|simpl; lra|intros n IH IH'; rewrite P_step, Q_step].
assert (i := pos_INR (S n)); nra.
Qed.
Definition turn n y := cfP n y * cfQ (S n) y - cfP (S n) y * cfQ n y.
Lemma turn_step n y : turn (S n) y = - INR (S n) * turn n y.
Proof. unfold turn; rewrite P_step, Q_step; ring. Qed.
Lemma turn_even n y : turn (2 * n) y <= 0 /\ 0 <= turn (S (2 * n)) y.
Proof.
assert (odd : forall n, turn n y <= 0 -> 0 <= turn (S n) y) by (intros k h; rewrite turn_step; assert (i := pos_INR (S k)); nra).
assert (even : forall n, 0 <= turn n y -> turn (S n) y <= 0) by (intros k h; rewrite turn_step; assert (i := pos_INR (S k)); nra).
enough (e : turn (2 * n) y <= 0) by auto.
induction n as [|n IH]; [unfold turn; simpl; lra|replace (2 * S n)%nat with (S (S (2 * n))) by lia; auto].
Qed.
Lemma ratio_derives n y : 0 < y -> derivable_pt_lim (fun y => - (q y * (cfP n y / cfQ n y))) y (q y * (1 + turn n y / (cfQ n y * cfQ n y))).
Proof.
intro y0; assert (p := Q_pos n y y0).
replace (q y * (1 + turn n y / (cfQ n y * cfQ n y)))
  with (- (- y * q y * (cfP n y / cfQ n y) + q y * (((cfP (S n) y - cfQ n y) * cfQ n y - INR n * cfQ (pred n) y * cfP n y) / Rsqr (cfQ n y)))).
  2: { unfold turn, Rsqr; rewrite (Q_down n); field; lra. }
apply (derivable_pt_lim_opp (fun y => q y * (cfP n y / cfQ n y))).
apply (derivable_pt_lim_mult q (fun y => cfP n y / cfQ n y)); [apply q_derives|].
apply (derivable_pt_lim_div (cfP n) (cfQ n)); [apply P_derives|apply Q_derives|lra].
Qed.
(* what is left out far away *)
Lemma q_far y : 0 < y -> q y <= 1 / y.
Proof.
intro y0; unfold q; assert (e := exp_ineq1_le (y * y / 2)).
assert (y <= exp (y * y / 2)) by nra.
rewrite exp_Ropp; unfold Rdiv; rewrite Rmult_1_l; apply Rinv_le_contravar; assumption.
Qed.
Lemma vanishing (x y c : R) (f : R -> R) : 0 <= c -> (forall b, 0 < b -> y <= b -> x <= f b + c / b) -> (forall b, 0 < b -> f b <= f y) -> x <= f y.
Proof.
intros c0 H fb; apply (finer x (f y) c c0); intros n n0; assert (i : 0 < INR n) by now apply lt_0_INR.
destruct (Rle_dec y (INR n)) as [yn|yn]; [specialize (H _ i yn); specialize (fb _ i); lra|].
assert (y0 : 0 < y) by lra; specialize (H y y0 ltac:(lra)).
assert (c / y <= c / INR n); [|lra].
unfold Rdiv; apply Rmult_le_compat_l; [exact c0|apply Rinv_le_contravar; lra].
Qed.
Theorem fraction_low n x : 0 < x -> q x * (cfP (2 * n) x / cfQ (2 * n) x) <= Z * (1 - N x).
Proof.
intro x0; apply (vanishing _ x 1 (fun _ => Z * (1 - N x))); [lra| |intros; lra].
intros b b0 xb; set (T := fun y => - (q y * (cfP (2 * n) y / cfQ (2 * n) y))).
assert (g : T b - T x <= Z * (N b - N x)).
  apply (grows_less T); [lra|apply (by_slope_less T (fun y => 1 + turn (2 * n) y / (cfQ (2 * n) y * cfQ (2 * n) y))); [lra| |]].
    intros y yb; apply ratio_derives; lra.
  intros y [xy _]; assert (p := Q_pos (2 * n) y ltac:(lra)); destruct (turn_even n y) as [e _].
  assert (i : 0 < / (cfQ (2 * n) y * cfQ (2 * n) y)) by (apply Rinv_0_lt_compat; nra); unfold Rdiv; nra.
destruct (far b) as [_ f]; [lra|].
assert (t : q b * (cfP (2 * n) b / cfQ (2 * n) b) <= 1 / b).
  assert (p := Q_pos (2 * n) b b0); assert (l := P_le (2 * n) b b0); assert (g0 := P_ge0 (2 * n) b b0).
  apply Rle_trans with (1 * (cfP (2 * n) b / cfQ (2 * n) b)); [apply Rmult_le_compat_r; [|apply q_le1; lra]|].
    unfold Rdiv; apply Rmult_le_pos; [exact g0|left; now apply Rinv_0_lt_compat].
  apply (Rmult_le_reg_r (b * cfQ (2 * n) b)); [nra|].
  replace (1 * (cfP (2 * n) b / cfQ (2 * n) b) * (b * cfQ (2 * n) b)) with (cfP (2 * n) b * b) by (field; lra).
  replace (1 / b * (b * cfQ (2 * n) b)) with (cfQ (2 * n) b) by (field; lra); exact l.
unfold T in g; nra.
Qed.
Theorem fraction_high n x : 0 < x -> Z * (1 - N x) <= q x * (cfP (S (2 * n)) x / cfQ (S (2 * n)) x).
Proof.
intro x0; apply (vanishing _ x (Z / 2) (fun _ => q x * (cfP (S (2 * n)) x / cfQ (S (2 * n)) x))); [lra| |intros; lra].
intros b b0 xb; set (m := S (2 * n)); set (T := fun y => - (q y * (cfP m y / cfQ m y))).
assert (g : Z * (N b - N x) <= T b - T x).
  apply (grows_more T); [lra|apply (by_slope_more T (fun y => 1 + turn m y / (cfQ m y * cfQ m y))); [lra| |]].
    intros y yb; apply ratio_derives; lra.
  intros y [xy _]; assert (p := Q_pos m y ltac:(lra)); destruct (turn_even n y) as [_ e].
  assert (i : 0 < / (cfQ m y * cfQ m y)) by (apply Rinv_0_lt_compat; nra); unfold Rdiv; fold m in e; nra.
destruct (far b) as [f _]; [lra|].
assert (t : 0 <= q b * (cfP m b / cfQ m b)).
  apply Rmult_le_pos; [left; apply q_pos|unfold Rdiv; apply Rmult_le_pos; [now apply P_ge0|left; apply Rinv_0_lt_compat; now apply Q_pos]].
assert (l : Z * q b / 2 <= Z / 2 / b).
  assert (h := q_far b b0); replace (Z / 2 / b) with (Z * (1 / b) / 2) by (field; lra); nra.
assert (Z * (1 - N b) <= Z * q b / 2) by nra.
unfold T in g; nra.
Qed.

(* both ways together *)
Theorem total_low n k x : 0 < x -> 2 * (q x * (series n x + cfP (2 * k) x / cfQ (2 * k) x)) <= Z.
Proof. intro x0; assert (s := series_low n x ltac:(lra)); assert (f := fraction_low k x x0); nra. Qed.
Theorem total_high n k x C : 0 < x -> 0 <= C -> 1 <= C * (1 - x * x / (2 * INR n + 3)) ->
  Z <= 2 * (q x * (series n x + C * term (S n) x + cfP (S (2 * k)) x / cfQ (S (2 * k)) x)).
Proof. intros x0 C0 C1; assert (s := series_high n x C ltac:(lra) C0 C1); assert (f := fraction_high k x x0); nra. Qed.
End Law.
