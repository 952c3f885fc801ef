(* CALL for exported certificates (trusted/kernel/src/rules/call.rs): a statement that draws what another program releases.

   call_ is the law of what a program releases from its inputs and any values of its variables.  The called program has a theorem about sets of outputs; its outputs are
   countable and it is countably additive on the tests of its memory (Memory.v), so the theorem is one about all tests (call_tests), which is what the rule needs (j_call).
   Neighbours of lists are what the caller knows as apart (entries_near); lists that shrink are apart (apart_shrinks).

   Read: call_. *)
From Probity Require Import PreludeReals.
From mathcomp.classical Require Import functions.
From mathcomp.analysis Require Import signed measure lebesgue_measure numfun lebesgue_integral.
From Probity Require Import Additive Certificate Calls Called Outcomes Chosen.
Open Scope R_scope.

Definition call_ (I V O : Type) (c : stmt RR (I * V)) (out : I -> V -> O) (i : I) (v : V) : law RR O :=
  law_of c (fun s => out s.1 s.2) (i, v).

Section Tests.
Variables (I V : Type) (enc : memory -> V) (O : countType) (out : I -> V -> O) (c : stmt RR (I * V)).
Hypothesis c_add : add enc c.
Hypothesis out_read : forall i r, exists g, bm g /\ forall x, g x = true <-> out i (enc x) = r.
Let to (f : O -> \bar RR) (s : I * V) := f (out s.1 s.2).

Lemma good_to f : (forall o, 0 <= f o)%E -> good enc (to f).
Proof.
move=> f0 i; pose h n (x : memory) : \bar RR := (if pickle (out i (enc x)) == n then f (out i (enc x)) else 0)%E.
have h0 n x : (0 <= h n x)%E by rewrite /h; case: ifP.
rewrite (_ : (fun x => _) = fun x => (\sum_(n <oo) h n x)%E); last first.
  apply/funext => x; rewrite (@series_only _ _ (pickle (out i (enc x)))) => [|n|n nk]; last first.
  - by rewrite /h eq_sym (negPf nk).
  - exact: h0.
  by rewrite /h eqxx.
apply: ge0_emeasurable_fun_sum => // n.
have [[r rn]|no] := pselect (exists r : O, pickle r = n); last first.
  rewrite (_ : h n = fun=> 0%E); first exact: measurable_fun_cst.
  by apply/funext => x; rewrite /h; case: eqP => // e; case: no; exists (out i (enc x)).
have [g [mg gE]] := out_read i r.
rewrite (_ : h n = fun x => if g x then f r else 0%E).
  by apply: measurable_fun_ifT => //; exact: measurable_fun_cst.
apply/funext => x; rewrite /h -rn; case: eqP => [/(pcan_inj pickleK) e|ne].
  by rewrite (proj2 (gE x) e) e.
by case E : (g x) => //; case: ne; move/gE: E => ->.
Qed.
Lemma call_additive m : finitely_additive (law_of c (fun s => out s.1 s.2) m).
Proof.
move=> f g f0 g0; pose F n := to (if n == 0%N then f else if n == 1%N then g else (fun=> 0)%E).
have F0 n : nneg (F n) by move=> s; rewrite /F /to; case: eqP => // _; case: eqP.
have gF n : good enc (F n) by apply: good_to => o; case: eqP => // _; case: eqP.
have := wp_finite (@good0 I V enc) c_add 2 F0 gF m.
rewrite !big_nat_recr//= big_geq// add0e => <-.
by rewrite /law_of /= /released; congr (wp c _ m); apply/funext => s; rewrite !big_nat_recr//= big_geq// add0e.
Qed.
(* privacy for all sets is privacy for all tests *)
Theorem call_tests (eps : R) (m m' : I * V) : @dp RR (I * V) O (fun s => out s.1 s.2) c eps 0 m m' ->
  forall f : O -> \bar RR, (forall o, 0 <= f o)%E -> (forall o, f o <= 1)%E ->
  (call_ c out m.1 m.2 f <= (expR eps)%:E * call_ c out m'.1 m'.2 f)%E.
Proof.
move=> H f f0 f1; rewrite /call_ -!surjective_pairing.
have T E : (law_of c (fun s => out s.1 s.2) m (@charf RR O E) <= (expR eps)%:E * law_of c (fun s => out s.1 s.2) m' (@charf RR O E) + 0%:E)%E := H E.
by have := tests_of_sets (lexx 0%R) (@call_additive m) (@call_additive m') T f0 f1; rewrite adde0.
Qed.
End Tests.

Section Rule.
Variables (I V : Type) (i1 i2 : I) (O : Type) (Q : bassn V).
(* y is an arbitrary value, which occurs nowhere in Q *)
Variables (y : arb -> O) (with_y : arb -> O -> arb).
Hypothesis y_at : forall a o, y (with_y a o) = o.
Theorem j_call (C : I -> V -> law RR O) (u : V -> O -> V) (side : V -> V -> bool) (cost after : V -> V -> R -> R) :
  (forall a o v v' k, Q (with_y a o) v v' k = Q a v v' k) -> (forall v v' k, after v v' k = k + cost v v' k) ->
  (forall v v' k, side v v' = true -> forall f : O -> \bar RR, (forall o, 0 <= f o)%E -> (forall o, f o <= 1)%E ->
     (C i1 v f <= (expR (cost v v' k))%:E * C i2 v' f)%E) ->
  J i1 i2 0 (draw_ C u) (fun a v v' k => side v v' && Q a (u v (y a)) (u v' (y a)) (after v v' k)) Q.
Proof.
move=> fresh charged near f F f0 f1 F0 Hr [i v] [i' v'] k [/= -> [-> H]]; rewrite adde0.
have /and_true[sd _] := H arb0.
apply: (le_trans (near v v' k sd (fun o => f (i1, u v o)) (fun o => f0 _) (fun o => f1 _))).
apply: (@le_trans _ _ ((expR (cost v v' k))%:E * C i2 v' (fun o => (expR (- (k + cost v v' k)))%:E * F (i2, u v' o)))%E).
  apply: lee_wpmul2l; first by rewrite lee_fin expR_ge0.
  apply: ev_le => o; first exact: f0.
  apply: Hr; split; [|split] => //= a; have /and_true[_] := H (with_y a o); by rewrite y_at fresh charged.
rewrite ev_scale ?expR_ge0//.
by rewrite muleA -EFinM -exp.expRD opprD addrCA subrr addr0.
Qed.
End Rule.

(* ---- neighbours of lists, for the called program ---- *)
Theorem entries_near l l' low high b : apart l l' low high = true -> - b <= low -> high <= b ->
  forall j, (0 <= j < len l)%Z -> leR (Rabs (entry l' j - entry l j)) b = true.
Proof. by move=> /apartP[_ near] lo hi j /near h; apply/leRP; apply: Rabs_le; lra. Qed.
(* lists that shrink: APART where the runs of a clause about growing entries are exchanged *)
Theorem apart_shrinks (q q' : list R) b low high : length q = length q' ->
  (forall j, (0 <= j < len q)%Z -> leR 0 (entry q j - entry q' j) && leR (entry q j - entry q' j) b = true) ->
  low <= - b -> 0 <= high -> apart q q' low high = true.
Proof. by move=> ll near lo hi; apply/apartP; split=> // j /near/and_true[/leRP ? /leRP ?]; lra. Qed.
(* in the words of exported texts, either list first *)
Ltac conjuncts := repeat match goal with h : (_ && _) = true |- _ => apply and_true in h; destruct h end.
Ltac entries := match goal with h : apart ?l ?l' _ _ = true |- forall j, (0 <= j < len ?l)%Z -> _ => apply (entries_near h); lra
  | h : apart _ ?l _ _ = true |- forall j, (0 <= j < len ?l)%Z -> _ => rewrite -apart_swap in h; apply (entries_near h); lra end.
