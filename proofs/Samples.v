(* Amplification by subsampling (docs/logic.md, section 8c): the law sample, normalised, and the rule AMPLIFY (amplify).

   A table is a list of rows, of which the order does not matter: neighbours differ by one row anywhere.  sample(t, q) keeps each row with probability q.
   ok is what is assumed of rows. *)
From Probity Require Import Prelude Judgement Laws Privacy.
Local Open Scope ring_scope.

Section Sample.
Variables (R : realType) (Row : Type) (q : R).
Hypothesis qr : 0 <= q <= 1.
Let q0 : 0 <= q. Proof. by case/andP: qr. Qed.
Let q1 : 0 <= 1 - q. Proof. by rewrite subr_ge0; case/andP: qr. Qed.

(* every choice of rows, with its probability *)
Fixpoint kept (t : seq Row) : seq (R * seq Row) :=
  match t with
  | [::] => [:: (1, [::])]
  | r :: t => [seq (q * x.1, r :: x.2) | x <- kept t] ++ [seq ((1 - q) * x.1, x.2) | x <- kept t]
  end.
Definition sample (t : seq Row) : law R (seq Row) := flaw (0 <= q <= 1) (kept t).
Definition mean (F : seq Row -> R) (t : seq Row) : R := \sum_(x <- kept t) x.1 * F x.2.

Lemma mean_nil F : mean F [::] = F [::]. Proof. by rewrite /mean /= big_cons big_nil addr0 mul1r. Qed.
Lemma mean_cons F r t : mean F (r :: t) = q * mean (fun u => F (r :: u)) t + (1 - q) * mean F t.
Proof.
by rewrite /mean /= big_cat !big_map /= !mulr_sumr; congr (_ + _); apply: eq_bigr => x _; rewrite mulrA.
Qed.
Lemma mean_one t : mean (fun=> 1) t = 1.
Proof. by elim: t => [|r t IH]; rewrite ?mean_nil// mean_cons IH !mulr1 addrCA subrr addr0. Qed.
Lemma kept_ge0 t : all (fun x => 0 <= x.1) (kept t).
Proof.
elim: t => [|r t IH] /=; first by rewrite ler01.
by rewrite all_cat !all_map; apply/andP; split; apply: sub_all IH => x /= x0; rewrite mulr_ge0.
Qed.
Lemma kept_fine t : fine_list (0 <= q <= 1) (kept t).
Proof.
apply/and3P; split=> //; first exact: kept_ge0.
by have := mean_one t; rewrite /mean; under eq_bigr do rewrite mulr1; move=> ->.
Qed.
Theorem total_sample t : (sample t (fun=> 1) = 1)%E.
Proof.
apply: flaw_total; first exact: kept_fine.
by have := mean_one t; rewrite /mean; under eq_bigr do rewrite mulr1.
Qed.

Section Core.
Variable ok : pred Row.
Lemma mean_le (F G : seq Row -> R) (x d : R) t : (forall u, all ok u -> F u <= x * G u + d) -> all ok t ->
  mean F t <= x * mean G t + d.
Proof.
elim: t F G => [|r t IH] F G FG /=; first by move=> _; rewrite !mean_nil; exact: FG.
move=> /andP[kr kt]; rewrite !mean_cons.
have a := ler_wpmul2l q0 (IH (fun u => F (r :: u)) (fun u => G (r :: u)) (fun u ku => FG (r :: u) (introT andP (conj kr ku))) kt).
have b := ler_wpmul2l q1 (IH F G FG kt).
by apply: (le_trans (ler_add a b)); rewrite le_eqVlt; apply/orP; left; apply/eqP; ring.
Qed.
Lemma mean_ge0 (F : seq Row -> R) t : (forall u, all ok u -> 0 <= F u) -> all ok t -> 0 <= mean F t.
Proof.
elim: t F => [|r t IH] F F0 /=; first by move=> _; rewrite mean_nil; exact: F0.
move=> /andP[kr kt]; rewrite mean_cons addr_ge0 ?mulr_ge0 ?IH// => u ku; exact: (F0 (r :: u) (introT andP (conj kr ku))).
Qed.

(* one more row p, anywhere *)
Lemma amplify_core (F : seq Row -> R) (x d : R) p l1 l2 : 1 <= x -> 0 <= d -> ok p -> all ok (l1 ++ l2) ->
  (forall u, all ok u -> 0 <= F u) ->
  (forall u1 u2, all ok (u1 ++ u2) -> F (u1 ++ p :: u2) <= x * F (u1 ++ u2) + d /\ F (u1 ++ u2) <= x * F (u1 ++ p :: u2) + d) ->
  let g := 1 + q * (x - 1) in
  mean F (l1 ++ p :: l2) <= g * mean F (l1 ++ l2) + q * d /\ mean F (l1 ++ l2) <= g * mean F (l1 ++ p :: l2) + q * d.
Proof.
move=> x1 d0 kp + + + g; elim: l1 F => [|r l1 IH] F /= kl F0 near.
  rewrite mean_cons; set A := mean F l2; set B := mean _ l2.
  have BA : B <= x * A + d by apply: mean_le => // u ku; exact: (near [::] u ku).1.
  have AB : A <= x * B + d by apply: mean_le => // u ku; exact: (near [::] u ku).2.
  have A0 : 0 <= A by exact: mean_ge0.
  split.
    apply: (le_trans (ler_add (ler_wpmul2l q0 BA) (lexx _))); rewrite le_eqVlt; apply/orP; left; apply/eqP.
    by rewrite /g; ring.
  have x0 : 0 < x by apply: lt_le_trans x1.
  have y0 : 0 <= x - 1 by rewrite subr_ge0.
  have g0 : 0 <= g by apply: addr_ge0; [exact: ler01|exact: mulr_ge0].
  rewrite -(ler_pmul2l x0) -subr_ge0.
  have AB' : 0 <= g * q * (x * B + d - A) by rewrite !mulr_ge0 ?subr_ge0.
  have sq : 0 <= A * (q * (1 - q) * (x - 1) ^+ 2) + q * d * ((x - 1) * (1 - q)) by rewrite addr_ge0 ?mulr_ge0 ?sqr_ge0.
  rewrite [X in 0 <= X](_ : _ = g * q * (x * B + d - A) + (A * (q * (1 - q) * (x - 1) ^+ 2) + q * d * ((x - 1) * (1 - q)))).
    exact: addr_ge0.
  by rewrite /g; ring.
move/andP: kl => [kr kl]; rewrite !mean_cons.
have [a a'] := IH (fun u => F (r :: u)) kl (fun u ku => F0 (r :: u) (introT andP (conj kr ku)))
  (fun u1 u2 ku => near (r :: u1) u2 (introT andP (conj kr ku))).
have [b b'] := IH F kl F0 near.
by split; [apply: (le_trans (ler_add (ler_wpmul2l q0 a) (ler_wpmul2l q1 b)))|
  apply: (le_trans (ler_add (ler_wpmul2l q0 a') (ler_wpmul2l q1 b')))];
  rewrite le_eqVlt; apply/orP; left; apply/eqP; ring.
Qed.
End Core.

(* AMPLIFY: the mechanism draws the sample and does c with it; the table is seen through the sample only: what c releases depends on what was put.
   The theorem about the sample holds for some sets of outputs, and that about the table for the same: for the Borel ones, where that is what is known *)
Theorem amplify_on (S O : Type) (good : (O -> Prop) -> Prop) (table : S -> seq Row) (put : S -> seq Row -> S) (c : stmt R S) (out : S -> O) (ok : pred Row)
    (eps0 delta0 eps delta : R) (m m' : S) p l1 l2 :
  0 <= eps0 -> 0 <= delta0 -> 1 + q * (expR eps0 - 1) <= expR eps -> q * delta0 <= delta ->
  ok p -> all ok (l1 ++ l2) -> table m = l1 ++ l2 -> table m' = l1 ++ p :: l2 ->
  (forall (E : O -> Prop) u, good E -> wp c (ind R (fun s => E (out s))) (put m' u) = wp c (ind R (fun s => E (out s))) (put m u)) ->
  (forall u1 u2, all ok (u1 ++ u2) ->
     dp_on good out c eps0 delta0 (put m (u1 ++ p :: u2)) (put m (u1 ++ u2)) /\
     dp_on good out c eps0 delta0 (put m (u1 ++ u2)) (put m (u1 ++ p :: u2))) ->
  let sampled := Seq (Draw (fun s => sample (table s)) put) c in
  dp_on good out sampled eps delta m m' /\ dp_on good out sampled eps delta m' m.
Proof.
move=> e0 d0 enough small kp kl tm tm' same near sampled.
have x1 : 1 <= expR eps0 by rewrite -expR0 ler_expR.
suff H (E : O -> Prop) : good E -> let P s := wp sampled (ind R (fun s => E (out s))) s in
    (P m <= (expR eps)%:E * P m' + delta%:E)%E /\ (P m' <= (expR eps)%:E * P m + delta%:E)%E.
  by split=> E gE; [exact: (H E gE).1|exact: (H E gE).2].
move=> gE; pose W s := wp c (ind R (fun s => E (out s))) s.
have W0 s : (0 <= W s)%E by apply: wp_ge0; exact: ind_ge0.
have W1 s : (W s <= 1)%E by apply: (@wp_le1 R S c _ (@ind_ge0 R S _) (@ind_le1 R S _)).
have fin s : W s \is a fin_num by rewrite ge0_fin_numE//; apply: (le_lt_trans (W1 s)); exact: ltry.
pose F u := fine (W (put m u)).
have FE u : (F u)%:E = W (put m u) by rewrite /F fineK.
have pE s t : (forall u, W (put s u) = W (put m u)) -> table s = t -> wp sampled (ind R (fun s => E (out s))) s = (mean F t)%:E.
  move=> ps ts; rewrite /sampled /= -/(W) ts -[LHS]/(sample t (fun u => W (put s u))) /sample flawE ?kept_fine//.
  by rewrite /mean -sumEFin; apply: eq_bigr => x _; rewrite ps -FE EFinM.
have F0 u : all ok u -> 0 <= F u by move=> _; apply: fine_ge0.
have nearF u1 u2 : all ok (u1 ++ u2) -> F (u1 ++ p :: u2) <= expR eps0 * F (u1 ++ u2) + delta0 /\
    F (u1 ++ u2) <= expR eps0 * F (u1 ++ p :: u2) + delta0.
  move=> ku; have [a b] := near u1 u2 ku; split.
    by have := a E gE; rewrite -/(W _) -/(W _) -!FE -EFinM -EFinD lee_fin.
  by have := b E gE; rewrite -/(W _) -/(W _) -!FE -EFinM -EFinD lee_fin.
have [a b] := amplify_core x1 d0 kp kl F0 nearF.
have grow u v w : 0 <= v -> u <= (1 + q * (expR eps0 - 1)) * v + q * delta0 -> w = v -> u <= expR eps * w + delta.
  by move=> v0 h ->; apply: (le_trans h); apply: ler_add small; exact: ler_wpmul2r.
have M0 t : all ok t -> 0 <= mean F t by move=> kt; exact: (mean_ge0 F0 kt).
have kl' : all ok (l1 ++ p :: l2) by move: kl; rewrite !all_cat /= kp.
move=> P; rewrite /P (pE m (l1 ++ l2))// (pE m' (l1 ++ p :: l2))//; last by move=> u; exact: same.
by rewrite -!EFinM -!EFinD !lee_fin; split; [apply: (grow _ _ _ _ b)|apply: (grow _ _ _ _ a)] => //; exact: M0.
Qed.
Theorem amplify (S O : Type) (table : S -> seq Row) (put : S -> seq Row -> S) (c : stmt R S) (out : S -> O) (ok : pred Row)
    (eps0 delta0 eps delta : R) (m m' : S) p l1 l2 :
  0 <= eps0 -> 0 <= delta0 -> 1 + q * (expR eps0 - 1) <= expR eps -> q * delta0 <= delta ->
  ok p -> all ok (l1 ++ l2) -> table m = l1 ++ l2 -> table m' = l1 ++ p :: l2 ->
  (forall (E : O -> Prop) u, wp c (ind R (fun s => E (out s))) (put m' u) = wp c (ind R (fun s => E (out s))) (put m u)) ->
  (forall u1 u2, all ok (u1 ++ u2) ->
     dp out c eps0 delta0 (put m (u1 ++ p :: u2)) (put m (u1 ++ u2)) /\
     dp out c eps0 delta0 (put m (u1 ++ u2)) (put m (u1 ++ p :: u2))) ->
  let sampled := Seq (Draw (fun s => sample (table s)) put) c in
  dp out sampled eps delta m m' /\ dp out sampled eps delta m' m.
Proof.
move=> e0 d0 enough small kp kl tm tm' same near sampled.
have [|u1 u2 ku|a b] := @amplify_on S O (fun=> True) table put c out ok eps0 delta0 eps delta m m' p l1 l2 e0 d0 enough small kp kl tm tm'.
- by move=> E u _; exact: same.
- by have [x y] := near u1 u2 ku; split=> E _.
by split=> E; [exact: (a E)|exact: (b E)].
Qed.
End Sample.
