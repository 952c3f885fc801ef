(* Judgements that give up mass, in the shape in which the kernel applies them, for exported certificates: SEQ (j_seq_left, j_seq_right, j_seq_both),
   UP-TO-BAD (j_up_to_tail, j_up_to_upper_tail, j_up_to_open_tail), FOR-ONCE (j_for_once), equal outputs (j_private_up_to).

   What is given up is a number, d, that the text writes as the kernel does. *)
From Probity Require Import PreludeReals Laws Sampling Continuous Once Tails.
From Probity Require Rules.
From Probity Require Export Blocks.
Open Scope R_scope.

Section UpTo.
Variables (I V : Type) (i1 i2 : I).
Notation S := (I * V)%type.
Notation prog := (stmt RR S).
Notation J := (J i1 i2).
Notation at_ := (at_ i1 i2).

(* ---- SEQ: the mass that both give up; where one gives up nothing, that of the other ---- *)
Lemma j_seq_both d1 d2 (c e : prog) P T Q : 0 <= d2 -> J d1 c P T -> J d2 e T Q -> J (d1 + d2) (seq_ c e) P Q.
Proof. by move=> d0 Jc Jd; apply: (@Rules.seq RR S d1 d2) Jc Jd; exact/RleP. Qed.
Lemma j_seq_left d (c e : prog) P T Q : J d c P T -> J 0 e T Q -> J d (seq_ c e) P Q.
Proof. by move=> Jc Jd; have := j_seq_both (Rle_refl 0) Jc Jd; rewrite Rplus_0_r. Qed.
Lemma j_seq_right d (c e : prog) P T Q : 0 <= d -> J 0 c P T -> J d e T Q -> J d (seq_ c e) P Q.
Proof. by move=> d0 Jc Jd; have := j_seq_both d0 Jc Jd; rewrite Rplus_0_l. Qed.

(* ---- UP-TO-BAD with a shift ---- *)
Section Tails.
Variables (n : nat) (Q : bassn V) (center : I -> V -> R) (b t d : R) (u : V -> R -> V) (by_ cost after : V -> V -> R -> R).
Hypothesis fresh : fresh_real n Q.
Hypothesis charged : forall v v' k, after v v' k = k + cost v v' k.
Definition shifted (near : arb -> V -> bool) : bassn V := fun a v v' k =>
  (((ltR 0 b && eqR b b) && leR (Rabs (by_ v v' k + center i1 v - center i2 v')) (cost v v' k * b)) &&
   (~~ near a v || Q a (u v (real_ a n)) (u v' (real_ a n + by_ v v' k)) (after v v' k))) && leR 0 t.

Lemma shift_star v v' k : 0 < b -> Rabs (by_ v v' k + center i1 v - center i2 v') <= cost v v' k * b ->
  Rules.star (@laplace RR (center i1 v) b) (@laplace RR (center i2 v') b) (fun=> True) (fun y => (y + by_ v v' k)%R) (fun=> cost v v' k).
Proof.
move=> /RltP b0 /RleP near.
have := @star_select RR false (center i1 v) (center i2 v') b 0%R (by_ v v' k) (by_ v v' k) (cost v v' k) (cost v v' k) b0 (lexx _) near near.
move=> H f F f0 F0 fF; apply: H => // y _; by case: ifP => _; exact: fF.
Qed.

Lemma up_to (near : arb -> V -> bool) (nearR : R -> R -> bool) (amount : RR) :
  (forall a v, near a v = nearR (center i1 v) (real_ a n)) ->
  (forall (Phi : assn RR S), (0 <= t :> RR)%R -> (0 < b :> RR)%R ->
    (forall m m' k, Phi m m' k -> exists supp phi (c : RR -> RR),
     Rules.star (@laplace RR (center m.1 m.2) b) (@laplace RR (center m'.1 m'.2) b) supp phi c /\
     forall y, supp y -> nearR (center m.1 m.2) y -> at_ Q (m.1, u m.2 y) (m'.1, u m'.2 (phi y)) (k + c y)%R) ->
    @judge RR S amount (Draw (fun s => @laplace RR (center s.1 s.2) b) (fun s y => (s.1, u s.2 y))) Phi (at_ Q)) ->
  J amount (draw_ (fun i v => laplace_ (center i v) b) u) (shifted near) Q.
Proof.
move=> nearE rule.
have [t0|t0] := boolP (leR 0 t); last first.
  by move=> f F _ _ _ _ m m' k [_ [_ /(_ arb0)/and_true[_ h]]]; rewrite h in t0.
have [b0|b0] := boolP (ltR 0 b); last first.
  by move=> f F _ _ _ _ m m' k [_ [_ /(_ arb0)/and_true[/and_true[/and_true[/and_true[h _] _] _] _]]]; rewrite h in b0.
apply: rule; [by apply/RleP/leRP|by apply/RltP/ltRP|].
move=> [i v] [i' v'] k [/= -> [/= -> H]].
exists (fun=> True), (fun y => (y + by_ v v' k)%R), (fun=> cost v v' k); split.
  by apply: shift_star; [exact/ltRP|have := H arb0 => /and_true[/and_true[/and_true[_ /leRP]]]].
move=> y _ ny; split; [|split] => //= a; have := H (with_real a n y) => /and_true[/and_true[_]].
by rewrite nearE with_real_at ny /= fresh charged.
Qed.

Lemma j_up_to_tail : d = exp (- (t / b)) ->
  J d (draw_ (fun i v => laplace_ (center i v) b) u)
    (fun a v v' k =>
      (((ltR 0 b && eqR b b) && leR (Rabs (by_ v v' k + center i1 v - center i2 v')) (cost v v' k * b)) &&
       (~~ leR (Rabs (real_ a n - center i1 v)) t || Q a (u v (real_ a n)) (u v' (real_ a n + by_ v v' k)) (after v v' k))) && leR 0 t) Q.
Proof.
move=> ->; rewrite exp_expR.
apply: (@up_to (fun a v => leR (Rabs (real_ a n - center i1 v)) t) (fun e y => leR (Rabs (y - e)) t)) => // Phi t0 b0 H.
have -> : (- (t / b)) = (- (t / b : RR))%R.
  by rewrite -RdivE//; apply/eqP => E; move: b0; rewrite E ltxx.
by apply: (@up_to_tail RR S (fun s => center s.1 s.2)).
Qed.
Lemma j_up_to_upper_tail : d = exp (- (t / b)) / 2 ->
  J d (draw_ (fun i v => laplace_ (center i v) b) u)
    (fun a v v' k =>
      (((ltR 0 b && eqR b b) && leR (Rabs (by_ v v' k + center i1 v - center i2 v')) (cost v v' k * b)) &&
       (~~ leR (real_ a n - center i1 v) t || Q a (u v (real_ a n)) (u v' (real_ a n + by_ v v' k)) (after v v' k))) && leR 0 t) Q.
Proof.
move=> dE; apply: (@up_to (fun a v => leR (real_ a n - center i1 v) t) (fun e y => leR (y - e) t)) => // Phi t0 b0 H.
have -> : d = (expR (- (t / b : RR)) / 2 : RR)%R.
  have n2 : ((2%:R : RR) != 0)%R by rewrite pnatr_eq0.
  have nb : ((b : RR) != 0)%R by rewrite gt_eqF.
  by rewrite -!RdivE// -exp_expR dE.
by apply: (@up_to_upper_tail RR S (fun s => center s.1 s.2)).
Qed.
(* with the place where the tail begins *)
Lemma j_up_to_open_tail : d = exp (- (t / b)) / 2 ->
  J d (draw_ (fun i v => laplace_ (center i v) b) u)
    (fun a v v' k =>
      (((ltR 0 b && eqR b b) && leR (Rabs (by_ v v' k + center i1 v - center i2 v')) (cost v v' k * b)) &&
       (~~ ltR (real_ a n - center i1 v) t || Q a (u v (real_ a n)) (u v' (real_ a n + by_ v v' k)) (after v v' k))) && leR 0 t) Q.
Proof.
move=> dE; apply: (@up_to (fun a v => ltR (real_ a n - center i1 v) t) (fun e y => ltR (y - e) t)) => // Phi t0 b0 H.
have -> : d = (expR (- (t / b : RR)) / 2 : RR)%R.
  have n2 : ((2%:R : RR) != 0)%R by rewrite pnatr_eq0.
  have nb : ((b : RR) != 0)%R by rewrite gt_eqF.
  by rewrite -!RdivE// -exp_expR dE.
apply: (@up_to_open_tail RR S (fun s => center s.1 s.2)) => // m m' k /H[supp [phi [c [st HP]]]].
by exists supp, phi, c; split=> // y sy /RltP ly; apply: HP => //; exact/ltRP.
Qed.
End Tails.

(* ---- FOR-ONCE ---- *)
Definition is_named (ks : seq R) (i : Z) : bool := has (fun k => eqR (IZR i) k) ks.
Lemma j_for_once from to c (Phi Theta : Z -> bassn V) (Inv : Z -> V -> V -> R -> bool) (ks : seq R) (here : Z -> bool) (d total : R) :
  0 <= d -> total = INR (size ks) * d -> (forall i, here i = is_named ks i) ->
  (forall i, J 0 (c i) (Phi i) (fun _ v v' k => Inv (i + 1)%Z v v' k)) ->
  (forall i, J d (c i) (Theta i) (fun _ v v' k => Inv (i + 1)%Z v v' k)) ->
  (forall i a v v' k, Inv i v v' k = true -> leR (IZR from) (IZR i) && ltR (IZR i) (IZR to) = true -> ~~ here i = true ->
     Phi i a v v' k = true) ->
  (forall i a v v' k, Inv i v v' k = true -> leR (IZR from) (IZR i) && ltR (IZR i) (IZR to) = true -> here i = true ->
     Theta i a v v' k = true) ->
  J total (for_ from to c) (fun _ v v' k => leR (IZR from) (IZR to) && Inv from v v' k) (fun _ v v' k => Inv to v v' k).
Proof.
move=> d0 -> hereE J0 Jd other these; have [ft|] := boolP (int_of_Z from <= int_of_Z to)%R; last first.
  rewrite le_int => n f F _ _ _ _ m m' k [_ [_ /(_ arb0)/and_true[h _]]].
  by rewrite h in n.
have E : INR (size ks) * d = ((size ks)%:R * d : RR)%R by rewrite INRE.
have namedE i : named (ks : seq RR) i = here (Z_of_int i).
  rewrite hereE /named /is_named; apply: eq_has => k; rewrite IZR_int Z_of_intK.
  by apply/idP/idP => [/eqP ->|/eqRP ->]; [exact/eqRP|].
have := @for_loop_once RR S d (int_of_Z from) (int_of_Z to) (fun i => c (Z_of_int i))
  (fun i => at_ (Phi (Z_of_int i))) (fun i => at_ (Theta (Z_of_int i))) (fun i => at_ (fun _ v v' k => Inv (Z_of_int i) v v' k)) ks.
rewrite -E !int_of_ZK => F; apply: Rules.strengthen (F _ _ _ _ _ _) => //.
- by move=> s s' k [e [e' H]]; split; [|split] => // a; have := H a => /and_true[].
- exact/RleP.
- move=> i; have -> : Z_of_int (i + 1)%R = (Z_of_int i + 1)%Z.
    by rewrite -[i in LHS]Z_of_intK -[1%R]/(int_of_Z 1) -int_add int_of_ZK.
  exact: J0.
- move=> i; have -> : Z_of_int (i + 1)%R = (Z_of_int i + 1)%Z.
    by rewrite -[i in LHS]Z_of_intK -[1%R]/(int_of_Z 1) -int_add int_of_ZK.
  exact: Jd.
- move=> i s s' k /andP[lo hi]; rewrite namedE => nm [e [e' H]]; split; [|split] => // a; apply: other nm; first exact: (H a).
  by rewrite -(Z_of_intK i) le_int in lo; rewrite -(Z_of_intK i) lt_int in hi; rewrite lo hi.
- move=> i s s' k /andP[lo hi]; rewrite namedE => nm [e [e' H]]; split; [|split] => // a; apply: these nm; first exact: (H a).
  by rewrite -(Z_of_intK i) le_int in lo; rewrite -(Z_of_intK i) lt_int in hi; rewrite lo hi.
Qed.

(* ---- privacy ---- *)
Theorem j_private_up_to (O : Type) (out : I -> V -> O) (eps delta d : R) (c : prog) (goal : V -> V -> R -> bool) (m m' : S) :
  m.1 = i1 -> m'.1 = i2 ->
  (forall v v' k, goal v v' k = true -> out i1 v = out i2 v' /\ k <= eps) -> d <= delta ->
  (exists P, J d c P (fun _ v v' k => goal v v' k) /\ forall a v v' k, eqR k 0 = true -> P a v v' k = true) ->
  @dp RR S O (fun s => out s.1 s.2) c eps delta m m'.
Proof.
move=> e e' last d0 [P [Jc start]]; apply: (@any_delta RR S O _ d); first exact/RleP.
apply: (@equal_outputs RR S O (fun s => out s.1 s.2) d eps c (at_ P)).
  apply: Rules.weaken Jc => s s' k [-> [-> H]].
  by have [o l] := last _ _ _ (H arb0); split=> //; exact/RleP.
by split; [|split] => // a; apply: start; exact/eqRP.
Qed.
End UpTo.

(* noise has mass 1 where its scale is positive *)
Lemma laplace_total (center scale : R) : 0 < scale -> (laplace_ center scale (fun=> 1) = 1)%E.
Proof. by move=> /RltP; exact: total_laplace. Qed.

(* ---- what scripts use ---- *)
Ltac positive_scale := cbv beta; repeat first [assumption | apply Rdiv_lt_0_compat | apply Rmult_lt_0_compat | apply Rplus_lt_0_compat | lra].
Ltac these_rounds := intros ?; unfold is_named; cbn [has]; repeat match goal with |- context [eqR ?a ?b] => destruct (eqR a b) end; reflexivity.
Ltac given_up := unfold Rdiv, inv;
  repeat first [apply Rlt_le, exp_pos | apply exp_pos | apply Rmax_l | apply Rplus_le_le_0_compat | apply Rmult_le_pos | lra | apply Rlt_le, Rinv_0_lt_compat | apply Rplus_lt_0_compat].
