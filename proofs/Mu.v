(* Claims in mu that rest on several normal draws (docs/logic.md, section 9): the judgement by which they compose.

   What several normal draws tell is told by one (NormalSum.v: gap).  Tests are compared with what is left of a budget V: at the cost k, that is v = V - 2k, x is at most e^t y + gap v t for every t,
   which says x <= Phi(Phi^-1(y) + sqrt v), and where nothing is left x is 0 or y is infinite (mu_reading).  The rules for programs are those of Compared.v; a normal draw takes d^2/s^2 of the budget (m_gauss), and a
   call of a mechanism with a theorem in mu takes mu^2 (m_called).  At the end, outputs that are equal at a cost of at most mu^2/2 are mu-GDP: for all tests (m_equal_outputs), and as the
   guarantees of two normal laws (gdp_tests_gdp), since gap is profile (gap_profile).  GROUP adds deviations (gdp_step, gdp_group).

   Read: budget, gdp_tests. *)
From Probity Require Import PreludeIntegral Judgement Laws Density Continuous Gaussian Privacy Centered Normal NormalSum Compared Called.
Local Open Scope classical_set_scope.
Local Open Scope ring_scope.
Local Open Scope ereal_scope.

Section Mu.
Variable R : realType.
Notation T := (measurableTypeR R).
Let leb : {measure set T -> \bar R} := [the measure _ _ of @lebesgue_measure R].
Implicit Types (mu v t : R).

(* what is left of 1 is what two normal laws differ by *)
Theorem gap_profile mu t : (0 < mu)%R -> gap (mu ^+ 2) t = profile mu t.
Proof.
move=> mu0; pose z := (mu / 2 - t / mu)%R; pose h (w : R) := expR (t + mu * w - mu ^+ 2 / 2).
have inside w : (w <= z)%R = (h w <= 1)%R.
  rewrite /h -[X in _ = (_ <= X)%R](@expR0 R) ler_expR -subr_ge0 -(pmulr_rge0 _ mu0) -[RHS]subr_ge0; congr (0 <= _)%R.
  by rewrite /z; field; rewrite gt_eqF.
pose A := [set y | y <= z]%R : set T.
have mA : measurable A.
  rewrite (_ : A = ~` [set y | z < y]%R); first by apply: measurableC; exact: mray_gt.
  by apply/seteqP; split=> y; rewrite /A /=; [move=> le; apply/negP; rewrite -leNgt|move=> /negP; rewrite -leNgt].
have AE y : (\1_A y = if (y <= z)%R then 1 else 0 :> R)%R.
  by rewrite indicE; case: ifPn => le; [rewrite mem_set|rewrite memNset//; exact/negP].
have d0 := density_ge0 (0%R : R) 1; have md := density_meas (0%R : R) 1.
pose a y := (density 0 1 y * short (mu ^+ 2) t (mu * y))%R; pose b y := (density 0 1 y * (h y * \1_A y))%R.
have a0 y : (0 <= a y)%R by rewrite mulr_ge0// short_ge0.
have b0 y : (0 <= b y)%R by rewrite mulr_ge0// mulr_ge0 ?expR_ge0// AE; case: ifP.
have mlin : measurable_fun setT (fun y : T => mu * y : R)%R by apply: measurable_funrM; exact: measurable_fun_id.
have mh : measurable_fun setT (h : T -> T).
  have me : measurable_fun setT (@expR R : T -> T) by apply: continuous_measurable_fun; exact: continuous_expR.
  apply: (measurable_fun_comp me); apply: measurable_funB; last exact: measurable_fun_cst.
  by apply: measurable_funD => //; exact: measurable_fun_cst.
have ma : measurable_fun setT a by apply: measurable_funM => //; exact: short_meas.
have mb : measurable_fun setT b by apply: measurable_funM => //; apply: measurable_funM => //; exact: mindic.
have aE : \int[leb]_y (a y)%:E = (gap (mu ^+ 2) t)%:E.
  rewrite -gapE sqrtr_sqr gtr0_norm//= /dev; apply: eq_integral => y _; exact: EFinM.
have bE : \int[leb]_y (b y)%:E = (expR t * normal (z - mu))%:E.
  have W := @reweighted R 0 1 mu 1 (expR t) h (below_at z) _ (expR_ge0 t) (below_ge0 z).
  have N := normal_moved (- mu) z; rewrite opprK in N; rewrite EFinM -N -W => [|y].
    by rewrite /= /dev; apply: eq_integral => y _; rewrite /b /below_at AE; case: ifP => _; rewrite !EFinM ?mule1 ?mulr1 ?mule0 ?mulr0 ?mule0.
  by rewrite -(ratio mu y) [RHS]mulrCA -expRD; congr (_ * expR _)%R; rewrite addrA.
have E : \int[leb]_y (a y)%:E + \int[leb]_y (b y)%:E = (normal z)%:E.
  rewrite -ge0_integralD//; last first.
  - exact/EFin_measurable_fun.
  - by move=> y _; rewrite lee_fin.
  - exact/EFin_measurable_fun.
  - by move=> y _; rewrite lee_fin.
  rewrite -normalE /= /dev; apply: eq_integral => y _; rewrite -EFinD -mulrDr /below_at AE inside.
  have hE : (short (mu ^+ 2) t (mu * y) = Num.max 0 (1 - h y))%R by [].
  rewrite hE; case: ifPn => [le|]; first by rewrite max_r ?subr_ge0// mulr1 subrK EFinM.
  by rewrite -ltNge => lt; rewrite max_l ?subr_le0 ?(ltW lt)// mulr0 addr0 EFinM.
move: E; rewrite aE bE -EFinD => -[E]; rewrite /profile.
have zE : (- (mu / 2) - t / mu = z - mu)%R by rewrite /z; field; rewrite gt_eqF.
by rewrite zE -/z -E addrK.
Qed.

Lemma gap_0 t : gap 0 t = Num.max 0%R (1 - expR t)%R.
Proof.
have := gapE (0%R : R) t; rewrite (_ : (fun w => _) = fun=> (Num.max 0%R (1 - expR t)%R)%:E); last first.
  by apply/funext => w; rewrite /short sqrtr0 mul0r addr0 mul0r subr0.
by rewrite constant// ?le_maxr ?lexx// => -[].
Qed.

(* ---- the measure ---- *)
Definition left_ v t : R := if (0 <= v)%R then gap v t else 0%R.
(* x <= Phi(Phi^-1(y) + sqrt v), and nothing where no budget is left *)
Definition budget v (x y : \bar R) := forall t, x <= (expR t)%:E * y + (left_ v t)%:E.
Lemma left_ge0 v t : (0 <= left_ v t)%R.
Proof. by rewrite /left_; case: ifP => // _; exact: gap_ge0. Qed.
Lemma left_le v w t : (v <= w)%R -> (left_ v t <= left_ w t)%R.
Proof.
move=> vw; rewrite /left_; case: ifPn => [v0|_]; last by case: ifP => // _; exact: gap_ge0.
by rewrite (le_trans v0 vw); exact: gap_le.
Qed.
Lemma budget_le v w x y : (v <= w)%R -> budget v x y -> budget w x y.
Proof. by move=> vw H t; apply: (le_trans (H t)); rewrite lee_add2l// lee_fin left_le. Qed.
Lemma budget_0 v y : 0 <= y -> budget v 0 y.
Proof. by move=> y0 t; rewrite adde_ge0 ?mule_ge0 ?lee_fin ?expR_ge0 ?left_ge0. Qed.
Lemma budget_top v x : budget v x +oo.
Proof. by move=> t; rewrite gt0_muley ?lte_fin ?expR_gt0// addye ?leey. Qed.
Lemma budget_law v A (D : law R A) (f F : A -> \bar R) : (forall y, 0 <= f y) -> (forall y, 0 <= F y) ->
  (forall y, budget v (f y) (F y)) -> budget v (D f) (D F).
Proof.
move=> f0 F0 H t; apply: (@le_trans _ _ (D (fun y => (expR t)%:E * F y + (left_ v t)%:E))); first by apply: ev_le => // y; exact: H.
apply: (le_trans (ev_addc _ (left_ge0 v t) _)); first by move=> y; rewrite mule_ge0 ?lee_fin ?expR_ge0.
by rewrite ev_scale ?expR_ge0.
Qed.
Definition mu_reading : reading R := @Reading R (fun=> True) (fun V k => budget (V - k *+ 2))
  (fun V k y _ => @budget_0 (V - k *+ 2)%R y) (fun V k x _ => @budget_top _ x) (fun V k A D f F _ => @budget_law _ A D f F).

(* ---- a normal draw ---- *)
Lemma budget_gauss (e e' s v w : R) (f F : T -> \bar R) : (0 < s)%R -> (v + ((e - e') / s) ^+ 2 <= w)%R ->
  (forall y, 0 <= f y) -> (forall y, 0 <= F y) -> (forall y, budget v (f y) (F y)) -> budget w (gaussian e s f) (gaussian e' s F).
Proof.
move=> s0 vw f0 F0 H; have [v0|v0] := leP 0%R v.
  have w0 : (0 <= w)%R by apply: le_trans vw; rewrite addr_ge0// sqr_ge0.
  move=> t; rewrite /left_ w0; apply: (@mu_gauss R e e' s v w) => // y t'.
  by have := H y t'; rewrite /left_ v0.
move=> t; have nv : (0 <= v)%R = false by rewrite leNgt v0.
have H' y r : f y <= (expR r)%:E * F y by have := H y r; rewrite /left_ nv adde0.
(* nothing is left: the densities are never 0 *)
have L : gaussian e s f <= (expR t)%:E * gaussian e' s F.
  have Z0 : (0 < fine (wtotal leb (gauss_w 0 1)))%R.
    by rewrite fine_gt0// gauss_positive// gauss_finite.
  rewrite -ev_scale ?expR_ge0//= /dev; apply: low_le => y; first by rewrite mule_ge0// lee_fin density_ge0.
  pose p e := density e s y; have p0 x : (0 < p x)%R.
    by rewrite /p densityE// divr_gt0 ?expR_gt0// mulr_gt0.
  apply: (@le_trans _ _ ((p e)%:E * ((expR (t + ln (p e' / p e)))%:E * F y))).
    by apply: lee_wpmul2l; [rewrite lee_fin; exact: density_ge0|exact: H'].
  have E : (p e * expR (t + ln (p e' / p e)) = p e' * expR t)%R.
    rewrite expRD lnK; last by rewrite posrE divr_gt0.
    by rewrite mulrCA [(p e * _)%R]mulrC divfK ?gt_eqF// mulrC.
  by rewrite muleA -EFinM E EFinM -muleA; exact: lexx.
by apply: (le_trans L); rewrite lee_addl// lee_fin left_ge0.
Qed.
(* GAUSS *)
Theorem m_gauss (S : Type) (center scale_of : S -> R) (u : S -> R -> S) (d c : S -> S -> R -> R) (Psi : assn R S) :
  cjudge mu_reading (Draw (fun s => gaussian (center s) (scale_of s)) u)
    (fun s s' j => near_centers center scale_of d c s s' j /\ forall y, Psi (u s y) (u s' y) (j + c s s' j)%R) Psi.
Proof.
apply: c_sample => m m' j [[s0 ss near bound] HP]; exists (fun=> True), (c m m' j); split=> [V _|y _]; last exact: HP.
rewrite -ss => f F k f0 F0 H; apply: (@budget_gauss _ _ _ (V - (k + c m m' j) *+ 2)%R) => // [|y]; last exact: H.
rewrite -ler_subr_addl expr_div_n ler_pdivr_mulr ?exprn_gt0//; apply: (@le_trans _ _ (d m m' j * d m m' j)%R).
  by rewrite -real_normK ?num_real// expr2; apply: ler_pmul.
by apply: (le_trans bound); rewrite le_eqVlt; apply/orP; left; apply/eqP; ring.
Qed.

(* ---- claims ---- *)
Section Claims.
Variables (S O : Type) (out : S -> O).
(* mu-GDP, for all tests: whatever is left after it, mu^2 more is left before it *)
Definition gdp_tests (c : stmt R S) mu (m m' : S) := forall v (f F : O -> \bar R), (forall o, 0 <= f o) -> (forall o, 0 <= F o) ->
  (forall o, budget v (f o) (F o)) -> budget (v + mu ^+ 2) (wp c (fun s => f (out s)) m) (wp c (fun s => F (out s)) m').
Theorem m_equal_outputs mu c Phi : cjudge mu_reading c Phi (fun s s' k => out s = out s' /\ (k <= mu ^+ 2 / 2)%R) ->
  forall m m', Phi m m' 0%R -> gdp_tests c mu m m'.
Proof.
move=> J m m' HP v f F f0 F0 fF.
have := J (v + mu ^+ 2)%R I (fun s => f (out s)) (fun s => F (out s)) (fun s => f0 _) (fun s => F0 _) _ m m' 0%R HP.
rewrite /= mul0rn subr0; apply=> s s' k [<- le]; apply: (budget_le _ (fF _)).
by rewrite -addrA ler_addl subr_ge0 -mulr_natr -ler_pdivl_mulr.
Qed.
(* the guarantees of two normal laws *)
Theorem gdp_tests_gdp mu c m m' : (0 <= mu)%R -> gdp_tests c mu m m' -> gdp out c mu m m'.
Proof.
move=> mu0 H eps E; pose f o : \bar R := if `[< E o >] then 1 else 0.
have f0 o : 0 <= f o by rewrite /f; case: ifP => _; rewrite ?lee01.
have ff o : budget 0 (f o) (f o).
  move=> t; rewrite /left_ lexx /f; case: ifP => _; last by rewrite mule0 add0e lee_fin gap_ge0.
  by rewrite mule1 -EFinD lee_fin gap_beyond.
suff <- : left_ (0 + mu ^+ 2) eps = normal_delta mu eps by exact: (H 0%R f f f0 f0 ff eps).
rewrite add0r /left_ sqr_ge0 /normal_delta lt_neqAle mu0 andbT; case: eqP => /= [<-|/eqP n]; last first.
  by apply: gap_profile; rewrite lt_neqAle n.
by rewrite expr0n /=; exact: gap_0.
Qed.

(* GROUP: deviations add *)
Lemma profile_add mu mu' eps : (0 < mu)%R -> (0 < mu')%R -> exists t,
  (profile mu t + expR t * profile mu' (eps - t) = profile (mu + mu') eps)%R.
Proof.
move=> a0 b0; have ab0 := addr_gt0 a0 b0; pose z := ((mu' - mu) / 2 - eps / (mu + mu'))%R; exists (- (mu * (z + mu / 2)))%R.
set t := (- _)%R; have na := lt0r_neq0 a0; have nb := lt0r_neq0 b0; have nab := lt0r_neq0 ab0.
have tE : (- (mu / 2) - t / mu = z)%R by rewrite /t; field.
have tE' : (mu / 2 - t / mu = (mu + mu') / 2 - eps / (mu + mu'))%R by rewrite /t /z; field; rewrite na nab.
have sE : (mu' / 2 - (eps - t) / mu' = z)%R by rewrite /t /z; field; rewrite nab nb.
have sE' : (- (mu' / 2) - (eps - t) / mu' = - ((mu + mu') / 2) - eps / (mu + mu'))%R by rewrite /t /z; field; rewrite nab nb.
rewrite /profile tE tE' sE sE' mulrBr addrA subrK mulrA -expRD; congr (_ - expR _ * _)%R.
by rewrite addrC subrK.
Qed.
Lemma gdp_0 mu c m m' : (mu <= 0)%R -> gdp out c mu m m' -> forall E, wp c (ind R (fun s => E (out s))) m <= wp c (ind R (fun s => E (out s))) m'.
Proof.
move=> mu0 H E; have := H 0%R E; rewrite /normal_delta ltNge mu0 /= expR0 subrr maxxx mul1e adde0; exact.
Qed.
Theorem gdp_step mu mu' c m m1 m2 : (0 <= mu)%R -> (0 <= mu')%R -> gdp out c mu m m1 -> gdp out c mu' m1 m2 -> gdp out c (mu + mu') m m2.
Proof.
move=> a0 b0 Ha Hb eps E; have [a1|a1] := leP mu 0%R.
  have -> : mu = 0%R by apply/eqP; rewrite eq_le a1.
  by rewrite add0r; apply: (le_trans (gdp_0 a1 Ha E)); exact: Hb.
have [b1|b1] := leP mu' 0%R.
  have -> : mu' = 0%R by apply/eqP; rewrite eq_le b1.
  rewrite addr0; apply: (le_trans (Ha eps E)); apply: lee_add2r; apply: lee_wpmul2l; first by rewrite lee_fin expR_ge0.
  exact: (gdp_0 b1 Hb E).
have [t] := profile_add eps a1 b1; have := Ha t E; have := Hb (eps - t)%R E; rewrite /normal_delta a1 b1 addr_gt0// => hb ha <-.
have le : (expR t)%:E * wp c (ind R (fun s => E (out s))) m1 <= (expR eps)%:E * wp c (ind R (fun s => E (out s))) m2 + (expR t * profile mu' (eps - t))%:E.
  have et0 : 0 <= (expR t)%:E by rewrite lee_fin expR_ge0.
  apply: (le_trans (lee_wpmul2l et0 hb)); rewrite ge0_muleDr.
  - by rewrite muleA -!EFinM -expRD [(t + _)%R]addrC subrK; exact: lexx.
  - by apply: mule_ge0; [rewrite lee_fin expR_ge0|apply: wp_ge0; exact: ind_ge0].
  - by rewrite lee_fin; apply: le_trans (profile_near _ b1); rewrite le_maxr lexx.
by apply: (le_trans ha); apply: (le_trans (lee_add2r _ le)); rewrite -addeA -EFinD [(_ + profile mu t)%R]addrC; exact: lexx.
Qed.
(* below 0 there is nothing that two normal laws differ by: the claim is that of mu = 0 *)
Lemma gdp_below0 mu mu' c m m' : (mu <= 0)%R -> (mu' <= 0)%R -> gdp out c mu m m' -> gdp out c mu' m m'.
Proof. by move=> a b H eps E; have := H eps E; rewrite /normal_delta !ltNge a b. Qed.
(* GROUP, for mu of any sign *)
Theorem gdp_group mu c (k n : nat) (x : nat -> S) : (0 < n)%N -> (n <= k)%N ->
  (forall i, (i < n)%N -> gdp out c (mu / k%:R) (x i) (x i.+1)) -> gdp out c mu (x 0%N) (x n).
Proof.
move=> n0 nk; have k0 : (0 < k%:R :> R)%R by rewrite ltr0n (leq_trans n0 nk).
wlog mu0 : mu / (0 <= mu)%R => [any|].
  have [mu0|mu0 H] := leP 0%R mu; first exact: any.
  apply: (@gdp_below0 0%R) => //; first exact: ltW.
  apply: any => // i ni; rewrite mul0r; apply: gdp_below0 (H i ni) => //.
  by rewrite pmulr_lle0 ?invr_gt0// ltW.
move=> H; have q0 : (0 <= mu / k%:R)%R by rewrite divr_ge0// ltW.
have step j : (j < n)%N -> gdp out c (mu / k%:R *+ j.+1) (x 0%N) (x j.+1).
  elim: j => [|j IH] jn; first exact: H.
  by rewrite mulrSr; apply: (gdp_step _ _ (IH (ltnW jn)) (H _ jn)) => //; rewrite mulrn_wge0.
case: n n0 nk H step => // n _ nk _ /(_ n (ltnSn n)) G; apply: gdp_wider G.
by rewrite -mulr_natr mulrAC ler_pdivr_mulr// ler_wpmul2l// ler_nat.
Qed.
End Claims.

(* CALL *)
Theorem m_called (S T' O : Type) (c : stmt R T') (out : T' -> O) (arguments : S -> T') (u : S -> O -> S) mu (Phi Psi : assn R S) :
  (forall m m' k, Phi m m' k -> gdp_tests out c mu (arguments m) (arguments m') /\ forall y, Psi (u m y) (u m' y) (k + mu ^+ 2 / 2)%R) ->
  cjudge mu_reading (Draw (fun s => law_of c out (arguments s)) u) Phi Psi.
Proof.
move=> H; apply: c_sample => m m' k /H[near HP]; exists (fun=> True), (mu ^+ 2 / 2)%R; split=> // V _ f F j f0 F0 fF.
have := near (V - (j + mu ^+ 2 / 2) *+ 2)%R f F f0 F0 (fun o => fF o I).
rewrite (_ : V - (j + mu ^+ 2 / 2) *+ 2 + mu ^+ 2 = V - j *+ 2)%R//.
by field.
Qed.
End Mu.
