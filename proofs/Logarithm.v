(* The change of variable u = e^x (change), for all tests: the integral of g(ln u)/u over (0, oo) is that of g over the line.

   The measure du/u on (0, oo), seen through the logarithm, is Lebesgue's: it is so on intervals, where it lies between sums over n equal
   pieces; hence for simple functions, for measurable ones by monotone convergence, and for lower integrals. *)
From Probity Require Import PreludeIntegral.
From mathcomp.classical Require Import cardinality fsbigop set_interval.
From mathcomp.analysis Require Import derive.
From HB Require Import structures.
From Probity Require Import Judgement Laws Sampling Density Additive Continuous.
From Probity Require Rules.
Local Open Scope classical_set_scope.
Local Open Scope ring_scope.
Local Open Scope ereal_scope.

Section Numbers.
Variable R : realType.
Lemma exp_bounds (d : R) : (0 <= d)%R -> (d * expR (- d) <= 1 - expR (- d))%R /\ (expR d - 1 <= d * expR d)%R.
Proof.
move=> d0; have [|c /itvP cI E] := @MVT_segment R (@expR R) (@expR R) 0 d d0 (fun x _ => is_derive_expR x).
  by apply/continuous_subspaceT => ?; exact: continuous_expR.
rewrite expR0 subr0 in E.
have lo : (d <= expR d - 1)%R.
  by rewrite E -[leLHS]mul1r ler_wpmul2r// -[leLHS]expR0 ler_expR cI.
have hi : (expR d - 1 <= d * expR d)%R by rewrite E mulrC ler_wpmul2l// ler_expR cI.
split=> //; rewrite (_ : 1 - expR (- d) = (expR d - 1) * expR (- d))%R ?ler_wpmul2r ?expR_ge0//.
by rewrite mulrBl expRxMexpNx_1 mul1r.
Qed.
(* what holds up to a factor e^(h/n) for all n holds *)
Lemma limit_factor (x y h : R) : (0 < x)%R -> (0 <= h)%R -> (forall n, y <= x * expR (h / n.+1%:R))%R -> (y <= x)%R.
Proof.
move=> x0 h0 H; rewrite leNgt; apply/negP => xy.
have r1 : (1 < y / x)%R by rewrite ltr_pdivl_mulr// mul1r.
have l0 : (0 < ln (y / x))%R by exact: ln_gt0.
pose n := `|floor (h / ln (y / x))|%N.
have q0 : (0 <= h / ln (y / x))%R by rewrite divr_ge0// ltW.
have nf : (n%:R = (floor (h / ln (y / x)))%:~R :> R)%R by rewrite /n natr_absz ger0_norm// floor_ge0.
have hn : (h / n.+1%:R < ln (y / x))%R.
  rewrite ltr_pdivr_mulr ?ltr0n// mulrC -ltr_pdivr_mulr// -addn1 natrD nf -RfloorE; exact: lt_succ_Rfloor.
have := H n; rewrite -ler_pdivr_mull// mulrC leNgt => /negP; apply.
rewrite -[ltRHS](@lnK R) ?ltr_expR// qualifE; exact: lt_trans r1.
Qed.
End Numbers.

Section Logarithm.
Variable R : realType.
Notation T := (measurableTypeR R).
Let leb : {measure set T -> \bar R} := [the measure _ _ of @lebesgue_measure R].

(* ---- the measure du/u through the logarithm ---- *)
Definition inv_w (u : T) : R := if (0 < u :> R)%R then u^-1%R else 0%R.
Lemma inv_w0 u : (0 <= inv_w u)%R.
Proof. by rewrite /inv_w; case: ifP => // u0; rewrite invr_ge0 ltW. Qed.
Let pos : set T := [set u | 0 < u]%R.
Let mpos : measurable pos := mray_gt 0%R.
Lemma meas_on_pos (f : R -> R) : (forall u, (0 < u)%R -> {for u, continuous f}) ->
  measurable_fun setT ((fun u => if (0 < u :> R)%R then f u else 0%R) : T -> T).
Proof.
move=> cf; apply: (@measurable_fun_if _ _ T T f (cst 0%R) setT measurableT (fun u => (0 < u :> R)%R)).
- by apply: (@emeasurable_fun_bool _ _ setT _ true); rewrite (_ : _ @^-1` _ = pos).
- rewrite setTI (_ : _ @^-1` _ = pos)//; apply: open_continuous_measurable_fun; first exact: open_gt.
  by move=> u; rewrite inE => u0; exact: cf.
- exact: measurable_fun_cst.
Qed.
Lemma mln : measurable_fun setT (@ln R : T -> T).
Proof.
rewrite (_ : (@ln R : T -> T) = fun u => if (0 < u :> R)%R then ln u else 0%R).
  by apply: meas_on_pos => u u0; exact: continuous_ln.
by apply/funext => u; case: ltP => // u0; rewrite ln0.
Qed.
Lemma mexp : measurable_fun setT (@expR R : T -> T).
Proof. by apply: continuous_measurable_fun; exact: continuous_expR. Qed.
Lemma minv : measurable_fun setT (inv_w : T -> T).
Proof. by apply: meas_on_pos => u u0; apply: inv_continuous; rewrite gt_eqF. Qed.

Definition logm (X : set T) : \bar R := \int[leb]_u (inv_w u * \1_X (ln u))%:E.
Lemma logm_term0 (X : set T) u : 0 <= (inv_w u * \1_X (ln u))%:E.
Proof. by rewrite lee_fin mulr_ge0// inv_w0. Qed.
Lemma logm_meas (X : set T) : measurable X -> measurable_fun setT (fun u : T => (inv_w u * \1_X (ln u))%:E).
Proof.
move=> mX; apply/EFin_measurable_fun; apply: measurable_funM; first exact: minv.
by apply: (measurable_fun_comp (mindic mX)); exact: mln.
Qed.
Lemma logm0 : logm set0 = 0.
Proof. by rewrite /logm (eq_integral (cst 0)) ?integral0// => u _; rewrite indic0 mulr0. Qed.
Lemma logm_ge0 X : 0 <= logm X.
Proof. by apply: integral_ge0 => u _; exact: logm_term0. Qed.
Lemma logm_sigma : semi_sigma_additive logm.
Proof.
move=> F mF tF mU; have -> : logm (\bigcup_n F n) = \sum_(n <oo) logm (F n).
  rewrite -integral_nneseries//; [|by move=> n; exact: logm_meas|by move=> n u _; exact: logm_term0].
  apply: eq_integral => u _; have [[n _ Fn]|no] := pselect ((\bigcup_n F n) (ln u)).
    rewrite indicE mem_set; last by exists n.
    rewrite (@series_only _ _ n) => [|k|k kn]; [|exact: logm_term0|]; first by rewrite indicE mem_set.
    rewrite indicE memNset ?mulr0// => Fk; move/trivIsetP : tF => /(_ k n I I kn) /seteqP[E _].
    exact: (E (ln u)).
  rewrite indicE memNset// mulr0; apply/esym; apply: nneseries0 => n _.
  by rewrite indicE memNset ?mulr0// => Fn; apply: no; exists n.
by apply: is_cvg_nneseries => n _; exact: logm_ge0.
Qed.
HB.instance Definition _ := isMeasure.Build _ _ _ logm logm0 logm_ge0 logm_sigma.

Lemma int_oc (a b c : R) : (0 <= c)%R -> (a <= b)%R ->
  \int[leb]_y (c * \1_(`]a, b]%classic : set T) y)%:E = (c * (b - a))%:E.
Proof.
move=> c0 ab; under eq_integral do rewrite EFinM.
rewrite low_scale//; last by move=> y; rewrite lee_fin.
rewrite integral_indic//; last exact: measurable_itv.
rewrite setIT /leb /= lebesgue_measure_itv hlength_itv /= lte_fin EFinM; congr (_ * _).
by move: ab; rewrite le_eqVlt => /orP[/eqP ->|->]; rewrite ?ltxx ?subrr.
Qed.

(* one piece: between the smallest and the greatest density *)
Lemma logm_piece (a d : R) : (0 <= d)%R ->
  (1 - expR (- d))%:E <= logm `]a, (a + d)%R]%classic <= (expR d - 1)%:E.
Proof.
move=> d0; have ad : (expR a <= expR (a + d))%R by rewrite ler_expR ler_addl.
have inE' (u : R) : (0 < u)%R -> (ln u \in `]a, (a + d)%R]) = (u \in `]expR a, expR (a + d)]).
  by move=> u0; rewrite !in_itv /= -[in RHS](@lnK R u) ?qualifE// ltr_expR ler_expR.
have c0 (x : R) : (0 <= expR x)%R := expR_ge0 x.
apply/andP; split.
  rewrite (_ : 1 - expR (- d) = expR (- (a + d)) * (expR (a + d) - expR a))%R; last first.
    by rewrite mulrBr -!expRD addNr expR0; congr (_ - expR _)%R; ring.
  rewrite -int_oc//; apply: low_le => u; first by rewrite lee_fin mulr_ge0.
  rewrite lee_fin [leLHS]mulrC [leRHS]mulrC indicE; case: (boolP (u \in _)); last by rewrite mul0r mulr_ge0 ?inv_w0.
  rewrite inE => ui; have u0 : (0 < u)%R by apply: lt_trans (expR_gt0 a) _; move: ui; rewrite /= in_itv /= => /andP[].
  rewrite indicE mem_set /=; last by rewrite inE' .
  rewrite !mul1r /inv_w u0 expRN lef_pinv ?qualifE ?expR_gt0//.
  by move: ui; rewrite /= in_itv /= => /andP[].
rewrite (_ : expR d - 1 = expR (- a) * (expR (a + d) - expR a))%R; last first.
  by rewrite mulrBr -!expRD addNr expR0; congr (expR _ - _)%R; ring.
rewrite -int_box//; apply: low_le => u; first exact: logm_term0.
rewrite lee_fin [leLHS]mulrC [leRHS]mulrC.
have [u0|u0] := ltP 0%R u; last by rewrite /inv_w ltNge u0 mulr0 mulr_ge0.
rewrite indicE; case: (boolP (ln u \in _)); last by rewrite mul0r mulr_ge0.
rewrite inE /= inE'// => ui; rewrite indicE mem_set /=; last by move: ui; rewrite !in_itv /= => /andP[/ltW -> ->].
rewrite !mul1r /inv_w u0 expRN lef_pinv ?qualifE ?expR_gt0// ltW//.
by move: ui; rewrite /= in_itv /= => /andP[].
Qed.
Lemma logm_pieces (a d : R) n : (0 <= d)%R ->
  (n%:R * (1 - expR (- d)))%:E <= logm `]a, (a + n%:R * d)%R]%classic <= (n%:R * (expR d - 1))%:E.
Proof.
move=> d0; elim: n => [|n /andP[lo hi]].
  by rewrite !mul0r addr0 set_itvoc0 measure0 !lexx.
have nd : (0 <= n%:R * d)%R by rewrite mulr_ge0.
have E : `]a, (a + n.+1%:R * d)%R]%classic = `]a, (a + n%:R * d)%R] `|` `](a + n%:R * d)%R, (a + n%:R * d + d)%R] :> set T.
  have -> : (a + n.+1%:R * d = a + n%:R * d + d)%R by rewrite -addn1 natrD mulrDl mul1r addrA.
  apply/seteqP; split=> x /=; rewrite !in_itv /=.
    by move=> /andP[ax xb]; case: (leP x (a + n%:R * d)%R) => h; [left; rewrite ax|right; rewrite xb].
  move=> [/andP[ax xb]|/andP[ax ->]]; first by rewrite ax (le_trans xb)// ler_addl.
  by rewrite (le_lt_trans _ ax)// ler_addl.
rewrite E measureU /=; [|exact: measurable_itv|exact: measurable_itv|]; last first.
  by apply/seteqP; split=> x //= -[]; rewrite !in_itv /= => /andP[_ h] /andP[/(le_lt_trans h)]; rewrite ltxx.
have /andP[lo' hi'] := logm_piece (a + n%:R * d)%R d0.
by rewrite -addn1 natrD !mulrDl !mul1r !EFinD; apply/andP; split; apply: lee_add.
Qed.
Lemma logm_itv (a b : R) : (a <= b)%R -> logm `]a, b]%classic = (b - a)%:E.
Proof.
rewrite le_eqVlt => /orP[/eqP ->|ab]; first by rewrite set_itvoc0 measure0 subrr.
pose h := (b - a)%R; have h0 : (0 < h)%R by rewrite subr_gt0.
have bounds n : (h * expR (- (h / n.+1%:R)))%:E <= logm `]a, b]%classic <= (h * expR (h / n.+1%:R))%:E.
  have d0 : (0 <= h / n.+1%:R)%R by rewrite divr_ge0// ltW.
  have := logm_pieces a n.+1 d0; have [lo hi] := exp_bounds d0.
  have hn : (n.+1%:R * (h / n.+1%:R) = h)%R by rewrite mulrC divfK// pnatr_eq0.
  have -> : (a + n.+1%:R * (h / n.+1%:R) = b)%R by rewrite hn /h addrC subrK.
  move=> /andP[l u]; apply/andP; split.
    by apply: le_trans l; rewrite lee_fin -{1}hn -mulrA ler_wpmul2l.
  by apply: (le_trans u); rewrite lee_fin -{2}hn -mulrA ler_wpmul2l.
have fin : logm `]a, b]%classic \is a fin_num.
  by rewrite ge0_fin_numE//; have /andP[_ u] := bounds 0%N; apply: (le_lt_trans u); rewrite ltry.
move: bounds; rewrite -(fineK fin); set x := fine _ => bounds.
have x0 : (0 < x)%R.
  by have /andP[+ _] := bounds 0%N; rewrite lee_fin; apply: lt_le_trans; rewrite mulr_gt0// expR_gt0.
congr (_%:E); apply/eqP; rewrite eq_le; apply/andP; split.
  by apply: (@limit_factor R _ _ h) => // [|n]; [exact: ltW|have /andP[_] := bounds n; rewrite lee_fin].
apply: (@limit_factor R _ _ h) => // [|n]; first exact: ltW.
by have /andP[+ _] := bounds n; rewrite lee_fin expRN ler_pdivr_mulr// expR_gt0.
Qed.
Lemma leb_log (X : set T) : measurable X -> leb X = logm X.
Proof.
move=> mX; apply: (@lebesgue_measure_unique R [the measure _ _ of logm]) => // _ [[a b] _ <-] /=.
rewrite hlength_itv /= lte_fin; case: ltP => ab; first by rewrite logm_itv ?ltW.
by rewrite set_itv_ge ?measure0// bnd_simp -leNgt.
Qed.

(* ---- the change of variable ---- *)
Lemma change_simple (h : {nnsfun T >-> R}) : \int[leb]_x (h x)%:E = \int[leb]_u (inv_w u * h (ln u))%:E.
Proof.
rewrite integralT_nnsfun sintegralE.
pose t (y : R) (u : T) : \bar R := (`|y|%R)%:E * (inv_w u * \1_(h @^-1` [set y]) (ln u))%:E.
have t0 y u : 0 <= t y u by rewrite mule_ge0 ?lee_fin//; exact: logm_term0.
transitivity (\sum_(y \in [set h x | x in setT]) \int[leb]_u t y u).
  apply: eq_fsbigr => y; rewrite inE => -[x _ hx].
  rewrite /t low_scale//; last by move=> u; exact: logm_term0.
  rewrite -hx ger0_norm//; congr (_ * _); exact: leb_log.
rewrite -ge0_integral_fsum//; last first.
  by move=> y; apply: emeasurable_funM; [exact: measurable_fun_cst|exact: logm_meas].
apply: eq_integral => u _; rewrite fimfunE mulr_fsumr -fsumEFin//.
apply: eq_fsbigr => y; rewrite inE => -[x _ hx]; by rewrite /t -EFinM -hx ger0_norm// mulrCA.
Qed.
Lemma change_le (g : T -> \bar R) : (forall x, 0 <= g x) ->
  \int[leb]_x g x <= \int[leb]_u ((inv_w u)%:E * g (ln u)).
Proof.
move=> g0; rewrite ge0_integralTE//; apply: ub_ereal_sup => _ [h hg <-].
rewrite -integralT_nnsfun change_simple; apply: low_le => u; first by rewrite lee_fin mulr_ge0 ?inv_w0.
by rewrite EFinM; apply: lee_wpmul2l; [rewrite lee_fin inv_w0|exact: hg].
Qed.
Lemma change_meas (h : T -> \bar R) : measurable_fun setT h -> (forall x, 0 <= h x) ->
  \int[leb]_u ((inv_w u)%:E * h (ln u)) <= \int[leb]_x h x.
Proof.
move=> mh h0; have [g [nd gh]] := approximation (@measurableT _ T) mh (fun x _ => h0 x).
pose k n (u : T) := (inv_w u * g n (ln u))%:E.
have k0 n u : 0 <= k n u by rewrite lee_fin mulr_ge0 ?inv_w0.
rewrite (eq_integral (fun u => lim (k^~ u))); last first.
  move=> u _; apply/esym/cvg_lim => //; rewrite (_ : k^~ u = fun n => (inv_w u)%:E * (g n (ln u))%:E).
    by apply: cvgeMl => //; exact: gh.
  by apply/funext => n; rewrite /k EFinM.
rewrite monotone_convergence//; last first.
- by move=> u _ m n mn; rewrite lee_fin ler_wpmul2l ?inv_w0//; exact/lefP/nd.
- move=> n; apply/EFin_measurable_fun; apply: measurable_funM; first exact: minv.
  by apply: (measurable_fun_comp _ mln); exact: measurable_funP.
apply: lime_le.
  apply: ereal_nondecreasing_is_cvg => m n mn; apply: low_le => // u.
  by rewrite lee_fin ler_wpmul2l ?inv_w0//; exact/lefP/nd.
apply: nearW => n; rewrite /k -change_simple; apply: low_le => x; first by rewrite lee_fin.
have ndx : nondecreasing_seq (EFin \o g^~ x) by move=> m p mp; rewrite lee_fin; exact/lefP/nd.
rewrite -(cvg_lim _ (gh x I))//; apply: lime_ge; first by apply/cvg_ex; exists (h x); exact: gh.
by exists n => // m /= nm; exact: ndx.
Qed.
(* x = ln u, for all tests *)
Theorem change (g : T -> \bar R) : (forall x, 0 <= g x) ->
  \int[leb]_u ((inv_w u)%:E * g (ln u)) = \int[leb]_x g x.
Proof.
move=> g0; apply/eqP; rewrite eq_le change_le// andbT; apply: low_ub => [u|k mk k0 kg].
  by rewrite mule_ge0 ?lee_fin ?inv_w0.
pose h (x : T) := (expR x)%:E * k (expR x).
have h0 x : 0 <= h x by rewrite mule_ge0 ?lee_fin ?expR_ge0.
have mh : measurable_fun setT h.
  apply: emeasurable_funM; first by apply/EFin_measurable_fun; exact: mexp.
  by apply: (measurable_fun_comp mk); exact: mexp.
apply: (@le_trans _ _ (\int[leb]_u ((inv_w u)%:E * h (ln u)))).
  apply: low_le => // u; rewrite /h /inv_w; case: ifPn => u0.
    by rewrite lnK ?qualifE// muleA -EFinM mulVf ?gt_eqF// mul1e.
  by rewrite mul0e; have := kg u; rewrite /inv_w (negPf u0) mul0e.
apply: (le_trans (change_meas mh h0)); apply: low_le => // x.
rewrite /h; have := kg (expR x); rewrite /inv_w expR_gt0 expK => le.
apply: (@le_trans _ _ ((expR x)%:E * ((expR x)^-1%:E * g x))); first by apply: lee_wpmul2l; rewrite ?lee_fin ?expR_ge0.
by rewrite muleA -EFinM mulfV ?gt_eqF ?expR_gt0// mul1e.
Qed.

(* ---- the other way round, and a point ---- *)
Lemma mneg : measurable_fun setT ((fun x => - x)%R : T -> T).
Proof. by apply: measurable_funN; exact: measurable_fun_id. Qed.
Lemma leb_neg (X : set T) : measurable X -> leb X = pushforward leb mneg X.
Proof.
move=> mX; apply: (@lebesgue_measure_unique R [the measure _ _ of pushforward leb mneg]) => //.
move=> _ [[a b] _ <-] /=; rewrite /pushforward (_ : _ @^-1` _ = `[- b, - a[%classic)%R.
  by rewrite lebesgue_measure_itv !hlength_itv /= !lte_fin ltr_oppl opprK; case: ifP => // _;
    rewrite -!EFinB; congr EFin; ring.
by apply/seteqP; split => x /=; rewrite !in_itv /= ler_oppl ltr_oppr andbC.
Qed.
Lemma low_neg (g : T -> \bar R) : (forall x, 0 <= g x) -> \int[leb]_x g (- x)%R = \int[leb]_x g x.
Proof.
have le (f : T -> \bar R) : (forall x, 0 <= f x) -> \int[leb]_x f (- x)%R <= \int[leb]_x f x.
  move=> f0; apply: low_ub => // h mh h0 hf; pose h' (x : T) := h (- x)%R.
  have mh' : measurable_fun setT h' by exact: (measurable_fun_comp mh mneg).
  apply: (@le_trans _ _ (\int[leb]_x h' x)); last first.
    by apply: low_le => [x|x]; [exact: h0|rewrite /h'; have := hf (- x)%R; rewrite opprK].
  rewrite [leRHS](eq_measure_integral (pushforward leb mneg)); last by move=> X mX _; exact: leb_neg.
  rewrite integral_pushforward//; last by move=> y; exact: h0.
  by apply: low_le => // x; rewrite /h' /= opprK.
move=> g0; apply/eqP; rewrite eq_le le//=.
by apply: le_trans (le (fun x => g (- x)%R) _) => //; apply: low_le => // x; rewrite opprK.
Qed.
Lemma low_point (g : T -> \bar R) : (forall x, 0 <= g x) -> \int[leb]_x cutg [set 0%R] g x = 0.
Proof.
move=> g0; apply/eqP; rewrite eq_le integral_ge0 ?andbT; last by move=> x _; exact: cutg_ge0.
rewrite ge0_integralTE; last exact: cutg_ge0.
apply: ub_ereal_sup => _ [h hg <-]; rewrite -integralT_nnsfun.
rewrite (eq_integral (fun x => (h 0%R * \1_(`[0%R, 0%R]%classic : set T) x)%:E)).
  by rewrite int_box// subrr mulr0.
move=> x _; rewrite set_itv1 indicE; have [->|x0] := pselect (x = 0%R); first by rewrite mem_set// mulr1.
rewrite memNset// mulr0; apply/eqP; rewrite eq_le; apply/andP; split; last by rewrite lee_fin.
by have := hg x; rewrite /cutg asboolF.
Qed.
End Logarithm.
