(* Two rules that take a theorem about a part of a program for a step: SELECT (selected), from a proof for each value of a variable, and CALL (called),
   from the privacy of a mechanism that is drawn from.

   Both sum over outcomes, so they ask for additive expectations, as PW-EQ does: SELECT for countable sums of multiples of the indicators of y = r, CALL for finite
   sums.  Discrete programs have them on all tests (Additive.v). *)
From Probity Require Import Prelude.
From mathcomp.analysis Require Import signed.
From Probity Require Import Judgement Laws Additive Privacy.
From Probity Require Rules.
Local Open Scope classical_set_scope.
Local Open Scope ring_scope.
Local Open Scope ereal_scope.

Lemma wp_scale_eq (R : realType) (S : Type) (x : R) (c : stmt R S) f m : (0 < x)%R -> nneg f -> wp c (fun s => x%:E * f s) m = x%:E * wp c f m.
Proof.
move=> x0 f0; apply/eqP; rewrite eq_le (wp_scale (ltW x0))//=.
have xf0 : nneg (fun s => x%:E * f s) by move=> s; rewrite mule_ge0// lee_fin ltW.
have := @wp_scale R S x^-1%R _ c _ xf0 m; rewrite invr_ge0 => /(_ (ltW x0)) H.
rewrite -(@lee_pmul2l _ x^-1%:E)// ?lte_fin ?invr_gt0// muleA -EFinM mulVf ?gt_eqF// mul1e.
apply: le_trans H; apply: wp_le => // s.
by rewrite muleA -EFinM mulVf ?gt_eqF// mul1e.
Qed.

(* the law of what a program releases, as a law to draw from *)
Section LawOf.
Variables (R : realType) (T O : Type) (c : stmt R T) (out : T -> O) (m : T).
Definition released (f : O -> \bar R) := wp c (fun s => f (out s)) m.
Lemma released_ge0 f : (forall o, 0 <= f o) -> 0 <= released f.
Proof. by move=> f0; apply: wp_ge0 => s. Qed.
Lemma released_le f g : (forall o, 0 <= f o) -> (forall o, f o <= g o) -> released f <= released g.
Proof. by move=> f0 fg; apply: wp_le => s. Qed.
Lemma released_scale (k : R) f : (0 <= k)%R -> (forall o, 0 <= f o) -> released (fun o => k%:E * f o) = k%:E * released f.
Proof.
rewrite le_eqVlt => /orP[/eqP <-|k0] f0; last by apply: (wp_scale_eq c m k0) => s.
apply/eqP; rewrite mul0e eq_le; apply/andP; split; last by apply: wp_ge0 => s; rewrite mul0e.
by have := @wp_scale R T 0%R (lexx _) c (fun s => f (out s)) (fun s => f0 _) m; rewrite mul0e.
Qed.
Lemma released_addc (d : R) f : (0 <= d)%R -> (forall o, 0 <= f o) -> released (fun o => f o + d%:E) <= released f + d%:E.
Proof. by move=> d0 f0; apply: (wp_addc d0) => s. Qed.
Definition law_of : law R O := Law released_ge0 released_le released_scale released_addc.
End LawOf.

Section Calls.
Variables (R : realType) (S : Type).
Implicit Types (c : stmt R S).

(* ---- SELECT ---- *)
Section Select.
Variable good : (S -> \bar R) -> Prop.
Hypothesis good0 : good (fun=> 0).
(* judgements for tests of the class are enough, and what follows is one for all tests *)
Theorem selected_for (O : countType) (y : S -> O) (a K : R) c (Phi : S -> S -> Prop) :
  additive good c -> (forall r (x : R), (0 <= x)%R -> good (fun s => x%:E * ind R (fun s => y s = r) s)) ->
  (forall r, judge_for good 0 c (fun s s' k => Phi s s' /\ k = 0%R) (fun s s' k => y s = r -> y s' = r /\ (k <= a)%R)) ->
  judge 0 c (fun s s' k => Phi s s' /\ (k <= K)%R) (fun s s' k => y s = y s' /\ (k <= K + a)%R).
Proof.
move=> [_ add] gy J f F f0 f1 F0 H m m' k [HP kK]; rewrite adde0.
pose A r := [set x | x = 0 \/ exists2 s, y s = r & x = f s].
pose g r := ereal_sup (A r).
have g0 r : 0 <= g r by apply: ereal_sup_ub; left.
have g1 r : g r <= 1 by apply: ub_ereal_sup => _ [->|[s _ ->]]; [exact: lee01|exact: f1].
have fin r : g r \is a fin_num by rewrite ge0_fin_numE//; apply: (le_lt_trans (g1 r)); exact: ltry.
have fg s : f s <= g (y s) by apply: ereal_sup_ub; right; exists s.
pose e := expR (- (K + a)).
have gF s' : g (y s') <= e%:E * F s'.
  apply: ub_ereal_sup => _ [->|[s ys ->]]; first by rewrite mule_ge0 ?lee_fin ?expR_ge0.
  by apply: H; split.
pose h n s := if pickle (y s) == n then g (y s) else 0.
have h0 n : nneg (h n) by move=> s; rewrite /h; case: ifP.
have hE n : h n = (fun=> 0) \/ exists2 r, (0 < fine (g r))%R & h n = fun s => (fine (g r))%:E * ind R (fun s => y s = r) s.
  have [[r [rn gr]]|no] := pselect (exists r : O, pickle r = n /\ (0 < fine (g r))%R).
    right; exists r => //; apply/funext => s; rewrite /h /ind fineK//; have [ys|ys] := pselect (y s = r).
      by rewrite ys rn eqxx asboolT// mule1.
    rewrite asboolF// mule0; case: ifP => // /eqP os; case: ys.
    by apply: (pcan_inj pickleK); rewrite os rn.
  left; apply/funext => s; rewrite /h; case: ifP => // /eqP os.
  apply/eqP; rewrite eq_le g0 andbT leNgt; apply/negP => gpos; apply: no; exists (y s); split=> //.
  by rewrite -lte_fin fineK.
have gh n : good (h n) by have [->//|[r r0 ->]] := hE n; apply: gy; exact: ltW.
have sumE : (fun s => g (y s)) = fun s => \sum_(n <oo) h n s.
  apply/funext => s; rewrite (@series_only _ _ (pickle (y s))) => [|n|n nk]; last first.
  - by rewrite /h eq_sym (negPf nk).
  - exact: h0.
  by rewrite /h eqxx.
have z t : wp c (fun=> 0) t = 0.
  apply/eqP; rewrite eq_le wp_ge0// andbT.
  by have := @wp_scale R S 0%R (lexx _) c (fun=> 0) (fun=> lexx _) t; rewrite !mul0e.
have gi r : good (ind R (fun s => y s = r)).
  by have := gy r 1%R ler01; rewrite (_ : (fun s => _) = ind R (fun s => y s = r))//; apply/funext => s; rewrite mul1e.
have step n : wp c (h n) m <= (expR a)%:E * wp c (h n) m'.
  have [->|[r r0 ->]] := hE n; first by rewrite !z mule0.
  rewrite !wp_scale_eq//; try exact: ind_ge0.
  rewrite muleCA; apply: lee_wpmul2l; first by rewrite lee_fin ltW.
  exact: (pointwise_for (gi r) (J r) (conj HP erefl)).
have sum_le : wp c (fun s => g (y s)) m <= (expR a)%:E * wp c (fun s => g (y s)) m'.
  rewrite sumE add//= -nneseriesrM; last by move=> n _; exact: wp_ge0.
  by apply: lee_nneseries => n _; [exact: wp_ge0|exact: step].
apply: (@le_trans _ _ (wp c (fun s => g (y s)) m)); first exact: wp_le.
apply: (le_trans sum_le).
apply: (@le_trans _ _ ((expR a)%:E * (e%:E * wp c F m'))).
  apply: lee_wpmul2l; first by rewrite lee_fin expR_ge0.
  apply: (@le_trans _ _ (wp c (fun s => e%:E * F s) m')); first by apply: wp_le => // s; exact: g0.
  by apply: wp_scale => //; exact: expR_ge0.
rewrite muleA -EFinM -expRD; apply: lee_wpmul2r; first exact: wp_ge0.
by rewrite lee_fin ler_expR opprD addrCA subrr addr0 ler_opp2.
Qed.
Theorem selected (O : countType) (y : S -> O) (a K : R) c (Phi : S -> S -> Prop) :
  additive good c -> (forall r (x : R), (0 <= x)%R -> good (fun s => x%:E * ind R (fun s => y s = r) s)) ->
  (forall r, judge 0 c (fun s s' k => Phi s s' /\ k = 0%R) (fun s s' k => y s = r -> y s' = r /\ (k <= a)%R)) ->
  judge 0 c (fun s s' k => Phi s s' /\ (k <= K)%R) (fun s s' k => y s = y s' /\ (k <= K + a)%R).
Proof. by move=> add gy J; apply: selected_for => // r; exact: judge_any. Qed.
End Select.

(* ---- CALL ---- *)
Definition finitely_additive A (D : law R A) := forall f g : A -> \bar R, (forall a, 0 <= f a) -> (forall a, 0 <= g a) ->
  D (fun a => f a + g a) = D f + D g.
Definition charf A (E : A -> Prop) (a : A) : \bar R := if `[< E a >] then 1 else 0.

(* privacy for all sets is privacy for all tests *)
Lemma tests_of_sets A (D D' : law R A) (eps delta : R) : (0 <= delta)%R -> finitely_additive D -> finitely_additive D' ->
  (forall E : A -> Prop, D (charf E) <= (expR eps)%:E * D' (charf E) + delta%:E) ->
  forall f : A -> \bar R, (forall a, 0 <= f a) -> (forall a, f a <= 1) -> D f <= (expR eps)%:E * D' f + delta%:E.
Proof.
move=> d0 addD addD' H f f0 f1.
have ch0 E a : 0 <= charf E a by rewrite /charf; case: ifP => _; [exact: lee01|exact: lexx].
have e0 : (0 <= expR eps)%R by exact: expR_ge0.
have half : (0 <= (2 : R)^-1)%R by rewrite invr_ge0 ler0n.
have D0 g : (forall a, 0 <= g a) -> 0 <= D' g by move=> g0; exact: ev_ge0.
(* half of the set where f is large, half of what is left, and so on *)
suff H2 n (g : A -> R) : (forall a, 0 <= g a <= 1)%R -> D (EFin \o g) <= (expR eps)%:E * D' (EFin \o g) + (delta + 2^-1 ^+ n)%:E.
  have fE : f = EFin \o (fun a => fine (f a)).
    by apply/funext => a /=; rewrite fineK// ge0_fin_numE//; apply: (le_lt_trans (f1 a)); exact: ltry.
  have r01 a : (0 <= fine (f a) <= 1)%R.
    by rewrite fine_ge0//= -lee_fin fineK// ge0_fin_numE//; apply: (le_lt_trans (f1 a)); exact: ltry.
  rewrite fE; apply: lee_adde => x;
  have [n nx] : exists n, ((2 : R)^-1 ^+ n <= x%:num)%R.
    have xi : (0 <= x%:num^-1)%R by rewrite invr_ge0.
    have h := archi_boundP xi.
    exists (Num.bound x%:num^-1); rewrite exprVn -[leRHS]invrK lef_pinv ?posrE ?exprn_gt0 ?invr_gt0//.
    by apply: (le_trans (ltW h)); rewrite -natrX ler_nat ltnW// ltn_expl.
  apply: (le_trans (H2 n _ r01)); rewrite -addeA -EFinD; apply: lee_add => //.
  by rewrite lee_fin ler_add2l.
elim: n g => [|n IH] g g01.
  rewrite expr0; apply: (@le_trans _ _ 1).
    apply: (@le_trans _ _ (D (fun a => 0 + 1%:E))); first by apply: ev_le => a; rewrite ?add0e lee_fin; case/andP: (g01 a).
    by have := @ev_addc _ _ D 1%R (fun=> 0) ler01 (fun=> lexx _); rewrite Judgement.ev0 add0e.
  apply: (@le_trans _ _ (delta + 1)%:E); first by rewrite lee_fin ler_addr.
  by rewrite lee_addr// mule_ge0 ?lee_fin// D0// => a; rewrite lee_fin; case/andP: (g01 a).
pose E a := is_true (2^-1 <= g a)%R.
pose g1 a := (if (2^-1 <= g a)%R then g a *+ 2 - 1 else g a *+ 2)%R.
have g101 a : (0 <= g1 a <= 1)%R.
  case/andP: (g01 a) => l h; rewrite /g1; case: ifPn => [big|].
    rewrite subr_ge0 ler_subl_addr mulr2n; apply/andP; split; last exact: ler_add.
    by rewrite -(half2 R); exact: ler_add.
  rewrite -ltNge => small; rewrite mulrn_wge0//=; apply: ltW.
  by rewrite -(half2 R) mulr2n; exact: ltr_add.
have gE : EFin \o g = fun a => 2^-1%:E * charf E a + 2^-1%:E * (EFin \o g1) a.
  apply/funext => a; rewrite /charf /E /g1 /=; case: asboolP => [->|/negP/negPf ->]; rewrite ?mule1 ?mule0 ?add0e -?EFinM -?EFinD;
    congr EFin; by field.
have c0 a : 0 <= 2^-1%:E * charf E a by rewrite mule_ge0 ?lee_fin.
have c1 a : 0 <= 2^-1%:E * (EFin \o g1) a by rewrite mule_ge0 ?lee_fin//; case/andP: (g101 a).
have g10 a : 0 <= (EFin \o g1) a by rewrite /= lee_fin; case/andP: (g101 a).
rewrite gE addD// addD'// !ev_scale//.
apply: (@le_trans _ _ (2^-1%:E * ((expR eps)%:E * D' (charf E) + delta%:E) +
    2^-1%:E * ((expR eps)%:E * D' (EFin \o g1) + (delta + 2^-1 ^+ n)%:E))).
  by apply: lee_add; (apply: lee_wpmul2l; first by rewrite lee_fin); [exact: H|exact: IH].
have x0 : 0 <= D' (charf E) by exact: D0.
have y0 : 0 <= D' (EFin \o g1) by exact: D0.
have p0 : (0 <= delta + 2^-1 ^+ n)%R by rewrite addr_ge0 ?exprn_ge0.
rewrite !ge0_muleDr ?mule_ge0 ?lee_fin// ?D0// -!EFinM !muleA -!EFinM.
rewrite addeACA -EFinD ![(2^-1 * expR eps)%R]mulrC; apply: lee_add => //; rewrite lee_fin.
by rewrite exprS le_eqVlt; apply/orP; left; apply/eqP; field.
Qed.

(* the call has a theorem: y' = y at cost eps, up to delta *)
Theorem called A (D : S -> law R A) (u : S -> A -> S) (Phi Psi : assn R S) (eps delta : R) : (0 <= delta)%R ->
  (forall s, finitely_additive (D s)) ->
  (forall m m' k, Phi m m' k -> (forall E : A -> Prop, D m (charf E) <= (expR eps)%:E * D m' (charf E) + delta%:E) /\
     forall y, Psi (u m y) (u m' y) (k + eps)%R) ->
  judge delta (Draw D u) Phi Psi.
Proof.
move=> d0 add H f F f0 f1 F0 Hr m m' k /H[near HP] /=.
apply: (le_trans (tests_of_sets d0 (add m) (add m') near (fun a => f0 (u m a)) (fun a => f1 (u m a)))).
apply: lee_add => //.
apply: (@le_trans _ _ ((expR eps)%:E * D m' (fun a => (expR (- (k + eps)))%:E * F (u m' a)))).
  apply: lee_wpmul2l; first by rewrite lee_fin expR_ge0.
  by apply: ev_le => a; [exact: f0|apply: Hr; exact: HP].
by rewrite ev_scale ?expR_ge0// muleA -EFinM -expRD opprD addrCA subrr addr0.
Qed.
End Calls.
