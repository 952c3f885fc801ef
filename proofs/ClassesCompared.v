(* The rules for programs in rho and mu (Compared.v) for tests of a class, as CALL-PURE leaves its judgement for a mechanism that draws reals (Ratio.v): CONSEQ, SEQ, COND, FOR, FOR-ONCE, FRAME, and
   what follows of the outputs.

   The class is one of the second run's tests: nothing is asked of the first run's.  It is closed under what a program makes of a test (carries), and under tests that are infinite where a state does not agree
   with another.  What follows of the outputs is zCDP for tests of a class (zcdp_for); a set of outputs that is in it has the epsilon and delta of ZCDP-ORDER and ZCDP-TAIL.
   And a call pays for a theorem in rho that is one for tests of a class (z_called_for).
   Read: cjudge_for, zcdp_for, z_equal_outputs_for. *)
From Probity Require Import PreludeIntegral Judgement Laws Density Privacy Compared Concentrated Called Ratio.
From Probity Require Rules Once.
Local Open Scope classical_set_scope.
Local Open Scope ring_scope.
Local Open Scope ereal_scope.

Section Classes.
Variables (R : realType) (M : reading R) (S : Type) (G : (S -> \bar R) -> Prop).
Implicit Types (c : stmt R S) (Phi Theta Psi : assn R S).
Definition cjudge_for (G : (S -> \bar R) -> Prop) c Phi Psi := forall a, index M a -> forall f F, nneg f -> nneg F -> G F ->
  crelated M a Psi f F -> forall m m' k, Phi m m' k -> compared M a k (wp c f m) (wp c F m').
Definition carries c := forall F, nneg F -> G F -> G (wp c F).

Theorem c_any_for c Phi Psi : cjudge M c Phi Psi -> cjudge_for G c Phi Psi.
Proof. by move=> J a a0 f F f0 F0 _; exact: J. Qed.
Theorem c_strengthen_for c Phi Phi' Psi : (forall s s' k, Phi s s' k -> Phi' s s' k) -> cjudge_for G c Phi' Psi -> cjudge_for G c Phi Psi.
Proof. by move=> Hp J a a0 f F f0 F0 GF H m m' k /Hp; exact: J. Qed.
Theorem c_weaken_for c Phi Psi Psi' : (forall s s' k, Psi s s' k -> Psi' s s' k) -> cjudge_for G c Phi Psi -> cjudge_for G c Phi Psi'.
Proof. by move=> Hp J a a0 f F f0 F0 GF H; apply: (J a a0) => // s s' k /Hp; exact: H. Qed.
Theorem c_seq_for (G' : (S -> \bar R) -> Prop) c d Phi Theta Psi : (forall F, nneg F -> G F -> G' (wp d F)) ->
  cjudge_for G' c Phi Theta -> cjudge_for G d Theta Psi -> cjudge_for G (Seq c d) Phi Psi.
Proof.
move=> car Jc Jd a a0 f F f0 F0 GF H; apply: (Jc a a0 (wp d f) (wp d F)); [exact: wp_ge0|exact: wp_ge0|exact: car|].
exact: Jd.
Qed.
Theorem c_cond_for (g : S -> bool) c1 c2 Phi Theta Psi : cjudge_for G c1 Phi Psi -> cjudge_for G c2 Theta Psi ->
  cjudge_for G (If g c1 c2) (fun s s' k => [/\ g s = g s', g s -> Phi s s' k & ~~ g s -> Theta s s' k]) Psi.
Proof.
move=> J1 J2 a a0 f F f0 F0 GF H m m' k [/= <- H1 H2].
by case: (g m) H1 H2 => H1 H2; [apply: (J1 a a0) => //; exact: H1|apply: (J2 a a0) => //; exact: H2].
Qed.
Theorem c_for_loop_for (from to : int) (c : int -> stmt R S) (Phi I : int -> assn R S) : (forall i, carries (c i)) -> (from <= to)%R ->
  (forall i, cjudge_for G (c i) (Phi i) (I (i + 1)%R)) ->
  (forall i s s' k, (from <= i < to)%R -> I i s s' k -> Phi i s s' k) ->
  cjudge_for G (For from to c) (I from) (I to).
Proof.
move=> car ab J keeps a a0 f F f0 F0 GF Hr m m' k HI /=.
have W0 n i h : nneg h -> nneg (seqn n i (fun i => wp (c i)) h) by move=> h0; apply: seqn_ge0 => // ? ?; exact: wp_ge0.
have WG n i : G (seqn n i (fun i => wp (c i)) F) by elim: n i => [|n IH] i //=; apply: car; [exact: W0|exact: IH].
suff H n i : (from <= i)%R -> (i + n%:Z = to)%R -> forall m m' k, I i m m' k ->
    compared M a k (seqn n i (fun i => wp (c i)) f m) (seqn n i (fun i => wp (c i)) F m').
  by apply: H => //; rewrite /rounds ab gez0_abs ?subr_ge0// addrCA subrr addr0.
elim: n i => [|n IH] i ai it {}m {}m' {}k {}HI; first by apply: Hr; rewrite -it addr0.
have Hi : (from <= i < to)%R by rewrite ai -it ltr_addl.
apply: (J i a a0 _ _ (W0 _ _ _ f0) (W0 _ _ _ F0) (WG _ _) _ _ _ _ (keeps _ _ _ _ Hi HI)).
by move=> s s' j; apply: IH; [rewrite (le_trans ai)// ler_addl|rewrite -it intS addrA].
Qed.
Theorem c_for_loop_once_for (from to : int) (c : int -> stmt R S) (Phi Theta I : int -> assn R S) (ks : seq R) : (forall i, carries (c i)) -> (from <= to)%R ->
  (forall i, cjudge_for G (c i) (Phi i) (I (i + 1)%R)) -> (forall i, cjudge_for G (c i) (Theta i) (I (i + 1)%R)) ->
  (forall i s s' k, (from <= i < to)%R -> ~~ Once.named ks i -> I i s s' k -> Phi i s s' k) ->
  (forall i s s' k, (from <= i < to)%R -> Once.named ks i -> I i s s' k -> Theta i s s' k) ->
  cjudge_for G (For from to c) (I from) (I to).
Proof.
move=> car ab Jo Jn other these.
apply: (@c_for_loop_for from to c (fun i => if Once.named ks i then Theta i else Phi i) I) => // [i|i s s' k it HI].
  by case: ifP => _; [exact: Jn|exact: Jo].
by have [ni|ni] := boolP (Once.named ks i); [exact: these|exact: other].
Qed.
(* FRAME, for CHAIN *)
Theorem c_frame_for c Phi Psi (agree : S -> S -> Prop) (theta : S -> S -> Prop) : Rules.local agree c ->
  (forall m F, G F -> G (fun s => if `[< agree m s >] then F s else +oo)) ->
  (forall m m' s s', theta m m' -> agree m s -> agree m' s' -> theta s s') -> cjudge_for G c Phi Psi ->
  cjudge_for G c (fun s s' k => Phi s s' k /\ theta s s') (fun s s' k => Psi s s' k /\ theta s s').
Proof.
move=> loc cut Ht J a a0 f F f0 F0 GF Hr m m' k [HP Hth].
pose f' s := if `[< agree m s >] then f s else 0.
pose F' s := if `[< agree m' s >] then F s else +oo.
have f'0 : nneg f' by move=> s; rewrite /f'; case: ifP.
have F'0 : nneg F' by move=> s; rewrite /F'; case: ifP => // _; exact: leey.
rewrite (loc m f f')//; last by move=> s h; rewrite /f' asboolT.
rewrite (loc m' F F')//; last by move=> s h; rewrite /F' asboolT.
apply: (J a a0 f' F' f'0 F'0 (cut m' _ GF)) => // s s' j HPs; rewrite /f' /F'.
case: asboolP => [h|_]; last by apply: compared_0 => //; exact: F'0.
case: asboolP => [h'|_]; first by apply: Hr; split=> //; exact: Ht Hth h h'.
exact: compared_top.
Qed.
End Classes.

(* ---- equal outputs in rho ---- *)
Section Outputs.
Variables (R : realType) (S O : Type) (out : S -> O) (c : stmt R S).
(* rho-zCDP, for tests F of what is released that are in a class *)
Definition zcdp_for (good : (O -> \bar R) -> Prop) (rho : R) (m m' : S) := forall a, (0 < a)%R -> forall f F : O -> \bar R,
  (forall o, 0 <= f o) -> (forall o, 0 <= F o) -> good F -> (forall o, below a 0 (f o) (F o)) ->
  below a (- rho) (wp c (fun s => f (out s)) m) (wp c (fun s => F (out s)) m').
Theorem z_equal_outputs_for (good : (O -> \bar R) -> Prop) rho Phi :
  cjudge_for (rho_reading R) (fun F => exists2 g, good g & F = fun s => g (out s)) c Phi (fun s s' k => out s = out s' /\ (k <= rho)%R) ->
  forall m m', Phi m m' 0%R -> zcdp_for good rho m m'.
Proof.
move=> J m m' HP a a0 f F f0 F0 gF fF; pose e := expR (a * rho).
have e0 : (0 < e)%R := expR_gt0 _; have ei : (0 <= e^-1)%R by rewrite invr_ge0 ltW.
pose f' o := e^-1%:E * f o; have f'0 o : 0 <= f' o by rewrite mule_ge0// lee_fin.
have below' o : below a rho (f' o) (F o).
  by move=> t; rewrite /f' /e -expRN; apply: lee_wpmul2l; [rewrite lee_fin expR_ge0|have := fF o t; rewrite mulr0 oppr0 expR0 mul1e].
have H := z_outputs_for J HP a0 f'0 F0 gF below'.
move=> t; have {}H := H t; rewrite mulr0 oppr0 expR0 mul1e in H.
apply: (@le_trans _ _ (e%:E * wp c (fun s => f' (out s)) m)).
  apply: (le_trans _ (wp_scale (ltW e0) c (fun s => f'0 (out s)) m)).
  by apply: wp_le => [s|s]; [exact: f0|rewrite /f' muleA -EFinM mulfV ?gt_eqF// mul1e].
by rewrite mulrN opprK; apply: lee_wpmul2l => //; rewrite lee_fin ltW.
Qed.

(* a set of outputs whose two-valued tests are in the class has the epsilon and delta of any conversion *)
Definition two_valued (good : (O -> \bar R) -> Prop) (E : O -> Prop) := forall x y : \bar R, 0 <= x -> 0 <= y -> good (fun o => if `[< E o >] then x else y).
Lemma zcdp_of_set good rho m m' E : two_valued good E -> zcdp_for good rho m m' -> zcdp (fun s => `[< E (out s) >]) c rho m m'.
Proof.
move=> two Z a a0 f F f0 F0 fF; apply: (Z a a0 (fun o => f `[< E o >]) (fun o => F `[< E o >])) => //.
rewrite (_ : (fun o => _) = fun o => if `[< E o >] then F true else F false); first exact: two.
by apply/funext => o; case: ifP.
Qed.
Lemma dp_of_set eps delta m m' (E : O -> Prop) : dp (fun s => `[< E (out s) >]) c eps delta m m' ->
  wp c (ind R (fun s => E (out s))) m <= (expR eps)%:E * wp c (ind R (fun s => E (out s))) m' + delta%:E.
Proof.
move=> /(_ (fun b => b = true)); rewrite (_ : ind R (fun s => `[< E (out s) >] = true) = ind R (fun s => E (out s)))//.
by apply/funext => s; rewrite /ind; congr (if _ then _ else _); apply/asboolP/asboolP => [/asboolP|/asboolP].
Qed.
(* ZCDP-ORDER *)
Theorem zcdp_order_for good rho eps m m' a : (0 < a)%R -> zcdp_for good rho m m' -> dp_on (two_valued good) out c eps (order_delta a rho eps) m m'.
Proof. by move=> a0 Z E two; apply: dp_of_set; apply: zcdp_order => //; exact: zcdp_of_set Z. Qed.
(* ZCDP-TAIL *)
Theorem zcdp_tail_for good rho eps delta m m' : (0 < delta)%R -> (rho <= eps)%R ->
  (4%:R * rho * ln delta^-1 <= (eps - rho) ^+ 2)%R -> zcdp_for good rho m m' -> dp_on (two_valued good) out c eps delta m m'.
Proof. by move=> d0 re tail Z E two; apply: dp_of_set; apply: zcdp_tail tail _ => //; exact: zcdp_of_set Z. Qed.
End Outputs.

(* CALL-RHO, of a mechanism with a theorem for tests of a class *)
Theorem z_called_for (R : realType) (S T O : Type) (c : stmt R T) (out : T -> O) (arguments : S -> T) (u : S -> O -> S) (good : (O -> \bar R) -> Prop)
    (price : S -> S -> R -> R) (Phi Psi : assn R S) :
  (forall m m' k, Phi m m' k -> zcdp_for out c good (price m m' k) (arguments m) (arguments m') /\ forall y, Psi (u m y) (u m' y) (k + price m m' k)%R) ->
  cjudge_for (rho_reading R) (fun F => forall m, good (fun y => F (u m y))) (Draw (fun s => law_of c out (arguments s)) u) Phi Psi.
Proof.
move=> H a a0 f F f0 F0 gF Hr m m' k /H[near HP]; set rho := price m m' k in near HP *.
pose e := expR (a * (k + rho)); have e0 : (0 < e)%R := expR_gt0 _; have ei : (0 <= e^-1)%R by rewrite invr_ge0 ltW.
pose g o := e%:E * f (u m o); have g0 o : 0 <= g o by rewrite mule_ge0// lee_fin ltW.
have gF' o : below a 0 (g o) (F (u m' o)).
  move=> w; rewrite mulr0 oppr0 expR0 mul1e; have := lee_wpmul2l (_ : 0 <= e%:E) (Hr _ _ _ (HP o) w); rewrite lee_fin => /(_ (ltW e0)).
  by rewrite muleA -EFinM -expRD subrr expR0 mul1e.
move=> t; have := near a a0 g (fun o => F (u m' o)) g0 (fun o => F0 _) (gF m') gF' t.
rewrite -[X in X <= _]/(law_of c out (arguments m) g) ev_scale ?(ltW e0)// => le.
have := lee_wpmul2l (_ : 0 <= e^-1%:E) le; rewrite lee_fin => /(_ ei).
rewrite !muleA -!EFinM mulVf ?gt_eqF// mul1e => le'; apply: (le_trans le'); rewrite /e -expRN -expRD.
by rewrite (_ : - (a * (k + rho)) + - (a * - rho) = - (a * k))%R//; ring.
Qed.
