(* Gumbel noise: its law, normalised (total_gumbel); GUMGEN (gumgen), which moves it up; and GUMBEL-LAW (gumbel_law, with an exponential draw gumbel_law_exponential), -ln(-ln(u)) of a
   uniform u.

   With v = e^-z the density exp(-z - exp(-z)) dz is e^-v dv, so that all of this is the change of variable of Logarithm.v, for all tests.  gumbel_step carries GUMBEL-LAW through the program
   around, in whatever block the draw stands; gumbel_inverse is the law with any center and scale, as the language defines it.  Read: gum_w, gumgen, gumbel_law, gumbel_step. *)
From Probity Require Import PreludeIntegral Judgement Laws Sampling Density Continuous Logarithm Centered TwoSided Branches.
From Probity Require Rules.
Local Open Scope classical_set_scope.
Local Open Scope ring_scope.
Local Open Scope ereal_scope.

(* what is in step may stand in a while *)
Lemma step_while (R : realType) (S S' : Type) (T : S -> S' -> Prop) g g' (c : stmt R S) (c' : stmt R S') :
  (forall s s', T s s' -> g s = g' s') -> in_step T c c' T -> in_step T (While g c) (While g' c') T.
Proof.
move=> Hg Hc f f' f0 f1 f'0 f'1 ff s s' st /=; congr ereal_sup; apply/seteqP.
have U (X : Type) (a : X -> bool) (b : stmt R X) (h : X -> \bar R) n : nneg h -> le1 h -> nneg (unroll n a (wp b) h) /\ le1 (unroll n a (wp b) h).
  move=> h0 h1; elim: n => [|n [IH0 IH1]]; first by split=> t /=; [exact: lexx|exact: lee01].
  by split=> t /=; case: (a t) => //; [exact: wp_ge0|exact: wp_le1].
have E n : forall s s', T s s' -> unroll n g (wp c) f s = unroll n g' (wp c') f' s'.
  elim: n => [|n IH] t t' tt //=; rewrite (Hg t t' tt); case: (g' t'); last exact: ff.
  have [a0 a1] := U S g c f n f0 f1; have [b0 b1] := U S' g' c' f' n f'0 f'1.
  exact: (Hc _ _ a0 a1 b0 b1 IH _ _ tt).
by split=> _ [n _ <-]; exists n => //; rewrite (E n s s').
Qed.

Section Gumbel.
Variable R : realType.
Notation T := (measurableTypeR R).
Let leb : {measure set T -> \bar R} := [the measure _ _ of @lebesgue_measure R].
Implicit Types (e b : R).

Definition gum_w e b (y : T) : R := if (0 < b)%R then expR (- (((y : R) - e) / b) - expR (- (((y : R) - e) / b)))%R else 0%R.
Lemma gum_w0 e b y : (0 <= gum_w e b y)%R.
Proof. by rewrite /gum_w; case: ifP => // _; exact: expR_ge0. Qed.
Lemma gum_w_meas e b : measurable_fun setT (gum_w e b).
Proof.
rewrite /gum_w; case: (0 < b)%R; last exact: measurable_fun_cst.
have mz : measurable_fun setT ((fun y => - ((y - e) / b))%R : T -> T).
  rewrite (_ : (fun y => _) = (fun y => (- b^-1) * (y - e))%R); last by apply/funext => y; rewrite mulNr mulrC.
  by apply: measurable_funrM; exact: mshift.
apply: (measurable_fun_comp (@mexp R)); apply: measurable_funD => //.
by apply: measurable_funN; apply: (measurable_fun_comp (@mexp R)).
Qed.
Definition gumbel e b : law R T := wdlaw leb (gum_w0 e b) (gum_w_meas e b).

(* v = e^-z *)
Lemma gum_change (g : T -> \bar R) : (forall z, 0 <= g z) ->
  \int[leb]_v ((exp_w 1 v)%:E * g (ln v)) = \int[leb]_z ((gum_w 0 1 z)%:E * g (- z)%R).
Proof.
move=> g0; rewrite exp_side; last by move=> v; exact: g0.
pose G (x : T) := (expR (x - expR x))%:E * g x.
have G0 x : 0 <= G x by rewrite mule_ge0 ?lee_fin ?expR_ge0.
transitivity (\int[leb]_z G z); last first.
  rewrite -[RHS]low_neg; last by move=> z; rewrite mule_ge0 ?lee_fin ?gum_w0.
  by apply: eq_integral => z _; rewrite /G /gum_w ltr01 subr0 divr1 !opprK.
rewrite -(change G0); apply: eq_integral => u _; rewrite /cutg /inv_w /=; case: asboolP => u0; last first.
  by rewrite ifF ?mul0e//; exact/negP.
rewrite ifT// /G lnK ?qualifE// muleA -EFinM expRD lnK ?qualifE// mulrA mulVf ?gt_eqF// mul1r.
by rewrite /lap_w ltr01 subr0 divr1 ger0_norm// ltW.
Qed.
Lemma gum_one : wtotal leb (gum_w 0 1) = 1.
Proof.
rewrite -(exp_one R) /wtotal.
transitivity (\int[leb]_z ((gum_w 0 1 z)%:E * (fun=> 1) (- z)%R)); first by apply: eq_integral => z _; rewrite mule1.
rewrite -(@gum_change (fun=> 1)); last by move=> z; exact: lee01.
by apply: eq_integral => v _; rewrite mule1.
Qed.

(* GUMBEL-LAW: u ~ exponential(1); C[ln(u)]  =  z ~ gumbel(0, 1); C[-z] *)
Theorem gumbel_law_exponential (g : R -> \bar R) : (forall z, 0 <= g z) ->
  exponential 1 (fun u => g (ln u)) = gumbel 0 1 (fun z => g (- z)%R).
Proof.
move=> g0; rewrite /= /dev; transitivity (\int[leb]_v ((exp_w 1 v)%:E * g (ln v))).
  by apply: eq_integral => v _; rewrite /wp_ exp_one divr1.
by rewrite gum_change//; apply: eq_integral => z _; rewrite /wp_ gum_one divr1.
Qed.
(* u ~ uniform(0, 1); C[ln(-ln(u))]  =  z ~ gumbel(0, 1); C[-z] *)
Theorem gumbel_law (g : R -> \bar R) : (forall z, 0 <= g z) ->
  @uniform R (fun u => g (ln (- ln u))) = gumbel 0 1 (fun z => g (- z)%R).
Proof.
move=> g0; transitivity (ev (exponential 1) (fun z : R => g (ln (- - z)%R))).
  exact (@exponential_law R (fun x => g (ln (- x)%R)) (fun x => g0 _)).
transitivity (ev (exponential 1) (fun u : R => g (ln u))); last exact (gumbel_law_exponential g0).
by apply: (f_equal (ev (exponential 1))); apply/funext => z; rewrite opprK.
Qed.

(* in a program: T' after the draws, if the one has u and the other z = -ln(-ln(u)) *)
Theorem gumbel_step (S S' : Type) (Q Q' : S -> S' -> Prop) (set_u : S -> R -> S) (set_z : S' -> R -> S') :
  (forall s s' u, Q s s' -> Q' (set_u s u) (set_z s' (- ln (- ln u))%R)) ->
  in_step Q (Draw (fun=> @uniform R) set_u) (Draw (fun=> gumbel 0 1) set_z) Q'.
Proof.
move=> QQ f f' f0 f1 f'0 f'1 ff s s' q.
transitivity (ev (@uniform R) (fun u : R => f' (set_z s' (- ln (- ln u))%R))).
  by apply: (f_equal (ev (@uniform R))); apply/funext => u; apply: ff; exact: QQ.
transitivity (ev (gumbel 0 1) (fun z : R => f' (set_z s' (- - z)%R))).
  exact (@gumbel_law (fun x => f' (set_z s' (- x)%R)) (fun x => f'0 _)).
by apply: (f_equal (ev (gumbel 0 1))); apply/funext => z; rewrite opprK.
Qed.
Theorem gumbel_step_exponential (S S' : Type) (Q Q' : S -> S' -> Prop) (set_u : S -> R -> S) (set_z : S' -> R -> S') :
  (forall s s' u, Q s s' -> Q' (set_u s u) (set_z s' (- ln u)%R)) ->
  in_step Q (Draw (fun=> @exponential R 1) set_u) (Draw (fun=> gumbel 0 1) set_z) Q'.
Proof.
move=> QQ f f' f0 f1 f'0 f'1 ff s s' q.
transitivity (ev (@exponential R 1) (fun u : R => f' (set_z s' (- ln u)%R))).
  by apply: (f_equal (ev (@exponential R 1))); apply/funext => u; apply: ff; exact: QQ.
transitivity (ev (gumbel 0 1) (fun z : R => f' (set_z s' (- - z)%R))).
  exact (@gumbel_law_exponential (fun x => f' (set_z s' (- x)%R)) (fun x => f'0 _)).
by apply: (f_equal (ev (gumbel 0 1))); apply/funext => z; rewrite opprK.
Qed.

(* any center and scale *)
Lemma gum_affine e b (z : T) : (0 < b)%R -> gum_w 0 1 z = gum_w e b (e + b * z)%R.
Proof. by move=> b0; rewrite /gum_w b0 ltr01 subr0 divr1 addrAC subrr add0r mulrAC mulfV ?gt_eqF// mul1r. Qed.
Lemma gum_total e b : (0 < b)%R -> wtotal leb (gum_w e b) = b%:E.
Proof.
move=> b0; have bn : (b != 0)%R by rewrite gt_eqF.
have H : \int[leb]_z (gum_w e b (e + b * z)%R)%:E = `|b|^-1%:E * wtotal leb (gum_w e b).
  by apply: (@low_affine R e b (fun y => (gum_w e b y)%:E)) => // y; rewrite lee_fin gum_w0.
have one : \int[leb]_z (gum_w e b (e + b * z)%R)%:E = 1.
  by rewrite -gum_one; apply: eq_integral => z _; rewrite (gum_affine e z b0).
move: H; rewrite one gtr0_norm// => /(congr1 (fun x => b%:E * x)).
by rewrite mule1 muleA -EFinM mulfV// mul1e.
Qed.
Theorem total_gumbel e b : (0 < b)%R -> gumbel e b (fun=> 1) = 1.
Proof. by move=> b0; apply: wdlaw_total; rewrite gum_total// ?lte_fin// ltry. Qed.
(* e - b ln(-ln(u)), as the language defines the law *)
Theorem gumbel_inverse e b (g : R -> \bar R) : (0 < b)%R -> (forall y, 0 <= g y) ->
  gumbel e b g = @uniform R (fun u => g (e - b * ln (- ln u))%R).
Proof.
move=> b0 g0; transitivity (ev (gumbel 0 1) (fun z : R => g (e + b * z)%R)).
  apply/esym; apply: (@affine_weight R _ _ (gum_w0 0 1) (gum_w_meas 0 1) (gum_w0 e b) (gum_w_meas e b) e b g _ _ g0).
    by rewrite gt_eqF.
  by move=> z; exact: gum_affine.
transitivity (ev (gumbel 0 1) (fun z : R => g (e - b * - z)%R)).
  by apply: (f_equal (ev (gumbel 0 1))); apply/funext => z; rewrite mulrN opprK.
exact (esym (@gumbel_law (fun x => g (e - b * x)%R) (fun x => g0 _))).
Qed.

(* GUMGEN *)
Lemma gum_shift (e e' k b c : R) (y : T) : (0 < b)%R -> (0 <= k + e - e')%R -> (k + e - e' <= c * b)%R ->
  (wp_ leb (gum_w e b) y * expR (- c) <= wp_ leb (gum_w e' b) (y + k)%R)%R.
Proof.
move=> b0 up near; rewrite /wp_ !gum_total//= mulrAC; apply: ler_wpmul2r; first by rewrite invr_ge0 ltW.
rewrite /gum_w b0 -expRD ler_expR.
have E : ((y + k - e') / b = (y - e) / b + (k + e - e') / b)%R by rewrite -mulrDl; congr (_ / _)%R; ring.
rewrite E; set z := ((y - e) / b)%R; set t := ((k + e - e') / b)%R.
have t0 : (0 <= t)%R by rewrite divr_ge0// ltW.
have tc : (t <= c)%R by rewrite ler_pdivr_mulr.
have tz : (expR (- (z + t)) <= expR (- z))%R by rewrite ler_expR ler_opp2 ler_addl.
rewrite [X in (_ <= X - _)%R]opprD -addrA -[leRHS]addrA ler_add2l [leLHS]addrC.
by apply: ler_add; rewrite ler_opp2.
Qed.

Lemma gum_star (e e' k b c : R) : (0 < b)%R -> (0 <= k + e - e')%R -> (k + e - e' <= c * b)%R ->
  Rules.star (gumbel e b) (gumbel e' b) (fun=> True) (fun y => y + k)%R (fun=> c).
Proof.
move=> b0 up near f F f0 F0 HfF; rewrite /= /dev.
pose p x y := wp_ leb (gum_w x b) y; have p0 x y : (0 <= p x y)%R by apply: wp_ge0_ => z; exact: gum_w0.
have step y : (p e y)%:E * f y <= (p e' (y + k)%R)%:E * F (y + k)%R.
  apply: (@le_trans _ _ ((p e y)%:E * ((expR (- c))%:E * F (y + k)%R))).
    by apply: lee_wpmul2l; [rewrite lee_fin|exact: HfF].
  have le : (p e y * expR (- c))%:E <= (p e' (y + k)%R)%:E by rewrite lee_fin; exact: gum_shift.
  move: (p e y) (p e' (y + k)%R) (F (y + k)%R) (F0 (y + k)%R) le => P P' G G0 le.
  by rewrite muleA -EFinM; exact: lee_wpmul2r.
apply: le_trans (@low_shift_le _ k (fun y => (p e' y)%:E * F y) _); last by move=> y; rewrite mule_ge0// lee_fin.
by apply: low_le => y; [rewrite mule_ge0// lee_fin; exact: p0|exact: step].
Qed.

Section Rule.
Variables (S : Type) (center scale_of : S -> R) (u : S -> R -> S) (Psi : assn R S).
Theorem gumgen (k c : S -> S -> R -> R) :
  judge 0 (Draw (fun s => gumbel (center s) (scale_of s)) u)
    (fun s s' j => [/\ (0 < scale_of s)%R, scale_of s = scale_of s', (0 <= k s s' j + center s - center s')%R,
       (k s s' j + center s - center s' <= c s s' j * scale_of s)%R &
       forall y, Psi (u s y) (u s' (y + k s s' j)%R) (j + c s s' j)%R]) Psi.
Proof.
apply: Rules.sample => m m' j [b0 bb up near HP].
exists (fun=> True), (fun y => y + k m m' j)%R, (fun=> c m m' j); split=> [|y _]; last exact: HP.
by rewrite -bb; exact: gum_star.
Qed.
End Rule.
End Gumbel.
