(* Losses bounded in both directions, in the concentrated measure, for one draw of any kind: BOUNDED-RATIO (bounded_ratio of trusted/kernel/src/rules/finite.rs), and CALL-PURE (price of rules/call.rs) for
   mechanisms that draw reals (z_called_pure_reals).

   Of a law that is countably additive on a class E of sets nothing more is known: no density.  But a test F of which all level sets are in E is, up to a factor e^t, a test with countably many values
   (grid), the masses of its values compare as the laws do, and t is as small as one likes.  So the theorem is one about tests F of that kind (zjudge_for): the Borel ones, if the mechanism draws reals
   (level_borel), and z_seq_for puts such judgements together.  Read: bounded_ratio, additive_on, level_sets, zjudge_for, z_called_pure_reals. *)
From Probity Require Import PreludeIntegral Judgement Laws Additive Finite Privacy Compared Concentrated Bounded Called.
Local Open Scope classical_set_scope.
Local Open Scope ring_scope.
Local Open Scope ereal_scope.

Lemma both_ways (R : realType) (d c : R) : (d * d <= 2%:R * c)%R -> ((d - - d) ^+ 2 <= 8%:R * c)%R.
Proof.
move=> h; rewrite (_ : (d - - d) ^+ 2 = 4%:R * (d * d))%R; last by ring.
rewrite (_ : 8%:R * c = 4%:R * (2%:R * c))%R; last by ring.
by apply: ler_wpmul2l.
Qed.

(* ---- BOUNDED-RATIO ---- *)
Section BoundedRatio.
Variables (R : realType) (S : Type) (A : choiceType).
Definition share (D : law R A) (v : A) : R := fine (D (@one_at R A v)).
Lemma flaw_fine (ok : bool) (ws : seq (R * A)) : flaw ok ws (fun=> 1) = 1 -> fine_list ok ws.
Proof. by rewrite /= /fev; case: ifP => // _ /eqP; rewrite eq_sym onee_eq0. Qed.
Lemma flaw_share (ok : bool) (ws : seq (R * A)) v : fine_list ok ws -> share (flaw ok ws) v = (\sum_(x <- ws | x.2 == v) x.1)%R.
Proof.
move=> ow; rewrite /share flawE// -[RHS]/(fine (_ : R)%:E); congr fine; rewrite -sumEFin [RHS]big_mkcond.
by apply: eq_bigr => x _; rewrite /one_at; case: ifP => _; rewrite ?mule1 ?mule0.
Qed.
Lemma flaw_shares (ok : bool) (ws : seq (R * A)) (vs : seq A) f : fine_list ok ws -> uniq vs -> {subset [seq x.2 | x <- ws] <= vs} -> (forall v, 0 <= f v) ->
  flaw ok ws f = \sum_(v <- vs) (share (flaw ok ws) v)%:E * f v.
Proof.
move=> ow uvs sub f0; under [RHS]eq_bigr do rewrite flaw_share//.
have w0 : all (fun x => 0 <= x.1)%R ws by case/and3P: ow.
rewrite (@regroup R A A id ws vs f w0 f0 uvs) flawE// [in RHS]big_seq_cond big_seq; apply: eq_bigl => x.
case: (boolP (x \in ws)) => //= xw; apply/esym; apply: sub; exact: map_f.
Qed.
Lemma flaw_share_ge0 ok ws v : (0 <= share (@flaw R A ok ws) v)%R.
Proof. by apply: fine_ge0; apply: ev_ge0 => x; rewrite /one_at; case: ifP => _; rewrite ?lee01. Qed.

Theorem bounded_ratio (ok : S -> bool) (ws : S -> seq (R * A)) (u : S -> A -> S) (d c : S -> S -> R -> R) (Psi : assn R S) :
  let P s := share (flaw (ok s) (ws s)) in
  zjudge (Draw (fun s => flaw (ok s) (ws s)) u)
    (fun s s' j => [/\ flaw (ok s) (ws s) (fun=> 1) = 1 /\ flaw (ok s') (ws s') (fun=> 1) = 1,
       forall v, (P s v <= expR (d s s' j) * P s' v)%R, forall v, (P s' v <= expR (d s s' j) * P s v)%R,
       (d s s' j * d s s' j <= 2%:R * c s s' j)%R &
       forall v, (0 < P s v)%R -> Psi (u s v) (u s' v) (j + c s s' j)%R]) Psi.
Proof.
move=> P; apply: z_sample => m m' j [[total total'] near near' enough HP].
exists (fun v => 0 < P m v)%R, (c m m' j); split=> [a a0|v pv]; last exact: HP.
have fm := flaw_fine total; have fm' := flaw_fine total'.
pose vs := undup ([seq x.2 | x <- ws m] ++ [seq x.2 | x <- ws m']).
have sub : {subset [seq x.2 | x <- ws m] <= vs} by move=> v vin; rewrite mem_undup mem_cat vin.
have sub' : {subset [seq x.2 | x <- ws m'] <= vs} by move=> v vin; rewrite mem_undup mem_cat vin orbT.
apply: (@zstar_range R a (c m m' j) (- d m m' j)%R (d m m' j) _ _ _ _ (summation_list R vs) a0 (both_ways enough) _ _ id _ (P m) (P m')) => //.
- by move=> f f0; apply: flaw_shares => //; exact: undup_uniq.
- by move=> f f0; apply: flaw_shares => //; exact: undup_uniq.
- by move=> v; exact: flaw_share_ge0.
- by move=> v; exact: flaw_share_ge0.
- move=> v; have := ler_wpmul2l (expR_ge0 (- d m m' j)) (near' v).
  by rewrite mulrA -expRD addNr expR0 mul1r.
- by move=> v vn; rewrite lt_neqAle eq_sym vn flaw_share_ge0.
Qed.
End BoundedRatio.

(* ---- tests with countably many values ---- *)
Section Grid.
Variable R : realType.
Implicit Types (t : R) (y : \bar R).
Definition grid t y : option (option int) :=
  if y == 0 then None else if y == +oo then Some None else Some (Some (floor (ln (fine y) / t))).
Definition step t (i : option (option int)) : \bar R :=
  match i with None => 0 | Some None => +oo | Some (Some n) => (expR (n%:~R * t))%:E end.
Lemma step_ge0 t i : 0 <= step t i.
Proof. by case: i => [[n|]|] //=; rewrite ?lee_fin ?expR_ge0// leey. Qed.
Lemma grid_near t y : (0 < t)%R -> 0 <= y -> step t (grid t y) <= y /\ y <= (expR t)%:E * step t (grid t y).
Proof.
move=> t0 y0; rewrite /grid; case: eqP => [->|yn0]; first by rewrite /= mule0.
case: eqP => [->|yoo]; first by rewrite /= gt0_muley ?lte_fin ?expR_gt0// leey.
case: y y0 yn0 yoo => [x| |] // x0 xn0 _ /=.
have xp : (0 < x)%R by rewrite lt_neqAle eq_sym -lee_fin x0 andbT; apply/eqP => E; apply: xn0; rewrite E.
rewrite -EFinM !lee_fin -expRD; set n := floor _.
have lo : (n%:~R <= ln x / t)%R := floor_le _.
have hi : (ln x / t <= n%:~R + 1)%R := ltW (lt_succ_floor _).
rewrite -{1 2}(lnK xp) !ler_expR; split; first by rewrite -ler_pdivl_mulr.
by rewrite -[(t + _)%R]addrC -{2}[t]mul1r -mulrDl -ler_pdivr_mulr.
Qed.
Lemma grid_inv t y n : (0 < t)%R -> 0 <= y -> grid t y = Some (Some n) <-> (expR (n%:~R * t))%:E <= y < (expR ((n + 1)%:~R * t))%:E.
Proof.
move=> t0 y0; rewrite /grid; case: eqP => [->|yn0].
  by split=> // /andP[]; rewrite lee_fin leNgt expR_gt0.
case: eqP => [->|yoo]; first by split=> // /andP[_].
case: y y0 yn0 yoo => [x| |] // x0 xn0 _ /=.
have xp : (0 < x)%R by rewrite lt_neqAle eq_sym -lee_fin x0 andbT; apply/eqP => E; apply: xn0; rewrite E.
rewrite lee_fin lte_fin -{2 3}(lnK xp) ler_expR ltr_expR -ler_pdivl_mulr// -ltr_pdivr_mulr//.
have -> : ((n + 1)%:~R = n%:~R + 1 :> R)%R by rewrite rmorphD.
split=> [[<-]|/andP[lo hi]]; first by rewrite floor_le lt_succ_floor.
congr (Some (Some _)); apply/eqP; rewrite eq_le -![(_ <= _ :> int)%R]ltz_addr1 -!(ltr_int R) !rmorphD /=.
by rewrite (le_lt_trans (floor_le _) hi) (le_lt_trans lo (lt_succ_floor _)).
Qed.
End Grid.

Section Pure.
Variables (R : realType) (S O : Type) (E : (O -> Prop) -> Prop).
(* countably additive on the sets of E: a test that is constant on countably many of them *)
Definition additive_on (D : law R O) := forall (k : O -> option (option int)) (g : option (option int) -> \bar R), (forall i, E (fun o => k o = i)) -> (forall i, 0 <= g i) ->
  D (fun o => g (k o)) = \esum_(i in [set: option (option int)]) (D (charf R (fun o => k o = i)) * g i).
Definition level_sets (F : O -> \bar R) := forall x y : \bar R, E (fun o => x <= F o < y) /\ E (fun o => x <= F o <= y).
Lemma level_grid (F : O -> \bar R) t i : (0 < t)%R -> (forall o, 0 <= F o) -> level_sets F -> E (fun o => grid t (F o) = i).
Proof.
move=> t0 F0 lF; case: i => [[n|]|].
- rewrite (_ : (fun o => grid t (F o) = Some (Some n)) = fun o => (expR (n%:~R * t))%:E <= F o < (expR ((n + 1)%:~R * t))%:E); first exact: (lF _ _).1.
  by apply/funext => o; apply: propext; exact: grid_inv.
- rewrite (_ : (fun o => grid t (F o) = Some None) = fun o => +oo <= F o <= +oo); first exact: (lF _ _).2.
  apply/funext => o; apply: propext; rewrite /grid leey andbT leye_eq; case: (F o =P 0) => [->|_]; first by split.
  by case: (F o =P +oo).
- rewrite (_ : (fun o => grid t (F o) = None) = fun o => 0 <= F o <= 0); first exact: (lF _ _).2.
  apply/funext => o; apply: propext; rewrite /grid -eq_le; case: (eqVneq (F o) 0) => [//|_].
  by case: ifP.
Qed.

(* the judgement for tests F of a class *)
Definition zjudge_for (G : (S -> \bar R) -> Prop) (c : stmt R S) (Phi Psi : assn R S) := forall a, (0 < a)%R -> forall f F, nneg f -> nneg F -> G F ->
  crelated (rho_reading R) a Psi f F -> forall m m' k, Phi m m' k -> below a k (wp c f m) (wp c F m').
Lemma zjudge_any G c Phi Psi : zjudge c Phi Psi -> zjudge_for G c Phi Psi.
Proof. by move=> J a a0 f F f0 F0 _; exact: J. Qed.
Theorem z_seq_for (G G' : (S -> \bar R) -> Prop) c d Phi Theta Psi : (forall F, nneg F -> G F -> G' (wp d F)) ->
  zjudge_for G' c Phi Theta -> zjudge_for G d Theta Psi -> zjudge_for G (Seq c d) Phi Psi.
Proof.
move=> keeps Jc Jd a a0 f F f0 F0 gF H; apply: (Jc a a0 (wp d f) (wp d F)); [exact: wp_ge0|exact: wp_ge0|exact: keeps|].
exact: Jd.
Qed.
(* what is released, for tests F of what is released *)
Theorem z_outputs_for (good : (O -> \bar R) -> Prop) (out : S -> O) (rho : R) c Phi :
  zjudge_for (fun F => exists2 g, good g & F = fun s => g (out s)) c Phi (fun s s' k => out s = out s' /\ (k <= rho)%R) ->
  forall m m', Phi m m' 0%R -> forall a, (0 < a)%R -> forall f F : O -> \bar R, (forall o, 0 <= f o) -> (forall o, 0 <= F o) -> good F -> (forall o, below a rho (f o) (F o)) ->
  below a 0 (wp c (fun s => f (out s)) m) (wp c (fun s => F (out s)) m').
Proof.
move=> J m m' HP a a0 f F f0 F0 gF fF; apply: (J a a0) => //; first by exists F.
by move=> s s' k [<- kr]; apply: (below_cost a0 kr).
Qed.

(* the law of k(y) *)
Section Pushed.
Variables (I : Type) (D : law R O) (k : O -> I).
Definition pushed_ev (f : I -> \bar R) := D (fun o => f (k o)).
Lemma pushed_ge0 f : (forall i, 0 <= f i) -> 0 <= pushed_ev f. Proof. by move=> f0; apply: ev_ge0. Qed.
Lemma pushed_le f g : (forall i, 0 <= f i) -> (forall i, f i <= g i) -> pushed_ev f <= pushed_ev g. Proof. by move=> f0 fg; apply: ev_le. Qed.
Lemma pushed_scale (x : R) f : (0 <= x)%R -> (forall i, 0 <= f i) -> pushed_ev (fun i => x%:E * f i) = x%:E * pushed_ev f.
Proof. by move=> x0 f0; apply: (ev_scale D x0). Qed.
Lemma pushed_addc (x : R) f : (0 <= x)%R -> (forall i, 0 <= f i) -> pushed_ev (fun i => f i + x%:E) <= pushed_ev f + x%:E.
Proof. by move=> x0 f0; apply: (ev_addc D x0). Qed.
Definition pushed : law R I := Law pushed_ge0 pushed_le pushed_scale pushed_addc.
End Pushed.

Lemma tangent_move a t w (y : \bar R) : (0 < a)%R -> (0 <= t)%R -> 0 <= y -> tangent a (w - t) ((expR t)%:E * y) <= (expR (a * t))%:E * tangent a w y.
Proof.
move=> a0 t0 y0; rewrite /tangent muleA -EFinM.
have e1 : (1 <= expR (a * t))%R by rewrite -[leLHS]expR0 ler_expR mulr_ge0// ltW.
have s0 := slope_ge0 a0 w; have r0 := rest_ge0 a0 w.
rewrite ge0_muleDr; [|by rewrite mule_ge0 ?lee_fin|by rewrite lee_fin].
apply: lee_add.
  rewrite muleA -EFinM; apply: lee_wpmul2r => //; rewrite lee_fin -[(a / (1 + a) * expR (w - t) * expR t)%R]mulrA -expRD subrK.
  by rewrite -[leLHS]mul1r; apply: ler_wpmul2r.
rewrite -EFinM lee_fin mulrCA -expRD le_eqVlt; apply/orP; left; apply/eqP; congr (_ * expR _)%R; ring.
Qed.
Lemma no_factor (x z : \bar R) a : (0 < a)%R -> 0 <= z -> (forall t, (0 < t)%R -> x <= (expR (a * t))%:E * z) -> x <= z.
Proof.
move=> a0; case: z => [z| |]; rewrite ?leey// lee_fin => z0 H.
have := H a^-1%R; rewrite invr_gt0 a0 mulfV ?gt_eqF// => /(_ isT); case: x H => [x|//|]; rewrite ?leNye// => H _.
rewrite lee_fin leNgt; apply/negP => zx; have [zE|zn] := eqVneq z 0%R.
  by have := H 1%R ltr01; rewrite -EFinM lee_fin zE mulr0 leNgt -zE zx.
have zp : (0 < z)%R by rewrite lt_neqAle eq_sym zn.
have xz : (1 < x / z)%R by rewrite ltr_pdivl_mulr// mul1r.
have lp : (0 < ln (x / z))%R by rewrite -ltr_expR expR0 lnK// posrE (lt_trans ltr01).
pose t := (ln (x / z) / 2 / a)%R; have t0 : (0 < t)%R by rewrite !divr_gt0.
have := H t t0; rewrite -EFinM lee_fin /t [(a * _)%R]mulrC divfK ?gt_eqF// leNgt => /negP; apply.
rewrite -ltr_pdivl_mulr// -[ltRHS](@lnK _ (x / z)%R); last by rewrite posrE (lt_trans ltr01).
by rewrite ltr_expR ltr_pdivr_mulr// ltr_pmulr// ltr1n.
Qed.

(* CALL-PURE *)
Theorem z_called_pure_reals (D : S -> law R O) (u : S -> O -> S) (eps : R) (Phi Psi : assn R S) :
  (forall s, additive_on (D s)) ->
  (forall m m' k, Phi m m' k -> [/\ D m (fun=> 1) = 1, D m' (fun=> 1) = 1,
     forall A, E A -> D m (charf R A) <= (expR eps)%:E * D m' (charf R A),
     forall A, E A -> D m' (charf R A) <= (expR eps)%:E * D m (charf R A) &
     forall y, Psi (u m y) (u m' y) (k + eps * eps / 2)%R]) ->
  zjudge_for (fun F => forall m, level_sets (fun y => F (u m y))) (Draw D u) Phi Psi.
Proof.
move=> add H a a0 f F f0 F0 gF rel m m' k /H[total total' near near' HP]; pose c := (eps * eps / 2)%R.
have fF y : below a (k + c) (f (u m y)) (F (u m' y)) by apply: rel; exact: HP.
pose Fy y := F (u m' y); have Fy0 y : 0 <= Fy y by exact: F0.
rewrite -[X in below a k X]/(D m (fun y => f (u m y))) -[X in below a k _ X]/(D m' Fy) => w.
have DF0 : 0 <= D m' Fy by apply: ev_ge0.
apply: (no_factor a0) => [|t t0].
  by rewrite mule_ge0 ?lee_fin ?expR_ge0//; exact: tangent_ge0.
pose h y := grid t (Fy y).
have eh i : E (fun y => h y = i) by apply: level_grid => //; exact: gF.
pose G i := (expR t)%:E * step t i; have G0 i : 0 <= G i by rewrite mule_ge0 ?lee_fin ?expR_ge0// step_ge0.
pose g i := ereal_inf [set (expR (- (a * (k + c))))%:E * tangent a v (G i) | v in [set: R]].
have g0 i : 0 <= g i.
  by apply: lb_ereal_inf => _ [v _ <-]; rewrite mule_ge0 ?lee_fin ?expR_ge0//; exact: tangent_ge0.
have gG i : below a (k + c) (g i) (G i) by move=> v; apply: ereal_inf_lb; exists v.
have fg y : f (u m y) <= g (h y).
  apply: lb_ereal_inf => _ [v _ <-]; apply: (le_trans (fF y v)); apply: lee_wpmul2l; first by rewrite lee_fin expR_ge0.
  by apply: tangent_le => //; exact: (grid_near t0 (Fy0 y)).2.
have ch0 A y : 0 <= charf R A y by rewrite /charf; case: ifP => _; rewrite ?lee01.
have fin s A : D s (charf R A) \is a fin_num.
  rewrite ge0_fin_numE ?ev_ge0//; apply: (@le_lt_trans _ _ 1); last exact: ltry.
  apply: (@le_trans _ _ (D s (fun=> 0 + 1%:E))); first by apply: ev_le => // z; rewrite add0e /charf; case: ifP => _; rewrite ?lee01.
  by have := @ev_addc _ _ (D s) 1%R (fun=> 0) ler01 (fun=> lexx _); rewrite Judgement.ev0 add0e.
pose p s i := fine (D s (charf R (fun y => h y = i))); have pE s i : (p s i)%:E = D s (charf R (fun y => h y = i)) by rewrite /p fineK.
have p0 s i : (0 <= p s i)%R by apply: fine_ge0; apply: ev_ge0.
have range : ((eps - - eps) ^+ 2 <= 8%:R * c)%R by apply: both_ways; rewrite /c le_eqVlt; apply/orP; left; apply/eqP; field.
have Z : zstar a (pushed (D m) h) (pushed (D m') h) (fun=> True) c.
  apply: (@zstar_range R a c (- eps)%R eps _ _ _ _ (summation_esum R _) a0 range _ _ id _ (p m) (p m')) => //.
  - by move=> q q0; rewrite -[LHS]/(D m (fun y => q (h y))) add//; apply: eq_esum => i _; rewrite pE.
  - by move=> q q0; rewrite -[LHS]/(D m' (fun y => q (h y))) add//; apply: eq_esum => i _; rewrite pE.
  - move=> i; have := near' _ (eh i); rewrite -!pE -EFinM lee_fin => le.
    by have := ler_wpmul2l (expR_ge0 (- eps)) le; rewrite mulrA -expRD addNr expR0 mul1r.
  - by move=> i; have := near _ (eh i); rewrite -!pE -EFinM lee_fin.
have B := Z g G k g0 G0 (fun i _ => gG i) (w - t)%R.
apply: (@le_trans _ _ (D m (fun y => g (h y)))); first by apply: ev_le => // y; exact: f0.
apply: (le_trans B); rewrite [leRHS]muleCA; apply: lee_wpmul2l; first by rewrite lee_fin expR_ge0.
apply: le_trans (tangent_move w a0 (ltW t0) DF0); apply: tangent_le => //.
rewrite -[X in X <= _]/(D m' (fun y => (expR t)%:E * step t (h y))) ev_scale ?expR_ge0//; last by move=> y; exact: step_ge0.
apply: lee_wpmul2l; first by rewrite lee_fin expR_ge0.
by apply: ev_le => y; [exact: step_ge0|exact: (grid_near t0 (Fy0 y)).1].
Qed.
End Pure.

(* the Borel tests of the line have such level sets *)
Theorem level_borel (R : realType) d (T : measurableType d) (F : T -> \bar R) : measurable_fun setT F -> level_sets (fun A : T -> Prop => measurable (A : set T)) F.
Proof.
move=> mF x y; have mge : measurable (setT `&` [set o | x <= F o]) by apply: emeasurable_fun_c_infty.
split.
  rewrite (_ : (fun o => is_true (x <= F o < y)) = (setT `&` [set o | x <= F o]) `&` (setT `&` [set o | F o < y])).
    by apply: measurableI => //; apply: emeasurable_fun_infty_o.
  by apply/seteqP; split=> o /=; [move=> /andP[]|move=> [[_ ->] [_ ->]]].
rewrite (_ : (fun o => is_true (x <= F o <= y)) = (setT `&` [set o | x <= F o]) `&` (setT `&` [set o | F o <= y])).
  by apply: measurableI => //; apply: emeasurable_fun_infty_c.
by apply/seteqP; split=> o /=; [move=> /andP[]|move=> [[_ ->] [_ ->]]].
Qed.

(* the law of what a program releases is countably additive on a class of sets, if its expectations are on the tests that are constant on one of them and 0 elsewhere (Additive.v, Memory.v) *)
Section Released.
Variables (R : realType) (T O : Type) (good : (T -> \bar R) -> Prop) (E : (O -> Prop) -> Prop) (c : stmt R T) (out : T -> O) (m : T).
Hypothesis add : additive good c.
Hypothesis good0 : good (fun=> 0).
Hypothesis good_ind : forall A (y : \bar R), E A -> 0 <= y -> good (fun s => y * ind R (fun s => A (out s)) s).
Lemma series_const (a : \bar R) : 0 <= a -> \sum_(n <oo) a = +oo * a.
Proof.
rewrite le_eqVlt => /orP[/eqP <-|a0]; first by rewrite series_zero mule0.
rewrite gt0_mulye//; apply: eq_infty => r; case: a a0 => [a a0| |//]; last first.
  move=> _; apply: (@le_trans _ _ (\sum_(0 <= i < 1) (+oo : \bar R))); first by rewrite big_nat1 leey.
  by apply: nneseries_lim_ge => i _; rewrite leey.
rewrite lte_fin in a0; have ra : (0 <= `|r| / a)%R by rewrite divr_ge0// ltW.
pose n := Num.bound (`|r| / a); have nr := archi_boundP ra.
apply: (@le_trans _ _ (\sum_(0 <= i < n) a%:E)); last by apply: nneseries_lim_ge => i _; rewrite lee_fin ltW.
rewrite sumEFin lee_fin big_const_nat subn0 iter_addr_0 -mulr_natl; apply: (le_trans (ler_norm r)).
by rewrite -ler_pdivr_mulr// ltW.
Qed.
Lemma times_ind A (y : \bar R) : E A -> 0 <= y -> wp c (fun s => y * ind R (fun s => A (out s)) s) m = wp c (ind R (fun s => A (out s))) m * y.
Proof.
move=> EA; set i := ind R _; have i0 : nneg i by exact: ind_ge0.
have zero : wp c (fun=> 0) m = 0.
  apply/eqP; rewrite eq_le; apply/andP; split; last by apply: wp_ge0.
  by have := @wp_scale R T 0%R (lexx _) c (fun=> 0) (fun=> lexx _) m; rewrite !mul0e.
case: y => [x| |//]; last first.
  move=> _; have gi : good i.
    by have := good_ind EA (@lee01 R); rewrite (_ : (fun s => 1 * _) = i)//; apply/funext => s; rewrite mul1e.
  have /= H := congr1 (@^~ m) (add.2 (fun=> i) (fun=> i0) (fun=> gi)).
  rewrite (_ : (fun s => +oo * i s) = fun s => \sum_(n <oo) i s); last by apply/funext => s; rewrite series_const.
  by rewrite H series_const ?wp_ge0// muleC.
rewrite lee_fin le_eqVlt => /orP[/eqP <-|x0]; last by rewrite wp_scale_eq// muleC.
by rewrite mule0 -[RHS]zero; congr (wp c _ m); apply/funext => s; rewrite mul0e.
Qed.
Theorem released_additive : additive_on E (law_of c out m).
Proof.
move=> k g Ek g0; pose f n s : \bar R := if pickle (k (out s)) == n then g (k (out s)) else 0.
have f0 n : nneg (f n) by move=> s; rewrite /f; case: ifP.
have fE i : f (pickle i) = fun s => g i * ind R (fun s => k (out s) = i) s.
  apply/funext => s; rewrite /f /ind; case: asboolP => [->|ne]; first by rewrite eqxx mule1.
  by rewrite mule0; case: eqP => // /(pcan_inj pickleK).
have none n : (forall i : option (option int), pickle i <> n) -> f n = fun=> 0.
  by move=> no; apply/funext => s; rewrite /f; case: eqP => // /no.
have gf n : good (f n).
  have [[i <-]|no] := pselect (exists i : option (option int), pickle i = n); first by rewrite fE; exact: (good_ind (Ek i) (g0 i)).
  by rewrite none// => i e; apply: no; exists i.
have zero : wp c (fun=> 0) m = 0.
  apply/eqP; rewrite eq_le; apply/andP; split; last by apply: wp_ge0.
  by have := @wp_scale R T 0%R (lexx _) c (fun=> 0) (fun=> lexx _) m; rewrite !mul0e.
rewrite -[LHS]/(wp c (fun s => g (k (out s))) m).
rewrite (_ : (fun s => g (k (out s))) = fun s => \sum_(n <oo) f n s); last first.
  apply/funext => s; rewrite (@series_only _ _ (pickle (k (out s)))) => [|n|n nk]; last first.
  - by rewrite /f eq_sym (negPf nk).
  - exact: f0.
  by rewrite /f eqxx.
have /= -> := congr1 (@^~ m) (add.2 f f0 gf); rewrite seriesE; last by move=> n; exact: wp_ge0.
transitivity (\esum_(n in (@pickle _ : option (option int) -> nat) @` [set: option (option int)]) wp c (f n) m).
  rewrite [RHS]esum_mkcond; apply: eq_esum => n _; case: ifPn => //; rewrite notin_set => no.
  by rewrite none// => i e; apply: no; exists i.
rewrite esum_image; last by move=> i j _ _ /(pcan_inj pickleK).
by apply: eq_esum => i _; rewrite fE (times_ind (Ek i) (g0 i)).
Qed.
End Released.
