(* CALL that pays where its arguments differ (Price::IfDifferent of trusted/kernel/src/rules/call.rs): the arguments of the two runs are equal, at no cost, or the called mechanism has a theorem about them.
   For each pair of states (Split.v) it is AXNULL or CALL.  The price may depend on the states before the call.  Read: the statements of the theorems. *)
From Probity Require Import Prelude Judgement Laws Sampling Compared Concentrated Called Mu Ratio Split.
From Probity Require Rules.
Local Open Scope classical_set_scope.
Local Open Scope ring_scope.
Local Open Scope ereal_scope.

Section Differ.
Variables (R : realType) (S P A : Type) (D : P -> law R A) (arguments : S -> P) (u : S -> A -> S).
Implicit Types (Phi Psi : assn R S) (price : S -> S -> R -> R).
Notation same s s' := `[< arguments s = arguments s' >].
Notation statement := (Draw (fun s => D (arguments s)) u).

(* equal arguments cost nothing *)
Lemma null_only Psi m m' k : arguments m = arguments m' -> (forall y, Psi (u m y) (u m' y) k) -> judge 0 statement (only m m' k) Psi.
Proof.
move=> e HP; have J := @null R S P A D (fun _ _ => True) arguments u Psi (fun p => full_any (D p)).
by apply: Rules.strengthen J => s s' j [-> -> ->].
Qed.
Lemma c_null_only (M : reading R) Psi m m' k : arguments m = arguments m' -> (forall y, Psi (u m y) (u m' y) k) -> cjudge M statement (only m m' k) Psi.
Proof.
move=> e HP; have J := @c_null R M S P A D (fun _ _ => True) arguments u Psi (fun p => full_any (D p)).
by apply: c_strengthen J => s s' j [-> -> ->].
Qed.
Lemma c_each (M : reading R) Phi Psi : (forall m m' k, Phi m m' k -> cjudge M statement (only m m' k) Psi) -> cjudge M statement Phi Psi.
Proof. by move=> J a a0 f F f0 F0 H m m' k HP; exact: (J m m' k HP a a0 f F f0 F0 H m m' k). Qed.

(* discrete mechanisms: a theorem about sets is enough *)
Theorem called_if_different price (delta : R) Phi Psi : (0 <= delta)%R -> (forall p, finitely_additive (D p)) ->
  (forall m m' k, Phi m m' k ->
     (arguments m = arguments m' \/
      forall E : A -> Prop, D (arguments m) (charf R E) <= (expR (price m m' k))%:E * D (arguments m') (charf R E) + delta%:E) /\
     forall y, Psi (u m y) (u m' y) (k + if same m m' then 0 else price m m' k)%R) ->
  judge delta statement Phi Psi.
Proof.
move=> d0 add H; apply/each => m m' k /H[[e|near]].
  by rewrite asboolT// addr0 => HP; apply: (@Rules.more_delta _ _ 0%R) => //; exact: null_only.
case: asboolP => [e HP|_ HP].
  by apply: (@Rules.more_delta _ _ 0%R) => //; apply: null_only => // y; have := HP y; rewrite addr0.
by apply: (@called _ _ _ (fun s => D (arguments s)) _ _ _ (price m m' k)) => // s s' j [-> -> ->].
Qed.

(* CALL-PURE of a discrete mechanism *)
Theorem z_called_pure_if_different (O : choiceType) (D' : P -> law R O) (v : S -> O -> S) (eps : S -> S -> R -> R) Phi Psi :
  (forall p f, (forall o, 0 <= f o) -> D' p f = \esum_(o in [set: O]) (D' p (@Finite.one_at R O o) * f o)) ->
  (forall m m' k, Phi m m' k ->
     (arguments m = arguments m' \/
      [/\ D' (arguments m) (fun=> 1) = 1, D' (arguments m') (fun=> 1) = 1,
          forall o, D' (arguments m) (@Finite.one_at R O o) <= (expR (eps m m' k))%:E * D' (arguments m') (@Finite.one_at R O o) &
          forall o, D' (arguments m') (@Finite.one_at R O o) <= (expR (eps m m' k))%:E * D' (arguments m) (@Finite.one_at R O o)]) /\
     forall y, Psi (v m y) (v m' y) (k + if same m m' then 0 else eps m m' k * eps m m' k / 2)%R) ->
  zjudge (Draw (fun s => D' (arguments s)) v) Phi Psi.
Proof.
move=> masses H a a0 f F f0 F0 rel m m' k /H[near]; case: asboolP => [e HP|n HP].
  have J := @c_null R (rho_reading R) S P O D' (fun _ _ => True) arguments v Psi (fun p => full_any (D' p)).
  by apply: (J a a0 f F f0 F0 rel); split=> // y _; have := HP y; rewrite addr0.
case: near => [//|[t t' near near']].
have J := @z_called_pure R S O (fun s => D' (arguments s)) v (eps m m' k) (only m m' k) Psi (fun s => masses _).
by apply: (J _ a a0 f F f0 F0 rel m m' k) => // s s' j [-> -> ->].
Qed.
(* ... of one that draws reals *)
Theorem z_called_pure_reals_if_different (E : (A -> Prop) -> Prop) (eps : S -> S -> R -> R) Phi Psi :
  (forall p, additive_on E (D p)) ->
  (forall m m' k, Phi m m' k ->
     (arguments m = arguments m' \/
      [/\ D (arguments m) (fun=> 1) = 1, D (arguments m') (fun=> 1) = 1,
          forall B, E B -> D (arguments m) (charf R B) <= (expR (eps m m' k))%:E * D (arguments m') (charf R B) &
          forall B, E B -> D (arguments m') (charf R B) <= (expR (eps m m' k))%:E * D (arguments m) (charf R B)]) /\
     forall y, Psi (u m y) (u m' y) (k + if same m m' then 0 else eps m m' k * eps m m' k / 2)%R) ->
  zjudge_for (fun F => forall m, level_sets E (fun y => F (u m y))) statement Phi Psi.
Proof.
move=> add H a a0 f F f0 F0 gF rel m m' k /H[near]; case: asboolP => [e HP|n HP].
  have J := @c_null_only (rho_reading R) Psi m m' k e.
  by apply: (J _ a a0 f F f0 F0 rel m m' k) => // y; have := HP y; rewrite addr0.
case: near => [//|[t t' near near']].
have J := @z_called_pure_reals R S A E (fun s => D (arguments s)) u (eps m m' k) (only m m' k) Psi (fun s => add _).
by apply: (J _ a a0 f F f0 F0 gF rel m m' k) => // s s' j [-> -> ->].
Qed.
End Differ.

Section Programs.
Variables (R : realType) (S T O : Type) (c : stmt R T) (out : T -> O) (arguments : S -> T) (u : S -> O -> S).
Implicit Types (Phi Psi : assn R S) (price : S -> S -> R -> R).
Notation same s s' := `[< arguments s = arguments s' >].
Notation statement := (Draw (fun s => law_of c out (arguments s)) u).

(* any mechanism that has a theorem about all tests *)
Theorem called_tests_if_different price (delta : R) Phi Psi : (0 <= delta)%R ->
  (forall m m' k, Phi m m' k ->
     (arguments m = arguments m' \/ dp_tests out c (price m m' k) delta (arguments m) (arguments m')) /\
     forall y, Psi (u m y) (u m' y) (k + if same m m' then 0 else price m m' k)%R) ->
  judge delta statement Phi Psi.
Proof.
move=> d0 H; apply/each => m m' k /H[near]; case: asboolP => [e HP|n HP].
  by apply: (@Rules.more_delta _ _ 0%R) => //; apply: (@null_only _ _ _ _ (law_of c out)) => // y; have := HP y; rewrite addr0.
case: near => [//|near].
by apply: (@called_tests _ _ _ _ _ _ _ _ (price m m' k)) => s s' j [-> -> ->].
Qed.

(* CALL-RHO *)
Theorem z_called_if_different price Phi Psi :
  (forall m m' k, Phi m m' k ->
     (arguments m = arguments m' \/ zcdp out c (price m m' k) (arguments m) (arguments m')) /\
     forall y, Psi (u m y) (u m' y) (k + if same m m' then 0 else price m m' k)%R) ->
  zjudge statement Phi Psi.
Proof.
move=> H; apply: (@c_each _ _ _ _ (law_of c out)) => m m' k /H[near]; case: asboolP => [e HP|n HP].
  by apply: (@c_null_only _ _ _ _ (law_of c out)) => // y; have := HP y; rewrite addr0.
case: near => [//|near].
by apply: (@z_called _ _ _ _ _ _ _ _ (price m m' k)) => s s' j [-> -> ->].
Qed.

(* CALL-MU *)
Theorem m_called_if_different (mu : S -> S -> R -> R) Phi Psi :
  (forall m m' k, Phi m m' k ->
     (arguments m = arguments m' \/ gdp_tests out c (mu m m' k) (arguments m) (arguments m')) /\
     forall y, Psi (u m y) (u m' y) (k + if same m m' then 0 else mu m m' k ^+ 2 / 2)%R) ->
  cjudge (mu_reading R) statement Phi Psi.
Proof.
move=> H; apply: (@c_each _ _ _ _ (law_of c out)) => m m' k /H[near]; case: asboolP => [e HP|n HP].
  by apply: (@c_null_only _ _ _ _ (law_of c out)) => // y; have := HP y; rewrite addr0.
case: near => [//|near].
by apply: (@m_called _ _ _ _ _ _ _ _ (mu m m' k)) => s s' j [-> -> ->].
Qed.
End Programs.
