(* GROUP (trusted/kernel/src/privacy/group.rs, group) for at most k rows (group_at_most; for a class of sets group_at_most_on), and in rho (z_group); GROUP-DELTA (group_delta, with the condition grouped), where mass is given up.

   One step in rho is a composition of Hoelder's inequalities: with x > 0 any number, m and m1 of rho1, m1 and m2 of rho2 are m and m2 of (1 + x) rho1 + (1 + 1/x) rho2 (z_step).  Between the tests f
   and F of the order 1 + A there is one, the power of F of another order (between); as everywhere in rho a power is the least of its tangents. *)
From Probity Require Import Prelude.
From mathcomp.analysis Require Import signed.
From Probity Require Import Judgement Laws Privacy Concentrated.
Local Open Scope classical_set_scope.
Local Open Scope ring_scope.
Local Open Scope ereal_scope.

Section Groups.
Variables (R : realType) (S O : Type) (out : S -> O) (c : stmt R S).

(* ---- in epsilon ---- *)
Lemma dp_more (eps eps' : R) m m' : (eps <= eps')%R -> dp out c eps 0 m m' -> dp out c eps' 0 m m'.
Proof.
move=> ee H E; apply: (le_trans (H E)); rewrite !adde0; apply: lee_wpmul2r; first by apply: wp_ge0; exact: ind_ge0.
by rewrite lee_fin ler_expR.
Qed.
(* less than nothing is lost only where nothing has mass *)
Lemma no_mass (e : R) (p q : \bar R) : (0 <= e)%R -> (e < 1)%R -> 0 <= p -> p <= 1 -> p <= e%:E * q -> q <= e%:E * p -> p = 0.
Proof.
move=> eg e1 p0 p1 pq qp; have pf : p \is a fin_num by rewrite ge0_fin_numE//; apply: (le_lt_trans p1); exact: ltry.
have pp : p <= (e * e)%:E * p.
  apply: (le_trans pq); rewrite EFinM -muleA; apply: lee_wpmul2l qp; by rewrite lee_fin.
apply/eqP; rewrite eq_le p0 andbT; move: pp; rewrite -(fineK pf) -EFinM !lee_fin => pp.
have ee : (e * e < 1)%R by apply: mulr_ilt1.
by rewrite leNgt; apply/negP => pos; move: pp; rewrite ler_pmull// leNgt ee.
Qed.
(* n steps, at most k, each with a k-th of epsilon in both directions; for the sets of a class, as the Borel ones *)
Theorem group_at_most_on (good : (O -> Prop) -> Prop) (eps : R) (n k : nat) (x : nat -> S) : (0 < n)%N -> (n <= k)%N ->
  (forall i, (i < n)%N -> dp_on good out c (eps / k%:R) 0 (x i) (x i.+1) /\ dp_on good out c (eps / k%:R) 0 (x i.+1) (x i)) -> dp_on good out c eps 0 (x 0%N) (x n).
Proof.
move=> n0 nk H E gE; have k0 : (0 < k%:R :> R)%R by rewrite ltr0n (leq_trans n0).
pose p i := wp c (ind R (fun s => E (out s))) (x i); have p0 i : 0 <= p i by apply: wp_ge0; exact: ind_ge0.
set e := expR (eps / k%:R); have eg : (0 <= e)%R := expR_ge0 _.
have [e0|e0] := leP 0%R eps; last first.
  have [f b] := H 0%N n0; have pq := f E gE; have qp := b E gE; rewrite !adde0 in pq qp *.
  rewrite -/(p 0%N) (@no_mass e (p 0%N) (p 1%N))//; first by rewrite mule_ge0 ?lee_fin ?expR_ge0//; exact: (p0 n).
    by rewrite -[ltRHS]expR0 ltr_expR pmulr_llt0 ?invr_gt0.
  by apply: (@wp_le1 R S c _ (@ind_ge0 R S _) (@ind_le1 R S _)).
have steps j : (j <= n)%N -> p 0%N <= (e ^+ j)%:E * p j.
  elim: j => [|j IH] jn; first by rewrite expr0 mul1e.
  apply: (le_trans (IH (ltnW jn))); rewrite exprSr EFinM -muleA; apply: lee_wpmul2l; first by rewrite lee_fin exprn_ge0.
  by have [+ _] := H j jn; move=> /(_ E gE); rewrite adde0.
rewrite adde0; apply: (le_trans (steps n (leqnn n))); apply: lee_wpmul2r; first exact: p0.
rewrite lee_fin /e -expRMm ler_expR mulrCA -[leRHS]mulr1; apply: ler_wpmul2l => //.
by rewrite ler_pdivr_mulr// mul1r ler_nat.
Qed.
Theorem group_at_most (eps : R) (n k : nat) (x : nat -> S) : (0 < n)%N -> (n <= k)%N ->
  (forall i, (i < n)%N -> dp out c (eps / k%:R) 0 (x i) (x i.+1) /\ dp out c (eps / k%:R) 0 (x i.+1) (x i)) -> dp out c eps 0 (x 0%N) (x n).
Proof.
move=> n0 nk H E; apply: (@group_at_most_on (fun=> True) eps n k x n0 nk) => // i /H[f b].
by split=> E' _; [exact: f|exact: b].
Qed.

(* ---- in epsilon and delta ---- *)
(* what is given up in the rounds before is multiplied by those after *)
Lemma given_up (x d : R) (p : nat -> \bar R) n : (0 <= x)%R -> (0 <= d)%R -> (forall i, 0 <= p i) -> (forall i, (i < n)%N -> p i <= x%:E * p i.+1 + d%:E) ->
  p 0%N <= (x ^+ n)%:E * p n + (d * (\sum_(i < n) x ^+ i))%:E.
Proof.
move=> x0 d0 p0; elim: n => [|n IH] H; first by rewrite expr0 mul1e big_ord0 mulr0 adde0.
have xn : (0 <= x ^+ n)%R by exact: exprn_ge0.
apply: (le_trans (IH (fun i ni => H i (ltnW ni)))).
apply: (@le_trans _ _ ((x ^+ n)%:E * (x%:E * p n.+1 + d%:E) + (d * (\sum_(i < n) x ^+ i))%:E)).
  by apply: lee_add2r; apply: lee_wpmul2l; rewrite ?lee_fin//; exact: H.
rewrite ge0_muleDr ?mule_ge0 ?lee_fin// muleA -!EFinM -exprSr -addeA -EFinD big_ord_recr /= mulrDr.
by rewrite [(x ^+ n * d)%R]mulrC addrC.
Qed.
(* the four forms of the condition, as the kernel writes them; it writes the last one for small k *)
Definition grouped (k : nat) (e0 d0 eps delta : R) : Prop :=
  [/\ (0 <= e0)%R, (0 <= d0)%R, (k%:R * e0 <= eps)%R &
    [\/ (0 < e0)%R /\ ((d0 * (expR (k%:R * e0) - 1) <= delta * (expR e0 - 1))%R \/ (d0 * (expR (k%:R * e0) - 1) / (expR e0 - 1) <= delta)%R),
      (d0 * k%:R * expR ((k%:R - 1) * e0) <= delta)%R |
      (d0 * (1 + \sum_(1 <= i < k) expR (i%:R * e0)) <= delta)%R]].
Lemma grouped_sum (k : nat) (e0 d0 eps delta : R) : (0 < k)%N -> grouped k e0 d0 eps delta -> (d0 * (\sum_(i < k) expR e0 ^+ i) <= delta)%R.
Proof.
move=> k0 [e00 d00 _ forms]; have x1 : (1 <= expR e0)%R by rewrite -expR0 ler_expR.
case: forms => [[pos two]|long|whole].
- have more : (0 < expR e0 - 1)%R by rewrite subr_gt0 -expR0 ltr_expR.
  have {}two : (d0 * (expR (k%:R * e0) - 1) <= delta * (expR e0 - 1))%R by case: two => //; rewrite ler_pdivr_mulr.
  by move: two; rewrite expRMm subrX1 mulrCA mulrC ler_pmul2r.
- apply: le_trans long; rewrite -mulrA; apply: ler_wpmul2l => //.
  case: k k0 => [//|k] _; rewrite (_ : k.+1%:R - 1 = k%:R)%R ?expRMm ?mulr_natl; last by rewrite -addn1 natrD addrK.
  rewrite -[X in (_ *+ X)%R]card_ord -sumr_const; apply: ler_sum => i _.
  by apply: ler_weexpn2l => //; rewrite -ltnS.
- apply: le_trans whole; apply: ler_wpmul2l => //.
  case: k k0 => [//|k] _; rewrite big_ord_recl expr0 ler_add2l big_add1 /= big_mkord.
  by apply: ler_sum => i _; rewrite expRMm.
Qed.
(* for the sets of outputs for which the claim about one row is known, all of them or the measurable ones *)
Theorem group_delta_on (good : (O -> Prop) -> Prop) (e0 d0 eps delta : R) (n k : nat) (x : nat -> S) : (0 < n)%N -> (n <= k)%N -> grouped k e0 d0 eps delta ->
  (forall i, (i < n)%N -> dp_on good out c e0 d0 (x i) (x i.+1)) -> dp_on good out c eps delta (x 0%N) (x n).
Proof.
move=> n0 nk G H E gE; have [e00 d00 ke _] := G; have sum := grouped_sum (leq_trans n0 nk) G.
have x1 : (1 <= expR e0)%R by rewrite -expR0 ler_expR.
have wp0 s : 0 <= wp c (ind R (fun s => E (out s))) s by apply: wp_ge0; exact: ind_ge0.
apply: (le_trans (given_up (p := fun i => wp c (ind R (fun s => E (out s))) (x i)) (expR_ge0 e0) d00 (fun i => wp0 (x i)) (fun i ni => H i ni E gE))).
apply: lee_add; first by apply: lee_wpmul2r => //; rewrite lee_fin -expRMm ler_expR (le_trans _ ke)// ler_wpmul2r// ler_nat.
rewrite lee_fin; apply: le_trans sum; apply: ler_wpmul2l => //.
rewrite -(subnKC nk) big_split_ord /= ler_addl; apply: sumr_ge0 => i _; exact: exprn_ge0 (expR_ge0 _).
Qed.
Theorem group_delta (e0 d0 eps delta : R) (n k : nat) (x : nat -> S) : (0 < n)%N -> (n <= k)%N -> grouped k e0 d0 eps delta ->
  (forall i, (i < n)%N -> dp out c e0 d0 (x i) (x i.+1)) -> dp out c eps delta (x 0%N) (x n).
Proof. by move=> n0 nk G H E; apply: (group_delta_on (good := fun=> True) n0 nk G) => // i ni F _; exact: H. Qed.

(* ---- in rho ---- *)
Section Step.
Variables (A x : R).
Hypotheses (A0 : (0 < A)%R) (x0 : (0 < x)%R).
Let a : R := (A * (1 + x))%R.
Let b : R := ((1 + a) / x)%R.
Let x1 : (0 < 1 + x)%R. Proof. by rewrite addr_gt0. Qed.
Let a0 : (0 < a)%R. Proof. exact: mulr_gt0. Qed.
Let a1 : (0 < 1 + a)%R. Proof. by rewrite addr_gt0. Qed.
Let b0 : (0 < b)%R. Proof. by rewrite divr_gt0. Qed.
Let b1 : (0 < 1 + b)%R. Proof. by rewrite addr_gt0. Qed.
Let A1 : (0 < 1 + A)%R. Proof. by rewrite addr_gt0. Qed.
Let d1 : (0 < x + 1 + a)%R. Proof. by rewrite !addr_gt0. Qed.
Let bE : (1 + b = (x + 1 + a) / x)%R. Proof. by rewrite /b; field; rewrite gt_eqF. Qed.
Let AE : (1 + A = (x + 1 + a) / (1 + x))%R. Proof. by rewrite /a; field; rewrite gt_eqF. Qed.
Lemma slopes : (a / (1 + a) * (b / (1 + b)) = A / (1 + A))%R.
Proof. by rewrite bE AE /b /a; field; rewrite !gt_eqF. Qed.
Lemma rests : (a / (1 + a) * (1 + b)^-1 + (1 + a)^-1 = (1 + A)^-1)%R.
Proof. by rewrite bE AE; field; rewrite !gt_eqF. Qed.
(* a tangent of one power of a tangent of the other is above a tangent of their product *)
Lemma tangents t u (y : \bar R) : 0 <= y ->
  tangent A (t + u) y <= (a / (1 + a) * expR t)%:E * tangent b u y + ((1 + a)^-1 * expR (- (a * t)))%:E.
Proof.
move=> y0; rewrite /tangent; have sl := slope_ge0 a0 t.
rewrite ge0_muleDr ?mule_ge0 ?lee_fin ?slope_ge0 ?rest_ge0// muleA -!EFinM -addeA -EFinD; apply: lee_add.
  by rewrite mulrACA slopes -expRD.
rewrite lee_fin; pose z := (- (A * (t + u)))%R; pose w1 := (a / (1 + a) * (1 + b)^-1)%R; pose w2 := ((1 + a)^-1 : R)%R.
have w10 : (0 <= w1)%R by rewrite /w1 mulr_ge0 ?divr_ge0 ?invr_ge0//; apply: ltW; (exact: a0 || exact: a1 || exact: b1).
have w20 : (0 <= w2)%R by rewrite invr_ge0 (ltW a1).
have line p : (expR z * (1 + (p - z)) <= expR p)%R.
  have -> : (expR p = expR z * expR (p - z))%R by rewrite -expRD addrC subrK.
  by apply: ler_wpmul2l; [exact: expR_ge0|exact: expR_above].
rewrite (_ : _ * (_ * _) + _ = w1 * expR (t - b * u) + w2 * expR (- (a * t)))%R; last first.
  by rewrite /w1 /w2 mulrACA -expRD.
apply: (@le_trans _ _ (w1 * (expR z * (1 + (t - b * u - z))) + w2 * (expR z * (1 + (- (a * t) - z))))%R); last first.
  by apply: ler_add; apply: ler_wpmul2l.
rewrite le_eqVlt; apply/orP; left; apply/eqP; rewrite -rests -/w1 -/w2 -/z.
have mean : (w1 * (t - b * u - z) + w2 * (- (a * t) - z) = 0)%R.
  by rewrite /w1 /w2 /z bE /b /a; field; rewrite -/a !gt_eqF.
rewrite (_ : w1 * (expR z * (1 + (t - b * u - z))) + w2 * (expR z * (1 + (- (a * t) - z))) =
  (w1 + w2) * expR z + expR z * (w1 * (t - b * u - z) + w2 * (- (a * t) - z)))%R; last by ring.
by rewrite mean mulr0 addr0.
Qed.
(* the power of F between f and F *)
Definition between (y : \bar R) : \bar R := ereal_inf [set tangent b u y | u in setT].
Lemma between_ge0 y : 0 <= y -> 0 <= between y.
Proof. by move=> y0; apply: lb_ereal_inf => _ [u _ <-]; exact: (tangent_ge0 b0). Qed.
Lemma between_below y : below b 0 (between y) y.
Proof. by move=> u; rewrite mulr0 oppr0 expR0 mul1e; apply: ereal_inf_lb; exists u. Qed.
Lemma below_between f y : 0 <= y -> below A 0 f y -> below a 0 f (between y).
Proof.
move=> y0 H t; rewrite mulr0 oppr0 expR0 mul1e /tangent.
set s := (a / (1 + a) * expR t)%R; set r := ((1 + a)^-1 * _)%R.
have s0 : (0 < s)%R by rewrite !mulr_gt0 ?invr_gt0 ?expR_gt0.
rewrite -lee_subl_addr// -[X in X <= _](_ : s%:E * (s^-1%:E * (f - r%:E)) = _); last by rewrite muleA -EFinM mulfV ?mul1e// gt_eqF.
apply: lee_wpmul2l; first by rewrite lee_fin ltW.
apply: lb_ereal_inf => _ [u _ <-]; rewrite -(@lee_pmul2l _ s%:E)// ?lte_fin// muleA -EFinM mulfV ?gt_eqF// mul1e lee_subl_addr//.
by apply: (le_trans (H (t + u)%R)); rewrite mulr0 oppr0 expR0 mul1e; exact: tangents.
Qed.
(* both bounds together *)
Lemma spread (k s k' s' r' r : R) (Y : \bar R) : (0 <= k)%R -> (0 <= s)%R -> (0 <= k')%R -> (0 <= s')%R -> (0 <= r')%R -> (0 <= r)%R -> 0 <= Y ->
  k%:E * (s%:E * (k'%:E * (s'%:E * Y + r'%:E)) + r%:E) = (k * s * k' * s')%:E * Y + (k * (s * k' * r') + k * r)%:E.
Proof.
move=> k0 s0 k0' s0' r0' r0 Y0; have sY : 0 <= s'%:E * Y by rewrite mule_ge0 ?lee_fin.
have all0 : 0 <= k'%:E * (s'%:E * Y + r'%:E) by rewrite mule_ge0 ?lee_fin// adde_ge0 ?lee_fin.
rewrite ge0_muleDr; [|by rewrite mule_ge0 ?lee_fin|by rewrite lee_fin].
rewrite ge0_muleDr; [|by []|by rewrite lee_fin].
rewrite ge0_muleDr; [|by rewrite mule_ge0 ?lee_fin|by rewrite -EFinM lee_fin mulr_ge0].
rewrite ge0_muleDr; [|by rewrite !mule_ge0 ?lee_fin|by rewrite -!EFinM lee_fin !mulr_ge0].
by rewrite !muleA -!EFinM -addeA -EFinD !mulrA.
Qed.
Lemma together (rho1 rho2 w : R) (Y : \bar R) : 0 <= Y -> exists t u,
  (expR (- (a * - rho1)))%:E * tangent a t ((expR (- (b * - rho2)))%:E * tangent b u Y) <=
  (expR (- (A * - ((1 + x) * rho1 + (1 + x^-1) * rho2))))%:E * tangent A w Y.
Proof.
move=> Y0; pose rho := ((1 + x) * rho1 + (1 + x^-1) * rho2)%R.
pose t := ((A * rho + w - a * rho1 - (b + 1) * rho2) / (1 + x))%R; pose u := (x * t + rho2)%R.
exists t, u; rewrite -/rho /tangent !mulrN !opprK.
have e0 y : 0 <= (expR y)%:E :> \bar R by rewrite lee_fin expR_ge0.
have sl := slope_ge0 a0 t; have re := rest_ge0 a0 t; have slb := slope_ge0 b0 u; have reb := rest_ge0 b0 u.
have slA := slope_ge0 A0 w; have reA := rest_ge0 A0 w.
rewrite spread ?expR_ge0// ge0_muleDr; [|by rewrite mule_ge0 ?lee_fin|by rewrite lee_fin].
rewrite muleA -!EFinM le_eqVlt; apply/orP; left; apply/eqP; congr (_ * _ + _); congr (_%:E).
  transitivity (a / (1 + a) * (b / (1 + b)) * (expR (a * rho1) * expR t * expR (b * rho2) * expR u))%R; first by ring.
  rewrite slopes -!expRD [RHS]mulrCA -expRD; congr (_ * expR _)%R.
  by rewrite /u /t /rho; field; rewrite !gt_eqF.
transitivity (a / (1 + a) * (1 + b)^-1 * (expR (a * rho1) * expR t * expR (b * rho2) * expR (- (b * u))) + (1 + a)^-1 * (expR (a * rho1) * expR (- (a * t))))%R.
  by ring.
rewrite -!expRD; have -> : (a * rho1 + t + b * rho2 + - (b * u) = a * rho1 + - (a * t))%R.
  by rewrite /u /b; field; rewrite gt_eqF.
rewrite -mulrDl rests [RHS]mulrCA -expRD; congr (_ * expR _)%R.
by rewrite /t /rho /b /a; field; rewrite !gt_eqF.
Qed.
End Step.

Theorem z_step (rho1 rho2 x : R) m m1 m2 : (0 < x)%R -> zcdp out c rho1 m m1 -> zcdp out c rho2 m1 m2 ->
  zcdp out c ((1 + x) * rho1 + (1 + x^-1) * rho2) m m2.
Proof.
move=> x0 H1 H2 A A0 f F f0 F0 fF w; pose a := (A * (1 + x))%R; pose b := ((1 + a) / x)%R.
have a0 : (0 < a)%R by rewrite mulr_gt0// addr_gt0.
have b0 : (0 < b)%R by rewrite divr_gt0// addr_gt0.
pose G o := between A x (F o); have G0 o : 0 <= G o by apply: between_ge0.
have fG o : below a 0 (f o) (G o) by apply: below_between.
have GF o : below b 0 (G o) (F o) by apply: between_below.
have Y0 : 0 <= wp c (fun s => F (out s)) m2 by apply: wp_ge0 => s; exact: F0.
have [t [u le]] := together A0 x0 rho1 rho2 w Y0.
apply: (le_trans (H1 a a0 f G f0 G0 fG t)); apply: le_trans le; apply: lee_wpmul2l; first by rewrite lee_fin expR_ge0.
by apply: (tangent_le a0); exact: (H2 b b0 G F G0 F0 GF u).
Qed.
(* n steps, each with r, are n^2 r *)
Theorem z_group (r : R) (n : nat) (x : nat -> S) : (forall i, (i < n)%N -> zcdp out c r (x i) (x i.+1)) -> (0 < n)%N ->
  zcdp out c (n%:R ^+ 2 * r) (x 0%N) (x n).
Proof.
case: n => [//|n] H _; elim: n H => [|n IH] H; first by rewrite expr1n mul1r; exact: H.
have n0 : (0 < n.+1%:R :> R)%R by rewrite ltr0n.
have := z_step (_ : 0 < n.+1%:R^-1)%R (IH (fun i ni => H i (leqW ni))) (H n.+1 (leqnn _)); rewrite invr_gt0 => /(_ n0).
rewrite (_ : _ + _ = n.+2%:R ^+ 2 * r)%R// -[n.+2]addn1 natrD invrK.
by field; rewrite gt_eqF.
Qed.
Lemma zcdp_more (r r' : R) m m' : (r <= r')%R -> zcdp out c r m m' -> zcdp out c r' m m'.
Proof.
move=> rr H a a0 f F f0 F0 fF; apply: (below_cost a0 _ _ (H a a0 f F f0 F0 fF)); first by rewrite ler_opp2.
by apply: wp_ge0 => s; exact: F0.
Qed.
(* at most k steps, each with a k^2-th: also of an amount below 0, where steps forth and back make more of them *)
Theorem z_group_at_most (rho : R) (k n : nat) (x : nat -> S) : (0 < n)%N -> (n <= k)%N ->
  (forall i, (i < n)%N -> zcdp out c (rho / k%:R ^+ 2) (x i) (x i.+1) /\ zcdp out c (rho / k%:R ^+ 2) (x i.+1) (x i)) -> zcdp out c rho (x 0%N) (x n).
Proof.
move=> n0 nk H; have kn : (0 < k%:R ^+ 2 :> R)%R by rewrite exprn_gt0// ltr0n (leq_trans n0 nk).
have amount : (n%:R ^+ 2 * (rho / k%:R ^+ 2) = rho * (n%:R ^+ 2 / k%:R ^+ 2))%R by rewrite mulrCA.
have [r0|r0] := leP 0%R rho.
  apply: (zcdp_more _ (z_group (fun i ni => proj1 (H i ni)) n0)).
  rewrite amount -[leRHS]mulr1; apply: ler_wpmul2l => //; rewrite ler_pdivr_mulr// mul1r.
  by rewrite ler_expn2r ?nnegrE ?ler0n// ler_nat.
pose y i := if (i < k.*2)%N then x (odd i) else x (i - k.*2)%N.
have steps i : (i < k.*2 + n)%N -> zcdp out c (rho / k%:R ^+ 2) (y i) (y i.+1).
  move=> im; rewrite /y; have [ik|ik] := ltnP i k.*2.
    have [f b] := H 0%N n0; have [ik'|ik'] := ltnP i.+1 k.*2; first by rewrite /=; case: (odd i).
    have -> : i.+1 = k.*2 by apply/eqP; rewrite eqn_leq ik.
    rewrite subnn (_ : odd i = true)//.
    have /(congr1 odd) : i.+1 = k.*2 by apply/eqP; rewrite eqn_leq ik.
    by rewrite odd_double /= => /negbFE.
  rewrite ltnNge (leq_trans ik)//= subSn//; apply: (proj1 (H _ _)).
  by rewrite ltn_subLR.
have m0 : (0 < k.*2 + n)%N by rewrite addn_gt0 n0 orbT.
have := z_group steps m0; rewrite /y double_gt0 (leq_trans n0 nk) /= ltnNge leq_addr /= addKn; apply: zcdp_more.
have big : (k%:R ^+ 2 <= (k.*2 + n)%:R ^+ 2 :> R)%R.
  by rewrite ler_expn2r ?nnegrE ?ler0n// ler_nat -addnn -addnA leq_addr.
rewrite mulrCA -[leRHS]mulr1 ler_nmul2l// ler_pdivl_mulr// mul1r; exact: big.
Qed.
End Groups.
