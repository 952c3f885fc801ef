(* The evidence of trusted/kernel/src/evidence/entail.rs is sound: facts that have evidence against them are contradictory, and
   an entailment with evidence is valid for all values of all variables.

   A polynomial is what it evaluates to; that the kernel's sum is a constant polynomial makes the sum a constant here.  Read: holds,
   evidence (one constructor per kind: combination, clash, absurd, cases, cut, cite), contradictory, entailment. *)
From Coq Require Import Reals Lra List Bool.
Open Scope R_scope.
Import ListNotations.

Section Evidence.
Variable env : Type.                       (* values of all variables *)
Definition poly := env -> R.

Inductive fact :=
| Zero (p : poly)
| Positive (p : poly)
| NonNegative (p : poly)
| Holds (b : env -> bool) (value : bool)
| Any (l : list fact)
| All (l : list fact).

Fixpoint holds (v : env) (f : fact) : Prop :=
  match f with
  | Zero p => p v = 0
  | Positive p => p v > 0
  | NonNegative p => p v >= 0
  | Holds b value => b v = value
  | Any l => (fix any l := match l with [] => False | f :: l => holds v f \/ any l end) l
  | All l => (fix all l := match l with [] => True | f :: l => holds v f /\ all l end) l
  end.

(* a conjunction joins the facts by its parts *)
Fixpoint push (f : fact) (fs : list fact) : list fact :=
  match f with All l => (fix go l fs := match l with [] => fs | f :: l => go l (push f fs) end) l fs | f => fs ++ [f] end.

(* a product of facts p >= 0 or p > 0, of positive parameters and of a positive number *)
Record product := Product { coefficient : R; scale : poly; factors : list nat }.

Section Facts.
Variable fs : list fact.
Fixpoint value (l : list nat) (strict : bool) : option (poly * bool) :=
  match l with
  | [] => Some (fun _ => 1, strict)
  | i :: l =>
    match nth_error fs i with
    | Some (Positive p) => option_map (fun '(q, s) => (fun v => p v * q v, s)) (value l strict)
    | Some (NonNegative p) => option_map (fun '(q, _) => (fun v => p v * q v, false)) (value l strict)
    | _ => None
    end
  end.
Fixpoint products (ps : list product) : option (poly * bool) :=
  match ps with
  | [] => Some (fun _ => 0, false)
  | p :: ps =>
    match value (factors p) true, products ps with
    | Some (q, s), Some (rest, strict) =>
        Some (fun v => coefficient p * scale p v * q v + rest v, s || strict)
    | _, _ => None
    end
  end.
Fixpoint equations (es : list (nat * poly)) : option poly :=
  match es with
  | [] => Some (fun _ => 0)
  | (i, m) :: es =>
    match nth_error fs i, equations es with
    | Some (Zero p), Some rest => Some (fun v => p v * m v + rest v)
    | _, _ => None
    end
  end.
End Facts.

Variable lemmas : fact -> Prop.            (* what may be cited: formulas that hold everywhere *)
Hypothesis lemmas_hold : forall f, lemmas f -> forall v, holds v f.
Variable positive : poly -> Prop.          (* monomials of parameters that the assumptions make positive *)

(* fs |- false *)
Inductive evidence : list fact -> Prop :=
| combination fs ps es sum strict extra c :
    Forall (fun p => coefficient p > 0 /\ positive (scale p)) ps ->
    products fs ps = Some (sum, strict) -> equations fs es = Some extra ->
    (forall v, sum v + extra v = c) -> c < 0 \/ (c = 0 /\ strict = true) -> evidence fs
| clash fs i j b : nth_error fs i = Some (Holds b true) -> nth_error fs j = Some (Holds b false) -> evidence fs
| absurd fs i : nth_error fs i = Some (Any []) -> evidence fs
| cases fs i l : nth_error fs i = Some (Any l) -> (forall f, In f l -> evidence (push f fs)) -> evidence fs
| cut fs yes no : (forall v, holds v yes \/ holds v no) -> evidence (push yes fs) -> evidence (push no fs) -> evidence fs
| cite fs f : lemmas f -> evidence (push f fs) -> evidence fs.

Definition all_hold (v : env) (fs : list fact) := forall f, In f fs -> holds v f.

Lemma fact_rect' (P : fact -> Prop) : (forall p, P (Zero p)) -> (forall p, P (Positive p)) -> (forall p, P (NonNegative p)) ->
  (forall b value, P (Holds b value)) -> (forall l, (forall f, In f l -> P f) -> P (Any l)) ->
  (forall l, (forall f, In f l -> P f) -> P (All l)) -> forall f, P f.
Proof.
intros H1 H2 H3 H4 H5 H6; fix IH 1; intros [p|p|p|b value|l|l]; [apply H1|apply H2|apply H3|apply H4| |].
- apply H5; induction l as [|f l IHl]; [intros g []|]; intros g [E|E]; [rewrite <- E; apply IH|now apply IHl].
- apply H6; induction l as [|f l IHl]; [intros g []|]; intros g [E|E]; [rewrite <- E; apply IH|now apply IHl].
Qed.

Lemma push_holds v f : holds v f -> forall fs, all_hold v fs -> all_hold v (push f fs).
Proof.
assert (one : forall f, holds v f -> forall fs, all_hold v fs -> all_hold v (fs ++ [f])).
{ intros g Hg fs Hfs h Hh; apply in_app_or in Hh; destruct Hh as [Hh|[<-|[]]]; auto. }
revert v one; induction f as [p|p|p|b value|l IH|l IH] using fact_rect'; intros v one; try (apply one).
simpl; induction l as [|f l IHl]; [auto|].
intros [Hf Hl] fs Hfs; apply IHl; [intros g Hg; apply IH; now right|exact Hl|].
apply IH; [now left|exact one|exact Hf|exact Hfs].
Qed.

Lemma any_in v l : holds v (Any l) -> exists f, In f l /\ holds v f.
Proof.
simpl; induction l as [|f l IH]; [intros []|]; intros [H|H]; [exists f; split; [now left|exact H]|].
destruct (IH H) as [g [Hg Hh]]; exists g; split; [now right|exact Hh].
Qed.

Lemma value_sign fs v : all_hold v fs -> forall l q s, value fs l true = Some (q, s) -> q v >= 0 /\ (s = true -> q v > 0).
Proof.
intros Hfs; induction l as [|i l IH]; simpl; intros q s.
{ intros [= <- <-]; lra. }
destruct (nth_error fs i) as [f|] eqn:E; [|discriminate]; assert (Hf := Hfs f (nth_error_In _ _ E)).
destruct f as [p|p|p| | |]; try discriminate; simpl in Hf;
destruct (value fs l true) as [[q' s']|] eqn:V; try discriminate; simpl; intros [= <- <-];
destruct (IH q' s' eq_refl) as [A B].
- split; [nra|intros H; assert (X := B H); nra].
- split; [nra|discriminate].
Qed.

Lemma products_sign fs v : all_hold v fs -> (forall m, positive m -> m v > 0) ->
  forall ps sum strict, Forall (fun p => coefficient p > 0 /\ positive (scale p)) ps ->
  products fs ps = Some (sum, strict) -> sum v >= 0 /\ (strict = true -> sum v > 0).
Proof.
intros Hfs Hpos; induction ps as [|p ps IH]; simpl; intros sum strict F.
{ intros [= <- <-]; split; [lra|discriminate]. }
inversion F as [|? ? [Hc Hs] F']; subst.
destruct (value fs (factors p) true) as [[q s]|] eqn:V; [|discriminate].
destruct (products fs ps) as [[rest st]|] eqn:P; [|discriminate]; intros [= <- <-].
destruct (value_sign fs v Hfs _ _ _ V) as [A B]; destruct (IH rest st F' eq_refl) as [C D]; assert (S := Hpos _ Hs).
assert (X : coefficient p * scale p v > 0) by nra; split.
- nra.
- intros H; apply orb_prop in H; destruct H as [H|H]; [assert (Y := B H)|assert (Y := D H)]; nra.
Qed.

Lemma equations_zero fs v : all_hold v fs -> forall es extra, equations fs es = Some extra -> extra v = 0.
Proof.
intros Hfs; induction es as [|[i m] es IH]; simpl; intros extra.
{ intros [= <-]; reflexivity. }
destruct (nth_error fs i) as [f|] eqn:E; [|discriminate]; destruct f as [p|p|p| | |]; try discriminate.
destruct (equations fs es) as [rest|] eqn:Q; [|discriminate]; intros [= <-].
assert (Hp := Hfs _ (nth_error_In _ _ E)); simpl in Hp; rewrite Hp, (IH rest eq_refl); ring.
Qed.

Theorem contradictory v : (forall m, positive m -> m v > 0) -> forall fs, evidence fs -> ~ all_hold v fs.
Proof.
intros Hpos; fix IH 2; intros fs [fs0 ps es sum strict extra c F P Q S C|fs0 i j b A B|fs0 i A|fs0 i l A F|fs0 yes no D A B|fs0 f L A] Hfs.
- destruct (products_sign fs0 v Hfs Hpos ps sum strict F P) as [G1 G2]; assert (E := equations_zero fs0 v Hfs es extra Q).
  assert (Sv := S v); destruct C as [C|[C ->]]; [lra|assert (X := G2 eq_refl); lra].
- assert (X := Hfs _ (nth_error_In _ _ A)); assert (Y := Hfs _ (nth_error_In _ _ B)); simpl in X, Y; congruence.
- exact (Hfs _ (nth_error_In _ _ A)).
- destruct (any_in v l (Hfs _ (nth_error_In _ _ A))) as [f [Hin Hf]].
  exact (IH _ (F f Hin) (push_holds v f Hf fs0 Hfs)).
- destruct (D v) as [X|X]; [exact (IH _ A (push_holds v yes X fs0 Hfs))|exact (IH _ B (push_holds v no X fs0 Hfs))].
- exact (IH _ A (push_holds v f (lemmas_hold f L v) fs0 Hfs)).
Qed.

(* hypotheses and the negation of the goal contradict each other: the hypotheses entail the goal *)
Theorem entailment (hyps : list fact) (goal negated : fact) :
  (forall v, holds v goal \/ holds v negated) ->
  evidence (push negated hyps) ->
  forall v, (forall m, positive m -> m v > 0) -> all_hold v hyps -> holds v goal.
Proof.
intros D E v Hpos H; destruct (D v) as [X|X]; [exact X|exfalso].
exact (contradictory v Hpos _ E (push_holds v negated X hyps H)).
Qed.
End Evidence.
