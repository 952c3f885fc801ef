(* CALL (trusted/kernel/src/rules/call.rs) of programs that draw reals, and in rho.

   law_of c out m (Calls.v) is the law of what a program releases, as a law to draw from.  A theorem by equal outputs is one about all tests of what is released (equal_outputs_tests), and such a theorem is all
   that CALL needs (called_tests).  zCDP speaks of all tests too: a mechanism with a theorem in rho costs rho (z_called, CALL-RHO), and a discrete one with a theorem of epsilon, which ends with
   probability 1, epsilon^2/2 (z_called_pure, CALL-PURE). *)
From Probity Require Import Prelude.
From mathcomp.analysis Require Import signed.
From Probity Require Import Judgement Laws Finite Privacy Concentrated Bounded.
From Probity Require Export Calls.
Local Open Scope classical_set_scope.
Local Open Scope ring_scope.
Local Open Scope ereal_scope.

Section Calls.
Variables (R : realType) (S : Type).

(* privacy for all tests *)
Definition dp_tests (T O : Type) (out : T -> O) (c : stmt R T) (eps d : R) (m m' : T) := forall f : O -> \bar R, (forall o, 0 <= f o) -> (forall o, f o <= 1) ->
  wp c (fun s => f (out s)) m <= (expR eps)%:E * wp c (fun s => f (out s)) m' + d%:E.
Theorem equal_outputs_tests (T O : Type) (out : T -> O) (d eps : R) (c : stmt R T) (Phi : assn R T) :
  judge d c Phi (fun s s' k => out s = out s' /\ (k <= eps)%R) -> forall m m', Phi m m' 0%R -> dp_tests out c eps d m m'.
Proof.
move=> J m m' HP f f0 f1; have e0 : (0 <= expR eps)%R by exact: expR_ge0.
have F0 : nneg (fun s => (expR eps)%:E * f (out s)) by move=> s; rewrite mule_ge0// lee_fin.
have Hr : related (fun s s' k => out s = out s' /\ (k <= eps)%R) (fun s => f (out s)) (fun s => (expR eps)%:E * f (out s)).
  move=> s s' k [<- Hk]; rewrite muleA -EFinM -expRD -[X in X <= _]mul1e; apply: lee_wpmul2r; first exact: f0.
  by rewrite lee_fin -expR0 ler_expR addrC subr_ge0.
have := J _ _ (fun s => f0 _) (fun s => f1 _) F0 Hr m m' 0%R HP; rewrite oppr0 expR0 mul1e => HJ.
by apply: (le_trans HJ); rewrite lee_add2r//; apply: wp_scale => // s.
Qed.
(* CALL *)
Theorem called_tests (T O : Type) (c : stmt R T) (out : T -> O) (arguments : S -> T) (u : S -> O -> S) (eps delta : R) (Phi Psi : assn R S) :
  (forall m m' k, Phi m m' k -> dp_tests out c eps delta (arguments m) (arguments m') /\ forall y, Psi (u m y) (u m' y) (k + eps)%R) ->
  judge delta (Draw (fun s => law_of c out (arguments s)) u) Phi Psi.
Proof.
move=> H f F f0 f1 F0 Hr m m' k /H[near HP].
apply: (le_trans (near (fun y => f (u m y)) (fun y => f0 _) (fun y => f1 _))); apply: lee_add => //.
pose D := law_of c out (arguments m').
apply: (@le_trans _ _ ((expR eps)%:E * D (fun y => (expR (- (k + eps)))%:E * F (u m' y)))).
  apply: lee_wpmul2l; first by rewrite lee_fin expR_ge0.
  rewrite -[X in X <= _]/(D (fun y => f (u m y))); apply: ev_le => y; first exact: f0.
  by apply: Hr; exact: HP.
by rewrite ev_scale ?expR_ge0// muleA -EFinM -expRD opprD addrCA subrr addr0.
Qed.

(* CALL-RHO *)
Theorem z_called (T O : Type) (c : stmt R T) (out : T -> O) (arguments : S -> T) (u : S -> O -> S) (rho : R) (Phi Psi : assn R S) :
  (forall m m' k, Phi m m' k -> zcdp out c rho (arguments m) (arguments m') /\ forall y, Psi (u m y) (u m' y) (k + rho)%R) ->
  zjudge (Draw (fun s => law_of c out (arguments s)) u) Phi Psi.
Proof.
move=> H; apply: z_sample => m m' k /H[near HP]; exists (fun=> True), rho; split=> // a a0 f F j f0 F0 fF t.
pose e := expR (a * (j + rho)); have e0 : (0 < e)%R := expR_gt0 _; have ei : (0 <= e^-1)%R by rewrite invr_ge0 ltW.
pose g o := e%:E * f o; have g0 o : 0 <= g o by rewrite mule_ge0// lee_fin ltW.
have gF o : below a 0 (g o) (F o).
  move=> w; rewrite mulr0 oppr0 expR0 mul1e; have := lee_wpmul2l (_ : 0 <= e%:E) (fF o I w); rewrite lee_fin => /(_ (ltW e0)).
  by rewrite muleA -EFinM -expRD subrr expR0 mul1e.
have := near a a0 g F g0 F0 gF t; rewrite -[X in X <= _]/(law_of c out (arguments m) g) ev_scale ?(ltW e0)// => le.
have := lee_wpmul2l (_ : 0 <= e^-1%:E) le; rewrite lee_fin => /(_ ei).
rewrite !muleA -!EFinM mulVf ?gt_eqF// mul1e => le'; apply: (le_trans le'); rewrite /e -expRN -expRD.
by rewrite (_ : - (a * (j + rho)) + - (a * - rho) = - (a * j))%R//; ring.
Qed.

(* CALL-PURE *)
Theorem z_called_pure (O : choiceType) (D : S -> law R O) (u : S -> O -> S) (eps : R) (Phi Psi : assn R S) :
  (* discrete laws: the sum of their masses *)
  (forall s f, (forall o, 0 <= f o) -> D s f = \esum_(o in [set: O]) (D s (@one_at R O o) * f o)) ->
  (forall m m' k, Phi m m' k -> [/\ D m (fun=> 1) = 1, D m' (fun=> 1) = 1,
     forall o, D m (@one_at R O o) <= (expR eps)%:E * D m' (@one_at R O o),
     forall o, D m' (@one_at R O o) <= (expR eps)%:E * D m (@one_at R O o) &
     forall y, Psi (u m y) (u m' y) (k + eps * eps / 2)%R]) ->
  zjudge (Draw D u) Phi Psi.
Proof.
move=> masses H; apply: z_sample => m m' k /H[total total' near near' HP]; exists (fun=> True), (eps * eps / 2)%R; split=> // a a0.
have one0 o z : 0 <= @one_at R O o z by rewrite /one_at; case: ifP => _; rewrite ?lee01.
have one1 o z : @one_at R O o z <= 1 by rewrite /one_at; case: ifP => _; rewrite ?lee01.
have fin s o : D s (@one_at R O o) \is a fin_num.
  rewrite ge0_fin_numE ?ev_ge0//; apply: (@le_lt_trans _ _ 1); last exact: ltry.
  apply: (@le_trans _ _ (D s (fun=> 0 + 1%:E))); first by apply: ev_le => // z; rewrite add0e.
  by have := @ev_addc _ _ (D s) 1%R (fun=> 0) ler01 (fun=> lexx _); rewrite Judgement.ev0 add0e.
pose p s o := fine (D s (@one_at R O o)); have pE s o : (p s o)%:E = D s (@one_at R O o) by rewrite /p fineK.
have p0 s o : (0 <= p s o)%R by apply: fine_ge0; apply: ev_ge0.
have range : ((eps - - eps) ^+ 2 <= 8%:R * (eps * eps / 2))%R.
  by rewrite le_eqVlt; apply/orP; left; apply/eqP; field.
apply: (@zstar_range R a (eps * eps / 2)%R (- eps)%R eps _ _ _ _ (summation_esum R O) a0 range _ _ id _ (p m) (p m')) => //.
- by move=> f f0; rewrite masses//; apply: eq_esum => o _; rewrite pE.
- by move=> f f0; rewrite masses//; apply: eq_esum => o _; rewrite pE.
- move=> o; have := near' o; rewrite -!pE -EFinM lee_fin => h.
  by have := ler_wpmul2l (expR_ge0 (- eps)) h; rewrite mulrA -expRD addNr expR0 mul1r.
- by move=> o; have := near o; rewrite -!pE -EFinM lee_fin.
Qed.
End Calls.
