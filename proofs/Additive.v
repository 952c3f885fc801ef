(* Expectations of programs are countably additive, so that a program has a law in the usual sense.

   "good" is a class of tests that is closed under countable sums: all tests for programs that draw from
   discrete laws, the measurable ones for programs that draw from laws with a density (Measurable.v).
   PW-EQ needs it, because it sums over the outputs; nothing else in the logic does. *)
From Probity Require Import Prelude.
From mathcomp.classical Require Import fsbigop.
From Probity Require Import Judgement Laws.
Local Open Scope classical_set_scope.
Local Open Scope ring_scope.
Local Open Scope ereal_scope.

Section Series.
Variable R : realType.
Implicit Types a : nat -> \bar R.
Lemma seriesE a : (forall n, 0 <= a n) -> \sum_(n <oo) a n = \esum_(n in [set: nat]) a n.
Proof.
move=> a0; rewrite nneseries_esum//; congr (esum _ _); by apply/seteqP; split.
Qed.
Lemma series_only a k : (forall n, 0 <= a n) -> (forall n, n != k -> a n = 0) -> \sum_(n <oo) a n = a k.
Proof.
move=> a0 ak; rewrite seriesE// -[RHS](@esum_set1 _ _ k a)// [RHS]esum_mkcond.
apply: eq_esum => n _; case: ifPn => //; rewrite notin_set => /eqP nk; exact: ak.
Qed.
Lemma series_zero : \sum_(n <oo) (0 : \bar R) = 0.
Proof. by rewrite (@series_only (fun=> 0) 0%N). Qed.
End Series.

Section Additive.
Variables (R : realType) (S : Type) (good : (S -> \bar R) -> Prop).
Implicit Types (c : stmt R S).
Hypothesis good0 : good (fun=> 0).
Hypothesis good_sum : forall f_ : nat -> S -> \bar R,
  (forall i, nneg (f_ i)) -> (forall i, good (f_ i)) -> good (fun s => \sum_(i <oo) f_ i s).

(* w maps good tests to good tests and commutes with countable sums *)
Definition additive_map (w : (S -> \bar R) -> S -> \bar R) :=
  (forall f, nneg f -> good f -> good (w f)) /\
  (forall f_ : nat -> S -> \bar R, (forall i, nneg (f_ i)) -> (forall i, good (f_ i)) ->
     w (fun s => \sum_(i <oo) f_ i s) = fun s => \sum_(i <oo) w (f_ i) s).
Definition additive c := additive_map (wp c).

Lemma additive_skip : additive (Skip R S).
Proof. by split. Qed.
Lemma additive_assign u : (forall f, good f -> good (f \o u)) -> additive (Assign R u).
Proof. by move=> gu; split=> // f _ gf; exact: gu. Qed.
Lemma additive_comp w v : (forall f, nneg f -> nneg (v f)) -> additive_map w -> additive_map v ->
  additive_map (fun f => w (v f)).
Proof.
move=> v0 [gw sw] [gv sv]; split=> [f f0 gf|f_ f0 gf].
  by apply: gw; [exact: v0|exact: gv].
by rewrite sv// sw// => i; [exact: v0|exact: gv].
Qed.
Lemma additive_seq c d : additive c -> additive d -> additive (Seq c d).
Proof. by move=> Hc Hd; apply: additive_comp => // f f0; exact: wp_ge0. Qed.
Definition good_guard (g : S -> bool) :=
  forall f h, good f -> good h -> good (fun s => if g s then f s else h s).
Lemma additive_if g c d : good_guard g -> additive c -> additive d -> additive (If g c d).
Proof.
move=> gg [gc sc] [gd sd]; split=> [f f0 gf|f_ f0 gf] /=.
  by apply: gg; [exact: gc|exact: gd].
by apply/funext => s; case: ifP => gs; rewrite ?sc ?sd//.
Qed.
Lemma additive_for a b (c : int -> stmt R S) : (forall i, additive (c i)) -> additive (For a b c).
Proof.
move=> Hc; rewrite /additive /=; move: (rounds a b) => n; elim: n a => [|n IH] a /=; first by split.
apply: additive_comp => [f f0||]; [|exact: Hc|exact: IH].
by apply: seqn_ge0 => // ? ?; exact: wp_ge0.
Qed.

(* runs that end after exactly n rounds *)
Section While.
Variables (g : S -> bool) (c : stmt R S).
Hypothesis gg : good_guard g.
Hypothesis Hc : additive c.
Fixpoint after (n : nat) (f : S -> \bar R) : S -> \bar R :=
  match n with
  | O => fun s => if g s then 0 else f s
  | n'.+1 => fun s => if g s then wp c (after n' f) s else 0
  end.
Lemma after_ge0 n f : nneg f -> nneg (after n f).
Proof.
move=> f0; elim: n => [|n IH] s /=; case: (g s) => //; exact: wp_ge0.
Qed.
Lemma after_good n f : nneg f -> good f -> good (after n f).
Proof.
move=> f0 gf; elim: n => [|n IH] /=; apply: gg => //.
by apply: Hc.1 => //; exact: after_ge0.
Qed.

Lemma wp_finite n (f_ : nat -> S -> \bar R) : (forall i, nneg (f_ i)) -> (forall i, good (f_ i)) ->
  forall s, wp c (fun t => \sum_(0 <= i < n) f_ i t) s = \sum_(0 <= i < n) wp c (f_ i) s.
Proof.
move=> f0 gf s; have cut (h : nat -> \bar R) : (forall i, 0 <= h i) ->
    \sum_(i <oo) (if (i < n)%N then h i else 0) = \sum_(0 <= i < n) h i.
  move=> h0; rewrite (@nneseries_split _ _ n); last by move=> i; case: ifP.
  rewrite [X in _ + X](_ : _ = 0); last first.
    rewrite (_ : (fun k => _) = fun=> 0); first by rewrite lim_cst.
    by apply/funext => k; rewrite big_nat_cond big1// => i /andP[/andP[+ _] _]; rewrite leqNgt => /negPf ->.
  by rewrite adde0 -(big_mkord xpredT (fun i => if (i < n)%N then h i else 0));
    apply: eq_big_nat => i /andP[_ ->].
pose h i t := if (i < n)%N then f_ i t else 0.
have h0 i : nneg (h i) by move=> t; rewrite /h; case: ifP => // _; exact: f0.
have gh i : good (h i) by rewrite /h; case: (i < n)%N => //; exact: gf.
transitivity (wp c (fun t => \sum_(i <oo) h i t) s).
  by congr (wp c _ s); apply/funext => t; rewrite -cut// => i; exact: f0.
rewrite Hc.2// -cut; last by move=> i; exact: wp_ge0.
apply: eq_eseries => i _; rewrite /h; case: ifP => // _.
apply/eqP; rewrite eq_le; apply/andP; split; last by apply: wp_ge0.
have := @wp_scale R S 0%R (lexx _) c (fun=> 0) (fun=> lexx _) s.
by rewrite !mul0e.
Qed.

Lemma unrollE n f : nneg f -> good f -> forall s, unroll n g (wp c) f s = \sum_(0 <= i < n) after i f s.
Proof.
move=> f0 gf; elim: n => [|n IH] s; first by rewrite big_nil.
rewrite /= big_nat_recl//=; case: (g s); last first.
  by rewrite big1 ?adde0// => i _ /=.
rewrite add0e (_ : unroll n g (wp c) f = fun t => \sum_(0 <= i < n) after i f t); last exact/funext.
by rewrite wp_finite// => i; [exact: after_ge0|exact: after_good].
Qed.

Lemma wp_while f : nneg f -> good f -> wp (While g c) f = fun s => \sum_(i <oo) after i f s.
Proof.
move=> f0 gf; apply/funext => s /=.
pose part n := \sum_(0 <= i < n) after i f s.
rewrite (_ : [set unroll n g (wp c) f s | n in setT] = [set part n | n in setT]); last first.
  by apply/seteqP; split=> _ [n _ <-]; exists n => //; rewrite unrollE.
apply/esym/cvg_lim => //; apply: ereal_nondecreasing_cvg.
by apply: ereal_nondecreasing_series => i _; exact: after_ge0.
Qed.

Lemma after_sum n (f_ : nat -> S -> \bar R) : (forall i, nneg (f_ i)) -> (forall i, good (f_ i)) ->
  after n (fun s => \sum_(i <oo) f_ i s) = fun s => \sum_(i <oo) after n (f_ i) s.
Proof.
move=> f0 gf; elim: n => [|n IH] /=; apply/funext => s; case: (g s) => //; rewrite ?series_zero//.
by rewrite IH Hc.2// => i; [exact: after_ge0|exact: after_good].
Qed.

Lemma additive_while : additive (While g c).
Proof.
split=> [f f0 gf|f_ f0 gf].
  by rewrite wp_while//; apply: good_sum => i; [exact: after_ge0|exact: after_good].
rewrite wp_while; [|by move=> s; apply: nneseries_ge0 => i _; exact: f0|exact: good_sum].
apply/funext => s.
under eq_eseries do rewrite after_sum//.
rewrite nneseries_interchange; last by move=> i j; exact: after_ge0.
by apply: eq_eseries => i _; rewrite wp_while.
Qed.
End While.
End Additive.

(* ---- discrete laws are additive on all tests ---- *)
Section DiscreteDraws.
Variables (R : realType) (S : Type).
Let any (f : S -> \bar R) := True.

Definition additive_law A (D : law R A) := forall f_ : nat -> A -> \bar R, (forall i a, 0 <= f_ i a) ->
  D (fun a => \sum_(i <oo) f_ i a) = \sum_(i <oo) D (f_ i).

Lemma additive_draw A (D : S -> law R A) u : (forall s, additive_law (D s)) -> additive any (Draw D u).
Proof.
move=> aD; split=> // f_ f0 _; apply/funext => s /=; rewrite aD// => i a; exact: f0.
Qed.

Lemma additive_flaw A ok (ws : seq (R * A)) : additive_law (flaw ok ws).
Proof.
move=> f_ f0; rewrite /= /fev; case: ifP => [/and3P[_ w0 _]|_]; last by rewrite series_zero.
elim: ws w0 => [|x l IH] /=.
  by rewrite big_nil; under eq_eseries do rewrite big_nil; rewrite series_zero.
move=> /andP[x0 l0]; rewrite big_cons IH// -nneseriesrM; last by [].
rewrite -nneseriesD.
- by apply: eq_eseries => i _; rewrite big_cons.
- by move=> i _; rewrite mule_ge0// lee_fin.
move=> i _; elim: l l0 {IH} => [|z l IH] /=; first by rewrite big_nil.
by move=> /andP[z0 l0]; rewrite big_cons adde_ge0 ?IH// mule_ge0// lee_fin.
Qed.

Lemma esum_exchange (A B : choiceType) (a : A -> B -> \bar R) : (forall x y, 0 <= a x y) ->
  \esum_(x in [set: A]) \esum_(y in [set: B]) a x y = \esum_(y in [set: B]) \esum_(x in [set: A]) a x y.
Proof.
move=> a0; rewrite !esum_esum//.
rewrite (@reindex_esum _ _ _ ([set: B] `*`` fun=> [set: A]) ([set: A] `*`` fun=> [set: B]) (fun z => (z.2, z.1)))//.
split=> //; first by move=> [y x] [y' x'] _ _ [-> ->].
by move=> [x y] _; exists (y, x).
Qed.

Lemma additive_mlaw (A : choiceType) (p : A -> R) p0 p1 : additive_law (@mlaw R A p p0 p1).
Proof.
move=> f_ f0; rewrite /= /mev.
rewrite (eq_esum (b := fun a => \esum_(i in [set: nat]) ((p a)%:E * f_ i a))); last first.
  move=> a _; rewrite -nneseriesrM; last by [].
  by rewrite seriesE// => i; rewrite mule_ge0// lee_fin.
rewrite esum_exchange; last by move=> a i; rewrite mule_ge0// lee_fin.
rewrite seriesE// => i; apply: esum_ge0 => a _; rewrite mule_ge0// lee_fin//; exact: p0.
Qed.
End DiscreteDraws.
