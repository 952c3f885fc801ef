(* CALL of a mechanism that releases a real number, with a theorem about measurable sets of what it releases (section 9b of docs/logic.md), however that was proved.

   Half of a measurable test is half of the set where it is large and half of a measurable test again; so what holds of sets holds of tests, up to what is left after n steps (tests_of_measurable_sets), as it
   does for all sets of countably many values in Calls.v.  The judgement is one for tests that are measurable in what is drawn (call_measurable); nothing is asked of the second run's; also where a call pays only if its arguments differ (call_measurable_if_different).  What a program releases
   adds up on measurable tests if its expectations do (released_adds).  Read: adds, call_measurable. *)
From Probity Require Import PreludeIntegral Judgement Laws Additive Privacy Calls.
Local Open Scope classical_set_scope.
Local Open Scope ring_scope.
Local Open Scope ereal_scope.

Section Sets.
Variables (R : realType) (d : measure_display) (T : measurableType d).
Definition adds (D : law R T) := forall f g : T -> \bar R, (forall a, 0 <= f a) -> (forall a, 0 <= g a) ->
  measurable_fun setT f -> measurable_fun setT g -> D (fun a => f a + g a) = D f + D g.

Lemma charf_indic (E : set T) : charf R E = fun a => (\1_E a)%:E.
Proof.
apply/funext => a; rewrite /charf indicE; case: asboolP => H; first by rewrite mem_set.
by rewrite memNset.
Qed.
Lemma charf_measurable (E : set T) : measurable E -> measurable_fun setT (charf R E).
Proof. by move=> mE; rewrite charf_indic; apply/EFin_measurable_fun; exact: measurable_fun_indic. Qed.

Theorem tests_of_measurable_sets (D D' : law R T) (eps delta : R) : (0 <= delta)%R -> adds D -> adds D' ->
  (forall E : set T, measurable E -> D (charf R E) <= (expR eps)%:E * D' (charf R E) + delta%:E) ->
  forall f : T -> \bar R, measurable_fun setT f -> (forall a, 0 <= f a) -> (forall a, f a <= 1) -> D f <= (expR eps)%:E * D' f + delta%:E.
Proof.
move=> d0 addD addD' H f mf f0 f1.
have ch0 E a : 0 <= charf R E a by rewrite /charf; case: ifP => _; [exact: lee01|exact: lexx].
have e0 : (0 <= expR eps)%R by exact: expR_ge0.
have half : (0 <= (2 : R)^-1)%R by rewrite invr_ge0 ler0n.
have D0 g : (forall a, 0 <= g a) -> 0 <= D' g by move=> g0; exact: ev_ge0.
suff H2 n (g : T -> R) : measurable_fun setT (EFin \o g) -> (forall a, 0 <= g a <= 1)%R -> D (EFin \o g) <= (expR eps)%:E * D' (EFin \o g) + (delta + 2^-1 ^+ n)%:E.
  have fE : f = EFin \o (fun a => fine (f a)).
    by apply/funext => a /=; rewrite fineK// ge0_fin_numE//; apply: (le_lt_trans (f1 a)); exact: ltry.
  have r01 a : (0 <= fine (f a) <= 1)%R.
    by rewrite fine_ge0//= -lee_fin fineK// ge0_fin_numE//; apply: (le_lt_trans (f1 a)); exact: ltry.
  have mfE : measurable_fun setT (EFin \o (fun a => fine (f a))) by rewrite -fE.
  rewrite fE; apply: lee_adde => x;
  have [n nx] : exists n, ((2 : R)^-1 ^+ n <= x%:num)%R.
    have xi : (0 <= x%:num^-1)%R by rewrite invr_ge0.
    have h := archi_boundP xi.
    exists (Num.bound x%:num^-1); rewrite exprVn -[leRHS]invrK lef_pinv ?posrE ?exprn_gt0 ?invr_gt0//.
    by apply: (le_trans (ltW h)); rewrite -natrX ler_nat ltnW// ltn_expl.
  apply: (le_trans (H2 n _ mfE r01)); rewrite -addeA -EFinD; apply: lee_add => //.
  by rewrite lee_fin ler_add2l.
elim: n g => [|n IH] g mg g01.
  rewrite expr0; apply: (@le_trans _ _ 1).
    apply: (@le_trans _ _ (D (fun a => 0 + 1%:E))); first by apply: ev_le => a; rewrite ?add0e lee_fin; case/andP: (g01 a).
    by have := @ev_addc _ _ D 1%R (fun=> 0) ler01 (fun=> lexx _); rewrite Judgement.ev0 add0e.
  apply: (@le_trans _ _ (delta + 1)%:E); first by rewrite lee_fin ler_addr.
  by rewrite lee_addr// mule_ge0 ?lee_fin// D0// => a; rewrite lee_fin; case/andP: (g01 a).
pose E : set T := [set a | (2^-1 <= g a)%R].
have mE : measurable E.
  rewrite (_ : E = setT `&` [set a | (2^-1)%:E <= (EFin \o g) a]); first exact: emeasurable_fun_c_infty.
  by apply/seteqP; split=> a /=; rewrite /E /= lee_fin; [split|case].
pose g1 a := (if (2^-1 <= g a)%R then g a *+ 2 - 1 else g a *+ 2)%R.
have g101 a : (0 <= g1 a <= 1)%R.
  case/andP: (g01 a) => l h; rewrite /g1; case: ifPn => [big|].
    rewrite subr_ge0 ler_subl_addr mulr2n; apply/andP; split; last exact: ler_add.
    by rewrite -(half2 R); exact: ler_add.
  rewrite -ltNge => small; rewrite mulrn_wge0//=; apply: ltW.
  by rewrite -(half2 R) mulr2n; exact: ltr_add.
have mr : measurable_fun setT g by apply/EFin_measurable_fun.
have mg1 : measurable_fun setT (EFin \o g1).
  apply/EFin_measurable_fun; rewrite (_ : g1 = fun a => ((g a + g a) + - \1_E a)%R).
    apply: measurable_funD; first exact: measurable_funD.
    by apply: measurable_funN; exact: measurable_fun_indic.
  apply/funext => a; rewrite /g1 indicE -mulr2n; case: ifPn => [big|small]; first by rewrite mem_set.
  by rewrite memNset ?subr0//; exact/negP.
have gE : EFin \o g = fun a => 2^-1%:E * charf R E a + 2^-1%:E * (EFin \o g1) a.
  apply/funext => a; rewrite /charf /E /g1 /=; case: asboolP => [->|/negP/negPf ->]; rewrite ?mule1 ?mule0 ?add0e -?EFinM -?EFinD;
    congr EFin; by field.
have c0 a : 0 <= 2^-1%:E * charf R E a by rewrite mule_ge0 ?lee_fin.
have c1 a : 0 <= 2^-1%:E * (EFin \o g1) a by rewrite mule_ge0 ?lee_fin//; case/andP: (g101 a).
have g10 a : 0 <= (EFin \o g1) a by rewrite /= lee_fin; case/andP: (g101 a).
have m0 : measurable_fun setT (fun a => 2^-1%:E * charf R E a).
  by apply: emeasurable_funM; [exact: measurable_fun_cst|exact: charf_measurable].
have m1 : measurable_fun setT (fun a => 2^-1%:E * (EFin \o g1) a).
  by apply: emeasurable_funM; [exact: measurable_fun_cst|exact: mg1].
rewrite gE addD// addD'// !ev_scale//.
apply: (@le_trans _ _ (2^-1%:E * ((expR eps)%:E * D' (charf R E) + delta%:E) +
    2^-1%:E * ((expR eps)%:E * D' (EFin \o g1) + (delta + 2^-1 ^+ n)%:E))).
  by apply: lee_add; (apply: lee_wpmul2l; first by rewrite lee_fin); [exact: H|exact: IH].
have x0 : 0 <= D' (charf R E) by exact: D0.
have y0 : 0 <= D' (EFin \o g1) by exact: D0.
have p0 : (0 <= delta + 2^-1 ^+ n)%R by rewrite addr_ge0 ?exprn_ge0.
rewrite !ge0_muleDr ?mule_ge0 ?lee_fin// ?D0// -!EFinM !muleA -!EFinM.
rewrite addeACA -EFinD ![(2^-1 * expR eps)%R]mulrC; apply: lee_add => //; rewrite lee_fin.
by rewrite exprS le_eqVlt; apply/orP; left; apply/eqP; field.
Qed.

(* the call has a theorem: y' = y at the price, up to delta *)
Theorem call_measurable (S : Type) (D : S -> law R T) (u : S -> T -> S) (price : S -> S -> R -> R) (delta : R) (Phi Psi : assn R S) : (0 <= delta)%R ->
  (forall s, adds (D s)) ->
  (forall m m' k, Phi m m' k ->
     (forall E : set T, measurable E -> D m (charf R E) <= (expR (price m m' k))%:E * D m' (charf R E) + delta%:E) /\
     forall y, Psi (u m y) (u m' y) (k + price m m' k)%R) ->
  judge_for (fun f => forall m, measurable_fun setT (fun y => f (u m y))) delta (Draw D u) Phi Psi.
Proof.
move=> d0 add H f F mf f0 f1 F0 Hr m m' k /H[near HP] /=.
apply: (le_trans (tests_of_measurable_sets d0 (add m) (add m') near (mf m) (fun a => f0 (u m a)) (fun a => f1 (u m a)))).
apply: lee_add => //.
apply: (@le_trans _ _ ((expR (price m m' k))%:E * D m' (fun a => (expR (- (k + price m m' k)))%:E * F (u m' a)))).
  apply: lee_wpmul2l; first by rewrite lee_fin expR_ge0.
  by apply: ev_le => a; [exact: f0|apply: Hr; exact: HP].
by rewrite ev_scale ?expR_ge0// muleA -EFinM -expRD opprD addrCA subrr addr0.
Qed.

(* ... only where the arguments differ *)
Theorem call_measurable_if_different (S P : Type) (D : P -> law R T) (arguments : S -> P) (u : S -> T -> S) (price : S -> S -> R -> R) (delta : R)
    (Phi Psi : assn R S) : (0 <= delta)%R -> (forall p, adds (D p)) ->
  (forall m m' k, Phi m m' k ->
     (arguments m = arguments m' \/
      forall E : set T, measurable E -> D (arguments m) (charf R E) <= (expR (price m m' k))%:E * D (arguments m') (charf R E) + delta%:E) /\
     forall y, Psi (u m y) (u m' y) (k + if `[< arguments m = arguments m' >] then 0 else price m m' k)%R) ->
  judge_for (fun f => forall m, measurable_fun setT (fun y => f (u m y))) delta (Draw (fun s => D (arguments s)) u) Phi Psi.
Proof.
move=> d0 add H; pose paid m m' k := (if `[< arguments m = arguments m' >] then 0 else price m m' k)%R.
apply: (@call_measurable S (fun s => D (arguments s)) u paid delta Phi Psi d0 (fun s => add _)) => m m' k HP.
have [near after] := H m m' k HP; split=> // E mE; rewrite /paid; case: asboolP => [->|ne]; last by case: near => // near; exact: near.
by rewrite expR0 mul1e lee_addl// lee_fin.
Qed.

(* the law of what a program releases *)
Theorem released_adds (S : Type) (good : (S -> \bar R) -> Prop) (c : stmt R S) (out : S -> T) m : good (fun=> 0) -> additive good c ->
  (forall f : T -> \bar R, measurable_fun setT f -> good (fun s => f (out s))) -> adds (law_of c out m).
Proof.
move=> good0 Hc gout f g f0 g0 mf mg; pose h (i : nat) s := (if i is 0 then f (out s) else g (out s)).
have := @wp_finite R S good good0 c Hc 2 h.
rewrite (_ : (fun t => _) = fun s => f (out s) + g (out s)); last first.
  by apply/funext => t; rewrite !big_nat_recr//= big_geq// add0e.
rewrite -[LHS]/(wp c (fun s => f (out s) + g (out s)) m) => ->; first by rewrite !big_nat_recr//= big_geq// add0e.
- by move=> [|i] s; [exact: f0|exact: g0].
- by move=> [|i]; [exact: (gout f mf)|exact: (gout g mg)].
Qed.
End Sets.
