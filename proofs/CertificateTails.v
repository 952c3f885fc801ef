(* UP-TO-BAD for other parts of a law than the tails of a Laplace draw (UpTo.v), in the shape in which the kernel applies it, for exported certificates.

   Laplace noise on the integers up to its upper tail, with a bound of its mass (j_up_to_upper_tailZ, j_up_to_open_tailZ) or with the mass that it has (j_up_to_exact_tail), or up to both tails
   (j_up_to_exact_tails); noise on one side beyond the place where it begins, which may move down there (j_up_to_start, on the integers j_up_to_startZ); uniform noise where it
   stays in its range (j_up_to_uniform, j_up_to_uniformZ). *)
From Probity Require Import PreludeReals Laws Sampling Continuous TailsInt TailsExact TailsBoth TailsStart.
From Probity Require Rules.
From Probity Require Export UpTo.
Open Scope R_scope.

Lemma addZ (y : int) (z : Z) : (Z_of_int y + z)%Z = Z_of_int (y + int_of_Z z)%R.
Proof. by rewrite -[LHS]int_of_ZK int_add Z_of_intK. Qed.

Section Parts.
Variables (I V : Type) (i1 i2 : I) (n : nat) (Q : bassn V).
Notation S := (I * V)%type.
Notation J := (J i1 i2).
Notation at_ := (at_ i1 i2).

Section Integers.
Variables (center : I -> V -> Z) (b t d : R) (u : V -> Z -> V) (by_ : V -> V -> R -> Z) (cost after : V -> V -> R -> R).
Hypothesis fresh : fresh_int n Q.
Hypothesis charged : forall v v' k, after v v' k = k + cost v v' k.
Definition shiftedZ (near : arb -> V -> bool) : bassn V := fun a v v' k =>
  (((ltR 0 b && eqR b b) && leR (Rabs (IZR (by_ v v' k) + IZR (center i1 v) - IZR (center i2 v'))) (cost v v' k * b)) &&
   (~~ near a v || Q a (u v (int_ a n)) (u v' (int_ a n + by_ v v' k)%Z) (after v v' k))) && leR 0 t.

Lemma shift_starZ v v' k : 0 < b -> Rabs (IZR (by_ v v' k) + IZR (center i1 v) - IZR (center i2 v')) <= cost v v' k * b ->
  Rules.star (@discrete_laplace RR (int_of_Z (center i1 v)) b) (@discrete_laplace RR (int_of_Z (center i2 v')) b) (fun=> True)
    (fun y => (y + int_of_Z (by_ v v' k))%R) (fun=> cost v v' k).
Proof.
move=> /RltP b0 /RleP near; apply: star_mass => [a /(_ Logic.I)//|x y _ _ /addIr//|y _]; apply: dlap_shift => //.
by rewrite intr_norm rmorphB rmorphD /= -!IZR_int.
Qed.

Lemma up_toZ (near : arb -> V -> bool) (nearR : R -> bool) (amount : RR) :
  (forall a v, near a v = nearR (IZR (int_ a n) - IZR (center i1 v))) ->
  (forall (Phi : assn RR S), (0 <= t :> RR)%R -> (0 < b :> RR)%R ->
    (forall m m' k, Phi m m' k -> exists supp phi (c : int -> RR),
     Rules.star (@discrete_laplace RR (int_of_Z (center m.1 m.2)) b) (@discrete_laplace RR (int_of_Z (center m'.1 m'.2)) b) supp phi c /\
     forall y, supp y -> nearR ((y - int_of_Z (center m.1 m.2))%:~R : RR)%R ->
       at_ Q (m.1, u m.2 (Z_of_int y)) (m'.1, u m'.2 (Z_of_int (phi y))) (k + c y)%R) ->
    @judge RR S amount (Draw (fun s => @discrete_laplace RR (int_of_Z (center s.1 s.2)) b) (fun s y => (s.1, u s.2 (Z_of_int y)))) Phi (at_ Q)) ->
  J amount (drawZ_ (fun i v => discrete_laplace_ (center i v) b) u) (shiftedZ near) Q.
Proof.
move=> nearE rule.
have [t0|t0] := boolP (leR 0 t); last first.
  by move=> f F _ _ _ _ m m' k [_ [_ /(_ arb0)/and_true[_ h]]]; rewrite h in t0.
have [b0|b0] := boolP (ltR 0 b); last first.
  by move=> f F _ _ _ _ m m' k [_ [_ /(_ arb0)/and_true[/and_true[/and_true[/and_true[h _] _] _] _]]]; rewrite h in b0.
apply: rule; [by apply/RleP/leRP|by apply/RltP/ltRP|].
move=> [i v] [i' v'] k [/= -> [/= -> H]].
exists (fun=> True), (fun y => (y + int_of_Z (by_ v v' k))%R), (fun=> cost v v' k); split.
  by apply: shift_starZ; [exact/ltRP|have := H arb0 => /and_true[/and_true[/and_true[_ /leRP]]]].
move=> y _ ny; split; [|split] => //= a; have := H (with_int a n (Z_of_int y)) => /and_true[/and_true[_]].
have E : IZR (Z_of_int y) - IZR (center i1 v) = ((y - int_of_Z (center i1 v))%:~R : RR)%R by rewrite rmorphB /= !IZR_int Z_of_intK.
by rewrite nearE with_int_at E ny /= fresh charged addZ.
Qed.

(* ---- the masses, as the kernel writes them ---- *)
Lemma far_power : (0 < b :> RR)%R -> exp (- (t / b)) = (expR (- (t / b : RR)))%R.
Proof. by move=> b0; rewrite exp_expR; congr (expR _); rewrite -RdivE// gt_eqF. Qed.
Lemma step_power : (0 < b :> RR)%R -> exp (- (1 / b)) = (expR (- (b : RR)^-1))%R.
Proof. by move=> b0; rewrite exp_expR; congr (expR _); rewrite /Rdiv Rmult_1_l -RinvE// gt_eqF. Qed.
Lemma exact_amount (x : R) : (0 < b :> RR)%R ->
  x * exp (- (t / b)) / (1 + exp (- (1 / b))) = ((x : RR) * expR (- (t / b : RR)) / (1 + expR (- (b : RR)^-1)))%R.
Proof.
move=> b0; have e0 : (0 < 1 + expR (- (b : RR)^-1))%R by apply: addr_gt0; [exact: ltr01|exact: expR_gt0].
by rewrite far_power// step_power// -[RHS]RdivE// gt_eqF.
Qed.

Theorem j_up_to_exact_tail : d = 1 * exp (- (t / b)) / (1 + exp (- (1 / b))) ->
  J d (drawZ_ (fun i v => discrete_laplace_ (center i v) b) u)
    (fun a v v' k =>
      (((ltR 0 b && eqR b b) && leR (Rabs (IZR (by_ v v' k) + IZR (center i1 v) - IZR (center i2 v'))) (cost v v' k * b)) &&
       (~~ ltR (IZR (int_ a n) - IZR (center i1 v)) t || Q a (u v (int_ a n)) (u v' (int_ a n + by_ v v' k)%Z) (after v v' k))) && leR 0 t) Q.
Proof.
move=> dE; apply: (@up_toZ (fun a v => ltR (IZR (int_ a n) - IZR (center i1 v)) t) (fun x => ltR x t)) => // Phi t0 b0 H.
rewrite dE exact_amount// mul1r; apply: (@up_to_exact_tail_real RR S (fun s => int_of_Z (center s.1 s.2))) => // m m' k /H[supp [phi [c [st HP]]]].
by exists supp, phi, c; split=> // y sy /RltP ly; apply: HP => //; exact/ltRP.
Qed.
Lemma j_up_to_exact_tails : d = 2 * exp (- (t / b)) / (1 + exp (- (1 / b))) ->
  J d (drawZ_ (fun i v => discrete_laplace_ (center i v) b) u)
    (fun a v v' k =>
      (((ltR 0 b && eqR b b) && leR (Rabs (IZR (by_ v v' k) + IZR (center i1 v) - IZR (center i2 v'))) (cost v v' k * b)) &&
       (~~ ltR (Rabs (IZR (int_ a n) - IZR (center i1 v))) t || Q a (u v (int_ a n)) (u v' (int_ a n + by_ v v' k)%Z) (after v v' k))) && leR 0 t) Q.
Proof.
move=> dE; apply: (@up_toZ (fun a v => ltR (Rabs (IZR (int_ a n) - IZR (center i1 v))) t) (fun x => ltR (Rabs x) t)) => // Phi t0 b0 H.
rewrite dE exact_amount//; apply: (@up_to_exact_tails_int RR S (fun s => int_of_Z (center s.1 s.2))) => // m m' k /H[supp [phi [c [st HP]]]].
exists supp, phi, c; split=> // y sy; rewrite intr_norm => /RltP ly; apply: HP => //; exact/ltRP.
Qed.
Lemma j_up_to_upper_tailZ : d = exp (- (t / b)) / 1 ->
  J d (drawZ_ (fun i v => discrete_laplace_ (center i v) b) u)
    (fun a v v' k =>
      (((ltR 0 b && eqR b b) && leR (Rabs (IZR (by_ v v' k) + IZR (center i1 v) - IZR (center i2 v'))) (cost v v' k * b)) &&
       (~~ leR (IZR (int_ a n) - IZR (center i1 v)) t || Q a (u v (int_ a n)) (u v' (int_ a n + by_ v v' k)%Z) (after v v' k))) && leR 0 t) Q.
Proof.
move=> dE; apply: (@up_toZ (fun a v => leR (IZR (int_ a n) - IZR (center i1 v)) t) (fun x => leR x t)) => // Phi t0 b0 H.
rewrite dE {1}/Rdiv Rinv_1 Rmult_1_r far_power//.
by apply: (@up_to_upper_tail_int RR S (fun s => int_of_Z (center s.1 s.2))).
Qed.
Lemma j_up_to_open_tailZ : d = exp (- (t / b)) / 1 ->
  J d (drawZ_ (fun i v => discrete_laplace_ (center i v) b) u)
    (fun a v v' k =>
      (((ltR 0 b && eqR b b) && leR (Rabs (IZR (by_ v v' k) + IZR (center i1 v) - IZR (center i2 v'))) (cost v v' k * b)) &&
       (~~ ltR (IZR (int_ a n) - IZR (center i1 v)) t || Q a (u v (int_ a n)) (u v' (int_ a n + by_ v v' k)%Z) (after v v' k))) && leR 0 t) Q.
Proof.
move=> dE; apply: (@up_toZ (fun a v => ltR (IZR (int_ a n) - IZR (center i1 v)) t) (fun x => ltR x t)) => // Phi t0 b0 H.
rewrite dE {1}/Rdiv Rinv_1 Rmult_1_r far_power//.
apply: (@up_to_open_tail_int RR S (fun s => int_of_Z (center s.1 s.2))) => // m m' k /H[supp [phi [c [st HP]]]].
by exists supp, phi, c; split=> // y sy /RltP ly; apply: HP => //; exact/ltRP.
Qed.
End Integers.

(* ---- where noise on one side begins ---- *)
Lemma start_amount (b x : R) : (0 < b :> RR)%R -> Rmax 0 (1 - exp (- (x / b))) = (Num.max 0 (1 - expR (- (x / b : RR))) : RR)%R.
Proof. by move=> b0; rewrite RmaxE far_power. Qed.
Lemma j_up_to_start (b t d : R) (u : V -> R -> V) (by_ cost after : V -> V -> R -> R) :
  fresh_real n Q -> (forall v v' k, after v v' k = k + cost v v' k) -> d = Rmax 0 (1 - exp (- (t / b))) ->
  J d (draw_ (fun _ _ => exponential_ b) u)
    (fun a v v' k =>
      (((ltR 0 b && eqR b b) && leR 0 t) && (leR (- t) (by_ v v' k) && leR (by_ v v' k) (cost v v' k * b))) &&
      (~~ leR 0 (real_ a n) || (~~ leR t (real_ a n) || Q a (u v (real_ a n)) (u v' (real_ a n + by_ v v' k)) (after v v' k)))) Q.
Proof.
move=> fresh charged dE; have [b0|b0] := boolP (ltR 0 b); last first.
  by move=> f F _ _ _ _ m m' k [_ [_ /(_ arb0)/and_true[/and_true[/and_true[/and_true[]]]]]].
have /RltP b1 := proj1 (ltRP _ _) b0; rewrite dE start_amount//.
have L := @up_to_start_exponential RR S (fun s y => (s.1, u s.2 y)) (at_ Q) b t (fun s s' k => by_ s.2 s'.2 k) (fun s s' k => cost s.2 s'.2 k).
apply: Rules.strengthen L => s s' k [e [e' H]].
have := H arb0 => /and_true[/and_true[/and_true[_ /leRP t0] /and_true[/leRP tk /leRP kc]] _].
split; [by []|exact/RleP|exact/RleP|exact/RleP|].
move=> y /RleP y0 /RleP ty; split; [|split] => //= a; have := H (with_real a n y) => /and_true[_].
by rewrite with_real_at fresh charged (proj2 (leRP _ _) y0) (proj2 (leRP _ _) ty).
Qed.
Lemma j_up_to_startZ (b : R) (t : Z) (d : R) (u : V -> Z -> V) (by_ : V -> V -> R -> Z) (cost after : V -> V -> R -> R) :
  fresh_int n Q -> (forall v v' k, after v v' k = k + cost v v' k) -> d = Rmax 0 (1 - exp (- (IZR t / b))) ->
  J d (drawZ_ (fun _ _ => geometric_ b) u)
    (fun a v v' k =>
      (((ltR 0 b && eqR b b) && leR 0 (IZR t)) && (leR (- IZR t) (IZR (by_ v v' k)) && leR (IZR (by_ v v' k)) (cost v v' k * b))) &&
      (~~ leR 0 (IZR (int_ a n)) || (~~ leR (IZR t) (IZR (int_ a n)) || Q a (u v (int_ a n)) (u v' (int_ a n + by_ v v' k)%Z) (after v v' k)))) Q.
Proof.
move=> fresh charged dE; have [b0|b0] := boolP (ltR 0 b); last first.
  by move=> f F _ _ _ _ m m' k [_ [_ /(_ arb0)/and_true[/and_true[/and_true[/and_true[]]]]]].
have /RltP b1 := proj1 (ltRP _ _) b0; have {}dE : d = (Num.max 0 (1 - expR (- ((int_of_Z t)%:~R / b : RR))) : RR)%R by rewrite dE start_amount// IZR_int.
rewrite dE.
have L := @up_to_start_geometric RR S (fun s y => (s.1, u s.2 (Z_of_int y))) (at_ Q) b (int_of_Z t) (fun s s' k => int_of_Z (by_ s.2 s'.2 k))
  (fun s s' k => cost s.2 s'.2 k).
apply: Rules.strengthen L => s s' k [e [e' H]].
have := H arb0 => /and_true[/and_true[/and_true[_ t0] /and_true[/leRP tk /leRP kc]] _].
split; [by []| | | |].
- by move: t0; rewrite -[0]/(IZR 0) -le_int.
- by rewrite -(@ler_int RR) rmorphN /= -!IZR_int; exact/RleP.
- by rewrite -IZR_int; exact/RleP.
move=> y y0 ty; split; [|split] => //= a; have := H (with_int a n (Z_of_int y)) => /and_true[_].
have -> : leR 0 (IZR (int_ (with_int a n (Z_of_int y)) n)) = true by rewrite with_int_at -[0]/(IZR 0) -le_int Z_of_intK.
have -> : leR (IZR t) (IZR (int_ (with_int a n (Z_of_int y)) n)) = true by rewrite with_int_at -le_int Z_of_intK.
by rewrite with_int_at /= fresh charged addZ.
Qed.

(* ---- uniform noise, where it stays in its range ---- *)
Lemma j_up_to_uniform (share d : R) (u : V -> R -> V) (by_ cost after : V -> V -> R -> R) :
  fresh_real n Q -> (forall v v' k, after v v' k = k + cost v v' k) -> d = Rmax 0 share ->
  J d (draw_ (fun _ _ => uniform_) u)
    (fun a v v' k => ((true && leR (Rabs (by_ v v' k)) (share * 1)) && leR 0 (cost v v' k)) &&
      (~~ (ltR 0 (real_ a n) && leR (real_ a n) 1) || (~~ (ltR 0 (real_ a n + by_ v v' k) && leR (real_ a n + by_ v v' k) 1) ||
         Q a (u v (real_ a n)) (u v' (real_ a n + by_ v v' k)) (after v v' k)))) Q.
Proof.
move=> fresh charged ->; rewrite RmaxE.
have L := @up_to_moved_uniform RR S (fun s y => (s.1, u s.2 y)) (at_ Q) share (fun s s' k => by_ s.2 s'.2 k) (fun s s' k => cost s.2 s'.2 k).
apply: Rules.strengthen L => s s' k [e [e' H]].
have := H arb0 => /and_true[/and_true[/and_true[_ /leRP near] /leRP c0] _]; rewrite Rmult_1_r in near.
split; [exact/RleP|exact/RleP|].
move=> y /andP[/RltP y0 /RleP y1] /andP[/RltP z0 /RleP z1]; split; [|split] => //= a; have := H (with_real a n y) => /and_true[_].
by rewrite with_real_at fresh charged (proj2 (ltRP _ _) y0) (proj2 (leRP _ _) y1) (proj2 (ltRP _ _) z0) (proj2 (leRP _ _) z1).
Qed.
Lemma j_up_to_uniformZ (low high : I -> V -> Z) (share d : R) (u : V -> Z -> V) (by_ : V -> V -> R -> Z) (cost after : V -> V -> R -> R) :
  fresh_int n Q -> (forall v v' k, after v v' k = k + cost v v' k) -> d = Rmax 0 share ->
  J d (drawZ_ (fun i v => uniform_int_ (low i v) (high i v)) u)
    (fun a v v' k =>
      (((leR (IZR (low i1 v)) (IZR (high i1 v)) && eqR (IZR (high i1 v) - IZR (low i1 v)) (IZR (high i2 v') - IZR (low i2 v'))) &&
        leR (Rabs (IZR (by_ v v' k) + IZR (low i1 v) - IZR (low i2 v'))) (share * (IZR (high i1 v) - IZR (low i1 v) + 1))) && leR 0 (cost v v' k)) &&
      (~~ (leR (IZR (low i1 v)) (IZR (int_ a n)) && leR (IZR (int_ a n)) (IZR (high i1 v))) ||
       (~~ (leR (IZR (low i2 v')) (IZR (int_ a n + by_ v v' k)) && leR (IZR (int_ a n + by_ v v' k)) (IZR (high i2 v'))) ||
        Q a (u v (int_ a n)) (u v' (int_ a n + by_ v v' k)%Z) (after v v' k)))) Q.
Proof.
move=> fresh charged ->; rewrite RmaxE.
have L := @up_to_moved_uniform_int RR S (fun s => int_of_Z (low s.1 s.2)) (fun s => int_of_Z (high s.1 s.2)) (fun s y => (s.1, u s.2 (Z_of_int y))) (at_ Q) share
  (fun s s' k => int_of_Z (by_ s.2 s'.2 k)) (fun s s' k => cost s.2 s'.2 k).
apply: Rules.strengthen L => -[i v] [i' v'] k [/= -> [/= -> H]].
have := H arb0 => /and_true[/and_true[/and_true[/and_true[some /eqRP width] /leRP near] /leRP c0] _].
split=> /=; [by rewrite le_int| | |exact/RleP|].
- by apply: (@intr_inj RR); rewrite !rmorphB /= -!IZR_int.
- by apply/RleP; rewrite intr_norm rmorphB !rmorphD rmorphN /= -!IZR_int.
move=> y; rewrite -(Z_of_intK y) -int_add !le_int Z_of_intK => /andP[y0 y1] /andP[z0 z1].
split; [|split] => //= a; have := H (with_int a n (Z_of_int y)) => /and_true[_].
by rewrite with_int_at fresh charged y0 y1 z0 z1 /= addZ Z_of_intK.
Qed.
End Parts.

(* noise has mass 1 where its scale is positive *)
Lemma discrete_laplace_total (center : Z) (scale : R) : 0 < scale -> (discrete_laplace_ center scale (fun=> 1) = 1)%E.
Proof. by move=> /RltP; exact: total_discrete_laplace. Qed.
Lemma geometric_total (scale : R) : 0 < scale -> (geometric_ scale (fun=> 1) = 1)%E.
Proof. by move=> /RltP; exact: total_geometric. Qed.
Lemma exponential_total (scale : R) : 0 < scale -> (exponential_ scale (fun=> 1) = 1)%E.
Proof. by move=> /RltP; exact: total_exponential. Qed.
