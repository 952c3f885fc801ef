(* Noise that is added to a value after its draw, drawn around that value instead (trusted/kernel/src/rules/center.rs): CENTER (center).

   z ~ D(a, b); c; s  =  c; y ~ D(t[z := a], k b); s[t := y], where t = e + k z with k of either sign.  The law of t is that of y for all tests: affine_laplace, affine_gaussian, and on
   the integers, with k = 1 or -1, affine_discrete_laplace and affine_discrete_gaussian.  What the kernel checks on the text is here what it says about meanings: c neither reads nor sets z,
   what a and b mention is as it was after c, and s does with y = t what it did with z.  That z may be drawn after c instead of before it is an exchange of two expectations (exchanged).  It
   holds for all tests if c draws nothing (exchanged_plain), and by Tonelli's theorem for tests that are measurable in both draws if c draws reals (exchanged_density). *)
From Probity Require Import PreludeIntegral Judgement Laws Density Continuous Logarithm Gaussian Privacy Branches Plane.
From Probity Require Rules.
Local Open Scope classical_set_scope.
Local Open Scope ring_scope.
Local Open Scope ereal_scope.

(* ---- the laws ---- *)
Section Line.
Variable R : realType.
Notation T := (measurableTypeR R).
Let leb : {measure set T -> \bar R} := [the measure _ _ of @lebesgue_measure R].

Lemma low_dilate (k : R) (g : T -> \bar R) : (0 < k)%R -> (forall x, 0 <= g x) ->
  \int[leb]_x g (k * x)%R = k^-1%:E * \int[leb]_x g x.
Proof.
move=> k0 g0; have ki : (0 < k^-1)%R by rewrite invr_gt0.
apply/eqP; rewrite eq_le low_dilate_le//=.
have := low_dilate_le ki (fun x => g0 (k * x)%R); rewrite invrK => h.
rewrite -(@lee_pmul2l _ k%:E)// ?lte_fin// muleA -EFinM mulfV ?gt_eqF// mul1e; apply: le_trans h.
by apply: low_le => // x; rewrite mulrA mulfV ?gt_eqF// mul1r.
Qed.
Lemma low_affine (e k : R) (g : T -> \bar R) : (k != 0)%R -> (forall x, 0 <= g x) ->
  \int[leb]_x g (e + k * x)%R = `|k|^-1%:E * \int[leb]_x g x.
Proof.
move=> kn g0; have moved h : (forall x, 0 <= h x) -> \int[leb]_x h (e + x)%R = \int[leb]_x h x.
  by move=> h0; rewrite -[RHS](low_shift e h0); apply: eq_integral => x _; rewrite addrC.
have [k0|k0] := ltP 0%R k.
  by rewrite gtr0_norm// -(moved g g0) -(low_dilate k0 (fun x => g0 (e + x)%R)).
have kneg : (0 < - k)%R by rewrite oppr_gt0 lt_neqAle kn k0.
rewrite ler0_norm// -(moved g g0) -(low_neg (fun x => g0 (e + x)%R)).
rewrite -(low_dilate kneg (fun x => g0 (e + - x)%R)); apply: eq_integral => x _.
by rewrite mulNr opprK.
Qed.

(* two weights, one of which is the other one moved and stretched *)
Lemma affine_weight (w w' : T -> R) w0 mw w0' mw' (e k : R) (f : T -> \bar R) : (k != 0)%R -> (forall z, w z = w' (e + k * z)%R) ->
  (forall y, 0 <= f y) -> @wdlaw _ T R leb w w0 mw (fun z => f (e + k * z)%R) = @wdlaw _ T R leb w' w0' mw' f.
Proof.
move=> kn ww f0; have ka : (0 < `|k|)%R by rewrite normr_gt0.
have tE : wtotal leb w = `|k|^-1%:E * wtotal leb w'.
  rewrite /wtotal -(low_affine e kn (fun y => _ : 0 <= (w' y)%:E)) => [|y]; last by rewrite lee_fin.
  by apply: eq_integral => z _; rewrite ww.
have fE : fine (wtotal leb w) = (`|k|^-1 * fine (wtotal leb w'))%R.
  rewrite tE; have := wtotal_ge0 leb w0'; case: (wtotal leb w') => [x _||]//=.
  by rewrite gt0_muley ?mulr0// lte_fin invr_gt0.
rewrite /= /dev.
pose H y := (w' y / fine (wtotal leb w'))%R%:E * f y.
have Z0 : (0 <= (fine (wtotal leb w'))^-1)%R by rewrite invr_ge0 fine_ge0// wtotal_ge0.
have H0 y : 0 <= H y by rewrite mule_ge0// lee_fin mulr_ge0.
transitivity (\int[leb]_z (`|k|%:E * H (e + k * z)%R)).
  by apply: eq_integral => z _; rewrite /H muleA -EFinM /wp_ fE ww invfM invrK; congr (_%:E * _); rewrite mulrCA.
rewrite low_scale//.
by rewrite low_affine// muleA -EFinM mulfV ?mul1e// gt_eqF.
Qed.
Theorem affine_laplace (a b e k : R) (f : T -> \bar R) : (k != 0)%R -> (forall y, 0 <= f y) ->
  laplace a b (fun z => f (e + k * z)%R) = laplace (e + k * a) (`|k| * b) f.
Proof.
move=> kn f0; have ka : (0 < `|k|)%R by rewrite normr_gt0.
apply: affine_weight => // z; rewrite /lap_w pmulr_rgt0//; case: ifP => // b0; congr (expR (- _)).
by rewrite opprD addrACA subrr add0r -mulrBr normrM invfM mulrACA divff ?mul1r// gt_eqF.
Qed.
Theorem affine_gaussian (a b e k : R) (f : T -> \bar R) : (k != 0)%R -> (forall y, 0 <= f y) ->
  gaussian a b (fun z => f (e + k * z)%R) = gaussian (e + k * a) (`|k| * b) f.
Proof.
move=> kn f0; have ka : (0 < `|k|)%R by rewrite normr_gt0.
apply: affine_weight => // z; rewrite /gauss_w pmulr_rgt0//; case: ifP => // b0; congr (expR (- _)).
rewrite (_ : (`|k| * b) ^+ 2 *+ 2 = k ^+ 2 * (b ^+ 2 *+ 2))%R; last by rewrite exprMn real_normK ?num_real// mulrnAr.
rewrite (_ : e + k * z - (e + k * a) = k * (z - a))%R; last by ring.
rewrite exprMn [in RHS]invfM [RHS]mulrACA.
by rewrite [X in (_ = X * _)%R]divff ?mul1r// expf_neq0.
Qed.
End Line.

Section Integers.
Variable R : realType.
(* e + z, or e - z *)
Definition flipped (up : bool) (e z : int) : int := (if up then e + z else e - z)%R.
Lemma flip_weight (w w' : int -> R) w0 w0' (up : bool) (e : int) (f : int -> \bar R) : (forall z, w z = w' (flipped up e z)) ->
  (forall y, 0 <= f y) -> @wlaw R _ w w0 (fun z => f (flipped up e z)) = @wlaw R _ w' w0' f.
Proof.
move=> ww f0.
have back (g : int -> \bar R) : \esum_(z in [set: int]) g (flipped up e z) = \esum_(y in [set: int]) g y.
  rewrite [RHS](@reindex_esum _ _ _ [set: int] [set: int] (flipped up e))//.
  rewrite setTT_bijective /flipped; case: (up); last by exists (fun y => e - y)%R => y; rewrite subKr.
  by exists (fun y => y - e)%R => y; ring.
have tE : total w = total w'.
  by rewrite /total -[RHS]back; apply: eq_esum => z _; rewrite ww.
rewrite /= /mev -[RHS]back; apply: eq_esum => z _; by rewrite /norm_mass tE ww.
Qed.
Theorem affine_discrete_laplace (a e : int) (b : R) up (f : int -> \bar R) : (forall y, 0 <= f y) ->
  discrete_laplace a b (fun z => f (flipped up e z)) = discrete_laplace (flipped up e a) b f.
Proof.
move=> f0; apply: flip_weight => // z; rewrite /dlap_w; case: ifP => // _; congr (expR (- (_%:~R / b))).
by rewrite /flipped; case: (up); [|rewrite -normrN]; congr Num.norm; ring.
Qed.
Theorem affine_discrete_gaussian (a e : int) (b : R) up (f : int -> \bar R) : (forall y, 0 <= f y) ->
  discrete_gaussian a b (fun z => f (flipped up e z)) = discrete_gaussian (flipped up e a) b f.
Proof.
move=> f0; apply: flip_weight => [z|//]; rewrite /dgauss_w.
have -> : (flipped up e z - flipped up e a)%R = (if up then z - a else - (z - a))%R by rewrite /flipped; case: (up); ring.
by case: (up) => //; rewrite rmorphN sqrrN.
Qed.
End Integers.

(* ---- the program ---- *)
Section Center.
Variables (R : realType) (S S' A : Type).
(* the draw of z may come after c: h is what is done with z and the state that c ends in *)
Definition exchanged (c : stmt R S) (D : law R A) (h : S -> A -> \bar R) (m : S) :=
  D (fun z => wp c (fun s => h s z) m) = wp c (fun s => D (h s)) m.
Lemma exchanged_plain c D h m : Rules.draw_free c -> exchanged c D h m.
Proof. by move=> fc; rewrite /exchanged Rules.wp_run//; congr (ev D); apply/funext => z; rewrite Rules.wp_run. Qed.

(* same: equal but for z and y; T: and y has the value of t *)
Theorem center (same : S -> S' -> Prop) (agree : S -> S -> Prop) (T T' : S -> S' -> Prop) (D : S -> law R A) (D' : S' -> law R A)
    (set_z : S -> A -> S) (set_y : S' -> A -> S') (t : S -> A -> A) c c' d d' f f' m m' :
  (* c neither reads nor sets z, and does not change the parameters of D *)
  (forall h m z, nneg h -> wp c h (set_z m z) = wp c (fun s => h (set_z s z)) m) ->
  Rules.local agree c -> (forall s, agree m s -> D s = D m) ->
  in_step same c c' same ->
  (* the law of t is that of y *)
  (forall s s' g, same s s' -> (forall y, 0 <= g y) -> D s (fun z => g (t s z)) = D' s' g) ->
  (* what follows reads t where it read z *)
  (forall s s' z, same s s' -> T (set_z s z) (set_y s' (t s z))) -> in_step T d d' T' ->
  nneg f -> le1 f -> nneg f' -> le1 f' -> (forall s s', T' s s' -> f s = f' s') ->
  exchanged c (D m) (fun s z => wp d f (set_z s z)) m -> same m m' ->
  wp (Seq (Draw D set_z) (Seq c d)) f m = wp (Seq c' (Seq (Draw D' set_y) d')) f' m'.
Proof.
move=> ignores loc fixed Hc noise reads Hd f0 f1 f'0 f'1 ff ex mm /=.
have w0 := @wp_ge0 R S d f f0; have w1 := @wp_le1 R S d f f0 f1.
have w'0 := @wp_ge0 R S' d' f' f'0; have w'1 := @wp_le1 R S' d' f' f'0 f'1.
have -> : (fun z => wp c (wp d f) (set_z m z)) = fun z => wp c (fun s => wp d f (set_z s z)) m.
  by apply/funext => z; rewrite ignores.
rewrite ex (loc m _ (fun s => D s (fun z => wp d f (set_z s z)))).
- apply: Hc mm.
  + by move=> s; apply: ev_ge0.
  + by move=> s; exact: (@wp_le1 R S (Draw D set_z) _ w0 w1 s).
  + by move=> s; apply: ev_ge0.
  + by move=> s; exact: (@wp_le1 R S' (Draw D' set_y) _ w'0 w'1 s).
  + move=> s s' st; rewrite -(noise s s' (fun y => wp d' f' (set_y s' y)) st)//.
    by congr (ev (D s)); apply/funext => z; apply: Hd => //; exact: reads.
- by move=> s; apply: ev_ge0.
- by move=> s; apply: ev_ge0.
- by move=> s /fixed ->.
Qed.
End Center.

(* c draws a real *)
Section Tonelli.
Variables (R : realType) (S : Type).
Notation T := (measurableTypeR R).
Let leb : {measure set T -> \bar R} := [the measure _ _ of @lebesgue_measure R].
Lemma exchanged_density (p q : T -> R) p0 mp p1 q0 mq q1 (u : S -> T -> S) (h : S -> T -> \bar R) m : (forall x z, 0 <= h (u m x) z) ->
  @measurable_fun _ _ [the measurableType _ of (T * T)%type] _ setT (fun x => h (u m x.1) x.2) ->
  exchanged (Draw (fun=> @dlaw _ T R leb p p0 mp p1) u) (@dlaw _ T R leb q q0 mq q1) h m.
Proof.
move=> h0 mh; rewrite /exchanged; have E := @in_turn R p q p0 mp p1 q0 mq q1 (fun x z => h (u m x) z) h0 mh.
by rewrite /= in E *; exact E.
Qed.
End Tonelli.
