(* Losses in one interval, in the concentrated measure: BOUNDED-LOSS (bounded_loss, bounded_loss_int) and BOUNDED-RANGE (bounded_range).

   Let p and q have mass 1 and e^lo q <= p <= e^hi q.  Then the integral of p^(1+a) q^(-a) is at most e^(a (1+a) (hi - lo)^2/8) for a > 0: between lo and hi the function
   e^((1+a) L) lies below its chord in e^L, so two values of the loss are the worst case (chord), and for two values the moment is bounded by calculus (two_values).
   A loss of at most l in both directions is the range 2 l. *)
From Probity Require Import PreludeIntegral.
From mathcomp.analysis Require Import derive realfun.
From Probity Require Import Judgement Laws Sampling Density Continuous Privacy Concentrated Gaussian Chosen.
From Probity Require Rules.
Local Open Scope classical_set_scope.
Local Open Scope ring_scope.

Section Moment.
Variable R : realType.
Implicit Types (a w lo hi t x y : R).

(* the mean value theorem for a function with a derivative everywhere *)
Lemma mean_value (f df : R -> R) x y : (forall z, is_derive (z : R^o) 1 (f : R^o -> R^o) (df z)) -> x <= y ->
  exists2 z, x <= z <= y & f y - f x = df z * (y - x).
Proof.
move=> D xy; have C : {within `[x, y]%classic, continuous f}.
  apply: continuous_subspaceT => z.
  have /derivable1_diffP h : derivable (f : R^o -> R^o) z 1 by have [] := D z.
  exact: (@differentiable_continuous _ _ _ z _ h).
move: xy; rewrite le_eqVlt => /orP[/eqP ->|xy].
  by exists y; rewrite ?lexx// !subrr mulr0.
have [z] := @MVT R f df x y xy (fun z _ => D z) C.
by rewrite in_itv /= => /andP[/ltW a /ltW b] E; exists z; rewrite ?a.
Qed.
Lemma derive_quadratic_exp (u v k t : R) : is_derive (t : R^o) 1 ((fun t : R^o => u * expR (v * t - k * (t * t))) : R^o -> R^o)
  (u * ((v - 2%:R * k * t) * expR (v * t - k * (t * t)))).
Proof.
pose g : R^o -> R^o := fun t => v * t - k * (t * t).
have Dg : is_derive (t : R^o) 1 g (v - 2%:R * k * t).
  have H : is_derive (t : R^o) 1 ((v \*: id) - (k \*: (id * id)) : R^o -> R^o) (v *: 1 - k *: (t *: 1 + t *: 1)) by typeclasses eauto.
  apply: (is_derive_eq H) => //.
  by rewrite /GRing.scale /=; ring.
have De := @is_derive1_comp R (@expR R) g t _ _ (is_derive_expR (g t)) Dg.
have := @is_deriveZ _ _ _ _ u t 1 _ De => H; apply: (is_derive_eq H).
by congr (u * _); exact: mulrC.
Qed.
(* e^y - 1 is at most the area of the trapezoid *)
Lemma trapezoid y : 0 <= y -> expR y - 1 <= y / 2 * (expR y + 1).
Proof.
move=> y0; pose f : R -> R := fun x => (2^-1 * x - 1) * expR x + 2^-1 * x.
pose df x := 2^-1 * expR x + (2^-1 * x - 1) * expR x + 2^-1.
have D x : is_derive (x : R^o) 1 (f : R^o -> R^o) (df x).
  have De := is_derive_expR x.
  have H : is_derive (x : R^o) 1 (((2^-1 \*: id) - cst 1) * (@expR R : R^o -> R^o) + (2^-1 \*: id) : R^o -> R^o)
    (((2^-1 \*: (id : R^o -> R^o) - cst 1) x) *: expR x + expR x *: (2^-1 *: 1 - 0) + 2^-1 *: 1) by typeclasses eauto.
  apply: (is_derive_eq H); transitivity ((2^-1 * x - 1) * expR x + expR x * (2^-1 * 1 - 0) + 2^-1 * 1) => //; rewrite /df; ring.
have [z /andP[z0 _] E] := mean_value D y0.
have pos : 0 <= df z.
  have := expR_above (- z); rewrite -subr_ge0 => h; rewrite /df.
  rewrite [X in 0 <= X](_ : _ = 2^-1 * (expR z * (expR (- z) - (1 - z)))); last first.
    have : expR z * expR (- z) = 1 by rewrite -expRD subrr expR0.
    by move=> e; rewrite mulrBr e; field.
  by rewrite !mulr_ge0 ?invr_ge0 ?expR_ge0.
have : 0 <= f y - f 0 by rewrite E mulr_ge0// subr_ge0.
rewrite /f mulr0 sub0r expR0 addr0 mulN1r opprK => h; rewrite -subr_ge0.
by rewrite [X in 0 <= X](_ : _ = (2^-1 * y - 1) * expR y + 2^-1 * y + 1) //; field.
Qed.
Lemma tilt (X Y u v e h F : R) : 0 <= X -> 0 <= Y -> X * u + Y * v = 0 -> u = v + e -> 0 <= e -> 0 <= h -> 0 <= F ->
  F - 1 <= h * (F + 1) -> X * (u - e * (h)) * F ^+ 2 + Y * (v - e * (h)) <= 0.
Proof.
move=> X0 Y0 mean uv e0 h0 F0 trap; have := addr_ge0 X0 Y0; rewrite le_eqVlt => /orP[/eqP/esym/eqP|XY].
  by rewrite paddr_eq0// => /andP[/eqP -> /eqP ->]; rewrite !mul0r addr0.
rewrite -(pmulr_rle0 _ XY).
have vE : (X + Y) * v = - (X * e) by apply/eqP; rewrite -subr_eq0 opprK -mean uv; apply/eqP; ring.
have uE : (X + Y) * u = Y * e by rewrite uv mulrDr vE; ring.
rewrite [leLHS](_ : _ = e * (X * Y * (F ^+ 2 - 1) - h * ((X + Y) * (X * F ^+ 2 + Y)))); last first.
  transitivity (X * F ^+ 2 * ((X + Y) * u) + Y * ((X + Y) * v) - e * (h) * ((X + Y) * (X * F ^+ 2 + Y))); first by ring.
  by rewrite vE uE; ring.
rewrite mulr_ge0_le0//.
apply: (@le_trans _ _ (X * Y * (h * (F + 1) ^+ 2) - h * ((X + Y) * (X * F ^+ 2 + Y)))).
  apply: ler_add => //; apply: ler_wpmul2l; first exact: mulr_ge0.
  rewrite (_ : F ^+ 2 - 1 = (F - 1) * (F + 1)); last by ring.
  rewrite (_ : h * (F + 1) ^+ 2 = h * (F + 1) * (F + 1)); last by ring.
  by apply: ler_wpmul2r => //; rewrite addr_ge0.
rewrite (_ : _ - _ = - (h * (X * F - Y) ^+ 2)); last by ring.
by rewrite oppr_le0 mulr_ge0 ?sqr_ge0//.
Qed.
(* a loss with two values *)
Lemma two_values a w lo hi : 0 < a -> 0 <= w <= 1 -> lo <= hi -> w * expR hi + (1 - w) * expR lo = 1 ->
  w * expR ((1 + a) * hi) + (1 - w) * expR ((1 + a) * lo) <= expR (a * (1 + a) * ((hi - lo) ^+ 2 / 8%:R)).
Proof.
move=> a0 /andP[w0 w1] lh mass; pose k := (hi - lo) ^+ 2 / 8%:R; have w1' : 0 <= 1 - w by rewrite subr_ge0.
pose P : R -> R := fun t => w * expR ((hi + k) * t - k * (t * t)) + (1 - w) * expR ((lo + k) * t - k * (t * t)).
pose dP t := w * ((hi + k - 2%:R * k * t) * expR ((hi + k) * t - k * (t * t))) +
  (1 - w) * ((lo + k - 2%:R * k * t) * expR ((lo + k) * t - k * (t * t))).
have D t : is_derive (t : R^o) 1 (P : R^o -> R^o) (dP t).
  exact: (is_deriveD (derive_quadratic_exp w (hi + k) k t) (derive_quadratic_exp (1 - w) (lo + k) k t)).
have P0 : P 0 = 1 by rewrite /P !mulr0 !subrr expR0 !mulr1 addrC subrK.
have P1 : P 1 = 1 by rewrite /P !mulr1 !addrK.
have [c /andP[c0 c1]] := mean_value D ler01; rewrite P0 P1 subrr subr0 mulr1 => /esym Ec.
have a1 : 1 <= 1 + a :> R by rewrite ler_addl ltW.
have [d /andP[d1 _] Ed] := mean_value D a1.
have cd : 0 <= d - c by rewrite subr_ge0 (le_trans c1).
have neg : dP d <= 0.
  pose tau : R := d - c; pose s : R := (hi - lo) * tau / 2.
  pose X := w * expR ((hi + k) * c - k * (c * c)); pose Y := (1 - w) * expR ((lo + k) * c - k * (c * c)).
  pose u := hi + k - 2%:R * k * c; pose v := lo + k - 2%:R * k * c.
  have e0 : 0 <= hi - lo by rewrite subr_ge0.
  have s0 : 0 <= s by rewrite divr_ge0// mulr_ge0.
  have X0 : 0 <= X by rewrite mulr_ge0 ?expR_ge0.
  have Y0 : 0 <= Y by rewrite mulr_ge0 ?expR_ge0.
  have mean : X * u + Y * v = 0 by rewrite -[RHS]Ec /dP /X /Y /u /v !mulrA; congr (_ + _); rewrite mulrAC.
  have s2 : 0 <= s / 2 by rewrite divr_ge0.
  have T := @tilt X Y u v (hi - lo) (s / 2) (expR s) X0 Y0 mean _ e0 s2 (expR_ge0 _) (trapezoid s0).
  have dE : d = c + tau by rewrite /tau addrC subrK.
  have step : 2%:R * k * tau = (hi - lo) * (s / 2) by rewrite /k /s; field.
  have E1 : expR ((hi + k) * d - k * (d * d)) = expR ((hi + k) * c - k * (c * c)) * (expR s ^+ 2 * expR (v * tau - k * (tau * tau))).
    by rewrite expr2 -!expRD; congr expR; rewrite dE /v /s; field.
  have E2 : expR ((lo + k) * d - k * (d * d)) = expR ((lo + k) * c - k * (c * c)) * expR (v * tau - k * (tau * tau)).
    by rewrite -!expRD; congr expR; rewrite dE /v; ring.
  rewrite /dP E1 E2 (_ : hi + k - 2%:R * k * d = u - (hi - lo) * (s / 2)); last by rewrite -step /u dE; ring.
  rewrite (_ : lo + k - 2%:R * k * d = v - (hi - lo) * (s / 2)); last by rewrite -step /v dE; ring.
  rewrite (_ : _ + _ = expR (v * tau - k * (tau * tau)) * (X * (u - (hi - lo) * (s / 2)) * expR s ^+ 2 + Y * (v - (hi - lo) * (s / 2)))).
    by rewrite mulr_ge0_le0 ?expR_ge0//; apply: T; rewrite /u /v; ring.
  by rewrite /X /Y; ring.
have : P (1 + a) <= 1.
  by rewrite -subr_le0 -{2}P1 Ed mulr_le0_ge0// subr_ge0.
rewrite /P => le1; pose e := expR (a * (1 + a) * k); have e0 : 0 <= e := expR_ge0 _.
have := ler_wpmul2l e0 le1; rewrite mulr1 [e * _]mulrDr ![e * (_ * _)]mulrCA /e -!expRD; congr (_ <= _).
by congr (_ * expR _ + _ * expR _); ring.
Qed.
(* x^(1+a) lies below its chords *)
Lemma above_tangent a x y : 0 < a -> (1 + a) * expR (a * y + x) <= expR ((1 + a) * x) + a * expR ((1 + a) * y).
Proof.
move=> a0; pose e := expR (a * y + x); have e0 : 0 <= e := expR_ge0 _.
have h : 1 + a <= expR (- (a * (y - x))) + a * expR (y - x).
  apply: (@le_trans _ _ ((1 - a * (y - x)) + a * (1 + (y - x)))).
    by rewrite le_eqVlt; apply/orP; left; apply/eqP; ring.
  by apply: ler_add; [|rewrite ler_pmul2l//]; exact: expR_above.
rewrite mulrC; apply: (le_trans (ler_wpmul2l e0 h)); rewrite mulrDr mulrCA /e -!expRD le_eqVlt; apply/orP; left; apply/eqP.
by congr (expR _ + _ * expR _); ring.
Qed.
Lemma chord a lo hi x : 0 < a -> lo <= x <= hi ->
  expR ((1 + a) * x) * (expR hi - expR lo) <= expR ((1 + a) * hi) * (expR x - expR lo) + expR ((1 + a) * lo) * (expR hi - expR x).
Proof.
move=> a0 /andP[lx xh]; have l0 : 0 <= expR x - expR lo by rewrite subr_ge0 ler_expR.
have h0 : 0 <= expR hi - expR x by rewrite subr_ge0 ler_expR.
have A := ler_wpmul2r l0 (above_tangent hi x a0); have B := ler_wpmul2r h0 (above_tangent lo x a0).
have := ler_add A B; rewrite !expRD -subr_ge0 => h; rewrite -subr_ge0; apply: (le_trans h).
rewrite le_eqVlt; apply/orP; left; apply/eqP.
have -> : expR ((1 + a) * x) = expR (a * x) * expR x by rewrite -expRD; congr expR; ring.
by ring.
Qed.

Section Range.
Variables (a c lo hi : R).
Hypothesis a0 : 0 < a.
Hypothesis lh : lo < hi.
Hypothesis lohi : lo <= 0 <= hi.
Hypothesis range : (hi - lo) ^+ 2 <= 8%:R * c.
Let D : R := expR hi - expR lo.
Let D0 : 0 < D. Proof. by rewrite subr_gt0 ltr_expR. Qed.
Definition chord_up : R := expR (- (a * (1 + a) * c)) * (expR ((1 + a) * hi) / D).
Definition chord_down : R := expR (- (a * (1 + a) * c)) * (expR ((1 + a) * lo) / D).
Definition chord_of (p q : R) : R := chord_up * (p - expR lo * q) + chord_down * (expR hi * q - p).
Lemma chord_up_ge0 : 0 <= chord_up. Proof. by rewrite mulr_ge0 ?expR_ge0// divr_ge0 ?expR_ge0// ltW. Qed.
Lemma chord_down_ge0 : 0 <= chord_down. Proof. by rewrite mulr_ge0 ?expR_ge0// divr_ge0 ?expR_ge0// ltW. Qed.
Lemma chord_mass : chord_up * (1 - expR lo) + chord_down * (expR hi - 1) <= 1.
Proof.
move/andP: lohi => [l0 h0]; pose w := (1 - expR lo) / D.
have l1 : expR lo <= 1 by rewrite -[leRHS]expR0 ler_expR.
have h1 : 1 <= expR hi by rewrite -[leLHS]expR0 ler_expR.
have Dn : D != 0 by rewrite gt_eqF.
have wE : 1 - w = (expR hi - 1) / D by rewrite /w -{1}(divff Dn) -mulrBl /D; congr (_ / _); ring.
have w01 : 0 <= w <= 1.
  by apply/andP; split; [|rewrite -subr_ge0 wE]; (apply: divr_ge0; [rewrite subr_ge0|exact: ltW D0]).
have mass : w * expR hi + (1 - w) * expR lo = 1.
  by rewrite wE /w mulrAC [X in _ + X]mulrAC -mulrDl -[RHS](divff Dn) /D; congr (_ / _); ring.
have := two_values a0 w01 (ltW lh) mass; rewrite wE /w => T.
pose e := expR (- (a * (1 + a) * c)); have e0 : 0 <= e := expR_ge0 _.
apply: (@le_trans _ _ (e * expR (a * (1 + a) * ((hi - lo) ^+ 2 / 8%:R)))).
  apply: le_trans (ler_wpmul2l e0 T); rewrite le_eqVlt; apply/orP; left; apply/eqP.
  by rewrite /chord_up /chord_down -/e; ring.
rewrite /e -expRD -[leRHS]expR0 ler_expR addrC subr_le0; apply: ler_wpmul2l.
  by rewrite mulr_ge0 ?addr_ge0// ltW.
by rewrite ler_pdivr_mulr// mulrC.
Qed.
Lemma range_moved (p q : R) : 0 <= q -> expR lo * q <= p -> p <= expR hi * q -> moved a c p q (chord_of p q).
Proof.
move=> q0 lp ph; have e0 x : 0 <= expR x := expR_ge0 x.
have r0 : 0 <= chord_of p q.
  by apply: addr_ge0; apply: mulr_ge0; rewrite ?subr_ge0//; [exact: chord_up_ge0|exact: chord_down_ge0].
have [q1|qn] := eqVneq q 0.
  have p1 : p = 0 by apply/eqP; rewrite eq_le; move: lp ph; rewrite q1 !mulr0 => -> ->.
  by rewrite p1 in r0 *; exists 0; rewrite !mul0r.
have qp : 0 < q by rewrite lt_neqAle eq_sym qn.
have pp : 0 < p by apply: lt_le_trans lp; rewrite mulr_gt0 ?expR_gt0.
pose L := ln (p / q); have eL : expR L = p / q by rewrite /L lnK// posrE divr_gt0.
have pE : p = expR L * q by rewrite eL divfK.
have Lr : lo <= L <= hi by rewrite -(ler_expR lo) -(ler_expR L) eL ler_pdivl_mulr// ler_pdivr_mulr// lp ph.
exists (a * c - L); split.
  by rewrite -mulrA -expRD (_ : _ + _ = - L); [rewrite pE mulrAC -expRD subrr expR0 mul1r|ring].
rewrite -mulrA -expRD (_ : - (a * c) + - (a * (a * c - L)) = - (a * (1 + a) * c) + a * L); last by ring.
rewrite expRD [X in chord_of X]pE.
rewrite (_ : chord_of _ _ = expR (- (a * (1 + a) * c)) * (q / D) *
   (expR ((1 + a) * hi) * (expR L - expR lo) + expR ((1 + a) * lo) * (expR hi - expR L))); last first.
  by rewrite /chord_of /chord_up /chord_down; ring.
have u0 : 0 <= expR (- (a * (1 + a) * c)) * (q / D) by rewrite mulr_ge0// divr_ge0// ltW.
apply: le_trans (ler_wpmul2l u0 (chord a0 Lr)); rewrite le_eqVlt; apply/orP; left; apply/eqP.
have -> : expR ((1 + a) * L) = expR L * expR (a * L) by rewrite -expRD; congr expR; ring.
rewrite {1}pE -/D; transitivity (expR (- (a * (1 + a) * c)) * q * (expR L * expR (a * L)) * (D / D)); last by ring.
by rewrite divff ?gt_eqF// mulr1; ring.
Qed.
End Range.
End Moment.

Local Open Scope ereal_scope.

(* sums and integrals alike: of tests, and exactly of the functions of a class *)
Record summation (R : realType) (A : Type) (M : (A -> \bar R) -> \bar R) (ok : (A -> R) -> Prop) : Prop := Summation {
  sum_le : forall f g, (forall y, 0 <= f y) -> (forall y, f y <= g y) -> M f <= M g;
  sum_scale : forall (x : R) f, (0 <= x)%R -> (forall y, 0 <= f y) -> M (fun y => x%:E * f y) = x%:E * M f;
  sum_under : forall f (r : A -> R), (forall y, 0 <= f y) -> (forall y, 0 <= r y)%R -> ok r ->
    M (fun y => f y + (r y)%:E) <= M f + M (EFin \o r);
  sum_add : forall f g : A -> R, (forall y, 0 <= f y)%R -> (forall y, 0 <= g y)%R -> ok f -> ok g ->
    M (fun y => (f y + g y)%:E) = M (EFin \o f) + M (EFin \o g);
  sum_linear : forall (f g : A -> R) (x z : R), ok f -> ok g -> ok (fun y => x * f y + z * g y)%R }.

Section Sums.
Variables (R : realType) (a c lo hi : R) (A B : Type) (M : (A -> \bar R) -> \bar R) (ok : (A -> R) -> Prop).
Hypothesis SM : summation M ok.
Hypothesis a0 : (0 < a)%R.

Lemma zstar_sum (D D' : law R B) (v : A -> B) (supp : B -> Prop) (p q r : A -> R) :
  (forall f, (forall y, 0 <= f y) -> D f = M (fun y => (p y)%:E * f (v y))) ->
  (forall f, (forall y, 0 <= f y) -> D' f = M (fun y => (q y)%:E * f (v y))) ->
  (forall y, 0 <= p y)%R -> (forall y, 0 <= q y)%R -> (forall y, 0 <= r y)%R -> ok r -> M (EFin \o r) <= 1 ->
  (forall y, moved a c (p y) (q y) (r y)) -> (forall y, p y != 0%R -> supp (v y)) ->
  zstar a D D' supp c.
Proof.
move=> DE DE' p0 q0 r0 okr r1 mv sv f F k f0 F0 H t; rewrite DE// DE'//.
have sl := slope_ge0 a0 t; have re := rest_ge0 a0 t; have e0 : (0 <= expR (- (a * k)) :> R)%R := expR_ge0 _.
rewrite /tangent; set U := (a / (1 + a) * expR t)%R in sl *; set V := ((1 + a)^-1 * expR (- (a * t)))%R in re *.
have qF y : 0 <= (q y)%:E * F (v y) by rewrite mule_ge0 ?lee_fin.
have UqF y : 0 <= U%:E * ((q y)%:E * F (v y)) by rewrite mule_ge0 ?lee_fin.
have okV : ok (fun y => V * r y)%R.
  rewrite (_ : (fun y => _) = fun y => V * r y + 0 * r y)%R; first exact: (sum_linear SM).
  by apply/funext => y; rewrite mul0r addr0.
apply: (@le_trans _ _ (M (fun y => (expR (- (a * k)))%:E * (U%:E * ((q y)%:E * F (v y)) + (V * r y)%:E)))).
  apply: (sum_le SM) => y; first by rewrite mule_ge0 ?lee_fin.
  have [z|pn] := eqVneq (p y) 0%R; last by apply: moved_point => //; apply: H; exact: sv.
  by rewrite z mul0e; apply: mule_ge0; [rewrite lee_fin|apply: adde_ge0; [exact: UqF|rewrite lee_fin mulr_ge0]].
rewrite (sum_scale SM)//; last by move=> y; rewrite adde_ge0// lee_fin mulr_ge0.
apply: lee_wpmul2l; first by rewrite lee_fin.
have Vr0 y : (0 <= V * r y)%R by rewrite mulr_ge0.
apply: (le_trans (sum_under SM UqF Vr0 okV)); rewrite (sum_scale SM)//; apply: lee_add => //.
rewrite (_ : EFin \o _ = fun y => V%:E * (EFin \o r) y); last by apply/funext => y; rewrite /= EFinM.
rewrite (sum_scale SM)//.
by rewrite -[leRHS]mule1; apply: lee_wpmul2l.
Qed.

(* the sum of a difference *)
Lemma sum_less (f g : A -> R) (x y : R) : (forall y, 0 <= g y)%R -> (forall y, g y <= f y)%R -> ok f -> ok g ->
  M (EFin \o f) = x%:E -> M (EFin \o g) = y%:E -> M (fun z => (f z - g z)%:E) = (x - y)%:E.
Proof.
move=> g0 gf okf okg Mf Mg; have okd : ok (fun z => f z - g z)%R.
  rewrite (_ : (fun z => _) = fun z => 1 * f z + (- 1) * g z)%R; first exact: (sum_linear SM).
  by apply/funext => z; rewrite mul1r mulN1r.
have d0 z : (0 <= f z - g z)%R by rewrite subr_ge0.
have E := sum_add SM d0 g0 okd okg.
rewrite EFinB -Mf (_ : EFin \o f = fun z => (f z - g z + g z)%:E); last by apply/funext => z; rewrite /= subrK.
by rewrite E Mg addeK.
Qed.

Hypothesis range : ((hi - lo) ^+ 2 <= 8%:R * c)%R.
Lemma zstar_range (D D' : law R B) (v : A -> B) (supp : B -> Prop) (p q : A -> R) :
  (forall f, (forall y, 0 <= f y) -> D f = M (fun y => (p y)%:E * f (v y))) ->
  (forall f, (forall y, 0 <= f y) -> D' f = M (fun y => (q y)%:E * f (v y))) ->
  (forall y, 0 <= p y)%R -> (forall y, 0 <= q y)%R -> ok p -> ok q -> D (fun=> 1) = 1 -> D' (fun=> 1) = 1 ->
  (forall y, expR lo * q y <= p y)%R -> (forall y, p y <= expR hi * q y)%R -> (forall y, p y != 0%R -> supp (v y)) ->
  zstar a D D' supp c.
Proof.
move=> DE DE' p0 q0 okp okq D1 D1' lp ph sv.
have Mp : M (EFin \o p) = 1.
  by rewrite -D1 DE//; congr M; apply/funext => y; rewrite mule1.
have Mq : M (EFin \o q) = 1.
  by rewrite -D1' DE'//; congr M; apply/funext => y; rewrite mule1.
have Mx x : (0 <= x)%R -> M (EFin \o (fun y => x * q y)%R) = x%:E.
  move=> x0; rewrite (_ : EFin \o _ = fun y => x%:E * (EFin \o q) y); last by apply/funext => y; rewrite /= EFinM.
  by rewrite (sum_scale SM)// Mq mule1.
have okx x : ok (fun y => x * q y)%R.
  rewrite (_ : (fun y => _) = fun y => x * q y + 0 * q y)%R; first exact: (sum_linear SM).
  by apply/funext => y; rewrite mul0r addr0.
have lo0 : (lo <= 0)%R.
  rewrite -ler_expR expR0 -lee_fin -(Mx _ (expR_ge0 lo)) -[leRHS]Mp; apply: (sum_le SM) => y; rewrite lee_fin//.
  by rewrite mulr_ge0 ?expR_ge0.
have hi0 : (0 <= hi)%R.
  rewrite -ler_expR expR0 -lee_fin -(Mx _ (expR_ge0 hi)) -[leLHS]Mp; apply: (sum_le SM) => y; rewrite lee_fin//.
have lh := le_trans lo0 hi0; have lohi : (lo <= 0 <= hi)%R by rewrite lo0 hi0.
move: lh; rewrite le_eqVlt => /orP[/eqP E|lh].
  have z : lo = 0%R by apply/eqP; rewrite eq_le lo0 E hi0.
  have pq y : p y = q y.
    by apply/eqP; rewrite eq_le; move: (ph y) (lp y); rewrite -E z expR0 !mul1r => -> ->.
  have c0 : (0 <= c)%R by rewrite -(@pmulr_rge0 _ 8%:R)//; apply: le_trans range; exact: sqr_ge0.
  apply: (@zstar_sum D D' v supp p q p) => //; first by rewrite Mp.
  move=> y; exists 0%R; rewrite -pq mulr0 oppr0 expR0 !mulr1; split; rewrite -[leRHS]mulr1; apply: ler_wpmul2l => //;
    by rewrite -[leRHS]expR0 ler_expR oppr_le0 mulr_ge0// ltW.
apply: (@zstar_sum D D' v supp p q (fun y => chord_of a c lo hi (p y) (q y))) => //.
- move=> y; apply: addr_ge0; apply: mulr_ge0; rewrite ?subr_ge0//; [exact: chord_up_ge0|exact: chord_down_ge0].
- rewrite /chord_of; apply: (sum_linear SM (f := fun y => (p y - expR lo * q y)%R) (g := fun y => (expR hi * q y - p y)%R)).
    rewrite (_ : (fun y => _) = fun y => 1 * p y + (- expR lo) * q y)%R; first exact: (sum_linear SM).
    by apply/funext => y; rewrite mul1r mulNr.
  rewrite (_ : (fun y => _) = fun y => expR hi * q y + (- 1) * p y)%R; first exact: (sum_linear SM).
  by apply/funext => y; rewrite mulN1r.
- have up0 := chord_up_ge0 a c lh; have dn0 := chord_down_ge0 a c lh.
  have l1 := sum_less (fun y => mulr_ge0 (expR_ge0 lo) (q0 y)) lp okp (okx _) Mp (Mx _ (expR_ge0 lo)).
  have h1 := sum_less p0 ph (okx _) okp (Mx _ (expR_ge0 hi)) Mp.
  pose f y := (p y - expR lo * q y)%R; pose g y := (expR hi * q y - p y)%R.
  have f0 y : (0 <= f y)%R by rewrite subr_ge0.
  have g0 y : (0 <= g y)%R by rewrite subr_ge0.
  have okf : ok f.
    rewrite (_ : f = fun y => 1 * p y + (- expR lo) * q y)%R; first exact: (sum_linear SM).
    by apply/funext => y; rewrite mul1r mulNr.
  have okg : ok g.
    rewrite (_ : g = fun y => expR hi * q y + (- 1) * p y)%R; first exact: (sum_linear SM).
    by apply/funext => y; rewrite mulN1r.
  have oks x h : ok h -> ok (fun y => x * h y)%R.
    move=> okh; rewrite (_ : (fun y => _) = fun y => x * h y + 0 * h y)%R; first exact: (sum_linear SM).
    by apply/funext => y; rewrite mul0r addr0.
  pose f1 y := (chord_up a c lo hi * f y)%R; pose g1 y := (chord_down a c lo hi * g y)%R.
  rewrite (_ : EFin \o _ = fun y => (f1 y + g1 y)%:E)// (sum_add SM (f := f1) (g := g1)); [|by move=> y; rewrite mulr_ge0|by move=> y; rewrite mulr_ge0|exact: oks|exact: oks].
  rewrite (_ : EFin \o f1 = fun y => (chord_up a c lo hi)%:E * (f y)%:E); last by apply/funext => y; rewrite /= EFinM.
  rewrite (_ : EFin \o g1 = fun y => (chord_down a c lo hi)%:E * (g y)%:E); last by apply/funext => y; rewrite /= EFinM.
  rewrite !(sum_scale SM)//.
  by rewrite l1 h1 -!EFinM -EFinD lee_fin; exact: chord_mass.
by move=> y; exact: range_moved.
Qed.
End Sums.

(* ---- the three kinds of laws ---- *)
Lemma summation_integral d (T : measurableType d) (R : realType) (mu : {measure set T -> \bar R}) :
  summation (fun f : T -> \bar R => \int[mu]_y f y) (measurable_fun setT).
Proof.
split.
- by move=> f g f0 fg; exact: low_le.
- by move=> x f x0 f0; exact: low_scale.
- by move=> f r f0 r0 mr; exact: low_add.
- move=> f g f0 g0 mf mg; under eq_integral do rewrite EFinD.
  by rewrite ge0_integralD//; [move=> y _; rewrite lee_fin|exact/EFin_measurable_fun|move=> y _; rewrite lee_fin|exact/EFin_measurable_fun].
- by move=> f g x z mf mg; apply: measurable_funD; exact: measurable_funrM.
Qed.
Lemma summation_esum (R : realType) (A : choiceType) : summation (fun f : A -> \bar R => \esum_(y in [set: A]) f y) (fun=> True).
Proof.
split=> //.
- by move=> f g f0 fg; apply: le_esum.
- by move=> x f x0 f0; exact: esum_scale.
- by move=> f r f0 r0 _; rewrite -esumD// => y _; rewrite lee_fin.
- by move=> f g f0 g0 _ _; under eq_esum do rewrite EFinD; rewrite esumD// => y _; rewrite lee_fin.
Qed.
Lemma summation_list (R : realType) (A : Type) (l : seq A) : summation (fun f : A -> \bar R => \sum_(y <- l) f y) (fun=> True).
Proof.
split=> //.
- by move=> f g f0 fg; apply: lee_sum.
- by move=> x f x0 f0; rewrite ge0_sume_distrr.
- by move=> f r f0 r0 _; rewrite big_split.
- by move=> f g f0 g0 _ _; under eq_bigr do rewrite EFinD; rewrite big_split.
Qed.

Section Rules.
Variable R : realType.
Notation T := (measurableTypeR R).
Let leb : {measure set T -> \bar R} := [the measure _ _ of @lebesgue_measure R].
Variables (S : Type) (d c : S -> S -> R -> R) (Psi : assn R S).

(* losses of at most |e - e'|/b in both directions *)
Lemma loss_range (e e' s x y : R) : (0 < s)%R -> (`|e - e'| <= x)%R -> (x * x <= 2%:R * y * (s * s))%R ->
  ((`|e - e'| / s - - (`|e - e'| / s)) ^+ 2 <= 8%:R * y)%R.
Proof.
move=> s0 near bound; have s2 : (0 < s * s)%R by rewrite mulr_gt0.
rewrite (_ : (_ - _) ^+ 2 = 4%:R * (`|e - e'| * `|e - e'|) / (s * s))%R; last by field; rewrite gt_eqF.
rewrite ler_pdivr_mulr//; apply: (@le_trans _ _ (4%:R * (x * x))%R).
  by apply: ler_wpmul2l => //; apply: ler_pmul.
apply: (le_trans (ler_wpmul2l _ bound)) => //; rewrite le_eqVlt; apply/orP; left; apply/eqP; ring.
Qed.

(* BOUNDED-LOSS *)
Theorem bounded_loss (center scale_of : S -> R) (u : S -> R -> S) :
  zjudge (Draw (fun s => laplace (center s) (scale_of s)) u)
    (fun s s' j => near_centers center scale_of d c s s' j /\ forall y, Psi (u s y) (u s' y) (j + c s s' j)%R) Psi.
Proof.
apply: z_sample => m m' j [[s0 ss near bound] HP]; exists (fun=> True), (c m m' j); split=> [a a0|y _]; last exact: HP.
rewrite -ss; set s := scale_of m in s0 bound *; set e := center m in near *; set e' := center m' in near *.
pose l := (`|e - e'| / s)%R; have ls : (`|0 + e - e'| <= l * s)%R by rewrite add0r divfK// gt_eqF.
have ls' : (`|0 + e' - e| <= l * s)%R by rewrite add0r distrC divfK// gt_eqF.
apply: (@zstar_range R a (c m m' j) (- l)%R l _ _ _ _ (summation_integral leb) a0 (loss_range s0 near bound) _ _ id _
  (wp_ leb (lap_w e s)) (wp_ leb (lap_w e' s))) => //.
- by move=> y; exact: lap_p0.
- by move=> y; exact: lap_p0.
- by apply: wp_meas; exact: lap_w_meas.
- by apply: wp_meas; exact: lap_w_meas.
- exact: total_laplace.
- exact: total_laplace.
- by move=> y; have := lap_shift y s0 ls'; rewrite addr0 mulrC.
- move=> y; have := lap_shift y s0 ls; rewrite addr0 => h.
  have := ler_wpmul2l (expR_ge0 l) h; rewrite mulrCA -expRD subrr expR0 mulr1; exact.
Qed.
Theorem bounded_loss_int (center : S -> int) (scale_of : S -> R) (u : S -> int -> S) :
  zjudge (Draw (fun s => discrete_laplace (center s) (scale_of s)) u)
    (fun s s' j => near_centers (fun s => (center s)%:~R) scale_of d c s s' j /\ forall y, Psi (u s y) (u s' y) (j + c s s' j)%R) Psi.
Proof.
apply: z_sample => m m' j [[s0 ss near bound] HP]; exists (fun=> True), (c m m' j); split=> [a a0|y _]; last exact: HP.
rewrite -ss; set s := scale_of m in s0 bound *; set e := center m in near *; set e' := center m' in near *.
pose l := (`|e%:~R - e'%:~R| / s)%R.
have ls : (`|0 + e - e'|%:~R <= l * s)%R by rewrite add0r intr_norm rmorphB /= divfK// gt_eqF.
have ls' : (`|0 + e' - e|%:~R <= l * s)%R by rewrite add0r distrC intr_norm rmorphB /= divfK// gt_eqF.
apply: (@zstar_range R a (c m m' j) (- l)%R l _ _ _ _ (summation_esum R _) a0 (loss_range s0 near bound) _ _ id _
  (norm_mass (dlap_w e s)) (norm_mass (dlap_w e' s))) => //.
- by move=> y; apply: norm_mass_ge0 => z; exact: dlap_w0.
- by move=> y; apply: norm_mass_ge0 => z; exact: dlap_w0.
- exact: total_discrete_laplace.
- exact: total_discrete_laplace.
- by move=> y; have := dlap_shift y s0 ls'; rewrite addr0 mulrC.
- move=> y; have := dlap_shift y s0 ls; rewrite addr0 => h.
  have := ler_wpmul2l (expR_ge0 l) h; rewrite mulrCA -expRD subrr expR0 mulr1; exact.
Qed.

(* BOUNDED-RANGE *)
Section Chosen.
Variables (l l' : seq R) (s low high : R).
Hypothesis s0 : (0 < s)%R.
Hypothesis l0 : (0 < size l)%N.
Hypothesis ll : size l = size l'.
Hypothesis near : (forall i, (i < size l)%N -> low <= nth 0 l' i - nth 0 l i <= high)%R.
(* the masses, and 0 outside the list *)
Definition choose_p (k : seq R) (i : nat) : R := if (i < size k)%N then (expR (nth 0 k i / s) / choose_total k s)%R else 0%R.
Lemma choose_p_ge0 k i : (0 <= choose_p k i)%R.
Proof. by rewrite /choose_p; case: ifP => // _; rewrite divr_ge0 ?expR_ge0//; apply: sumr_ge0 => j _; exact: expR_ge0. Qed.
Lemma choose_sumE k f : (0 < size k)%N -> choose k s f = \sum_(i <- iota 0 (size k)) (choose_p k i)%:E * f (Posz i).
Proof.
move=> k0; rewrite flawE ?choose_fine// big_map big_seq [RHS]big_seq; apply: eq_bigr => i.
by rewrite mem_iota add0n /= => ik; rewrite /choose_p ik.
Qed.
Lemma choose_near i : let z := ln (choose_total l' s / choose_total l s) in
  (expR (- (high / s) + z) * choose_p l' i <= choose_p l i)%R /\ (choose_p l i <= expR (- (low / s) + z) * choose_p l' i)%R.
Proof.
move=> z; rewrite /choose_p -ll; case: ifP => il; last by rewrite mulr0.
have Z0 := choose_positive s l0; have Z0' : (0 < choose_total l' s)%R by apply: choose_positive; rewrite -ll.
have zE : expR z = (choose_total l' s / choose_total l s)%R by rewrite lnK// posrE divr_gt0.
have step x : (expR (- (x / s) + z) * (expR (nth 0 l' i / s) / choose_total l' s) = expR ((nth 0 l' i - x) / s) / choose_total l s)%R.
  by rewrite mulrBl !expRD zE mulrACA [(_ / _ / _)%R]mulrAC divff ?gt_eqF// mul1r [(expR (- _) * _)%R]mulrC.
rewrite (step high) (step low); have /andP[lo hi] := near il; have Zi : (0 <= (choose_total l s)^-1)%R by rewrite invr_ge0 ltW.
have si : (0 <= s^-1)%R by rewrite invr_ge0 ltW.
split; (apply: ler_wpmul2r => //; rewrite ler_expR; apply: ler_wpmul2r => //).
  by rewrite ler_subl_addr -ler_subl_addl.
by rewrite ler_subr_addr -ler_subr_addl.
Qed.
End Chosen.

Theorem bounded_range (scores : S -> seq R) (scale : S -> R) (u : S -> int -> S) (low high : S -> S -> R -> R) :
  zjudge (Draw (fun s => choose (scores s) (scale s)) u)
    (fun s s' j => [/\ [/\ (0 < scale s)%R, (0 < size (scores s))%N & scale s = scale s'],
       size (scores s) = size (scores s') /\
         (forall i, (i < size (scores s))%N -> low s s' j <= nth 0 (scores s') i - nth 0 (scores s) i <= high s s' j)%R,
       ((high s s' j - low s s' j) * (high s s' j - low s s' j) <= 8%:R * c s s' j * scale s * scale s)%R &
       forall y : int, (0 <= y < (size (scores s))%:Z)%R -> Psi (u s y) (u s' y) (j + c s s' j)%R]) Psi.
Proof.
apply: z_sample => m m' j [[s0 l0 ss] [ll near] range HP].
exists (fun y => 0 <= y < (size (scores m))%:Z)%R, (c m m' j); split=> [a a0|y]; last exact: HP.
rewrite -ss; set l := scores m in l0 ll near *; set l' := scores m' in ll near *; set s := scale m in s0 range *.
have l0' : (0 < size l')%N by rewrite -ll.
pose z := ln (choose_total l' s / choose_total l s).
pose lo := (- (high m m' j / s) + z)%R; pose hi := (- (low m m' j / s) + z)%R.
have lh : ((hi - lo) ^+ 2 <= 8%:R * c m m' j)%R.
  have s2 : (0 < s * s)%R by rewrite mulr_gt0.
  rewrite (_ : (hi - lo) ^+ 2 = (high m m' j - low m m' j) * (high m m' j - low m m' j) / (s * s))%R; last first.
    by rewrite /hi /lo; field; rewrite gt_eqF.
  by rewrite ler_pdivr_mulr// mulrA.
apply: (@zstar_range R a (c m m' j) lo hi _ _ _ _ (summation_list R (iota 0 (size l))) a0 lh _ _ Posz _ (choose_p s l) (choose_p s l')) => //.
- by move=> f f0; rewrite choose_sumE.
- by move=> f f0; rewrite choose_sumE// -ll.
- by move=> i; exact: choose_p_ge0.
- by move=> i; exact: choose_p_ge0.
- exact: total_choose.
- exact: total_choose.
- by move=> i; exact: (choose_near s0 l0 ll near i).1.
- by move=> i; exact: (choose_near s0 l0 ll near i).2.
- by move=> i; rewrite /choose_p; case: ifP => [il _|_]; [rewrite ltz_nat|rewrite eqxx].
Qed.
End Rules.
