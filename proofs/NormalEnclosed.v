(* The normal law is enclosed by the series and by the continued fraction of NormalSeries.v, which are those of trusted/exact/src/normal.rs.

   Here is shown of the normal law what NormalSeries.v asks of a law: how it grows, its middle, its tail, and that it is symmetric.  NormalNumbers.v puts them together.
   Read: normal_growth, normal_half, normal_right, normal_mirrored. *)
From Probity Require Import PreludeIntegral Judgement Laws Density Continuous Logarithm SignedLog Gaussian Privacy Normal NormalTail.
Local Open Scope classical_set_scope.
Local Open Scope ring_scope.
Local Open Scope ereal_scope.

Section Normal.
Variable R : realType.
Notation T := (measurableTypeR R).
Let leb : {measure set T -> \bar R} := [the measure _ _ of @lebesgue_measure R].
Implicit Types (x y a b : R).
Let q := wp_ leb (gauss_w 0%R 1%R : T -> R).
Let Z := fine (wtotal leb (gauss_w 0%R 1%R : T -> R)).
Let q0 y : 0 <= (EFin \o q) y. Proof. by rewrite lee_fin; exact: q_ge0. Qed.
Lemma normal_between a b (h h' : R) : (a <= b)%R -> (0 <= h)%R -> (0 <= h')%R -> (forall y, (a < y <= b)%R -> (h <= q y <= h')%R) ->
  (h * (b - a) <= normal b - normal a <= h' * (b - a))%R.
Proof.
move=> ab h0 h'0 hq; apply/andP; split.
  rewrite ler_subr_addl -lee_fin EFinD !normal_int; apply: (le_trans _ (low_cut_ge (measurable_low a) (cutg_ge0 [set y | y <= b]%R q0))); apply: lee_add.
    apply: low_le => y; first exact: cutg_ge0.
    by rewrite /cutg; case: asboolP => // ya; rewrite asboolT//=; exact: le_trans ya ab.
  rewrite -int_oc//; apply: low_le => y; first by rewrite lee_fin mulr_ge0.
  rewrite indicE /cutg; have [|_] := boolP (y \in _); last by rewrite mulr0; case: ifP => // _; case: ifP.
  rewrite inE /= in_itv /= => /andP[ay yb]; rewrite mulr1 asboolT; last by rewrite /=; apply/negP; rewrite -ltNge.
  by rewrite asboolT//= lee_fin; have /andP[] := hq y (introT andP (conj ay yb)).
rewrite ler_subl_addl -lee_fin EFinD !normal_int.
apply: (le_trans (low_cut_le (measurable_low a) (cutg_ge0 [set y | y <= b]%R q0))); apply: lee_add.
  apply: low_le => y; first by do 2 apply: cutg_ge0 => ?.
  by rewrite /cutg; case: asboolP => // _; case: asboolP.
rewrite -(@int_oc R a b)//; apply: low_le => y; first by do 2 apply: cutg_ge0 => ?.
rewrite /cutg; case: asboolP => [/= ny|_]; last by rewrite lee_fin mulr_ge0.
case: asboolP => [/= yb|_]; last by rewrite lee_fin mulr_ge0.
have ay : (a < y)%R by rewrite ltNge; exact/negP.
rewrite indicE mem_set ?mulr1 ?lee_fin//=; last by rewrite in_itv /= ay yb.
by have /andP[] := hq y (introT andP (conj ay yb)).
Qed.
Let Z0 : (0 < Z)%R. Proof. by apply: lt_le_trans (Z_two R); rewrite ltr0n. Qed.
(* the total before it is divided, which is the square root of 2 pi *)
Definition whole : R := Z.
Lemma whole_two : (2 <= whole)%R. Proof. exact: Z_two. Qed.
(* between a and b it grows by e^(-y^2/2)/Z, which falls *)
Theorem normal_growth a b : (0 <= a)%R -> (a <= b)%R ->
  ((b - a) * expR (- (b ^+ 2 / 2)) <= whole * (normal b - normal a) <= (b - a) * expR (- (a ^+ 2 / 2)))%R.
Proof.
rewrite /whole => a0 ab; have fall x y : (0 <= x)%R -> (x <= y)%R -> (expR (- (y ^+ 2 / 2)) <= expR (- (x ^+ 2 / 2)) :> R)%R.
  move=> x0 xy; rewrite ler_expR ler_opp2; apply: ler_wpmul2r; first by rewrite invr_ge0.
  by rewrite ler_sqr ?nnegrE// (le_trans x0).
have e0 x : (0 <= expR (- (x ^+ 2 / 2)) / Z)%R by rewrite divr_ge0 ?expR_ge0// ltW.
have [|lo hi] := andP (@normal_between a b _ _ ab (e0 b) (e0 a) _).
  move=> y /andP[ay yb]; rewrite /q qE -/Z !ler_pdivr_mulr// !divfK ?gt_eqF//; apply/andP; split; apply: fall => //.
    by apply: (le_trans a0); exact: ltW.
  exact: ltW.
rewrite mulrAC ler_pdivr_mulr// in lo; rewrite mulrAC ler_pdivl_mulr// in hi.
by rewrite [(Z * _)%R]mulrC ![((b - a) * _)%R]mulrC lo hi.
Qed.
Let total : \int[leb]_y (EFin \o q) y = 1.
Proof.
rewrite -(@total_gaussian R 0%R 1%R)// /= /dev; apply: eq_integral => y _ /=; by rewrite mule1.
Qed.
Let qN y : q (- y)%R = q y. Proof. by rewrite /q !qE sqrrN. Qed.
Theorem normal_half : (normal (0 : R) = 2^-1)%R.
Proof.
have E : (normal (0 : R))%:E = \int[leb]_y cutg ([set y | y < 0]%R : set T) (EFin \o q) y := normal_negative R.
have : (normal (0 : R))%:E + (normal (0 : R))%:E = 1.
  rewrite -total (low_sides q0) E; congr (_ + _); rewrite -low_neg; last by move=> y; exact: cutg_ge0.
  by apply: eq_integral => y _; rewrite /cutg /= oppr_gt0 qN.
rewrite -EFinD => -[] h; have two : (2%:R : R) != 0%R by rewrite pnatr_eq0.
by apply: (mulIf two); rewrite mulVf// mulr_natr mulr2n h.
Qed.
Theorem normal_right x : (0 <= x)%R -> (1 - expR (- (x ^+ 2 / 2)) / 2 <= normal x <= 1)%R.
Proof.
move=> x0; apply/andP; split; last by rewrite -lee_fin -normalE; apply: law_le1 => y; [exact: below_ge0|exact: below_le1].
rewrite ler_subl_addr; apply: (@le_trans _ _ (normal x + normal (- x))%R); last by rewrite ler_add2l; exact: normal_far.
rewrite -lee_fin EFinD !normal_int -total; apply: (le_trans (low_cut_le (measurable_low x) q0)); rewrite lee_add2l//.
rewrite -low_neg; last by move=> y; exact: cutg_ge0.
apply: low_le => y; first exact: cutg_ge0.
rewrite /cutg; case: asboolP => [/= ny|_]; last by case: ifP => // _; exact: q0.
rewrite asboolT/=; first by rewrite qN.
by move/negP: ny; rewrite -ltNge ltr_oppr => /ltW.
Qed.
Theorem normal_mirrored x : (normal (- x) = 1 - normal x)%R.
Proof.
apply/eqP; rewrite eq_sym subr_eq eq_sym addrC; apply/eqP/EFin_inj; rewrite EFinD !normal_int -total.
pose B := ~` [set y | y <= x]%R : set T.
have E : \int[leb]_y cutg [set y | y <= - x]%R (EFin \o q) y = \int[leb]_y cutg B (EFin \o q) y.
  have -> : \int[leb]_y cutg B (EFin \o q) y = \int[leb]_y cutg [set y | y < - x]%R (EFin \o q) y.
    rewrite -low_neg; last by move=> y; exact: cutg_ge0.
    apply: eq_integral => y _; rewrite /cutg /B /= qN; congr (if _ then _ else _).
    by apply: asbool_equiv_eq; split=> [/negP|h]; [rewrite -ltNge ltr_oppr|apply/negP; rewrite -ltNge ltr_oppr].
  apply/eqP; rewrite eq_le; apply/andP; split; last first.
    by apply: low_le => y; [exact: cutg_ge0|rewrite /cutg; case: asboolP => [/= h|_]; [rewrite asboolT//=; exact: ltW|case: ifP]].
  (* a place has no mass *)
  apply: lee_adde => d; have hx := @normal_between (- x - d%:num)%R (- x)%R 0%R 2^-1%R.
  rewrite -normal_int.
  have up : (normal (- x) <= normal (- x - d%:num) + d%:num)%R.
    have [||||_ h] := andP (hx _ _ _ _); first by rewrite ler_subl_addr ler_addl.
    - exact: lexx.
    - by rewrite invr_ge0.
    - by move=> y _; rewrite q_ge0 q_half.
    rewrite ler_subl_addl in h; apply: (le_trans h); rewrite ler_add2l opprB addrCA subrr addr0 mulrC ler_pdivr_mulr// ler_pmulr//.
    by rewrite ler1n.
  apply: (@le_trans _ _ (normal (- x - d%:num) + d%:num)%:E); first by rewrite lee_fin.
  rewrite EFinD lee_add2r// normal_int; apply: low_le => y; first exact: cutg_ge0.
  rewrite /cutg; case: asboolP => [/= h|_]; last by case: ifP.
  by rewrite asboolT//= (le_lt_trans h)// ltr_subl_addr ltr_addl.
rewrite E; apply/eqP; rewrite eq_le; apply/andP; split; [exact: (low_cut_ge (measurable_low _) q0)|exact: (low_cut_le (measurable_low _) q0)].
Qed.
End Normal.
