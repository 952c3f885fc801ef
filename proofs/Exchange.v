(* CENTER for any c (trusted/kernel/src/rules/center.rs): that the draw of z may come after c (exchanged in Centered.v), along the program.

   G is a class of tests of a state and of z: those that are measurable in both, or all of them if z and c are discrete.  A program exchanges with the law of z if it keeps the class and z may be drawn
   after it; what is made of such programs does so too (ex_...), loops included.  A draw does so if two draws may be made in either order: two reals by Tonelli (Plane.v), and one from a countable
   law with any that is countably additive on the class (countable_exchange).  Read: exchanges, center_any. *)
From Probity Require Import PreludeIntegral Judgement Laws Branches Centered.
From Probity Require Rules.
Local Open Scope classical_set_scope.
Local Open Scope ring_scope.
Local Open Scope ereal_scope.

Section Exchange.
Variables (R : realType) (S A : Type) (D : law R A) (G : (S -> A -> \bar R) -> Prop).
Implicit Types (c d : stmt R S) (h : S -> A -> \bar R).
Definition nneg2 h := forall s z, 0 <= h s z.
Definition exchanges_map (w : (S -> \bar R) -> S -> \bar R) := forall h, nneg2 h -> G h ->
  G (fun s z => w (fun t => h t z) s) /\ forall m, D (fun z => w (fun t => h t z) m) = w (fun t => D (h t)) m.
Definition exchanges c := exchanges_map (wp c).

Lemma ex_skip : exchanges (Skip R S).
Proof. by []. Qed.
Lemma ex_assign u : (forall h, G h -> G (fun s => h (u s))) -> exchanges (Assign R u).
Proof. by move=> Gu h h0 Gh; split=> //; exact: (Gu h). Qed.
Lemma ex_draw B (D' : S -> law R B) u :
  (forall h, nneg2 h -> G h -> G (fun s z => D' s (fun b => h (u s b) z))) ->
  (forall h m, nneg2 h -> G h -> D (fun z => D' m (fun b => h (u m b) z)) = D' m (fun b => D (h (u m b)))) -> exchanges (Draw D' u).
Proof. by move=> Gu turns h h0 Gh; split=> [|m]; [exact: Gu|exact: turns]. Qed.
Lemma ex_comp w v : (forall f, nneg f -> nneg (v f)) -> exchanges_map w -> exchanges_map v -> exchanges_map (fun f => w (v f)).
Proof.
move=> v0 Hw Hv h h0 Gh; have [Gv Ev] := Hv h h0 Gh.
have [Gw Ew] := Hw (fun s z => v (fun t => h t z) s) (fun s z => v0 _ (fun t => h0 t z) s) Gv.
by split=> // m; rewrite Ew; congr (w _ m); apply/funext => s; exact: Ev.
Qed.
Lemma ex_seq c d : exchanges c -> exchanges d -> exchanges (Seq c d).
Proof. by move=> Hc Hd; apply: (ex_comp (@wp_ge0 R S d) Hc Hd). Qed.
Definition guarded (g : S -> bool) := forall h h', G h -> G h' -> G (fun s z => if g s then h s z else h' s z).
Lemma ex_if g c d : guarded g -> exchanges c -> exchanges d -> exchanges (If g c d).
Proof.
move=> Gg Hc Hd h h0 Gh; have [Gc Ec] := Hc h h0 Gh; have [Gd Ed] := Hd h h0 Gh.
by split=> [|m /=]; [exact: (Gg _ _ Gc Gd)|case: (g m)].
Qed.
Lemma ex_for a b (c : int -> stmt R S) : (forall i, exchanges (c i)) -> exchanges (For a b c).
Proof.
move=> Hc; rewrite /exchanges /=; move: (rounds a b) => n; elim: n a => [|n IH] a //=.
apply: (ex_comp _ (Hc a) (IH (a + 1)%R)) => f f0.
by apply: seqn_ge0 => // ? ?; exact: wp_ge0.
Qed.
(* the law of z keeps increasing limits of tests of the class *)
Definition continuous_below := forall h_ : nat -> S -> A -> \bar R, (forall n, nneg2 (h_ n)) -> (forall n, G (h_ n)) ->
  (forall n s z, h_ n s z <= h_ n.+1 s z) ->
  G (fun s z => ereal_sup [set h_ n s z | n in setT]) /\
  forall s, D (fun z => ereal_sup [set h_ n s z | n in setT]) = ereal_sup [set D (h_ n s) | n in setT].
Lemma ex_while g c : continuous_below -> G (fun _ _ => 0) -> guarded g -> exchanges c -> exchanges (While g c).
Proof.
move=> lim G0 Gg Hc h h0 Gh; pose U n (f : S -> \bar R) := unroll n g (wp c) f.
have U0 n f : nneg f -> nneg (U n f) by move=> f0; apply: unroll_ge0 => // ?; exact: wp_ge0.
have more n f s : nneg f -> U n f s <= U n.+1 f s.
  move=> f0; elim: n s => [|n IH] s; first exact: U0.
  by rewrite /U /=; case: (g s) => //; apply: wp_le; [exact: U0|exact: IH].
have ex n : exchanges_map (U n).
  elim: n => [|n IH] k k0 Gk; first by split=> [//|m]; rewrite /U /= ev0.
  have [Gc Ec] := ex_comp (U0 n) Hc IH k0 Gk.
  by split=> [|m]; [exact: (Gg _ _ Gc Gk)|rewrite /U /=; case: (g m) => //; exact: Ec].
have [Gl El] := lim (fun n s z => U n (fun t => h t z) s) (fun n s z => U0 n _ (fun t => h0 t z) s) (fun n => (ex n h h0 Gh).1)
  (fun n s z => more n _ s (fun t => h0 t z)).
split=> [//|m]; rewrite /= El; congr ereal_sup; apply/seteqP.
by split=> _ [n _ <-]; exists n => //; rewrite (ex n h h0 Gh).2.
Qed.
End Exchange.

(* a draw from a law that is a countable sum of masses, and z from a law that is countably additive on tests that it is asked about *)
Lemma countable_exchange (R : realType) A B (D : law R A) (D' : law R B) (p : nat -> R) (b : nat -> B) (h : B -> A -> \bar R) :
  (forall n, 0 <= p n)%R -> (forall f, (forall y, 0 <= f y) -> D' f = \sum_(n <oo) ((p n)%:E * f (b n))) -> (forall y z, 0 <= h y z) ->
  D (fun z => \sum_(n <oo) ((p n)%:E * h (b n) z)) = \sum_(n <oo) D (fun z => (p n)%:E * h (b n) z) ->
  D (fun z => D' (fun y => h y z)) = D' (fun y => D (h y)).
Proof.
move=> p0 masses h0 add; rewrite masses; last by move=> y; apply: ev_ge0.
transitivity (D (fun z => \sum_(n <oo) ((p n)%:E * h (b n) z))).
  by congr (ev D); apply/funext => z; rewrite masses.
by rewrite add; apply: eq_eseries => n _; rewrite ev_scale.
Qed.

(* CENTER, with the exchange of any program for which it is shown *)
Theorem center_any (R : realType) (S S' A : Type) (G : (S -> A -> \bar R) -> Prop) (same : S -> S' -> Prop) (agree : S -> S -> Prop) (T T' : S -> S' -> Prop)
    (D : S -> law R A) (D' : S' -> law R A) (set_z : S -> A -> S) (set_y : S' -> A -> S') (t : S -> A -> A) (c d : stmt R S) (c' d' : stmt R S') f f' m m' :
  (forall h m z, nneg h -> wp c h (set_z m z) = wp c (fun s => h (set_z s z)) m) ->
  Rules.local agree c -> (forall s, agree m s -> D s = D m) ->
  in_step same c c' same ->
  (forall s s' g, same s s' -> (forall y, 0 <= g y) -> D s (fun z => g (t s z)) = D' s' g) ->
  (forall s s' z, same s s' -> T (set_z s z) (set_y s' (t s z))) -> in_step T d d' T' ->
  nneg f -> le1 f -> nneg f' -> le1 f' -> (forall s s', T' s s' -> f s = f' s') ->
  exchanges (D m) G c -> G (fun s z => wp d f (set_z s z)) -> same m m' ->
  wp (Seq (Draw D set_z) (Seq c d)) f m = wp (Seq c' (Seq (Draw D' set_y) d')) f' m'.
Proof.
move=> ignores loc fixed Hc noise reads Hd f0 f1 f'0 f'1 ff ex Gf mm.
apply: (@center R S S' A same agree T T' D D' set_z set_y t) => //.
exact: (ex _ (fun s z => @wp_ge0 R S d f f0 _) Gf).2.
Qed.
