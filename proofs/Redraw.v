(* REDRAW (trusted/kernel/src/rules/select/redraw.rs): a loop that draws until a round is accepted, alone or with the same round once before it.

   A round that is not accepted leaves a state that is like the one before it (like), from which the next round has the same law (same).  So from m the loop is a sequence of numbers v n, each of which
   is the accepted part and the last one times the mass that is drawn again; its limit times the accepted mass is the accepted part.  With the accepted masses of the two runs at most e^b apart, for which the
   second judgement has the runs exchanged, what is accepted costs a + b.  Additivity is asked where the first run's test is cut by the guard (as in CASES, on a class G of tests), superadditivity of the second run;
   and that the second run's round has mass 1, which its derivation shows (Ends.v).  Read: round_from, redraw_before, redraw_loop. *)
From Probity Require Import Prelude Judgement.
Local Open Scope classical_set_scope.
Local Open Scope ring_scope.
Local Open Scope ereal_scope.

Section Redraw.
Variables (R : realType) (S : Type).
Variables (g : S -> bool) (c : stmt R S) (like : S -> S -> Prop).

(* f where a round is accepted, w where it is drawn again *)
Definition cut (w : \bar R) (f : S -> \bar R) (s : S) : \bar R := if g s then w else f s.
Definition accepted f m := wp c (cut 0 f) m.
Definition again m := wp c (cut 1 (fun=> 0)) m.

(* from like states a round has one law, and one that is drawn again ends in a state like the first *)
Definition round_from (m : S) :=
  (forall s f, nneg f -> like m s -> wp c f s = wp c f m) /\
  (forall f h, nneg f -> nneg h -> (forall s, (g s -> like m s) -> f s = h s) -> wp c f m = wp c h m).

Lemma cut_ge0 w f : 0 <= w -> nneg f -> nneg (cut w f).
Proof. by move=> w0 f0 s; rewrite /cut; case: (g s). Qed.
Lemma cut_le1 w f : w <= 1 -> le1 f -> le1 (cut w f).
Proof. by move=> w1 f1 s; rewrite /cut; case: (g s). Qed.

Lemma accepted_ge0 f m : nneg f -> 0 <= accepted f m.
Proof. by move=> f0; apply: wp_ge0; exact: cut_ge0. Qed.
Lemma all_ge0 m : 0 <= accepted (fun=> 1) m.
Proof. by apply: accepted_ge0 => s; exact: lee01. Qed.
Lemma again_ge0 m : 0 <= again m.
Proof. by apply: wp_ge0; apply: cut_ge0 => //; exact: lee01. Qed.
Lemma all_le1 m : accepted (fun=> 1) m <= 1.
Proof. by apply: wp_le1 => [|s]; rewrite ?/cut; [apply: cut_ge0 => // ?; exact: lee01|case: (g s) => //; exact: lee01]. Qed.
Lemma again_le1 m : again m <= 1.
Proof. by apply: wp_le1 => [|s]; rewrite ?/cut; [apply: cut_ge0 => //; exact: lee01|case: (g s) => //; exact: lee01]. Qed.
Lemma fin01 (x : \bar R) : 0 <= x -> x <= 1 -> x \is a fin_num.
Proof. by move=> x0 x1; rewrite ge0_fin_numE//; apply: le_lt_trans x1 _; rewrite ltry. Qed.

Section From.
Variables (m : S) (f : S -> \bar R).
Hypotheses (from_m : round_from m) (f0 : nneg f).
Let u n := unroll n g (wp c) f.
Let v n := wp c (u n) m.
Let u0 n : nneg (u n).
Proof. by apply: unroll_ge0 => // h; exact: wp_ge0. Qed.
Let v0 n : 0 <= v n.
Proof. exact: wp_ge0. Qed.

Lemma round_zero : wp c (fun=> 0) m = 0.
Proof.
apply/eqP; rewrite eq_le; apply/andP; split; last exact: wp_ge0.
have H := @wp_scale R S 0%R (lexx _) c (fun=> 0) (fun=> lexx _) m; by rewrite !mul0e in H.
Qed.
Lemma round_first : v 0 = 0.
Proof. exact: round_zero. Qed.
Lemma round_next n : v n.+1 = wp c (cut (v n) f) m.
Proof.
case: from_m => same no_trace; apply: no_trace => [||s Hs]; [exact: u0|exact: cut_ge0|].
by rewrite /cut /v /u /=; case: (boolP (g s)) => // gs; exact: same (u0 n) (Hs gs).
Qed.
Lemma loop_from : g m -> wp (While g c) f m = ereal_sup (range v).
Proof.
move=> gm /=; apply/eqP; rewrite eq_le; apply/andP; split; apply: ub_ereal_sup => _ [n _ <-].
  case: n => [|n] /=; last by rewrite gm; apply: ereal_sup_ub; exists n.
  by apply: le_trans (v0 0%N) _; apply: ereal_sup_ub; exists 0%N.
by apply: ereal_sup_ub; exists n.+1 => //=; rewrite gm.
Qed.
Lemma loop_after : wp (Seq c (While g c)) f m = wp c (cut (ereal_sup (range v)) f) m.
Proof.
case: from_m => same no_trace /=; apply: no_trace => [s|s|s Hs].
- by apply: ereal_sup_ub; exists 0%N.
- by apply: cut_ge0 => //; apply: le_trans (v0 0%N) _; apply: ereal_sup_ub; exists 0%N.
rewrite /cut; case: ifPn => gs; last first.
  apply/eqP; rewrite eq_le; apply/andP; split; last by apply: ereal_sup_ub; exists 1%N => //=; rewrite (negbTE gs).
  by apply: ub_ereal_sup => _ [[|n] _ <-] //=; rewrite (negbTE gs).
apply/eqP; rewrite eq_le; apply/andP; split; apply: ub_ereal_sup => _ [n _ <-].
  case: n => [|n] /=; first by apply: le_trans (v0 0%N) _; apply: ereal_sup_ub; exists 0%N.
  by rewrite gs (same s _ (u0 n) (Hs gs)); apply: ereal_sup_ub; exists n.
by apply: ereal_sup_ub; exists n.+1 => //=; rewrite gs (same s _ (u0 n) (Hs gs)).
Qed.

(* the first run: at most t if what is accepted is at most t times the accepted mass, where it is cut additively *)
Section Above.
Hypothesis cuts : forall w : R, (0 <= w)%R -> wp c (cut w%:E f) m <= accepted f m + w%:E * again m.
Hypothesis masses : accepted (fun=> 1) m + again m <= 1.
Variable t : R.
Hypotheses (t0 : (0 <= t)%R) (most : accepted f m <= accepted (fun=> 1) m * t%:E).

Lemma above w : 0 <= w -> w <= t%:E -> wp c (cut w f) m <= t%:E.
Proof.
move=> w0 wt; have Ew : (fine w)%:E = w by rewrite fineK// ge0_fin_numE//; apply: le_lt_trans wt _; rewrite ltry.
have := cuts (fine_ge0 w0); rewrite Ew => step; apply: le_trans step _.
apply: le_trans (lee_add most (lee_wpmul2r (again_ge0 m) wt)) _.
rewrite muleC -ge0_muleDr ?all_ge0 ?again_ge0//.
by rewrite -[X in _ <= X]mule1; apply: lee_wpmul2l => //; rewrite lee_fin.
Qed.
Lemma above_all n : v n <= t%:E.
Proof.
elim: n => [|n IH]; first by rewrite round_first lee_fin.
by rewrite round_next; exact: above.
Qed.
Lemma above_loop : ereal_sup (range v) <= t%:E.
Proof. by apply: ub_ereal_sup => _ [n _ <-]; exact: above_all. Qed.
Lemma above_after : wp c (cut (ereal_sup (range v)) f) m <= t%:E.
Proof. by apply: above above_loop; apply: le_trans (v0 0%N) _; apply: ereal_sup_ub; exists 0%N. Qed.
End Above.

(* the second run: at least A / a, where it is superadditive and has mass 1 *)
Section Below.
Hypothesis super : forall h k, nneg h -> nneg k -> wp c h m + wp c k m <= wp c (fun s => h s + k s) m.
Hypothesis total : 1 <= accepted (fun=> 1) m + again m.
Let A := accepted f m.
Let a := accepted (fun=> 1) m.
Let r := again m.
Let A0 : 0 <= A. Proof. exact: accepted_ge0. Qed.
Let rf : r \is a fin_num. Proof. exact: fin01 (again_ge0 m) (again_le1 m). Qed.
Let af : a \is a fin_num. Proof. exact: fin01 (all_ge0 m) (all_le1 m). Qed.

Lemma below (w : R) : (0 <= w)%R -> A + w%:E * r <= wp c (cut w%:E f) m.
Proof.
move=> w0; have we0 : 0 <= w%:E by rewrite lee_fin.
have scaled : w%:E * r <= wp c (cut w%:E (fun=> 0)) m.
  move: w0; rewrite le_eqVlt => /predU1P[<-|wp0]; first by rewrite mul0e; apply: wp_ge0; exact: cut_ge0.
  have H := @wp_scale R S w^-1 (ltW _) c (cut w%:E (fun=> 0)) (cut_ge0 we0 (fun=> lexx _)) m.
  have {}H : r <= w^-1%:E * wp c (cut w%:E (fun=> 0)) m.
    apply: le_trans (H _); last by rewrite invr_gt0.
    apply: wp_le => [|s]; first by apply: cut_ge0 => //; exact: lee01.
    by rewrite /cut; case: (g s); rewrite ?mule0// -EFinM mulVf// gt_eqF.
  have {}H := lee_wpmul2l we0 H.
  by apply: le_trans H _; rewrite muleA -EFinM divff ?mul1e// gt_eqF.
apply: le_trans (lee_add2l A scaled) _; apply: le_trans (super _ _) _; [exact: cut_ge0|exact: cut_ge0|].
by apply: wp_le => [s|s]; rewrite /cut; case: (g s); rewrite ?add0e ?adde0// adde_ge0.
Qed.
Lemma below_loop : ereal_sup (range v) < +oo -> A <= a * ereal_sup (range v).
Proof.
set V := ereal_sup _ => V_oo; have V0 : 0 <= V by apply: le_trans (v0 0%N) _; apply: ereal_sup_ub; exists 0%N.
have vV n : v n <= V by apply: ereal_sup_ub; exists n.
have Vf : V \is a fin_num by rewrite ge0_fin_numE.
have vf n : v n \is a fin_num by rewrite ge0_fin_numE//; exact: le_lt_trans (vV n) V_oo.
have step n : A + v n * r <= V.
  apply: le_trans (vV n.+1); rewrite round_next -(fineK (vf n)); apply: below; exact: fine_ge0.
have Af : A \is a fin_num.
  by rewrite ge0_fin_numE//; apply: le_lt_trans V_oo; apply: le_trans (step 0%N); rewrite round_first mul0e adde0.
have limit : (fine A + fine V * fine r <= fine V)%R.
  apply/ler_addgt0Pr => e e0.
  have [|_ [n _ <-] near] := @ub_ereal_sup_adherent _ (range v) e e0 _; first exact: Vf.
  have {}near : (fine V - e <= fine (v n))%R.
    by rewrite -lee_fin EFinB fineK// fineK//; exact: ltW.
  have := step n; rewrite -(fineK Af) -(fineK rf) -(fineK Vf) -(fineK (vf n)) -EFinM -EFinD lee_fin => le_V.
  have r1 : (fine r <= 1)%R by rewrite -lee_fin fineK//; exact: again_le1.
  have rn : (0 <= fine r)%R by apply: fine_ge0; exact: again_ge0.
  have : (fine A + (fine V - e) * fine r <= fine V)%R.
    by apply: le_trans le_V; rewrite ler_add2l ler_wpmul2r.
  rewrite mulrBl addrA ler_subl_addr => le_e; apply: le_trans le_e _.
  by rewrite ler_add2l ler_pimulr// ltW.
rewrite -(fineK Af) -(fineK af) -(fineK Vf) -EFinM lee_fin.
have one : (1 <= fine a + fine r)%R by rewrite -lee_fin EFinD !fineK.
have : (fine V <= (fine a + fine r) * fine V)%R by rewrite ler_pemull// fine_ge0.
by rewrite mulrDl => H; have := le_trans limit H; rewrite [(fine V * fine r)%R]mulrC ler_add2r.
Qed.
End Below.
End From.

(* ---- the rule ---- *)
(* what a round ends with where it is accepted *)
Definition taken (psi : S -> S -> Prop) (e : R) : assn R S := fun s s' j => ~~ g s -> [/\ ~~ g s', psi s s' & (j <= e)%R].
Definition at_no_cost (m m' : S) : assn R S := fun s s' j => [/\ s = m, s' = m' & j = 0%R].

Lemma taken_tests (G : (S -> \bar R) -> Prop) m m' (psi : S -> S -> Prop) (e : R) f F : judge_for G 0 c (at_no_cost m m') (taken psi e) ->
  G (cut 0 f) -> nneg f -> le1 f -> nneg F -> (forall s s', ~~ g s -> ~~ g s' -> psi s s' -> f s <= (expR (- e))%:E * F s') ->
  accepted f m <= accepted F m'.
Proof.
move=> J Gf f0 f1 F0 rel; have rel' : related (taken psi e) (cut 0 f) (cut 0 F).
  move=> s s' j; rewrite /taken /cut; case: ifPn => gs H.
    by rewrite mule_ge0// ?lee_fin ?expR_ge0//; case: ifP.
  have [// gs' ps je] := H isT; rewrite (negbTE gs'); apply: le_trans (rel _ _ gs gs' ps) _.
  by apply: lee_wpmul2r => //; rewrite lee_fin ler_expR ler_opp2.
have := J _ _ Gf (cut_ge0 (lexx _) f0) (cut_le1 lee01 f1) (cut_ge0 (lexx _) F0) rel' m m' 0%R.
by rewrite oppr0 expR0 mul1e adde0; apply.
Qed.

Lemma accepted_scale (x : R) F n : (0 <= x)%R -> nneg F -> accepted (fun s => x%:E * F s) n <= x%:E * accepted F n.
Proof.
move=> x0 F0; apply: le_trans (@wp_scale R S x x0 c (cut 0 F) (cut_ge0 (lexx _) F0) n).
by apply: wp_le => s; rewrite /cut; case: (g s); rewrite ?mule0// mule_ge0.
Qed.

(* The round from a pair of states: like rounds follow; the first run's expectation is additive where a test of G is cut by the guard; the second's is superadditive, and of mass 1. *)
Definition rounds_from (G : (S -> \bar R) -> Prop) m m' :=
  [/\ round_from m /\ round_from m',
      (forall f, G f -> nneg f -> forall w : R, (0 <= w)%R -> wp c (cut w%:E f) m <= accepted f m + w%:E * again m),
      accepted (fun=> 1) m + again m <= 1,
      (forall h l, nneg h -> nneg l -> wp c h m' + wp c l m' <= wp c (fun s => h s + l s) m') &
      1 <= accepted (fun=> 1) m' + again m'].

(* One pair of states before, with the amounts that are made of it; a judgement is one about each pair (Split.v). *)
Variables (G : (S -> \bar R) -> Prop) (m m' : S) (Psi : S -> S -> Prop) (a b k : R).
(* the class has tests that are 0 where a round is drawn again *)
Hypothesis cut_class : forall f, G f -> G (cut 0 f).
Hypothesis cut_all : G (cut 0 (fun=> 1)).
(* the judgement of a round, and the same with the runs exchanged *)
Hypothesis forth : judge_for G 0 c (at_no_cost m m') (taken Psi a).
Hypothesis back : judge_for G 0 c (at_no_cost m' m) (taken (fun _ _ => True) b).
Hypothesis like_rounds : rounds_from G m m'.

Definition before : assn R S := fun s s' j => [/\ s = m, s' = m' & (j <= k)%R].
Definition after : assn R S := fun s s' j => [/\ ~~ g s, ~~ g s', Psi s s' & (j <= k + (a + b))%R].
Let limit F := ereal_sup (range (fun n => wp c (unroll n g (wp c) F) m')).

Lemma limit_ge0 F : nneg F -> 0 <= limit F.
Proof.
move=> F0; apply: (@le_trans _ _ (wp c (unroll 0 g (wp c) F) m')); first exact: wp_ge0.
by apply: ereal_sup_ub; exists 0%N.
Qed.

(* what is accepted is at most e^-k times what the second run's loop is worth, times the accepted mass *)
Lemma enough f F : G f -> nneg f -> le1 f -> nneg F -> related after f F -> limit F < +oo ->
  accepted f m <= accepted (fun=> 1) m * (expR (- k) * fine (limit F))%:E.
Proof.
move=> Gf f0 f1 F0 rel V_oo; have [[_ from'] _ _ super total] := like_rounds.
set V := limit F; have EV : (fine V)%:E = V by rewrite fineK// ge0_fin_numE// limit_ge0.
have V_0 : 0 <= (fine V)%:E by rewrite EV; exact: limit_ge0.
set x := expR (- (k + b)); have xp : (0 <= x)%R := expR_ge0 _; have x0 : 0 <= x%:E by rewrite lee_fin.
have one : accepted f m <= x%:E * accepted F m'.
  apply: (@le_trans _ _ (accepted (fun s => x%:E * F s) m')).
    apply: (taken_tests forth) => // [|s|s s' gs gs' ps]; [exact: cut_class|by rewrite mule_ge0|].
    apply: le_trans (rel s s' (k + (a + b))%R _) _; first by split.
    have -> : (- (k + (a + b)) = - a + - (k + b))%R by ring.
    by rewrite expRD EFinM muleA.
  exact: accepted_scale.
have two : accepted F m' <= accepted (fun=> 1) m' * (fine V)%:E by rewrite EV; exact: below_loop.
set y := expR b; have yp : (0 <= y)%R := expR_ge0 _.
have three : accepted (fun=> 1) m' <= y%:E * accepted (fun=> 1) m.
  have one0 : nneg (fun _ : S => (1 : \bar R)) by move=> s; exact: lee01.
  apply: (@le_trans _ _ (accepted (fun=> y%:E * 1) m)).
    apply: (taken_tests back) => [|s|s|s|s s' gs gs' _]; [exact: cut_all|exact: lee01|exact: lexx|by rewrite mule1 lee_fin|].
    by rewrite mule1 -EFinM -expRD addNr expR0.
  exact: accepted_scale.
apply: le_trans one _; apply: le_trans (lee_wpmul2l x0 (le_trans two (lee_wpmul2r V_0 three))) _.
have Ea := fineK (fin01 (all_ge0 m) (all_le1 m)).
rewrite -Ea -!EFinM lee_fin le_eqVlt; apply/orP; left; apply/eqP.
have -> : (expR (- k) = x * y)%R by rewrite /x /y -expRD; congr expR; ring.
by ring.
Qed.

(* what a run of the loop, alone or after a round, is worth in the first run (X) and in the second (Y) *)
Lemma loops f F X Y : G f -> nneg f -> le1 f -> nneg F -> related after f F ->
  (forall t : R, (0 <= t)%R -> accepted f m <= accepted (fun=> 1) m * t%:E -> X <= t%:E) -> limit F <= Y ->
  forall j, (j <= k)%R -> X <= (expR (- j))%:E * Y.
Proof.
move=> Gf f0 f1 F0 rel most least j jk.
have [V_oo|] := ltP (limit F) +oo; last first.
  rewrite leye_eq => /eqP E; have -> : Y = +oo by apply/eqP; rewrite -leye_eq -E.
  by rewrite gt0_muley ?lte_fin ?expR_gt0// leey.
have V0 := limit_ge0 F0; have EV : (fine (limit F))%:E = limit F by rewrite fineK// ge0_fin_numE.
apply: (@le_trans _ _ (expR (- k) * fine (limit F))%:E).
  by apply: most (enough Gf f0 f1 F0 rel V_oo); rewrite mulr_ge0 ?expR_ge0 ?fine_ge0.
rewrite EFinM EV; apply: lee_pmul => //; rewrite lee_fin ?expR_ge0// ler_expR ler_oppl opprK //.
Qed.

Theorem redraw_loop : g m -> g m' -> judge_for G 0 (While g c) before after.
Proof.
move=> gm gm' f F Gf f0 f1 F0 rel _ _ j [-> -> jk]; rewrite adde0.
have [[from from'] cuts masses _ _] := like_rounds.
rewrite (loop_from f0 gm) (loop_from F0 gm'); apply: (loops Gf f0 f1 F0 rel) => // t t0 most.
by apply: above_loop => //; exact: cuts.
Qed.

Theorem redraw_before : judge_for G 0 (Seq c (While g c)) before after.
Proof.
move=> f F Gf f0 f1 F0 rel _ _ j [-> -> jk]; rewrite adde0.
have [[from from'] cuts masses _ _] := like_rounds.
rewrite (loop_after from f0) (loop_after from' F0); apply: (loops Gf f0 f1 F0 rel) => // [t t0 most|].
  by apply: above_after => //; exact: cuts.
apply: ub_ereal_sup => _ [n _ <-]; case: n => [|n].
  by rewrite round_first; apply: wp_ge0; apply: cut_ge0 => //; exact: limit_ge0.
rewrite (round_next from' F0); apply: wp_le => s.
  by apply: cut_ge0 => //; apply: wp_ge0; apply: unroll_ge0 => // h; exact: wp_ge0.
by rewrite /cut; case: (g s) => //; apply: ereal_sup_ub; exists n.
Qed.
End Redraw.
