(* Formulas of exported certificates, and the steps of their evidence.

   A formula is a boolean over the real numbers, with the functions of docs/language.md; an integer is a Z, read as a number by
   IZR.  An exported side condition is "formulas that hold, so a formula holds", and its proof script is the kernel's evidence: each lemma below
   is one way in which trusted/kernel/src/evidence/fact.rs takes a formula apart (and_true ... choose_clamp), or one way in which
   entail.rs adds facts up to a contradiction (contra, contra_strict).  Nothing searches; the sums are compared by field. *)
From Coq Require Import Reals ZArith Bool List Permutation Lra Lia.
From mathcomp.classical Require boolp.
From Flocq Require Import Core.
From Probity Require Export Lemmas.
Open Scope R_scope.

(* ---- the language: what is not in Lemmas.v ---- *)
Definition leR (a b : R) : bool := if Rle_dec a b then true else false.
Definition ltR (a b : R) : bool := if Rlt_dec a b then true else false.
Definition eqR (a b : R) : bool := if Req_EM_T a b then true else false.
(* equality of booleans, lists *)
Definition same {A : Type} (a b : A) : bool := if boolp.pselect (a = b) then true else false.
(* 1 / 0 = 0.  The script's field treats inv b as an atom, as the kernel does for a b that it does not know to be positive *)
Definition inv (b : R) : R := / b.
Definition clamp (a low high : R) : R := Rmax low (Rmin a high).
Definition clampZ (a low high : Z) : Z := Z.max low (Z.min a high).
(* l[i], counted from 0; 0 where there is no entry *)
Definition entry (l : list R) (i : Z) : R := if (0 <=? i)%Z then nth (Z.to_nat i) l 0 else 0.
Definition entryZ (l : list Z) (i : Z) : Z := if (0 <=? i)%Z then nth (Z.to_nat i) l 0%Z else 0%Z.
Definition len {A : Type} (l : list A) : Z := Z.of_nat (length l).
Definition append {A : Type} (l : list A) (x : A) : list A := l ++ cons x nil.
(* sum(r in t where c, e) *)
Definition sumR {A : Type} (t : list A) (c : A -> bool) (e : A -> R) : R :=
  fold_right (fun r total => (if c r then e r else 0) + total) 0 t.
Definition sumZ {A : Type} (t : list A) (c : A -> bool) (e : A -> Z) : Z :=
  fold_right (fun r total => (if c r then e r else 0) + total)%Z 0%Z t.

Theorem inv_zero : inv 0 = 0. Proof. exact Rinv_0. Qed.
Lemma leRP a b : leR a b = true <-> a <= b. Proof. unfold leR; destruct Rle_dec; split; easy. Qed.
Lemma ltRP a b : ltR a b = true <-> a < b. Proof. unfold ltR; destruct Rlt_dec; split; easy. Qed.
Lemma eqRP a b : eqR a b = true <-> a = b. Proof. unfold eqR; destruct Req_EM_T; split; easy. Qed.
Lemma leRN a b : leR a b = false <-> b < a. Proof. unfold leR; destruct Rle_dec; split; try easy; lra. Qed.
Lemma ltRN a b : ltR a b = false <-> b <= a. Proof. unfold ltR; destruct Rlt_dec; split; try easy; lra. Qed.
Lemma eqRN a b : eqR a b = false <-> a <> b. Proof. unfold eqR; destruct Req_EM_T; split; easy. Qed.
Lemma sameP {A} (a b : A) : same a b = true <-> a = b.
Proof. unfold same; destruct boolp.pselect; split; easy. Qed.
Lemma same_append {A} (l l' : list A) x x' : same (append l x) (append l' x') = same l l' && same x x'.
Proof.
apply eq_true_iff_eq; rewrite andb_true_iff, !sameP; unfold append; split.
- apply app_inj_tail.
- now intros [-> ->].
Qed.
Lemma same_refl {A} (a : A) : same a a = true. Proof. now apply sameP. Qed.
Lemma same_nil {A} : same (@nil A) nil = true. Proof. apply same_refl. Qed.
Lemma same_real (a b : R) : same a b = eqR a b. Proof. apply eq_true_iff_eq; now rewrite sameP, eqRP. Qed.
Lemma same_bool (a b : bool) : same a b = Bool.eqb a b. Proof. apply eq_true_iff_eq; now rewrite sameP, eqb_true_iff. Qed.
Lemma same_int (a b : Z) : same a b = eqR (IZR a) (IZR b).
Proof. apply eq_true_iff_eq; rewrite sameP, eqRP; split; [now intros ->|apply eq_IZR]. Qed.

(* integers as numbers *)
Lemma min_IZR a b : IZR (Z.min a b) = Rmin (IZR a) (IZR b).
Proof.
unfold Rmin; destruct Rle_dec as [h|h]; [rewrite Z.min_l; [easy|now apply le_IZR]|rewrite Z.min_r; [easy|]].
apply Z.lt_le_incl, lt_IZR; lra.
Qed.
Lemma max_IZR a b : IZR (Z.max a b) = Rmax (IZR a) (IZR b).
Proof.
unfold Rmax; destruct Rle_dec as [h|h]; [rewrite Z.max_r; [easy|now apply le_IZR]|rewrite Z.max_l; [easy|]].
apply Z.lt_le_incl, lt_IZR; lra.
Qed.
Lemma clamp_IZR a b c : IZR (clampZ a b c) = clamp (IZR a) (IZR b) (IZR c).
Proof. unfold clampZ, clamp; now rewrite max_IZR, min_IZR. Qed.
Lemma if_IZR (c : bool) a b : IZR (if c then a else b) = if c then IZR a else IZR b. Proof. now destruct c. Qed.
Lemma floor_IZR a : IZR (Zfloor a) = floor_ a. Proof. reflexivity. Qed.
Global Hint Rewrite plus_IZR minus_IZR mult_IZR opp_IZR abs_IZR min_IZR max_IZR clamp_IZR if_IZR floor_IZR : izr.
Ltac push := autorewrite with izr.

Ltac lists := rewrite ?same_append, ?same_nil, ?same_real, ?same_bool, ?same_int.

(* ---- taking formulas apart ---- *)
Lemma by_contradiction (g : bool) : (g = false -> False) -> g = true. Proof. destruct g; [reflexivity|intros H; now destruct H]. Qed.
Lemma cut_ (a : bool) : a = true \/ a = false. Proof. destruct a; auto. Qed.
Lemma and_true a b : a && b = true -> a = true /\ b = true. Proof. apply andb_prop. Qed.
Lemma and_false a b : a && b = false -> a = false \/ b = false. Proof. apply andb_false_iff. Qed.
Lemma or_true a b : a || b = true -> a = true \/ b = true. Proof. apply orb_prop. Qed.
Lemma or_false a b : a || b = false -> a = false /\ b = false. Proof. apply orb_false_iff. Qed.
Lemma not_true a : negb a = true -> a = false. Proof. apply negb_true_iff. Qed.
Lemma not_false a : negb a = false -> a = true. Proof. apply negb_false_iff. Qed.
Lemma iff_true a b : Bool.eqb a b = true -> (a = true /\ b = true) \/ (a = false /\ b = false).
Proof. destruct a, b; auto. Qed.
Lemma iff_false a b : Bool.eqb a b = false -> (a = true /\ b = false) \/ (a = false /\ b = true).
Proof. destruct a, b; auto. Qed.
Lemma choose_formula (c a b p : bool) : (if c then a else b) = p -> (c = true /\ a = p) \/ (c = false /\ b = p).
Proof. destruct c; auto. Qed.
Lemma abs_le_true a b : leR (Rabs a) b = true -> leR a b = true /\ leR (- a) b = true.
Proof. rewrite !leRP; apply abs_le. Qed.
Lemma abs_le_false a b : leR (Rabs a) b = false -> leR a b = false \/ leR (- a) b = false.
Proof. rewrite !leRN; unfold Rabs; destruct Rcase_abs; auto. Qed.
Lemma abs_lt_true a b : ltR (Rabs a) b = true -> ltR a b = true /\ ltR (- a) b = true.
Proof. rewrite !ltRP; unfold Rabs; destruct Rcase_abs; lra. Qed.
Lemma abs_lt_false a b : ltR (Rabs a) b = false -> ltR a b = false \/ ltR (- a) b = false.
Proof. rewrite !ltRN; unfold Rabs; destruct Rcase_abs; auto. Qed.

(* a comparison P of a number that is defined by cases *)
Section Choices.
Variables (P : R -> bool) (p : bool).
Lemma choose_if (c : bool) a b : P (if c then a else b) = p -> (c = true /\ P a = p) \/ (c = false /\ P b = p).
Proof. destruct c; auto. Qed.
Lemma choose_abs a : P (Rabs a) = p -> (leR 0 a = true /\ P a = p) \/ (leR 0 a = false /\ P (- a) = p).
Proof. rewrite leRP, leRN; unfold Rabs; destruct Rcase_abs; [right|left]; split; auto; lra. Qed.
Lemma choose_min a b : P (Rmin a b) = p -> (leR a b = true /\ P a = p) \/ (leR a b = false /\ P b = p).
Proof. rewrite leRP, leRN; unfold Rmin; destruct Rle_dec; [left|right]; split; auto; lra. Qed.
Lemma choose_max a b : P (Rmax a b) = p -> (leR a b = true /\ P b = p) \/ (leR a b = false /\ P a = p).
Proof. rewrite leRP, leRN; unfold Rmax; destruct Rle_dec; [left|right]; split; auto; lra. Qed.
Lemma choose_clamp a low high : P (clamp a low high) = p ->
  (leR (Rmin a high) low = true /\ P low = p) \/ (leR (Rmin a high) low = false /\ P (Rmin a high) = p).
Proof.
rewrite leRP, leRN; unfold clamp; intros H; destruct (Rle_lt_dec (Rmin a high) low) as [h|h]; [left|right]; split; auto.
- now rewrite Rmax_left in H.
- rewrite Rmax_right in H; [exact H|lra].
Qed.
End Choices.

(* ---- facts ---- *)
Lemma le_true a b : leR a b = true -> 0 <= b - a. Proof. rewrite leRP; lra. Qed.
Lemma le_false a b : leR a b = false -> 0 < a - b. Proof. rewrite leRN; lra. Qed.
Lemma lt_true a b : ltR a b = true -> 0 < b - a. Proof. rewrite ltRP; lra. Qed.
Lemma lt_false a b : ltR a b = false -> 0 <= a - b. Proof. rewrite ltRN; lra. Qed.
Lemma eq_true a b : eqR a b = true -> b - a = 0. Proof. rewrite eqRP; lra. Qed.
Lemma eq_true_le a b : eqR a b = true -> 0 <= b - a. Proof. rewrite eqRP; lra. Qed.
Lemma eq_true_ge a b : eqR a b = true -> 0 <= a - b. Proof. rewrite eqRP; lra. Qed.
Lemma eq_false a b : eqR a b = false -> ltR a b = true \/ ltR b a = true. Proof. rewrite eqRN, !ltRP; lra. Qed.

Lemma eq_false_square a b : eqR a b = false -> 0 < (b - a) * (b - a).
Proof. rewrite eqRN; intros h; assert (b - a <> 0) by lra; now apply Rsqr_pos_lt. Qed.

(* between integers *)
Definition whole (a : R) := exists z, a = IZR z.
Lemma whole_IZR z : whole (IZR z). Proof. now exists z. Qed.
Lemma whole_floor a : whole (floor_ a). Proof. now exists (Zfloor a). Qed.
Lemma whole_plus a b : whole a -> whole b -> whole (a + b). Proof. intros [x ->] [y ->]; exists (x + y)%Z; now rewrite plus_IZR. Qed.
Lemma whole_minus a b : whole a -> whole b -> whole (a - b). Proof. intros [x ->] [y ->]; exists (x - y)%Z; now rewrite minus_IZR. Qed.
Lemma whole_times a b : whole a -> whole b -> whole (a * b). Proof. intros [x ->] [y ->]; exists (x * y)%Z; now rewrite mult_IZR. Qed.
Lemma whole_neg a : whole a -> whole (- a). Proof. intros [x ->]; exists (- x)%Z; now rewrite opp_IZR. Qed.
Lemma whole_gap a : whole a -> 0 < a -> 0 <= a - 1.
Proof. intros [z ->] h; apply lt_IZR in h; assert (1 <= z)%Z as g by lia; apply IZR_le in g; lra. Qed.
Lemma le_false_whole a b : leR a b = false -> whole (a - b) -> 0 <= a - b - 1.
Proof. intros h w; now apply whole_gap, le_false. Qed.
Lemma lt_true_whole a b : ltR a b = true -> whole (b - a) -> 0 <= b - a - 1.
Proof. intros h w; now apply whole_gap, lt_true. Qed.

(* ---- combinations ---- *)
Lemma weak a : 0 < a -> 0 <= a. Proof. lra. Qed.
Lemma mul_strict a b : 0 < a -> 0 < b -> 0 < a * b. Proof. apply Rmult_lt_0_compat. Qed.
Lemma mul_weak a b : 0 <= a -> 0 <= b -> 0 <= a * b. Proof. apply Rmult_le_pos. Qed.
Lemma add_weak a b : 0 <= a -> 0 <= b -> 0 <= a + b. Proof. lra. Qed.
Lemma add_left a b : 0 < a -> 0 <= b -> 0 < a + b. Proof. lra. Qed.
Lemma add_right a b : 0 <= a -> 0 < b -> 0 < a + b. Proof. lra. Qed.
Lemma power n a : 0 < a -> 0 < a ^ n. Proof. apply pow_lt. Qed.
Lemma negative_power n a : 0 < a -> 0 < / a ^ n. Proof. intros h; now apply Rinv_0_lt_compat, pow_lt. Qed.
Lemma multiple m a : a = 0 -> a * m = 0. Proof. intros ->; ring. Qed.
Lemma add_zero a b : a = 0 -> b = 0 -> a + b = 0. Proof. intros -> ->; ring. Qed.
Lemma contra c s t : c < 0 -> s + t = c -> 0 <= s -> t = 0 -> False. Proof. intros; lra. Qed.
Lemma contra_strict c s t : c = 0 -> s + t = c -> 0 < s -> t = 0 -> False. Proof. intros; lra. Qed.
(* a divisor is positive: by hypothesis, or a sum that is so (eps - eps/2) *)
Ltac nonzero := repeat split; first [match goal with h : 0 < ?x |- ?x <> 0 => exact (not_eq_sym (Rlt_not_eq _ _ h)) end | apply Rgt_not_eq; lra].
(* what ring does not see inside of a function *)
Lemma ln_one : ln_ 1 = 0. Proof. rewrite ln_E by lra; apply ln_1. Qed.
Global Hint Rewrite Z.add_0_r Z.add_0_l Z.sub_0_r Z.mul_1_l Z.mul_1_r : units.
Lemma over_one a : a / 1 = a. Proof. field. Qed.
Global Hint Rewrite over_one ln_one exp_0 Rplus_0_r Rplus_0_l Rminus_0_r Rmult_1_l Rmult_1_r Rmult_0_l Rmult_0_r Ropp_0 : units.
Ltac merge f := repeat match goal with |- context [f ?a] => match goal with |- context [f ?b] =>
  tryif constr_eq a b then fail else replace (f a) with (f b) by (f_equal; first [field; nonzero]) end end.
Ltac merge_round := repeat match goal with |- context [round_to ?a ?g] => match goal with |- context [round_to ?b g] =>
  tryif constr_eq a b then fail else replace (round_to a g) with (round_to b g) by (f_equal; first [field; nonzero]) end end.
Lemma sumR_same {A} (t : list A) c e e' : (forall r, e r = e' r) -> sumR t c e = sumR t c e'.
Proof. intros h; induction t as [|r t IH]; [reflexivity|cbn; rewrite h; fold (sumR t c e) (sumR t c e'); now rewrite IH]. Qed.
Ltac merge_sums := repeat match goal with |- context [sumR ?t ?c ?e] => match goal with |- context [sumR t c ?e'] =>
  tryif constr_eq e e' then fail else replace (sumR t c e) with (sumR t c e')
    by (apply sumR_same; intros ?; cbv beta; first [ring | f_equal; ring]) end end.
(* an entry that is read at one place, which is written in two ways: at + 1 and 1 + at *)
Ltac merge_places := repeat match goal with
  | |- context [entry ?l ?i] => match goal with |- context [entry l ?j] =>
      tryif constr_eq i j then fail else replace (entry l j) with (entry l i) by (apply f_equal; ring) end
  | |- context [entryZ ?l ?i] => match goal with |- context [entryZ l ?j] =>
      tryif constr_eq i j then fail else replace (entryZ l j) with (entryZ l i) by (apply f_equal; ring) end
  end.
Ltac sums := cbv beta; first [field; nonzero | autorewrite with units; first [reflexivity | field; nonzero] | push; field; nonzero
  | merge floor_; merge_round; field; nonzero | merge_sums; field; nonzero | merge sqrt; field; nonzero
  | merge inv; merge ln_; merge exp; repeat match goal with |- context [ln_ ?a] =>
      replace (ln_ a) with 0 by (symmetry; transitivity (ln_ 1); [f_equal; first [field; nonzero]|apply ln_one]) end; field; nonzero
  | merge_places; first [field; nonzero | push; field; nonzero | autorewrite with units; field; nonzero]].

(* an integer, as it stands or as the sum of integers d that it is equal to *)
Lemma whole_equal d a : a = d -> whole d -> whole a. Proof. now intros ->. Qed.
Ltac wholes := cbv beta; repeat match goal with
  | |- whole (IZR _) => apply whole_IZR
  | |- whole (floor_ _) => apply whole_floor
  | |- whole (_ - _) => apply whole_minus
  | |- whole (_ + _) => apply whole_plus
  | |- whole (_ * _) => apply whole_times
  | |- whole (- _) => apply whole_neg
  end.
Ltac whole d := first [solve [wholes] | solve [apply (whole_equal d); [sums|wholes]]].

(* an assumption about one parameter makes it positive *)
Ltac positive := repeat match goal with
  | h : _ /\ _ |- _ => destruct h
  | h : _ && _ = true |- _ => apply and_true in h; destruct h
  | h : leR _ _ = true |- _ => apply leRP in h
  | h : ltR _ _ = true |- _ => apply ltRP in h
  end; lra.

(* ---- the lemmas of lemma.rs, as formulas ---- *)
Lemma implied (a b : bool) : (a = true -> b = true) -> negb a || b = true. Proof. destruct a; auto. Qed.
Ltac implication := repeat (apply implied; intros); repeat match goal with
  | h : _ && _ = true |- _ => apply and_true in h; destruct h
  | h : leR _ _ = true |- _ => apply leRP in h
  | h : ltR _ _ = true |- _ => apply ltRP in h
  | h : eqR _ _ = true |- _ => apply eqRP in h
  | h : negb (eqR _ _) = true |- _ => apply not_true, eqRN in h
  end; rewrite ?andb_true_iff, ?leRP, ?ltRP, ?eqRP.
(* the premises and the arguments of a lemma may have a / b or a * inv b *)
Lemma ln_quotient_inv a b : 0 < a -> 0 < b -> ln_ (a * / b) = ln_ a - ln_ b.
Proof. intros ha hb; rewrite <- ln_quotient by assumption; unfold div; destruct Req_EM_T; [lra|reflexivity]. Qed.
Lemma inverse_inv a : a <> 0 -> a * (1 * inv a) = 1. Proof. intros h; unfold inv; field; exact h. Qed.
Lemma inverse_div a : a <> 0 -> a * (1 / a) = 1. Proof. intros h; field; exact h. Qed.
Lemma inverse_positive_inv a : 0 < a -> 0 < 1 * inv a. Proof. intros h; rewrite Rmult_1_l; now apply Rinv_0_lt_compat. Qed.
Lemma inverse_positive_div a : 0 < a -> 0 < 1 / a. Proof. apply inverse_positive_inv. Qed.
Lemma mod_range_real a b : 0 < IZR b -> 0 <= IZR (mod_ a b) /\ IZR (mod_ a b) < IZR b.
Proof. intros h; apply lt_IZR in h; destruct (mod_range a b h); split; [now apply IZR_le|now apply IZR_lt]. Qed.
Ltac equals := repeat match goal with h : IZR _ = IZR _ |- _ => apply eq_IZR in h end; congruence.
Ltac push_in h := autorewrite with izr in h.
(* the goal, up to the place of IZR *)
Ltac given e := first [exact e | let h := fresh in pose proof e as h; cbv beta in h; push_in h; push; exact h].
Ltac rows := push; cbv beta iota; first [reflexivity|ring].

(* ROWS: what one more row adds to a sum *)
Lemma sumR_cons {A} (r : A) t c e : sumR (r :: t) c e = (if c r then e r else 0) + sumR t c e. Proof. reflexivity. Qed.
Lemma sumZ_cons {A} (r : A) t c e : sumZ (r :: t) c e = ((if c r then e r else 0) + sumZ t c e)%Z. Proof. reflexivity. Qed.
Lemma sumR_perm {A} (t u : list A) c e : Permutation t u -> sumR t c e = sumR u c e.
Proof. induction 1; rewrite ?sumR_cons; [reflexivity|now rewrite IHPermutation|ring|now rewrite IHPermutation1]. Qed.
Lemma sumZ_perm {A} (t u : list A) c e : Permutation t u -> sumZ t c e = sumZ u c e.
Proof. induction 1; rewrite ?sumZ_cons; [reflexivity|now rewrite IHPermutation|ring|now rewrite IHPermutation1]. Qed.
(* the second table has one row more *)
Theorem rows_added {A} (t t' : list A) (r : A) c e : Permutation t' (r :: t) ->
  sumR t' c e = sumR t c e + (if c r then e r else 0).
Proof. intros h; rewrite (sumR_perm _ _ c e h), sumR_cons; ring. Qed.
Theorem rows_addedZ {A} (t t' : list A) (r : A) c e : Permutation t' (r :: t) ->
  sumZ t' c e = (sumZ t c e + (if c r then e r else 0))%Z.
Proof. intros h; rewrite (sumZ_perm _ _ c e h), sumZ_cons; ring. Qed.
(* a row of each table is another one *)
Theorem rows_replaced {A} (t t' u : list A) (r r' : A) c e : Permutation t (r :: u) -> Permutation t' (r' :: u) ->
  sumR t' c e + (if c r then e r else 0) = sumR t c e + (if c r' then e r' else 0).
Proof. intros h h'; rewrite (sumR_perm _ _ c e h), (sumR_perm _ _ c e h'), !sumR_cons; ring. Qed.
Theorem rows_replacedZ {A} (t t' u : list A) (r r' : A) c e : Permutation t (r :: u) -> Permutation t' (r' :: u) ->
  (sumZ t' c e + (if c r then e r else 0) = sumZ t c e + (if c r' then e r' else 0))%Z.
Proof. intros h h'; rewrite (sumZ_perm _ _ c e h), (sumZ_perm _ _ c e h'), !sumZ_cons; ring. Qed.

(* ---- neighbouring lists ---- *)
Lemma entry_outside (q : list R) j : ~ (0 <= j < len q)%Z -> entry q j = 0.
Proof.
unfold entry, len; intros h; destruct (Z.leb_spec 0 j) as [g|g]; [|reflexivity]; apply nth_overflow; lia.
Qed.
Section Lists.
Variables (q q' : list R) (b : R).
Hypothesis length_eq : length q = length q'.
Lemma outside j : ~ (0 <= j < len q)%Z -> entry q j = 0 /\ entry q' j = 0.
Proof. intros h; split; apply entry_outside; [exact h|unfold len in *; now rewrite <- length_eq]. Qed.
Theorem every_entry : (forall j, (0 <= j < len q)%Z -> leR (Rabs (entry q' j - entry q j)) b = true) ->
  forall j, negb (leR 0 b) || leR (Rabs (entry q' j - entry q j)) b = true.
Proof.
intros H j; implication; destruct (boolp.pselect (0 <= j < len q)%Z) as [h|h]; [now apply leRP, H|].
destruct (outside j h) as [-> ->]; rewrite Rminus_0_r, Rabs_R0; assumption.
Qed.
Theorem every_entry_grows : (forall j, (0 <= j < len q)%Z -> leR 0 (entry q' j - entry q j) && leR (entry q' j - entry q j) b = true) ->
  forall j, negb (leR 0 b) || (leR 0 (entry q' j - entry q j) && leR (entry q' j - entry q j) b) = true.
Proof.
intros H j; apply implied; intros hb; destruct (boolp.pselect (0 <= j < len q)%Z) as [h|h]; [now apply H|].
destruct (outside j h) as [-> ->]; rewrite andb_true_iff, !leRP, Rminus_0_r; apply leRP in hb; lra.
Qed.
Theorem one_entry c : (forall j, (0 <= j < len q)%Z -> (j <> c -> entry q' j = entry q j) /\ leR (Rabs (entry q' j - entry q j)) b = true) ->
  forall j, negb (leR 0 b) || ((eqR (IZR j) (IZR c) || eqR (entry q' j) (entry q j)) && leR (Rabs (entry q' j - entry q j)) b) = true.
Proof.
intros H j; apply implied; intros hb; destruct (boolp.pselect (0 <= j < len q)%Z) as [h|h].
- destruct (H j h) as [e near]; rewrite andb_true_iff, orb_true_iff, !eqRP; split; [|exact near].
  destruct (Z.eq_dec j c) as [->|n]; [now left|right; now apply e].
- destruct (outside j h) as [-> ->]; rewrite andb_true_iff, orb_true_iff, !eqRP, Rminus_0_r, Rabs_R0; auto.
Qed.
End Lists.
(* lists of integers *)
Lemma entry_IZR l j : entry (map IZR l) j = IZR (entryZ l j).
Proof. unfold entry, entryZ; destruct (0 <=? j)%Z; [exact (map_nth IZR l 0%Z (Z.to_nat j))|reflexivity]. Qed.
Lemma len_IZR l : len (map IZR l) = len l. Proof. unfold len; now rewrite map_length. Qed.
Section IntegerLists.
Variables (q q' : list Z) (b : R).
Hypothesis length_eq : length q = length q'.
Let as_reals : length (map IZR q) = length (map IZR q'). Proof. now rewrite !map_length. Qed.
Notation change j := (IZR (entryZ q' j) - IZR (entryZ q j)).
Theorem every_entryZ : (forall j, (0 <= j < len q)%Z -> leR (Rabs (change j)) b = true) -> forall j, negb (leR 0 b) || leR (Rabs (change j)) b = true.
Proof. intros H j; rewrite <- !entry_IZR; apply every_entry; [exact as_reals|]; intros i h; rewrite !entry_IZR; rewrite len_IZR in h; now apply H. Qed.
Theorem every_entry_growsZ : (forall j, (0 <= j < len q)%Z -> leR 0 (change j) && leR (change j) b = true) ->
  forall j, negb (leR 0 b) || (leR 0 (change j) && leR (change j) b) = true.
Proof. intros H j; rewrite <- !entry_IZR; apply every_entry_grows; [exact as_reals|]; intros i h; rewrite !entry_IZR; rewrite len_IZR in h; now apply H. Qed.
Theorem one_entryZ c : (forall j, (0 <= j < len q)%Z -> (j <> c -> entryZ q' j = entryZ q j) /\ leR (Rabs (change j)) b = true) ->
  forall j, negb (leR 0 b) || ((eqR (IZR j) (IZR c) || eqR (IZR (entryZ q' j)) (IZR (entryZ q j))) && leR (Rabs (change j)) b) = true.
Proof.
intros H j; rewrite <- !entry_IZR; apply one_entry; [exact as_reals|]; intros i h; rewrite !entry_IZR; rewrite len_IZR in h.
destruct (H i h) as [e n]; split; [intros ne; now rewrite e|exact n].
Qed.
End IntegerLists.
Lemma len_nonnegative {A} (l : list A) : leR 0 (IZR (len l)) = true.
Proof. apply leRP, IZR_le; unfold len; lia. Qed.
(* the same relation with the runs exchanged *)
Ltac mirror n := first [exact n | rewrite Rabs_minus_sym; exact n |
  let a := fresh in let b := fresh in destruct (and_true _ _ n) as [a b]; apply andb_true_iff; split; [mirror a|mirror b]].
Lemma in_first {A} (r : A) t t' : Permutation t' (r :: t) -> In r t'.
Proof. intros h; apply (Permutation_in r (Permutation_sym h)); now left. Qed.
Ltac split_all := repeat match goal with h : _ /\ _ |- _ => destruct h | h : exists _, _ |- _ => destruct h end.
