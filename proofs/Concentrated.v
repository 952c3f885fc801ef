(* The concentrated measure (docs/logic.md, section 9): how it compares tests, and what follows from its judgement.  Its rules for programs are those of Compared.v.

   Here too the judgement is dual.  D_alpha(P || Q) <= alpha rho says, by Hoelder's inequality and its converse, that for all tests
   f <= F^(a/(1+a)), where a = alpha - 1, the expectations satisfy P f <= e^(a rho) (Q F)^(a/(1+a)).  A power is the least of its tangents:
   y^(a/(1+a)) is the least of  a/(1+a) e^t y + 1/(1+a) e^(-a t)  over all t (below_power), so "below" needs no powers of expectations, and
   the conversion to epsilon and delta is one of the tangents.  SEQ is composition again, and nothing has to be measurable.

   Read: below, zcdp, cjudge in Compared.v, and the statements of z_equal_outputs, zcdp_order, zcdp_tail. *)
From Probity Require Import PreludeIntegral.
From mathcomp.analysis Require Import derive.
From Probity Require Import Judgement Laws Sampling Density Privacy Compared.
Local Open Scope classical_set_scope.
Local Open Scope ring_scope.
Local Open Scope ereal_scope.

Lemma expR_above (R : realType) (x : R) : (1 + x <= expR x)%R.
Proof.
have [x0|x0] := leP 0%R x; first exact: expR_ge1Dx.
have C : {within `[x, 0%R]%classic, continuous (@expR R)} by apply: continuous_subspaceT => y; exact: continuous_expR.
have [c] := @MVT R (@expR R) (@expR R) x 0%R x0 (fun y _ => is_derive_expR y) C.
rewrite in_itv /= => /andP[_ c0]; rewrite sub0r exp.expR0 => E.
have : (1 - expR x <= - x)%R.
  by rewrite E -[leRHS]mul1r; apply: ler_wpmul2r; [rewrite oppr_ge0 ltW|rewrite ltW// exp.expR_lt1].
by rewrite ler_subl_addr -ler_subl_addl opprK.
Qed.

Section Concentrated.
Variable R : realType.
Implicit Types (a k : R).

Definition tangent a (t : R) (y : \bar R) : \bar R := (a / (1 + a) * expR t)%:E * y + ((1 + a)^-1 * expR (- (a * t)))%:E.
(* x <= e^(-a k) y^(a/(1+a)) *)
Definition below a k (x y : \bar R) := forall t, x <= (expR (- (a * k)))%:E * tangent a t y.

Section Facts.
Variable a : R.
Hypothesis a0 : (0 < a)%R.
Lemma a1_gt0 : (0 < 1 + a)%R. Proof. by rewrite addr_gt0. Qed.
Lemma slope_ge0 t : (0 <= a / (1 + a) * expR t)%R.
Proof. by rewrite mulr_ge0 ?expR_ge0// divr_ge0 ?(ltW a0)// (ltW a1_gt0). Qed.
Lemma rest_ge0 t : (0 <= (1 + a)^-1 * expR (- (a * t)))%R.
Proof. by rewrite mulr_ge0 ?expR_ge0// invr_ge0 (ltW a1_gt0). Qed.
Lemma tangent_ge0 t y : 0 <= y -> 0 <= tangent a t y.
Proof. by move=> y0; rewrite adde_ge0 ?mule_ge0 ?lee_fin ?slope_ge0 ?rest_ge0. Qed.
Lemma tangent_le t x y : x <= y -> tangent a t x <= tangent a t y.
Proof. by move=> xy; rewrite lee_add2r// lee_wpmul2l// lee_fin slope_ge0. Qed.

Lemma below_le k x x' y y' : x' <= x -> y <= y' -> below a k x y -> below a k x' y'.
Proof.
move=> xx yy H t; apply: (le_trans xx); apply: (le_trans (H t)).
by apply: lee_wpmul2l; [rewrite lee_fin expR_ge0|exact: tangent_le].
Qed.
Lemma below_cost k k' x y : (k' <= k)%R -> 0 <= y -> below a k x y -> below a k' x y.
Proof.
move=> kk y0 H t; apply: (le_trans (H t)); apply: lee_wpmul2r; first exact: (tangent_ge0 t y0).
by rewrite lee_fin ler_expR ler_opp2 ler_pmul2l.
Qed.
Lemma below0 k y : 0 <= y -> below a k 0 y.
Proof. by move=> y0 t; rewrite mule_ge0 ?lee_fin ?expR_ge0// tangent_ge0. Qed.
(* 1 <= 1^(a/(1+a)) *)
Lemma below1 : below a 0 1 1.
Proof.
move=> t; rewrite mulr0 oppr0 expR0 mul1e /tangent mule1 -EFinD lee_fin.
have E : ((1 + a) * (a / (1 + a) * expR t + (1 + a)^-1 * expR (- (a * t))) = a * expR t + expR (- (a * t)))%R.
  by rewrite mulrDr !mulrA mulfV ?gt_eqF ?a1_gt0// mul1r [((1 + a) * a)%R]mulrC mulfK ?gt_eqF ?a1_gt0.
rewrite -(ler_pmul2l a1_gt0) E mulr1.
apply: (@le_trans _ _ (a * (1 + t) + (1 - a * t))%R); first by rewrite le_eqVlt; apply/orP; left; apply/eqP; ring.
by apply: ler_add; [rewrite ler_pmul2l//|]; exact: expR_above.
Qed.
(* what "below" says, for positive numbers *)
Theorem below_power k (x y : R) : (0 < y)%R ->
  below a k x%:E y%:E <-> (x <= expR (- (a * k)) * expR (a / (1 + a) * ln y))%R.
Proof.
move=> y0; pose z := (a / (1 + a) * ln y)%R.
have yE : y = expR (ln y) by rewrite lnK.
have tE t : tangent a t y%:E = (expR z * (a / (1 + a) * expR (t + ln y - z) + (1 + a)^-1 * expR (- (a * (t + ln y - z)))))%:E.
  rewrite /tangent -EFinM -EFinD; congr EFin; rewrite mulrDr; congr (_ + _)%R.
    by rewrite expRB expRD lnK// mulrCA [(expR z * _)%R]mulrC divfK ?gt_eqF ?expR_gt0// mulrA.
  rewrite mulrCA -expRD; congr (_ * expR _)%R; rewrite /z.
  have -> : (ln y = (1 + a) * ((1 + a)^-1 * ln y))%R by rewrite mulrA mulfV ?mul1r// gt_eqF// a1_gt0.
  move: ((1 + a)^-1 * ln y)%R => u; rewrite -![(a / (1 + a) * _)%R]mulrA [((1 + a)^-1 * ((1 + a) * u))%R]mulrA mulVf ?gt_eqF ?a1_gt0// mul1r; ring.
split=> [H|H t].
  have := H (z - ln y)%R; rewrite tE subrK subrr mulr0 oppr0 expR0 !mulr1 -EFinM lee_fin.
  by rewrite -[X in (_ + X)%R]mul1r -mulrDl addrC mulfV ?mulr1// gt_eqF// a1_gt0.
rewrite tE -EFinM lee_fin; apply: (le_trans H); apply: ler_wpmul2l; first exact: expR_ge0.
rewrite -[leLHS]mulr1; apply: ler_wpmul2l; first exact: expR_ge0.
by have := below1 (t + ln y - z)%R; rewrite mulr0 oppr0 expR0 mul1e /tangent mule1 -EFinD lee_fin.
Qed.
End Facts.

(* ---- the judgement: tests are compared by "below" ---- *)
Lemma below_top a k x : (0 < a)%R -> below a k x +oo.
Proof.
move=> a0 t; rewrite /tangent gt0_muley ?lte_fin ?mulr_gt0 ?expR_gt0 ?invr_gt0 ?a1_gt0//.
by rewrite addye// gt0_muley ?leey// lte_fin expR_gt0.
Qed.
Lemma below_law a k A (D : law R A) (f F : A -> \bar R) : (0 < a)%R -> (forall y, 0 <= f y) -> (forall y, 0 <= F y) ->
  (forall y, below a k (f y) (F y)) -> below a k (D f) (D F).
Proof.
move=> a0 f0 F0 H t; pose e := expR (- (a * k)); have e0 : (0 <= e)%R := expR_ge0 _.
have sl := slope_ge0 a0 t; have re := rest_ge0 a0 t.
apply: (@le_trans _ _ (D (fun y => e%:E * ((a / (1 + a) * expR t)%:E * F y + ((1 + a)^-1 * expR (- (a * t)))%:E)))).
  by apply: ev_le => // y; exact: H.
rewrite ev_scale//; last by move=> y; rewrite adde_ge0 ?mule_ge0 ?lee_fin.
apply: lee_wpmul2l; first by rewrite lee_fin.
apply: (le_trans (ev_addc _ re _)); first by move=> y; rewrite mule_ge0 ?lee_fin.
by rewrite ev_scale.
Qed.
Definition rho_reading : reading R := @Reading R (fun a => 0 < a)%R below (fun a k y (a0 : (0 < a)%R) => below0 a0 k (y:=y)) below_top below_law.

Section Programs.
Variable S : Type.
Implicit Types (c : stmt R S) (Phi Theta Psi : assn R S).
Definition zjudge c Phi Psi := cjudge rho_reading c Phi Psi.
Definition zstar A a (D D' : law R A) (supp : A -> Prop) (c : R) := cstar rho_reading a D D' supp c.
Theorem z_sample A (D : S -> law R A) u Phi Psi :
  (forall m m' k, Phi m m' k -> exists supp (c : R), (forall a, (0 < a)%R -> zstar a (D m) (D m') supp c) /\
     forall y, supp y -> Psi (u m y) (u m' y) (k + c)%R) ->
  zjudge (Draw D u) Phi Psi.
Proof. exact: (@c_sample R rho_reading). Qed.

(* ---- claims ---- *)
Definition zcdp (O : Type) (out : S -> O) c (rho : R) (m m' : S) := forall a, (0 < a)%R -> forall f F : O -> \bar R,
  (forall o, 0 <= f o) -> (forall o, 0 <= F o) -> (forall o, below a 0 (f o) (F o)) ->
  below a (- rho) (wp c (fun s => f (out s)) m) (wp c (fun s => F (out s)) m').

Theorem z_equal_outputs (O : Type) (out : S -> O) (rho : R) c Phi :
  zjudge c Phi (fun s s' k => out s = out s' /\ (k <= rho)%R) -> forall m m', Phi m m' 0%R -> zcdp out c rho m m'.
Proof.
move=> J m m' HP a a0 f F f0 F0 fF; pose e := expR (- (a * rho)).
have e0 : (0 < e)%R := expR_gt0 _.
pose f' s := e%:E * f (out s).
have f'0 : nneg f' by move=> s; rewrite mule_ge0// lee_fin ltW.
have rel : crelated rho_reading a (fun s s' k => out s = out s' /\ (k <= rho)%R) f' (fun s => F (out s)).
  move=> s s' k [<- kr]; apply: (@below_cost a a0 rho) => //; rewrite /f' => t.
  apply: lee_wpmul2l; first by rewrite lee_fin ltW.
  by have := fF (out s) t; rewrite mulr0 oppr0 expR0 mul1e.
move=> t; have := J a a0 f' (fun s => F (out s)) f'0 (fun s => F0 _) rel m m' 0%R HP t; rewrite mulr0 oppr0 expR0 mul1e => H.
apply: (@le_trans _ _ (e^-1%:E * wp c f' m)).
  apply: (le_trans _ (wp_scale (_ : 0 <= e^-1)%R c f'0 m)); last by rewrite invr_ge0 ltW.
  apply: wp_le => [s|s]; first exact: f0.
  by rewrite /f' muleA -EFinM mulVf ?gt_eqF// mul1e.
apply: (@le_trans _ _ (e^-1%:E * tangent a t (wp c (fun s => F (out s)) m'))).
  by apply: lee_wpmul2l => //; rewrite lee_fin invr_ge0 ltW.
by rewrite /e -expRN opprK mulrN opprK.
Qed.

Lemma ind_below a (P : S -> Prop) s : (0 < a)%R -> below a 0 (ind R P s) (ind R P s).
Proof. by move=> a0; rewrite /ind; case: ifP => _; [exact: below1|exact: below0]. Qed.

(* ZCDP-ORDER, with the order 1 + a *)
Definition order_delta a (rho eps : R) : R :=
  (expR (a * ((1 + a) * rho - eps)) * (expR (a * ln (a / (1 + a))) / (1 + a)))%R.
Theorem zcdp_order (O : Type) (out : S -> O) c (rho eps : R) m m' a : (0 < a)%R ->
  zcdp out c rho m m' -> dp out c eps (order_delta a rho eps) m m'.
Proof.
move=> a0 H E; have a1 := a1_gt0 a0.
pose g o : \bar R := if `[< E o >] then 1 else 0.
have g0 o : 0 <= g o by rewrite /g; case: ifP => _; [exact: lee01|exact: lexx].
have gg o : below a 0 (g o) (g o) by rewrite /g; case: ifP => _; [exact: below1|exact: below0].
have q0 : (0 < a / (1 + a))%R by rewrite divr_gt0.
pose t := (eps - a * rho - ln (a / (1 + a)))%R.
have := H a a0 g g g0 g0 gg t; rewrite /tangent mulrN opprK.
have qE : (a / (1 + a) = expR (ln (a / (1 + a))))%R by rewrite lnK.
have e0 : (0 <= expR (a * rho))%R := expR_ge0 _.
have w0 : 0 <= wp c (fun s => g (out s)) m' by apply: wp_ge0 => s; exact: g0.
rewrite ge0_muleDr; [|by rewrite mule_ge0// lee_fin mulr_ge0 ?expR_ge0// ltW|by rewrite lee_fin rest_ge0].
rewrite muleA -!EFinM.
have -> : (expR (a * rho) * (a / (1 + a) * expR t) = expR eps)%R.
  by rewrite qE -!expRD; congr expR; rewrite /t; ring.
suff -> : (expR (a * rho) * ((1 + a)^-1 * expR (- (a * t))) = order_delta a rho eps)%R by [].
rewrite /order_delta mulrCA mulrA [RHS]mulrA [RHS]mulrC -expRD -mulrA -expRD; congr (_ * expR _)%R.
by rewrite /t; ring.
Qed.
Lemma order_delta_le a (rho eps : R) : (0 < a)%R -> (order_delta a rho eps <= expR (a * ((1 + a) * rho - eps)) / (1 + a))%R.
Proof.
move=> a0; have a1 := a1_gt0 a0; rewrite /order_delta; apply: ler_wpmul2l; first exact: expR_ge0.
rewrite -[leRHS]mul1r; apply: ler_wpmul2r; first by rewrite invr_ge0 ltW.
rewrite -[leRHS]expR0 ler_expR pmulr_rle0// -ler_expR lnK ?expR0; last by rewrite posrE divr_gt0.
by rewrite ler_pdivr_mulr// mul1r ler_addr.
Qed.
(* ZCDP-TAIL *)
Theorem zcdp_tail (O : Type) (out : S -> O) c (rho eps delta : R) m m' : (0 < delta)%R -> (rho <= eps)%R ->
  (4%:R * rho * ln delta^-1 <= (eps - rho) ^+ 2)%R -> zcdp out c rho m m' -> dp out c eps delta m m'.
Proof.
move=> d0 re tail Z.
have by_order a : (0 < a)%R -> (expR (a * ((1 + a) * rho - eps)) / (1 + a) <= delta)%R -> dp out c eps delta m m'.
  by move=> a0 h; apply: (any_delta (le_trans (order_delta_le rho eps a0) h)); exact: zcdp_order.
have [r0|r0] := leP rho 0%R.
  (* a large order *)
  pose a := (delta^-1 + `|eps / rho|)%R.
  have a0 : (0 < a)%R by rewrite ltr_paddr ?invr_gt0.
  apply: (by_order a a0); have a1 := a1_gt0 a0.
  have small : ((1 + a) * rho - eps <= 0)%R.
    rewrite subr_le0; have [z|rn] := eqVneq rho 0%R; first by rewrite z mulr0; move: re; rewrite z.
    have rneg : (rho < 0)%R by rewrite lt_neqAle rn.
    apply: (@le_trans _ _ ((eps / rho) * rho)%R); last by rewrite divfK.
    rewrite ler_nmul2r// /a; apply: (le_trans (ler_norm _)).
    by rewrite addrA ler_addr addr_ge0// invr_ge0 ltW.
  rewrite ler_pdivr_mulr//; apply: (@le_trans _ _ 1%R).
    by rewrite -[leRHS]expR0 ler_expR pmulr_rle0.
  apply: (@le_trans _ _ (delta * delta^-1)%R); first by rewrite mulfV ?gt_eqF.
  by rewrite ler_pmul2l// /a addrCA ler_addl addr_ge0.
have [E|ne] := eqVneq eps rho.
  (* delta is at least 1 *)
  move: tail; rewrite E subrr expr0n /= pmulr_rle0; last by rewrite mulr_gt0.
  rewrite lnV// oppr_le0 -ler_expR expR0 lnK// => d1 X.
  apply: (@le_trans _ _ 1); first exact: (@wp_le1 R S c _ (@ind_ge0 R S _) (@ind_le1 R S _) m).
  apply: (@le_trans _ _ delta%:E); first by rewrite lee_fin.
  by rewrite lee_addr// mule_ge0 ?lee_fin ?expR_ge0//; apply: wp_ge0; exact: ind_ge0.
have er : (0 < eps - rho)%R by rewrite subr_gt0 lt_neqAle eq_sym ne.
have r2 : (0 < rho *+ 2)%R by rewrite pmulrn_lgt0.
pose a := ((eps - rho) / (rho *+ 2))%R; have a0 : (0 < a)%R by rewrite divr_gt0.
apply: (by_order a a0); have a1 := a1_gt0 a0.
apply: (@le_trans _ _ (expR (a * ((1 + a) * rho - eps)))).
  by rewrite ler_pdivr_mulr// ler_pemulr ?expR_ge0// ler_addl ltW.
rewrite -[leRHS]lnK// ler_expR.
have aE : (a * (rho *+ 2) = eps - rho)%R by rewrite /a divfK// gt_eqF.
have exponent : ((a * ((1 + a) * rho - eps)) * (4%:R * rho) = - (eps - rho) ^+ 2)%R.
  have -> : (eps = a * (rho *+ 2) + rho)%R by rewrite aE subrK.
  by ring.
have r4 : (0 < 4%:R * rho)%R by rewrite mulr_gt0.
rewrite -(ler_pmul2r r4) exponent ler_oppl; apply: le_trans tail.
by rewrite lnV// mulrC mulrN.
Qed.
End Programs.
End Concentrated.
