(* DENSITY (trusted/kernel/src/rules/finite/density.rs): the rule, for a block that follows a tree of coins, uniform draws and questions about them (Paths.v), one tree in either run.

   Spread (density_rule): at the end of every way y is e + k u for one draw u.  Then y has the density D(v), the sum over the ways of the probability of the coins and of the other draws, over |k|, where the draw that v
   comes from agrees with the answers; asked is D(v) b <= a D'(v), but for finitely many v.
   Not spread (masses_rule): at the end of every way y is one value; D(v) is the sum of the probabilities of the ways that end with v.
   Tests of the first run are measurable in the draws, those of the second run any.  PathsFormula.v has the kernel's formula.
   Read: from, spread_way, density, density_rule, mass_way, masses_rule. *)
From Probity Require Import PreludeIntegral Judgement Laws Density Continuous Logarithm Tails Centered Spread Paths.
From Probity Require Finite.
Local Open Scope classical_set_scope.
Local Open Scope ring_scope.
Local Open Scope ereal_scope.

Section Common.
Variables (R : realType) (S L : Type).
Notation T := (measurableTypeR R).
Notation tree := (@tree R S L).
Notation way := (@way R S L).
Implicit Types (w : way) (t : tree).

Lemma met_none w x : met w 0 x.
Proof. by elim: w. Qed.
Lemma scale_ge0 w n : proper w n -> (0 <= scale w)%R.
Proof.
elim: w n => [h l|p w IH|w IH|j q w IH] n //=; first by move=> [p0 /IH]; exact: mulr_ge0.
- exact: IH.
- by move=> [_ _ /IH].
Qed.
Lemma others_ge0 w n i : (0 <= others w n i)%R.
Proof. by apply: prodr_ge0 => j _; exact: length_ge0. Qed.
Lemma inside_measurable w n i : proper w n -> measurable [set u : T | inside w i u].
Proof.
elim: w n => [h l|p w IH|w IH|j q w IH] n /=.
- by move=> _; rewrite (_ : mkset _ = setT); [exact: measurableT|apply/seteqP; split].
- by move=> [_ /IH].
- exact: IH.
- move=> [_ mq /IH mw]; case: (j == i); last exact: mw.
  rewrite (_ : mkset _ = [set u | q u] `&` [set u | inside w i u]); first exact: measurableI.
  by apply/seteqP; split=> u /=; [move/andP|move=> [a b]; apply/andP].
Qed.
(* the block, run from s *)
Definition from s (c : stmt R S) t := follows (fun=> True) (fun=> s) c 0 t.
Definition ends t s := exists w, w \in ways t /\ exists x, s = leaf w x.
Definition start : draws R := fun=> 0%R.

(* what the first run's test may be, for all ends with y = v *)
Section Most.
Variables (V : eqType) (y : S -> V) (f : S -> \bar R) (t : tree).
Hypotheses (f0 : nneg f) (f1 : le1 f).
Definition most v := maxe 0 (ereal_sup [set f s | s in [set s | ends t s /\ y s = v]]).
Lemma most_ge0 v : 0 <= most v. Proof. by rewrite /most le_maxr lexx. Qed.
Lemma most_le1 v : most v <= 1.
Proof. by rewrite /most le_maxl lee01/=; apply: ub_ereal_sup => _ [s _ <-]. Qed.
Lemma most_le w x : w \in ways t -> f (leaf w x) <= most (y (leaf w x)).
Proof.
move=> wt; rewrite /most le_maxr; apply/orP; right; apply: ereal_sup_ub; exists (leaf w x) => //.
by split=> //; exists w; split=> //; exists x.
Qed.
Lemma most_within (k : R) (F : S -> \bar R) (Psi : assn R S) s' : nneg F -> related Psi f F ->
  (forall s, ends t s -> y s = y s' -> Psi s s' k) -> most (y s') <= (expR (- k))%:E * F s'.
Proof.
move=> F0 H HP; rewrite /most le_maxl mule_ge0 ?lee_fin ?expR_ge0//=.
by apply: ub_ereal_sup => _ [s [es ys] <-]; apply: H; exact: HP.
Qed.
End Most.

(* from an inequality between sums over the ways to the judgement *)
Lemma by_sums (V : eqType) (y : S -> V) c t t' m m' (k a b : R) (f F : S -> \bar R) (Psi : assn R S) :
  nneg f -> le1 f -> nneg F -> related Psi f F -> (0 < a)%R -> (0 < b)%R -> from m c t -> from m' c t' ->
  all_proper t 0 -> all_proper t' 0 -> fair t' -> (forall w, w \in ways t -> measured f w 0) ->
  (forall s s', ends t s -> ends t' s' -> y s = y s' -> Psi s s' (k + ln (a / b))%R) ->
  (let g s := most y f t (y s) in \sum_(w <- ways t) along w 0 g start <= (a / b)%:E * \sum_(w <- ways t') along w 0 g start) ->
  wp c f m <= (expR (- k))%:E * wp c F m'.
Proof.
move=> f0 f1 F0 Hr a0 b0 ct ct' pt pt' ft' mt HP; set g := fun s => most y f t (y s) => /= Hs.
have g0 : nneg g by move=> s; exact: most_ge0.
have ab : (0 < a / b)%R by exact: divr_gt0.
rewrite (ct start f I f0) by_ways//; pose K := expR (- (k + ln (a / b))); have K0 : (0 <= K)%R := expR_ge0 _.
apply: (@le_trans _ _ (\sum_(w <- ways t) along w 0 g start)).
  by rewrite big_seq [leRHS]big_seq; apply: lee_sum => w wt; apply: along_le => [|//|x]; [exact: pt|exact: most_le].
apply: (le_trans Hs); have -> : expR (- k) = (a / b * K)%R.
  by rewrite /K opprD expRD (expRN (ln _)) lnK ?posrE// mulrCA mulfV ?mulr1// gt_eqF.
rewrite [(a / b * K)%:E]EFinM -[leRHS]muleA; apply: lee_wpmul2l; first by rewrite lee_fin ltW.
apply: (@le_trans _ _ (\sum_(w <- ways t') along w 0 (fun s => K%:E * F s) start)).
  rewrite big_seq [leRHS]big_seq; apply: lee_sum => w wt; apply: along_le => [|//|x]; first exact: pt'.
  by apply: (most_within F0 Hr) => s es ys; apply: HP => //; exists w; split=> //; exists x.
have KF0 : nneg (fun s => K%:E * F s) by move=> s; rewrite mule_ge0 ?lee_fin.
apply: (le_trans (ways_below start ft' pt' KF0)); rewrite -(ct' start _ I KF0); exact: wp_scale.
Qed.
End Common.

Section Spread.
Variables (R : realType) (S : Type) (y : S -> R).
Notation T := (measurableTypeR R).
Notation tree := (@tree R S (nat * R * R)).
Notation way := (@way R S (nat * R * R)).
Let leb : {measure set T -> \bar R} := [the measure _ _ of @lebesgue_measure R].
Implicit Types (w : way) (t : tree).

Definition draw_of w := (label w).1.1.
Definition moved_by w : R := (label w).1.2.
Definition stretch w : R := (label w).2.
(* the probability of the coins and of the other draws *)
Definition weight w : R := (scale w * others w 0 (Some (draw_of w)))%R.
(* y is e + k u for a draw u of the way, with k not 0, or the way has no probability *)
Definition spread_way w := [/\ proper w 0, (draw_of w < picks w)%N, forall x, y (leaf w x) = (moved_by w + stretch w * x (draw_of w))%R &
  stretch w != 0%R \/ weight w = 0%R].
Definition dens w (v : T) : R := (weight w * piece [set u | inside w (draw_of w) u] (moved_by w) (stretch w) v)%R.
Definition density t (v : T) : R := \sum_(w <- ways t) dens w v.

Lemma weight_ge0 w : proper w 0 -> (0 <= weight w)%R.
Proof. by move=> pw; rewrite mulr_ge0 ?others_ge0// (scale_ge0 pw). Qed.
Lemma dens_ge0 w v : proper w 0 -> (0 <= dens w v)%R.
Proof. by move=> pw; rewrite mulr_ge0 ?weight_ge0// piece_ge0. Qed.
Lemma dens_measurable w : proper w 0 -> measurable_fun setT (dens w).
Proof. by move=> pw; apply: measurable_funrM; apply: piece_meas; exact: inside_measurable pw. Qed.

Lemma along_dens w (up : T -> \bar R) : spread_way w -> (forall v, 0 <= up v) -> (forall v, up v <= 1) ->
  along w 0 (fun s => up (y s)) (start R) = \int[leb]_v ((dens w v)%:E * up v).
Proof.
move=> [pw ip yE kw] up0 up1; set i := draw_of w in ip yE *; set e := moved_by w; set k := stretch w.
rewrite (@along_value _ _ _ (Some i) (fun u => up (e + k * u)%R)) ?add0n//; last by move=> x; rewrite /reads yE.
rewrite met_none mulr1 -/(weight w) /= /dens -/i -/e -/k.
case: kw => [kn|->]; last by rewrite mul0e; under eq_integral do rewrite mul0r mul0e; rewrite integral0.
under [RHS]eq_integral do rewrite EFinM -muleA.
rewrite low_scale ?weight_ge0//; last by move=> v; rewrite mule_ge0// lee_fin piece_ge0.
congr (_ * _); rewrite -piece_int// uniformE; apply: eq_integral => u _.
rewrite EFinM -muleA; congr (_ * _); rewrite /held indicE; case: ifPn => h; first by rewrite mem_set.
by rewrite memNset//; exact/negP.
Qed.
Lemma density_sum l (up : T -> \bar R) : (forall w, w \in l -> proper w 0) -> (forall v, 0 <= up v) ->
  \sum_(w <- l) \int[leb]_v ((dens w v)%:E * up v) = \int[leb]_v ((\sum_(w <- l) dens w v)%R%:E * up v) /\
  (forall v, 0 <= \sum_(w <- l) dens w v)%R /\ measurable_fun setT (fun v => \sum_(w <- l) dens w v)%R.
Proof.
move=> + up0; elim: l => [|w l IH] pl.
  split; first by rewrite big_nil; under eq_integral do rewrite big_nil mul0e; rewrite integral0.
  split=> [v|]; first by rewrite big_nil.
  by rewrite (_ : (fun v => _) = cst 0%R); [exact: measurable_fun_cst|apply/funext => v; rewrite big_nil].
have pw : proper w 0 by apply: pl; rewrite mem_head.
have pl' v : v \in l -> proper v 0 by move=> vl; apply: pl; rewrite in_cons vl orbT.
have [sE [s0 ms]] := IH pl'.
split; last first.
  split=> [v|]; first by rewrite big_cons addr_ge0// dens_ge0.
  rewrite (_ : (fun v => _) = (fun v => dens w v + \sum_(z <- l) dens z v)%R); last by apply/funext => v; rewrite big_cons.
  by apply: measurable_funD => //; exact: dens_measurable.
rewrite big_cons sE -low_weights//; [|by move=> v; exact: dens_ge0|exact: dens_measurable].
by apply: eq_integral => v _; rewrite big_cons.
Qed.

(* finitely many places do not matter *)
Lemma low_except (E : seq R) (g h : T -> \bar R) : (forall v, 0 <= g v) -> (forall v, 0 <= h v) ->
  (forall v : R, v \notin E -> g v <= h v) -> \int[leb]_v g v <= \int[leb]_v h v.
Proof.
elim: E g h => [|z E IH] g h g0 h0 gh; first by apply: low_le => // v; exact: gh.
have mz : measurable ([set z] : set T) by exact: measurable_set1.
have cut u : (forall v, 0 <= u v) -> \int[leb]_v u v = \int[leb]_v cutg (~` [set z]) u v.
  move=> u0; rewrite -[RHS]add0e -(no_place z u0); apply/eqP; rewrite eq_le low_cut_le//=.
  exact: low_cut_ge.
rewrite (cut g)// (cut h)//; apply: IH => v; try exact: cutg_ge0.
move=> vE; rewrite /cutg; case: asboolP => // vz; apply: gh; rewrite in_cons negb_or vE andbT.
by apply/eqP.
Qed.

Theorem density_rule (good : (S -> \bar R) -> Prop) c (a b : S -> S -> R -> R) (Psi : assn R S) :
  judge_for good 0 c
    (fun s s' k => [/\ (0 < a s s' k)%R, (0 < b s s' k)%R & exists t t',
      [/\ from s c t, from s' c t', (forall w, w \in ways t -> spread_way w), (forall w, w \in ways t' -> spread_way w) & fair t'] /\
      [/\ forall f, good f -> forall w, w \in ways t -> measured f w 0,
        exists E : seq R, forall v : R, v \notin E -> (density t v * b s s' k <= a s s' k * density t' v)%R &
        forall z z', ends t z -> ends t' z' -> y z = y z' -> Psi z z' (k + ln (a s s' k / b s s' k))%R]])
    Psi.
Proof.
move=> f F Gf f0 f1 F0 Hr m m' k [a0 b0 [t [t' [[ct ct' st st' ft'] [mt [E Hab] HP]]]]]; rewrite adde0.
have pt : all_proper t 0 by move=> w /st[]. have pt' : all_proper t' 0 by move=> w /st'[].
apply: (by_sums f0 f1 F0 Hr a0 b0 ct ct' pt pt' ft' (mt f Gf) HP) => /=.
set up := most y f t; have up0 v : 0 <= up v := most_ge0 _ _ _ v; have up1 v : up v <= 1 := most_le1 y t f1 v.
have sum r : (forall w, w \in ways r -> spread_way w) ->
    \sum_(w <- ways r) along w 0 (fun s => up (y s)) (start R) = \int[leb]_v ((density r v)%:E * up v).
  move=> sr; rewrite -(proj1 (density_sum (fun w wr => let: And4 p _ _ _ := sr w wr in p) up0)) big_seq [RHS]big_seq.
  by apply: eq_bigr => w wr; apply: along_dens => //; exact: sr.
have D0 r : (forall w, w \in ways r -> spread_way w) -> forall v, (0 <= density r v)%R.
  by move=> sr; exact: (proj1 (proj2 (density_sum (fun w wr => let: And4 p _ _ _ := sr w wr in p) up0))).
have ab : (0 < a m m' k / b m m' k)%R by exact: divr_gt0.
rewrite (sum t)// (sum t')// -(low_scale _ (ltW ab)); last by move=> v; rewrite mule_ge0 ?lee_fin ?D0.
apply: (low_except (E := E)) => v; rewrite ?mule_ge0 ?lee_fin ?D0 ?(ltW ab)//.
move=> vE; rewrite muleA -EFinM; apply: lee_wpmul2r => //; rewrite lee_fin mulrAC ler_pdivl_mulr//; exact: Hab.
Qed.
End Spread.

(* ---- not spread ---- *)
Section Masses.
Variables (R : realType) (S : Type) (V : choiceType) (y : S -> V).
Notation tree := (@tree R S V).
Notation way := (@way R S V).
Implicit Types (w : way) (t : tree).
Definition mass_way w := proper w 0 /\ forall x, y (leaf w x) = label w.
Definition probability w : R := (scale w * others w 0 None)%R.
Definition mass_at t v : R := (\sum_(w <- ways t | label w == v) probability w)%R.
Lemma probability_ge0 w : proper w 0 -> (0 <= probability w)%R.
Proof. by move=> pw; rewrite mulr_ge0 ?others_ge0// (scale_ge0 pw). Qed.

Lemma regrouped l (up : V -> \bar R) (vs : seq V) : (forall w, w \in l -> mass_way w) -> (forall v, 0 <= up v) -> uniq vs ->
  \sum_(v <- vs) (\sum_(w <- l | label w == v) probability w)%R%:E * up v = \sum_(w <- l | label w \in vs) (probability w)%:E * up (label w).
Proof.
move=> pl up0 uvs; pose l' := [seq (probability w, label w) | w <- l].
have l0 : all (fun x => 0 <= x.1)%R l'.
  by rewrite all_map; apply/allP => w /pl[pw _] /=; exact: probability_ge0.
have := @Finite.regroup R V V id l' vs up l0 up0 uvs; rewrite /l' big_map /= => <-.
by apply: eq_bigr => v _; rewrite big_map.
Qed.

Theorem masses_rule (good : (S -> \bar R) -> Prop) c (a b : S -> S -> R -> R) (Psi : assn R S) :
  judge_for good 0 c
    (fun s s' k => [/\ (0 < a s s' k)%R, (0 < b s s' k)%R & exists t t',
      [/\ from s c t, from s' c t', (forall w, w \in ways t -> mass_way w), (forall w, w \in ways t' -> mass_way w) & fair t'] /\
      [/\ forall f, good f -> forall w, w \in ways t -> measured f w 0,
        forall v, (mass_at t v * b s s' k <= a s s' k * mass_at t' v)%R &
        forall z z', ends t z -> ends t' z' -> y z = y z' -> Psi z z' (k + ln (a s s' k / b s s' k))%R]])
    Psi.
Proof.
move=> f F Gf f0 f1 F0 Hr m m' k [a0 b0 [t [t' [[ct ct' st st' ft'] [mt Hab HP]]]]]; rewrite adde0.
have pt : all_proper t 0 by move=> w /st[]. have pt' : all_proper t' 0 by move=> w /st'[].
apply: (by_sums f0 f1 F0 Hr a0 b0 ct ct' pt pt' ft' (mt f Gf) HP) => /=.
set up := most y f t; have up0 v : 0 <= up v := most_ge0 _ _ _ v; have up1 v : up v <= 1 := most_le1 y t f1 v.
have one r : (forall w, w \in ways r -> mass_way w) ->
    \sum_(w <- ways r) along w 0 (fun s => up (y s)) (start R) = \sum_(w <- ways r) (probability w)%:E * up (label w).
  move=> sr; rewrite big_seq [RHS]big_seq; apply: eq_bigr => w /sr[pw yE].
  rewrite (@along_value _ _ _ None (fun=> up (label w)))//; last by move=> x; rewrite /reads yE.
  by rewrite met_none mulr1.
rewrite (one t)// (one t')//; pose vs := undup [seq label w | w <- ways t].
have ab : (0 < a m m' k / b m m' k)%R by exact: divr_gt0.
have -> : \sum_(w <- ways t) (probability w)%:E * up (label w) = \sum_(v <- vs) (mass_at t v)%:E * up v.
  rewrite regrouped ?undup_uniq// big_seq [RHS]big_seq_cond; apply: eq_bigl => w.
  by case wt : (w \in ways t) => //=; rewrite mem_undup (map_f (@label _ _ _) wt).
apply: (@le_trans _ _ ((a m m' k / b m m' k)%:E * \sum_(v <- vs) (mass_at t' v)%:E * up v)).
  have M0 v : 0 <= (mass_at t' v)%:E * up v.
    by rewrite mule_ge0// lee_fin /mass_at big_seq_cond; apply: sumr_ge0 => w /andP[/st'[pw _] _]; exact: probability_ge0.
  rewrite ge0_sume_distrr//; apply: lee_sum => v _; rewrite muleA -EFinM; apply: lee_wpmul2r => //.
  by rewrite lee_fin mulrAC ler_pdivl_mulr//; exact: Hab.
apply: lee_wpmul2l; first by rewrite lee_fin ltW.
rewrite regrouped ?undup_uniq// big_mkcond big_seq [leRHS]big_seq; apply: lee_sum => w /st'[pw _].
by case: ifP => // _; rewrite mule_ge0// lee_fin probability_ge0.
Qed.
End Masses.
