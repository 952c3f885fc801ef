(* The exponential mechanism: the law choose, normalised, and the rule CHOOSE (chosen), with what is said of all entries of two lists
   (apart) and the lemmas on it: apart, apart-wider, and APPEND for it.

   choose(l, s) takes the place i of an entry of l with mass e^(l[i]/s)/Z; it is in range for s > 0 and a list with an entry. *)
From Coq Require Import List.
From Probity Require Import PreludeReals.
From mathcomp Require Import ring.
From Probity Require Import Judgement Laws Sampling Certificate.
From Probity Require Rules.

Section Choose.
Variable R : realType.
Local Open Scope ring_scope.
Local Open Scope ereal_scope.
Implicit Types (l : seq R).
Definition choose_total l (s : R) : R := (\sum_(i <- iota 0 (size l)) expR (nth 0 l i / s))%R.
Definition choose_ws l (s : R) : seq (R * int) := [seq (expR (nth 0 l i / s) / choose_total l s, Posz i)%R | i <- iota 0 (size l)].
Definition choose l (s : R) : law R int := flaw ((0 < s)%R && (0 < size l)%N) (choose_ws l s).

Lemma choose_positive l s : (0 < size l)%N -> (0 < choose_total l s)%R.
Proof.
rewrite /choose_total; case: (size l) => [//|n] _; rewrite /= big_cons; apply: ltr_paddr; last exact: expR_gt0.
by apply: sumr_ge0 => i _; exact: expR_ge0.
Qed.
Lemma choose_sum l s : (0 < size l)%N -> (\sum_(x <- choose_ws l s) x.1 = 1)%R.
Proof. by move=> l0; rewrite big_map -mulr_suml mulfV// gt_eqF// choose_positive. Qed.
Lemma choose_fine l s : (0 < s)%R -> (0 < size l)%N -> fine_list ((0 < s)%R && (0 < size l)%N) (choose_ws l s).
Proof.
move=> s0 l0; apply/and3P; split; [by rewrite s0 l0| |by rewrite choose_sum]; rewrite all_map; apply/allP => i _ /=.
by rewrite divr_ge0 ?expR_ge0// ltW// choose_positive.
Qed.
Theorem total_choose l s : (0 < s)%R -> (0 < size l)%N -> choose l s (fun=> 1) = 1.
Proof. by move=> s0 l0; rewrite flaw_total ?choose_fine ?choose_sum. Qed.
Theorem full_choose l s : full (choose l s) (fun y => 0 <= y < (size l)%:Z)%R.
Proof.
move=> f g _ _; apply: flaw_full => _ x /In_mem/mapP[i + ->].
by rewrite mem_iota add0n => /andP[_ il]; apply/andP; split=> //; rewrite ltz_nat.
Qed.

(* the entries of l' are between low and high above those of l *)
Lemma choose_ratio l l' s (low high c : R) i : (0 < s)%R -> size l = size l' -> (i < size l)%N ->
  (forall i, (i < size l)%N -> low <= nth 0 l' i - nth 0 l i <= high)%R -> (high - low <= c * s)%R ->
  (expR (nth 0 l i / s) / choose_total l s * expR (- c) <= expR (nth 0 l' i / s) / choose_total l' s)%R.
Proof.
move=> s0 ll il near range; have l0 : (0 < size l)%N by case: (size l) il.
have Z0 := choose_positive s l0; have Z0' : (0 < choose_total l' s)%R by apply: choose_positive; rewrite -ll.
have si : (0 <= s^-1)%R by rewrite invr_ge0 ltW.
have ZZ : (choose_total l' s <= expR (high / s) * choose_total l s)%R.
  rewrite /choose_total mulr_sumr -ll big_seq_cond [leRHS]big_seq_cond; apply: ler_sum => j.
  rewrite mem_iota add0n /= andbT => jl; rewrite -exp.expRD ler_expR -mulrDl; apply: ler_wpmul2r => //.
  by have /andP[_] := near j jl; rewrite ler_subl_addr.
rewrite mulrAC -exp.expRD ler_pdivr_mulr// mulrAC ler_pdivl_mulr//.
apply: (le_trans (ler_wpmul2l (expR_ge0 _) ZZ)); rewrite mulrA; apply: ler_wpmul2r; first exact: ltW.
rewrite -exp.expRD ler_expR -(ler_pmul2r s0) !mulrDl !divfK ?gt_eqF// mulNr.
have /andP[lo _] := near i il; rewrite ler_subr_addr in lo.
apply: le_trans lo; rewrite -subr_ge0.
by rewrite (_ : _ - _ = c * s - (high - low))%R ?subr_ge0//; ring.
Qed.
(* what the rule asks of a law that takes a place by the scores *)
Definition by_scores (D : seq R -> R -> law R int) := forall l l' s (low high c : R), (0 < s)%R -> (0 < size l)%N -> size l = size l' ->
  (forall i, (i < size l)%N -> low <= nth 0 l' i - nth 0 l i <= high)%R -> (high - low <= c * s)%R ->
  Rules.star (D l s) (D l' s) (fun y => 0 <= y < (size l)%:Z)%R id (fun=> c).
Lemma star_choose : by_scores choose.
Proof.
move=> l l' s low high c s0 l0 ll near range f F f0 F0 H.
rewrite /choose !flawE ?choose_fine -?ll// /choose_ws !big_map -ll big_seq_cond [leRHS]big_seq_cond; apply: lee_sum => i.
rewrite mem_iota add0n /= andbT => il.
have wp0 k : (0 <= expR (nth 0 k i / s) / choose_total k s)%R.
  by rewrite divr_ge0 ?expR_ge0//; apply: sumr_ge0 => j _; exact: expR_ge0.
apply: (@le_trans _ _ ((expR (nth 0 l i / s) / choose_total l s)%:E * ((expR (- c))%:E * F (Posz i)))).
  by apply: lee_wpmul2l; [rewrite lee_fin|apply: H; apply/andP; split=> //; rewrite ltz_nat].
by rewrite muleA -EFinM; apply: lee_wpmul2r => //; rewrite lee_fin; apply: (@choose_ratio _ _ _ low high).
Qed.

Section Rule.
Variables (S : Type) (scores : S -> seq R) (scale : S -> R) (u : S -> int -> S) (low high c : S -> S -> R -> R) (Psi : assn R S).
(* scores that differ between low and high, and what holds after *)
Definition scores_near : assn R S := fun s s' j =>
  [/\ [/\ (0 < scale s)%R, (0 < size (scores s))%N & scale s = scale s'],
    size (scores s) = size (scores s') /\
      (forall i, (i < size (scores s))%N -> low s s' j <= nth 0 (scores s') i - nth 0 (scores s) i <= high s s' j)%R,
    (high s s' j - low s s' j <= c s s' j * scale s)%R &
    forall y : int, (0 <= y < (size (scores s))%:Z)%R -> Psi (u s y) (u s' y) (j + c s s' j)%R].
Lemma scored (D : seq R -> R -> law R int) : by_scores D -> judge 0 (Draw (fun s => D (scores s) (scale s)) u) scores_near Psi.
Proof.
move=> st; apply: Rules.sample => m m' j [[s0 l0 ss] [ll near] range HP].
exists (fun y => 0 <= y < (size (scores m))%:Z)%R, id, (fun=> c m m' j); split=> //; rewrite -ss.
exact: (st _ _ _ (low m m' j) (high m m' j)).
Qed.
(* CHOOSE *)
Theorem chosen : judge 0 (Draw (fun s => choose (scores s) (scale s)) u) scores_near Psi.
Proof. exact: (scored star_choose). Qed.
End Rule.
End Choose.

(* ---- for certificates ---- *)
Open Scope R_scope.
Fixpoint apart (l l' : list R) (low high : R) : bool :=
  match l, l' with
  | nil, nil => true
  | x :: l, x' :: l' => apart l l' low high && (leR low (x' - x) && leR (x' - x) high)
  | _, _ => false
  end.
Lemma apartP l l' low high : apart l l' low high = true <->
  length l = length l' /\ forall j, (0 <= j < len l)%Z -> low <= entry l' j - entry l j <= high.
Proof.
elim: l l' => [|x l IH] [|x' l'] //=; try by split=> // -[].
- by split=> // _; split=> // j; rewrite /len /=; lia.
split.
  move=> /and_true[/IH[ll near] /and_true[/leRP lo /leRP hi]]; split; first by rewrite ll.
  move=> j; rewrite /len /= => hj; rewrite /entry.
  have -> : (0 <=? j)%Z = true by apply/Z.leb_le; lia.
  case E : (Z.to_nat j) => [|n] /=; first by split.
  have := near (Z.of_nat n); rewrite /len /entry.
  have -> : (0 <=? Z.of_nat n)%Z = true by apply/Z.leb_le; lia.
  by rewrite Nat2Z.id; apply; lia.
move=> [[ll] near]; apply/andP; split.
  apply/IH; split=> // j; rewrite /len => hj; have := near (j + 1)%Z; rewrite /len /= /entry.
  have -> : (0 <=? j + 1)%Z = true by apply/Z.leb_le; lia.
  have -> : (0 <=? j)%Z = true by apply/Z.leb_le; lia.
  have -> : Z.to_nat (j + 1) = (Z.to_nat j).+1 by lia.
  by apply; lia.
have := near 0%Z; rewrite /len /entry /= => H; have [|lo hi] := H; first by lia.
by apply/andP; split; apply/leRP.
Qed.
Lemma apart_nil low high : apart nil nil low high = true. Proof. by []. Qed.
Lemma apart_append l l' x x' low high :
  apart (append l x) (append l' x') low high = apart l l' low high && (leR low (x' - x) && leR (x' - x) high).
Proof.
elim: l l' => [|y l IH] [|y' l'] //=; rewrite ?andbT//.
- by case: l' => [|z l'] /=; rewrite ?andbF.
- by case: l {IH} => [|z l] /=; rewrite ?andbF.
by rewrite IH andbAC.
Qed.
Lemma apart_swap l l' low high : apart l' l (- high) (- low) = apart l l' low high.
Proof.
by apply/idP/idP => /apartP[ll near]; apply/apartP; split=> // j jl;
  have := near j; rewrite /len -?ll ?ll => /(_ jl); lra.
Qed.
Lemma len_nil A : len (@nil A) = 0%Z. Proof. by []. Qed.
Lemma len_append A (l : list A) x : len (append l x) = (len l + 1)%Z. Proof. by rewrite /len /append app_length /=; lia. Qed.
Ltac lists ::= rewrite ?same_append ?same_nil ?same_real ?same_bool ?same_int ?apart_append ?apart_nil ?len_append ?len_nil.
Theorem apart_wider l l' low high low' high' : apart l l' low high = true -> low' <= low -> high <= high' -> apart l l' low' high' = true.
Proof. by move=> /apartP[ll near] lo hi; apply/apartP; split=> // j /near; lra. Qed.
(* what the neighbours of lists say *)
Theorem apart_every (q q' : list R) b low high : length q = length q' ->
  (forall j, (0 <= j < len q)%Z -> leR (Rabs (entry q' j - entry q j)) b = true) -> low <= - b -> b <= high -> apart q q' low high = true.
Proof.
move=> ll near lo hi; apply/apartP; split=> // j /near/leRP; rewrite /Rabs; case: Rcase_abs => ? ?; lra.
Qed.
Theorem apart_grows (q q' : list R) b low high : length q = length q' ->
  (forall j, (0 <= j < len q)%Z -> leR 0 (entry q' j - entry q j) && leR (entry q' j - entry q j) b = true) ->
  low <= 0 -> b <= high -> apart q q' low high = true.
Proof. by move=> ll near lo hi; apply/apartP; split=> // j /near/and_true[/leRP ? /leRP ?]; lra. Qed.
Theorem apart_one (q q' : list R) b c low high : length q = length q' ->
  (forall j, (0 <= j < len q)%Z -> (j <> c -> entry q' j = entry q j) /\ leR (Rabs (entry q' j - entry q j)) b = true) ->
  low <= 0 -> 0 <= high -> low <= entry q' c - entry q c -> entry q' c - entry q c <= high -> apart q q' low high = true.
Proof.
move=> ll near lo hi clo chi; apply/apartP; split=> // j /near[same _].
by case: (Z.eq_dec j c) => [->//|/same ->]; lra.
Qed.

Definition choose_ (l : list R) (scale : R) : law RR int := @choose RR l scale.
Lemma entry_nth (l : list R) i : entry l (Z.of_nat i) = seq.nth 0 l i.
Proof.
rewrite /entry; have -> : (0 <=? Z.of_nat i)%Z = true by apply/Z.leb_le; lia.
by rewrite Nat2Z.id; elim: l i => [|x l IH] [|i] //=.
Qed.
Lemma len_size (l : list R) : len l = Z.of_nat (size l). Proof. by []. Qed.

Section Rule.
Variables (I V : Type) (i1 i2 : I) (n : nat) (Q : bassn V).
(* y is the arbitrary value number n, which occurs nowhere in Q *)
Lemma j_scored (D : list R -> R -> law RR int) (scores : I -> V -> list R) (count : V -> Z) (scale : I -> V -> R) (u : V -> Z -> V) (low high cost after : V -> V -> R -> R) :
  @by_scores RR D -> (forall v, count v = len (scores i1 v)) ->
  (forall a x v v' k, Q (with_int a n x) v v' k = Q a v v' k) -> (forall v v' k, after v v' k = k + cost v v' k) ->
  J i1 i2 0 (drawZ_ (fun i v => D (scores i v) (scale i v)) u)
    (fun a v v' k =>
      ((((ltR 0 (scale i1 v) && leR 1 (IZR (count v))) && eqR (scale i1 v) (scale i2 v')) &&
        apart (scores i1 v) (scores i2 v') (low v v' k) (high v v' k)) &&
       leR (high v v' k - low v v' k) (cost v v' k * scale i1 v)) &&
      (~~ (leR 0 (IZR (int_ a n)) && ltR (IZR (int_ a n)) (IZR (count v))) ||
       Q a (u v (int_ a n)) (u v' (int_ a n)) (after v v' k))) Q.
Proof.
move=> st counted fresh charged.
have L := @scored RR (I * V)%type (fun s => scores s.1 s.2) (fun s => scale s.1 s.2) (fun s y => (s.1, u s.2 (Z_of_int y)))
  (fun s s' k => low s.2 s'.2 k) (fun s s' k => high s.2 s'.2 k) (fun s s' k => cost s.2 s'.2 k) (at_ i1 i2 Q) D st.
apply: Rules.strengthen L => s s' k [e [e' H]].
have := H arb0 => /and_true[/and_true[/and_true[/and_true[/and_true[/ltRP b0 /leRP l1] /eqRP bb] /apartP[ll near]] /leRP range] _].
rewrite counted in l1; split=> /=; rewrite ?e ?e'.
- split=> //; [exact/RltP|].
  by have := le_IZR 1 _ l1; rewrite len_size; case: (size _).
- split=> // i il; have := near (Z.of_nat i); rewrite !entry_nth len_size => h.
  have [|lo hi] := h; first by split; [lia|apply/inj_lt; exact/ssrnat.ltP].
  by apply/andP; split; exact/RleP.
- exact/RleP.
move=> y yr; split; [|split] => //= a; have := H (with_int a n (Z_of_int y)) => /and_true[_].
rewrite with_int_at fresh charged counted; move/andP: yr => [y0 yl].
have -> : leR 0 (IZR (Z_of_int y)) && ltR (IZR (Z_of_int y)) (IZR (len (scores i1 s.2))) = true; last by [].
rewrite -[0]/(IZR 0) -le_int -lt_int Z_of_intK y0 /=; move: yl; congr is_true.
by rewrite len_size; congr (_ < _)%R; elim: (size _) => // m IH; lia.
Qed.
Definition j_choose scores count scale u low high cost after :=
  @j_scored choose_ scores count scale u low high cost after (@star_choose RR).
End Rule.
