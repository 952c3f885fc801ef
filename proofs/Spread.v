(* DENSITY of trusted/kernel/src/rules/finite.rs: a block of coins and uniform draws, of which one real variable y matters afterwards.

   If y has densities p and p' in the two runs (spread), and p b <= a p' everywhere, the runs can be treated as equal in y at cost ln(a/b) (same_density).  The densities are what the
   kernel's walk through the block writes: a uniform draw that is moved and stretched (spread_line), cut by a question about it (spread_question), a coin (spread_coin), a question about the state
   (spread_choice), a density that is changed at one place (spread_almost).  Tests are any functions: densities add up for lower integrals too (low_weights). *)
From Probity Require Import PreludeIntegral Judgement Laws Density Continuous Logarithm Tails Centered.
From Probity Require Rules Finite.
Local Open Scope classical_set_scope.
Local Open Scope ring_scope.
Local Open Scope ereal_scope.

Section Weights.
Variable R : realType.
Notation T := (measurableTypeR R).
Let leb : {measure set T -> \bar R} := [the measure _ _ of @lebesgue_measure R].

Lemma low_super (f g : T -> \bar R) : (forall y, 0 <= f y) -> (forall y, 0 <= g y) ->
  \int[leb]_y f y + \int[leb]_y g y <= \int[leb]_y (f y + g y).
Proof.
move=> f0 g0; have fg0 y : 0 <= f y + g y by exact: adde_ge0.
have lf : \int[leb]_y f y <= \int[leb]_y (f y + g y) by apply: low_le => // y; exact: lee_addl.
have lg : \int[leb]_y g y <= \int[leb]_y (f y + g y) by apply: low_le => // y; exact: lee_addr.
have [Eoo|] := eqVneq (\int[leb]_y (f y + g y)) +oo; first by rewrite Eoo leey.
rewrite -ltey => Gfin.
have fing : \int[leb]_y g y \is a fin_num.
  by rewrite ge0_fin_numE; [exact: le_lt_trans Gfin|apply: integral_ge0].
rewrite -lee_subr_addr//; apply: low_ub => // h mh h0 hf.
have hfin : \int[leb]_y h y \is a fin_num.
  rewrite ge0_fin_numE; last by apply: integral_ge0 => y _.
  by apply: (le_lt_trans (low_le leb h0 hf)); exact: le_lt_trans Gfin.
rewrite lee_subr_addr// addeC -lee_subr_addr//; apply: low_ub => // h' mh' h0' hg.
rewrite lee_subr_addr// -ge0_integralD//; apply: low_le => y; first exact: adde_ge0.
by rewrite [leRHS]addeC; apply: lee_add.
Qed.

(* densities add up, whatever the test *)
Lemma low_weights (p q : T -> R) (g : T -> \bar R) : (forall x, (0 <= p x)%R) -> (forall x, (0 <= q x)%R) ->
  measurable_fun setT p -> measurable_fun setT q -> (forall x, 0 <= g x) ->
  \int[leb]_x ((p x + q x)%:E * g x) = \int[leb]_x ((p x)%:E * g x) + \int[leb]_x ((q x)%:E * g x).
Proof.
move=> p0 q0 mp mq g0.
have w0 (w : T -> R) x : (forall x, (0 <= w x)%R) -> 0 <= (w x)%:E * g x by move=> w0; rewrite mule_ge0// lee_fin.
apply/eqP; rewrite eq_le; apply/andP; split; last first.
  apply: le_trans (low_super (fun x => w0 p x p0) (fun x => w0 q x q0)) _.
  apply: low_le => x; first by apply: adde_ge0; exact: w0.
  by rewrite EFinD ge0_muleDl// lee_fin.
apply: low_ub => [x|h mh h0 hg]; first by rewrite mule_ge0// lee_fin addr_ge0.
pose i x := expR (- ln (p x + q x))%R.
have mi : measurable_fun setT i.
  have mexp : measurable_fun setT (@expR R : T -> T).
    by apply: continuous_measurable_fun; exact: continuous_expR.
  apply: (measurable_fun_comp mexp).
  rewrite (_ : (fun x => _) = (fun x => (-1) * ln (p x + q x))%R); last by apply/funext => x; rewrite mulN1r.
  apply: measurable_funrM; apply: (measurable_fun_comp (@mln R)); exact: measurable_funD.
have part (w : T -> R) : (forall x, (0 <= w x)%R) -> measurable_fun setT w -> (forall x, (w x <= p x + q x)%R) ->
    \int[leb]_x ((w x * i x)%:E * h x) <= \int[leb]_x ((w x)%:E * g x).
  move=> w00 mw ws; apply: low_le => x.
    by rewrite mule_ge0// lee_fin mulr_ge0// expR_ge0.
  have [s0|s0] := eqVneq (p x + q x)%R 0%R.
    have -> : w x = 0%R by apply/eqP; rewrite eq_le w00 andbT -s0.
    by rewrite mul0r !mul0e.
  have sp : (0 < p x + q x)%R by rewrite lt_neqAle eq_sym s0 addr_ge0.
  rewrite EFinM -muleA; apply: lee_wpmul2l; first by rewrite lee_fin.
  rewrite /i expRN lnK ?posrE// -(@lee_pmul2l _ (p x + q x)%:E) ?lte_fin// muleA -EFinM mulfV// mul1e.
  exact: hg.
have hE x : h x = (p x * i x)%:E * h x + (q x * i x)%:E * h x.
  have ip w : (0 <= w)%R -> 0 <= (w * i x)%:E by move=> ww; rewrite lee_fin mulr_ge0// expR_ge0.
  rewrite -ge0_muleDl ?ip// -EFinD -mulrDl.
  have [s0|s0] := eqVneq (p x + q x)%R 0%R.
    have /eqP := hg x; have := hg x; rewrite s0 mul0e => hx _.
    have -> : h x = 0 by apply/eqP; rewrite eq_le hx h0.
    by rewrite mule0.
  have sp : (0 < p x + q x)%R by rewrite lt_neqAle eq_sym s0 addr_ge0.
  by rewrite /i expRN lnK ?posrE// mulfV// mul1e.
have m1 (w : T -> R) : measurable_fun setT w -> measurable_fun setT (fun x => (w x * i x)%:E * h x).
  by move=> mw; apply: emeasurable_funM => //; apply/EFin_measurable_fun; exact: measurable_funM.
have n1 (w : T -> R) : (forall x, (0 <= w x)%R) -> forall x, 0 <= (w x * i x)%:E * h x.
  by move=> ww x; rewrite mule_ge0// lee_fin mulr_ge0// expR_ge0.
rewrite (eq_integral (fun x => (p x * i x)%:E * h x + (q x * i x)%:E * h x)); last by move=> x _; exact: hE.
rewrite ge0_integralD//; first last.
- exact: m1.
- by move=> x _; exact: n1.
- exact: m1.
- by move=> x _; exact: n1.
by apply: lee_add; apply: part => // x; rewrite ?ler_addl ?ler_addr.
Qed.
End Weights.

Section Spread.
Variables (R : realType) (S : Type).
Notation T := (measurableTypeR R).
Let leb : {measure set T -> \bar R} := [the measure _ _ of @lebesgue_measure R].
Variable y : S -> T.
Implicit Types (c : stmt R S) (p q : T -> R).

(* y has the density p at the end of c, run from m *)
Definition spread c m p := [/\ forall v, (0 <= p v)%R, measurable_fun setT p &
  forall g : T -> \bar R, (forall v, 0 <= g v) -> wp c (fun s => g (y s)) m = \int[leb]_v ((p v)%:E * g v)].

Theorem same_density (agree : S -> S -> Prop) c (a b : S -> S -> R -> R) (Psi : assn R S) : Rules.local agree c ->
  judge 0 c
    (fun s s' k => [/\ (0 < a s s' k)%R, (0 < b s s' k)%R,
       exists p q, [/\ spread c s p, spread c s' q & forall v, (p v * b s s' k <= a s s' k * q v)%R] &
       forall t t', agree s t -> agree s' t' -> y t = y t' -> Psi t t' (k + ln (a s s' k / b s s' k))%R])
    Psi.
Proof.
move=> loc f F f0 f1 F0 Hr m m' k [a0 b0 [p [q [[p0 mp pE] [q0 mq qE] Hab]]] HP]; rewrite adde0.
pose up v := maxe 0 (ereal_sup [set f t | t in [set t | agree m t /\ y t = v]]).
pose dn v := ereal_inf [set F t | t in [set t | agree m' t /\ y t = v]].
have up0 v : 0 <= up v by rewrite /up le_maxr lexx.
have dn0 v : 0 <= dn v by apply: lb_ereal_inf => _ [t _ <-].
have e0 (x : R) : (0 <= expR x)%R by exact: expR_ge0.
apply: (@le_trans _ _ (wp c (fun s => up (y s)) m)).
  apply: (Finite.local_le loc) => // s ms.
  rewrite /up /= le_maxr; apply/orP; right.
  by apply: ereal_sup_ub; exists s.
have ek v : 0 <= (expR (- k))%:E * dn v by rewrite mule_ge0// lee_fin.
apply: (@le_trans _ _ (wp c (fun s => (expR (- k))%:E * dn (y s)) m')).
  rewrite pE// (qE (fun v => (expR (- k))%:E * dn v))//; apply: low_le => v; first by rewrite mule_ge0// lee_fin.
  apply: (@le_trans _ _ ((p v)%:E * ((expR (- ln (a m m' k / b m m' k)))%:E * ((expR (- k))%:E * dn v)))).
    apply: lee_wpmul2l; first by rewrite lee_fin.
    rewrite muleA -EFinM -expRD -opprD addrC.
    set j := (k + _)%R; have ej : (0 < expR j)%R := expR_gt0 _.
    rewrite expRN -(@lee_pmul2l _ (expR j)%:E) ?lte_fin// muleA -EFinM mulfV ?gt_eqF// mul1e.
    apply: lb_ereal_inf => _ [t' [mt' yt'] <-].
    rewrite -(@lee_pmul2l _ (expR (- j))%:E) ?lte_fin ?expR_gt0// muleA -EFinM -expRD addNr expR0 mul1e.
    rewrite /up le_maxl mule_ge0 ?lee_fin//=; apply: ub_ereal_sup => _ [t [mt yt] <-].
    by apply: Hr; apply: HP => //; rewrite yt yt'.
  rewrite muleA; apply: lee_wpmul2r => //.
  rewrite expRN lnK ?posrE ?divr_gt0// invf_div -EFinM lee_fin.
  by rewrite mulrA ler_pdivr_mulr// [leRHS]mulrC.
apply: (@le_trans _ _ (wp c (fun t => (expR (- k))%:E * F t) m')); last exact: wp_scale.
apply: (Finite.local_le loc) => [s|s|s ms] //=; first by rewrite mule_ge0// lee_fin.
apply: lee_wpmul2l; first by rewrite lee_fin.
by apply: ereal_inf_lb; exists s.
Qed.

(* ---- the walk through the block ---- *)

(* where v comes from a draw in A that is stretched by k and moved to e *)
Definition piece (A : set T) (e k : R) (v : T) : R := (`|k|^-1 * (uni_w ((v - e) / k) * \1_A (((v - e) / k)%R : T)))%R.

Lemma piece_ge0 A e k v : (0 <= piece A e k v)%R.
Proof. by rewrite /piece mulr_ge0// ?invr_ge0// mulr_ge0. Qed.
Lemma piece_meas A e k : measurable A -> measurable_fun setT (piece A e k).
Proof.
move=> mA; have ml : measurable_fun setT (fun v : T => ((v - e) / k)%R : T).
  rewrite (_ : (fun v => _) = (fun v => k^-1 * (v - e))%R); last by apply/funext => v; rewrite mulrC.
  by apply: measurable_funrM; exact: mshift.
apply: measurable_funrM; apply: measurable_funM.
  exact: (measurable_fun_comp (@uni_w_meas R) ml).
exact: (measurable_fun_comp (mindic mA) ml).
Qed.
Lemma piece_int A e k (g : T -> \bar R) : (k != 0)%R -> (forall v, 0 <= g v) ->
  \int[leb]_x ((uni_w x * \1_A x)%:E * g (e + k * x)%R) = \int[leb]_v ((piece A e k v)%:E * g v).
Proof.
move=> kn g0; pose G (v : T) := (uni_w ((v - e) / k)%R * \1_A (((v - e) / k)%R : T))%:E * g v.
have G0 v : 0 <= G v by rewrite mule_ge0// lee_fin mulr_ge0.
have back x : ((e + k * x - e) / k = x)%R by rewrite addrC addKr mulrC mulKf.
transitivity (\int[leb]_x G (e + k * x)%R).
  by apply: eq_integral => x _; rewrite /G back.
rewrite low_affine// -low_scale ?invr_ge0//; apply: eq_integral => v _.
by rewrite /G /piece muleA -EFinM.
Qed.

(* a uniform draw, and two lines, in a set of draws and outside of it *)
Theorem spread_question (u : S -> T -> S) c m (A : set T) (e k e' k' : R) : measurable A -> (k != 0)%R -> (k' != 0)%R ->
  (forall g x, (forall v, 0 <= g v) -> A x -> wp c (fun s => g (y s)) (u m x) = g (e + k * x)%R) ->
  (forall g x, (forall v, 0 <= g v) -> ~ A x -> wp c (fun s => g (y s)) (u m x) = g (e' + k' * x)%R) ->
  spread (Seq (Draw (fun=> uniform R) u) c) m (fun v => piece A e k v + piece (~` A) e' k' v)%R.
Proof.
move=> mA kn kn' HA HnA; have mC : measurable (~` A) by exact: measurableC.
split=> [v||g g0]; first by rewrite addr_ge0// piece_ge0.
  by apply: measurable_funD; exact: piece_meas.
rewrite low_weights//; try exact: piece_ge0; try exact: piece_meas.
rewrite -!piece_int//= /dev.
set H := fun x : T => _ : \bar R; have H0 x : 0 <= H x.
  apply: mule_ge0; last by apply: wp_ge0 => s; exact: g0.
  by rewrite lee_fin; apply: wp_ge0_ => z; exact: uni_w0.
have one x : wp_ leb (@uni_w R) x = uni_w x by rewrite /wp_ uni_total /= divr1.
transitivity (\int[leb]_x cutg A H x + \int[leb]_x cutg (~` A) H x).
  by apply/eqP; rewrite eq_le low_cut_le//= low_cut_ge.
congr (_ + _); apply: eq_integral => x _; rewrite /cutg indicE; case: asboolP => Ax.
- by rewrite mem_set// mulr1 /H one HA.
- by rewrite memNset// mulr0 mul0e.
- by rewrite mem_set// mulr1 /H one HnA.
- by rewrite memNset// mulr0 mul0e.
Qed.

Theorem spread_coin (w : S -> R) (u : S -> bool -> S) c m p q : (0 <= w m <= 1)%R ->
  spread c (u m true) p -> spread c (u m false) q ->
  spread (Seq (Draw (fun s => bernoulli (w s)) u) c) m (fun v => w m * p v + (1 - w m) * q v)%R.
Proof.
move=> wr [p0 mp pE] [q0 mq qE]; have /andP[w0 w1] := wr; have v0 : (0 <= 1 - w m)%R by rewrite subr_ge0.
split=> [v||g g0]; first by rewrite addr_ge0// mulr_ge0.
  by apply: measurable_funD; exact: measurable_funrM.
rewrite low_weights//; try (by move=> v; rewrite mulr_ge0//); try exact: measurable_funrM.
rewrite /= -[LHS]/(bernoulli (w m) _) bernoulliE// pE// qE// -!low_scale//; try (by move=> v; rewrite mule_ge0// lee_fin).
by congr (_ + _); apply: eq_integral => v _; rewrite muleA -EFinM.
Qed.

Theorem spread_choice g c d m p q : spread c m p -> spread d m q -> spread (If g c d) m (if g m then p else q).
Proof. by rewrite /spread /=; case: (g m). Qed.
Theorem spread_follow g c d e m p q : spread (Seq c e) m p -> spread (Seq d e) m q ->
  spread (Seq (If g c d) e) m (if g m then p else q).
Proof. by rewrite /spread /=; case: (g m). Qed.
(* a density may have another value at one place, and so at finitely many, one after the other *)
Theorem spread_almost (x : T) c m p q : (forall v, (0 <= q v)%R) -> measurable_fun setT q ->
  (forall v, v != x -> p v = q v) -> spread c m p -> spread c m q.
Proof.
move=> q0 mq pq [p0 mp pE]; split=> // g g0; rewrite pE//.
have cut (w : T -> R) : (forall v, (0 <= w v)%R) ->
    \int[leb]_v ((w v)%:E * g v) = \int[leb]_v cutg (~` [set x]) (fun v => (w v)%:E * g v) v.
  move=> w0; have wg v : 0 <= (w v)%:E * g v by rewrite mule_ge0// lee_fin.
  have mx : measurable ([set x] : set T) by exact: measurable_set1.
  rewrite -[RHS]add0e -(no_place x wg); apply/eqP; rewrite eq_le low_cut_le//=.
  exact: low_cut_ge.
rewrite (cut p)// (cut q)//; apply: eq_integral => v _; rewrite /cutg; case: asboolP => // vx.
by rewrite pq//; apply/eqP.
Qed.
Theorem spread_known u c m p : spread c (u m) p -> spread (Seq (Assign R u) c) m p.
Proof. by []. Qed.
End Spread.
