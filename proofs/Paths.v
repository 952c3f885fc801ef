(* DENSITY (trusted/kernel/src/rules/finite/density.rs), path by path: a block of coins and uniform draws as a tree of what it asks, and the law of what it leaves as a sum over the ways through the tree.

   Trees.  A block, run from one state, follows a tree: it tosses a coin, makes a uniform draw (the n-th), or learns the answer to a question about one draw, and ends in a state that is made of the draws
   (follows; a lemma for each statement, and one that asks whatever question is needed before a guard or a value is known: those of the kernel's `ways` and `settled`).
   Ways.  A tree is the sum of its ways (by_ways) for tests that are measurable in the draws, which is shown for tests whose value at every end is so (measured_jointly); for other tests the ways are at most the
   whole (ways_below).  A way has the probability of its coins, and of each draw that its answers hold of it; given them, what it ends with depends on one draw or on none (along_value).
   Read: tree, mean, follows, way, ways.  The rule is in PathsRule.v. *)
From Probity Require Import PreludeIntegral Judgement Laws Density Continuous Plane Spread.
Local Open Scope classical_set_scope.
Local Open Scope ring_scope.
Local Open Scope ereal_scope.

Section Uniform.
Variable R : realType.
Notation T := (measurableTypeR R).
Let leb : {measure set T -> \bar R} := [the measure _ _ of @lebesgue_measure R].
Definition pick (f : T -> \bar R) : \bar R := uniform R f.
Lemma pick_ge0 (f : T -> \bar R) : (forall u, 0 <= f u) -> 0 <= pick f. Proof. exact: ev_ge0. Qed.
Lemma pick_le (f g : T -> \bar R) : (forall u, 0 <= f u) -> (forall u, f u <= g u) -> pick f <= pick g. Proof. exact: ev_le. Qed.
Lemma pick_scale (c : R) (f : T -> \bar R) : (0 <= c)%R -> (forall u, 0 <= f u) -> pick (fun u => c%:E * f u) = c%:E * pick f.
Proof. exact: ev_scale. Qed.
Lemma pick0 : pick (fun=> 0) = 0. Proof. exact: Judgement.ev0. Qed.
Lemma uniformE (f : T -> \bar R) : pick f = \int[leb]_u ((uni_w u)%:E * f u).
Proof. by rewrite /pick /= /dev; apply: eq_integral => u _; rewrite /wp_ uni_total /= divr1. Qed.
Lemma uniform_add (f g : T -> \bar R) : (forall u, 0 <= f u) -> (forall u, 0 <= g u) -> measurable_fun setT f -> measurable_fun setT g ->
  pick (fun u => f u + g u) = pick f + pick g.
Proof.
move=> f0 g0 mf mg; rewrite !uniformE.
have w0 (h : T -> \bar R) u : (forall u, 0 <= h u) -> 0 <= (uni_w u)%:E * h u by move=> h0; rewrite mule_ge0// lee_fin uni_w0.
have mw (h : T -> \bar R) : measurable_fun setT h -> measurable_fun setT (fun u => (uni_w u)%:E * h u).
  by move=> mh; apply: emeasurable_funM => //; apply/EFin_measurable_fun; exact: uni_w_meas.
rewrite (eq_integral (fun u => (uni_w u)%:E * f u + (uni_w u)%:E * g u)); last by move=> u _; rewrite ge0_muleDr// lee_fin uni_w0.
by rewrite ge0_integralD//; (try exact: mw) => u _; exact: w0.
Qed.
Lemma uniform_super (f g : T -> \bar R) : (forall u, 0 <= f u) -> (forall u, 0 <= g u) ->
  pick f + pick g <= pick (fun u => f u + g u).
Proof.
move=> f0 g0; rewrite !uniformE; apply: le_trans (@low_super R _ _ _ _) _ => [u|u|]; try by rewrite mule_ge0// lee_fin uni_w0.
by apply: low_le => u; rewrite ?adde_ge0 ?mule_ge0 ?lee_fin ?uni_w0// ge0_muleDr ?lee_fin ?uni_w0.
Qed.
Lemma uniform_le1 (f : T -> \bar R) : (forall u, 0 <= f u) -> (forall u, f u <= 1) -> pick f <= 1.
Proof. by move=> f0 f1; rewrite -[leRHS](total_uniform R); apply: pick_le. Qed.
End Uniform.
Arguments pick : simpl never.

Section Trees.
Variables (R : realType) (S L : Type).
Notation T := (measurableTypeR R).
Implicit Types (c : stmt R S).

(* the values of the draws, by their numbers *)
Definition draws : Type := nat -> T.
Definition drawn (x : draws) n (u : T) : draws := fun j => if j == n then u else x j.

(* ends in a state, with a label *)
Inductive tree :=
| Leaf of (draws -> S) & L
| Coin of R & tree & tree
| Pick of tree
| Ask of nat & (T -> bool) & tree & tree.
(* after n draws *)
Fixpoint mean (t : tree) n (f : S -> \bar R) (x : draws) : \bar R :=
  match t with
  | Leaf h _ => f (h x)
  | Coin p a b => p%:E * mean a n f x + (1 - p)%:E * mean b n f x
  | Pick a => pick (fun u => mean a n.+1 f (drawn x n u))
  | Ask j q a b => if q (x j) then mean a n f x else mean b n f x
  end.
Fixpoint fair (t : tree) : bool :=
  match t with
  | Leaf _ _ => true
  | Coin p a b => [&& 0 <= p, p <= 1, fair a & fair b]%R
  | Pick a => fair a
  | Ask _ _ a b => fair a && fair b
  end.

(* ---- programs ---- *)
(* c, run from m(x) for draws x of which X is known, does what the tree says *)
Implicit Types (X : draws -> Prop).
Definition follows (X : draws -> Prop) (m : draws -> S) c n t := forall x f, X x -> nneg f -> wp c f (m x) = mean t n f x.
Theorem follows_end X m n l : follows X m (Skip R S) n (Leaf m l).
Proof. by []. Qed.
Theorem follows_set X m (u : S -> S) c n t : follows X (fun x => u (m x)) c n t -> follows X m (Seq (Assign R u) c) n t.
Proof. by []. Qed.
Theorem follows_coin X m (w : S -> R) (u : S -> bool -> S) c n p a b : (0 <= p <= 1)%R -> (forall x, X x -> w (m x) = p) ->
  follows X (fun x => u (m x) true) c n a -> follows X (fun x => u (m x) false) c n b ->
  follows X m (Seq (Draw (fun s => bernoulli (w s)) u) c) n (Coin p a b).
Proof. by move=> pr wp_ Ha Hb x f Xx f0 /=; rewrite wp_// -[LHS]/(bernoulli p _) bernoulliE// Ha// Hb. Qed.
(* what has no mass need not be followed *)
Theorem follows_sure X m (w : S -> R) (u : S -> bool -> S) c n (b : bool) t : (forall x, X x -> w (m x) = b%:R)%R ->
  follows X (fun x => u (m x) b) c n t -> follows X m (Seq (Draw (fun s => bernoulli (w s)) u) c) n t.
Proof.
move=> wE Ht x f Xx f0 /=; rewrite wE// -[LHS]/(bernoulli b%:R _) bernoulliE; last by case: (b); rewrite ?lexx ?ler01.
by rewrite -(Ht x f Xx f0); case: (b); rewrite ?subrr ?subr0 mul0e mul1e ?adde0 ?add0e.
Qed.
Theorem follows_uniform (X X' : draws -> Prop) m m' (u : S -> T -> S) c n t :
  (forall x z, X x -> X' (drawn x n z) /\ m' (drawn x n z) = u (m x) z) ->
  follows X' m' c n.+1 t -> follows X m (Seq (Draw (fun=> uniform R) u) c) n (Pick t).
Proof.
move=> H Ht x f Xx f0 /=; rewrite -[LHS]/(pick (fun z => wp c f (u (m x) z))); congr pick; apply/funext => z.
by have [Xz <-] := H x z Xx; exact: Ht.
Qed.
(* a guard of which the answer is known, as it is after the questions that it asks *)
Theorem follows_if X m g c d e n (b : bool) t : (forall x, X x -> g (m x) = b) -> follows X m (Seq (if b then c else d) e) n t ->
  follows X m (Seq (If g c d) e) n t.
Proof. by move=> gb Ht x f Xx f0; rewrite -Ht//= gb//; case: (b). Qed.
Theorem follows_ask (X : draws -> Prop) m c n j (q : T -> bool) a b :
  follows (fun x => X x /\ q (x j)) m c n a -> follows (fun x => X x /\ ~~ q (x j)) m c n b -> follows X m c n (Ask j q a b).
Proof. by move=> Ha Hb x f Xx f0 /=; case: ifPn => h; [exact: Ha|exact: Hb]. Qed.

Lemma mean_ge0 t n f x : fair t -> nneg f -> 0 <= mean t n f x.
Proof.
move=> + f0; elim: t n x => [h l|p a IHa b IHb|a IHa|j q a IHa b IHb] n x /=; first by [].
- by move=> /and4P[p0 p1 fa fb]; rewrite adde_ge0// mule_ge0 ?lee_fin ?subr_ge0 ?IHa ?IHb.
- by move=> fa; apply: pick_ge0 => u; exact: IHa.
- by move=> /andP[fa fb]; case: ifP => _; [exact: IHa|exact: IHb].
Qed.

(* ---- ways ---- *)
Inductive way :=
| End of (draws -> S) & L
| Toss of R & way
| Next of way
| Met of nat & (T -> bool) & way.
Canonical way_eqType := EqType way gen_eqMixin.
Fixpoint along (w : way) n (f : S -> \bar R) (x : draws) : \bar R :=
  match w with
  | End h _ => f (h x)
  | Toss p w => p%:E * along w n f x
  | Next w => pick (fun u => along w n.+1 f (drawn x n u))
  | Met j q w => if q (x j) then along w n f x else 0
  end.
Fixpoint ways (t : tree) : seq way :=
  match t with
  | Leaf h l => [:: End h l]
  | Coin p a b => map (Toss p) (ways a) ++ map (Toss (1 - p)%R) (ways b)
  | Pick a => map Next (ways a)
  | Ask j q a b => map (Met j q) (ways a) ++ map (Met j (fun u => ~~ q u)) (ways b)
  end.
Fixpoint leaf (w : way) := match w with End h _ => h | Toss _ w | Next w | Met _ _ w => leaf w end.
Fixpoint label (w : way) := match w with End _ l => l | Toss _ w | Next w | Met _ _ w => label w end.
(* the probability of the coins, how many draws are made, and the answers that hold of a draw *)
Fixpoint scale (w : way) : R := match w with End _ _ => 1 | Toss p w => p * scale w | Next w | Met _ _ w => scale w end%R.
Fixpoint picks (w : way) : nat := match w with End _ _ => 0 | Next w => (picks w).+1 | Toss _ w | Met _ _ w => picks w end%N.
Fixpoint inside (w : way) (j : nat) (u : T) : bool :=
  match w with End _ _ => true | Met i q w => (if i == j then q u else true) && inside w j u | Toss _ w | Next w => inside w j u end.
(* coins have no negative probability, and questions are about draws that were made, and measurable *)
Fixpoint proper (w : way) (n : nat) : Prop :=
  match w with
  | End _ _ => True
  | Toss p w => (0 <= p)%R /\ proper w n
  | Next w => proper w n.+1
  | Met j q w => [/\ (j < n)%N, measurable [set u | q u] & proper w n]
  end.
(* expectations along the way are measurable in each draw *)
Fixpoint measured (f : S -> \bar R) (w : way) (n : nat) : Prop :=
  match w with
  | End _ _ => True
  | Toss _ w | Met _ _ w => measured f w n
  | Next w => (forall x, measurable_fun setT (fun u => along w n.+1 f (drawn x n u))) /\ measured f w n.+1
  end.

Lemma along_ge0 w n f x : proper w n -> nneg f -> 0 <= along w n f x.
Proof.
move=> + f0; elim: w n x => [h l|p w IH|w IH|j q w IH] n x /=; first by [].
- by move=> [p0 pw]; rewrite mule_ge0// IH.
- by move=> pw; apply: pick_ge0 => u; exact: IH.
- by move=> [_ _ pw]; case: ifP => // _; exact: IH.
Qed.
Lemma along_le w n f g x : proper w n -> nneg f -> (forall x, f (leaf w x) <= g (leaf w x)) -> along w n f x <= along w n g x.
Proof.
move=> + f0; elim: w n x => [h l|p w IH|w IH|j q w IH] n x /=; first by move=> _.
- by move=> [p0 pw] fg; apply: lee_wpmul2l; [rewrite lee_fin|exact: IH].
- by move=> pw fg; apply: pick_le => u; [exact: along_ge0|exact: IH].
- by move=> [_ _ pw] fg; case: ifP => // _; exact: IH.
Qed.
Lemma sum_ge0 n f x l : nneg f -> (forall w, w \in l -> proper w n) -> 0 <= \sum_(w <- l) along w n f x.
Proof. by move=> f0 pl; rewrite big_seq; apply: sume_ge0 => w /pl pw; exact: along_ge0. Qed.

Lemma uniform_ways n f x l : nneg f -> (forall w, w \in l -> proper w n.+1) ->
  (forall w, w \in l -> measurable_fun setT (fun u => along w n.+1 f (drawn x n u))) ->
  pick (fun u => \sum_(w <- l) along w n.+1 f (drawn x n u)) = \sum_(w <- l) along (Next w) n f x.
Proof.
move=> f0; elim: l => [|w l IH] pl ml.
  by rewrite big_nil -[RHS](@pick0 R); congr pick; apply/funext => u; rewrite big_nil.
have pl' v : v \in l -> proper v n.+1 by move=> vl; apply: pl; rewrite in_cons vl orbT.
have ml' v : v \in l -> measurable_fun setT (fun u => along v n.+1 f (drawn x n u)) by move=> vl; apply: ml; rewrite in_cons vl orbT.
have pw : proper w n.+1 by apply: pl; rewrite mem_head.
rewrite big_cons -IH// -uniform_add.
- by congr pick; apply/funext => u; rewrite big_cons.
- by move=> u; exact: along_ge0.
- by move=> u; exact: sum_ge0.
- by apply: ml; rewrite mem_head.
- elim: l pl' ml' {IH pl ml} => [|v l IH] pl ml.
    by rewrite (_ : (fun u => _) = cst 0); [exact: measurable_fun_cst|apply/funext => u; rewrite big_nil].
  rewrite (_ : (fun u => _) = fun u => along v n.+1 f (drawn x n u) + \sum_(w <- l) along w n.+1 f (drawn x n u)); last by apply/funext => u; rewrite big_cons.
  apply: emeasurable_funD; first by apply: ml; rewrite mem_head.
  by apply: IH => z zl; [apply: pl|apply: ml]; rewrite in_cons zl orbT.
Qed.
Lemma uniform_ways_super n f x l : nneg f -> (forall w, w \in l -> proper w n.+1) ->
  \sum_(w <- l) along (Next w) n f x <= pick (fun u => \sum_(w <- l) along w n.+1 f (drawn x n u)).
Proof.
move=> f0; elim: l => [|w l IH] pl; first by rewrite big_nil; apply: pick_ge0 => u; rewrite big_nil.
have pl' v : v \in l -> proper v n.+1 by move=> vl; apply: pl; rewrite in_cons vl orbT.
have pw : proper w n.+1 by apply: pl; rewrite mem_head.
rewrite big_cons; apply: (le_trans (lee_add (lexx _) (IH pl'))).
apply: (le_trans (uniform_super _ _)) => [u|u|]; [exact: along_ge0|exact: sum_ge0|].
by apply: pick_le => u; [rewrite adde_ge0 ?sum_ge0// along_ge0|rewrite big_cons].
Qed.

Lemma ways_map (F : way -> way) l n f x : \sum_(w <- map F l) along w n f x = \sum_(w <- l) along (F w) n f x.
Proof. by rewrite big_map. Qed.
Lemma ways_toss (p : R) (l : seq way) n (f : S -> \bar R) (x : draws) : nneg f -> (forall w, w \in l -> proper w n) ->
  (p%:E * (\sum_(w <- l) along w n f x))%E = \sum_(w <- l) along (Toss p w) n f x.
Proof.
move=> f0; elim: l => [|w l IH] pl; first by rewrite !big_nil mule0.
have pl' v : v \in l -> proper v n by move=> vl; apply: pl; rewrite in_cons vl orbT.
rewrite !big_cons -IH//= ge0_muleDr//; first by apply: along_ge0 => //; apply: pl; rewrite mem_head.
exact: sum_ge0.
Qed.
Lemma ways_met j (q : T -> bool) l n f (x : draws) : \sum_(w <- l) along (Met j q w) n f x = if q (x j) then \sum_(w <- l) along w n f x else 0.
Proof. by case: ifP => h; [apply: eq_bigr => w _ /=|rewrite big1// => w _ /=]; rewrite h. Qed.

Definition all_proper t n := forall w, w \in ways t -> proper w n.
Lemma proper_coin p a b n : all_proper (Coin p a b) n -> all_proper a n /\ all_proper b n.
Proof.
by move=> H; split=> w wl; [have [] := H (Toss p w) _|have [] := H (Toss (1 - p)%R w) _] => //=; rewrite mem_cat (map_f (Toss _) wl) ?orbT.
Qed.
Lemma proper_pick a n : all_proper (Pick a) n -> all_proper a n.+1.
Proof. by move=> H w wl; have := H (Next w); apply; exact: map_f. Qed.
Lemma proper_ask j q a b n : all_proper (Ask j q a b) n -> all_proper a n /\ all_proper b n.
Proof.
by move=> H; split=> w wl; [have [] := H (Met j q w) _|have [] := H (Met j (fun u => ~~ q u) w) _] => //=; rewrite mem_cat (map_f (Met _ _) wl) ?orbT.
Qed.

(* a tree is the sum of its ways *)
Theorem by_ways t n f x : all_proper t n -> nneg f -> (forall w, w \in ways t -> measured f w n) -> mean t n f x = \sum_(w <- ways t) along w n f x.
Proof.
move=> + f0; elim: t n x => [h l|p a IHa b IHb|a IHa|j q a IHa b IHb] n x pt mt /=; first by rewrite big_seq1.
- have [pa pb] := proper_coin pt.
  rewrite big_cat/= !ways_map -!ways_toss// IHa ?IHb// => w wl.
    by apply: (mt (Toss (1 - p)%R w)); rewrite /= mem_cat (map_f (Toss _) wl) orbT.
  by apply: (mt (Toss p w)); rewrite /= mem_cat (map_f (Toss _) wl).
- have pa := proper_pick pt; have ma w : w \in ways a -> measured f (Next w) n by move=> wl; apply: mt; exact: map_f.
  rewrite ways_map -uniform_ways//; last by move=> w /ma[].
  by congr pick; apply/funext => u; apply: IHa => // w /ma[].
- have [pa pb] := proper_ask pt.
  rewrite big_cat/= !ways_map !ways_met; case: ifP => qx /=; rewrite ?adde0 ?add0e; [apply: IHa|apply: IHb] => // w wl.
    by apply: (mt (Met j q w)); rewrite /= mem_cat (map_f (Met _ _) wl).
  by apply: (mt (Met j (fun u => ~~ q u) w)); rewrite /= mem_cat (map_f (Met _ _) wl) orbT.
Qed.
(* and at least that, whatever the test *)
Theorem ways_below t n f x : fair t -> all_proper t n -> nneg f -> \sum_(w <- ways t) along w n f x <= mean t n f x.
Proof.
move=> + + f0; elim: t n x => [h l|p a IHa b IHb|a IHa|j q a IHa b IHb] n x ft pt /=; first by rewrite big_seq1.
- have [pa pb] := proper_coin pt; move: ft => /= /and4P[p0 p1 fa fb].
  by rewrite big_cat/= !ways_map -!ways_toss//; apply: lee_add; apply: lee_wpmul2l; rewrite ?lee_fin ?subr_ge0 ?IHa ?IHb.
- have pa := proper_pick pt; rewrite ways_map; apply: (le_trans (uniform_ways_super _ f0 pa)).
  by apply: pick_le => u; [exact: sum_ge0|exact: IHa].
- have [pa pb] := proper_ask pt; move: ft => /= /andP[fa fb].
  by rewrite big_cat/= !ways_map !ways_met; case: ifP => qx /=; rewrite ?adde0 ?add0e; [exact: IHa|exact: IHb].
Qed.

(* ---- one way ---- *)
Definition held (w : way) j (u : T) : \bar R := if inside w j u then 1 else 0.
(* the probability that the answers hold of a draw *)
Definition length_of (w : way) j : R := fine (pick (held w j)).
Lemma lengthE w j : pick (held w j) = (length_of w j)%:E.
Proof.
rewrite /length_of fineK// ge0_fin_numE; last by apply: pick_ge0 => u; rewrite /held; case: ifP.
by apply: le_lt_trans (uniform_le1 _ _) _ => [u|u|]; rewrite ?ltry// /held; case: ifP; rewrite ?lee01//.
Qed.
Lemma length_ge0 w j : (0 <= length_of w j)%R.
Proof. by rewrite -lee_fin -lengthE; apply: pick_ge0 => u; rewrite /held; case: ifP. Qed.
(* the answers about the draws before the n-th *)
Fixpoint met (w : way) n (x : draws) : bool :=
  match w with End _ _ => true | Met j q w => (if (j < n)%N then q (x j) else true) && met w n x | Toss _ w | Next w => met w n x end.
Lemma met_next w n x u : met w n.+1 (drawn x n u) = met w n x && inside w n u.
Proof.
elim: w => [h l|p w IH|w IH|j q w IH] //=; rewrite IH /drawn ltnS leq_eqVlt.
by have [->|jn] /= := eqVneq j n; rewrite ?ltnn /=; [rewrite andbCA|rewrite andbA].
Qed.

(* what a way ends with, where the test reads the draw number i of it, or none *)
Definition made (i : option nat) m : bool := if i is Some j then (j < m)%N else true.
Definition reads (i : option nat) (g : T -> \bar R) (x : draws) := if i is Some i then g (x i) else g 0%R.
Definition rest_of (w : way) n (i : option nat) (g : T -> \bar R) (x : draws) : \bar R :=
  if i is Some j then if (j < n)%N then g (x j) else pick (fun u => held w j u * g u) else g 0%R.
Definition others (w : way) n (i : option nat) : R := (\prod_(n <= j < n + picks w | Some j != i) length_of w j)%R.
Lemma inside_met j q w i : (j < i)%N -> inside (Met j q w) i = inside w i.
Proof. by move=> ji; apply/funext => u /=; rewrite ltn_eqF. Qed.
Theorem along_value i (g : T -> \bar R) f w n x : (forall u, 0 <= g u) -> (forall u, g u <= 1) -> proper w n ->
  made i (n + picks w) -> (forall x, f (leaf w x) = reads i g x) ->
  along w n f x = (scale w * (met w n x)%:R * others w n i)%:E * rest_of w n i g x.
Proof.
move=> g0 g1; have rest0 v m z : 0 <= rest_of v m i g z.
  rewrite /rest_of; case: (i) => [i'|//]; case: ifP => // _; apply: pick_ge0 => u; rewrite mule_ge0// /held; case: ifP => _; rewrite ?lee01//.
have rest1 v m z : rest_of v m i g z <= 1.
  rewrite /rest_of; case: (i) => [i'|//]; case: ifP => // _; apply: uniform_le1 => u; rewrite /held; case: ifP => _; rewrite ?mul1e ?mul0e ?lee01//.
elim: w n x => [h l|p w IH|w IH|j q w IH] n x /=.
- rewrite addn0 => _ inn fE; rewrite /others /= addn0 big_geq// !mulr1 mul1e fE /reads /rest_of.
  by case: (i) inn => [j /= ->|].
- by move=> [p0 pw] inn fE; rewrite (IH n x pw inn fE) muleA -EFinM !mulrA; congr (_ * _).
- move=> pw inn fE; have inn' : made i (n.+1 + picks w) by rewrite addSnnS.
  have restN z u : rest_of w n.+1 i g (drawn z n u) = if i == Some n then g u else rest_of (Next w) n i g z.
    rewrite /rest_of /drawn; case: (i) => [j|//]; rewrite ltnS leq_eqVlt.
    by have [->|jn] := eqVneq j n; rewrite ?eqxx//= (_ : (Some j == Some n) = false)//; apply/negP => /eqP[/eqP]; exact/negP.
  have -> : (fun u => along w n.+1 f (drawn x n u)) =
      (fun u => (scale w * (met w n x)%:R * others w n.+1 i)%:E * (held w n u * (if i == Some n then g u else rest_of (Next w) n i g x))).
    apply/funext => u; rewrite (IH n.+1 _ pw inn' fE) met_next restN /held; case: (inside w n u); last by rewrite andbF mulr0 !mul0r !mul0e mule0.
    by rewrite andbT mul1e.
  have k0 : (0 <= scale w * (met w n x)%:R * others w n.+1 i)%R.
    rewrite mulr_ge0 ?mulr_ge0//; last by rewrite /others; apply: prodr_ge0 => j _; exact: length_ge0.
    have : proper w n.+1 by []. elim: (w) n.+1 => [h l|p v IHv|v IHv|j q v IHv] k //=.
    - by move=> [p0 /IHv]; exact: mulr_ge0.
    - exact: IHv.
    - by move=> [_ _ /IHv].
  rewrite pick_scale//; last by move=> u; rewrite mule_ge0//; [rewrite /held; case: ifP|case: ifP].
  have split_prod : others (Next w) n i = ((if i == Some n then 1 else length_of w n) * others w n.+1 i)%R.
    rewrite /others /= -addSnnS big_ltn_cond//; last by rewrite ltnS leq_addr.
    by rewrite eq_sym; case: eqP => //= _; rewrite mul1r.
  rewrite split_prod; have [E|ne] := eqVneq i (Some n).
    by rewrite mul1r E /rest_of ltnn.
  have r1 : rest_of (Next w) n i g x \is a fin_num by rewrite ge0_fin_numE//; exact: le_lt_trans (rest1 _ _ _) (ltry _).
  rewrite (_ : (fun u => held w n u * _) = fun u => (fine (rest_of (Next w) n i g x))%:E * held w n u); last by apply/funext => u; rewrite fineK// muleC.
  rewrite pick_scale ?fine_ge0//; last by move=> u; rewrite /held; case: ifP.
  rewrite lengthE fineK// [_ * (length_of _ _)%:E]muleC muleA -EFinM; congr (_%:E * _).
  by rewrite [RHS]mulrA [X in _ = (X * _)%R]mulrC [LHS]mulrC !mulrA.

- move=> [jn mq pw] inn fE; rewrite jn; case: (q (x j)); last by rewrite mulr0 !mul0r mul0e.
  rewrite (IH n x pw inn fE) /=; congr (_%:E * _); last first.
    rewrite /rest_of; case: (i) => [k|//]; case: ltnP => // nk; congr pick; apply/funext => u.
    by rewrite /held inside_met//; exact: leq_trans nk.
  congr (_ * _)%R; rewrite /others /= big_nat_cond [RHS]big_nat_cond; apply: eq_bigr => k /andP[/andP[nk _] _].
  by rewrite /length_of /held inside_met//; exact: leq_trans nk.
Qed.
End Trees.
