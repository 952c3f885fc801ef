(* AMPLIFY beside other inputs (amplify of trusted/kernel/src/privacy.rs, docs/logic.md, section 8c): the mechanism is c; s ~ sample(t, q); d, with other inputs that both runs have in common.

   c neither mentions nor sets the table and the sample, so the sample may be drawn before it: for all tests if c draws nothing, else for tests on which its expectations are additive (sample_first).
   Then the mechanism is s ~ sample(t, q); c; d, and the theorem is that of Samples.v about c; d.  That the other inputs are the same, and that nothing else sees the table, is the hypothesis that from the
   two inputs with one sample c; d releases the same.  Read: amplify_beside. *)
From Probity Require Import PreludeIntegral Judgement Laws Additive Privacy Samples Centered.
From Probity Require Rules.
Local Open Scope classical_set_scope.
Local Open Scope ring_scope.
Local Open Scope ereal_scope.

Section Beside.
Variables (R : realType) (S O Row : Type) (q : R).
Implicit Types (c d : stmt R S).

(* a draw from a list of values may come before a program that is additive on what is done afterwards *)
Section First.
Variable good : (S -> \bar R) -> Prop.
Hypothesis good0 : good (fun=> 0).
Hypothesis good_add : forall f g, nneg f -> nneg g -> good f -> good g -> good (fun s => f s + g s).
Lemma adds c f g m : additive good c -> nneg f -> nneg g -> good f -> good g -> wp c (fun s => f s + g s) m = wp c f m + wp c g m.
Proof.
move=> add f0 g0 gf gg; pose t i := if i == 0%N then f else g.
have t0 i : nneg (t i) by rewrite /t; case: ifP.
have gt i : good (t i) by rewrite /t; case: ifP.
have E := @wp_finite R S good good0 c add 2%N t t0 gt m.
have two (F : nat -> \bar R) : \sum_(0 <= i < 2) F i = F 0%N + F 1%N by rewrite /index_iota /= !big_cons big_nil adde0.
by rewrite two in E; rewrite -[RHS]E; congr (wp c _ m); apply/funext => s; rewrite two.
Qed.
Theorem list_first A c (ok : bool) (ws : seq (R * A)) (h : S -> A -> \bar R) m : additive good c -> (forall s a, 0 <= h s a) ->
  (forall (x : R) a, (0 <= x)%R -> good (fun s => x%:E * h s a)) -> exchanged c (flaw ok ws) h m.
Proof.
have zero : wp c (fun=> 0) m = 0.
  apply/eqP; rewrite eq_le; apply/andP; split; last by apply: wp_ge0.
  by have := @wp_scale R S 0%R (lexx _) c (fun=> 0) (fun=> lexx _) m; rewrite !mul0e.
move=> add h0 gh; rewrite /exchanged /= /fev; case: ifP => [/and3P[_ w0 _]|_]; last by rewrite zero.
have [E _] : wp c (fun s => \sum_(x <- ws) x.1%:E * h s x.2) m = \sum_(x <- ws) x.1%:E * wp c (h^~ x.2) m /\
    good (fun s => \sum_(x <- ws) x.1%:E * h s x.2); last by rewrite E.
elim: ws w0 => [|x l IH] /=.
  by move=> _; rewrite big_nil; split; [rewrite -[RHS]zero; congr (wp c _ m)|]; rewrite (_ : (fun s => _) = fun=> 0)//; apply/funext => s; rewrite big_nil.
move=> /andP[x0 l0]; have [E G] := IH l0.
have s0 : nneg (fun s => \sum_(x <- l) x.1%:E * h s x.2).
  by move=> s; elim: l l0 {IH E G} => [|y l IH] /=; rewrite ?big_nil// big_cons => /andP[y0 l0]; rewrite adde_ge0 ?IH// mule_ge0 ?lee_fin.
have y0 : nneg (fun s => x.1%:E * h s x.2) by move=> s; rewrite mule_ge0 ?lee_fin.
rewrite (_ : (fun s => \sum_(z <- x :: l) z.1%:E * h s z.2) = fun s => x.1%:E * h s x.2 + \sum_(z <- l) z.1%:E * h s z.2); last first.
  by apply/funext => s; rewrite big_cons.
split; last by apply: good_add => //; exact: gh.
rewrite adds//; last exact: gh.
rewrite big_cons E; congr (_ + _); apply/eqP; rewrite eq_le (wp_scale x0)//=.
move: x0; rewrite le_eqVlt => /orP[/eqP <-|x0]; first by rewrite mul0e; apply: wp_ge0 => s; rewrite mul0e.
have := @wp_scale R S x.1^-1%R _ c _ y0 m; rewrite invr_ge0 => /(_ (ltW x0)) H.
rewrite -(@lee_pmul2l _ x.1^-1%:E)// ?lte_fin ?invr_gt0// muleA -EFinM mulVf ?gt_eqF// mul1e; apply: le_trans H.
by apply: wp_le => // s; rewrite muleA -EFinM mulVf ?gt_eqF// mul1e.
Qed.
End First.

(* the mechanism with the sample in its place, and with the sample first *)
Theorem sample_first (table : S -> seq Row) (put : S -> seq Row -> S) (agree : S -> S -> Prop) c d f m :
  (forall h m u, nneg h -> wp c h (put m u) = wp c (fun s => h (put s u)) m) ->
  Rules.local agree c -> (forall s, agree m s -> table s = table m) -> nneg f ->
  exchanged c (sample q (table m)) (fun s u => wp d f (put s u)) m ->
  wp (Seq c (Seq (Draw (fun s => sample q (table s)) put) d)) f m = wp (Seq (Draw (fun s => sample q (table s)) put) (Seq c d)) f m.
Proof.
move=> ignores loc kept f0 ex; have w0 := @wp_ge0 R S d f f0.
rewrite -[LHS]/(wp c (fun s => sample q (table s) (fun u => wp d f (put s u))) m).
rewrite -[RHS]/(sample q (table m) (fun u => wp c (wp d f) (put m u))).
rewrite (loc m _ (fun s => sample q (table m) (fun u => wp d f (put s u)))); first last.
- by move=> s /kept ->.
- by move=> s; apply: ev_ge0 => u; exact: w0.
- by move=> s; apply: ev_ge0 => u; exact: w0.
by rewrite -ex; congr (ev (sample q _)); apply/funext => u; rewrite ignores.
Qed.

Hypothesis qr : (0 <= q <= 1)%R.
(* for some sets of outputs, as amplify_on *)
Theorem amplify_beside_on (good : (O -> Prop) -> Prop) (table : S -> seq Row) (put : S -> seq Row -> S) (agree : S -> S -> Prop) c d (out : S -> O) (ok : pred Row)
    (eps0 delta0 eps delta : R) (m m' : S) p l1 l2 :
  (0 <= eps0)%R -> (0 <= delta0)%R -> (1 + q * (expR eps0 - 1) <= expR eps)%R -> (q * delta0 <= delta)%R ->
  ok p -> all ok (l1 ++ l2) -> table m = l1 ++ l2 -> table m' = l1 ++ p :: l2 ->
  (* c neither reads nor sets the sample, nor sets the table; the sample may be drawn before it *)
  (forall h m u, nneg h -> wp c h (put m u) = wp c (fun s => h (put s u)) m) ->
  Rules.local agree c -> (forall s t, agree s t -> table t = table s) ->
  (forall (E : O -> Prop) s, good E -> s = m \/ s = m' -> exchanged c (sample q (table s)) (fun t u => wp d (ind R (fun s => E (out s))) (put t u)) s) ->
  (* with one sample the two inputs are alike: the other inputs are the same, and nothing else sees the table *)
  (forall (E : O -> Prop) u, good E -> wp (Seq c d) (ind R (fun s => E (out s))) (put m' u) = wp (Seq c d) (ind R (fun s => E (out s))) (put m u)) ->
  (* the mechanism with the sample as its input *)
  (forall u1 u2, all ok (u1 ++ u2) ->
     dp_on good out (Seq c d) eps0 delta0 (put m (u1 ++ p :: u2)) (put m (u1 ++ u2)) /\
     dp_on good out (Seq c d) eps0 delta0 (put m (u1 ++ u2)) (put m (u1 ++ p :: u2))) ->
  let sampled := Seq c (Seq (Draw (fun s => sample q (table s)) put) d) in
  dp_on good out sampled eps delta m m' /\ dp_on good out sampled eps delta m' m.
Proof.
move=> e0 d0 enough small kp kl tm tm' ignores loc kept ex same near sampled.
have [a b] := amplify_on qr e0 d0 enough small kp kl tm tm' same near.
have first (E : O -> Prop) s : good E -> s = m \/ s = m' -> wp sampled (ind R (fun s => E (out s))) s =
    wp (Seq (Draw (fun s => sample q (table s)) put) (Seq c d)) (ind R (fun s => E (out s))) s.
  move=> gE sm; apply: (sample_first (agree := agree)) => //; last exact: ex.
  - by move=> t; exact: kept.
  - exact: ind_ge0.
split=> E gE; rewrite !first//; try by [left|right].
  exact: a.
exact: b.
Qed.
Theorem amplify_beside (table : S -> seq Row) (put : S -> seq Row -> S) (agree : S -> S -> Prop) c d (out : S -> O) (ok : pred Row)
    (eps0 delta0 eps delta : R) (m m' : S) p l1 l2 :
  (0 <= eps0)%R -> (0 <= delta0)%R -> (1 + q * (expR eps0 - 1) <= expR eps)%R -> (q * delta0 <= delta)%R ->
  ok p -> all ok (l1 ++ l2) -> table m = l1 ++ l2 -> table m' = l1 ++ p :: l2 ->
  (* c neither reads nor sets the sample, nor sets the table; the sample may be drawn before it *)
  (forall h m u, nneg h -> wp c h (put m u) = wp c (fun s => h (put s u)) m) ->
  Rules.local agree c -> (forall s t, agree s t -> table t = table s) ->
  (forall (E : O -> Prop) s, s = m \/ s = m' -> exchanged c (sample q (table s)) (fun t u => wp d (ind R (fun s => E (out s))) (put t u)) s) ->
  (* with one sample the two inputs are alike: the other inputs are the same, and nothing else sees the table *)
  (forall (E : O -> Prop) u, wp (Seq c d) (ind R (fun s => E (out s))) (put m' u) = wp (Seq c d) (ind R (fun s => E (out s))) (put m u)) ->
  (* the mechanism with the sample as its input *)
  (forall u1 u2, all ok (u1 ++ u2) ->
     dp out (Seq c d) eps0 delta0 (put m (u1 ++ p :: u2)) (put m (u1 ++ u2)) /\
     dp out (Seq c d) eps0 delta0 (put m (u1 ++ u2)) (put m (u1 ++ p :: u2))) ->
  let sampled := Seq c (Seq (Draw (fun s => sample q (table s)) put) d) in
  dp out sampled eps delta m m' /\ dp out sampled eps delta m' m.
Proof.
move=> e0 d0 enough small kp kl tm tm' ignores loc kept ex same near sampled.
have [|E u _|u1 u2 ku|a b] := @amplify_beside_on (fun=> True) table put agree c d out ok eps0 delta0 eps delta m m' p l1 l2 e0 d0 enough small kp kl tm tm' ignores loc kept.
- by move=> E s _; exact: ex.
- exact: same.
- by have [x y] := near u1 u2 ku; split=> E _.
by split=> E; [exact: (a E)|exact: (b E)].
Qed.
End Beside.
