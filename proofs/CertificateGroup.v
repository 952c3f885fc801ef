(* GROUP for exported certificates: at most k rows of a table are added or removed, from the theorem about one row (Groups.v).

   The rows are added one after the other, each time to a table whose rows are all rows of the larger one, of which the same is assumed.  Read: more_rows, and the statement of grouped_private. *)
From Coq Require Import List Permutation Lia.
From Probity Require Import PreludeReals.
From Probity Require Import Certificate Blocks Groups.
Open Scope R_scope.

(* t' has at least one row and at most k more than t *)
Definition more_rows (Row : Type) (k : R) (t t' : list Row) : Prop :=
  exists rows, (0 < length rows)%coq_nat /\ INR (length rows) <= k /\ Permutation t' (rows ++ t).

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
have step j : (j < n)%N -> @dp RR _ O out c share 0 (x j) (x j.+1) /\ @dp RR _ O out c share 0 (x j.+1) (x j).
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
have kE : ((Z.to_nat k)%:R : RR)%R = IZR k by rewrite -INRE INR_IZR_INZ Z2Nat.id//; lia.
have sE : share = ((eps : RR) / (Z.to_nat k)%:R)%R.
  by rewrite kE shareE RdivE//; apply/eqP => z; have := IZR_lt _ _ positive; rewrite z; exact: Rlt_irrefl.
have e0 : x 0%N = (i, w) by [].
have en : x n = (i', w') by rewrite /x eqxx; case: eqP => // z; move: n0; rewrite z.
split.
  rewrite -e0 -en; apply: (@group_at_most RR _ O out c eps n (Z.to_nat k) x n0 nk) => j jn; rewrite -sE; exact: step.
pose y j := x (n - j)%N.
have := @group_at_most RR _ O out c eps n (Z.to_nat k) y n0 nk; rewrite /y subn0 subnn e0 en; apply=> j jn.
have -> : (n - j = (n - j.+1).+1)%N by rewrite subnSK.
have jn' : (n - j.+1 < n)%N by rewrite ltn_subLR// addSn ltnS leq_addl.
by rewrite -sE; have [f b] := step _ jn'.
Qed.
End Group.
