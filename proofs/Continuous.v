(* The continuous laws of the language, normalised, and their sampling rules (trusted/kernel/src/rules/sampling.rs): LAPGEN (lapgen),
   the selective shift (select), EXPGEN (expgen), AXUNIF (scale), UP-TO-BAD for the tails of a Laplace draw (up_to_tail).

   A law acts on all tests, by the lower integral, which is the integral on measurable ones (Density.v).  Outside
   its range (scale > 0) a law has weight 0 and no mass; inside it the law is normalised (the theorems total_...). *)
From Probity Require Import PreludeIntegral Judgement Laws Sampling Density.
From Probity Require Rules.
Local Open Scope classical_set_scope.
Local Open Scope ring_scope.
Local Open Scope ereal_scope.

Section Continuous.
Variable R : realType.
Notation T := (measurableTypeR R).
Notation star := Rules.star.
Let leb : {measure set T -> \bar R} := [the measure _ _ of @lebesgue_measure R].

(* ---- sets of the line ---- *)
Lemma mindic (E : set T) : measurable E -> measurable_fun setT (\1_E : T -> R).
Proof. by move=> mE; rewrite (_ : \1_E = indic_nnsfun R mE)//; exact: measurable_funP. Qed.
Lemma mray_ge (a : R) : measurable ([set y | a <= y]%R : set T).
Proof. by rewrite (_ : mkset _ = `[a, +oo[%classic) ?set_itvE//; [exact: measurable_itv|apply/seteqP; split=> y /=; rewrite in_itv /= andbT]. Qed.
Lemma mray_gt (a : R) : measurable ([set y | a < y]%R : set T).
Proof. by rewrite (_ : mkset _ = `]a, +oo[%classic) ?set_itvE//; [exact: measurable_itv|apply/seteqP; split=> y /=; rewrite in_itv /= andbT]. Qed.
Definition above_set (strict : bool) (t : R) : set T := if strict then [set y | t < y]%R else [set y | t <= y]%R.
Lemma mabove strict t : measurable (above_set strict t).
Proof. by rewrite /above_set; case: strict; [exact: mray_gt|exact: mray_ge]. Qed.

(* g restricted to A, as a test *)
Definition cutg (A : set T) (g : T -> \bar R) (y : T) := if `[< A y >] then g y else 0.
Lemma cutg_ge0 A g : (forall y, 0 <= g y) -> forall y, 0 <= cutg A g y.
Proof. by move=> g0 y; rewrite /cutg; case: ifP. Qed.
Lemma cutg_meas A g : measurable A -> measurable_fun setT g -> measurable_fun setT (cutg A g).
Proof.
move=> mA mg; rewrite (_ : cutg A g = fun y => (\1_A y)%:E * g y); last first.
  apply/funext => y; rewrite /cutg indicE; case: asboolP => Ay; first by rewrite mem_set// mul1e.
  by rewrite memNset// mul0e.
by apply: emeasurable_funM => //; apply/EFin_measurable_fun; exact: mindic.
Qed.
Lemma low_cut_le A g : measurable A -> (forall y, 0 <= g y) ->
  \int[leb]_y g y <= \int[leb]_y cutg A g y + \int[leb]_y cutg (~` A) g y.
Proof.
move=> mA g0; apply: low_ub => // h mh h0 hg.
have -> : \int[leb]_y h y = \int[leb]_y cutg A h y + \int[leb]_y cutg (~` A) h y.
  rewrite -ge0_integralD//; last first.
  - by apply: cutg_meas => //; exact: measurableC.
  - by move=> y _; exact: cutg_ge0.
  - exact: cutg_meas.
  - by move=> y _; exact: cutg_ge0.
  apply: eq_integral => y _; rewrite /cutg; case: asboolP => Ay; case: asboolP => nAy //; rewrite ?adde0 ?add0e//.
by apply: lee_add; apply: low_le => y; rewrite /cutg; case: ifP.
Qed.
Lemma low_cut_ge A g : measurable A -> (forall y, 0 <= g y) ->
  \int[leb]_y cutg A g y + \int[leb]_y cutg (~` A) g y <= \int[leb]_y g y.
Proof.
move=> mA g0; have i0 B : 0 <= \int[leb]_y cutg B g y by apply: integral_ge0 => y _; exact: cutg_ge0.
have le B : \int[leb]_y cutg B g y <= \int[leb]_y g y.
  by apply: low_le => y; [exact: cutg_ge0|rewrite /cutg; case: ifP].
have [Eoo|] := eqVneq (\int[leb]_y g y) +oo; first by rewrite Eoo leey.
rewrite -ltey => Gfin.
have fin B : \int[leb]_y cutg B g y \is a fin_num by rewrite ge0_fin_numE//; exact: le_lt_trans Gfin.
rewrite -lee_subr_addr//; apply: low_ub => [y|h mh h0 hg]; first exact: cutg_ge0.
have hfin : \int[leb]_y h y \is a fin_num.
  rewrite ge0_fin_numE; last by apply: integral_ge0 => y _.
  by apply: (le_lt_trans (low_le _ _ hg)) => //; exact: (le_lt_trans (le A) Gfin).
rewrite lee_subr_addr// addeC -lee_subr_addr//; apply: low_ub => [y|h' mh' h0' hg']; first exact: cutg_ge0.
rewrite lee_subr_addr// -ge0_integralD//; apply: low_le => y; first exact: adde_ge0.
have := hg y; have := hg' y; rewrite /cutg; case: asboolP => nAy; case: asboolP => Ay //.
- by move=> A1 A2; have -> : h y = 0 by [apply/eqP; rewrite eq_le A2 h0]; rewrite adde0.
- by move=> A1 A2; have -> : h' y = 0 by [apply/eqP; rewrite eq_le A1 h0']; rewrite add0e.
Qed.

Lemma low_shift (k : R) (g : T -> \bar R) : (forall x, 0 <= g x) ->
  \int[leb]_x g (x + k)%R = \int[leb]_x g x.
Proof.
move=> g0; apply/eqP; rewrite eq_le low_shift_le//=.
apply: le_trans (@low_shift_le _ (- k)%R (fun x => g (x + k)%R) _) => //.
by apply: low_le => // x; rewrite subrK.
Qed.

Lemma int_box (a b c : R) : (0 <= c)%R -> (a <= b)%R ->
  \int[leb]_y (c * \1_(`[a, b]%classic : set T) y)%:E = (c * (b - a))%:E.
Proof.
move=> c0 ab; under eq_integral do rewrite EFinM.
rewrite low_scale//; last by move=> y; rewrite lee_fin.
rewrite integral_indic//; last exact: measurable_itv.
rewrite setIT /leb /= lebesgue_measure_itv hlength_itv /= lte_fin EFinM; congr (_ * _).
by move: ab; rewrite le_eqVlt => /orP[/eqP ->|->]; rewrite ?ltxx ?subrr.
Qed.

(* ---- the weights ---- *)
Definition lap_w (e b : R) (y : T) : R := if (0 < b)%R then expR (- (`|(y : R) - e| / b))%R else 0%R.
Definition exp_w (b : R) (y : T) : R := (lap_w 0 b y * \1_([set y | 0 <= y]%R : set T) y)%R.
Definition uni_w (y : T) : R := \1_(`]0%R, 1%R]%classic : set T) y.
Lemma lap_w0 e b y : (0 <= lap_w e b y)%R.
Proof. by rewrite /lap_w; case: ifP => // _; exact: expR_ge0. Qed.
Lemma exp_w0 b y : (0 <= exp_w b y)%R. Proof. by rewrite mulr_ge0// lap_w0. Qed.
Lemma uni_w0 y : (0 <= uni_w y)%R. Proof. by []. Qed.
Lemma lap_w_meas e b : measurable_fun setT (lap_w e b).
Proof.
rewrite /lap_w; case: (0 < b)%R; last exact: measurable_fun_cst.
have mexp : measurable_fun setT (@expR R : T -> T).
  by apply: continuous_measurable_fun; exact: continuous_expR.
apply: (measurable_fun_comp mexp).
rewrite (_ : (fun y => _) = (fun y => (- b^-1) * `|y - e|)%R); last first.
  by apply/funext => y; rewrite mulNr mulrC.
apply: measurable_funrM; apply: (measurable_fun_comp (@measurable_fun_normr R setT)).
exact: mshift.
Qed.
Lemma exp_w_meas b : measurable_fun setT (exp_w b).
Proof. by apply: measurable_funM; [exact: lap_w_meas|apply: mindic; exact: mray_ge]. Qed.
Lemma uni_w_meas : measurable_fun setT uni_w.
Proof. by apply: mindic; exact: measurable_itv. Qed.

Definition laplace (e b : R) : law R T := wdlaw leb (lap_w0 e b) (lap_w_meas e b).
Definition exponential (b : R) : law R T := wdlaw leb (exp_w0 b) (exp_w_meas b).
Definition uniform : law R T := wdlaw leb uni_w0 uni_w_meas.

(* ---- the laws are normalised ---- *)
Lemma lap_total e b : wtotal leb (lap_w e b) = wtotal leb (lap_w 0 b).
Proof.
rewrite /wtotal -(@low_shift (- e)%R (fun y => (lap_w 0 b y)%:E)).
  by apply: eq_integral => y _; rewrite /lap_w subr0.
by move=> y; rewrite lee_fin lap_w0.
Qed.
Lemma lap_finite e b : (0 < b)%R -> wtotal leb (lap_w e b) < +oo.
Proof.
move=> b0; rewrite lap_total /wtotal; pose z := expR (- b^-1).
have z0 : (0 <= z)%R := expR_ge0 _.
pose f n (y : T) : \bar R := (z ^+ n * \1_(`[n%:R, n.+1%:R]%classic : set T) y)%:E +
  (z ^+ n * \1_(`[- n.+1%:R, - n%:R]%classic : set T) y)%:E.
have f0 n y : 0 <= f n y by rewrite adde_ge0// lee_fin mulr_ge0// exprn_ge0.
have mf n : measurable_fun setT (f n).
  apply: emeasurable_funD; apply/EFin_measurable_fun; apply: measurable_funrM; apply: mindic; exact: measurable_itv.
apply: (@le_lt_trans _ _ (\int[leb]_y \sum_(n <oo) f n y)).
  apply: low_le => y; first by rewrite lee_fin lap_w0.
  pose n := `|floor `|y| |%N.
  have nf : (n%:R = (floor `|y|)%:~R :> R)%R.
    by rewrite /n natr_absz ger0_norm// floor_ge0.
  have n1 : (n%:R <= `|y|)%R by rewrite nf -RfloorE Rfloor_le.
  have n2 : (`|y| <= n.+1%:R)%R by rewrite -addn1 natrD nf -RfloorE; exact: ltW (lt_succ_Rfloor _).
  apply: (@le_trans _ _ (f n y)); last first.
    have := @nneseries_lim_ge R (f^~ y) xpredT n.+1 (fun i _ => f0 i y).
    apply: le_trans; rewrite big_nat_recr//= lee_addr//; apply: sume_ge0 => i _; exact: f0.
  have le1' : (lap_w 0 b y <= z ^+ n)%R.
    by rewrite /lap_w b0 subr0 /z -expR_pow ler_expR mulNrn ler_opp2 -mulr_natl; apply: ler_wpmul2r => //; rewrite invr_ge0 ltW.
  rewrite /f; have [y0|y0] := leP 0%R y.
    rewrite ger0_norm// in n1 n2; rewrite indicE mem_set; last by rewrite /= in_itv /= n1 n2.
    apply: lee_paddr; first by rewrite lee_fin mulr_ge0// exprn_ge0.
    by rewrite mulr1 lee_fin.
  rewrite ltr0_norm// in n1 n2; rewrite addeC [X in (_ * X)%R%:E + _]indicE mem_set; last first.
    by rewrite /= in_itv /= ler_oppl n2 ler_oppr n1.
  apply: lee_paddr; first by rewrite lee_fin mulr_ge0// exprn_ge0.
  by rewrite mulr1 lee_fin.
rewrite integral_nneseries//.
apply: (@le_lt_trans _ _ (\sum_(n <oo) (2%:E * (z ^+ n)%:E))).
  apply: lee_nneseries => n _; first by apply: integral_ge0 => y _; exact: f0.
  rewrite /f ge0_integralD//; last first.
  - by apply/EFin_measurable_fun; apply: measurable_funrM; apply: mindic; exact: measurable_itv.
  - by move=> y _; rewrite lee_fin mulr_ge0// exprn_ge0.
  - by apply/EFin_measurable_fun; apply: measurable_funrM; apply: mindic; exact: measurable_itv.
  - by move=> y _; rewrite lee_fin mulr_ge0// exprn_ge0.
  have n1 : (n.+1%:R - n%:R = 1 :> R)%R by rewrite -addn1 natrD addrAC subrr add0r.
  rewrite !int_box ?exprn_ge0 ?ler_opp2 ?ler_nat// opprK [(- n%:R + _)%R]addrC n1 mulr1.
  by rewrite -EFinD -EFinM lee_fin mulrDl mul1r.
rewrite nneseriesrM; last by move=> n _; rewrite lee_fin exprn_ge0.
have zr : (0 <= z < 1)%R by exact: ratio_lt1.
have := geometric_sum zr; rewrite -(_ : [set x | xpredT x] = [set: nat]); last by apply/seteqP; split.
rewrite -nneseries_esum; last by move=> n _; rewrite lee_fin exprn_ge0.
move=> H; apply: (@le_lt_trans _ _ (2%:E * (1 - z)^-1%:E)); last by rewrite -EFinM ltry.
by apply: lee_wpmul2l H; rewrite lee_fin.
Qed.
Lemma exp_le_lap b y : (exp_w b y <= lap_w 0 b y)%R.
Proof. by rewrite /exp_w indicE -[leRHS]mulr1; apply: ler_wpmul2l; rewrite ?lap_w0// lern1 leq_b1. Qed.
Lemma exp_finite b : (0 < b)%R -> wtotal leb (exp_w b) < +oo.
Proof.
move=> b0; apply: le_lt_trans (lap_finite 0 b0); apply: low_le => y; rewrite lee_fin ?exp_w0//.
exact: exp_le_lap.
Qed.
Lemma exp_positive b : (0 < b)%R -> 0 < wtotal leb (exp_w b).
Proof.
move=> b0; apply: (@lt_le_trans _ _ (expR (- b^-1) * (1 - 0))%:E).
  by rewrite lte_fin subr0 mulr1 expR_gt0.
rewrite -int_box ?expR_ge0 ?ler01//; apply: low_le => y; first by rewrite lee_fin mulr_ge0// expR_ge0.
rewrite lee_fin indicE; have [|_] := boolP (y \in _); last by rewrite mulr0 exp_w0.
rewrite inE /= in_itv /= => /andP[y0 y1]; rewrite mulr1 /exp_w indicE mem_set// mulr1 /lap_w b0 subr0 ler_expR ler_opp2.
by rewrite ger0_norm// ler_pdivr_mulr// mulVf ?gt_eqF.
Qed.
Lemma lap_positive e b : (0 < b)%R -> 0 < wtotal leb (lap_w e b).
Proof.
move=> b0; rewrite lap_total; apply: (lt_le_trans (exp_positive b0)).
by apply: low_le => y; rewrite lee_fin ?exp_w0// exp_le_lap.
Qed.
Theorem total_laplace e b : (0 < b)%R -> laplace e b (fun=> 1) = 1.
Proof. by move=> b0; apply: wdlaw_total; [exact: lap_positive|exact: lap_finite]. Qed.
Theorem total_exponential b : (0 < b)%R -> exponential b (fun=> 1) = 1.
Proof. by move=> b0; apply: wdlaw_total; [exact: exp_positive|exact: exp_finite]. Qed.
Lemma uni_total : wtotal leb uni_w = 1.
Proof.
rewrite /wtotal /uni_w integral_indic//; last exact: measurable_itv.
by rewrite setIT /leb /= lebesgue_measure_itv hlength_itv /= lte_fin ltr01 oppr0 adde0.
Qed.
Theorem total_uniform : uniform (fun=> 1) = 1.
Proof. by apply: wdlaw_total; rewrite uni_total ?lte01// ltry. Qed.

(* supports *)
Theorem full_exponential b : full (exponential b) (fun y => 0 <= y)%R.
Proof. by apply: wdlaw_full => y ny; rewrite /exp_w indicE memNset ?mulr0. Qed.
Theorem full_uniform : full uniform (fun y => 0 < y <= 1)%R.
Proof. by apply: wdlaw_full => y ny; rewrite /uni_w indicE memNset// => /=; rewrite in_itv. Qed.

(* ---- LAPGEN ---- *)
Lemma lap_shift (e e' k b c : R) (y : T) : (0 < b)%R -> (`|k + e - e'| <= c * b)%R ->
  (wp_ leb (lap_w e b) y * expR (- c) <= wp_ leb (lap_w e' b) (y + k)%R)%R.
Proof.
move=> b0 Hc; rewrite /wp_ (lap_total e) (lap_total e') mulrAC; apply: ler_wpmul2r.
  by rewrite invr_ge0 fine_ge0//; apply: wtotal_ge0 => x; exact: lap_w0.
rewrite /lap_w b0 -expRD ler_expR -opprD ler_opp2.
rewrite ler_pdivr_mulr// mulrDl divfK ?gt_eqF//.
apply: (@le_trans _ _ (`|y - e| + `|k + e - e'|)%R); last by rewrite ler_add2l.
rewrite (_ : y + k - e' = (y - e) + (k + e - e'))%R; first exact: ler_norm_add.
by ring.
Qed.
Lemma lap_p0 e b y : (0 <= wp_ leb (lap_w e b) y)%R.
Proof. by apply: wp_ge0_ => x; exact: lap_w0. Qed.

Section Rules.
Variables (S : Type) (center scale_of : S -> R) (u : S -> R -> S) (Psi : assn R S).
(* scale = scale' > 0 and |k + center - center'| <= c * scale *)
Definition ctranslation (k c : S -> S -> R -> R) s s' (j : R) :=
  [/\ 0 < scale_of s, scale_of s = scale_of s' &
      `|k s s' j + center s - center s'| <= c s s' j * scale_of s]%R.

(* y' = y + k above the threshold, y + k' below *)
Lemma star_select strict (e e' b t ka kb ca cb : R) : (0 < b)%R -> (kb <= ka)%R ->
  (`|ka + e - e'| <= ca * b)%R -> (`|kb + e - e'| <= cb * b)%R ->
  let up y := `[< above_set strict t y >] in
  star (laplace e b) (laplace e' b) (fun=> True)
    (fun y => if up y then y + ka else y + kb)%R (fun y => if up y then ca else cb).
Proof.
move=> b0 kk Ha Hb up f F f0 F0 HfF; rewrite /= /dev.
pose A := above_set strict t; have mA : measurable A := mabove strict t.
pose A' := above_set strict (t + ka)%R; have mA' : measurable A' := mabove strict (t + ka)%R.
pose g y := (wp_ leb (lap_w e b) y)%:E * f y.
pose G y := (wp_ leb (lap_w e' b) y)%:E * F y.
have g0 y : 0 <= g y by rewrite mule_ge0// lee_fin lap_p0.
have G0 y : 0 <= G y by rewrite mule_ge0// lee_fin lap_p0.
have step k c y : (`|k + e - e'| <= c * b)%R -> f y <= (expR (- c))%:E * F (y + k)%R -> g y <= G (y + k)%R.
  move=> Hk Hf; apply: (@le_trans _ _ ((wp_ leb (lap_w e b) y)%:E * ((expR (- c))%:E * F (y + k)%R))).
    by apply: lee_wpmul2l => //; rewrite lee_fin lap_p0.
  by rewrite muleA -EFinM; apply: lee_wpmul2r => //; rewrite lee_fin; exact: lap_shift.
apply: (le_trans (low_cut_le mA g0)); apply: le_trans (low_cut_ge mA' G0); apply: lee_add.
  rewrite -(@low_shift ka _ (cutg_ge0 _ G0)); apply: low_le => y; first exact: cutg_ge0.
  rewrite /cutg; case: asboolP => Ay; last by case: ifP.
  rewrite asboolT; last by move: Ay; rewrite /A /A' /above_set; case: (strict) => /=; rewrite ?ltr_add2r ?ler_add2r.
  by apply: (step _ ca) => //; have := HfF y I; rewrite /up asboolT.
rewrite -(@low_shift kb _ (cutg_ge0 _ G0)); apply: low_le => y; first exact: cutg_ge0.
rewrite /cutg; case: asboolP => nAy; last by case: ifP.
have nA : ~ A y by [].
rewrite asboolT; last first.
  move: nA; rewrite /A /A' /above_set; case: (strict) => /= nA; apply/negP; move/negP: nA.
    by rewrite -!leNgt => yt; rewrite (le_trans (_ : y + kb <= t + kb)%R) ?ler_add2r// ler_add2l.
  by rewrite -!ltNge => yt; rewrite (lt_le_trans (_ : y + kb < t + kb)%R) ?ltr_add2r// ler_add2l.
by apply: (step _ cb) => //; have := HfF y I; rewrite /up asboolF.
Qed.

Theorem select strict (t ka kb ca cb : S -> S -> R -> R) :
  judge 0 (Draw (fun s => laplace (center s) (scale_of s)) u)
    (fun s s' j => [/\ ctranslation ka ca s s' j, ctranslation kb cb s s' j,
       (kb s s' j <= ka s s' j)%R &
       forall y, (above_set strict (t s s' j) y -> Psi (u s y) (u s' (y + ka s s' j)%R) (j + ca s s' j)%R) /\
                 (~ above_set strict (t s s' j) y -> Psi (u s y) (u s' (y + kb s s' j)%R) (j + cb s s' j)%R)])
    Psi.
Proof.
apply: Rules.sample => m m' j [[b0 bb Ha] [_ _ Hb] kk HP].
pose up y := `[< above_set strict (t m m' j) y >].
exists (fun=> True), (fun y => if up y then y + ka m m' j else y + kb m m' j)%R,
  (fun y => if up y then ca m m' j else cb m m' j); split; last first.
  by move=> y _; rewrite /up; case: asboolP => h; [exact: (HP y).1|exact: (HP y).2].
by rewrite -bb; exact: star_select.
Qed.

Theorem lapgen (k c : S -> S -> R -> R) :
  judge 0 (Draw (fun s => laplace (center s) (scale_of s)) u)
    (fun s s' j => ctranslation k c s s' j /\
       forall y, Psi (u s y) (u s' (y + k s s' j)%R) (j + c s s' j)%R) Psi.
Proof.
have J := @select true (fun _ _ _ => 0%R) k k c c.
apply: Rules.strengthen J => s s' j [tr HP].
by split=> // y; split=> _; exact: HP.
Qed.

(* EXPGEN: 0 <= k <= c * scale, y >= 0 *)
Theorem expgen (k c : S -> S -> R -> R) :
  judge 0 (Draw (fun s => exponential (scale_of s)) u)
    (fun s s' j => [/\ (0 < scale_of s)%R, scale_of s = scale_of s', (0 <= k s s' j)%R,
       (k s s' j <= c s s' j * scale_of s)%R &
       forall y, (0 <= y)%R -> Psi (u s y) (u s' (y + k s s' j)%R) (j + c s s' j)%R]) Psi.
Proof.
apply: Rules.sample => m m' j [b0 bb k0 kc HP].
exists (fun y => 0 <= y)%R, (fun y => y + k m m' j)%R, (fun=> c m m' j); split=> //; rewrite -bb.
move: {HP bb} (k m m' j) (c m m' j) (scale_of m) b0 k0 kc => {}k {}c b b0 k0 kc f F f0 F0 HfF; rewrite /= /dev.
have p0 y : (0 <= wp_ leb (exp_w b) y)%R by apply: wp_ge0_ => x; exact: exp_w0.
apply: le_trans (@low_shift_le _ k (fun y => (wp_ leb (exp_w b) y)%:E * F y) _); last first.
  by move=> y; rewrite mule_ge0// lee_fin.
apply: low_le => y; first by rewrite mule_ge0// lee_fin.
have [y0|y0] := leP 0%R y; last first.
  by rewrite {1}/wp_ /exp_w indicE memNset ?mulr0 ?mul0r ?mul0e ?mule_ge0 ?lee_fin//= ; apply/negP; rewrite -ltNge.
apply: (@le_trans _ _ ((wp_ leb (exp_w b) y)%:E * ((expR (- c))%:E * F (y + k)%R))).
  by apply: lee_wpmul2l; [rewrite lee_fin|exact: HfF].
rewrite muleA -EFinM; apply: lee_wpmul2r => //; rewrite lee_fin /wp_ mulrAC; apply: ler_wpmul2r.
  by rewrite invr_ge0 fine_ge0//; apply: wtotal_ge0 => x; exact: exp_w0.
have yk : (0 <= y + k)%R by rewrite addr_ge0.
rewrite /exp_w !indicE !mem_set// !mulr1 /lap_w b0 -expRD ler_expR -opprD ler_opp2 !subr0 !ger0_norm//.
by rewrite ler_pdivr_mulr// mulrDl divfK ?gt_eqF// ler_add2l.
Qed.

(* AXUNIF: c >= 0, u' = e^-c u *)
Theorem scale (c : S -> S -> R -> R) :
  judge 0 (Draw (fun=> uniform) u)
    (fun s s' j => (0 <= c s s' j)%R /\
       forall y, (0 < y <= 1)%R -> Psi (u s y) (u s' (expR (- c s s' j) * y)%R) (j + c s s' j)%R) Psi.
Proof.
apply: Rules.sample => m m' j [c0 HP].
exists (fun y => 0 < y <= 1)%R, (fun y => expR (- c m m' j) * y)%R, (fun=> c m m' j); split=> //.
move: {HP} (c m m' j) c0 => {}c c0 f F f0 F0 HfF; rewrite /= /dev.
have p0 y : (0 <= wp_ leb uni_w y)%R by apply: wp_ge0_ => x; exact: uni_w0.
have ec : (0 < expR (- c))%R := expR_gt0 _.
pose G y := (wp_ leb uni_w y)%:E * F y.
have G0 y : 0 <= G y by rewrite mule_ge0// lee_fin.
apply: (@le_trans _ _ ((expR (- c))%:E * \int[leb]_y G (expR (- c) * y)%R)); last first.
  have := lee_wpmul2l (_ : 0 <= (expR (- c))%:E) (low_dilate_le ec G0); rewrite lee_fin => /(_ (ltW ec)).
  by rewrite muleA -EFinM mulfV ?gt_eqF// mul1e.
rewrite -low_scale ?(ltW ec)//; apply: low_le => y; first by rewrite mule_ge0// lee_fin.
have [yr|nyr] := boolP (0 < y <= 1)%R; last first.
  have -> : wp_ leb uni_w y = 0%R.
    by rewrite /wp_ /uni_w indicE memNset ?mul0r//= in_itv /=; exact/negP.
  by rewrite mul0e mule_ge0// lee_fin ltW.
have e1 : (0 < expR (- c) * y <= 1)%R.
  have ec1 : (expR (- c) <= 1)%R by rewrite -[leRHS]expR0 ler_expR oppr_le0.
  move/andP: yr => [y0 y1]; rewrite mulr_gt0//=; apply: (le_trans _ y1).
  by rewrite -[leRHS]mul1r; apply: ler_wpmul2r => //; exact: ltW.
rewrite /G /wp_ /uni_w uni_total !indicE !mem_set /= ?in_itv//= invr1 !mul1r !mul1e.
exact: HfF.
Qed.

(* UP-TO-BAD: the draws with |y - e| > t are given up; their mass is at most e^(-t/b).  b and t are the same in both runs *)
Lemma tail_mass (e b t : R) : (0 < b)%R -> (0 <= t)%R ->
  laplace e b (fun y => if (`|y - e| <= t)%R then 0 else 1) <= (expR (- (t / b)))%:E.
Proof.
move=> b0 t0; rewrite /= /dev; set p := wp_ leb (lap_w e b).
have p0 y : (0 <= p y)%R := lap_p0 e b y.
have mp : measurable_fun setT (EFin \o p).
  by apply/EFin_measurable_fun; apply: wp_meas; exact: lap_w_meas.
pose up := [set y | e < y]%R : set T; pose dn := [set y | y < e]%R : set T.
have mup : measurable up := mray_gt e.
have mdn : measurable dn.
  rewrite (_ : dn = ~` [set y | e <= y]%R); first by apply: measurableC; exact: mray_ge.
  by apply/seteqP; split=> y; rewrite /dn /= => h; [apply/negP; rewrite -ltNge|rewrite ltNge; exact/negP].
have pE k y : (p y = p (y + k) * expR ((`|y + k - e| - `|y - e|) / b))%R.
  rewrite /p /wp_ /lap_w b0 mulrAC -expRD; congr (expR _ / _)%R; by rewrite mulrBl addrA addNr add0r.
have c0 A y : 0 <= cutg A (EFin \o p) y by apply: cutg_ge0 => x; rewrite lee_fin.
apply: (@le_trans _ _ (\int[leb]_y ((expR (- (t / b)))%:E * (cutg up (EFin \o p) (y + (- t))%R + cutg dn (EFin \o p) (y + t)%R)))).
  apply: low_le => y; first by rewrite mule_ge0// ?lee_fin//; case: ifP => _; rewrite ?lee01.
  case: ifPn => [_|]; first by rewrite mule0 mule_ge0 ?lee_fin ?expR_ge0// adde_ge0.
  rewrite mule1 -ltNge => yt; have [ye|ye] := leP e y.
    rewrite ger0_norm ?subr_ge0// in yt; have yt' : (e < y - t)%R by rewrite ltr_subr_addl -ltr_subr_addr.
    apply: (@le_trans _ _ ((expR (- (t / b)))%:E * (p (y - t)%R)%:E)).
      rewrite -EFinM lee_fin (pE (- t)%R y) mulrC; apply: ler_wpmul2r => //.
      rewrite ler_expR (ger0_norm (_ : 0 <= y - t - e)%R) ?subr_ge0 ?(ltW yt')// ger0_norm ?subr_ge0//.
      by rewrite addrAC addrAC opprB addrA subrK addrAC subrr add0r mulNr.
    apply: lee_wpmul2l; first by rewrite lee_fin expR_ge0.
    by rewrite {1}/cutg asboolT//; apply: lee_paddr.
  rewrite ltr0_norm ?subr_lt0// in yt; have yt' : (y + t < e)%R by rewrite -ltr_subr_addl; move: yt; rewrite opprB.
  apply: (@le_trans _ _ ((expR (- (t / b)))%:E * (p (y + t)%R)%:E)).
    rewrite -EFinM lee_fin (pE t y) mulrC; apply: ler_wpmul2r => //.
    rewrite ler_expR (ltr0_norm (_ : y + t - e < 0)%R) ?subr_lt0// ltr0_norm ?subr_lt0//.
    by rewrite opprK opprB addrC addrA subrK opprD addrA subrr add0r mulNr.
  apply: lee_wpmul2l; first by rewrite lee_fin expR_ge0.
  by rewrite addeC {1}/cutg asboolT//; apply: lee_paddr.
have mc A : measurable A -> measurable_fun setT (cutg A (EFin \o p)) by move=> mA; exact: cutg_meas.
rewrite low_scale ?expR_ge0//; last by move=> y; rewrite adde_ge0.
rewrite -[leRHS]mule1; apply: lee_wpmul2l; first by rewrite lee_fin expR_ge0.
rewrite ge0_integralD//; last first.
- exact: (measurable_fun_comp (mc _ mdn) (mshift t)).
- exact: (measurable_fun_comp (mc _ mup) (mshift (- t)%R)).
rewrite (low_shift (- t)%R (c0 up)) (low_shift t (c0 dn)).
rewrite -ge0_integralD//; [|exact: mc|exact: mc].
apply: (@le_trans _ _ (\int[leb]_y (p y)%:E)); last by apply: wp_sub => x; exact: lap_w0.
apply: low_le => y; first by rewrite adde_ge0.
rewrite /cutg; case: asboolP => h1; case: asboolP => h2 //; rewrite ?adde0 ?add0e ?lee_fin//.
by move: (lt_trans h1 h2); rewrite ltxx.
Qed.
Theorem up_to_tail (b t : R) (Phi : assn R S) : (0 <= t)%R -> (0 < b)%R ->
  (* any sampling axiom that proves the draw with the post-condition restricted to |y - e| <= t *)
  (forall m m' k, Phi m m' k -> exists supp phi (cost : R -> R),
     star (laplace (center m) b) (laplace (center m') b) supp phi cost /\
     forall y, supp y -> (`|y - center m| <= t)%R -> Psi (u m y) (u m' (phi y)) (k + cost y)%R) ->
  judge (expR (- (t / b))) (Draw (fun s => laplace (center s) b) u) Phi Psi.
Proof.
move=> t0 b0 H; apply: (@Rules.up_to_bad _ _ _ _ _ _ _ _ (fun m y => `|y - center m| <= t)%R).
  move=> m f f0 f1; rewrite /= /dev; set p := wp_ leb (lap_w (center m) b).
  have p0 y : (0 <= p y)%R := lap_p0 _ b y.
  pose A := [set y | t < `|y - center m|]%R : set T.
  have mA : measurable A.
    rewrite (_ : A = (fun y : T => `|y - center m|%R : T) @^-1` [set y | t < y]%R)// -[X in measurable X]setTI.
    have : measurable_fun setT (fun y : T => `|y - center m|%R : T).
      by apply: (measurable_fun_comp (@measurable_fun_normr R setT)); exact: mshift.
    by apply => //; exact: mray_gt.
  pose q y := (p y * \1_A y)%R.
  have mq : measurable_fun setT q.
    apply: measurable_funM; last exact: mindic.
    by apply: wp_meas; exact: lap_w_meas.
  have qE y : (q y)%:E = (p y)%:E * (if (`|y - center m| <= t)%R then 0 else 1).
    rewrite /q indicE; case: ifPn => h; last by rewrite mem_set ?mulr1 ?mule1// /A /= ltNge.
    by rewrite memNset ?mulr0 ?mule0// /A /=; apply/negP; rewrite -leNgt.
  have E2 : \int[leb]_y (q y)%:E = \int[leb]_y ((p y)%:E * (if (`|y - center m| <= t)%R then 0 else 1)).
    by apply: eq_integral => z _; exact: (qE z).
  have g0 y : 0 <= (p y)%:E * (if (`|y - center m| <= t)%R then f y else 0).
    by rewrite mule_ge0 ?lee_fin//; case: ifP.
  have q0 y : (0 <= q y)%R by rewrite mulr_ge0.
  apply: (@le_trans _ _ (\int[leb]_y ((p y)%:E * (if (`|y - center m| <= t)%R then f y else 0)) + \int[leb]_y (q y)%:E)); last first.
    by rewrite E2.
  apply: (le_trans _ (low_add leb g0 q0 mq)); apply: low_le => y; first by rewrite mule_ge0// lee_fin.
  rewrite qE; case: ifP => _; first by rewrite mule0 adde0.
  by rewrite mule0 add0e mule1 -[leRHS]mule1; apply: lee_wpmul2l => //; rewrite lee_fin.
move=> m m' k /H[supp [phi [cost [Hs HP]]]]; split; last by exists supp, phi, cost.
exact: tail_mass.
Qed.
End Rules.
End Continuous.
