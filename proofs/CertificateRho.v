(* Exported certificates in the concentrated measure: the rules of Compared.v, for rho and for mu (M is either), and those of Concentrated.v and Gaussian.v for formulas, as Certificate.v
   has them for epsilon.  zJ M c P Q is the judgement cjudge between assertions; each lemma has the precondition that the Rust function computes.

   Read: gaussian_, discrete_gaussian_, and zcdp in Concentrated.v. *)
From Probity Require Import PreludeReals Laws Sampling Continuous Gaussian DiscreteGaussian Chosen Bounded Blocks Pairs.
From Probity Require Rules.
From Probity Require Export Certificate Compared Concentrated.
Open Scope R_scope.

Definition gaussian_ (center scale : R) : law RR R := @gaussian RR center scale.
Definition discrete_gaussian_ (center : Z) (scale : R) : law RR int := @discrete_gaussian RR (int_of_Z center) scale.

Section Rules.
Variables (M : reading RR) (I V : Type) (i1 i2 : I).
Notation S := (I * V)%type.
Notation prog := (stmt RR S).
Notation bassn := (bassn V).
Notation at_ := (@at_ I V i1 i2).
Definition zJ (c : prog) (P Q : bassn) := @cjudge RR M S c (at_ P) (at_ Q).

(* ---- rules for programs ---- *)
Lemma zj_skip Q : zJ (skip_ I V) Q Q. Proof. exact: c_skip. Qed.
Lemma zj_set u Q : zJ (set_ u) (fun a v v' k => Q a (u i1 v) (u i2 v') k) Q.
Proof.
have A := @c_assign RR M S (fun s => (s.1, u s.1 s.2)) (at_ Q).
apply: c_strengthen A => s s' k [e [e' H]].
by rewrite /at_ /= e e'; split; [|split].
Qed.
Lemma zj_seq c d P T Q : zJ c P T -> zJ d T Q -> zJ (seq_ c d) P Q.
Proof. exact: c_seq. Qed.
Lemma zj_strengthen c (P' P Q : bassn) : (forall a v v' k, (forall b, P' b v v' k = true) -> P a v v' k = true) ->
  zJ c P Q -> zJ c P' Q.
Proof. by move=> H; apply: c_strengthen => s s' k [e [e' HP]]; split; [|split] => // a; exact: H. Qed.
Lemma zj_weaken c (P Q Q' : bassn) : (forall a v v' k, (forall b, Q b v v' k = true) -> Q' a v v' k = true) ->
  zJ c P Q -> zJ c P Q'.
Proof. by move=> H; apply: c_weaken => s s' k [e [e' HP]]; split; [|split] => // a; exact: H. Qed.

Lemma zj_if_general (g : I -> V -> bool) c d P T Q (Phi : bassn) : zJ c P Q -> zJ d T Q ->
  (forall v v' k, (forall a, Phi a v v' k = true) ->
     [/\ g i1 v = g i2 v', g i1 v -> forall a, P a v v' k = true & ~~ g i1 v -> forall a, T a v v' k = true]) ->
  zJ (if_ g c d) Phi Q.
Proof.
move=> Jc Jd H; have := @c_cond RR M S (fun s => g s.1 s.2) c d _ _ _ Jc Jd.
apply: c_strengthen => s s' k [e [e' /H[gg yes no]]]; rewrite e e'.
by split=> // h; (split; [|split]) => //; [exact: yes|exact: no].
Qed.
Lemma zj_if (g : I -> V -> bool) c d P T Q : zJ c P Q -> zJ d T Q ->
  zJ (if_ g c d) (fun a v v' k => Bool.eqb (g i1 v) (g i2 v') && ((~~ g i1 v || P a v v' k) && (g i1 v || T a v v' k))) Q.
Proof.
move=> Jc Jd; apply: (zj_if_general Jc Jd) => v v' k H.
have := H arb0; move=> /and_true[/Bool.eqb_prop gg _].
by split=> // h a; have := H a => /and_true[_ /and_true[]]; rewrite ?h //= (negPf h).
Qed.
Lemma zj_if_public (g : I -> V -> bool) c d P T Q : (forall v v', g i1 v = g i2 v') -> zJ c P Q -> zJ d T Q ->
  zJ (if_ g c d) (fun a v v' k => (~~ g i1 v || P a v v' k) && (g i1 v || T a v v' k)) Q.
Proof.
move=> gg Jc Jd; apply: (zj_if_general Jc Jd) => v v' k H.
by split=> // h a; have := H a => /and_true[]; rewrite ?h //= (negPf h).
Qed.
Lemma zj_if_same (g : I -> V -> bool) c d P Q : zJ c P Q -> zJ d P Q ->
  zJ (if_ g c d) (fun a v v' k => Bool.eqb (g i1 v) (g i2 v') && P a v v' k) Q.
Proof.
move=> Jc Jd; apply: (zj_if_general Jc Jd) => v v' k H.
have := H arb0; move=> /and_true[/Bool.eqb_prop gg _].
by split=> // _ a; have := H a => /and_true[].
Qed.
Lemma zj_if_same_public (g : I -> V -> bool) c d P Q : (forall v v', g i1 v = g i2 v') -> zJ c P Q -> zJ d P Q -> zJ (if_ g c d) P Q.
Proof. by move=> gg Jc Jd; apply: (zj_if_general Jc Jd). Qed.

Lemma zj_for from to c (Phi : Z -> bassn) (Inv : Z -> V -> V -> R -> bool) :
  (forall i, zJ (c i) (Phi i) (fun _ v v' k => Inv (i + 1)%Z v v' k)) ->
  (forall i a v v' k, Inv i v v' k = true -> leR (IZR from) (IZR i) && ltR (IZR i) (IZR to) = true -> Phi i a v v' k = true) ->
  zJ (for_ from to c) (fun _ v v' k => leR (IZR from) (IZR to) && Inv from v v' k) (fun _ v v' k => Inv to v v' k).
Proof.
move=> Jc keeps; have [ft|] := boolP (int_of_Z from <= int_of_Z to)%R; last first.
  rewrite le_int => n a a0 f F _ _ _ m m' k [_ [_ /(_ arb0)/and_true[h _]]].
  by rewrite h in n.
have := @c_for_loop RR M S (int_of_Z from) (int_of_Z to) (fun i => c (Z_of_int i))
  (fun i => at_ (Phi (Z_of_int i))) (fun i => at_ (fun _ v v' k => Inv (Z_of_int i) v v' k)) ft.
rewrite !int_of_ZK => F; apply: c_strengthen (F _ _).
- by move=> s s' k [e [e' H]]; split; [|split] => // a; have := H a => /and_true[].
- move=> i; have -> : Z_of_int (i + 1)%R = (Z_of_int i + 1)%Z.
    by rewrite -[i in LHS]Z_of_intK -[1%R]/(int_of_Z 1) -int_add int_of_ZK.
  exact: Jc.
- move=> i s s' k /andP[lo hi] [e [e' H]]; split; [|split] => // a; apply: keeps; first exact: (H a).
  by rewrite -(Z_of_intK i) le_int in lo; rewrite -(Z_of_intK i) lt_int in hi; rewrite lo hi.
Qed.

(* ---- draws; y is the arbitrary value number n, which occurs nowhere in Q ---- *)
Lemma zj_near n (Q : bassn) (D : R -> R -> law RR R) (center scale : I -> V -> R) (u : V -> R -> V) (dist cost after : V -> V -> R -> R) :
  @cjudge RR M S (Draw (fun s => D (center s.1 s.2) (scale s.1 s.2)) (fun s y => (s.1, u s.2 y)))
    (fun s s' j => @near_centers RR S (fun s => center s.1 s.2) (fun s => scale s.1 s.2) (fun s s' k => dist s.2 s'.2 k) (fun s s' k => cost s.2 s'.2 k) s s' j /\
      forall y, at_ Q (s.1, u s.2 y) (s'.1, u s'.2 y) (j + cost s.2 s'.2 j)%R) (at_ Q) ->
  (forall a x v v' k, Q (with_real a n x) v v' k = Q a v v' k) -> (forall v v' k, after v v' k = k + cost v v' k) ->
  zJ (draw_ (fun i v => D (center i v) (scale i v)) u)
    (fun a v v' k =>
      (((ltR 0 (scale i1 v) && eqR (scale i1 v) (scale i2 v')) &&
        leR (Rabs (center i1 v - center i2 v')) (dist v v' k)) &&
       leR (dist v v' k * dist v v' k) (2 * cost v v' k * scale i1 v * scale i1 v)) &&
      Q a (u v (real_ a n)) (u v' (real_ a n)) (after v v' k)) Q.
Proof.
move=> L fresh charged; apply: c_strengthen L => s s' k [e [e' H]]; split.
  have := H arb0 => /and_true[/and_true[/and_true[/and_true[/ltRP b0 /eqRP bb] /leRP near] /leRP bound] _].
  split=> /=; rewrite ?e ?e'//; [exact/RltP|exact/RleP|].
  by apply/RleP; move: bound; rewrite Rmult_assoc.
move=> y; split; [|split] => //= a; have := H (with_real a n y) => /and_true[_].
by rewrite with_real_at fresh charged.
Qed.
Lemma zj_nearZ n (Q : bassn) (D : int -> R -> law RR int) (center : I -> V -> Z) (scale : I -> V -> R) (u : V -> Z -> V) (dist cost after : V -> V -> R -> R) :
  @cjudge RR M S (Draw (fun s => D (int_of_Z (center s.1 s.2)) (scale s.1 s.2)) (fun s y => (s.1, u s.2 (Z_of_int y))))
    (fun s s' j => @near_centers RR S (fun s => ((int_of_Z (center s.1 s.2))%:~R)%R) (fun s => scale s.1 s.2) (fun s s' k => dist s.2 s'.2 k) (fun s s' k => cost s.2 s'.2 k) s s' j /\
      forall y, at_ Q (s.1, u s.2 (Z_of_int y)) (s'.1, u s'.2 (Z_of_int y)) (j + cost s.2 s'.2 j)%R) (at_ Q) ->
  (forall a x v v' k, Q (with_int a n x) v v' k = Q a v v' k) -> (forall v v' k, after v v' k = k + cost v v' k) ->
  zJ (drawZ_ (fun i v => D (int_of_Z (center i v)) (scale i v)) u)
    (fun a v v' k =>
      (((ltR 0 (scale i1 v) && eqR (scale i1 v) (scale i2 v')) &&
        leR (Rabs (IZR (center i1 v) - IZR (center i2 v'))) (dist v v' k)) &&
       leR (dist v v' k * dist v v' k) (2 * cost v v' k * scale i1 v * scale i1 v)) &&
      Q a (u v (int_ a n)) (u v' (int_ a n)) (after v v' k)) Q.
Proof.
move=> L fresh charged; apply: c_strengthen L => s s' k [e [e' H]]; split.
  have := H arb0 => /and_true[/and_true[/and_true[/and_true[/ltRP b0 /eqRP bb] /leRP near] /leRP bound] _].
  split=> /=; rewrite ?e ?e'//; [exact/RltP|by rewrite -!IZR_int; exact/RleP|].
  by apply/RleP; move: bound; rewrite Rmult_assoc.
move=> y; split; [|split] => //= a; have := H (with_int a n (Z_of_int y)) => /and_true[_].
by rewrite with_int_at fresh charged.
Qed.

(* AXNULL; same is the kernel's condition *)
Lemma zj_null_rule A (Q : bassn) (D : I -> V -> law RR A) (put : V -> A -> V) (same : V -> V -> bool) (get : arb -> A) (with_y : arb -> A -> arb) :
  (forall a y, get (with_y a y) = y) -> (forall a y v v' k, Q (with_y a y) v v' k = Q a v v' k) ->
  (forall v v', same v v' = true -> D i1 v = D i2 v') ->
  zJ (draw_ D put) (fun a v v' k => same v v' && Q a (put v (get a)) (put v' (get a)) k) Q.
Proof.
move=> at_y fresh laws.
have L := @c_null RR M S (law RR A) A id (fun _ _ => True) (fun s => D s.1 s.2) (fun s y => (s.1, put s.2 y)) (at_ Q) (fun p => @full_any RR A p).
apply: c_strengthen L => s s' k [e [e' H]]; split.
  by have := H arb0 => /and_true[/laws h _] /=; rewrite e e'.
move=> y _; split; [|split] => //= a; have := H (with_y a y) => /and_true[_].
by rewrite at_y fresh.
Qed.
Lemma zj_null n (Q : bassn) (D : I -> V -> law RR R) (put : V -> R -> V) (same : V -> V -> bool) : fresh_real n Q ->
  (forall v v', same v v' = true -> D i1 v = D i2 v') ->
  zJ (draw_ D put) (fun a v v' k => same v v' && Q a (put v (real_ a n)) (put v' (real_ a n)) k) Q.
Proof. by move=> fresh; apply: (zj_null_rule (get := fun a => real_ a n) (fun a y => with_real_at a n y)). Qed.
Lemma zj_nullZ n (Q : bassn) (D : I -> V -> law RR int) (put : V -> Z -> V) (same : V -> V -> bool) : fresh_int n Q ->
  (forall v v', same v v' = true -> D i1 v = D i2 v') ->
  zJ (drawZ_ D put) (fun a v v' k => same v v' && Q a (put v (int_ a n)) (put v' (int_ a n)) k) Q.
Proof.
move=> fresh laws; rewrite /drawZ_.
have L := @zj_null_rule int Q D (fun v y => put v (Z_of_int y)) same (fun a => int_of_Z (int_ a n)) (fun a y => with_int a n (Z_of_int y)).
have at_y a y : int_of_Z (int_ (with_int a n (Z_of_int y)) n) = y by rewrite with_int_at Z_of_intK.
have K := L at_y (fun a y => fresh a (Z_of_int y)) laws.
apply: c_strengthen K => s s' k [e [e' HP]]; split; [|split] => // a; rewrite int_of_ZK; exact: HP.
Qed.
End Rules.

(* ---- rho ---- *)
Notation rho_ := (rho_reading RR).
Section Rho.
Variables (I V : Type) (i1 i2 : I).
Notation S := (I * V)%type.
Notation prog := (stmt RR S).
Notation bassn := (bassn V).
Notation at_ := (@at_ I V i1 i2).
(* GAUSS, BOUNDED-LOSS; DGAUSS, BOUNDED-LOSS on the integers *)
Definition zj_gaussian n (Q : bassn) center scale u dist cost after :=
  @zj_near rho_ I V i1 i2 n Q gaussian_ center scale u dist cost after (@gauss RR S _ _ _ _ _ _).
Definition zj_laplace n (Q : bassn) center scale u dist cost after :=
  @zj_near rho_ I V i1 i2 n Q laplace_ center scale u dist cost after (@bounded_loss RR S _ _ _ _ _ _).
Definition zj_discrete_gaussian n (Q : bassn) center scale u dist cost after :=
  @zj_nearZ rho_ I V i1 i2 n Q (@discrete_gaussian RR) center scale u dist cost after (@dgauss RR S _ _ _ _ _ _).
Definition zj_discrete_laplace n (Q : bassn) center scale u dist cost after :=
  @zj_nearZ rho_ I V i1 i2 n Q (@discrete_laplace RR) center scale u dist cost after (@bounded_loss_int RR S _ _ _ _ _ _).
(* BOUNDED-RANGE *)
Lemma zj_choose n (Q : bassn) (scores : I -> V -> list R) (count : V -> Z) (scale : I -> V -> R) (u : V -> Z -> V) (low high cost after : V -> V -> R -> R) :
  (forall v, count v = len (scores i1 v)) ->
  (forall a x v v' k, Q (with_int a n x) v v' k = Q a v v' k) -> (forall v v' k, after v v' k = k + cost v v' k) ->
  zJ rho_ i1 i2 (drawZ_ (fun i v => choose_ (scores i v) (scale i v)) u)
    (fun a v v' k =>
      ((((ltR 0 (scale i1 v) && leR 1 (IZR (count v))) && eqR (scale i1 v) (scale i2 v')) &&
        apart (scores i1 v) (scores i2 v') (low v v' k) (high v v' k)) &&
       leR ((high v v' k - low v v' k) * (high v v' k - low v v' k)) (8 * cost v v' k * scale i1 v * scale i1 v)) &&
      (~~ (leR 0 (IZR (int_ a n)) && ltR (IZR (int_ a n)) (IZR (count v))) ||
       Q a (u v (int_ a n)) (u v' (int_ a n)) (after v v' k))) Q.
Proof.
move=> counted fresh charged.
have L := @bounded_range RR S (fun s s' k => cost s.2 s'.2 k) (at_ Q) (fun s => scores s.1 s.2) (fun s => scale s.1 s.2) (fun s y => (s.1, u s.2 (Z_of_int y)))
  (fun s s' k => low s.2 s'.2 k) (fun s s' k => high s.2 s'.2 k).
apply: c_strengthen L => s s' k [e [e' H]].
have := H arb0 => /and_true[/and_true[/and_true[/and_true[/and_true[/ltRP b0 /leRP l1] /eqRP bb] /apartP[ll near]] /leRP range] _].
rewrite counted in l1; split=> /=; rewrite ?e ?e'.
- split=> //; [exact/RltP|].
  by have := le_IZR 1 _ l1; rewrite len_size; case: (size _).
- split=> // i il; have := near (Z.of_nat i); rewrite !entry_nth len_size => h.
  have [|lo hi] := h; first by split; [lia|apply/inj_lt; exact/ssrnat.ltP].
  by apply/andP; split; exact/RleP.
- have eight : (8%:R : RR)%R = 8 :> R by rewrite -INRE /=; lra.
  by rewrite eight; exact/RleP.
move=> y yr; split; [|split] => //= a; have := H (with_int a n (Z_of_int y)) => /and_true[_].
rewrite with_int_at fresh charged counted; move/andP: yr => [y0 yl].
have -> : leR 0 (IZR (Z_of_int y)) && ltR (IZR (Z_of_int y)) (IZR (len (scores i1 s.2))) = true; last by [].
rewrite -[0]/(IZR 0) -le_int -lt_int Z_of_intK y0 /=; move: yl; congr is_true.
by rewrite len_size; congr (_ < _)%R; elim: (size _) => // m IH; lia.
Qed.

(* ---- claims ---- *)
Theorem zj_private (O : Type) (out : I -> V -> O) (rho : R) (c : prog) (goal : V -> V -> R -> bool) (m m' : S) :
  m.1 = i1 -> m'.1 = i2 ->
  (forall v v' k, goal v v' k = true -> out i1 v = out i2 v' /\ k <= rho) ->
  (exists P, zJ rho_ i1 i2 c P (fun _ v v' k => goal v v' k) /\ forall a v v' k, eqR k 0 = true -> P a v v' k = true) ->
  @zcdp RR S O (fun s => out s.1 s.2) c rho m m'.
Proof.
move=> e e' last [P [Jc start]]; apply: (@z_equal_outputs RR S O (fun s => out s.1 s.2) rho c (at_ P)).
  apply: c_weaken Jc => s s' k [-> [-> H]].
  by have [o l] := last _ _ _ (H arb0); split=> //; exact/RleP.
by split; [|split] => // a; apply: start; exact/eqRP.
Qed.
(* ZCDP-TAIL: 0 < delta, rho <= epsilon, 4 rho ln(1 / delta) <= (epsilon - rho)^2 *)
Theorem zj_tail (O : Type) (out : S -> O) (c : prog) (rho eps delta : R) (m m' : S) :
  ltR 0 delta && leR rho eps && leR (4 * rho * ln_ (1 / delta)) ((eps - rho) * (eps - rho)) = true ->
  @zcdp RR S O out c rho m m' -> @dp RR S O out c eps delta m m'.
Proof.
move=> /and_true[/and_true[/ltRP d0 /leRP re] /leRP tail]; apply: zcdp_tail; [exact/RltP|exact/RleP|].
move: tail; rewrite ln_all (_ : 1 / delta = ((delta : RR)^-1)%R); last by rewrite /Rdiv Rmult_1_l RinvE// gt_eqF//; exact/RltP.
have four : (4%:R : RR)%R = 4 :> R by rewrite -INRE /=; lra.
by move=> h; apply/RleP; rewrite expr2 four; exact: h.
Qed.
End Rho.
