(* The rules in the shape in which the kernel applies them to formulas, for exported certificates.

   A state is a pair of the inputs, which no program sets, and of the program's variables.  The inputs of the two runs, i1 and i2, are fixed, and so are
   parameters and ghosts; an assertion P a v v' k is a boolean over the two runs' variables, the cost k and the arbitrary values a, over which it is
   universally quantified (arb: any number of each sort, by number).  J d c P Q is the judgement of Judgement.v for such assertions.  Each
   lemma below is a theorem of Rules.v, Sampling.v, Continuous.v or Finite.v with the precondition that the Rust function of the same name computes.

   Read: at_, J, set_ ... for_ (the statements), laplace_ ... (the laws), neighbours_private. *)
From Probity Require Import PreludeReals.
From Probity Require Export Judgement Privacy.
From Probity Require Import Laws Sampling Continuous.
From Probity Require Rules.
From Probity Require Export Formulas.
Open Scope R_scope.

Notation RR := real_realType.

(* ---- arbitrary values ---- *)
Record arb := Arb { real_ : nat -> R; int_ : nat -> Z; bool_ : nat -> bool }.
Definition arb0 := Arb (fun=> 0) (fun=> 0%Z) (fun=> true).
Definition with_ (A : Type) (f : nat -> A) n x m := if Nat.eqb m n then x else f m.
Definition with_real a n x := Arb (with_ (real_ a) n x) (int_ a) (bool_ a).
Definition with_int a n x := Arb (real_ a) (with_ (int_ a) n x) (bool_ a).
Definition with_bool a n x := Arb (real_ a) (int_ a) (with_ (bool_ a) n x).
Lemma with_real_at a n x : real_ (with_real a n x) n = x. Proof. by rewrite /= /with_ Nat.eqb_refl. Qed.
Lemma with_int_at a n x : int_ (with_int a n x) n = x. Proof. by rewrite /= /with_ Nat.eqb_refl. Qed.
Lemma with_bool_at a n x : bool_ (with_bool a n x) n = x. Proof. by rewrite /= /with_ Nat.eqb_refl. Qed.

(* ---- numbers of Coq and of MathComp ---- *)
Lemma IZR_int (z : Z) : IZR z = ((int_of_Z z)%:~R : RR)%R.
Proof.
have P p : IZR (Z.pos p) = ((Pos.to_nat p)%:R : RR)%R by rewrite -INRE INR_IZR_INZ positive_nat_Z.
case: z => [|p|p]; [by []|exact: P|rewrite -Pos2Z.opp_pos opp_IZR P /=].
have := Pos2Nat.is_pos p; case: (Pos.to_nat p) => [/Nat.lt_irrefl//|k _] /=.
by rewrite NegzE mulrNz.
Qed.
Lemma int_add (x y : Z) : int_of_Z (x + y) = (int_of_Z x + int_of_Z y)%R.
Proof. by apply: (@mulrIz RR 1%R); rewrite ?oner_eq0// -!IZR_int plus_IZR intrD -!IZR_int. Qed.

Section Rules.
Variables (I V : Type) (i1 i2 : I).
Notation S := (I * V)%type.
Notation prog := (stmt RR S).

Definition bassn := arb -> V -> V -> R -> bool.
Definition at_ (P : bassn) : assn RR S := fun s s' k => s.1 = i1 /\ s'.1 = i2 /\ forall a, P a s.2 s'.2 k = true.
Definition J (d : R) (c : prog) (P Q : bassn) := @judge RR S d c (at_ P) (at_ Q).

(* ---- statements ---- *)
Definition skip_ : prog := Skip RR S.
Definition set_ (u : I -> V -> V) : prog := Assign RR (fun s : S => (s.1, u s.1 s.2)).
Definition draw_ (A : Type) (D : I -> V -> law RR A) (u : V -> A -> V) : prog :=
  Draw (fun s : S => D s.1 s.2) (fun s a => (s.1, u s.2 a)).
Definition seq_ (c d : prog) : prog := Seq c d.
Definition if_ (g : I -> V -> bool) (c d : prog) : prog := If (fun s : S => g s.1 s.2) c d.
(* for i in from..to *)
Definition for_ (from to : Z) (c : Z -> prog) : prog := For (int_of_Z from) (int_of_Z to) (fun i => c (Z_of_int i)).
Definition while_ (g : I -> V -> bool) (c : prog) : prog := While (fun s : S => g s.1 s.2) c.

(* ---- rules for programs ---- *)
Lemma j_skip Q : J 0 skip_ Q Q. Proof. exact: Rules.skip. Qed.
Lemma j_set u Q : J 0 (set_ u) (fun a v v' k => Q a (u i1 v) (u i2 v') k) Q.
Proof.
have A := @Rules.assign RR S (fun s => (s.1, u s.1 s.2)) (at_ Q).
apply: Rules.strengthen A => s s' k [e [e' H]].
by rewrite /at_ /= e e'; split; [|split].
Qed.
Lemma j_seq c d P T Q : J 0 c P T -> J 0 d T Q -> J 0 (seq_ c d) P Q.
Proof. by move=> Jc Jd; have := Rules.seq (lexx 0%R) Jc Jd; rewrite addr0. Qed.
Lemma j_strengthen d c (P' P Q : bassn) : (forall a v v' k, (forall b, P' b v v' k = true) -> P a v v' k = true) ->
  J d c P Q -> J d c P' Q.
Proof. by move=> H; apply: Rules.strengthen => s s' k [e [e' HP]]; split; [|split] => // a; exact: H. Qed.
Lemma j_weaken d c (P Q Q' : bassn) : (forall a v v' k, (forall b, Q b v v' k = true) -> Q' a v v' k = true) ->
  J d c P Q -> J d c P Q'.
Proof. by move=> H; apply: Rules.weaken => s s' k [e [e' HP]]; split; [|split] => // a; exact: H. Qed.

(* both runs take the same branch *)
Lemma j_if_general (g : I -> V -> bool) c d P T Q (Phi : bassn) : J 0 c P Q -> J 0 d T Q ->
  (forall v v' k, (forall a, Phi a v v' k = true) ->
     [/\ g i1 v = g i2 v', g i1 v -> forall a, P a v v' k = true & ~~ g i1 v -> forall a, T a v v' k = true]) ->
  J 0 (if_ g c d) Phi Q.
Proof.
move=> Jc Jd H; have := @Rules.cond RR S 0%R 0%R (fun s => g s.1 s.2) c d _ _ _ (lexx _) (lexx _) Jc Jd; rewrite addr0.
apply: Rules.strengthen => s s' k [e [e' /H[gg yes no]]]; rewrite e e'.
by split=> // h; (split; [|split]) => //; [exact: yes|exact: no].
Qed.
Lemma j_if (g : I -> V -> bool) c d P T Q : J 0 c P Q -> J 0 d T Q ->
  J 0 (if_ g c d) (fun a v v' k => Bool.eqb (g i1 v) (g i2 v') && ((~~ g i1 v || P a v v' k) && (g i1 v || T a v v' k))) Q.
Proof.
move=> Jc Jd; apply: (j_if_general Jc Jd) => v v' k H.
have := H arb0; move=> /and_true[/Bool.eqb_prop gg _].
by split=> // h a; have := H a => /and_true[_ /and_true[]]; rewrite ?h //= (negPf h).
Qed.
(* the guard is the same expression in both runs *)
Lemma j_if_public (g : I -> V -> bool) c d P T Q : (forall v v', g i1 v = g i2 v') -> J 0 c P Q -> J 0 d T Q ->
  J 0 (if_ g c d) (fun a v v' k => (~~ g i1 v || P a v v' k) && (g i1 v || T a v v' k)) Q.
Proof.
move=> gg Jc Jd; apply: (j_if_general Jc Jd) => v v' k H.
by split=> // h a; have := H a => /and_true[]; rewrite ?h //= (negPf h).
Qed.
(* both branches have the same precondition *)
Lemma j_if_same (g : I -> V -> bool) c d P Q : J 0 c P Q -> J 0 d P Q ->
  J 0 (if_ g c d) (fun a v v' k => Bool.eqb (g i1 v) (g i2 v') && P a v v' k) Q.
Proof.
move=> Jc Jd; apply: (j_if_general Jc Jd) => v v' k H.
have := H arb0; move=> /and_true[/Bool.eqb_prop gg _].
by split=> // _ a; have := H a => /and_true[].
Qed.
Lemma j_if_same_public (g : I -> V -> bool) c d P Q : (forall v v', g i1 v = g i2 v') -> J 0 c P Q -> J 0 d P Q -> J 0 (if_ g c d) P Q.
Proof. by move=> gg Jc Jd; apply: (j_if_general Jc Jd). Qed.

Lemma le_int (x y : Z) : (int_of_Z x <= int_of_Z y)%R = leR (IZR x) (IZR y).
Proof. by apply/idP/idP; rewrite -(ler_int RR) -!IZR_int => h; [exact/leRP/RleP|exact/RleP/leRP]. Qed.
Lemma lt_int (x y : Z) : (int_of_Z x < int_of_Z y)%R = ltR (IZR x) (IZR y).
Proof. by apply/idP/idP; rewrite -(ltr_int RR) -!IZR_int => h; [exact/ltRP/RltP|exact/RltP/ltRP]. Qed.

Lemma j_for from to c (Phi : Z -> bassn) (Inv : Z -> V -> V -> R -> bool) :
  (forall i, J 0 (c i) (Phi i) (fun _ v v' k => Inv (i + 1)%Z v v' k)) ->
  (forall i a v v' k, Inv i v v' k = true -> leR (IZR from) (IZR i) && ltR (IZR i) (IZR to) = true -> Phi i a v v' k = true) ->
  J 0 (for_ from to c) (fun _ v v' k => leR (IZR from) (IZR to) && Inv from v v' k) (fun _ v v' k => Inv to v v' k).
Proof.
move=> Jc keeps; have [ft|] := boolP (int_of_Z from <= int_of_Z to)%R; last first.
  rewrite le_int => n f F _ _ _ _ m m' k [_ [_ /(_ arb0)/and_true[h _]]].
  by rewrite h in n.
have := @Rules.for_loop RR S 0%R (int_of_Z from) (int_of_Z to) (fun i => c (Z_of_int i))
  (fun i => at_ (Phi (Z_of_int i))) (fun i => at_ (fun _ v v' k => Inv (Z_of_int i) v v' k)) (lexx _) ft.
rewrite mulr0 !int_of_ZK => F; apply: Rules.strengthen (F _ _).
- by move=> s s' k [e [e' H]]; split; [|split] => // a; have := H a => /and_true[].
- move=> i; have -> : Z_of_int (i + 1)%R = (Z_of_int i + 1)%Z.
    by rewrite -[i in LHS]Z_of_intK -[1%R]/(int_of_Z 1) -int_add int_of_ZK.
  exact: Jc.
- move=> i s s' k /andP[lo hi] [e [e' H]]; split; [|split] => // a; apply: keeps; first exact: (H a).
  by rewrite -(Z_of_intK i) le_int in lo; rewrite -(Z_of_intK i) lt_int in hi; rewrite lo hi.
Qed.
Lemma j_while g c (Phi : bassn) (Inv : V -> V -> R -> bool) : J 0 c Phi (fun _ v v' k => Inv v v' k) ->
  (forall a v v' k, Inv v v' k = true -> g i1 v = true -> g i2 v' = true -> Phi a v v' k = true) ->
  (forall v v' k, Inv v v' k = true -> Bool.eqb (g i1 v) (g i2 v') = true) ->
  J 0 (while_ g c) (fun _ v v' k => Inv v v' k) (fun _ v v' k => Inv v v' k && negb (g i1 v)).
Proof.
move=> Jc keeps agrees.
apply: Rules.weaken (@Rules.while_loop RR S (fun s => g s.1 s.2) c (at_ Phi) (at_ (fun _ v v' k => Inv v v' k)) Jc _ _) => s s' k.
- by move=> [[e [e' H]] n]; split; [|split] => // a; rewrite (H a) -e.
- by move=> [e [e' H]] gs gs'; split; [|split] => // a; apply: keeps; [exact: (H a)|rewrite -e|rewrite -e'].
- by move=> [e [e' H]]; rewrite e e'; exact: (Bool.eqb_prop _ _ (agrees _ _ _ (H arb0))).
Qed.

(* ---- laws ---- *)
Definition laplace_ (center scale : R) : law RR R := @laplace RR center scale.
Definition exponential_ (scale : R) : law RR R := @exponential RR scale.
Definition uniform_ : law RR R := @uniform RR.
Definition discrete_laplace_ (center : Z) (scale : R) : law RR int := @discrete_laplace RR (int_of_Z center) scale.
Definition geometric_ (scale : R) : law RR int := @geometric RR scale.
Definition drawZ_ (D : I -> V -> law RR int) (u : V -> Z -> V) : prog := draw_ D (fun v y => u v (Z_of_int y)).

(* ---- sampling rules; y is the arbitrary value number n, which occurs nowhere in Q ---- *)
Section Sampling.
Variables (n : nat) (Q : bassn).
Definition fresh_real := forall a x v v' k, Q (with_real a n x) v v' k = Q a v v' k.
Definition fresh_int := forall a x v v' k, Q (with_int a n x) v v' k = Q a v v' k.

Lemma j_laplace (center scale : I -> V -> R) (u : V -> R -> V) (by_ cost after : V -> V -> R -> R) :
  fresh_real -> (forall v v' k, after v v' k = k + cost v v' k) ->
  J 0 (draw_ (fun i v => laplace_ (center i v) (scale i v)) u)
    (fun a v v' k =>
      ((ltR 0 (scale i1 v) && eqR (scale i1 v) (scale i2 v')) &&
       leR (Rabs (by_ v v' k + center i1 v - center i2 v')) (cost v v' k * scale i1 v)) &&
      Q a (u v (real_ a n)) (u v' (real_ a n + by_ v v' k)) (after v v' k)) Q.
Proof.
move=> fresh charged.
have L := @lapgen RR S (fun s => center s.1 s.2) (fun s => scale s.1 s.2) (fun s y => (s.1, u s.2 y)) (at_ Q)
  (fun s s' k => by_ s.2 s'.2 k) (fun s s' k => cost s.2 s'.2 k).
apply: Rules.strengthen L => s s' k [e [e' H]]; split.
  have := H arb0 => /and_true[/and_true[/and_true[/ltRP b0 /eqRP bb] /leRP near] _].
  by split=> /=; rewrite e ?e'//; [exact/RltP|exact/RleP].
move=> y; split; [|split] => //= a; have := H (with_real a n y) => /and_true[_].
by rewrite with_real_at fresh charged.
Qed.

(* y >= t, or y > t if strict, by one amount; below t by a smaller one *)
Lemma j_select (strict : bool) (center scale : I -> V -> R) (u : V -> R -> V) (t by_ cost after by0 cost0 after0 : V -> V -> R -> R) :
  fresh_real -> (forall v v' k, after v v' k = k + cost v v' k) -> (forall v v' k, after0 v v' k = k + cost0 v v' k) ->
  J 0 (draw_ (fun i v => laplace_ (center i v) (scale i v)) u)
    (fun a v v' k =>
      let up := if strict then ltR (t v v' k) (real_ a n) else leR (t v v' k) (real_ a n) in
      ((((ltR 0 (scale i1 v) && eqR (scale i1 v) (scale i2 v')) &&
         leR (Rabs (by_ v v' k + center i1 v - center i2 v')) (cost v v' k * scale i1 v)) &&
        ((ltR 0 (scale i1 v) && eqR (scale i1 v) (scale i2 v')) &&
         leR (Rabs (by0 v v' k + center i1 v - center i2 v')) (cost0 v v' k * scale i1 v))) &&
       leR (by0 v v' k) (by_ v v' k)) &&
      ((~~ up || Q a (u v (real_ a n)) (u v' (real_ a n + by_ v v' k)) (after v v' k)) &&
       (up || Q a (u v (real_ a n)) (u v' (real_ a n + by0 v v' k)) (after0 v v' k)))) Q.
Proof.
move=> fresh charged charged0.
have L := @select RR S (fun s => center s.1 s.2) (fun s => scale s.1 s.2) (fun s y => (s.1, u s.2 y)) (at_ Q) strict
  (fun s s' k => t s.2 s'.2 k) (fun s s' k => by_ s.2 s'.2 k) (fun s s' k => by0 s.2 s'.2 k)
  (fun s s' k => cost s.2 s'.2 k) (fun s s' k => cost0 s.2 s'.2 k).
apply: Rules.strengthen L => s s' k [e [e' H]].
have := H arb0.
move=> /and_true[/and_true[/and_true[/and_true[/and_true[/ltRP b0 /eqRP bb] /leRP near] /and_true[_ /leRP near0]] /leRP mono] _]; split.
- by split=> /=; rewrite ?e ?e'//; [exact/RltP|exact/RleP].
- by split=> /=; rewrite ?e ?e'//; [exact/RltP|exact/RleP].
- exact/RleP.
have up y : (if strict then ltR (t s.2 s'.2 k) y else leR (t s.2 s'.2 k) y) = true <-> above_set strict (t s.2 s'.2 k) y.
  by rewrite /above_set; case: (strict); rewrite ?ltRP ?leRP; split=> h; [exact/RltP|exact/RltP|exact/RleP|exact/RleP].
move=> y; have Hy a := H (with_real a n y); split=> h; (split; [|split]) => //= a.
- have := Hy a => /and_true[_ /and_true[+ _]]; rewrite with_real_at fresh charged.
  by have -> := (up y).2 h.
- have := Hy a => /and_true[_ /and_true[_]]; rewrite with_real_at fresh charged0.
  by case E : (if strict then _ else _) => //; case: h; apply/(up y).
Qed.

Lemma j_discrete_laplace (center : I -> V -> Z) (scale : I -> V -> R) (u : V -> Z -> V) (by_ : V -> V -> R -> Z) (cost after : V -> V -> R -> R) :
  fresh_int -> (forall v v' k, after v v' k = k + cost v v' k) ->
  J 0 (drawZ_ (fun i v => discrete_laplace_ (center i v) (scale i v)) u)
    (fun a v v' k =>
      ((ltR 0 (scale i1 v) && eqR (scale i1 v) (scale i2 v')) &&
       leR (Rabs (IZR (by_ v v' k) + IZR (center i1 v) - IZR (center i2 v'))) (cost v v' k * scale i1 v)) &&
      Q a (u v (int_ a n)) (u v' (int_ a n + by_ v v' k)%Z) (after v v' k)) Q.
Proof.
move=> fresh charged.
have L := @dlapgen RR S (fun s => int_of_Z (center s.1 s.2)) (fun s => scale s.1 s.2) (fun s y => (s.1, u s.2 (Z_of_int y))) (at_ Q)
  (fun s s' k => int_of_Z (by_ s.2 s'.2 k)) (fun s s' k => cost s.2 s'.2 k).
apply: Rules.strengthen L => s s' k [e [e' H]]; split.
  have := H arb0 => /and_true[/and_true[/and_true[/ltRP b0 /eqRP bb] /leRP near] _].
  split=> /=; rewrite e ?e'//; first exact/RltP.
  by apply/RleP; rewrite intr_norm rmorphB rmorphD /= -!IZR_int.
move=> y; split; [|split] => //= a; have := H (with_int a n (Z_of_int y)) => /and_true[_].
by rewrite with_int_at fresh charged -{2}(int_of_ZK (by_ _ _ _)) -[in (_ + _)%Z](int_of_ZK (Z_of_int y)) -(int_of_ZK (_ + _)%Z) int_add !int_of_ZK Z_of_intK.
Qed.
End Sampling.

(* ---- privacy ---- *)
Theorem j_private (O : Type) (out : I -> V -> O) (eps delta : R) (c : prog) (goal : V -> V -> R -> bool) (m m' : S) :
  m.1 = i1 -> m'.1 = i2 ->
  (forall v v' k, goal v v' k = true -> out i1 v = out i2 v' /\ k <= eps) -> 0 <= delta ->
  (exists P, J 0 c P (fun _ v v' k => goal v v' k) /\ forall a v v' k, eqR k 0 = true -> P a v v' k = true) ->
  @dp RR S O (fun s => out s.1 s.2) c eps delta m m'.
Proof.
move=> e e' last d0 [P [Jc start]]; apply: (@any_delta RR S O _ 0%R); first exact/RleP.
apply: (@equal_outputs RR S O (fun s => out s.1 s.2) 0%R eps c (at_ P)).
  apply: Rules.weaken Jc => s s' k [-> [-> H]].
  by have [o l] := last _ _ _ (H arb0); split=> //; exact/RleP.
by split; [|split] => // a; apply: start; exact/eqRP.
Qed.
End Rules.

Lemma zero_start : eqR 0 0 = true. Proof. by apply/eqRP. Qed.
