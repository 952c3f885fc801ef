(* Sampling rules for exported certificates, third part: AXNULL of a coin (j_null_bool), and the selective shift of Laplace noise on the integers (j_selectZ).

   y is the arbitrary value number n, which occurs nowhere in Q. *)
From Probity Require Import PreludeReals Laws Sampling Continuous Certificate Draws.
From Probity Require Rules.
Open Scope R_scope.

Section Draws.
Variables (I V : Type) (i1 i2 : I) (n : nat) (Q : bassn V).
Notation S := (I * V)%type.
Definition fresh_bool := forall a x v v' k, Q (with_bool a n x) v v' k = Q a v v' k.

Theorem j_null_bool (D : I -> V -> law RR bool) (put : V -> bool -> V) (same : V -> V -> bool) : fresh_bool ->
  (forall v v', same v v' = true -> D i1 v = D i2 v') ->
  J i1 i2 0 (draw_ D put) (fun a v v' k => same v v' && Q a (put v (bool_ a n)) (put v' (bool_ a n)) k) Q.
Proof. by move=> fresh; apply: (null_rule (get := fun a => bool_ a n) (fun a y => with_bool_at a n y)). Qed.

(* y >= t, or y > t if strict, by one amount; below t by a smaller one *)
Theorem j_selectZ (strict : bool) (center : I -> V -> Z) (scale : I -> V -> R) (u : V -> Z -> V) (t : V -> V -> R -> R)
    (by_ : V -> V -> R -> Z) (cost after : V -> V -> R -> R) (by0 : V -> V -> R -> Z) (cost0 after0 : V -> V -> R -> R) :
  fresh_int n Q -> (forall v v' k, after v v' k = k + cost v v' k) -> (forall v v' k, after0 v v' k = k + cost0 v v' k) ->
  J i1 i2 0 (drawZ_ (fun i v => discrete_laplace_ (center i v) (scale i v)) u)
    (fun a v v' k =>
      let up := if strict then ltR (t v v' k) (IZR (int_ a n)) else leR (t v v' k) (IZR (int_ a n)) in
      ((((ltR 0 (scale i1 v) && eqR (scale i1 v) (scale i2 v')) &&
         leR (Rabs (IZR (by_ v v' k) + IZR (center i1 v) - IZR (center i2 v'))) (cost v v' k * scale i1 v)) &&
        ((ltR 0 (scale i1 v) && eqR (scale i1 v) (scale i2 v')) &&
         leR (Rabs (IZR (by0 v v' k) + IZR (center i1 v) - IZR (center i2 v'))) (cost0 v v' k * scale i1 v))) &&
       leR (IZR (by0 v v' k)) (IZR (by_ v v' k))) &&
      ((~~ up || Q a (u v (int_ a n)) (u v' (int_ a n + by_ v v' k)%Z) (after v v' k)) &&
       (up || Q a (u v (int_ a n)) (u v' (int_ a n + by0 v v' k)%Z) (after0 v v' k)))) Q.
Proof.
move=> fresh charged charged0.
have L := @dselect RR S (fun s => int_of_Z (center s.1 s.2)) (fun s => scale s.1 s.2) (fun s y => (s.1, u s.2 (Z_of_int y))) (at_ i1 i2 Q) strict
  (fun s s' k => t s.2 s'.2 k) (fun s s' k => int_of_Z (by_ s.2 s'.2 k)) (fun s s' k => int_of_Z (by0 s.2 s'.2 k))
  (fun s s' k => cost s.2 s'.2 k) (fun s s' k => cost0 s.2 s'.2 k).
apply: Rules.strengthen L => s s' k [e [e' H]].
have := H arb0.
move=> /and_true[/and_true[/and_true[/and_true[/and_true[/ltRP b0 /eqRP bb] /leRP near] /and_true[_ /leRP near0]] mono] _]; split.
- by split=> /=; rewrite ?e ?e'//; [exact/RltP|apply/RleP; rewrite intr_norm rmorphB rmorphD /= -!IZR_int].
- by split=> /=; rewrite ?e ?e'//; [exact/RltP|apply/RleP; rewrite intr_norm rmorphB rmorphD /= -!IZR_int].
- by rewrite le_int.
have up y : (if strict then ltR (t s.2 s'.2 k) (IZR (Z_of_int y)) else leR (t s.2 s'.2 k) (IZR (Z_of_int y))) = is_above strict (t s.2 s'.2 k) y.
  rewrite /is_above (_ : (y%:~R : RR)%R = IZR (Z_of_int y)); last by rewrite IZR_int Z_of_intK.
  by case: (strict); apply/idP/idP => h; [exact/RltP/ltRP|exact/ltRP/RltP|exact/RleP/leRP|exact/leRP/RleP].
have sum y (z : Z) : Z_of_int (y + int_of_Z z)%R = (Z_of_int y + z)%Z by rewrite -{1}(Z_of_intK y) -int_add int_of_ZK.
move=> y; have Hy a := H (with_int a n (Z_of_int y)); split=> h; (split; [|split]) => //= a; rewrite sum.
- by have := Hy a => /and_true[_ /and_true[+ _]]; rewrite with_int_at fresh charged up h.
- by have := Hy a => /and_true[_ /and_true[_]]; rewrite with_int_at fresh charged0 up (negPf h).
Qed.
End Draws.
