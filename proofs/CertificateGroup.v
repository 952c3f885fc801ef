(* GROUP for exported certificates, and GROUP-DELTA: at most k rows of a table are added or removed, from the theorem about one row (Groups.v).

   The rows are added one after the other, each time to a table whose rows are all rows of the larger one, of which the same is assumed.  Read: more_rows, and the statements of grouped_private and grouped_delta_private. *)
From Coq Require Import List Permutation Lia.
From Probity Require Import PreludeReals.
From Probity Require Import Certificate Blocks Groups.
Open Scope R_scope.

(* t' has at least one row and at most k more than t *)
Definition more_rows (Row : Type) (k : R) (t t' : list Row) : Prop :=
  exists rows, (0 < length rows)%coq_nat /\ INR (length rows) <= k /\ Permutation t' (rows ++ t).

(* from one table to the other by rows, which are neighbours *)
Section OneByOne.
Variables (I V Row : Type) (inside : list Row -> I) (table : I -> list Row) (assumed : I -> Prop).
Hypothesis tableK : forall t, table (inside t) = t.
Variable k : Z.
Hypothesis positive : (0 < k)%Z.
(* what is assumed of a table is assumed of a part of it *)
Hypothesis parts : forall i i', (forall r, In r (table i) -> In r (table i')) -> assumed i' -> assumed i.
Variable neighbours : I * V -> I * V -> Prop.
Hypothesis one_row : forall i i' w w' row, assumed i -> assumed i' -> Permutation (table i') (row :: table i) ->
  neighbours (i, w) (i', w') /\ neighbours (i', w') (i, w).

Lemma one_by_one (m m' : I * V) : assumed m.1 -> assumed m'.1 -> more_rows (IZR k) (table m.1) (table m'.1) ->
  exists n (x : nat -> I * V), [/\ (0 < n)%N, (n <= Z.to_nat k)%N, x 0%N = m, x n = m' &
    forall j, (j < n)%N -> neighbours (x j) (x j.+1) /\ neighbours (x j.+1) (x j)].
Proof.
case: m m' => [i w] [i' w'] /= as1 as2 [rows [some [few all]]].
pose n := length rows.
(* the table with j of the rows; the last one is the larger table itself *)
pose x (j : nat) : I * V := if (j == 0)%N then (i, w) else if (j == n)%N then (i', w') else (inside (skipn (n - j) rows ++ table i), w).
have xt j : (j <= n)%N -> Permutation (table (x j).1) (skipn (n - j) rows ++ table i).
  move=> jn; rewrite /x; case: eqP => [->|_] /=; first by rewrite subn0 skipn_all.
  case: eqP => [->|_] /=; first by rewrite subnn.
  by rewrite tableK.
have xa j : (j <= n)%N -> assumed (x j).1.
  move=> jn; apply: (parts (i' := i')) as2 => r /(Permutation_in _ (xt j jn)) rj.
  apply: (Permutation_in _ (Permutation_sym all)); apply: in_or_app.
  case: (in_app_or _ _ _ rj) => h; [left|by right].
  by rewrite -(firstn_skipn (n - j) rows); apply: in_or_app; right.
have step j : (j < n)%N -> neighbours (x j) (x j.+1) /\ neighbours (x j.+1) (x j).
  move=> jn; have lt : (n - j.+1 < length rows)%coq_nat by apply/ssrnat.ltP; rewrite -/n ltn_subLR// addSn ltnS leq_addl.
  case E : (skipn (n - j.+1) rows) => [|row rest].
    by have := f_equal (@length Row) E; rewrite skipn_length /= => h; exfalso; lia.
  have restE : rest = skipn (n - j) rows.
    have -> : (n - j = (n - j.+1).+1)%N by rewrite subnSK.
    by move: E; move: (n - j.+1)%N => p; elim: rows p {some few all n x xt xa jn lt} => [|r l IH] [|p] //=; [move=> [_ ->]|exact: IH].
  have := one_row (i := (x j).1) (i' := (x j.+1).1) (x j).2 (x j.+1).2 (row := row) (xa j (ltnW jn)) (xa j.+1 jn).
  rewrite -!surjective_pairing; apply.
  apply: (Permutation_trans (xt j.+1 jn)); rewrite E restE /=; constructor; apply: Permutation_sym; exact: (xt j (ltnW jn)).
have n0 : (0 < n)%N by exact/ssrnat.ltP.
have nk : (n <= Z.to_nat k)%N.
  have h : (Z.of_nat n <= k)%Z by apply: le_IZR; rewrite -INR_IZR_INZ.
  apply/ssrnat.leP; lia.
exists n, x; split=> //.
by rewrite /x eqxx; case: eqP => // z; move: n0; rewrite z.
Qed.
(* the way back *)
Lemma backwards (P : I * V -> I * V -> Prop) n (x : nat -> I * V) : (forall j, (j < n)%N -> P (x j.+1) (x j)) ->
  forall j, (j < n)%N -> P (x (n - j)%N) (x (n - j.+1)%N).
Proof.
move=> H j jn; rewrite (_ : n - j = (n - j.+1).+1)%N; last by rewrite subnSK.
by apply: H; rewrite ltn_subLR// addSn ltnS leq_addl.
Qed.
End OneByOne.

Section Group.
Variables (I V Row O : Type) (inside : list Row -> I) (table : I -> list Row) (assumed : I -> Prop).
Hypothesis tableK : forall t, table (inside t) = t.
Variables (c : stmt RR (I * V)) (out : I * V -> O) (eps share : R) (k : Z).
Hypothesis positive : (0 < k)%Z.
Hypothesis shareE : share = eps / IZR k.
(* what is assumed of a table is assumed of a part of it *)
Hypothesis parts : forall i i', (forall r, In r (table i) -> In r (table i')) -> assumed i' -> assumed i.
Hypothesis one_row : forall i i' w w' row, assumed i -> assumed i' -> Permutation (table i') (row :: table i) ->
  @dp RR _ O out c share 0 (i, w) (i', w') /\ @dp RR _ O out c share 0 (i', w') (i, w).

Theorem grouped_private (m m' : I * V) : assumed m.1 -> assumed m'.1 -> more_rows (IZR k) (table m.1) (table m'.1) ->
  @dp RR _ O out c eps 0 m m' /\ @dp RR _ O out c eps 0 m' m.
Proof.
move=> as1 as2 more; have [n [x [n0 nk e0 en step]]] := one_by_one tableK positive parts one_row as1 as2 more.
have kE : ((Z.to_nat k)%:R : RR)%R = IZR k by rewrite -INRE INR_IZR_INZ Z2Nat.id//; lia.
have sE : share = ((eps : RR) / (Z.to_nat k)%:R)%R.
  by rewrite kE shareE RdivE//; apply/eqP => z; have := IZR_lt _ _ positive; rewrite z; exact: Rlt_irrefl.
split.
  rewrite -e0 -en; apply: (@group_at_most RR _ O out c eps n (Z.to_nat k) x n0 nk) => j jn; rewrite -sE; exact: step.
have := @group_at_most RR _ O out c eps n (Z.to_nat k) (fun j => x (n - j)%N) n0 nk; rewrite subn0 subnn e0 en; apply=> j jn.
by rewrite -sE; apply: (backwards (P := fun s t => @dp RR _ O out c share 0 s t /\ @dp RR _ O out c share 0 t s)) jn => i /step[].
Qed.
End Group.

Section GroupDelta.
Variables (I V Row O : Type) (inside : list Row -> I) (table : I -> list Row) (assumed : I -> Prop).
Hypothesis tableK : forall t, table (inside t) = t.
Variables (c : stmt RR (I * V)) (out : I * V -> O) (good : (O -> Prop) -> Prop) (eps0 d0 eps delta : R) (k : Z).
Hypothesis positive : (0 < k)%Z.
Hypothesis parts : forall i i', (forall r, In r (table i) -> In r (table i')) -> assumed i' -> assumed i.
Hypothesis one_row : forall i i' w w' row, assumed i -> assumed i' -> Permutation (table i') (row :: table i) ->
  @dp_on RR _ O good out c eps0 d0 (i, w) (i', w') /\ @dp_on RR _ O good out c eps0 d0 (i', w') (i, w).

Theorem grouped_delta_private (m m' : I * V) : @grouped RR (Z.to_nat k) eps0 d0 eps delta ->
  assumed m.1 -> assumed m'.1 -> more_rows (IZR k) (table m.1) (table m'.1) ->
  @dp_on RR _ O good out c eps delta m m' /\ @dp_on RR _ O good out c eps delta m' m.
Proof.
move=> G as1 as2 more; have [n [x [n0 nk e0 en step]]] := one_by_one tableK positive parts one_row as1 as2 more.
split; first by rewrite -e0 -en; apply: (group_delta_on n0 nk G) => j /step[].
have := group_delta_on (x := fun j => x (n - j)%N) n0 nk G; rewrite subn0 subnn e0 en; apply=> j jn.
by apply: (backwards (P := fun s t => @dp_on RR _ O good out c eps0 d0 s t)) jn => i /step[].
Qed.
End GroupDelta.

(* the condition on the numbers as the kernel writes it, for a number of rows that is a parameter *)
Lemma grouped_written (k : Z) (e0 d0 eps delta : R) : (0 < k)%Z ->
  ((leR 0 e0 && leR 0 d0) && leR (IZR k * e0) eps) &&
    ((ltR 0 e0 && (leR (d0 * (exp (IZR k * e0) - 1)) (delta * (exp e0 - 1)) || leR (d0 * (exp (IZR k * e0) - 1) * inv (exp e0 - 1)) delta)) ||
     leR (d0 * IZR k * exp ((IZR k - 1) * e0)) delta) = true ->
  @grouped RR (Z.to_nat k) e0 d0 eps delta.
Proof.
move=> k0; have kE : ((Z.to_nat k)%:R : RR)%R = IZR k by rewrite -INRE INR_IZR_INZ Z2Nat.id//; lia.
move=> /and_true[/and_true[/and_true[/leRP a /leRP b] /leRP c] h]; rewrite /grouped kE -!exp_expR.
split; [exact/RleP|exact/RleP|exact/RleP|].
case/Bool.orb_true_iff: h => [/and_true[/ltRP e1 h]|/leRP h]; last by apply: Or32; exact/RleP.
apply: Or31; split; first exact/RltP.
case/Bool.orb_true_iff: h => /leRP h; [left; exact/RleP|right].
have p : 0 < exp e0 - 1 by have := exp_ineq1 e0 ltac:(lra); lra.
by apply/RleP; move: h; rewrite /inv RinvE//; apply/eqP => z; move: p; rewrite z; exact: Rlt_irrefl.
Qed.
