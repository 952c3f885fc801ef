(* GDP-NORMAL at numbers (trusted/kernel/src/conversion.rs, normal): that delta(eps) of two normal laws mu deviations apart is at most a number, by computing with rational numbers.

   NormalEnclosed.v shows of the normal law what NormalSeries.v and NormalValues.v ask for; here they are put together, for Coq's real numbers.  Read: normal_series, normal_fraction, profile_value, gdp_value. *)
From Coq Require QArith_base.
From Probity Require Import PreludeReals Judgement Laws Density Continuous Gaussian Privacy Normal NormalTail NormalEnclosed Blocks Values NormalSeries NormalValues.
Open Scope R_scope.
Notation Q := QArith_base.Q.

Notation RR := real_realType.
Definition law_normal (x : R) : R := @normal RR x.
Definition law_total : R := NormalEnclosed.whole RR.
Let two : (2%:R : RR)%R = 2 :> R. Proof. by rewrite -INRE /=; lra. Qed.
Let half_square_E (x : R) : (- (((x : RR) ^+ 2) / 2%:R))%R = - (x * x / 2) :> R.
Proof. by rewrite two expr2 /Rdiv RinvE// gt_eqF//; exact/RltP/Rlt_0_2. Qed.
Let qE_ (x : R) : @expR RR (- (((x : RR) ^+ 2) / 2%:R))%R = q x.
Proof. by rewrite half_square_E -exp_expR. Qed.

Lemma law_positive : 0 < law_total.
Proof. by apply/RltP; apply: (@lt_le_trans _ _ (2 : RR)%R); [rewrite ltr0n|exact: whole_two]. Qed.
Lemma law_growth a b : 0 <= a <= b -> (b - a) * q b <= law_total * (law_normal b - law_normal a) <= (b - a) * q a.
Proof.
move=> [/RleP a0 /RleP ab]; have /andP[lo hi] := @normal_growth RR a b a0 ab.
by rewrite !qE_ in lo hi; split; exact/RleP.
Qed.
Lemma law_middle : law_normal 0 = 1 / 2.
Proof. by rewrite /law_normal normal_half two /Rdiv Rmult_1_l RinvE// gt_eqF//; exact/RltP/Rlt_0_2. Qed.
Lemma law_far x : 0 <= x -> 1 - q x / 2 <= law_normal x <= 1.
Proof.
move=> /RleP x0; have /andP[lo hi] := @normal_right RR x x0; rewrite qE_ two in lo; split; last exact/RleP.
by apply/RleP; rewrite /Rdiv RinvE//; rewrite gt_eqF//; exact/RltP/Rlt_0_2.
Qed.
Lemma law_mirrored x : law_normal (- x) = 1 - law_normal x.
Proof. exact: (@normal_mirrored RR x). Qed.

(* the series, and the fraction *)
Theorem normal_series n x C : 0 <= x -> 0 <= C -> 1 <= C * (1 - x * x / (2 * INR n + 3)) ->
  q x * series n x <= law_total * (law_normal x - 1 / 2) <= q x * (series n x + C * term (S n) x).
Proof.
move=> x0 C0 C1; split; first exact: (@series_low _ _ law_growth law_middle).
exact: (@series_high _ _ law_growth law_middle).
Qed.
Theorem normal_fraction n x : 0 < x ->
  q x * (cfP (2 * n) x / cfQ (2 * n) x) <= law_total * (1 - law_normal x) <= q x * (cfP (S (2 * n)) x / cfQ (S (2 * n)) x).
Proof.
move=> x0; split; first exact: (@fraction_low _ _ law_growth law_far law_positive).
exact: (@fraction_high _ _ law_growth law_far law_positive).
Qed.
(* the square root of 2 pi, to twenty digits *)
Theorem normal_total : Q2R z_low <= law_total <= Q2R z_high.
Proof. exact: (@total_value _ _ law_growth law_middle law_far law_positive). Qed.

Theorem profile_value e mu eps delta : normal_check e z_low z_high mu eps delta = true -> @profile RR (Q2R mu) (Q2R eps) <= Q2R delta /\ 0 < Q2R mu.
Proof.
move=> ok; have [mu0 H] := @check_value _ _ law_growth law_middle law_far law_positive law_mirrored e z_low z_high normal_total erefl mu eps delta ok.
split=> //; apply: Rle_trans H; right; rewrite /profile two exp_expR.
have d (x : R) : (x / (2 : R))%R = x / 2 :> R by rewrite /Rdiv RinvE// gt_eqF//; exact/RltP/Rlt_0_2.
have m (x : R) : ((x : RR) / (Q2R mu : RR))%R = x / Q2R mu :> R by rewrite /Rdiv RinvE// gt_eqF//; exact/RltP.
by rewrite d m.
Qed.
(* GDP-NORMAL: mu-GDP is (eps, delta)-privacy *)
Theorem gdp_value (S O : Type) (out : S -> O) (c : stmt RR S) e (mu eps delta : Q) x y z m m' : normal_check e z_low z_high mu eps delta = true ->
  Q2R mu = x -> Q2R eps = y -> Q2R delta = z -> @gdp RR S O out c x m m' -> @dp RR S O out c y z m m'.
Proof.
move=> ok <- <- <- G; have [le mu0] := profile_value ok; apply: (gdp_normal G).
by rewrite /normal_delta ifT; [exact/RleP|exact/RltP].
Qed.
(* two normal laws one deviation apart at eps = 1: 0.12693673750664397... (the example of the Rust function) *)
Example one_apart : normal_check (Effort 2 20 40) z_low z_high (fraction 1 1) (fraction 1 1) (fraction 126936737506644 1000000000000000) = true.
Proof. vm_cast_no_check (erefl true). Qed.
Example one_apart_no : normal_check (Effort 2 20 40) z_low z_high (fraction 1 1) (fraction 1 1) (fraction 1269367375066439 10000000000000000) = false.
Proof. vm_cast_no_check (erefl false). Qed.
