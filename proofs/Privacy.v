(* From judgements to privacy (trusted/kernel/src/privacy.rs): equal outputs and PW-EQ.

   Read: dp, equal_outputs, pw_eq, pw_eq_for (for judgements about tests of a class), discrete_pw_eq. *)
From Probity Require Import Prelude Judgement Laws Additive.
Local Open Scope ring_scope.
Local Open Scope ereal_scope.

Section Privacy.
Variables (R : realType) (S : Type).
Implicit Types (c : stmt R S).

Definition ind (P : S -> Prop) (s : S) : \bar R := if `[< P s >] then 1 else 0.
Lemma ind_ge0 P : nneg (ind P).
Proof. by move=> s; rewrite /ind; case: ifP => _; [exact: lee01|exact: lexx]. Qed.
Lemma ind_le1 P : le1 (ind P).
Proof. by move=> s; rewrite /ind; case: ifP => _; [exact: lexx|exact: lee01]. Qed.

(* Pr[out in E from m] <= e^eps Pr[out in E from m'] + d, for every set E of outputs *)
Definition dp (O : Type) (out : S -> O) c (eps d : R) (m m' : S) := forall E : O -> Prop,
  wp c (ind (fun s => E (out s))) m <= (expR eps)%:E * wp c (ind (fun s => E (out s))) m' + d%:E.

(* the same for some sets of outputs: the measurable ones, where a program draws reals in turn *)
Definition dp_on (O : Type) (good : (O -> Prop) -> Prop) (out : S -> O) c (eps d : R) (m m' : S) := forall E : O -> Prop, good E ->
  wp c (ind (fun s => E (out s))) m <= (expR eps)%:E * wp c (ind (fun s => E (out s))) m' + d%:E.

Theorem equal_outputs (O : Type) (out : S -> O) (d eps : R) c (Phi : assn R S) :
  judge d c Phi (fun s s' k => out s = out s' /\ (k <= eps)%R) ->
  forall m m', Phi m m' 0%R -> dp out c eps d m m'.
Proof.
move=> J m m' HP E; pose i := ind (fun s => E (out s)).
have i0 : nneg i by exact: ind_ge0.
have e0 : (0 <= expR eps)%R by exact: expR_ge0.
have Hr : related (fun s s' k => out s = out s' /\ (k <= eps)%R) i (fun s => (expR eps)%:E * i s).
  move=> s s' k [Ho Hk]; rewrite muleA -EFinM -expRD /i /ind -Ho.
  case: ifP => _; rewrite ?mule0// mule1 lee_fin -expR0 ler_expR addrC subr_ge0//.
have F0 : nneg (fun s => (expR eps)%:E * i s) by move=> s; rewrite mule_ge0// lee_fin.
have := J i _ i0 (ind_le1 _) F0 Hr m m' 0%R HP; rewrite oppr0 expR0 mul1e => HJ.
by apply: (le_trans HJ); rewrite lee_add2r//; exact: wp_scale.
Qed.

(* a judgement that gives up nothing proves the claim with any delta >= 0 *)
Theorem any_delta (O : Type) (out : S -> O) (d d' eps : R) c m m' : (d <= d')%R ->
  dp out c eps d m m' -> dp out c eps d' m m'.
Proof. by move=> dd H E; apply: (le_trans (H E)); rewrite lee_add2l// lee_fin. Qed.

(* GROUP: k steps, each with a k-th of epsilon and no delta *)
Theorem group (O : Type) (out : S -> O) (eps : R) c (k : nat) (x : nat -> S) :
  (forall i, (i < k)%N -> dp out c (eps / k%:R) 0 (x i) (x i.+1)) -> (0 < k)%N -> dp out c eps 0 (x 0%N) (x k).
Proof.
move=> H k0 E; rewrite adde0; pose p i := wp c (ind (fun s => E (out s))) (x i).
have step n : (n <= k)%N -> p 0%N <= (expR (eps / k%:R *+ n))%:E * p n.
  elim: n => [|n IH] nk; first by rewrite mulr0n expR0 mul1e.
  apply: (le_trans (IH (ltnW nk))); rewrite mulrSr expRD EFinM -muleA.
  apply: lee_wpmul2l; first by rewrite lee_fin expR_ge0.
  by have := H n nk E; rewrite adde0.
by have := step k (leqnn k); rewrite -mulr_natr divfK// pnatr_eq0 -lt0n.
Qed.

(* one output, for tests of a class that has its indicator *)
Theorem pointwise_for (G : (S -> \bar R) -> Prop) (O : Type) (out : S -> O) (r : O) (eps : R) c (Phi : assn R S) :
  G (ind (fun s => out s = r)) -> judge_for G 0 c Phi (fun s s' k => out s = r -> out s' = r /\ (k <= eps)%R) ->
  forall m m', Phi m m' 0%R ->
  wp c (ind (fun s => out s = r)) m <= (expR eps)%:E * wp c (ind (fun s => out s = r)) m'.
Proof.
move=> Gi J m m' HP; pose i := ind (fun s => out s = r).
have i0 : nneg i by exact: ind_ge0.
have e0 : (0 <= expR eps)%R by exact: expR_ge0.
have F0 : nneg (fun s => (expR eps)%:E * i s) by move=> s; rewrite mule_ge0// lee_fin.
have := J i (fun s => (expR eps)%:E * i s) Gi i0 (ind_le1 _) F0 _ m m' 0%R HP.
rewrite oppr0 expR0 mul1e adde0 => HJ.
apply: (le_trans (HJ _)); last exact: wp_scale.
move=> s s' k Hk; rewrite muleA -EFinM -expRD /i /ind.
case: ifPn => [/asboolP/Hk [-> kl]|_].
  by rewrite asboolT// mule1 lee_fin -expR0 ler_expR addrC subr_ge0.
by rewrite mule_ge0// ?lee_fin ?expR_ge0//; exact: (i0 s').
Qed.
Theorem pointwise (O : Type) (out : S -> O) (r : O) (eps : R) c (Phi : assn R S) :
  judge 0 c Phi (fun s s' k => out s = r -> out s' = r /\ (k <= eps)%R) ->
  forall m m', Phi m m' 0%R ->
  wp c (ind (fun s => out s = r)) m <= (expR eps)%:E * wp c (ind (fun s => out s = r)) m'.
Proof. by move=> J; apply: (pointwise_for (G := fun=> True)) => //; exact: judge_any. Qed.

(* PW-EQ: outputs are countable (integers, booleans), nothing is given up, and the program is additive on a
   class of tests that contains the indicators of single outputs; judgements for tests of this class are enough *)
Section PointwiseEquality.
Variable good : (S -> \bar R) -> Prop.
Hypothesis good0 : good (fun=> 0).
Theorem pw_eq_for (O : countType) (out : S -> O) (eps : R) c (Phi : O -> assn R S) :
  additive good c -> (forall r, good (ind (fun s => out s = r))) ->
  (forall r, judge_for good 0 c (Phi r) (fun s s' k => out s = r -> out s' = r /\ (k <= eps)%R)) ->
  forall m m', (forall r, Phi r m m' 0%R) -> dp out c eps 0 m m'.
Proof.
move=> [_ add] gout J m m' HP E; rewrite adde0.
pose f n s : \bar R := if (pickle (out s) == n) && `[< E (out s) >] then 1 else 0.
have f0 n : nneg (f n) by move=> s; rewrite /f; case: ifP => _; [exact: lee01|exact: lexx].
have fE n : f n = (fun=> 0) \/ exists r, f n = ind (fun s => out s = r).
  have [[r [rn Er]]|no] := pselect (exists r : O, pickle r = n /\ E r).
    right; exists r; apply/funext => s; rewrite /f /ind; have [->|sr] := pselect (out s = r).
      by rewrite rn eqxx !asboolT.
    rewrite [X in _ = if X then _ else _]asboolF//; case: ifP => // /andP[/eqP os _]; case: sr.
    by apply: (pcan_inj pickleK); rewrite os rn.
  left; apply/funext => s; rewrite /f; case: ifP => // /andP[/eqP os /asboolP Es].
  by case: no; exists (out s).
have gf n : good (f n) by have [->|[r ->]] := fE n.
have sumE : ind (fun s => E (out s)) = fun s => \sum_(n <oo) f n s.
  apply/funext => s; rewrite (@series_only _ _ (pickle (out s))) => [|n|n nk]; last first.
  - by rewrite /f eq_sym (negPf nk).
  - exact: f0.
  by rewrite /f /ind eqxx.
rewrite sumE add//= -nneseriesrM; last by move=> n _; exact: wp_ge0.
apply: lee_nneseries => n _; first exact: wp_ge0.
have [->|[r ->]] := fE n; last exact: pointwise_for (gout r) (J r) m m' (HP r).
have z t : wp c (fun=> 0) t = 0.
  apply/eqP; rewrite eq_le wp_ge0// andbT.
  by have := @wp_scale R S 0%R (lexx _) c (fun=> 0) (fun=> lexx _) t; rewrite !mul0e.
by rewrite !z mule0.
Qed.
Theorem pw_eq (O : countType) (out : S -> O) (eps : R) c (Phi : O -> assn R S) :
  additive good c -> (forall r, good (ind (fun s => out s = r))) ->
  (forall r, judge 0 c (Phi r) (fun s s' k => out s = r -> out s' = r /\ (k <= eps)%R)) ->
  forall m m', (forall r, Phi r m m' 0%R) -> dp out c eps 0 m m'.
Proof. by move=> add gout J; apply: pw_eq_for => // r; exact: judge_any. Qed.
End PointwiseEquality.

(* programs that draw from discrete laws only: no condition on tests *)
Theorem discrete_pw_eq (O : countType) (out : S -> O) (eps : R) c (Phi : O -> assn R S) :
  additive (fun=> True) c ->
  (forall r, judge 0 c (Phi r) (fun s s' k => out s = r -> out s' = r /\ (k <= eps)%R)) ->
  forall m m', (forall r, Phi r m m' 0%R) -> dp out c eps 0 m m'.
Proof. by move=> add; apply: pw_eq add _. Qed.
End Privacy.
