(* CASES (trusted/kernel/src/rules/select.rs): two judgements about one program, the one for a yes and the other for a no to a question about its last state, make one.

   A test is the sum of what it is where the answer is yes and where it is no.  So the first run's expectation has to be additive on tests that the question cuts: all tests of programs that draw
   from discrete laws, the measurable ones of programs that draw reals (Additive.v, Memory.v).  The second run's test may be any: what is asked there is that the parts be at most the
   whole (superadditive), and lower integrals are so, as are sums; super_... show it along the program.  Read: superadditive, cases, cases_all. *)
From Probity Require Import PreludeIntegral Judgement Laws Additive Density SignedLog.
From Probity Require Rules.
Local Open Scope classical_set_scope.
Local Open Scope ring_scope.
Local Open Scope ereal_scope.

Section Super.
Variables (R : realType) (S : Type).
Implicit Types (c : stmt R S).

Definition superadditive c := forall f g, nneg f -> nneg g -> forall m, wp c f m + wp c g m <= wp c (fun s => f s + g s) m.
Lemma super_skip : superadditive (Skip R S).
Proof. by []. Qed.
Lemma super_assign u : superadditive (Assign R u).
Proof. by []. Qed.
Lemma super_draw A (D : S -> law R A) u :
  (forall s f g, (forall a, 0 <= f a) -> (forall a, 0 <= g a) -> D s f + D s g <= D s (fun a => f a + g a)) -> superadditive (Draw D u).
Proof. by move=> H f g f0 g0 m; exact: H. Qed.
Lemma super_comp (w v : (S -> \bar R) -> S -> \bar R) : (forall f g, nneg f -> (forall s, f s <= g s) -> forall s, w f s <= w g s) ->
  (forall f, nneg f -> nneg (v f)) ->
  (forall f g, nneg f -> nneg g -> forall m, w f m + w g m <= w (fun s => f s + g s) m) ->
  (forall f g, nneg f -> nneg g -> forall m, v f m + v g m <= v (fun s => f s + g s) m) ->
  forall f g, nneg f -> nneg g -> forall m, w (v f) m + w (v g) m <= w (v (fun s => f s + g s)) m.
Proof.
move=> wle v0 Hw Hv f g f0 g0 m; apply: (le_trans (Hw _ _ (v0 _ f0) (v0 _ g0) m)).
by apply: wle => s; [rewrite adde_ge0// v0|exact: Hv].
Qed.
Lemma super_seq c d : superadditive c -> superadditive d -> superadditive (Seq c d).
Proof. by move=> Hc Hd; exact: (super_comp (@wp_le R S c) (@wp_ge0 R S d) Hc Hd). Qed.
Lemma super_if g c d : superadditive c -> superadditive d -> superadditive (If g c d).
Proof. by move=> Hc Hd f h f0 h0 m /=; case: (g m); [exact: Hc|exact: Hd]. Qed.
Lemma super_for a b (c : int -> stmt R S) : (forall i, superadditive (c i)) -> superadditive (For a b c).
Proof.
move=> Hc; rewrite /superadditive /=; move: (rounds a b) => n; elim: n a => [|n IH] a //=.
apply: (super_comp (@wp_le R S (c a)) _ (Hc a) (IH (a + 1)%R)) => f f0.
by apply: seqn_ge0 => // ? ?; exact: wp_ge0.
Qed.
Lemma super_while b c : superadditive c -> superadditive (While b c).
Proof.
move=> Hc f g f0 g0 m; set M := wp (While b c) (fun s => f s + g s) m.
pose U n h := unroll n b (wp c) h.
have U0 n h : nneg h -> nneg (U n h) by move=> h0; apply: unroll_ge0 => // ?; exact: wp_ge0.
have more n h s : nneg h -> U n h s <= U n.+1 h s.
  move=> h0; elim: n s => [|n IH] s; first exact: U0.
  by rewrite /U /=; case: (b s) => //; apply: wp_le; [exact: U0|exact: IH].
have grow n k h s : nneg h -> U n h s <= U (n + k)%N h s.
  by move=> h0; elim: k => [|k IH]; rewrite ?addn0// addnS; apply: (le_trans IH); exact: more.
have sum n s : U n f s + U n g s <= U n (fun s => f s + g s) s.
  elim: n s => [|n IH] s; first by rewrite /U /= adde0.
  rewrite /U /=; case: (b s) => //; apply: (le_trans (Hc _ _ (U0 n f f0) (U0 n g g0) s)).
  by apply: wp_le => [t|t]; [rewrite adde_ge0//; exact: U0|exact: IH].
have two n k : U n f m + U k g m <= M.
  apply: (@le_trans _ _ (U (n + k)%N (fun s => f s + g s) m)); last by apply: ereal_sup_ub; exists (n + k)%N.
  by apply: le_trans (sum _ m); apply: lee_add; [exact: grow|rewrite addnC; exact: grow].
have [->|] := eqVneq M +oo; first by rewrite leey.
rewrite -ltey => Mfin; have fin n h : nneg h -> U n h m <= M -> U n h m \is a fin_num.
  by move=> h0 hM; rewrite ge0_fin_numE; [exact: le_lt_trans Mfin|exact: U0].
have fM n : U n f m <= M by apply: le_trans (two n 0%N); rewrite lee_addl//; exact: U0.
have gM : wp (While b c) g m <= M.
  by apply: ub_ereal_sup => _ [n _ <-]; apply: le_trans (two 0%N n); rewrite lee_addr//; exact: U0.
have gfin : wp (While b c) g m \is a fin_num by rewrite ge0_fin_numE; [exact: le_lt_trans Mfin|exact: wp_ge0].
rewrite -lee_subr_addr//; apply: ub_ereal_sup => _ [n _ <-]; rewrite lee_subr_addr// addeC -lee_subr_addr ?fin//.
by apply: ub_ereal_sup => _ [k _ <-]; rewrite lee_subr_addr ?fin// addeC; exact: two.
Qed.
End Super.

(* laws with a density: lower integrals *)
Lemma super_density (R : realType) (leb := [the measure _ _ of @lebesgue_measure R]) (p : measurableTypeR R -> R) p0 mp p1 (f g : measurableTypeR R -> \bar R) :
  (forall a, 0 <= f a) -> (forall a, 0 <= g a) ->
  @dlaw _ _ R leb p p0 mp p1 f + @dlaw _ _ R leb p p0 mp p1 g <= @dlaw _ _ R leb p p0 mp p1 (fun a => f a + g a).
Proof.
move=> f0 g0; rewrite /= /dev; apply: (le_trans (@low_super R _ _ _ _)) => [x|x|]; try by rewrite mule_ge0// lee_fin.
by apply: low_le => x; rewrite ?adde_ge0 ?mule_ge0 ?lee_fin// ge0_muleDr ?lee_fin.
Qed.

Section Answers.
Variables (R : realType) (S : Type).
Implicit Types (c : stmt R S) (Phi Theta Psi : assn R S).

(* a test where the answer is yes *)
Definition only (g : S -> bool) (f : S -> \bar R) (s : S) := if g s then f s else 0.
Lemma only_both g (f : S -> \bar R) : (fun s => only g f s + only (fun s => ~~ g s) f s) = f.
Proof. by apply/funext => s; rewrite /only; case: (g s); rewrite /= ?adde0 ?add0e. Qed.

Section Class.
Variable good : (S -> \bar R) -> Prop.
Hypothesis good0 : good (fun=> 0).
Lemma wp_two c f g : additive good c -> nneg f -> nneg g -> good f -> good g -> forall m, wp c (fun s => f s + g s) m = wp c f m + wp c g m.
Proof.
move=> Hc f0 g0 gf gg m; pose h (i : nat) := if i is 0 then f else g.
have := @wp_finite R S good good0 c Hc 2 h; rewrite (_ : (fun t => _) = fun s => f s + g s); last first.
  by apply/funext => t; rewrite !big_nat_recr//= big_geq// add0e.
by move=> ->; rewrite ?big_nat_recr//= ?big_geq ?add0e// => -[|i].
Qed.

Theorem cases (g : S -> bool) (d1 d2 : R) c Phi Theta Psi : additive good c -> good_guard good g -> superadditive c ->
  judge_for good d1 c Phi (fun s s' k => g s -> g s' /\ Psi s s' k) ->
  judge_for good d2 c Theta (fun s s' k => ~~ g s -> ~~ g s' /\ Psi s s' k) ->
  judge_for good (d1 + d2) c (fun s s' k => Phi s s' k /\ Theta s s' k) Psi.
Proof.
move=> Hc gg sup Jy Jn f F Gf f0 f1 F0 H m m' k [HP HT].
have o0 a h : nneg h -> nneg (only a h) by move=> h0 s; rewrite /only; case: (a s).
have o1 a : le1 (only a f) by move=> s; rewrite /only; case: (a s) => //; exact: lee01.
have Go : good (only g f) by exact: gg.
have Gn : good (only (fun s => ~~ g s) f).
  by rewrite (_ : only _ f = fun s => if g s then 0 else f s); [exact: gg|apply/funext => s; rewrite /only; case: (g s)].
have rel (a : S -> bool) : related (fun s s' k => a s -> a s' /\ Psi s s' k) (only a f) (only a F).
  move=> s s' j; rewrite /only; case: (a s) => [/(_ isT)[-> /H//]|_].
  by rewrite mule_ge0 ?lee_fin ?expR_ge0//; case: (a s').
have y := Jy _ _ Go (o0 _ _ f0) (o1 _) (o0 _ _ F0) (rel g) m m' k HP.
have n := Jn _ _ Gn (o0 _ _ f0) (o1 _) (o0 _ _ F0) (rel (fun s => ~~ g s)) m m' k HT.
rewrite -{1}(only_both g f) (wp_two Hc)//; try exact: o0.
apply: (le_trans (lee_add y n)); rewrite addeACA -EFinD lee_add2r// -ge0_muleDr; try by apply: wp_ge0; exact: o0.
apply: lee_wpmul2l; first by rewrite lee_fin expR_ge0.
apply: (le_trans (sup _ _ _ _ m')); try exact: o0.
by rewrite only_both.
Qed.
End Class.

(* programs that are additive on all tests, as those that draw from discrete laws *)
Theorem cases_all (g : S -> bool) (d1 d2 : R) c Phi Theta Psi : additive (fun=> True) c ->
  judge d1 c Phi (fun s s' k => g s -> g s' /\ Psi s s' k) ->
  judge d2 c Theta (fun s s' k => ~~ g s -> ~~ g s' /\ Psi s s' k) ->
  judge (d1 + d2) c (fun s s' k => Phi s s' k /\ Theta s s' k) Psi.
Proof.
move=> Hc Jy Jn f F f0 f1 F0 H m m' k HP.
have sup : superadditive c by move=> h h' h0 h'0 t; rewrite -(wp_two _ Hc).
exact: (@cases (fun=> True) I g d1 d2 c Phi Theta Psi Hc (fun _ _ _ _ => I) sup (judge_any Jy) (judge_any Jn) f F I f0 f1 F0 H m m' k HP).
Qed.
End Answers.
