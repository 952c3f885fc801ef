(* Formulas of exported certificates, and the steps of their evidence.

   A formula is a boolean over the real numbers, with the functions of docs/language.md; an integer is a Z, read as a number by
   IZR.  An exported side condition is "formulas that hold, so a formula holds", and its proof script is the kernel's evidence: each lemma below
   is one way in which trusted/kernel/src/fact.rs takes a formula apart (and_true ... choose_clamp), or one way in which
   entail.rs adds facts up to a contradiction (contra, contra_strict).  Nothing searches; the sums are compared by field. *)
From Coq Require Import Reals ZArith Bool List Permutation Lra Lia ClassicalEpsilon.
From Flocq Require Import Core.
From Probity Require Export Lemmas.
Open Scope R_scope.

(* ---- the language: what is not in Lemmas.v ---- *)
Definition leR (a b : R) : bool := if Rle_dec a b then true else false.
Definition ltR (a b : R) : bool := if Rlt_dec a b then true else false.
Definition eqR (a b : R) : bool := if Req_EM_T a b then true else false.
(* equality of booleans, lists *)
Definition same {A : Type} (a b : A) : bool := if excluded_middle_informative (a = b) then true else false.
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
Proof. unfold same; destruct excluded_middle_informative; split; easy. Qed.
Lemma same_append {A} (l l' : list A) x x' : same (append l x) (append l' x') = same l l' && same x x'.
Proof.
apply eq_true_iff_eq; rewrite andb_true_iff, !sameP; unfold append; split.
- apply app_inj_tail.
- now intros [-> ->].
Qed.
Lemma same_refl {A} (a : A) : same a a = true. Proof. now apply sameP. Qed.
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
Ltac push := rewrite ?plus_IZR, ?minus_IZR, ?mult_IZR, ?opp_IZR, ?abs_IZR, ?min_IZR, ?max_IZR, ?clamp_IZR, ?if_IZR, ?floor_IZR.

(* ---- taking formulas apart ---- *)
Lemma by_contradiction (g : bool) : (g = false -> False) -> g = true. Proof. destruct g; [reflexivity|intros H; now destruct H]. Qed.
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
Lemma eq_false a b : eqR a b = false -> ltR a b = true \/ ltR b a = true. Proof. rewrite eqRN, !ltRP; lra. Qed.

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
Ltac whole := cbv beta; repeat first [apply whole_minus|apply whole_plus|apply whole_times|apply whole_neg|apply whole_IZR|apply whole_floor].

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
Ltac nonzero := repeat split; match goal with h : 0 < ?x |- ?x <> 0 => exact (not_eq_sym (Rlt_not_eq _ _ h)) end.
Ltac sums := cbv beta; first [field; nonzero | field | unfold clamp; push; field; nonzero | unfold clamp; push; field].

(* an assumption about one parameter makes it positive *)
Ltac positive := repeat match goal with
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
Lemma div_inv a b : div a b = a * inv b.
Proof. unfold div, inv, Rdiv; destruct Req_EM_T as [->|]; [rewrite Rinv_0; ring|reflexivity]. Qed.
Ltac cite theorem := implication; fold (inv 0); unfold Rdiv; repeat change (Rinv ?b) with (inv b);
  first [now apply theorem | (rewrite <- ?div_inv; now apply theorem) | (pose proof theorem as cited; setoid_rewrite div_inv in cited; now apply cited)].

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
