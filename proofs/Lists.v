(* APPEND and the empty list (trusted/kernel/src/rules/lists.rs, before) for all that an assertion may say of a list: that it is equal in both runs, its length in either run, and
   apart(l, low, high), that its entries grow from the first run to the second by an amount between low and high.

   An assertion that says no more sees two lists through a view.  What APPEND does to the view is what the kernel puts in its place (appended, emptied), and so the rules are ASSIGN, in every
   measure.  Read: view, seen, only_views, append_views, empty_views. *)
From Probity Require Import Prelude Judgement Compared.
From Probity Require Rules.
Local Open Scope ring_scope.

Section Lists.
Variables (R : realType) (S A : Type) (num : A -> R) (get : S -> seq A) (put : S -> seq A -> S).
Hypothesis get_put : forall s l, get (put s l) = l.

Definition apart (l l' : seq A) (low high : R) : Prop := all2 (fun x x' => low <= num x' - num x <= high) l l'.
(* what may be said of two lists *)
Record view := View { same : Prop; length1 : nat; length2 : nat; between : R -> R -> Prop }.
Definition seen (l l' : seq A) : view := View (l = l') (size l) (size l') (apart l l').
(* the same after x and x' were put at the ends *)
Definition grown (v : view) (x x' : A) : view :=
  View (same v /\ x = x') (length1 v).+1 (length2 v).+1 (fun low high => between v low high /\ low <= num x' - num x <= high).
Definition empty : view := View True 0 0 (fun _ _ => True).

Lemma apart_rcons l l' x x' low high : apart (rcons l x) (rcons l' x') low high <-> apart l l' low high /\ low <= num x' - num x <= high.
Proof.
rewrite /apart; elim: l l' => [|y l IH] [|y' l'] /=; first by rewrite andbT; split=> // -[].
- by split; [case: l' => [|? ?]; rewrite /= andbF|case].
- by split; [case: l {IH} => [|? ?]; rewrite /= andbF|case].
by split=> [/andP[-> /IH]//|[/andP[-> h] xx]]; apply/IH.
Qed.
Theorem appended l l' x x' : seen (rcons l x) (rcons l' x') = grown (seen l l') x x'.
Proof.
rewrite /seen /grown /= !size_rcons; congr View; first by apply: propext; exact: Rules.rcons_eq.
by apply/funext => low; apply/funext => high; apply: propext; exact: apart_rcons.
Qed.
Theorem emptied : seen [::] [::] = empty.
Proof. by rewrite /seen /empty; congr View; [apply: propext|apply/funext => low; apply/funext => high; apply: propext]. Qed.

(* an assertion that sees the list through a view only *)
Definition only_views (Psi : view -> assn R S) := forall v s s' l l' k, Psi v (put s l) (put s' l') k <-> Psi v s s' k.
Section Rule.
Variables (e : S -> A) (Psi : view -> assn R S).
Hypothesis only : only_views Psi.
Definition append_after : assn R S := fun s s' k => Psi (seen (get s) (get s')) s s' k.
Definition append_before : assn R S := fun s s' k => Psi (grown (seen (get s) (get s')) (e s) (e s')) s s' k.
Definition empty_before : assn R S := fun s s' k => Psi empty s s' k.
Let push s := put s (rcons (get s) (e s)).
Let clear s := put s [::].
Lemma push_after s s' k : append_before s s' k -> append_after (push s) (push s') k.
Proof. by rewrite /append_after /push !get_put appended only. Qed.
Lemma clear_after s s' k : empty_before s s' k -> append_after (clear s) (clear s') k.
Proof. by rewrite /append_after /clear !get_put emptied only. Qed.

(* APPEND *)
Theorem append_views : judge 0 (Assign R push) append_before append_after.
Proof. by apply: Rules.strengthen (@Rules.assign _ _ push append_after) => s s' k; exact: push_after. Qed.
(* x = [] *)
Theorem empty_views : judge 0 (Assign R clear) empty_before append_after.
Proof. by apply: Rules.strengthen (@Rules.assign _ _ clear append_after) => s s' k; exact: clear_after. Qed.
(* in rho and in mu *)
Theorem c_append_views (M : reading R) : cjudge M (Assign R push) append_before append_after.
Proof. by apply: c_strengthen (@c_assign _ M _ push append_after) => s s' k; exact: push_after. Qed.
Theorem c_empty_views (M : reading R) : cjudge M (Assign R clear) empty_before append_after.
Proof. by apply: c_strengthen (@c_assign _ M _ clear append_after) => s s' k; exact: clear_after. Qed.
End Rule.
End Lists.
