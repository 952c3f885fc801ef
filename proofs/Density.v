(* Laws with a density, for Continuous.v: the lower integral (the library's integral on tests that need not be
   measurable), laws given by a weight divided by its integral, and what translations and dilations of the line do to them. *)
From Probity Require Import PreludeIntegral Judgement Laws Sampling.
From Probity Require Rules.
Local Open Scope classical_set_scope.
Local Open Scope ring_scope.
Local Open Scope ereal_scope.

Section Lower.
Context d (T : measurableType d) (R : realType) (mu : {measure set T -> \bar R}).
Implicit Types f g h : T -> \bar R.

(* the library's integral of a non-negative function that need not be measurable
   is the lower integral; two characteristic properties *)
Lemma low_le f g : (forall x, 0 <= f x) -> (forall x, f x <= g x) ->
  \int[mu]_x f x <= \int[mu]_x g x.
Proof.
move=> f0 fg; have g0 x : 0 <= g x := le_trans (f0 x) (fg x).
rewrite !ge0_integralTE//; apply: le_ereal_sup => _ [h hf <-]; exists h => // x.
exact: le_trans (hf x) (fg x).
Qed.

Lemma low_ub g (M : \bar R) : (forall x, 0 <= g x) ->
  (forall h, measurable_fun setT h -> (forall x, 0 <= h x) -> (forall x, h x <= g x) ->
     \int[mu]_x h x <= M) ->
  \int[mu]_x g x <= M.
Proof.
move=> g0 H; rewrite ge0_integralTE//; apply: ub_ereal_sup => _ [h hg <-].
have := H (EFin \o h) _ _ hg.
rewrite -(@integralT_nnsfun _ _ _ mu h); apply.
  exact/EFin_measurable_fun.
by move=> x /=; rewrite lee_fin.
Qed.

Lemma low_scale_le (c : R) g : (0 < c)%R -> (forall x, 0 <= g x) ->
  \int[mu]_x (c%:E * g x) <= c%:E * \int[mu]_x g x.
Proof.
move=> c0 g0; have c0' : (0 <= c)%R by exact: ltW.
have ci : (0 <= c^-1)%R by rewrite invr_ge0.
apply: low_ub => [x|h mh h0 hg]; first by rewrite mule_ge0// lee_fin.
have hE x : h x = c%:E * (c^-1%:E * h x) by rewrite muleA -EFinM mulfV ?mul1e// gt_eqF.
rewrite (eq_integral (fun x => c%:E * (c^-1%:E * h x))); last by move=> x _; exact: hE.
have h0' x : 0 <= c^-1%:E * h x by rewrite mule_ge0// lee_fin.
rewrite ge0_integralM_EFin//; last exact: measurable_funeM.
apply: lee_wpmul2l; first by rewrite lee_fin.
apply: low_le => // x.
rewrite -(@lee_pmul2l _ c%:E)// ?lte_fin// -hE; exact: hg.
Qed.

Lemma low_scale (c : R) g : (0 <= c)%R -> (forall x, 0 <= g x) ->
  \int[mu]_x (c%:E * g x) = c%:E * \int[mu]_x g x.
Proof.
rewrite le_eqVlt => /orP[/eqP <- g0|c0 g0].
  rewrite mul0e (eq_integral (cst 0)) ?integral0// => x _; exact: mul0e.
apply/eqP; rewrite eq_le low_scale_le//=.
have ci : (0 < c^-1)%R by rewrite invr_gt0.
have cg x : 0 <= c%:E * g x by rewrite mule_ge0// lee_fin ltW.
have cc (z : \bar R) : c^-1%:E * (c%:E * z) = z by rewrite muleA -EFinM mulVf ?mul1e// gt_eqF.
have := low_scale_le ci cg; rewrite (eq_integral g); last by move=> x _; exact: cc.
move=> H; rewrite -(@lee_pmul2l _ c^-1%:E)// ?lte_fin//.
by rewrite cc.
Qed.

Lemma low_add g (q : T -> R) : (forall x, 0 <= g x) -> (forall x, (0 <= q x)%R) -> measurable_fun setT q ->
  \int[mu]_x (g x + (q x)%:E) <= \int[mu]_x g x + \int[mu]_x (q x)%:E.
Proof.
move=> g0 q0 mq; have mqE : measurable_fun setT (EFin \o q) by exact/EFin_measurable_fun.
apply: low_ub => [x|h mh h0 hg]; first by rewrite adde_ge0// lee_fin.
pose h' x := maxe (h x - (q x)%:E) 0.
have h'0 x : 0 <= h' x by rewrite /h' le_maxr lexx orbT.
have mh' : measurable_fun setT h'.
  apply: emeasurable_fun_max; last exact: measurable_fun_cst.
  exact: emeasurable_funB.
apply: (@le_trans _ _ (\int[mu]_x (h' x + (q x)%:E))).
  apply: low_le => // x; rewrite -lee_subl_addr//= /h' le_maxr lexx//.
rewrite ge0_integralD//; last by move=> x _; rewrite lee_fin.
rewrite lee_add2r//; apply: low_le => // x.
by rewrite /h' le_maxl g0 andbT lee_subl_addr//; exact: hg.
Qed.

(* law with density p *)
Section Density.
Variable p : T -> R.
Hypothesis p0 : forall x, (0 <= p x)%R.
Hypothesis mp : measurable_fun setT p.
Hypothesis p1 : \int[mu]_x (p x)%:E <= 1.

Definition dev f := \int[mu]_x ((p x)%:E * f x).
Lemma pf0 f : (forall x, 0 <= f x) -> forall x, 0 <= (p x)%:E * f x.
Proof. by move=> f0 x; rewrite mule_ge0// lee_fin. Qed.

Lemma dev_ge0 f : (forall x, 0 <= f x) -> 0 <= dev f.
Proof. by move=> f0; apply: integral_ge0 => x _; exact: pf0. Qed.
Lemma dev_le f g : (forall x, 0 <= f x) -> (forall x, f x <= g x) -> dev f <= dev g.
Proof.
move=> f0 fg; apply: low_le => x; first exact: pf0.
by apply: lee_wpmul2l => //; rewrite lee_fin.
Qed.
Lemma dev_scale (c : R) f : (0 <= c)%R -> (forall x, 0 <= f x) ->
  dev (fun x => c%:E * f x) = c%:E * dev f.
Proof.
move=> c0 f0; rewrite /dev -low_scale//; last exact: pf0.
by apply: eq_integral => x _; rewrite muleCA.
Qed.
Lemma dev_addc (c : R) f : (0 <= c)%R -> (forall x, 0 <= f x) ->
  dev (fun x => f x + c%:E) <= dev f + c%:E.
Proof.
move=> c0 f0; rewrite /dev (eq_integral (fun x => (p x)%:E * f x + (c * p x)%:E)); last first.
  by move=> x _; rewrite ge0_muleDr// ?lee_fin// -EFinM [(c * p x)%R]mulrC.
apply: (le_trans (low_add (pf0 f0) _ _)).
- by move=> x; rewrite mulr_ge0.
- exact: measurable_funrM.
rewrite lee_add2l// (eq_integral (fun x => c%:E * (p x)%:E))//.
rewrite low_scale//.
by rewrite -[leRHS]mule1; apply: lee_wpmul2l.
Qed.
Definition dlaw : law R T := Law dev_ge0 dev_le dev_scale dev_addc.
End Density.

(* a weight, divided by its integral; no mass if that is 0 or infinite *)
Section Weight.
Variable w : T -> R.
Hypothesis w0 : forall x, (0 <= w x)%R.
Hypothesis mw : measurable_fun setT w.
Definition wtotal := \int[mu]_x (w x)%:E.
Definition wp_ (x : T) : R := (w x / fine wtotal)%R.
Lemma wtotal_ge0 : 0 <= wtotal. Proof. by apply: integral_ge0 => x _; rewrite lee_fin. Qed.
Lemma wp_ge0_ x : (0 <= wp_ x)%R. Proof. by rewrite mulr_ge0// invr_ge0 fine_ge0// wtotal_ge0. Qed.
Lemma wp_meas : measurable_fun setT wp_.
Proof.
rewrite (_ : wp_ = fun x => (fine wtotal)^-1 * w x)%R; first exact: measurable_funrM.
by apply/funext => x; rewrite mulrC.
Qed.
Lemma wp_int : \int[mu]_x (wp_ x)%:E = (fine wtotal)^-1%:E * wtotal.
Proof.
have Zi : (0 <= (fine wtotal)^-1)%R by rewrite invr_ge0 fine_ge0// wtotal_ge0.
rewrite (eq_integral (fun x => (fine wtotal)^-1%:E * (w x)%:E)); last first.
  by move=> x _; rewrite /wp_ mulrC EFinM.
by rewrite low_scale// => x; rewrite lee_fin.
Qed.
Lemma wp_sub : \int[mu]_x (wp_ x)%:E <= 1.
Proof.
rewrite wp_int; move: wtotal_ge0; case: wtotal => [z|_|//].
  rewrite lee_fin le_eqVlt => /orP[/eqP<-|z0]; first by rewrite mule0 lee01.
  by rewrite -EFinM mulVf// gt_eqF.
by rewrite /= invr0 mul0e lee01.
Qed.
Definition wdlaw : law R T := dlaw wp_ge0_ wp_meas wp_sub.
Lemma wdlaw_total : 0 < wtotal -> wtotal < +oo -> wdlaw (fun=> 1) = 1.
Proof.
move=> t0 t1; rewrite /= /dev (eq_integral (fun x => (wp_ x)%:E)); last by move=> x _; rewrite mule1.
rewrite wp_int; move: t0 t1; case: wtotal => [z| |]//; rewrite lte_fin => z0 _.
by rewrite -EFinM mulVf// gt_eqF.
Qed.
(* what has full measure: everything where the weight is positive *)
Lemma wdlaw_full (supp : T -> Prop) : (forall x, ~ supp x -> w x = 0%R) -> full wdlaw supp.
Proof.
move=> ws f g _ _ fg; rewrite /= /dev; apply: eq_integral => x _.
have [sx|nsx] := pselect (supp x); first by rewrite fg.
by rewrite /wp_ ws// mul0r !mul0e.
Qed.
End Weight.
End Lower.

Section Line.
Variable R : realType.
Notation T := (measurableTypeR R).
Let leb : {measure set T -> \bar R} := [the measure _ _ of @lebesgue_measure R].

Lemma mshift (k : R) : measurable_fun setT ((fun x => x + k)%R : T -> T).
Proof. by apply: measurable_funD; [exact: measurable_fun_id|exact: measurable_fun_cst]. Qed.

Lemma leb_shift (k : R) (X : set T) : measurable X -> leb X = pushforward leb (mshift k) X.
Proof.
move=> mX; apply: (@lebesgue_measure_unique R [the measure _ _ of pushforward leb (mshift k)]) => //.
move=> _ [[a b] _ <-] /=; rewrite /pushforward.
rewrite (_ : _ @^-1` _ = `]a - k, b - k]%classic)%R.
  by rewrite lebesgue_measure_itv !hlength_itv /= !lte_fin ltr_add2r; case: ifP => // _;
    rewrite -!EFinB; congr EFin; ring.
by apply/seteqP; split => x /=; rewrite !in_itv /= ltr_subl_addr ler_subr_addr.
Qed.

Lemma low_shift_le (k : R) (g : T -> \bar R) : (forall x, 0 <= g x) ->
  \int[leb]_x g (x + k)%R <= \int[leb]_x g x.
Proof.
move=> g0; apply: low_ub => // h mh h0 hg.
pose h' (x : T) := h (x - k)%R.
have mh' : measurable_fun setT h' by exact: (measurable_fun_comp mh (mshift (- k))).
apply: (@le_trans _ _ (\int[leb]_x h' x)); last first.
  by apply: low_le => [x|x]; [exact: h0|rewrite /h'; have := hg (x - k)%R; rewrite subrK].
rewrite [leRHS](eq_measure_integral (pushforward leb (mshift k))); last by move=> X mX _; exact: leb_shift.
rewrite integral_pushforward//; last by move=> y; exact: h0.
by apply: low_le => // x; rewrite /h' /= addrK.
Qed.


(* scaling: c * int g(c x) dx <= int g *)
Lemma mscale_fun (c : R) : measurable_fun setT ((fun x => c * x)%R : T -> T).
Proof. by apply: measurable_funrM; exact: measurable_fun_id. Qed.
Lemma leb_scale (c : R) (c0 : (0 < c)%R) (X : set T) : measurable X ->
  leb X = c%:E * leb ((fun x => c * x)%R @^-1` X).
Proof.
move=> mX.
pose nc : {nonneg R} := NngNum (ltW c0).
pose m := [the measure _ _ of mscale nc [the measure _ _ of pushforward leb (mscale_fun c)]].
rewrite (_ : leb X = m X)//.
apply: (@lebesgue_measure_unique R m) => // _ [[a b] _ <-] /=.
rewrite /mscale /= /pushforward.
rewrite (_ : _ @^-1` _ = `]a / c, b / c]%classic)%R; last first.
  by apply/seteqP; split=> x /=; rewrite !in_itv /= ltr_pdivr_mulr// ler_pdivl_mulr// mulrC.
rewrite lebesgue_measure_itv !hlength_itv /= !lte_fin ltr_pmul2r ?invr_gt0//.
case: ifP => _; last by rewrite mule0.
by rewrite -!EFinB -EFinM -mulrBl mulrC divfK// gt_eqF.
Qed.

(* the lower integral under a change of variable x -> c x *)
Lemma low_dilate_le (c : R) (g : T -> \bar R) : (0 < c)%R -> (forall x, 0 <= g x) ->
  \int[leb]_x g (c * x)%R <= c^-1%:E * \int[leb]_x g x.
Proof.
move=> c0 g0; apply: low_ub => // h mh h0 hg.
pose h' (x : T) := h (c^-1 * x)%R.
have mh' : measurable_fun setT h' by exact: (measurable_fun_comp mh (mscale_fun c^-1)).
have ci : (0 < c^-1)%R by rewrite invr_gt0.
apply: (@le_trans _ _ (c^-1%:E * \int[leb]_x h' x)); last first.
  apply: lee_wpmul2l; first by rewrite lee_fin ltW.
  apply: low_le => [x|x]; [exact: h0|rewrite /h'; have := hg (c^-1 * x)%R].
  by rewrite mulrA mulfV ?gt_eqF// mul1r.
pose nc : {nonneg R} := NngNum (ltW ci).
apply: (@le_trans _ _ (\int[leb]_x (h' \o (fun x : T => c * x)%R) x)).
  by apply: low_le => // x; rewrite /h' /= mulrA mulVf ?gt_eqF// mul1r.
rewrite -(integral_pushforward (mscale_fun c) leb mh'); last by move=> y; exact: h0.
rewrite (@eq_measure_integral _ _ _ _ (mscale nc leb)).
  by rewrite ge0_integral_mscale// => x _; exact: h0.
move=> X mX _; transitivity (c^-1%:E * leb X) => //.
by rewrite (leb_scale c0 mX) muleA -EFinM mulVf ?gt_eqF// mul1e.
Qed.
End Line.
