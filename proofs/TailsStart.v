(* UP-TO-BAD with a move that is for the draws that are kept only (trusted/kernel/src/rules/sampling/tails.rs): noise on one side that moves down, where it begins (up_to_start), and uniform noise that
   is moved where it stays in its range (up_to_tail_uniform).  The move need not have a cost for the other draws, which are given up (up_to_bad_on).  Read: the statements of the theorems. *)
From Probity Require Import PreludeIntegral Judgement Laws Sampling Density Continuous TailsExact.
From Probity Require Rules.
Local Open Scope classical_set_scope.
Local Open Scope ring_scope.
Local Open Scope ereal_scope.

Section On.
Variables (R : realType) (S : Type).
(* e^-c D, restricted to near and moved by phi, lies below D' *)
Definition star_on A (D D' : law R A) (near : A -> bool) (phi : A -> A) (c : A -> R) :=
  forall f F : A -> \bar R, (forall a, 0 <= f a) -> (forall a, 0 <= F a) ->
  (forall a, near a -> f a <= (expR (- c a))%:E * F (phi a)) -> D (fun a => if near a then f a else 0) <= D' F.
Theorem up_to_bad_on (d : R) A (D : S -> law R A) (u : S -> A -> S) (Phi Psi : assn R S) :
  (forall m m' k, Phi m m' k -> exists near phi (cost : A -> R),
     [/\ splits (D m) near, D m (fun a => if near a then 0 else 1) <= d%:E, star_on (D m) (D m') near phi cost &
         forall a, near a -> Psi (u m a) (u m' (phi a)) (k + cost a)%R]) ->
  judge d (Draw D u) Phi Psi.
Proof.
move=> H f F f0 f1 F0 Hr m m' k /H[near [phi [cost [split Hd Hs HP]]]] /=.
apply: (le_trans (split _ (fun a => f0 (u m a)) (fun a => f1 (u m a)))).
apply: lee_add => //; rewrite -ev_scale//; last exact: expR_ge0.
apply: Hs => // [a|a n]; first by rewrite mule_ge0// lee_fin expR_ge0.
apply: (le_trans (Hr _ _ _ (HP a n))).
by rewrite muleA -EFinM -expRD opprD addrC.
Qed.
(* what is left of 1 *)
Lemma left_of_one (x y : \bar R) (r : R) : r%:E <= y -> x + y <= 1 -> x <= (1 - r)%:E.
Proof.
move=> ry xy; rewrite EFinB lee_subr_addr//; apply: le_trans xy; exact: lee_add2l.
Qed.
Lemma ev_le1 A (D : law R A) f : (forall a, 0 <= f a) -> (forall a, f a <= 1) -> D f <= 1.
Proof.
move=> f0 f1; apply: (@le_trans _ _ (D (fun=> 0 + 1%:E))); first by apply: ev_le => a; rewrite ?add0e.
by have := @ev_addc _ _ D 1%R (fun=> 0) ler01 (fun=> lexx _); rewrite Judgement.ev0 add0e.
Qed.
End On.

(* ---- on the line ---- *)
Section Line.
Variable R : realType.
Notation T := (measurableTypeR R).
Let leb : {measure set T -> \bar R} := [the measure _ _ of @lebesgue_measure R].

(* exponential noise below t *)
Lemma start_mass_exponential (b t : R) : (0 < b)%R -> (0 <= t)%R ->
  exponential b (fun y => if (t <= y)%R then 0 else 1) <= (1 - expR (- (t / b)))%:E.
Proof.
move=> b0 t0; rewrite /= /dev; set p := wp_ leb (exp_w b).
have p0 y : (0 <= p y)%R by apply: wp_ge0_ => x; exact: exp_w0.
have pe0 y : 0 <= (p y)%:E by rewrite lee_fin.
have e0 : (0 <= expR (- (t / b)))%R := expR_ge0 _.
pose A := [set y | t <= y]%R : set T; have mA : measurable A := mray_ge t.
apply: (@left_of_one _ _ (\int[leb]_y cutg A (EFin \o p) y)).
  apply: (@le_trans _ _ (\int[leb]_y ((expR (- (t / b)))%:E * (p (y + (- t))%R)%:E))).
    rewrite low_scale// (low_shift (- t)%R pe0) -[leLHS]mule1; apply: lee_wpmul2l => //.
    have := total_exponential b0; rewrite /= /dev => <-.
    by apply: low_le => y; rewrite ?mule1 ?mule_ge0.
  apply: low_le => y; first by rewrite mule_ge0.
  rewrite /cutg; case: asboolP => /= [ty|/negP].
    rewrite -EFinM lee_fin /p /wp_ mulrA; apply: ler_wpmul2r.
      by rewrite invr_ge0 fine_ge0// wtotal_ge0// => x; exact: exp_w0.
    have y0 : (0 <= y)%R by exact: le_trans ty.
    have yt : (0 <= y - t)%R by rewrite subr_ge0.
    rewrite /exp_w !indicE !mem_set// !mulr1 /lap_w b0 -expRD !subr0 !ger0_norm// ler_expR -opprD -mulrDl.
    by rewrite addrCA subrr addr0.
  rewrite -ltNge => yt; rewrite {1}/p /wp_ /exp_w indicE memNset ?mulr0 ?mul0r ?mule0//=.
  by apply/negP; rewrite -ltNge subr_lt0.
rewrite addeC; apply: (@le_trans _ _ (\int[leb]_y (p y)%:E)); last by apply: wp_sub => x; exact: exp_w0.
apply: le_trans (low_cut_ge mA pe0); apply: lee_add => //; apply: low_le => y.
  by rewrite mule_ge0//; case: ifP => _; rewrite ?lee01.
rewrite /cutg; case: asboolP => /= [/negP/negPf ->|]; first by rewrite mule1.
by move=> /contrapT ->; rewrite mule0.
Qed.
(* y' = y + k where y >= t, at cost c *)
Theorem up_to_start_exponential (S : Type) (u : S -> R -> S) (Psi : assn R S) (b t : R) (k c : S -> S -> R -> R) :
  judge (Num.max 0 (1 - expR (- (t / b))))%R (Draw (fun=> exponential b) u)
    (fun s s' j => [/\ (0 < b)%R, (0 <= t)%R, (- t <= k s s' j)%R, (k s s' j <= c s s' j * b)%R &
       forall y, (0 <= y)%R -> (t <= y)%R -> Psi (u s y) (u s' (y + k s s' j)%R) (j + c s s' j)%R]) Psi.
Proof.
apply: up_to_bad_on => m m' j [b0 t0]; move: (k m m' j) (c m m' j) => {}k {}c tk kc HP.
exists (fun y => t <= y)%R, (fun y => y + k)%R, (fun=> c); split.
- apply: dlaw_splits; rewrite (_ : mkset _ = ~` [set y | t <= y]%R); first by apply: measurableC; exact: mray_ge.
  by apply/seteqP; split=> y /= /negP.
- by apply: (le_trans (start_mass_exponential b0 t0)); rewrite lee_fin le_maxr lexx orbT.
- move=> f F f0 F0 HfF; rewrite /= /dev.
  have p0 y : (0 <= wp_ leb (exp_w b) y)%R by apply: wp_ge0_ => x; exact: exp_w0.
  apply: le_trans (@low_shift_le _ k (fun y => (wp_ leb (exp_w b) y)%:E * F y) _); last first.
    by move=> y; rewrite mule_ge0// lee_fin.
  apply: low_le => y; first by rewrite mule_ge0 ?lee_fin//; case: ifP.
  case: ifPn => [ty|_]; last by rewrite mule0 mule_ge0// lee_fin.
  apply: (@le_trans _ _ ((wp_ leb (exp_w b) y)%:E * ((expR (- c))%:E * F (y + k)%R))).
    by apply: lee_wpmul2l; [rewrite lee_fin|exact: HfF].
  rewrite muleA -EFinM; apply: lee_wpmul2r => //; rewrite lee_fin /wp_ mulrAC; apply: ler_wpmul2r.
    by rewrite invr_ge0 fine_ge0//; apply: wtotal_ge0 => x; exact: exp_w0.
  have y0 : (0 <= y)%R by exact: le_trans ty.
  have yk : (0 <= y + k)%R by rewrite -(subrr t); exact: ler_add.
  rewrite /exp_w !indicE !mem_set// !mulr1 /lap_w b0 -expRD ler_expR -opprD ler_opp2 !subr0 !ger0_norm//.
  by rewrite ler_pdivr_mulr// mulrDl divfK ?gt_eqF// ler_add2l.
by move=> y ty; apply: HP => //; exact: le_trans ty.
Qed.

(* u' = u + k where that is in (0, 1], at cost c >= 0 *)
Lemma out_of_range (k : R) : @uniform R (fun y => if (0 < y + k <= 1)%R then 0 else 1) <= `|k|%:E.
Proof.
pose l : R := if (0 <= k)%R then 0%R else (- k)%R; pose h : R := if (0 <= k)%R then (1 - k)%R else 1%R.
have l0 : (0 <= l)%R by rewrite /l; case: ifPn => //; rewrite -ltNge => k0; rewrite oppr_ge0 ltW.
have h1 : (h <= 1)%R by rewrite /h; case: ifP => // k0; rewrite ler_subl_addr ler_addl.
have lh : (l + (1 - h) = `|k|)%R.
  rewrite /l /h; case: ifPn => [k0|]; first by rewrite ger0_norm// add0r subKr.
  by rewrite -ltNge => k0; rewrite ltr0_norm// subrr addr0.
rewrite -lh; apply: le_trans (left_out l0 h1); apply: ev_le => y; first by case: ifP => _; rewrite ?lee01.
case: ifPn => [_|]; first by case: ifP => _; rewrite ?lee01.
move=> n; case: ifPn => // /andP[ly yh]; case/negP: n; move: ly yh; rewrite /l /h; case: ifPn => [k0 ly yh|].
  by rewrite ltr_spaddl//= -ler_subr_addr ltW.
by rewrite -ltNge => k0 ly yh; rewrite -ltr_subl_addr sub0r ly /= -[leRHS]addr0 ler_add// ltW.
Qed.
Theorem up_to_moved_uniform (S : Type) (u : S -> R -> S) (Psi : assn R S) (d : R) (k c : S -> S -> R -> R) :
  judge (Num.max 0 d)%R (Draw (fun=> @uniform R) u)
    (fun s s' j => [/\ (`|k s s' j| <= d)%R, (0 <= c s s' j)%R &
       forall y, (0 < y <= 1)%R -> (0 < y + k s s' j <= 1)%R -> Psi (u s y) (u s' (y + k s s' j)%R) (j + c s s' j)%R]) Psi.
Proof.
apply: up_to_bad_on => m m' j []; move: (k m m' j) (c m m' j) => {}k {}c kd c0 HP.
exists (fun y => (0 < y + k <= 1) && (0 < y <= 1))%R, (fun y => y + k)%R, (fun=> c).
have mr : measurable [set y | ~~ ((0 < y + k <= 1) && (0 < y <= 1))%R].
  rewrite (_ : mkset _ = ~` ((fun y : T => y + k)%R @^-1` `]0%R, 1%R]%classic `&` `]0%R, 1%R]%classic)).
    apply: measurableC; apply: measurableI; last exact: measurable_itv.
    by rewrite -[X in measurable X]setTI; apply: mshift => //; exact: measurable_itv.
  apply/seteqP; split=> y /=; rewrite !in_itv /=; first by move=> /negP n [a b]; apply: n; rewrite a b.
  by move=> n; apply/negP => /andP[a b]; exact: n.
split.
- exact: dlaw_splits.
- apply: (@le_trans _ _ (@uniform R (fun y => if (0 < y + k <= 1)%R then 0 else 1))).
    rewrite le_eqVlt; apply/orP; left; apply/eqP; apply: (@full_uniform R) => y.
    + by case: ifP => _; rewrite ?lee01.
    + by case: ifP => _; rewrite ?lee01.
    + by move=> ->; rewrite andbT.
  by apply: (le_trans (out_of_range k)); rewrite lee_fin le_maxr kd orbT.
- move=> f F f0 F0 HfF; rewrite /= /dev.
  have p0 y : (0 <= wp_ leb (@uni_w R) y)%R by apply: wp_ge0_ => x; exact: uni_w0.
  apply: le_trans (@low_shift_le _ k (fun y => (wp_ leb (@uni_w R) y)%:E * F y) _); last first.
    by move=> y; rewrite mule_ge0// lee_fin.
  apply: low_le => y; first by rewrite mule_ge0 ?lee_fin//; case: ifP.
  case: ifPn => [n|_]; last by rewrite mule0 mule_ge0// lee_fin.
  have := HfF y n; move/andP: n => [yk yr] le.
  rewrite /wp_ /uni_w uni_total !indicE !mem_set /= ?in_itv//= invr1 !mul1r !mul1e.
  apply: (le_trans le); rewrite -[leRHS]mul1e; apply: lee_wpmul2r => //.
  by rewrite lee_fin -expR0 ler_expR oppr_le0.
by move=> y /andP[yk yr]; exact: HP.
Qed.
End Line.

(* ---- on the integers ---- *)
Section Integers.
Variable R : realType.

(* geometric noise below t *)
Lemma start_mass_geometric (b : R) (t : int) : (0 < b)%R -> (0 <= t)%R ->
  geometric b (fun y => if (t <= y)%R then 0 else 1) <= (1 - expR (- (t%:~R / b)))%:E.
Proof.
move=> b0 t0; rewrite /= /mev; set p := norm_mass (geo_w b).
have p0 y : 0 <= (p y)%:E by rewrite lee_fin; apply: norm_mass_ge0 => x; exact: geo_w0.
have e0 : (0 <= expR (- (t%:~R / b)))%R := expR_ge0 _.
pose far y : \bar R := if (t <= y)%R then (p y)%:E else 0; have far0 y : 0 <= far y by rewrite /far; case: ifP.
apply: (@left_of_one _ _ (\esum_(y in [set: int]) far y)).
  apply: (@le_trans _ _ (\esum_(y in [set: int]) ((expR (- (t%:~R / b)))%:E * (p (y - t)%R)%:E))).
    rewrite esum_scale// -[leLHS]mule1; apply: lee_wpmul2l => //.
    have -> : \esum_(y in [set: int]) (p (y - t)%R)%:E = total p by exact: (@total_shift R (fun y => p (y - t)%R) p t).
    have := total_geometric b0; rewrite /= /mev => <-.
    by apply: le_esum => y _; rewrite mule1.
  apply: le_esum => y _; rewrite /far; case: ifPn => [ty|].
    rewrite -EFinM lee_fin /p /norm_mass mulrA; apply: ler_wpmul2r.
      by rewrite invr_ge0 fine_ge0// total_ge0// => x; exact: geo_w0.
    rewrite /geo_w b0 subr_ge0 ty (le_trans t0 ty) /= -expRD ler_expR -opprD ler_opp2 -mulrDl.
    by rewrite rmorphB /= addrCA subrr addr0.
  by move=> ty; rewrite {1}/p /norm_mass /geo_w subr_ge0 (negPf ty) andbF mul0r mule0.
rewrite -esumD; [|by move=> y _; rewrite mule_ge0//; case: ifP => _; rewrite ?lee01|by move=> y _; exact: far0].
apply: le_trans (norm_mass_sub (geo_w0 b)); apply: le_esum => y _; rewrite /far.
by case: ifP => _; rewrite ?mule0 ?mule1 ?adde0 ?add0e.
Qed.
Theorem up_to_start_geometric (S : Type) (u : S -> int -> S) (Psi : assn R S) (b : R) (t : int) (k : S -> S -> R -> int) (c : S -> S -> R -> R) :
  judge (Num.max 0 (1 - expR (- (t%:~R / b))))%R (Draw (fun=> geometric b) u)
    (fun s s' j => [/\ (0 < b)%R, (0 <= t)%R, (- t <= k s s' j)%R, ((k s s' j)%:~R <= c s s' j * b)%R &
       forall y, (0 <= y)%R -> (t <= y)%R -> Psi (u s y) (u s' (y + k s s' j)%R) (j + c s s' j)%R]) Psi.
Proof.
apply: up_to_bad_on => m m' j [b0 t0]; move: (k m m' j) (c m m' j) => {}k {}c tk kc HP.
exists (fun y => t <= y)%R, (fun y => y + k)%R, (fun=> c); split.
- exact: mlaw_splits.
- by apply: (le_trans (start_mass_geometric b0 t0)); rewrite lee_fin le_maxr lexx orbT.
- move=> f F f0 F0 HfF; rewrite /= /mev; set p := norm_mass (geo_w b).
  have p0 y : (0 <= p y)%R by apply: norm_mass_ge0 => x; exact: geo_w0.
  rewrite [leRHS](@reindex_esum _ _ _ [set: int] [set: int] (fun y => y + k)%R); last first.
    by rewrite setTT_bijective; exists (fun y => y - k)%R => y; rewrite ?subrK ?addrK.
  apply: le_esum => y _; case: ifPn => [ty|_]; last by rewrite mule0 mule_ge0// lee_fin.
  apply: (@le_trans _ _ ((p y)%:E * ((expR (- c))%:E * F (y + k)%R))).
    by apply: lee_wpmul2l; [rewrite lee_fin|exact: HfF].
  rewrite muleA -EFinM; apply: lee_wpmul2r => //; rewrite lee_fin /p /norm_mass mulrAC; apply: ler_wpmul2r.
    by rewrite invr_ge0 fine_ge0// total_ge0// => a; exact: geo_w0.
  have yk : (0 <= y + k)%R by rewrite -(subrr t); exact: ler_add.
  rewrite /geo_w b0 (le_trans t0 ty) yk /= -expRD ler_expR -opprD ler_opp2.
  by rewrite ler_pdivr_mulr// mulrDl divfK ?gt_eqF// rmorphD /= ler_add2l.
by move=> y ty; apply: HP => //; exact: le_trans ty.
Qed.

(* all of low, ..., high that leave a range of the same width, which begins j places lower *)
Lemma out_of_range_int (low high j : int) : (low <= high)%R ->
  uniform_int R low high (fun y => if (low - j <= y <= high - j)%R then 0 else 1) <= (`|j|%:~R / (high - low + 1)%:~R)%:E.
Proof.
move=> ok; have n0 : (0 < (high - low + 1)%:~R :> R)%R by rewrite ltr0z range_pos.
have f0 y : 0 <= (if (low - j <= y <= high - j)%R then 0 else 1 : \bar R) by case: ifP => _; rewrite ?lee01.
have [small|large] := leP `|j|%R (high - low + 1)%R; last first.
  apply: (@le_trans _ _ 1); first by apply: ev_le1 => // y; case: ifP => _; rewrite ?lee01.
  by rewrite lee_fin ler_pdivl_mulr// mul1r ler_int ltW.
pose l : int := if (0 <= j)%R then low else (low - j)%R; pose h : int := if (0 <= j)%R then (high - j)%R else high.
have [ll lh hh E] : [/\ low <= l, l <= h + 1, h <= high & l - low + (high - h) = `|j|]%R.
  move: small; rewrite /l /h; case: ifPn => [j0|].
    rewrite (ger0_norm j0) => small; split=> //; [|by rewrite ler_subl_addr ler_addl|by rewrite subrr add0r subKr].
    by rewrite -subr_ge0 (_ : high - j + 1 - low = high - low + 1 - j)%R ?subr_ge0//; ring.
  rewrite -ltNge => j0; rewrite (ltr0_norm j0) => small; split=> //; first by rewrite ler_addl oppr_ge0 ltW.
    by rewrite -subr_ge0 (_ : high + 1 - (low - j) = high - low + 1 - - j)%R ?subr_ge0//; ring.
  by rewrite subrr addr0 addrAC subrr add0r.
rewrite -E -left_out_int//; apply: ev_le => // y; case: ifPn => [_|n]; first by case: ifP => _; rewrite ?lee01.
case: ifPn => // /andP[ly yh]; case/negP: n; move: ly yh; rewrite /l /h; case: ifPn => [j0 ly yh|].
  by rewrite yh andbT (le_trans _ ly)// ler_subl_addr ler_addl.
by rewrite -ltNge => j0 -> yh /=; rewrite (le_trans yh)// ler_addl oppr_ge0 ltW.
Qed.
Theorem up_to_moved_uniform_int (S : Type) (low high : S -> int) (u : S -> int -> S) (Psi : assn R S) (d : R) (k : S -> S -> R -> int) (c : S -> S -> R -> R) :
  judge (Num.max 0 d)%R (Draw (fun s => uniform_int R (low s) (high s)) u)
    (fun s s' j => [/\ (low s <= high s)%R, (high s - low s = high s' - low s')%R,
       (`|k s s' j + low s - low s'|%:~R <= d * (high s - low s + 1)%:~R)%R, (0 <= c s s' j)%R &
       forall y, (low s <= y <= high s)%R -> (low s' <= y + k s s' j <= high s')%R -> Psi (u s y) (u s' (y + k s s' j)%R) (j + c s s' j)%R]) Psi.
Proof.
apply: up_to_bad_on => m m' j []; move: (k m m' j) (c m m' j) => {}k {}c ok width kd c0 HP.
move: (low m) (high m) (low m') (high m') ok width kd HP => a b a' b' ok width kd HP.
have n0 : (0 < (b - a + 1)%:~R :> R)%R by rewrite ltr0z range_pos.
have ok' : (a' <= b')%R by rewrite -subr_ge0 -width subr_ge0.
exists (fun y => (a' <= y + k <= b') && (a <= y <= b))%R, (fun y => y + k)%R, (fun=> c); split.
- exact: flaw_splits.
- apply: (@le_trans _ _ (uniform_int R a b (fun y => if (a - (k + a - a') <= y <= b - (k + a - a'))%R then 0 else 1))).
    rewrite le_eqVlt; apply/orP; left; apply/eqP; apply: (@full_uniform_int R a b) => y.
    + by case: ifP => _; rewrite ?lee01.
    + by case: ifP => _; rewrite ?lee01.
    + move=> ->; rewrite andbT (_ : a - (k + a - a') = a' - k)%R; last by ring.
      rewrite (_ : b - (k + a - a') = b' - k)%R; last by rewrite -(subrK a' b') -width; ring.
      by rewrite ler_subl_addr ler_subr_addr.
  apply: (le_trans (out_of_range_int (k + a - a') ok)); rewrite lee_fin le_maxr; apply/orP; right.
  by rewrite ler_pdivr_mulr.
- move=> f F f0 F0 HfF; rewrite !flawE ?uniform_int_fine// [leLHS]big_map [leRHS]big_map /= -width.
  set n := (b - a + 1)%:~R^-1%R; have ni : 0 <= n%:E by rewrite lee_fin invr_ge0 ltW.
  pose near y := ((a' <= y + k <= b') && (a <= y <= b))%R.
  pose L := [seq (y + k)%R | y <- range a b & near y].
  apply: (@le_trans _ _ (\sum_(y <- L) n%:E * F y)).
    rewrite /L [leRHS]big_map [leRHS]big_filter [leRHS]big_mkcond /=; apply: lee_sum => y _.
    rewrite -/(near y); case: ifPn => [yn|_]; last by rewrite mule0.
    apply: lee_wpmul2l => //; apply: (le_trans (HfF y yn)); rewrite -[leRHS]mul1e; apply: lee_wpmul2r => //.
    by rewrite lee_fin -expR0 ler_expR oppr_le0.
  rewrite [leRHS](bigID (mem L)) /= -[X in _ <= X + _]big_filter.
  have -> : \sum_(y <- [seq y <- range a' b' | y \in L]) n%:E * F y = \sum_(y <- L) n%:E * F y.
    apply: perm_big; apply: uniq_perm; first by rewrite filter_uniq// uniq_range.
      by rewrite map_inj_uniq ?filter_uniq ?uniq_range// => x y /addIr.
    move=> y; rewrite mem_filter; case: (boolP (y \in L)) => //= /mapP[x + ->].
    by rewrite mem_filter => /andP[/andP[xk _] _]; rewrite mem_range// (le_trans ok')// ler_addl.
  by apply: lee_paddr => //; apply: sume_ge0 => y _; rewrite mule_ge0.
by move=> y /andP[yk yr]; exact: HP.
Qed.
End Integers.
