(* The normal law at rational numbers, by computing: the enclosures of NormalSeries.v with those of the exponential in Values.v.

   A check names how many terms are taken; whatever it names, what it answers "yes" to is true.  The total Z, which is the square root of 2 pi, is enclosed once (total_value), from the series and the
   fraction at 6.  Read: cdf_low, cdf_high, normal_check, and the statements cdf_value and check_value. *)
From Coq Require Import Reals QArith Qreals Lra Lia Psatz.
From Probity Require Import Values NormalSeries.
Local Open Scope bool_scope.
Local Open Scope R_scope.

(* ---- the series by Horner's rule: S_n(x) = x (1 + x^2/3 (1 + x^2/5 (1 + ...))) ---- *)
Fixpoint nested (n k : nat) (w : R) : R := match n with O => 1 | S n' => 1 + w / (2 * INR k + 3) * nested n' (S k) w end.
Fixpoint nestedQ (n : nat) (odd : positive) (w : Q) : Q := match n with O => 1%Q | S n' => (1 + w * (1 # odd) * nestedQ n' (odd + 2) w)%Q end.
Fixpoint part (n k : nat) (x : R) : R := match n with O => term k x | S n' => term k x + part n' (S k) x end.
Lemma part_nested n k x : part n k x = term k x * nested n k (x * x).
Proof.
revert k; induction n as [|n IH]; intro k; cbn [part nested]; [ring|rewrite IH; cbn [term]; assert (h := odd_pos k); field; lra].
Qed.
Lemma part_last n k x : part (S n) k x = part n k x + term (S n + k) x.
Proof.
revert k; induction n as [|n IH]; intro k; [reflexivity|].
change (part (S (S n)) k x) with (term k x + part (S n) (S k) x); rewrite IH; cbn [part].
replace (S n + S k)%nat with (S (S n) + k)%nat by lia; ring.
Qed.
Lemma series_part n x : series n x = part n 0 x.
Proof. induction n as [|n IH]; [reflexivity|cbn [series]; rewrite IH, part_last, Nat.add_0_r; reflexivity]. Qed.
Lemma series_nested n x : series n x = x * nested n 0 (x * x).
Proof. now rewrite series_part, part_nested. Qed.
Lemma odd_ok k odd : IZR (Zpos odd) = 2 * INR k + 3 -> IZR (Zpos (odd + 2)) = 2 * INR (S k) + 3.
Proof. intro e; rewrite Pos2Z.inj_add, plus_IZR, e, S_INR; lra. Qed.
Lemma Q2R_part odd : Q2R (1 # odd) = / IZR (Zpos odd).
Proof. unfold Q2R; simpl Qnum; simpl Qden; apply Rmult_1_l. Qed.
Lemma nestedQ_ok n k odd w : IZR (Zpos odd) = 2 * INR k + 3 -> Q2R (nestedQ n odd w) = nested n k (Q2R w).
Proof.
revert k odd; induction n as [|n IH]; intros k odd e; cbn [nested nestedQ]; [apply Q2R_1|].
rewrite Q2R_plus, !Q2R_mult, (IH (S k)), Q2R_1, Q2R_part, e by now apply odd_ok.
reflexivity.
Qed.
Definition seriesQ n x : Q := (x * nestedQ n 3 (x * x))%Q.
Lemma seriesQ_ok n x : Q2R (seriesQ n x) = series n (Q2R x).
Proof. unfold seriesQ; rewrite series_nested, Q2R_mult, (nestedQ_ok n 0), Q2R_mult by (simpl; lra); reflexivity. Qed.
(* the first term that is left out *)
Fixpoint termQ (n : nat) (odd : positive) (w t : Q) : Q := match n with O => t | S n' => termQ n' (odd + 2) w (t * w * (1 # odd)) end.
Lemma termQ_ok n k odd w t x : IZR (Zpos odd) = 2 * INR k + 3 -> Q2R w = x * x -> Q2R t = term k x -> Q2R (termQ n odd w t) = term (n + k) x.
Proof.
revert k odd t; induction n as [|n IH]; intros k odd t e ew et; [exact et|cbn [termQ]].
replace (S n + k)%nat with (n + S k)%nat by lia; apply IH; [now apply odd_ok|exact ew|].
rewrite !Q2R_mult, Q2R_part, e, ew, et; reflexivity.
Qed.

(* the convergents at 6 *)
Fixpoint overZ (n : nat) : Z := match n with O => 0 | S m => match m with O => 1 | S l => 6 * overZ m + Z.of_nat m * overZ l end end%Z.
Fixpoint underZ (n : nat) : Z := match n with O => 1 | S m => match m with O => 6 | S l => 6 * underZ m + Z.of_nat m * underZ l end end%Z.
Lemma overZ_ok n : IZR (overZ n) = cfP n 6.
Proof.
revert n; apply two_steps; [reflexivity|reflexivity|intros n IH IH'; rewrite P_step, <- IH, <- IH'].
change (overZ (S (S n))) with (6 * overZ (S n) + Z.of_nat (S n) * overZ n)%Z; now rewrite plus_IZR, !mult_IZR, <- INR_IZR_INZ.
Qed.
Lemma underZ_ok n : IZR (underZ n) = cfQ n 6.
Proof.
revert n; apply two_steps; [reflexivity|reflexivity|intros n IH IH'; rewrite Q_step, <- IH, <- IH'].
change (underZ (S (S n))) with (6 * underZ (S n) + Z.of_nat (S n) * underZ n)%Z; now rewrite plus_IZR, !mult_IZR, <- INR_IZR_INZ.
Qed.
Definition convergent n : Q := overZ n # Z.to_pos (underZ n).
Lemma convergent_ok n : (0 <? underZ n)%Z = true -> Q2R (convergent n) = cfP n 6 / cfQ n 6.
Proof. intro p; apply Z.ltb_lt in p; unfold convergent, Q2R; cbn [Qnum Qden]; now rewrite Z2Pos.id, overZ_ok, underZ_ok. Qed.

(* ---- between two numbers ---- *)
Section Law.
Variables (N : R -> R) (Z : R).
Hypothesis growth : forall a b, 0 <= a <= b -> (b - a) * q b <= Z * (N b - N a) <= (b - a) * q a.
Hypothesis middle : N 0 = 1 / 2.
Hypothesis far : forall x, 0 <= x -> 1 - q x / 2 <= N x <= 1.
Hypothesis total_positive : 0 < Z.
Hypothesis mirrored : forall x, N (- x) = 1 - N x.

Definition exp_high (m : positive) (n : nat) (a : Q) : Q := (/ exp_low m n (- a))%Q.
Lemma exp_high_ok m n a : Qle_bool (exp_low m n (- a)) 0 = false -> exp (Q2R a) <= Q2R (exp_high m n a).
Proof.
intro h; assert (p : 0 < Q2R (exp_low m n (- a))).
  rewrite <- Q2R_0; apply Qlt_Rlt, Qnot_le_lt; intro l; apply Qle_bool_iff in l; congruence.
unfold exp_high; rewrite Q2R_inv; [|intro e; rewrite e, Q2R_0 in p; lra].
assert (l := exp_low_ok m n (- a)); rewrite Q2R_opp, exp_Ropp in l.
rewrite <- (Rinv_inv (exp (Q2R a))); apply Rinv_le_contravar; assumption.
Qed.
(* how many parts the exponent is cut into, how many terms the exponential has, and how many the series *)
Record effort := Effort { cuts : positive; terms : nat; long : nat }.
Variable e : effort.
Definition half_square (x : Q) : Q := (- (x * x * (1 # 2)))%Q.
Lemma half_square_ok x : exp (Q2R (half_square x)) = q (Q2R x).
Proof. unfold half_square, q; f_equal; rewrite Q2R_opp, !Q2R_mult; unfold Q2R at 3; simpl; field. Qed.
Definition area_low (x : Q) : Q := (exp_low (cuts e) (terms e) (half_square x) * seriesQ (long e) x)%Q.
Definition area_high (x : Q) : Q :=
  let w := (x * x)%Q in let odd := inject_Z (2 * Z.of_nat (long e) + 3) in
  (exp_high (cuts e) (terms e) (half_square x) * (seriesQ (long e) x + odd * / (odd - w) * termQ (S (long e)) 3 w x))%Q.
Definition area_fits (x : Q) : bool :=
  Qle_bool 0 x && negb (Qle_bool (inject_Z (2 * Z.of_nat (long e) + 3)) (x * x)) && negb (Qle_bool (exp_low (cuts e) (terms e) (- half_square x)) 0).
Lemma positiveQ x : Qle_bool 0 x = true -> 0 <= Q2R x.
Proof. intro h; apply Qle_bool_iff, Qle_Rle in h; now rewrite Q2R_0 in h. Qed.
Lemma area_low_ok x : Qle_bool 0 x = true -> Q2R (area_low x) <= Z * (N (Q2R x) - 1 / 2).
Proof.
intro x0; apply positiveQ in x0; eapply Rle_trans; [|apply (series_low N Z growth middle (long e)); exact x0].
unfold area_low; rewrite Q2R_mult, seriesQ_ok, <- half_square_ok; apply Rmult_le_compat_r; [|apply exp_low_ok].
rewrite series_part; clear -x0; set (k := 0%nat); generalize k; clear k; induction (long e) as [|n IH]; intro k; cbn [part]; [now apply term_ge0|].
assert (t := term_ge0 k _ x0); specialize (IH (S k)); lra.
Qed.
Lemma area_high_ok x : area_fits x = true -> Z * (N (Q2R x) - 1 / 2) <= Q2R (area_high x).
Proof.
intro f; apply andb_prop in f; destruct f as [f p]; apply andb_prop in f; destruct f as [x0 f].
apply positiveQ in x0; apply Bool.negb_true_iff in f, p.
set (odd := inject_Z (2 * Z.of_nat (long e) + 3)) in *.
assert (o : Q2R odd = 2 * INR (long e) + 3).
  unfold odd, Q2R, inject_Z; cbn [Qnum Qden]; rewrite plus_IZR, mult_IZR, <- INR_IZR_INZ; field.
assert (h := odd_pos (long e)).
assert (l : Q2R x * Q2R x < Q2R odd).
  rewrite <- Q2R_mult; apply Qlt_Rlt, Qnot_le_lt; intro c; apply Qle_bool_iff in c; congruence.
assert (d : Q2R (odd - x * x) = 2 * INR (long e) + 3 - Q2R x * Q2R x) by (rewrite Q2R_minus, Q2R_mult, o; reflexivity).
assert (n : ~ (odd - x * x == 0)%Q) by (intro c; apply Qeq_eqR in c; rewrite Q2R_0, d in c; lra).
eapply Rle_trans; [apply (series_high N Z growth middle (long e) (Q2R x) (Q2R (odd * / (odd - x * x)))); [exact x0| |]|].
- rewrite Q2R_mult, Q2R_inv, o, d by exact n; apply Rmult_le_pos; [lra|left; apply Rinv_0_lt_compat; lra].
- right; rewrite Q2R_mult, Q2R_inv, o, d by exact n; field; lra.
- unfold area_high; cbv zeta; fold odd; rewrite (Q2R_mult (exp_high _ _ _)), (Q2R_plus (seriesQ _ _)), (Q2R_mult (odd * / (odd - x * x)) (termQ _ _ _ _)), seriesQ_ok.
rewrite (termQ_ok (S (long e)) 0 3 (x * x) x (Q2R x)); [|simpl; lra|apply Q2R_mult|reflexivity]; rewrite Nat.add_0_r.
rewrite <- half_square_ok; apply Rmult_le_compat_r; [|now apply exp_high_ok].
apply Rplus_le_le_0_compat.
  rewrite series_part; clear -x0; set (k := 0%nat); generalize k; clear k; induction (long e) as [|m IH]; intro k; cbn [part]; [now apply term_ge0|].
  assert (t := term_ge0 k _ x0); specialize (IH (S k)); lra.
apply Rmult_le_pos; [|now apply term_ge0].
rewrite Q2R_mult, Q2R_inv, o, d by exact n; apply Rmult_le_pos; [lra|left; apply Rinv_0_lt_compat; lra].
Qed.

(* ---- Z ---- *)
Definition total_ok (low high : Q) : bool :=
  let exp_l := exp_low (cuts e) (terms e) (half_square 6) in let exp_h := exp_high (cuts e) (terms e) (half_square 6) in
  area_fits 6 && Qle_bool low (2 * (area_low 6 + exp_l * convergent 16)) && Qle_bool (2 * (area_high 6 + exp_h * convergent 17)) high.
Lemma Q2R_6 : Q2R 6 = 6. Proof. unfold Q2R; simpl; lra. Qed.
Lemma total_encloses low high : total_ok low high = true -> Q2R low <= Z <= Q2R high.
Proof.
unfold total_ok; cbv zeta; intro h; apply andb_prop in h; destruct h as [h b]; apply andb_prop in h; destruct h as [f a].
apply Qle_bool_iff, Qle_Rle in a; apply Qle_bool_iff, Qle_Rle in b.
assert (x0 : Qle_bool 0 6 = true) by reflexivity.
assert (l := area_low_ok 6 x0); assert (g := area_high_ok 6 f); rewrite Q2R_6 in l, g.
assert (fl := fraction_low N Z growth far total_positive 8 6 ltac:(lra)); assert (fh := fraction_high N Z growth far total_positive 8 6 ltac:(lra)).
change (2 * 8)%nat with 16%nat in fl, fh; rewrite <- convergent_ok in fl, fh by reflexivity.
assert (el := exp_low_ok (cuts e) (terms e) (half_square 6)).
assert (eh : exp (Q2R (half_square 6)) <= Q2R (exp_high (cuts e) (terms e) (half_square 6))).
  apply exp_high_ok; apply andb_prop in f; destruct f as [_ f]; now apply Bool.negb_true_iff in f.
rewrite half_square_ok, Q2R_6 in el, eh; assert (two : Q2R 2 = 2) by (unfold Q2R; simpl; lra).
rewrite (Q2R_mult 2), Q2R_plus, (Q2R_mult (exp_low _ _ _)), two in a; rewrite (Q2R_mult 2), Q2R_plus, (Q2R_mult (exp_high _ _ _)), two in b.
assert (c0 : 0 <= Q2R (convergent 16)) by (apply positiveQ; reflexivity); assert (c1 : 0 <= Q2R (convergent 17)) by (apply positiveQ; reflexivity).
assert (m1 := Rmult_le_compat_r _ _ _ c0 el); assert (m2 := Rmult_le_compat_r _ _ _ c1 eh).
lra.
Qed.

(* ---- the distribution function and the profile of two normal laws, from numbers between which Z lies ---- *)
Variables (zl zh : Q).
Hypothesis total : Q2R zl <= Z <= Q2R zh.
Hypothesis total_pos : Qle_bool zl 0 = false.
Definition cdf_low (x : Q) : Q :=
  if Qle_bool 0 x then ((1 # 2) + area_low x * / zh)%Q else if area_fits (- x) then ((1 # 2) - area_high (- x) * / zl)%Q else 0%Q.
Definition cdf_high (x : Q) : Q :=
  if Qle_bool 0 x then if area_fits x then ((1 # 2) + area_high x * / zl)%Q else 1%Q else ((1 # 2) - area_low (- x) * / zh)%Q.
Lemma zl_pos : 0 < Q2R zl.
Proof. rewrite <- Q2R_0; apply Qlt_Rlt, Qnot_le_lt; intro l; apply Qle_bool_iff in l; congruence. Qed.
Lemma half_ok : Q2R (1 # 2) = 1 / 2. Proof. unfold Q2R; simpl; lra. Qed.
Lemma below x a : Qle_bool 0 a = true -> Q2R a <= Z * (x - 1 / 2) -> 1 / 2 + Q2R a / Q2R zh <= x.
Proof.
intros a0 h; apply positiveQ in a0; assert (p := zl_pos).
assert (i : Q2R a / Q2R zh <= Q2R a / Z) by (unfold Rdiv; apply Rmult_le_compat_l; [exact a0|apply Rinv_le_contravar; lra]).
assert (Q2R a / Z <= x - 1 / 2); [|lra].
apply (Rmult_le_reg_l Z); [lra|replace (Z * (Q2R a / Z)) with (Q2R a) by (field; lra); exact h].
Qed.
Lemma above x a : 0 <= x - 1 / 2 -> Z * (x - 1 / 2) <= Q2R a -> x <= 1 / 2 + Q2R a / Q2R zl.
Proof.
intros x0 h; assert (p := zl_pos).
assert (x - 1 / 2 <= Q2R a / Q2R zl); [|lra].
apply (Rmult_le_reg_l (Q2R zl)); [lra|replace (Q2R zl * (Q2R a / Q2R zl)) with (Q2R a) by (field; lra); nra].
Qed.
Lemma right_half x : 0 <= x -> 0 <= N x - 1 / 2.
Proof. intro x0; destruct (growth 0 x) as [g _]; [lra|rewrite middle in g; assert (p := q_pos x); assert (0 <= (x - 0) * q x) by nra; nra]. Qed.
Lemma area_low_ge0 x : Qle_bool 0 x = true -> Qle_bool 0 (area_low x) = true.
Proof.
intro x0; apply Qle_bool_iff; apply Rle_Qle; rewrite Q2R_0; apply positiveQ in x0; unfold area_low; rewrite Q2R_mult, seriesQ_ok.
apply Rmult_le_pos.
  unfold exp_low; set (y := (half_square x * (1 # cuts e))%Q); set (r := if Qle_bool 0 y then _ else _).
  destruct (Qle_bool (- (1)) y && Qle_bool 0 r)%bool eqn:ok; [|rewrite Q2R_0; lra].
  apply andb_prop in ok; destruct ok as [_ r0]; apply positiveQ in r0; rewrite powQ_ok; now apply pow_le.
rewrite series_part; clear -x0; set (k := 0%nat); generalize k; clear k; induction (long e) as [|m IH]; intro k; cbn [part]; [now apply term_ge0|].
assert (t := term_ge0 k _ x0); specialize (IH (S k)); lra.
Qed.
Lemma inverse z : 0 < Q2R z -> Q2R (/ z) = / Q2R z.
Proof. intro p; apply Q2R_inv; intro c; rewrite c, Q2R_0 in p; lra. Qed.
Theorem cdf_value x : Q2R (cdf_low x) <= N (Q2R x) <= Q2R (cdf_high x).
Proof.
assert (p := zl_pos); assert (p' : 0 < Q2R zh) by lra.
assert (neg : Qle_bool 0 x = false -> Qle_bool 0 (- x) = true /\ N (Q2R x) = 1 - N (Q2R (- x))).
  intro h; split; [|rewrite Q2R_opp, <- mirrored, Ropp_involutive; reflexivity].
  apply Qle_bool_iff, Rle_Qle; rewrite Q2R_0, Q2R_opp.
  assert (Q2R x < 0); [|lra]; rewrite <- Q2R_0; apply Qlt_Rlt, Qnot_le_lt; intro c; apply Qle_bool_iff in c; congruence.
unfold cdf_low, cdf_high; destruct (Qle_bool 0 x) eqn:x0.
  assert (r := positiveQ _ x0); split.
    rewrite Q2R_plus, Q2R_mult, half_ok, inverse by exact p'; apply (below _ (area_low x)); [now apply area_low_ge0|now apply area_low_ok].
  destruct (area_fits x) eqn:f; [|rewrite Q2R_1; apply far; exact r].
  rewrite Q2R_plus, Q2R_mult, half_ok, inverse by exact p; apply above; [now apply right_half|now apply area_high_ok].
destruct (neg eq_refl) as [y0 ->]; assert (r := positiveQ _ y0); split.
  destruct (area_fits (- x)) eqn:f; [|rewrite Q2R_0; destruct (far _ r); lra].
  rewrite Q2R_minus, Q2R_mult, half_ok, inverse by exact p.
  assert (a := above _ (area_high (- x)) (right_half _ r) (area_high_ok _ f)); unfold Rdiv in a; lra.
rewrite Q2R_minus, Q2R_mult, half_ok, inverse by exact p'.
assert (b := below (N (Q2R (- x))) (area_low (- x)) (area_low_ge0 _ y0) (area_low_ok _ y0)); unfold Rdiv in b; lra.
Qed.
(* N(mu/2 - eps/mu) - e^eps N(-mu/2 - eps/mu) <= delta *)
Definition normal_check (mu eps delta : Q) : bool :=
  let ratio := (eps * / mu)%Q in let half := (mu * (1 # 2))%Q in let taken := cdf_low (- half - ratio) in
  negb (Qle_bool mu 0) && Qle_bool (cdf_high (half - ratio) - exp_low (cuts e) (terms e) eps * (if Qle_bool 0 taken then taken else 0)) delta.
Theorem check_value mu eps delta : normal_check mu eps delta = true ->
  0 < Q2R mu /\ N (Q2R mu / 2 - Q2R eps / Q2R mu) - exp (Q2R eps) * N (- (Q2R mu / 2) - Q2R eps / Q2R mu) <= Q2R delta.
Proof.
unfold normal_check; cbv zeta; intro h; apply andb_prop in h; destruct h as [m h]; apply Bool.negb_true_iff in m; apply Qle_bool_iff, Qle_Rle in h.
assert (p : 0 < Q2R mu) by (rewrite <- Q2R_0; apply Qlt_Rlt, Qnot_le_lt; intro c; apply Qle_bool_iff in c; congruence).
split; [exact p|]; set (ratio := (eps * / mu)%Q) in *; set (half := (mu * (1 # 2))%Q) in *.
assert (rE : Q2R ratio = Q2R eps / Q2R mu) by (unfold ratio; rewrite Q2R_mult, inverse by exact p; reflexivity).
assert (hE : Q2R half = Q2R mu / 2) by (unfold half; rewrite Q2R_mult, half_ok; field).
destruct (cdf_value (half - ratio)) as [_ up]; destruct (cdf_value (- half - ratio)) as [lo _].
rewrite Q2R_minus, hE, rE in up; rewrite Q2R_minus, Q2R_opp, hE, rE in lo.
assert (el := exp_low_ok (cuts e) (terms e) eps); assert (ep := exp_pos (Q2R eps)).
rewrite Q2R_minus, Q2R_mult in h; set (taken := cdf_low (- half - ratio)) in *; set (NN := N (- (Q2R mu / 2) - Q2R eps / Q2R mu)) in *.
assert (t0 : 0 <= Q2R (if Qle_bool 0 taken then taken else 0%Q)) by (destruct (Qle_bool 0 taken) eqn:c; [now apply positiveQ|rewrite Q2R_0; lra]).
assert (n0 : 0 <= NN).
  unfold NN; destruct (Rle_dec 0 (- (Q2R mu / 2) - Q2R eps / Q2R mu)) as [c|c]; [assert (w := right_half _ c); lra|].
  rewrite <- (Ropp_involutive (_ - _)), mirrored; destruct (far (- (- (Q2R mu / 2) - Q2R eps / Q2R mu))); lra.
assert (tN : Q2R (if Qle_bool 0 taken then taken else 0%Q) <= NN) by (destruct (Qle_bool 0 taken); [exact lo|rewrite Q2R_0; exact n0]).
assert (Q2R (exp_low (cuts e) (terms e) eps) * Q2R (if Qle_bool 0 taken then taken else 0%Q) <= exp (Q2R eps) * NN); [|lra].
apply Rle_trans with (exp (Q2R eps) * Q2R (if Qle_bool 0 taken then taken else 0%Q)); [now apply Rmult_le_compat_r|apply Rmult_le_compat_l; lra].
Qed.
End Law.

(* sqrt(2 pi) = 2.50662827463100050241... *)
Definition z_low : Q := 250662827463100050241 # 100000000000000000000.
Definition z_high : Q := 250662827463100050242 # 100000000000000000000.
Lemma total_computed : total_ok (Effort 18 25 80) z_low z_high = true.
Proof. vm_cast_no_check (eq_refl true). Qed.
Theorem total_value (N : R -> R) (Z : R) :
  (forall a b, 0 <= a <= b -> (b - a) * q b <= Z * (N b - N a) <= (b - a) * q a) -> N 0 = 1 / 2 -> (forall x, 0 <= x -> 1 - q x / 2 <= N x <= 1) -> 0 < Z ->
  Q2R z_low <= Z <= Q2R z_high.
Proof. intros g m f p; exact (total_encloses N Z g m f p (Effort 18 25 80) z_low z_high total_computed). Qed.
