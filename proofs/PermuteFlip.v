(* Permute and flip: the law, normalised (total_permute_and_flip), and the rule PERMUTE-FLIP (permute_flip), with the conditions of CHOOSE.

   permute_and_flip(l, s) goes through the places of l in a random order and takes the first that a coin with probability e^((l[i] - m)/s) accepts, where m is
   the largest entry.  flips says so: of the places that are left one is taken at random and its coin is flipped; if it refuses, the others are left.

   The proof counts no noise: i is taken with mass p(i) spared(the others), the probability that its own coin accepts and nobody's did before (flipsE); if the
   others' coins accept at most K times as likely, K spared is not less (spared_le), because what the others take themselves has mass at most 1. *)
From Probity Require Import Prelude Judgement Laws Sampling Chosen.
From Probity Require Rules.
Local Open Scope ring_scope.

Section Flips.
Variable R : realType.
Implicit Types (p : nat -> R) (A : seq nat).
(* the mass of i, of n places A that are left *)
Fixpoint flips p n A i : R :=
  if n is n.+1 then (\sum_(j <- A) (p j * (i == j)%:R + (1 - p j) * flips p n (rem j A) i)) / (size A)%:R else 0.
(* that a place beside the n places A has its turn before one of them is taken *)
Fixpoint spared p n A : R :=
  (1 + (if n is n.+1 then \sum_(j <- A) (1 - p j) * spared p n (rem j A) else 0)) / (size A).+1%:R.

Lemma flipsS p n A i : flips p n.+1 A i = (\sum_(j <- A) (p j * (i == j)%:R + (1 - p j) * flips p n (rem j A) i)) / (size A)%:R.
Proof. by []. Qed.
Arguments flips : simpl never.
Lemma flips_out p n A i : i \notin A -> flips p n A i = 0.
Proof.
elim: n A => [//|n IH] A iA; rewrite flipsS big_seq_cond big1 ?mul0r// => j; rewrite andbT => jA.
rewrite (negbTE (memPnC iA j jA)) mulr0 add0r IH ?mulr0//; apply: contra iA; exact: mem_rem.
Qed.
Lemma rem_rem A i j : uniq A -> rem i (rem j A) = rem j (rem i A).
Proof.
move=> uA; rewrite !(rem_filter _ uA) !rem_filter ?filter_uniq// -!filter_predI.
by apply: eq_filter => k /=; rewrite andbC.
Qed.
Lemma size_left A j n : size A = n.+1 -> j \in A -> size (rem j A) = n.
Proof. by move=> sA jA; rewrite size_rem// sA. Qed.
Lemma flipsE p n A i : uniq A -> size A = n.+1 -> i \in A -> flips p n.+1 A i = p i * spared p n (rem i A).
Proof.
elim: n A => [|n IH] A uA sA iA; rewrite flipsS (big_rem i)// flips_out ?mem_rem_uniqF// eqxx mulr0 addr0 mulr1 /= (size_left sA iA) sA.
  by rewrite (size0nil (size_left sA iA)) big_nil !addr0 mulrA mulr1.
rewrite mulrA mulrDr mulr1 mulr_sumr; congr ((_ + _) / _); apply: eq_big_seq => j jA.
have ji : (i == j) = false by apply/negbTE; apply: contraL jA => /eqP <-; rewrite mem_rem_uniqF.
have jA' : j \in A := mem_rem jA.
rewrite ji mulr0 add0r IH ?rem_uniq//; last by rewrite mem_rem_uniq// inE ji.
- by rewrite rem_rem// mulrCA.
- exact: size_left.
Qed.

Definition coins p A := forall j, j \in A -> 0 <= p j <= 1.
Lemma coins_rem p A j : coins p A -> coins p (rem j A). Proof. by move=> H k /mem_rem/H. Qed.
Lemma flips_ge0 p n A i : coins p A -> 0 <= flips p n A i.
Proof.
elim: n A => [//|n IH] A H; rewrite flipsS; apply: divr_ge0; rewrite ?ler0n// big_seq_cond; apply: sumr_ge0 => j; rewrite andbT => /H/andP[p0 p1].
by rewrite addr_ge0 ?mulr_ge0 ?subr_ge0 ?ler0n ?IH//; exact: coins_rem.
Qed.
Lemma spared_ge0 p n A : coins p A -> 0 <= spared p n A.
Proof.
elim: n A => [|n IH] A H /=; apply: divr_ge0; rewrite ?ler0n// ?addr0 ?ler01// addr_ge0 ?ler01// big_seq_cond; apply: sumr_ge0 => j; rewrite andbT => jA.
by have /andP[p0 p1] := H j jA; rewrite mulr_ge0 ?subr_ge0 ?IH//; exact: coins_rem.
Qed.
(* the mass of all places, by the place that has the first turn *)
Lemma flips_sum p n A : uniq A -> size A = n.+1 -> \sum_(i <- A) flips p n.+1 A i =
  (\sum_(j <- A) (p j + (1 - p j) * \sum_(i <- rem j A) flips p n (rem j A) i)) / n.+1%:R.
Proof.
move=> uA sA; rewrite (eq_bigr _ (fun i _ => flipsS p n A i)) -mulr_suml exchange_big sA /=; congr (_ / _); apply: eq_big_seq => j jA.
rewrite big_split /= -mulr_sumr -mulr_sumr; congr (_ + (_ * _)).
  rewrite (big_rem j)//= eqxx big_seq_cond big1 ?addr0 ?mulr1// => i; rewrite andbT => iA.
  by case: eqP iA => // ->; rewrite mem_rem_uniqF.
by rewrite (big_rem j)//= flips_out ?mem_rem_uniqF// add0r.
Qed.
Lemma flips_le1 p n A : uniq A -> size A = n -> coins p A -> \sum_(i <- A) flips p n A i <= 1.
Proof.
elim: n A => [|n IH] A uA sA H; first by rewrite (size0nil sA) big_nil ler01.
rewrite flips_sum// ler_pdivr_mulr ?ltr0n// mul1r -sA -sum1_size natr_sum !big_seq; apply: ler_sum => j jA.
have /andP[p0 p1] := H j jA; rewrite -[leRHS](subrK (p j)) addrC ler_add2r -[leRHS]mulr1; apply: ler_wpmul2l; first by rewrite subr_ge0.
by apply: IH; [exact: rem_uniq|exact: size_left|exact: coins_rem].
Qed.
Lemma flips_eq1 p n A j : uniq A -> size A = n -> j \in A -> p j = 1 -> \sum_(i <- A) flips p n A i = 1.
Proof.
elim: n A => [|n IH] A uA sA jA pj; first by rewrite (size0nil sA) in jA.
rewrite flips_sum// (eq_big_seq (fun=> 1)) => [|k kA].
  by rewrite big_const_seq count_predT sA iter_addr_0 divff// pnatr_eq0.
have [->|kj] := eqVneq k j; first by rewrite pj subrr mul0r addr0.
by rewrite (IH (rem k A)) ?rem_uniq ?(size_left sA)// ?mem_rem_uniq// ?inE ?[j == k]eq_sym ?kj// mulr1 addrC subrK.
Qed.

(* coins that accept at most K times as likely *)
Lemma spared_le p p' (K : R) n A : 1 <= K -> uniq A -> size A = n -> coins p A -> coins p' A -> (forall j, j \in A -> p' j <= K * p j) ->
  spared p n A <= K * spared p' n A.
Proof.
move=> K1; elim: n A => [|n IH] A uA sA H H' le; first by rewrite /= sA addr0 divr1 mulr1.
have K0 : 0 <= K := le_trans ler01 K1.
rewrite /= sA mulrA ler_pmul2r ?invr_gt0 ?ltr0n// mulrDr mulr1 mulr_sumr.
apply: (@le_trans _ _ (K + \sum_(j <- A) (1 - p' j) * spared p n (rem j A))); last first.
  rewrite ler_add2l !big_seq; apply: ler_sum => j jA; rewrite mulrCA; apply: ler_wpmul2l.
    by rewrite subr_ge0; case/andP: (H' j jA).
  apply: IH; [exact: rem_uniq|exact: size_left|exact: coins_rem|exact: coins_rem|].
  by move=> k /mem_rem; exact: le.
rewrite -ler_subl_addr -addrA -sumrB -ler_subr_addl -[leRHS]mulr1.
apply: (@le_trans _ _ ((K - 1) * \sum_(j <- A) flips p n.+1 A j)); last first.
  by apply: ler_wpmul2l; [rewrite subr_ge0|exact: flips_le1].
rewrite mulr_sumr !big_seq; apply: ler_sum => j jA; rewrite flipsE// mulrA -mulrBl.
apply: ler_wpmul2r; first by apply: spared_ge0; exact: coins_rem.
by rewrite (_ : 1 - p j - (1 - p' j) = p' j - p j) ?mulrBl ?mul1r ?ler_add2r ?le//; ring.
Qed.

(* ---- the law ---- *)
Local Open Scope ereal_scope.
Implicit Types (l : seq R).
Definition top l : R := foldr Num.max (head 0%R l) l.
Lemma top_ge l i : (i < size l)%N -> (nth 0 l i <= top l)%R.
Proof.
rewrite /top; move: (head _ l) => d; elim: l i => [//|x l IH] [|i] /=; first by rewrite le_maxr lexx.
by move=> /IH h; rewrite le_maxr h orbT.
Qed.
Lemma top_at l : (0 < size l)%N -> exists2 i, (i < size l)%N & nth 0%R l i = top l.
Proof.
move=> l0; have : top l \in l; last by move=> /(nthP 0%R)[i il e]; exists i.
have : foldr Num.max (head 0%R l) l \in head 0%R l :: l.
  move: (head _ l) => d; elim: l {l0} => [|x l IH] /=; first exact: mem_head.
  by rewrite /Num.max; case: ifP => _; [rewrite !inE in IH *; case/orP: IH => ->; rewrite ?orbT|rewrite !inE eqxx orbT].
by case: l l0 => [//|x l] _; rewrite /top inE => /orP[/eqP ->|//]; exact: mem_head.
Qed.
Definition accepts l (s : R) (i : nat) : R := (expR ((nth 0 l i - top l) / s))%R.
Definition flip_ws l (s : R) : seq (R * int) := [seq (flips (accepts l s) (size l) (iota 0 (size l)) i, Posz i) | i <- iota 0 (size l)].
Definition permute_and_flip l (s : R) : law R int := flaw ((0 < s)%R && (0 < size l)%N) (flip_ws l s).

Lemma accepts_coins l s : (0 < s)%R -> coins (accepts l s) (iota 0 (size l)).
Proof.
move=> s0 j; rewrite mem_iota add0n /= => jl; rewrite expR_ge0 -expR0 ler_expR pmulr_lle0 ?invr_gt0// subr_le0.
exact: top_ge.
Qed.
Lemma flip_sum l s : (0 < size l)%N -> (\sum_(x <- flip_ws l s) x.1 = 1)%R.
Proof.
move=> l0; have [j jl e] := top_at l0; rewrite big_map /= (@flips_eq1 _ _ _ j) ?iota_uniq ?size_iota ?mem_iota//.
by rewrite /accepts e subrr mul0r expR0.
Qed.
Lemma flip_fine l s : (0 < s)%R -> (0 < size l)%N -> fine_list ((0 < s)%R && (0 < size l)%N) (flip_ws l s).
Proof.
move=> s0 l0; apply/and3P; split; [by rewrite s0 l0| |by rewrite flip_sum]; rewrite all_map; apply/allP => i _ /=.
by apply: flips_ge0; exact: accepts_coins.
Qed.
Theorem total_permute_and_flip l s : (0 < s)%R -> (0 < size l)%N -> permute_and_flip l s (fun=> 1) = 1.
Proof. by move=> s0 l0; rewrite flaw_total ?flip_fine ?flip_sum. Qed.

Lemma flip_ratio l l' s (low high c : R) i : (0 < s)%R -> size l = size l' -> (i < size l)%N ->
  (forall i, (i < size l)%N -> low <= nth 0 l' i - nth 0 l i <= high)%R -> (high - low <= c * s)%R ->
  (flips (accepts l s) (size l) (iota 0 (size l)) i * expR (- c) <= flips (accepts l' s) (size l) (iota 0 (size l)) i)%R.
Proof.
move=> s0 ll il near range; have ci := @accepts_coins l s s0; have := @accepts_coins l' s s0; rewrite -ll => ci'.
have [n sl] : exists n, size l = n.+1 by case: (size l) il => // n; exists n.
have iA : i \in iota 0 (size l) by rewrite mem_iota.
have si : (0 <= s^-1)%R by rewrite invr_ge0 ltW.
pose K := expR ((high - (top l' - top l)) / s).
have K1 : (1 <= K)%R.
  rewrite -expR0 ler_expR mulr_ge0// subr_ge0; have [|k kl <-] := @top_at l'; first by rewrite -ll sl.
  rewrite -ll in kl; have /andP[_ hi] := near k kl; apply: le_trans hi; rewrite ler_add2l ler_opp2; exact: top_ge.
have le j : j \in iota 0 (size l) -> (accepts l' s j <= K * accepts l s j)%R.
  rewrite mem_iota add0n /= => jl; rewrite /accepts /K -expRD ler_expR -mulrDl; apply: ler_wpmul2r => //.
  have /andP[_] := near j jl; rewrite -subr_ge0 => hi; rewrite -subr_ge0.
  by have -> : (high - (top l' - top l) + (nth 0 l j - top l) - (nth 0 l' j - top l') = high - (nth 0 l' j - nth 0 l j))%R by ring.
have uA := iota_uniq 0 (size l); rewrite !sl in iA uA ci ci' le *; rewrite !flipsE ?size_iota//.
have H := @spared_le _ _ K n (rem i (iota 0 n.+1)) K1 (rem_uniq _ uA) (size_left (size_iota _ _) iA)
  (coins_rem ci) (coins_rem ci') (fun j h => le j (mem_rem h)).
apply: (@le_trans _ _ (accepts l s i * (K * spared (accepts l' s) n (rem i (iota 0 n.+1))) * expR (- c))%R).
  by apply: ler_wpmul2r; [exact: expR_ge0|apply: ler_wpmul2l => //; exact: expR_ge0].
rewrite mulrA mulrAC; apply: ler_wpmul2r; first by apply: spared_ge0; exact: coins_rem.
rewrite /accepts /K -!expRD ler_expR -(ler_pmul2r s0) 2!mulrDl !divfK ?gt_eqF// mulNr.
have /andP[lo _] := near i il; rewrite -subr_ge0 in lo; rewrite -subr_ge0 in range; rewrite -subr_ge0.
rewrite (_ : _ - _ = (c * s - (high - low)) + (nth 0 l' i - nth 0 l i - low))%R; first exact: addr_ge0.
ring.
Qed.
Lemma star_flip : by_scores permute_and_flip.
Proof.
move=> l l' s low high c s0 l0 ll near range f F f0 F0 H.
rewrite /permute_and_flip !flawE ?flip_fine -?ll// /flip_ws !big_map -ll big_seq_cond [leRHS]big_seq_cond; apply: lee_sum => i.
rewrite mem_iota add0n /= andbT => il.
apply: (@le_trans _ _ ((flips (accepts l s) (size l) (iota 0 (size l)) i)%:E * ((expR (- c))%:E * F (Posz i)))).
  by apply: lee_wpmul2l; [rewrite lee_fin flips_ge0//; exact: accepts_coins|apply: H; apply/andP; split=> //; rewrite ltz_nat].
by rewrite muleA -EFinM; apply: lee_wpmul2r => //; rewrite lee_fin; apply: (@flip_ratio _ _ _ low high).
Qed.
(* PERMUTE-FLIP *)
Theorem permute_flip (S : Type) (scores : S -> seq R) (scale : S -> R) (u : S -> int -> S) (low high c : S -> S -> R -> R) (Psi : assn R S) :
  judge 0 (Draw (fun s => permute_and_flip (scores s) (scale s)) u) (scores_near scores scale u low high c Psi) Psi.
Proof. exact: (scored star_flip). Qed.
End Flips.

(* for certificates *)
From Probity Require Import Certificate.
Definition permute_and_flip_ (l : list Rdefinitions.R) (scale : Rdefinitions.R) : law RR int := @permute_and_flip RR l scale.
Definition j_permute_flip I V i1 i2 n Q scores count scale u low high cost after :=
  @j_scored I V i1 i2 n Q permute_and_flip_ scores count scale u low high cost after (@star_flip RR).
