(* Snap over the reals is eps-private by cases (000 Theorem 5, 002 Theorem 4): the mass of each outcome, and the ratio of two masses.

   An outcome is released when x + s ln(u) / eps falls into its cell: an interval (where the sum is rounded), a half-line (where it is clamped).  noise_cdf: with u
   uniform and s a fair sign, z = s ln(u) is at most t with probability cdf(t), e^t / 2 below 0 and 1 - e^-t / 2 above; the cases are those of the sign.
   mass_between, mass_below, mass_above: the masses of the cells.  cell_ratio, tail_ratio: moving the input by k, in units of the noise, changes them by at most
   e^|k|; the cases are where both inputs lie.  outcome_ratio: so it is for each outcome, and snap_by_cases: for each set of outcomes, which are countable. *)
From Probity Require Import PreludeIntegral.
From mathcomp.classical Require Import cardinality fsbigop set_interval.
From mathcomp.analysis Require Import derive.
From Probity Require Import Judgement Laws Sampling Density Additive Privacy Continuous Logarithm SignedLog Snap.
From Probity Require Rules.
Local Open Scope classical_set_scope.
Local Open Scope ring_scope.

Section Ratio.
Variable R : realType.
Implicit Types t k : R.
Definition cdf t : R := if t <= 0 then expR t / 2 else 1 - expR (- t) / 2.

(* e^k cdf(t + k) - cdf(t) does not fall with t, for k >= 0: below -k, between, above 0 *)
Definition gap k t := expR k * cdf (t + k) - cdf t.
Lemma half_le (x y : R) : x <= y -> x / 2 <= y / 2.
Proof. by move=> xy; apply: ler_wpmul2r => //; rewrite invr_ge0 ler0n. Qed.
Lemma gap_below k t : t + k <= 0 -> 0 <= k -> gap k t = (expR (k + k) - 1) * (expR t / 2).
Proof.
move=> tk k0; have t0 : t <= 0 by apply: le_trans tk; rewrite ler_addl.
by rewrite /gap /cdf tk t0 !expRD; field.
Qed.
Lemma gap_between k t : 0 <= t + k -> t <= 0 -> gap k t = expR k - (expR (- t) + expR t) / 2.
Proof.
move=> tk t0; rewrite /gap /cdf t0; have [tk0|tk0] := leP (t + k) 0.
  have E : t = - k by apply/eqP; rewrite -addr_eq0 eq_le tk0 tk.
  by rewrite E addNr opprK expR0; field.
have e0 : expR k * expR (- (t + k)) = expR (- t) by rewrite -expRD; congr expR; ring.
by rewrite mulrBr mulr1 mulrA e0; field.
Qed.
Lemma gap_above k t : 0 <= t -> 0 <= k -> gap k t = expR k - 1.
Proof.
move=> t0 k0; have tk : 0 <= t + k by rewrite addr_ge0.
have [t0'|t0'] := leP t 0.
  have E : t = 0 by apply/eqP; rewrite eq_le t0 t0'.
  by rewrite gap_between// E oppr0 expR0; field.
have tk' : 0 < t + k by rewrite ltr_paddr.
have e0 : expR k * expR (- (t + k)) = expR (- t) by rewrite -expRD; congr expR; ring.
by rewrite /gap /cdf leNgt tk' leNgt t0' /= mulrBr mulr1 mulrA e0; field.
Qed.
(* e^-t + e^t falls below 0 *)
Lemma cosh_falls s t : s <= t -> t <= 0 -> expR (- t) + expR t <= expR (- s) + expR s.
Proof.
move=> st t0; have p := expR_gt0 t; have q := expR_gt0 s; rewrite !expRN.
have ab : expR s <= expR t by rewrite ler_expR.
have b1 : expR t <= 1 by rewrite -[leRHS]expR0 ler_expR.
rewrite -subr_ge0 (_ : _ - _ = (expR t - expR s) * (1 - expR s * expR t) / (expR s * expR t)); last first.
  by field; rewrite !gt_eqF.
by rewrite divr_ge0 ?mulr_ge0 ?subr_ge0 ?(ltW p) ?(ltW q)// -[leRHS]mulr1 ler_pmul ?(ltW p) ?(ltW q)// (le_trans ab).
Qed.
Lemma gap_grows k s t : 0 <= k -> s <= t -> gap k s <= gap k t.
Proof.
move=> k0 st.
have below x y : y + k <= 0 -> x <= y -> gap k x <= gap k y.
  move=> yk xy; have xk : x + k <= 0 by apply: le_trans yk; rewrite ler_add2r.
  rewrite !gap_below//; apply: ler_wpmul2l; last by apply: half_le; rewrite ler_expR.
  by rewrite subr_ge0 -[leLHS]expR0 ler_expR addr_ge0.
have between x y : 0 <= x + k -> y <= 0 -> x <= y -> gap k x <= gap k y.
  move=> xk y0 xy; have x0 := le_trans xy y0; have yk : 0 <= y + k by apply: le_trans xk _; rewrite ler_add2r.
  by rewrite !gap_between// ler_add2l ler_opp2; apply: half_le; exact: cosh_falls.
have above x y : 0 <= x -> x <= y -> gap k x <= gap k y.
  by move=> x0 xy; rewrite !gap_above// (le_trans x0).
have mid x y : 0 <= x + k -> x <= y -> gap k x <= gap k y.
  move=> xk xy; have [y0|y0] := leP y 0; first exact: between.
  have [x0|x0] := leP x 0; last by apply: above => //; exact: ltW.
  by apply: (@le_trans _ _ (gap k 0)); [exact: between|apply: above => //; exact: ltW].
have [tk|tk] := leP (t + k) 0; first exact: below.
have [sk|sk] := leP 0 (s + k); first exact: mid.
have nk : - k + k = 0 by rewrite addNr.
apply: (@le_trans _ _ (gap k (- k))); first by apply: below; rewrite ?nk// -subr_le0 opprK ltW.
by apply: mid; rewrite ?nk// -subr_ge0 opprK ltW.
Qed.
Lemma cdf_neg t : cdf (- t) = 1 - cdf t.
Proof.
rewrite /cdf oppr_le0; have [t0|t0] := ltP t 0.
  by have -> : (t <= 0) = true; [exact: ltW|rewrite opprK].
move: t0; rewrite le_eqVlt => /orP[/eqP <-|t0]; first by rewrite lexx oppr0 expR0; field.
by have -> : (t <= 0) = false; [rewrite leNgt t0|rewrite opprB addrC subrK].
Qed.
(* the mass of ]s, t] against that of the same cell for an input that is k away, either way *)
Theorem cell_ratio k s t : s <= t -> cdf t - cdf s <= expR `|k| * (cdf (t + k) - cdf (s + k)).
Proof.
have up h u v : 0 <= h -> u <= v -> cdf v - cdf u <= expR h * (cdf (v + h) - cdf (u + h)).
  move=> h0 uv; have := gap_grows h0 uv; rewrite /gap => G.
  rewrite -subr_ge0; rewrite -subr_ge0 in G.
  by rewrite (_ : _ - _ = expR h * cdf (v + h) - cdf v - (expR h * cdf (u + h) - cdf u))//; ring.
move=> st; have [k0|k0] := leP 0 k; first by rewrite ger0_norm//; exact: up.
have n0 : 0 <= - k by rewrite oppr_ge0 ltW.
have := @up (- k) (- t) (- s) n0; rewrite ler_opp2 => /(_ st).
have E (x y : R) : (1 - x) - (1 - y) = y - x by ring.
by rewrite -!opprD !cdf_neg !E ltr0_norm.
Qed.

(* half-lines *)
Lemma cosh_ge1 t : 1 <= (expR (- t) + expR t) / 2.
Proof.
have p := expR_gt0 t; rewrite expRN -subr_ge0 (_ : _ - _ = (expR t - 1) ^+ 2 / (expR t * 2)); last by field; rewrite gt_eqF.
by rewrite divr_ge0 ?sqr_ge0// mulr_ge0// ltW.
Qed.
Lemma tail_up k t : 0 <= k -> cdf (t + k) <= expR k * cdf t.
Proof.
move=> k0; rewrite /cdf; have [tk|tk] := leP (t + k) 0.
  have t0 : t <= 0 by apply: le_trans tk; rewrite ler_addl.
  by rewrite t0 expRD [expR t * _]mulrC mulrA.
have [t0|t0] := leP t 0.
  have := cosh_ge1 (t + k); rewrite mulrA -expRD [k + t]addrC => h.
  by rewrite ler_subl_addr -mulrDl addrC.
have e1 : expR (- t) <= 1 by rewrite -[leRHS]expR0 ler_expR oppr_le0 ltW.
have kk : 0 <= expR k - expR (- k) by rewrite subr_ge0 ler_expR ler_oppl; apply: (@le_trans _ _ 0) => //; rewrite oppr_le0.
have E : expR (- (t + k)) = expR (- t) * expR (- k) by rewrite opprD expRD.
rewrite E -subr_ge0.
have -> : expR k * (1 - expR (- t) / 2) - (1 - expR (- t) * expR (- k) / 2) =
  ((expR (- k) + expR k) / 2 - 1) + (1 - expR (- t)) * (expR k - expR (- k)) / 2 by field.
by rewrite addr_ge0 ?subr_ge0 ?cosh_ge1// divr_ge0// mulr_ge0// subr_ge0.
Qed.
Lemma cdf_grows k t : 0 <= k -> cdf t <= cdf (t + k).
Proof.
move=> k0; have e0 : 0 < expR k := expR_gt0 k; rewrite /cdf; have [tk|tk] := leP (t + k) 0.
  have t0 : t <= 0 by apply: le_trans tk; rewrite ler_addl.
  by rewrite t0; apply: half_le; rewrite ler_expR ler_addl.
have [t0|t0] := leP t 0.
  have a : expR t / 2 <= 1 / 2 by apply: half_le; rewrite -[leRHS]expR0 ler_expR.
  have b : expR (- (t + k)) / 2 <= 1 / 2 by apply: half_le; rewrite -[leRHS]expR0 ler_expR oppr_le0 ltW.
  by apply: (le_trans a); rewrite ler_subr_addr (le_trans (ler_add (lexx _) b))// -mulrDl ler_pdivr_mulr ?ltr0n// mul1r.
by rewrite ler_add2l ler_opp2; apply: half_le; rewrite ler_expR ler_opp2 ler_addl.
Qed.
Lemma cdf_ge0 t : 0 <= cdf t.
Proof.
rewrite /cdf; have [t0|t0] := leP t 0; first by rewrite divr_ge0// ltW// expR_gt0.
have b : expR (- t) / 2 <= 1 / 2 by apply: half_le; rewrite -[leRHS]expR0 ler_expR oppr_le0 ltW.
by rewrite subr_ge0 (le_trans b)// ler_pdivr_mulr ?ltr0n// mul1r ler1n.
Qed.
Theorem tail_ratio k t : cdf t <= expR `|k| * cdf (t + k).
Proof.
have [k0|k0] := leP 0 k; last first.
  by have := @tail_up (- k) (t + k); rewrite addrK ltr0_norm// oppr_ge0 => /(_ (ltW k0)).
apply: (le_trans (cdf_grows _ k0)); rewrite ger0_norm// -[leLHS]mul1r ler_wpmul2r ?cdf_ge0//.
by rewrite -[leLHS]expR0 ler_expR.
Qed.
End Ratio.

Section Mass.
Local Open Scope ereal_scope.
Variable R : realType.
Notation T := (measurableTypeR R).
Let leb : {measure set T -> \bar R} := [the measure _ _ of @lebesgue_measure R].
Let U : law R T := @uniform R.
(* the indicator of a set, as a test *)
Definition one_on (A : set T) (z : T) : \bar R := if `[< A z >] then 1 else 0.
Lemma one_on_ge0 A z : 0 <= one_on A z. Proof. by rewrite /one_on; case: ifP; rewrite ?lee01. Qed.
Lemma one_onE A : one_on A = EFin \o (\1_A : T -> R).
Proof.
apply/funext => z /=; rewrite /one_on indicE; case: asboolP => H; first by rewrite mem_set.
by rewrite memNset.
Qed.
Lemma one_on_meas A : measurable A -> measurable_fun setT (one_on A).
Proof. by move=> mA; rewrite one_onE; apply/EFin_measurable_fun; exact: mindic. Qed.
Lemma uniform_on (A B : set T) : measurable B -> (forall u, (0 < u <= 1)%R -> A u <-> B u) -> (B `<=` `]0%R, 1%R]) ->
  U (one_on A) = leb B.
Proof.
move=> mB AB sub; rewrite -[B]setIT -integral_indic// /= /dev; apply: eq_integral => u _.
rewrite /wp_ uni_total divr1 /uni_w !indicE /one_on; have [ur|nur] := boolP (u \in `]0%R, 1%R]).
  rewrite mem_set// mul1e; move: ur; rewrite in_itv /= => ur.
  by case: asboolP => [/(AB u ur) Bu|nA]; [rewrite mem_set|rewrite memNset// => /(AB u ur)].
by rewrite memNset; [rewrite mul0e memNset// => /sub; exact/negP|exact/negP].
Qed.
Lemma uniform_below (p : R) : (0 <= p <= 1)%R -> U (one_on [set u | u <= p]%R) = p%:E.
Proof.
move=> /andP[p0 p1]; rewrite (@uniform_on _ `]0%R, p]%classic).
- rewrite /leb /= lebesgue_measure_itv hlength_itv /= lte_fin oppr0 adde0.
  by move: p0; rewrite le_eqVlt => /orP[/eqP <-|->]; rewrite ?ltxx.
- exact: measurable_itv.
- by move=> u /andP[u0 _]; rewrite /= in_itv /= u0.
- by move=> u; rewrite /= !in_itv /= => /andP[-> up]; rewrite (le_trans up).
Qed.
Lemma uniform_above (p : R) : (0 < p <= 1)%R -> U (one_on [set u | p <= u]%R) = (1 - p)%:E.
Proof.
move=> /andP[p0 p1]; rewrite (@uniform_on _ `[p, 1%R]%classic).
- rewrite /leb /= lebesgue_measure_itv hlength_itv /= lte_fin.
  by move: p1; rewrite le_eqVlt => /orP[/eqP ->|->]; rewrite ?ltxx ?subrr.
- exact: measurable_itv.
- by move=> u /andP[_ u1]; rewrite /= in_itv /= u1 andbT.
- by move=> u; rewrite /= !in_itv /= => /andP[pu ->]; rewrite (lt_le_trans p0).
Qed.
(* the law of z = s ln(u): below 0 only s = 1 and u <= e^t, above 0 every u with s = 1, and u >= e^-t with s = -1 *)
Theorem noise_cdf (t : R) : laplace 0%R 1%R (one_on [set z | z <= t]%R) = (cdf t)%:E.
Proof.
have E : laplace 0%R 1%R (one_on [set z | z <= t]%R) = sign R (fun s => U (fun u => one_on [set z | z <= t]%R (s * ln u)%R)).
  rewrite (pair_law (f := fun u s => one_on [set z | z <= t]%R (s * ln u)%R)); last by move=> *; exact: one_on_ge0.
  by congr (ev (laplace _ _)); apply/funext => z; rewrite signed_size.
have same (A B : set T) : (forall u, (0 < u <= 1)%R -> A u <-> B u) -> U (one_on A) = U (one_on B).
  move=> AB; apply: (@full_uniform R) => [u|u|u ur]; try exact: one_on_ge0.
  by rewrite /one_on; case: asboolP => h; case: asboolP => // g; [case: g; exact/(AB u ur)|case: h; exact/(AB u ur)].
have lnle (u : R) : (0 < u <= 1)%R -> (ln u <= 0)%R by move=> /andP[u0 u1]; rewrite -(@ln1 R) ler_ln ?qualifE.
have le_ln (u r : R) : (0 < u)%R -> (ln u <= r)%R = (u <= expR r)%R by move=> u0; rewrite -[in RHS](@lnK R u) ?ler_expR ?qualifE.
have ln_le (u r : R) : (0 < u)%R -> (r <= ln u)%R = (expR r <= u)%R by move=> u0; rewrite -[in RHS](@lnK R u) ?ler_expR ?qualifE.
rewrite E signE; have [t0|t0] := ltP t 0%R.
  rewrite (_ : U (fun u => _) = (expR t)%:E); last first.
    rewrite -uniform_below; last by rewrite expR_ge0 -[leRHS]expR0 ler_expR ltW.
    by apply: (same (fun u => 1 * ln u <= t)%R) => u /andP[u0 _]; rewrite /= mul1r le_ln.
  rewrite (_ : U (fun u => _) = 0); last first.
    rewrite -[RHS](ev0 U); apply: (@full_uniform R) => [u|u|u ur]; [exact: one_on_ge0|by []|].
    rewrite /one_on asboolF//= mulN1r => h; have := lnle u ur; rewrite -oppr_ge0 => g.
    by have := lt_le_trans t0 g; rewrite ltNge h.
  by rewrite mule0 adde0 -EFinM /cdf ltW// mulrC.
rewrite (_ : U (fun u => _) = 1); last first.
  rewrite -[RHS](total_uniform R); apply: (@full_uniform R) => [u|u|u ur]; [exact: one_on_ge0|exact: lee01|].
  by rewrite /one_on asboolT//= mul1r (le_trans (lnle u ur)).
rewrite (_ : U (fun u => _) = (1 - expR (- t))%:E); last first.
  rewrite -uniform_above; last by rewrite expR_gt0 -[leRHS]expR0 ler_expR oppr_le0.
  by apply: (same (fun u => -1 * ln u <= t)%R) => u /andP[u0 _]; rewrite /= mulN1r ler_oppl ln_le.
rewrite mule1 -EFinM -EFinD /cdf; congr EFin; case: ifPn => h; last by field.
have -> : (t = 0)%R by apply/eqP; rewrite eq_le h t0.
by rewrite oppr0 expR0; field.
Qed.

Let L (A : set T) := laplace 0%R 1%R (one_on A).
Lemma L_mono A B : A `<=` B -> L A <= L B.
Proof.
move=> AB; apply: ev_le => z; first exact: one_on_ge0.
by rewrite /one_on; case: (asboolP (A z)) => [/AB Bz|_]; [rewrite asboolT|case: ifP; rewrite ?lee01].
Qed.
Lemma L_int A : L A = \int[leb]_z ((wp_ leb (lap_w 0 1) z)%:E * one_on A z). Proof. by []. Qed.
Lemma L_meas A : measurable A -> measurable_fun setT (fun z : T => (wp_ leb (lap_w 0 1) z)%:E * one_on A z).
Proof.
move=> mA; apply: emeasurable_funM; last exact: one_on_meas.
by apply/EFin_measurable_fun; apply: wp_meas; exact: lap_w_meas.
Qed.
Lemma L_term0 A z : 0 <= (wp_ leb (lap_w 0 1) z)%:E * one_on A z.
Proof. by rewrite mule_ge0 ?one_on_ge0// lee_fin lap_p0. Qed.
Lemma L_point t : L [set t] = 0.
Proof.
rewrite L_int -(@low_shift R t); last exact: L_term0.
rewrite -(@low_point R (fun z => (wp_ leb (lap_w 0 1) (z + t)%R)%:E)); last by move=> z; rewrite lee_fin lap_p0.
apply: eq_integral => z _; rewrite /one_on /cutg; case: asboolP => /= h.
  by rewrite asboolT ?mule1//=; apply: (addIr t); rewrite add0r.
by rewrite asboolF ?mule0//= => z0; apply: h; rewrite z0 add0r.
Qed.
Lemma L_union A B : measurable A -> measurable B -> A `&` B = set0 -> L (A `|` B) = L A + L B.
Proof.
move=> mA mB AB; rewrite !L_int -ge0_integralD//; try (by move=> z _; exact: L_term0); try exact: L_meas.
apply: eq_integral => z _; rewrite -ge0_muleDr ?one_on_ge0//; congr (_ * _); rewrite /one_on.
case: (asboolP (A z)) => a; case: (asboolP (B z)) => b; [|by rewrite asboolT ?adde0//; left|by rewrite asboolT ?add0e//; right|].
  by have : (A `&` B) z by []; rewrite AB.
by rewrite asboolF ?adde0// => -[].
Qed.
Lemma mpoint (A : set T) t : A = [set t] -> measurable A.
Proof. by move=> ->; rewrite -set_itv1; exact: measurable_itv. Qed.
Lemma L_with_point A t : measurable A -> L (A `|` [set t]) = L A.
Proof.
move=> mA; have [At|nAt] := pselect (A t).
  by congr L; apply/seteqP; split=> z; [move=> [//|->]|left].
have D : A `&` [set t] = set0 by apply/seteqP; split=> z //= [Az zt]; apply: nAt; rewrite -zt.
by rewrite (L_union mA (mpoint (erefl [set t])) D) L_point adde0.
Qed.
Lemma squeeze A B C (m : \bar R) : A `<=` C -> C `<=` B -> m <= L A -> L B <= m -> L C = m.
Proof.
move=> AC CB LA LB; apply/eqP; rewrite eq_le; apply/andP; split.
  by apply: le_trans LB; exact: L_mono.
by apply: (le_trans LA); exact: L_mono.
Qed.
Let le_ t : set T := [set z | z <= t]%R.
Let lt_ t : set T := [set z | z < t]%R.
Let ge_ t : set T := [set z | t <= z]%R.
Let gt_ t : set T := [set z | t < z]%R.
Lemma compl_gt t : le_ t = ~` gt_ t.
Proof. by apply/seteqP; split=> z; rewrite /le_ /gt_ /= => h; [apply/negP; rewrite -leNgt|rewrite leNgt; exact/negP]. Qed.
Lemma compl_ge t : lt_ t = ~` ge_ t.
Proof. by apply/seteqP; split=> z; rewrite /lt_ /ge_ /= => h; [apply/negP; rewrite -ltNge|rewrite ltNge; exact/negP]. Qed.
Lemma mle t : measurable (le_ t). Proof. by rewrite compl_gt; apply: measurableC; exact: mray_gt. Qed.
Lemma mlt t : measurable (lt_ t). Proof. by rewrite compl_ge; apply: measurableC; exact: mray_ge. Qed.
Lemma L_le t : L (le_ t) = (cdf t)%:E. Proof. exact: noise_cdf. Qed.
Lemma L_lt t : L (lt_ t) = (cdf t)%:E.
Proof.
rewrite -L_le -(L_with_point t (mlt t)); congr L; apply/seteqP; split=> z; rewrite /le_ /lt_ /=.
  by move=> [/ltW|->].
by rewrite le_eqVlt => /orP[/eqP ->|h]; [right|left].
Qed.
Lemma L_gt t : L (gt_ t) = (1 - cdf t)%:E.
Proof.
have one : L setT = 1.
  by rewrite -(total_laplace 0%R (@ltr01 R)); congr (ev (laplace _ _)); apply/funext => z; rewrite /one_on asboolT.
have : L (le_ t `|` gt_ t) = 1 by rewrite -one; congr L; apply/seteqP; split=> z //= _; case: (leP z t); [left|right].
rewrite L_union ?L_le; [|exact: mle|exact: mray_gt|]; last first.
  by apply/seteqP; split=> z //= [h g]; have := le_lt_trans h g; rewrite ltxx.
have g0 : 0 <= L (gt_ t) by apply: ev_ge0 => z; exact: one_on_ge0.
case: (L (gt_ t)) g0 => [r _|_|] //; rewrite -?EFinD => -[E]; first by rewrite -E addrAC subrr add0r.
Qed.
Lemma L_oc a b : (a <= b)%R -> L (`]a, b]%classic) = (cdf b - cdf a)%:E.
Proof.
move=> ab; have : L (le_ a `|` `]a, b]%classic) = L (le_ b).
  congr L; apply/seteqP; split=> z /=; rewrite in_itv /=; first by move=> [h|/andP[_ //]]; exact: le_trans ab.
  by move=> zb; case: (leP z a) => h; [left|right].
rewrite L_union ?L_le; [|exact: mle|exact: measurable_itv|]; last first.
  by apply/seteqP; split=> z //=; rewrite in_itv /= => -[h /andP[g _]]; have := le_lt_trans h g; rewrite ltxx.
have g0 : 0 <= L (`]a, b]%classic) by apply: ev_ge0 => z; exact: one_on_ge0.
case: (L (`]a, b]%classic)) g0 => [r _|_|] //; rewrite -?EFinD => -[E]; first by rewrite -E addrAC subrr add0r.
Qed.

(* what is released as one outcome: an interval with or without its ends, a half-line, everything or nothing *)
Inductive cell (C : set T) : Prop :=
| Between a b of (a <= b)%R & `]a, b[%classic `<=` C & C `<=` `[a, b]%classic
| Below b of lt_ b `<=` C & C `<=` le_ b
| Above a of gt_ a `<=` C & C `<=` ge_ a
| All of C = setT
| None of C = set0.
Variable eps : R.
Hypothesis eps0 : (0 < eps)%R.
Definition mass (x : R) (C : set T) := L [set z | C (x + z / eps)%R].
Lemma move_lt (x y z : R) : (x + z / eps < y)%R = (z < eps * (y - x))%R.
Proof. by rewrite -ltr_subr_addl ltr_pdivr_mulr// mulrC. Qed.
Lemma move_le (x y z : R) : (x + z / eps <= y)%R = (z <= eps * (y - x))%R.
Proof. by rewrite -ler_subr_addl ler_pdivr_mulr// mulrC. Qed.
Lemma move_gt (x y z : R) : (y < x + z / eps)%R = (eps * (y - x) < z)%R. Proof. by rewrite !ltNge move_le. Qed.
Lemma move_ge (x y z : R) : (y <= x + z / eps)%R = (eps * (y - x) <= z)%R. Proof. by rewrite !leNgt move_lt. Qed.

Theorem mass_between x a b C : (a <= b)%R -> `]a, b[%classic `<=` C -> C `<=` `[a, b]%classic ->
  mass x C = (cdf (eps * (b - x)) - cdf (eps * (a - x)))%:E.
Proof.
move=> ab inner outer; set l := (eps * (a - x))%R; set r := (eps * (b - x))%R.
have lr : (l <= r)%R by rewrite /l /r ler_pmul2l// ler_add2r.
apply: (@squeeze `]l, r[%classic `[l, r]%classic).
- by move=> z /=; rewrite in_itv /= => /andP[h g]; apply: inner; rewrite /= in_itv /= move_gt move_lt h g.
- by move=> z /outer; rewrite /= !in_itv /= move_ge move_le.
- rewrite -L_oc// -(@L_with_point _ r (measurable_itv `]l, r[)); apply: L_mono => z /=; rewrite !in_itv /= => /andP[h].
  by rewrite le_eqVlt => /orP[/eqP ->|g]; [right|left; rewrite h].
- rewrite -L_oc// -(@L_with_point _ l (measurable_itv `]l, r])); apply: L_mono => z /=; rewrite !in_itv /= => /andP[h g].
  by move: h; rewrite le_eqVlt => /orP[/eqP ->|h]; [right|left; rewrite h].
Qed.
Theorem mass_below x b C : lt_ b `<=` C -> C `<=` le_ b -> mass x C = (cdf (eps * (b - x)))%:E.
Proof.
move=> inner outer; set r := (eps * (b - x))%R; apply: (@squeeze (lt_ r) (le_ r)); rewrite ?L_lt ?L_le//.
- by move=> z /= h; apply: inner; rewrite /lt_ /= move_lt.
- by move=> z /outer; rewrite /le_ /= move_le.
Qed.
Theorem mass_above x a C : gt_ a `<=` C -> C `<=` ge_ a -> mass x C = (1 - cdf (eps * (a - x)))%:E.
Proof.
move=> inner outer; set l := (eps * (a - x))%R; apply: (@squeeze (gt_ l) (ge_ l)); rewrite ?L_gt//.
- by move=> z /= h; apply: inner; rewrite /gt_ /= move_gt.
- by move=> z /outer; rewrite /ge_ /= move_ge.
rewrite -L_gt -(@L_with_point _ l (mray_gt l)); apply: L_mono => z; rewrite /ge_ /gt_ /= le_eqVlt => /orP[/eqP ->|h]; [by right|by left].
Qed.

(* the ratio of the masses of one outcome, by cases of the outcome and of the inputs *)
Theorem outcome_ratio x x' C : (`|x - x'| <= 1)%R -> cell C -> mass x C <= (expR eps)%:E * mass x' C.
Proof.
move=> xx cC; pose k := (eps * (x - x'))%R.
have ke : (expR `|k| <= expR eps)%R by rewrite ler_expR normrM gtr0_norm// -[leRHS]mulr1 ler_pmul2l.
have kE y : (eps * (y - x) + k = eps * (y - x'))%R by rewrite /k; ring.
have e1 : (1 <= expR eps)%R by rewrite -[leLHS]expR0 ler_expR ltW.
have grow (p q : R) : (0 <= q)%R -> (p <= expR `|k| * q)%R -> p%:E <= (expR eps)%:E * q%:E.
  by move=> q0 h; rewrite -EFinM lee_fin (le_trans h)// ler_wpmul2r.
have mono (s t : R) : (s <= t)%R -> (0 <= cdf t - cdf s)%R.
  move=> st; have E : (s + (t - s) = t)%R by rewrite addrC subrK.
  by rewrite subr_ge0; have := @cdf_grows R (t - s)%R s; rewrite E subr_ge0 => /(_ st).
case: cC => [a b ab i o|b i o|a i o|->|->].
- rewrite !(mass_between _ ab i o); apply: grow; first by apply: mono; rewrite ler_pmul2l// ler_add2r.
  by have := @cell_ratio R k (eps * (a - x))%R (eps * (b - x))%R; rewrite !kE; apply; rewrite ler_pmul2l// ler_add2r.
- rewrite !(mass_below _ i o); apply: grow; first exact: cdf_ge0.
  by have := @tail_ratio R k (eps * (b - x))%R; rewrite kE.
- rewrite !(mass_above _ i o) -!cdf_neg; apply: grow; first exact: cdf_ge0.
  by have := @tail_ratio R (- k)%R (- (eps * (a - x)))%R; rewrite normrN -opprD kE.
- have m1 y : mass y setT = 1.
    by rewrite -(total_laplace 0%R (@ltr01 R)); congr (ev (laplace _ _)); apply/funext => z; rewrite /one_on asboolT.
  by rewrite !m1 mule1 lee_fin.
have m0 y : mass y set0 = 0.
  by rewrite -[RHS](ev0 (laplace 0%R 1%R)); congr (ev (laplace _ _)); apply/funext => z; rewrite /one_on asboolF.
by rewrite !m0 mule0.
Qed.

(* all outcomes together *)
Lemma L_series (A : nat -> set T) : (forall n, measurable (A n)) -> (forall n m z, A n z -> A m z -> n = m) ->
  L [set z | exists n, A n z] = \sum_(n <oo) L (A n).
Proof.
move=> mA dis; rewrite L_int -integral_nneseries//; [|by move=> n; exact: L_meas|by move=> n z _; exact: L_term0].
apply: eq_integral => z _; have [[n An]|no] := pselect (exists n, A n z).
  rewrite (@series_only _ _ n) => [|k|k kn]; [|exact: L_term0|]; first by rewrite /one_on !asboolT//; exists n.
  by rewrite /one_on asboolF ?mule0// => Ak; move: kn; rewrite (dis k n z Ak An) eqxx.
rewrite {1}/one_on asboolF// mule0; apply/esym; apply: nneseries0 => n _.
by rewrite /one_on asboolF ?mule0// => An; apply: no; exists n.
Qed.
Theorem snap_by_cases (O : countType) (finish : R -> O) x x' : (`|x - x'| <= 1)%R ->
  (forall r, cell [set y | finish y = r]) -> (forall r, borel [set y | finish y = r]) ->
  dp (release eps finish) (snap R) eps 0 (x, 0%R) (x', 0%R).
Proof.
move=> xx cells meas E; rewrite adde0.
pose A y n : set T := [set z | pickle (finish (y + z / eps)%R) = n /\ E (finish (y + z / eps)%R)].
have AE n : (forall y, A y n = set0) \/ exists r, forall y, A y n = [set z | [set w | finish w = r] (y + z / eps)%R].
  have [[r [rn Er]]|no] := pselect (exists r : O, pickle r = n /\ E r).
    right; exists r => y; apply/seteqP; split=> z; rewrite /A /=; last by move=> ->.
    by move=> [zn _]; apply: (pcan_inj pickleK); rewrite zn rn.
  by left=> y; apply/seteqP; split=> z //; rewrite /A /= => zn; apply: no; exists (finish (y + z / eps)%R).
have mA y n : measurable (A y n).
  case: (AE n) => [->|[r ->]]; first exact: measurable0.
  have m : borel_fun (fun z => y + z / eps)%R.
    apply: measurable_funD; first exact: measurable_fun_cst.
    by under eq_fun do rewrite mulrC; apply: measurable_funrM; exact: measurable_fun_id.
  by have := m measurableT _ (meas r); rewrite setTI.
have wpE y : wp (snap R) (ind R (fun s => E (release eps finish s))) (y, 0%R) = \sum_(n <oo) L (A y n).
  rewrite -L_series//; last by move=> n m z [<- _] [<- _].
  congr (ev (laplace _ _)); apply/funext => z; rewrite /ind /one_on /release /=.
  by case: asboolP => h; [rewrite asboolT//; exists (pickle (finish (y + z / eps)%R))|rewrite asboolF// => -[n []]].
rewrite !wpE -nneseriesrM; last by move=> n _; apply: ev_ge0 => z; exact: one_on_ge0.
apply: lee_nneseries => n _; first by apply: ev_ge0 => z; exact: one_on_ge0.
case: (AE n) => [H|[r H]]; rewrite !H; last exact: outcome_ratio.
by have := @outcome_ratio x x' set0 xx (None erefl).
Qed.
End Mass.
