(* More sampling rules for exported certificates: AXNULL (j_null, j_nullZ), EXPGEN (j_exponential), GEOGEN (j_geometric).

   y is the arbitrary value number n, which occurs nowhere in Q.  In AXNULL, same is the kernel's condition: the parameters are equal and in range. *)
From Probity Require Import PreludeReals Laws Sampling Continuous Certificate.
From Probity Require Rules.
Open Scope R_scope.

Section Draws.
Variables (I V : Type) (i1 i2 : I) (n : nat) (Q : bassn V).
Notation S := (I * V)%type.

(* ---- AXNULL, for laws without a condition on their values ---- *)
Lemma null_rule A (D : I -> V -> law RR A) (put : V -> A -> V) (same : V -> V -> bool) (get : arb -> A) (with_y : arb -> A -> arb) :
  (forall a y, get (with_y a y) = y) -> (forall a y v v' k, Q (with_y a y) v v' k = Q a v v' k) ->
  (forall v v', same v v' = true -> D i1 v = D i2 v') ->
  J i1 i2 0 (draw_ D put) (fun a v v' k => same v v' && Q a (put v (get a)) (put v' (get a)) k) Q.
Proof.
move=> at_y fresh laws.
have L := @null RR S (law RR A) A id (fun _ _ => True) (fun s => D s.1 s.2) (fun s y => (s.1, put s.2 y)) (at_ i1 i2 Q) (fun p => @full_any RR A p).
apply: Rules.strengthen L => s s' k [e [e' H]]; split.
  by have := H arb0 => /and_true[/laws h _] /=; rewrite e e'.
move=> y _; split; [|split] => //= a; have := H (with_y a y) => /and_true[_].
by rewrite at_y fresh.
Qed.
Lemma j_null (D : I -> V -> law RR R) (put : V -> R -> V) (same : V -> V -> bool) : fresh_real n Q ->
  (forall v v', same v v' = true -> D i1 v = D i2 v') ->
  J i1 i2 0 (draw_ D put) (fun a v v' k => same v v' && Q a (put v (real_ a n)) (put v' (real_ a n)) k) Q.
Proof. by move=> fresh; apply: (null_rule (get := fun a => real_ a n) (fun a y => with_real_at a n y)). Qed.
Lemma j_nullZ (D : I -> V -> law RR int) (put : V -> Z -> V) (same : V -> V -> bool) : fresh_int n Q ->
  (forall v v', same v v' = true -> D i1 v = D i2 v') ->
  J i1 i2 0 (drawZ_ D put) (fun a v v' k => same v v' && Q a (put v (int_ a n)) (put v' (int_ a n)) k) Q.
Proof.
move=> fresh laws; rewrite /drawZ_.
have L := @null_rule int D (fun v y => put v (Z_of_int y)) same (fun a => int_of_Z (int_ a n)) (fun a y => with_int a n (Z_of_int y)).
have at_y a y : int_of_Z (int_ (with_int a n (Z_of_int y)) n) = y by rewrite with_int_at Z_of_intK.
have K := L at_y (fun a y => fresh a (Z_of_int y)) laws.
apply: Rules.strengthen K => s s' k [e [e' HP]]; split; [|split] => // a; rewrite int_of_ZK; exact: HP.
Qed.

(* ---- EXPGEN ---- *)
Lemma j_exponential (scale : I -> V -> R) (u : V -> R -> V) (by_ cost after : V -> V -> R -> R) :
  fresh_real n Q -> (forall v v' k, after v v' k = k + cost v v' k) ->
  J i1 i2 0 (draw_ (fun i v => exponential_ (scale i v)) u)
    (fun a v v' k =>
      ((ltR 0 (scale i1 v) && eqR (scale i1 v) (scale i2 v')) && (leR 0 (by_ v v' k) && leR (by_ v v' k) (cost v v' k * scale i1 v))) &&
      (~~ leR 0 (real_ a n) || Q a (u v (real_ a n)) (u v' (real_ a n + by_ v v' k)) (after v v' k))) Q.
Proof.
move=> fresh charged.
have L := @expgen RR S (fun s => scale s.1 s.2) (fun s y => (s.1, u s.2 y)) (at_ i1 i2 Q)
  (fun s s' k => by_ s.2 s'.2 k) (fun s s' k => cost s.2 s'.2 k).
apply: Rules.strengthen L => s s' k [e [e' H]].
have := H arb0 => /and_true[/and_true[/and_true[/ltRP b0 /eqRP bb] /and_true[/leRP k0 /leRP kc]] _].
split=> /=; rewrite ?e ?e'//; [exact/RltP|exact/RleP|exact/RleP|].
move=> y /RleP y0; split; [|split] => //= a; have := H (with_real a n y) => /and_true[_].
by rewrite with_real_at fresh charged (proj2 (leRP _ _) y0).
Qed.
(* ---- GEOGEN ---- *)
Lemma j_geometric (scale : I -> V -> R) (u : V -> Z -> V) (by_ : V -> V -> R -> Z) (cost after : V -> V -> R -> R) :
  fresh_int n Q -> (forall v v' k, after v v' k = k + cost v v' k) ->
  J i1 i2 0 (drawZ_ (fun i v => geometric_ (scale i v)) u)
    (fun a v v' k =>
      ((ltR 0 (scale i1 v) && eqR (scale i1 v) (scale i2 v')) &&
       (leR 0 (IZR (by_ v v' k)) && leR (IZR (by_ v v' k)) (cost v v' k * scale i1 v))) &&
      (~~ leR 0 (IZR (int_ a n)) || Q a (u v (int_ a n)) (u v' (int_ a n + by_ v v' k)%Z) (after v v' k))) Q.
Proof.
move=> fresh charged.
have L := @geogen RR S (fun s => scale s.1 s.2) (fun s y => (s.1, u s.2 (Z_of_int y))) (at_ i1 i2 Q)
  (fun s s' k => int_of_Z (by_ s.2 s'.2 k)) (fun s s' k => cost s.2 s'.2 k).
apply: Rules.strengthen L => s s' k [e [e' H]].
have := H arb0 => /and_true[/and_true[/and_true[/ltRP b0 /eqRP bb] /and_true[k0 /leRP kc]] _].
split=> /=; rewrite ?e ?e'//; [exact/RltP| | |].
- by move: k0; rewrite -[0]/(IZR 0) -le_int.
- by rewrite -IZR_int; exact/RleP.
move=> y y0; split; [|split] => //= a; have := H (with_int a n (Z_of_int y)) => /and_true[_].
rewrite with_int_at fresh charged (_ : leR 0 (IZR (Z_of_int y)) = true) /=; last by rewrite -[0]/(IZR 0) -le_int Z_of_intK.
by rewrite -{2}(int_of_ZK (by_ _ _ _)) -[in (_ + _)%Z](int_of_ZK (Z_of_int y)) -(int_of_ZK (_ + _)%Z) int_add !int_of_ZK Z_of_intK.
Qed.
End Draws.
Ltac same_laws := intros ? ? h; repeat match goal with
  | h : _ && _ = true |- _ => apply and_true in h; destruct h
  | h : eqR (IZR _) (IZR _) = true |- _ => apply eqRP in h; apply eq_IZR in h
  | h : eqR _ _ = true |- _ => apply eqRP in h
  end; cbv beta in *; congruence.
