(* Two-sided noise that is made of one-sided draws (trusted/kernel/src/rules/noise.rs): DIFFERENCE-LAW (difference_law, on the integers difference_law_int), SIGN-LAW (sign_law, with a coin
   coin_law) and EXPONENTIAL-LAW (exponential_law; in a program exponential_step).

   A difference is two draws of reals in turn, so its test has to be measurable (Tonelli); a sign that is drawn first, a coin, a logarithm, and everything on the integers have the law for all
   tests.  There is no condition on the scale: where it is not positive, neither side has mass. *)
From Probity Require Import PreludeIntegral Judgement Laws Sampling Density Continuous Logarithm SignedLog Branches Plane Centered.
Local Open Scope classical_set_scope.
Local Open Scope ring_scope.
Local Open Scope ereal_scope.

Section Reals.
Variable R : realType.
Notation T := (measurableTypeR R).
Let leb : {measure set T -> \bar R} := [the measure _ _ of @lebesgue_measure R].
Let neg := [set x | x < 0]%R : set T.
Let pos := [set x | 0 < x]%R : set T.
Implicit Types (b e : R).

Lemma exp_wE b (y : T) : exp_w b y = if (0 <= y :> R)%R then lap_w 0 b y else 0%R.
Proof. by rewrite /exp_w indicE; case: ifPn => y0; [rewrite mem_set ?mulr1|rewrite memNset ?mulr0//; exact/negP]. Qed.
Lemma lap_wN b (y : T) : lap_w 0 b (- y)%R = lap_w 0 b y.
Proof. by rewrite /lap_w !subr0 normrN. Qed.

(* the side where a one-sided weight lies *)
Lemma exp_side b (h : T -> \bar R) : (forall y, 0 <= h y) ->
  \int[leb]_y ((exp_w b y)%:E * h y) = \int[leb]_y cutg pos (fun y => (lap_w 0 b y)%:E * h y) y.
Proof.
move=> h0; rewrite low_sides; last by move=> y; rewrite mule_ge0 ?lee_fin ?exp_w0.
rewrite [X in X + _](_ : _ = 0) ?add0e.
  apply: eq_integral => y _; rewrite /cutg; case: asboolP => // py.
  by rewrite exp_wE ltW.
rewrite (eq_integral (cst 0)) ?integral0// => y _; rewrite /cutg; case: asboolP => // ny.
by rewrite exp_wE leNgt ny mul0e.
Qed.
Lemma lap_sides b (h : T -> \bar R) : (forall y, 0 <= h y) ->
  \int[leb]_y ((lap_w 0 b y)%:E * h y) = \int[leb]_y ((exp_w b y)%:E * h y) + \int[leb]_y ((exp_w b y)%:E * h (- y)%R).
Proof.
move=> h0; rewrite low_sides; last by move=> y; rewrite mule_ge0 ?lee_fin ?lap_w0.
rewrite !exp_side// addeC; congr (_ + _); rewrite -low_neg; last first.
  by move=> y; apply: cutg_ge0 => x; rewrite mule_ge0 ?lee_fin ?lap_w0.
apply: eq_integral => y _; rewrite /cutg /= oppr_lt0; case: asboolP => // py.
by rewrite lap_wN.
Qed.
Lemma lap_twice b : wtotal leb (lap_w 0 b) = wtotal leb (exp_w b) + wtotal leb (exp_w b).
Proof.
have E w : wtotal leb w = \int[leb]_y ((w y)%:E * (cst 1 y)) by apply: eq_integral => y _; rewrite mule1.
by rewrite !E lap_sides// => y; exact: lee01.
Qed.
Lemma no_exponential (b : R) (h : T -> \bar R) : ~~ (0 < b)%R -> exponential b h = 0.
Proof.
move=> nb; rewrite /= /dev (eq_integral (cst 0)) ?integral0// => y _.
by rewrite /wp_ exp_wE /lap_w (negPf nb) if_same mul0r mul0e.
Qed.
Lemma no_laplace (e b : R) (h : T -> \bar R) : ~~ (0 < b)%R -> laplace e b h = 0.
Proof.
move=> nb; rewrite /= /dev (eq_integral (cst 0)) ?integral0// => y _.
by rewrite /wp_ /lap_w (negPf nb) mul0r mul0e.
Qed.

(* half of a Laplace draw is an exponential one, and half the same turned round *)
Lemma halves b (h : T -> \bar R) : (forall y, 0 <= h y) ->
  laplace 0 b h = (2^-1)%:E * exponential b h + (2^-1)%:E * exponential b (fun a => h (- a)%R).
Proof.
move=> h0; have [b0|nb] := boolP (0 < b)%R; last by rewrite !no_exponential// no_laplace// !mule0 adde0.
have i0 k : (forall y, 0 <= k y) -> 0 <= \int[leb]_y ((exp_w b y)%:E * k y).
  by move=> k0; apply: integral_ge0 => y _; rewrite mule_ge0 ?lee_fin ?exp_w0.
have half : (0 <= 2^-1 :> R)%R by rewrite invr_ge0.
set E := wtotal leb (exp_w b).
have Efin : E \is a fin_num by rewrite /E ge0_fin_numE ?exp_finite//; apply: wtotal_ge0 => x; exact: exp_w0.
have Lfin : fine (wtotal leb (lap_w 0 b)) = (2 * fine E)%R.
  by rewrite lap_twice -/E -(fineK Efin) -EFinD /= mulr_natl mulr2n.
have ei : (0 <= (fine E)^-1)%R by rewrite invr_ge0 fine_ge0// wtotal_ge0// => x; exact: exp_w0.
have out w (c : R) (k : T -> \bar R) : (forall y, 0 <= w y)%R -> (0 <= c)%R -> (forall y, 0 <= k y) ->
    \int[leb]_y ((w y / c)%:E * k y) = c^-1%:E * \int[leb]_y ((w y)%:E * k y).
  move=> w0 c0 k0; rewrite -low_scale ?invr_ge0//; last by move=> y; rewrite mule_ge0 ?lee_fin.
  by apply: eq_integral => y _; rewrite muleA -EFinM [(w y / c)%R]mulrC.
have e0 : (0 <= fine E)%R by rewrite -invr_ge0.
rewrite /= /dev /wp_ -/E Lfin out ?mulr_ge0//; last by move=> y; exact: lap_w0.
rewrite !out//; try by move=> y; exact: exp_w0.
rewrite !muleA -!EFinM -invfM lap_sides// ge0_muleDr ?i0//.
Qed.

(* SIGN-LAW: s ~ sign(); a ~ exponential(b); C[s a]  =  z ~ laplace(0, b); C[z] *)
Theorem sign_law b (g : R -> \bar R) : (forall z, 0 <= g z) ->
  sign R (fun s => exponential b (fun a => g (s * a)%R)) = laplace 0 b g.
Proof.
move=> g0; rewrite signE halves//; congr (_ * _ + _ * _); congr (ev (exponential b)); apply/funext => a.
  by rewrite mul1r.
by rewrite mulN1r.
Qed.
(* s ~ bernoulli(1/2); a ~ exponential(b); C[if s then e + a else e - a]  =  z ~ laplace(0, b); C[e + z] *)
Theorem coin_law b e (g : R -> \bar R) : (forall z, 0 <= g z) ->
  bernoulli (2^-1 : R) (fun s => exponential b (fun a => g (if s then e + a else e - a)%R)) = laplace 0 b (fun z => g (e + z)%R).
Proof.
move=> g0; have h1 : (1 - 2^-1 = 2^-1 :> R)%R by apply/eqP; rewrite subr_eq half2.
rewrite bernoulliE; last by rewrite invr_ge0 ler0n /= invf_le1 ?ltr0n// ler1n.
by rewrite h1 (@halves b (fun z => g (e + z)%R)).
Qed.
(* with a drawn first, for tests that are measurable *)
Lemma turned (p : T -> R) p0 mp p1 (f : T -> R -> \bar R) : (forall a s, 0 <= f a s) -> (forall s, measurable_fun setT (f^~ s)) ->
  @dlaw _ T R leb p p0 mp p1 (fun a => sign R (f a)) = sign R (fun s => @dlaw _ T R leb p p0 mp p1 (f^~ s)).
Proof.
move=> f0 mf; have h0 : (0 <= 2^-1 :> R)%R by rewrite invr_ge0.
have m s : measurable_fun setT (fun a => (p a)%:E * f a s) by apply: emeasurable_funM => //; exact/EFin_measurable_fun.
have t0 s a : 0 <= (p a)%:E * f a s by rewrite mule_ge0 ?lee_fin.
have E g : @dlaw _ T R leb p p0 mp p1 g = \int[leb]_a ((p a)%:E * g a) by [].
rewrite signE !E -!low_scale// -ge0_integralD//.
- by apply: eq_integral => a _; rewrite signE ge0_muleDr ?mule_ge0 ?lee_fin// !(muleCA (p a)%:E).
- by move=> a _; rewrite mule_ge0 ?lee_fin.
- by apply: emeasurable_funM => //; exact: measurable_fun_cst.
- by move=> a _; rewrite mule_ge0 ?lee_fin.
- by apply: emeasurable_funM => //; exact: measurable_fun_cst.
Qed.
Theorem sign_law_turned b (g : R -> \bar R) : (forall z, 0 <= g z) -> measurable_fun setT (g : T -> \bar R) ->
  exponential b (fun a => sign R (fun s => g (s * a)%R)) = laplace 0 b g.
Proof.
move=> g0 mg; rewrite -sign_law//; apply: (@turned _ _ _ _ (fun a s => g (s * a)%R)) => // s.
by apply: (measurable_fun_comp mg); exact: mscale_fun.
Qed.

(* EXPONENTIAL-LAW: u ~ uniform(0, 1); C[ln(u)]  =  z ~ exponential(1); C[-z] *)
Lemma exp_one : wtotal leb (exp_w 1) = 1.
Proof.
transitivity (@uniform R (fun=> 1)); last exact: total_uniform.
rewrite uniform_exp; last by move=> u; exact: lee01.
rewrite /wtotal (eq_integral (fun y => (exp_w 1 y)%:E * cst 1 y)); last by move=> y _; rewrite mule1.
rewrite exp_side; last by move=> y; exact: lee01.
rewrite -[LHS]low_neg; last by move=> y; apply: cutg_ge0 => x; rewrite mule_ge0 ?lee_fin ?lap_w0 ?lee01.
apply: eq_integral => y _; rewrite /cutg /pos /= oppr_gt0; case: asboolP => // ny.
by rewrite lap_wN /lap_w ltr01 subr0 divr1 ltr0_norm ?opprK.
Qed.
Theorem exponential_law (g : R -> \bar R) : (forall z, 0 <= g z) ->
  @uniform R (fun u => g (ln u)) = exponential 1 (fun z => g (- z)%R).
Proof.
move=> g0; rewrite uniform_exp//; transitivity (\int[leb]_y ((exp_w 1 y)%:E * g (- y)%R)); last first.
  by rewrite /= /dev; apply: eq_integral => y _; rewrite /wp_ exp_one divr1.
rewrite exp_side// -[RHS]low_neg; last by move=> y; apply: cutg_ge0 => x; rewrite mule_ge0 ?lee_fin ?lap_w0.
apply: eq_integral => y _; rewrite /cutg /pos /= oppr_gt0; case: asboolP => // ny.
by rewrite expK lap_wN opprK /lap_w ltr01 subr0 divr1 ltr0_norm ?opprK.
Qed.
(* in a program: Q' after the draws, if the one has u and the other z = -ln(u) *)
Theorem exponential_step (S S' : Type) (Q Q' : S -> S' -> Prop) (set_u : S -> R -> S) (set_z : S' -> R -> S') :
  (forall s s' u, Q s s' -> Q' (set_u s u) (set_z s' (- ln u)%R)) ->
  in_step Q (Draw (fun=> @uniform R) set_u) (Draw (fun=> exponential 1) set_z) Q'.
Proof.
move=> QQ f f' f0 f1 f'0 f'1 ff s s' q.
transitivity (ev (@uniform R) (fun u : R => f' (set_z s' (- ln u)%R))).
  by apply: (f_equal (ev (@uniform R))); apply/funext => u; apply: ff; exact: QQ.
transitivity (ev (exponential 1) (fun z : R => f' (set_z s' (- - z)%R))).
  exact (@exponential_law (fun x => f' (set_z s' (- x)%R)) (fun x => f'0 _)).
by apply: (f_equal (ev (exponential 1))); apply/funext => z; rewrite opprK.
Qed.

(* DIFFERENCE-LAW: a ~ exponential(b); c ~ exponential(b); C[a - c]  =  z ~ laplace(0, b); C[z] *)
Lemma exp_meet b (z : T) : (0 < b)%R ->
  \int[leb]_a (exp_w b a * exp_w b (a - z)%R)%:E = (lap_w 0 b z)%:E * wtotal leb (exp_w (b / 2)).
Proof.
move=> b0; have b2 : (0 < b / 2)%R by rewrite divr_gt0.
pose m : R := if (0 <= z :> R)%R then z else 0%R.
rewrite -(@low_shift R m (fun a => (exp_w b a * exp_w b (a - z)%R)%:E)); last by move=> a; rewrite lee_fin mulr_ge0 ?exp_w0.
rewrite /wtotal -low_scale ?lap_w0//; last by move=> a; rewrite lee_fin exp_w0.
apply: eq_integral => y _; rewrite -EFinM; congr (_%:E); rewrite /m !exp_wE; have [z0|z0] := leP 0%R z.
  rewrite addrK; have [y0|y0] := leP 0%R y; last by rewrite !mulr0.
  rewrite addr_ge0// /lap_w b0 b2 -!expRD !subr0 !ger0_norm ?addr_ge0//; congr expR.
  by field; rewrite gt_eqF.
rewrite addr0; have [y0|y0] := leP 0%R y; last by rewrite mul0r mulr0.
have yz : (0 <= y - z)%R by rewrite subr_ge0 ltW// (lt_le_trans z0).
rewrite yz /lap_w b0 b2 -!expRD !subr0 (ger0_norm y0) (ger0_norm yz) (ltr0_norm z0); congr expR.
by field; rewrite gt_eqF.
Qed.
Lemma difference_core b : (0 < b)%R -> exists2 C : R, (0 <= C)%R & forall g : T -> \bar R, (forall z, 0 <= g z) -> measurable_fun setT g ->
  exponential b (fun a => exponential b (fun c => g (a - c)%R)) = C%:E * \int[leb]_z ((lap_w 0 b z)%:E * g z).
Proof.
move=> b0; have b2 : (0 < b / 2)%R by rewrite divr_gt0.
pose p := wp_ leb (exp_w b); pose Z := fine (wtotal leb (exp_w b)); pose W := wtotal leb (exp_w (b / 2)).
have Z0 : (0 <= Z^-1)%R by rewrite invr_ge0 fine_ge0// wtotal_ge0// => x; exact: exp_w0.
have Wfin : W \is a fin_num by rewrite /W ge0_fin_numE ?exp_finite//; apply: wtotal_ge0 => x; exact: exp_w0.
have p0 y : (0 <= p y)%R by apply: wp_ge0_ => x; exact: exp_w0.
have mp : measurable_fun setT p by apply: wp_meas; exact: exp_w_meas.
have mpE : measurable_fun setT (EFin \o p) by exact/EFin_measurable_fun.
have C0 : (0 <= Z^-1 * Z^-1 * fine W)%R by rewrite !mulr_ge0// fine_ge0// wtotal_ge0// => x; exact: exp_w0.
exists (Z^-1 * Z^-1 * fine W)%R => // g g0 mg; rewrite /= /dev -/p.
pose F (x : T * T) := (p x.1)%:E * ((p (x.1 - x.2)%R)%:E * g x.2).
have F0 x : 0 <= F x by rewrite !mule_ge0 ?lee_fin.
have mF : @measurable_fun _ _ [the measurableType _ of (T * T)%type] _ setT F.
  apply: emeasurable_funM; first exact: (measurable_fun_comp mpE (@mfst _ _ T T)).
  apply: emeasurable_funM; last exact: (measurable_fun_comp mg (@msnd _ _ T T)).
  apply: (measurable_fun_comp mpE); apply: measurable_funB; [exact: mfst|exact: msnd].
have F1 := @fubini_tonelli1 _ _ T T R leb leb (@leb_sigma_finite R) F mF F0.
have F2 := @fubini_tonelli2 _ _ T T R leb leb (@leb_sigma_finite R) (@leb_sigma_finite R) F mF F0.
transitivity (\int[leb]_a fubini_F leb F a).
  apply: eq_integral => a _; rewrite /fubini_F /F /= low_scale//; last by move=> z; rewrite mule_ge0 ?lee_fin.
  congr (_ * _); pose G (z : T) := (p (a - z)%R)%:E * g z.
  have G0 z : 0 <= G z by rewrite mule_ge0 ?lee_fin.
  have := low_affine a (_ : (-1 != 0 :> R)%R) G0; rewrite oppr_eq0 oner_eq0 normrN1 invr1 mul1e => /(_ isT) <-.
  by apply: eq_integral => c _; rewrite /G mulN1r subKr.
rewrite -F1 F2; transitivity (\int[leb]_z ((Z^-1 * Z^-1 * fine W)%:E * ((lap_w 0 b z)%:E * g z))); last first.
  by apply: low_scale => // z; rewrite mule_ge0 ?lee_fin ?lap_w0.
apply: eq_integral => z _; rewrite /fubini_G /F /=.
transitivity (\int[leb]_a (g z * ((Z^-1 * Z^-1)%:E * (exp_w b a * exp_w b (a - z)%R)%:E))).
  by apply: eq_integral => a _; rewrite muleA muleC; congr (_ * _); rewrite -!EFinM /p /wp_ -/Z mulrACA mulrC.
rewrite ge0_integralM//; last first.
- have ee (a : T) : (0 <= exp_w b a * exp_w b (a - z))%R by apply: mulr_ge0; exact: exp_w0.
  by move=> a _; rewrite mule_ge0 ?lee_fin// mulr_ge0.
- apply: emeasurable_funM; first exact: measurable_fun_cst.
  apply/EFin_measurable_fun; apply: measurable_funM; first exact: exp_w_meas.
  by apply: (measurable_fun_comp (exp_w_meas b)); exact: mshift.
rewrite low_scale; last 2 first.
- exact: mulr_ge0.
- by move=> a; rewrite lee_fin mulr_ge0 ?exp_w0.
rewrite exp_meet// -/W -(fineK Wfin) -!EFinM muleC [RHS]muleA -EFinM; congr (_%:E * _).
by rewrite fineK// -!mulrA; do 2 congr (_ * _)%R; rewrite mulrC.
Qed.
Theorem difference_law b (g : R -> \bar R) : (forall z, 0 <= g z) -> measurable_fun setT (g : T -> \bar R) ->
  exponential b (fun a => exponential b (fun c => g (a - c)%R)) = laplace 0 b g.
Proof.
move=> g0 mg; have [b0|nb] := boolP (0 < b)%R; last by rewrite no_exponential// no_laplace.
have [C C0 core] := difference_core b0; rewrite core//.
have L0 : 0 <= wtotal leb (lap_w 0 b) by apply: wtotal_ge0 => y; exact: lap_w0.
have Lfin : wtotal leb (lap_w 0 b) \is a fin_num by rewrite ge0_fin_numE ?lap_finite.
have Lpos : (0 < fine (wtotal leb (lap_w 0 b)))%R by rewrite -lte_fin fineK ?lap_positive.
have := core (fun=> 1) (fun=> lee01) (measurable_fun_cst _).
rewrite (_ : exponential b _ = 1); last first.
  by rewrite -[RHS](total_exponential b0); congr (ev (exponential b)); apply/funext => a; exact: total_exponential.
rewrite (eq_integral (fun z => (lap_w 0 b z)%:E)); last by move=> z _; rewrite mule1.
rewrite -/(wtotal leb (lap_w 0 b)) -(fineK Lfin) -EFinM => -[one].
have -> : C = (fine (wtotal leb (lap_w 0 b)))^-1%R.
  by apply: (mulIf (lt0r_neq0 Lpos)); rewrite -one mulVf// gt_eqF.
rewrite -low_scale; last by move=> z; rewrite mule_ge0 ?lee_fin ?lap_w0.
  by apply: eq_integral => z _; rewrite muleA -EFinM mulrC.
by rewrite invr_ge0 ltW.
Qed.
(* the draw that is subtracted may come first *)
Theorem difference_law_turned b (g : R -> \bar R) : (forall z, 0 <= g z) -> measurable_fun setT (g : T -> \bar R) ->
  exponential b (fun c => exponential b (fun a => g (a - c)%R)) = laplace 0 b g.
Proof.
move=> g0 mg; have := @affine_laplace R 0 b 0 (-1) g; rewrite oppr_eq0 oner_eq0 normrN1 mul1r mulr0 addr0 => /(_ isT g0) <-.
rewrite -difference_law; first last.
- by apply: (measurable_fun_comp mg); apply: (eq_measurable_fun (f := fun z : T => (- 1 * z)%R : T)) => [z _|]; rewrite ?add0r//; exact: mscale_fun.
- by move=> z; exact: g0.
by congr (ev (exponential b)); apply/funext => c; congr (ev (exponential b)); apply/funext => a; rewrite add0r mulN1r opprB.
Qed.
End Reals.

Section Integers.
Variable R : realType.

Lemma esum_swap (X Y : choiceType) (F : X -> Y -> \bar R) : (forall x y, 0 <= F x y) ->
  \esum_(x in [set: X]) \esum_(y in [set: Y]) F x y = \esum_(y in [set: Y]) \esum_(x in [set: X]) F x y.
Proof.
move=> F0; rewrite !esum_esum//.
rewrite (@reindex_esum R _ _ ([set: Y] `*`` (fun=> [set: X])) _ (fun k => (k.2, k.1)))//; split.
- by [].
- by move=> [y x] [y' x'] _ _ [-> ->].
- by move=> [x y] _; exists (y, x).
Qed.
Lemma esum_times (X : choiceType) (k : \bar R) (w : X -> R) : 0 <= k -> (forall x, 0 <= w x)%R ->
  \esum_(x in [set: X]) (k * (w x)%:E) = k * \esum_(x in [set: X]) (w x)%:E.
Proof.
case: k => [k k0 w0|_ w0|//]; first by rewrite esum_scale// -lee_fin.
have [[x x0]|none] := pselect (exists x, w x != 0%R).
  have wx : (0 < w x)%R by rewrite lt_neqAle eq_sym x0 w0.
  have one (f : X -> \bar R) : (forall y, 0 <= f y) -> f x <= \esum_(y in [set: X]) f y.
    move=> f0; rewrite -(@esum_set1 _ _ x f)// esum_mkcond; apply: le_esum => y _.
    by case: ifP.
  rewrite [RHS]gt0_mulye; last first.
    by apply: (@lt_le_trans _ _ (w x)%:E); rewrite ?lte_fin// one// => y; rewrite lee_fin.
  apply/eqP; rewrite eq_le leey /=; apply: (@le_trans _ _ (+oo * (w x)%:E)).
    by rewrite gt0_mulye ?lte_fin.
  by apply: (one (fun y => +oo * (w y)%:E)) => y; rewrite mule_ge0// lee_fin.
have z y : w y = 0%R by apply/eqP; apply: contrapT => /negP y0; apply: none; exists y.
by rewrite !esum1 ?mule0// => y _; rewrite z ?mule0.
Qed.
Lemma no_geometric b h : ~~ (0 < b)%R -> @geometric R b h = 0.
Proof. by move=> nb; rewrite /= /mev esum1// => y _; rewrite /norm_mass /geo_w (negPf nb) mul0r mul0e. Qed.
Lemma no_discrete_laplace e b h : ~~ (0 < b)%R -> @discrete_laplace R e b h = 0.
Proof. by move=> nb; rewrite /= /mev esum1// => y _; rewrite /norm_mass /dlap_w (negPf nb) mul0r mul0e. Qed.

Lemma geo_meet (b : R) (z : int) : (0 < b)%R ->
  \esum_(a in [set: int]) (geo_w b a * geo_w b (a - z))%:E = (dlap_w 0 b z)%:E * total (geo_w (b / 2)).
Proof.
move=> b0; have b2 : (0 < b / 2)%R by rewrite divr_gt0.
pose m : int := if (0 <= z)%R then z else 0%R.
rewrite (@reindex_esum _ _ _ [set: int] [set: int] (fun y => y + m)%R); last first.
  by rewrite setTT_bijective; exists (fun y => y - m)%R => y; rewrite ?subrK ?addrK.
rewrite /total -esum_scale ?dlap_w0//; last by move=> y; rewrite lee_fin geo_w0.
apply: eq_esum => y _; rewrite -EFinM; congr (_%:E); rewrite /m /geo_w /dlap_w b0 b2 /= subr0.
have [z0|z0] := leP 0%R z.
  rewrite addrK; have [y0|y0] := leP 0%R y; last by rewrite !mulr0.
  rewrite addr_ge0// -!expRD ger0_norm// rmorphD /=; congr expR.
  by field; rewrite gt_eqF.
rewrite addr0; have [y0|y0] := leP 0%R y; last by rewrite mul0r mulr0.
have yz : (0 <= y - z)%R by rewrite subr_ge0 ltW// (lt_le_trans z0).
rewrite yz -!expRD ltr0_norm// rmorphB rmorphN /=; congr expR.
by field; rewrite gt_eqF.
Qed.
Lemma geo_finite (b : R) : (0 < b)%R -> total (geo_w b) < +oo.
Proof.
move=> b0; apply: (tails_finite (ratio_lt1 b0)) => y; first exact: geo_w0.
rewrite /geo_w b0 /= -expR_pow; case: ifP => [y0|_]; last exact: expR_ge0.
by rewrite ler_expR mulNrn -mulr_natl pmulrn gez0_abs.
Qed.
Lemma difference_core_int (b : R) : (0 < b)%R -> exists2 C : R, (0 <= C)%R & forall g : int -> \bar R, (forall z, 0 <= g z) ->
  geometric b (fun a => geometric b (fun c => g (a - c)%R)) = C%:E * \esum_(z in [set: int]) ((dlap_w 0 b z)%:E * g z).
Proof.
move=> b0; have b2 : (0 < b / 2)%R by rewrite divr_gt0.
pose p := norm_mass (geo_w b); pose Z := fine (total (geo_w b)); pose W := total (geo_w (b / 2)).
have Z0 : (0 <= Z^-1)%R by rewrite invr_ge0 fine_ge0// total_ge0// => x; exact: geo_w0.
have Wfin : W \is a fin_num by rewrite /W ge0_fin_numE ?geo_finite//; apply: total_ge0 => x; exact: geo_w0.
have p0 y : (0 <= p y)%R by apply: norm_mass_ge0 => x; exact: geo_w0.
have C0 : (0 <= Z^-1 * Z^-1 * fine W)%R by rewrite !mulr_ge0// fine_ge0// total_ge0// => x; exact: geo_w0.
exists (Z^-1 * Z^-1 * fine W)%R => // g g0; rewrite /= /mev -/p.
transitivity (\esum_(a in [set: int]) \esum_(z in [set: int]) ((p a)%:E * ((p (a - z)%R)%:E * g z))).
  apply: eq_esum => a _; rewrite esum_scale//; last by move=> z; rewrite mule_ge0 ?lee_fin.
  congr (_ * _); rewrite [RHS](@reindex_esum _ _ _ [set: int] [set: int] (fun c => a - c)%R); last first.
    by rewrite setTT_bijective; exists (fun c => a - c)%R => c; rewrite subKr.
  by apply: eq_esum => c _; rewrite subKr.
rewrite esum_swap; last by move=> a z; rewrite !mule_ge0 ?lee_fin.
rewrite -esum_scale//; last by move=> z; rewrite mule_ge0 ?lee_fin ?dlap_w0.
apply: eq_esum => z _.
transitivity (\esum_(a in [set: int]) (g z * (Z^-1 * Z^-1 * (geo_w b a * geo_w b (a - z)%R))%:E)).
  by apply: eq_esum => a _; rewrite muleA muleC; congr (_ * _); rewrite -!EFinM /p /norm_mass -/Z mulrACA mulrC.
rewrite esum_times//; last by move=> a; rewrite !mulr_ge0 ?geo_w0.
rewrite (eq_esum (b := fun a => (Z^-1 * Z^-1)%:E * (geo_w b a * geo_w b (a - z)%R)%:E)); last by move=> a _; rewrite EFinM.
rewrite esum_scale ?mulr_ge0//; last by move=> a; rewrite lee_fin mulr_ge0 ?geo_w0.
rewrite geo_meet// -/W -(fineK Wfin) -!EFinM muleC [RHS]muleA -EFinM; congr (_%:E * _).
by rewrite fineK// -!mulrA; do 2 congr (_ * _)%R; rewrite mulrC.
Qed.
(* a ~ geometric(b); c ~ geometric(b); C[a - c]  =  z ~ discrete_laplace(0, b); C[z] *)
Theorem difference_law_int (b : R) (g : int -> \bar R) : (forall z, 0 <= g z) ->
  geometric b (fun a => geometric b (fun c => g (a - c)%R)) = discrete_laplace 0 b g.
Proof.
move=> g0; have [b0|nb] := boolP (0 < b)%R; last by rewrite no_geometric// no_discrete_laplace.
have [C C0 core] := difference_core_int b0; rewrite core//.
have L0 : 0 <= total (dlap_w 0 b) by apply: total_ge0 => y; exact: dlap_w0.
have Lfin : total (dlap_w 0 b) \is a fin_num by rewrite ge0_fin_numE ?dlap_finite.
have := core (fun=> 1) (fun=> lee01).
rewrite (_ : geometric b _ = 1); last first.
  by rewrite -[RHS](total_geometric b0); congr (ev (geometric b)); apply/funext => a; exact: total_geometric.
rewrite (eq_esum (b := fun z => (dlap_w 0 b z)%:E)); last by move=> z _; rewrite mule1.
rewrite -/(total (dlap_w 0 b)) -(fineK Lfin) -EFinM => -[one].
have Lne : fine (total (dlap_w 0 b)) != 0%R.
  by apply/eqP => E; move: one; rewrite E mulr0 => /eqP; rewrite oner_eq0.
have -> : C = (fine (total (dlap_w 0 b)))^-1%R by apply: (mulIf Lne); rewrite -one mulVf.
rewrite -esum_scale; last by move=> z; rewrite mule_ge0 ?lee_fin ?dlap_w0.
  by rewrite /= /mev; apply: eq_esum => z _; rewrite muleA -EFinM mulrC.
by rewrite invr_ge0 fine_ge0.
Qed.
End Integers.
