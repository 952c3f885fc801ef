(* SELECT and CALL where the amounts are not numbers but functions of the states: what a step pays may be made of variables that it leaves alone, and the parameters of a called mechanism of the
   caller's variables.

   A judgement is one about each pair of states by itself (Split.v), and for one pair the amounts are numbers; that they are the same after the step is FRAME.  Read: the statements of the theorems. *)
From Probity Require Import Prelude Judgement Laws Additive Privacy Compared Concentrated Called Mu Ratio Split.
From Probity Require Rules Classes.
Local Open Scope classical_set_scope.
Local Open Scope ring_scope.
Local Open Scope ereal_scope.

Section Select.
Variables (R : realType) (S : Type) (good : (S -> \bar R) -> Prop).
Hypothesis good0 : good (fun=> 0).
(* SELECT: a is what every answer costs, K what was paid before; c leaves both alone *)
Theorem select (O : countType) (y : S -> O) (a K : S -> S -> R) (agree : S -> S -> Prop) (c : stmt R S) (Phi : S -> S -> Prop) :
  additive good c -> (forall r (x : R), (0 <= x)%R -> good (fun s => x%:E * ind R (fun s => y s = r) s)) ->
  Rules.local agree c -> (forall m m' s s', agree m s -> agree m' s' -> a s s' = a m m' /\ K s s' = K m m') ->
  (forall r, judge 0 c (fun s s' k => Phi s s' /\ k = 0%R) (fun s s' k => y s = r -> y s' = r /\ (k <= a s s')%R)) ->
  judge 0 c (fun s s' k => Phi s s' /\ (k <= K s s')%R) (fun s s' k => y s = y s' /\ (k <= K s s' + a s s')%R).
Proof.
move=> add gy loc alone J; apply/each => m m' k [HP kK].
pose amounts s s' := a s s' = a m m' /\ K s s' = K m m'.
have stay m1 m1' s s' : amounts m1 m1' -> agree m1 s -> agree m1' s' -> amounts s s'.
  by rewrite /amounts => -[ea eK] ms ms'; have [-> ->] := alone _ _ _ _ ms ms'.
have point r : judge 0 c (fun s s' j => (s = m /\ s' = m') /\ j = 0%R) (fun s s' j => y s = r -> y s' = r /\ (j <= a m m')%R).
  apply: (Rules.strengthen (Phi' := fun s s' j => (Phi s s' /\ j = 0%R) /\ amounts s s')); first by move=> s s' j [[-> ->] ->].
  apply: Rules.weaken (Rules.frame loc stay (J r)) => s s' j [H [<- _]]; exact: H.
have one := @selected R S good good0 O y (a m m') (K m m') c (fun s s' => s = m /\ s' = m') add gy point.
apply: (Rules.strengthen (Phi' := fun s s' j => ((s = m /\ s' = m') /\ (j <= K m m')%R) /\ amounts s s')).
  by move=> s s' j [-> -> ->].
by apply: Rules.weaken (Rules.frame loc stay one) => s s' j [H [-> ->]].
Qed.
(* ... from judgements for tests of the class, which has tests that are 0 where a state does not agree with another *)
Theorem select_for (O : countType) (y : S -> O) (a K : S -> S -> R) (agree : S -> S -> Prop) (c : stmt R S) (Phi : S -> S -> Prop) :
  additive good c -> (forall r (x : R), (0 <= x)%R -> good (fun s => x%:E * ind R (fun s => y s = r) s)) ->
  Rules.local agree c -> (forall m f, good f -> good (fun s => if `[< agree m s >] then f s else 0)) ->
  (forall m m' s s', agree m s -> agree m' s' -> a s s' = a m m' /\ K s s' = K m m') ->
  (forall r, judge_for good 0 c (fun s s' k => Phi s s' /\ k = 0%R) (fun s s' k => y s = r -> y s' = r /\ (k <= a s s')%R)) ->
  judge 0 c (fun s s' k => Phi s s' /\ (k <= K s s')%R) (fun s s' k => y s = y s' /\ (k <= K s s' + a s s')%R).
Proof.
move=> add gy loc cut alone J; apply/each => m m' k [HP kK].
pose amounts s s' := a s s' = a m m' /\ K s s' = K m m'.
have stay m1 m1' s s' : amounts m1 m1' -> agree m1 s -> agree m1' s' -> amounts s s'.
  by rewrite /amounts => -[ea eK] ms ms'; have [-> ->] := alone _ _ _ _ ms ms'.
have point r : judge_for good 0 c (fun s s' j => (s = m /\ s' = m') /\ j = 0%R) (fun s s' j => y s = r -> y s' = r /\ (j <= a m m')%R).
  apply: (Classes.strengthen_for (Phi' := fun s s' j => (Phi s s' /\ j = 0%R) /\ amounts s s')); first by move=> s s' j [[-> ->] ->].
  apply: Classes.weaken_for (Classes.frame_for loc cut stay (J r)) => s s' j [H [<- _]]; exact: H.
have one := @selected_for R S good good0 O y (a m m') (K m m') c (fun s s' => s = m /\ s' = m') add gy point.
apply: (Rules.strengthen (Phi' := fun s s' j => ((s = m /\ s' = m') /\ (j <= K m m')%R) /\ amounts s s')).
  by move=> s s' j [-> -> ->].
by apply: Rules.weaken (Rules.frame loc stay one) => s s' j [H [-> ->]].
Qed.
End Select.

Section Calls.
Variables (R : realType) (S : Type).
Implicit Types (Phi Psi : assn R S) (price : S -> S -> R -> R).

(* CALL, of a discrete mechanism with a theorem about sets *)
Theorem call_sets A (D : S -> law R A) (u : S -> A -> S) price (delta : R) Phi Psi : (0 <= delta)%R -> (forall s, finitely_additive (D s)) ->
  (forall m m' k, Phi m m' k -> (forall E : A -> Prop, D m (charf R E) <= (expR (price m m' k))%:E * D m' (charf R E) + delta%:E) /\
     forall y, Psi (u m y) (u m' y) (k + price m m' k)%R) ->
  judge delta (Draw D u) Phi Psi.
Proof.
by move=> d0 add H; apply/each => m m' k /H[near HP]; apply: (@called _ _ _ D u _ _ (price m m' k) delta d0 add) => s s' j [-> -> ->].
Qed.
Section Programs.
Variables (T O : Type) (c : stmt R T) (out : T -> O) (arguments : S -> T) (u : S -> O -> S).
Notation statement := (Draw (fun s => law_of c out (arguments s)) u).
(* ... of any mechanism with a theorem about all tests *)
Theorem call price (delta : R) Phi Psi :
  (forall m m' k, Phi m m' k -> dp_tests out c (price m m' k) delta (arguments m) (arguments m') /\ forall y, Psi (u m y) (u m' y) (k + price m m' k)%R) ->
  judge delta statement Phi Psi.
Proof. by move=> H; apply/each => m m' k /H[near HP]; apply: (@called_tests _ _ _ _ _ _ _ _ (price m m' k)) => s s' j [-> -> ->]. Qed.

(* for one pair of states and one cost, in rho and mu *)
Lemma c_each (M : reading R) (d : stmt R S) Phi Psi : (forall m m' k, Phi m m' k -> cjudge M d (only m m' k) Psi) -> cjudge M d Phi Psi.
Proof. by move=> H t ok f F f0 F0 rel m m' k HP; apply: (H m m' k HP t ok f F f0 F0 rel m m' k). Qed.
(* CALL-RHO *)
Theorem call_rho price Phi Psi :
  (forall m m' k, Phi m m' k -> zcdp out c (price m m' k) (arguments m) (arguments m') /\ forall y, Psi (u m y) (u m' y) (k + price m m' k)%R) ->
  zjudge statement Phi Psi.
Proof. by move=> H; apply: c_each => m m' k /H[near HP]; apply: (@z_called _ _ _ _ _ _ _ _ (price m m' k)) => s s' j [-> -> ->]. Qed.
(* CALL-MU *)
Theorem call_mu (mu : S -> S -> R -> R) Phi Psi :
  (forall m m' k, Phi m m' k -> gdp_tests out c (mu m m' k) (arguments m) (arguments m') /\ forall y, Psi (u m y) (u m' y) (k + mu m m' k ^+ 2 / 2)%R) ->
  cjudge (mu_reading R) statement Phi Psi.
Proof. by move=> H; apply: c_each => m m' k /H[near HP]; apply: (@m_called _ _ _ _ _ _ _ _ (mu m m' k)) => s s' j [-> -> ->]. Qed.
End Programs.

(* CALL-PURE, of a discrete mechanism *)
Theorem call_pure (O : choiceType) (D : S -> law R O) (u : S -> O -> S) (eps : S -> S -> R -> R) Phi Psi :
  (forall s f, (forall o, 0 <= f o) -> D s f = \esum_(o in [set: O]) (D s (@Finite.one_at R O o) * f o)) ->
  (forall m m' k, Phi m m' k -> [/\ D m (fun=> 1) = 1, D m' (fun=> 1) = 1,
     forall o, D m (@Finite.one_at R O o) <= (expR (eps m m' k))%:E * D m' (@Finite.one_at R O o),
     forall o, D m' (@Finite.one_at R O o) <= (expR (eps m m' k))%:E * D m (@Finite.one_at R O o) &
     forall y, Psi (u m y) (u m' y) (k + eps m m' k * eps m m' k / 2)%R]) ->
  zjudge (Draw D u) Phi Psi.
Proof. by move=> masses H; apply: c_each => m m' k /H[t t' near near' HP]; apply: (@z_called_pure _ _ _ _ _ (eps m m' k)) => // s s' j [-> -> ->]. Qed.
(* ... of one that draws reals *)
Theorem call_pure_reals A (E : (A -> Prop) -> Prop) (D : S -> law R A) (u : S -> A -> S) (eps : S -> S -> R -> R) Phi Psi :
  (forall s, additive_on E (D s)) ->
  (forall m m' k, Phi m m' k -> [/\ D m (fun=> 1) = 1, D m' (fun=> 1) = 1,
     forall B, E B -> D m (charf R B) <= (expR (eps m m' k))%:E * D m' (charf R B),
     forall B, E B -> D m' (charf R B) <= (expR (eps m m' k))%:E * D m (charf R B) &
     forall y, Psi (u m y) (u m' y) (k + eps m m' k * eps m m' k / 2)%R]) ->
  zjudge_for (fun F => forall m, level_sets E (fun y => F (u m y))) (Draw D u) Phi Psi.
Proof.
move=> add H a a0 f F f0 F0 gF rel m m' k /H[t t' near near' HP].
have J := @z_called_pure_reals R S A E D u (eps m m' k) (only m m' k) Psi add.
by apply: (J _ a a0 f F f0 F0 gF rel m m' k) => // s s' j [-> -> ->].
Qed.
End Calls.
