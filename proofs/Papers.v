(* The papers' own theorems on discrete mechanisms, in their sound form, end to end.

   003 (OpenDP, discrete Laplace): discrete_laplace_map, Theorem 1.1; discrete_laplace_vector for vectors in L1;
   discrete_laplace_modular for the modular mechanism.  004 (OpenDP, randomized response): samplers (Lemma 2.1 is
   response_law of Equivalence.v and mass_response of Finite.v), lie_below_truth (Lemma 2.2), randomized_response (Theorem 1.1), randomized_response_any (with inputs that are no category, case 3). *)
From Probity Require Import Prelude Judgement Laws Sampling Finite Privacy.
From Probity Require Rules.
Local Open Scope ring_scope.
Local Open Scope ereal_scope.

Section DiscreteLaplace.
Variable R : realType.

(* a vector of n integers, noise of scale b on each entry; the releases are appended to a list *)
Definition vstate := ((int -> int) * seq int)%type.
Definition vector (n : nat) (b : R) : stmt R vstate :=
  For 0 n (fun i => Draw (fun s : vstate => discrete_laplace (s.1 i) b) (fun s y => (s.1, rcons s.2 y))).

Lemma absz_succ (i : int) : (0 <= i)%R -> `|(i + 1)%R|%N = `|i|%N.+1.
Proof. by case: i => // m _; rewrite -PoszD addn1. Qed.

Theorem discrete_laplace_vector (n : nat) (b din : R) (x x' : int -> int) : (0 < b)%R ->
  (\sum_(0 <= i < n) `|x i%:Z - x' i%:Z|%:~R <= din)%R ->
  dp (fun s : vstate => s.2) (vector n b) (din / b) 0 (x, [::]) (x', [::]).
Proof.
move=> b0 Hd.
pose part (i : int) : R := (\sum_(0 <= j < `|i|%N) `|x j%:Z - x' j%:Z|%:~R / b)%R.
pose I (i : int) (s s' : vstate) (k : R) := [/\ s.1 = x, s'.1 = x', s.2 = s'.2, (0 <= i)%R & (k <= part i)%R].
have J : judge 0 (vector n b) (I 0%R) (I n).
  rewrite -(mulr0 ((n%:Z - 0)%:~R : R)).
  apply: (@Rules.for_loop _ _ _ _ _ _ (fun i s s' k => I i s s' k)) => // i.
  pose k0 (_ _ : vstate) (_ : R) : int := 0%R.
  pose c0 (_ _ : vstate) (_ : R) : R := (`|x i - x' i|%:~R / b)%R.
  have D := @dlapgen R vstate (fun s => s.1 i) (fun=> b) (fun s y => (s.1, rcons s.2 y)) (I (i + 1)%R) k0 c0.
  apply: Rules.strengthen D => s s' k [sx sx' e i0 kp]; split.
    by split=> //; rewrite /k0 /c0 add0r sx sx' divfK// gt_eqF.
  move=> y; split=> //=; rewrite ?e ?addr0// ?addr_ge0//.
  rewrite /part absz_succ//.
  by rewrite big_nat_recr//= ler_add// /c0 gez0_abs.
apply: (@equal_outputs _ _ _ (fun s : vstate => s.2) 0%R (din / b)%R (vector n b) (I 0%R)).
  apply: Rules.weaken J => s s' k [_ _ e _ kp]; split=> //; apply: (le_trans kp).
  rewrite /part absz_nat -mulr_suml; apply: ler_wpmul2r => //; by rewrite invr_ge0 ltW.
by split=> //; rewrite /part big_geq.
Qed.

(* one number: the loss is the distance of the inputs over the scale *)
Theorem discrete_laplace_map (b din : R) (x x' : int) : (0 < b)%R -> (`|x - x'|%:~R <= din)%R ->
  dp (fun s : int * int => s.2) (Draw (fun s : int * int => discrete_laplace s.1 b) (fun s y => (s.1, y)))
    (din / b) 0 (x, 0%R) (x', 0%R).
Proof.
move=> b0 Hd; pose k0 (_ _ : int * int) (_ : R) : int := 0%R.
pose c0 (_ _ : int * int) (_ : R) : R := (din / b)%R.
have D := @dlapgen R (int * int)%type (fun s => s.1) (fun=> b) (fun s y => (s.1, y)) (fun s s' k => s.2 = s'.2 /\ (k <= din / b)%R) k0 c0.
apply: equal_outputs D _ _ _; split; last by move=> y; rewrite /= addr0 add0r.
by split=> //=; rewrite add0r /c0 divfK// gt_eqF.
Qed.

(* what is computed from a private release is private: here, the release modulo n *)
Theorem post_processing (S O O' : Type) (out : S -> O) (g : O -> O') (c : stmt R S) eps d m m' :
  dp out c eps d m m' -> dp (fun s => g (out s)) c eps d m m'.
Proof. by move=> H E; exact: (H (fun o => E (g o))). Qed.
Theorem discrete_laplace_modular (n : int) (b din : R) (x x' : int) : (0 < b)%R -> (`|x - x'|%:~R <= din)%R ->
  dp (fun s : int * int => (s.2 %% n)%Z)
    (Draw (fun s : int * int => discrete_laplace s.1 b) (fun s y => (s.1, y))) (din / b) 0 (x, 0%R) (x', 0%R).
Proof.
move=> b0 Hd; exact: (@post_processing (int * int)%type int int (fun s => s.2) (fun y => (y %% n)%Z) _ _ _ _ _ (discrete_laplace_map b0 Hd)).
Qed.
End DiscreteLaplace.

Section Response.
Variables (R : realType) (count : int) (p : R).
Hypothesis count2 : (2 <= count)%R.
Hypothesis p_range : (count%:~R^-1 <= p < 1)%R.

Lemma c1 : (0 < (count - 1)%:~R :> R)%R.
Proof. by rewrite ltr0z subr_gt0; apply: lt_le_trans count2. Qed.
Lemma c0 : (0 < count%:~R :> R)%R.
Proof. by rewrite ltr0z; apply: lt_le_trans count2. Qed.
Lemma p_prob : (0 <= p <= 1)%R.
Proof. by move/andP: p_range => [a b]; rewrite (ltW b) andbT (le_trans _ a)// invr_ge0 ltW// c0. Qed.

(* Lemma 2.2 *)
Theorem lie_below_truth : ((1 - p) / (count - 1)%:~R <= count%:~R^-1 <= p)%R.
Proof.
move/andP: p_range => [pl _]; rewrite pl andbT ler_pdivr_mulr ?c1// rmorphB mulrBr mulVf ?gt_eqF ?c0//.
by rewrite ler_subl_addl addrCA -ler_subl_addl subrr subr_ge0 mulr1.
Qed.

(* Theorem 1.1: e^eps = p (t - 1)/(1 - p) *)
Definition rr : stmt R (int * int) := Draw (fun s => response s.1 p count) (fun s y => (s.1, y)).
Theorem randomized_response (v v' : int) : (0 <= v < count)%R -> (0 <= v' < count)%R ->
  dp (fun s => s.2) rr (ln (p * (count - 1)%:~R / (1 - p))) 0 (v, 0%R) (v', 0%R).
Proof.
move=> vr vr'; set a := (p * (count - 1)%:~R)%R; set b := (1 - p)%R.
have b0 : (0 < b)%R by rewrite subr_gt0; case/andP: p_range.
have p0 : (0 < p)%R by move/andP: p_range => [pl _]; apply: lt_le_trans pl; rewrite invr_gt0 c0.
have a0 : (0 < a)%R by rewrite mulr_gt0// c1.
pose agree (s t : int * int) := s.1 = t.1.
have J := @same_value R (int * int)%type [choiceType of int] (fun s => s.2) agree rr (fun _ _ _ => a) (fun _ _ _ => b)
  (fun s s' k => s.2 = s'.2 /\ (k <= ln (a / b))%R) _ _.
apply: equal_outputs (J _ _) _ _ _; first exact: finite_draw.
  by apply: Rules.local_draw.
split=> // [y|y _ t t' _ _ <- <-]; last by rewrite add0r.
have massE w : (0 <= w < count)%R -> mass (fun s : int * int => s.2) rr (w, 0%R) y = response w p count (one_at R y) by [].
have cr w : (0 <= w < count)%R -> category_range count w by move=> wr; rewrite /category_range count2.
rewrite !massE// !mass_response ?cr ?p_prob//.
have [ly yl] := andP lie_below_truth; have lp := le_trans ly yl.
have l0 : (0 <= (1 - p) / (count - 1)%:~R)%R by rewrite divr_ge0 ?ltW ?c1.
have main (q q' : R) : (q <= p)%R -> ((1 - p) / (count - 1)%:~R <= q')%R -> q%:E * b%:E <= a%:E * q'%:E.
  move=> qp lq; rewrite -!EFinM lee_fin; apply: (@le_trans _ _ (p * b)%R); first by rewrite ler_wpmul2r// ltW.
  by rewrite /a -mulrA ler_wpmul2l ?(ltW p0)//; move: lq; rewrite ler_pdivr_mulr ?c1// mulrC.
have z0 : 0 * b%:E <= a%:E * p%:E by rewrite mul0e -EFinM lee_fin mulr_ge0// ltW.
have [yv|yv] := eqVneq y v; have [yv'|yv'] := eqVneq y v'.
- exact: main.
- by rewrite yv vr; exact: main.
- by case: ifP => _; [exact: main|exact: z0].
- by case: ifP => _; [exact: main|rewrite mul0e mule0].
Qed.

(* ... and for inputs that are no category, which are answered by a category drawn uniformly (case 3) *)
Definition rr_any : stmt R (int * int) :=
  If (fun s => (0 <= s.1 < count)%R) rr (Draw (fun=> uniform_int R 0 (count - 1)) (fun s y => (s.1, y))).
Theorem randomized_response_any (v v' : int) : dp (fun s => s.2) rr_any (ln (p * (count - 1)%:~R / (1 - p))) 0 (v, 0%R) (v', 0%R).
Proof.
set a := (p * (count - 1)%:~R)%R; set b := (1 - p)%R.
have b0 : (0 < b)%R by rewrite subr_gt0; case/andP: p_range.
have p0 : (0 < p)%R by move/andP: p_range => [pl _]; apply: lt_le_trans pl; rewrite invr_gt0 c0.
have a0 : (0 < a)%R by rewrite mulr_gt0// c1.
pose agree (s t : int * int) := s.1 = t.1.
have J := @same_value R (int * int)%type [choiceType of int] (fun s => s.2) agree rr_any (fun _ _ _ => a) (fun _ _ _ => b)
  (fun s s' k => s.2 = s'.2 /\ (k <= ln (a / b))%R) _ _.
apply: equal_outputs (J _ _) _ _ _; first by apply: finite_if; exact: finite_draw.
  by apply: Rules.local_if; exact: Rules.local_draw.
split=> // [y|y _ t t' _ _ <- <-]; last by rewrite add0r.
have [ly yl] := andP lie_below_truth; have lp := le_trans ly yl.
have l0 : (0 <= (1 - p) / (count - 1)%:~R)%R by rewrite divr_ge0 ?ltW ?c1.
have c1' : (0 <= count - 1)%R by rewrite subr_ge0 (le_trans _ count2).
have massE w : exists2 r : R, mass (fun s : int * int => s.2) rr_any (w, 0%R) y = r%:E &
    if (0 <= y < count)%R then is_true ((1 - p) / (count - 1)%:~R <= r <= p)%R else r = 0%R.
  have [wr|wr] := boolP (0 <= w < count)%R.
    have cr : category_range count w by rewrite /category_range count2.
    exists (if y == w then p else if (0 <= y < count)%R then (1 - p) / (count - 1)%:~R else 0)%R.
      rewrite /rr_any mass_choice /= wr -[LHS]/(response w p count (one_at R y)) mass_response ?p_prob//.
      by case: ifP => // _; case: ifP.
    have [->|yw] := eqVneq y w; first by rewrite wr lp lexx.
    by rewrite ?(negPf yw) /=; case: ifP => yc; rewrite yc ?lexx ?lp.
  exists (if (0 <= y < count)%R then (count%:~R)^-1 else 0)%R.
    rewrite /rr_any mass_choice /= (negPf wr) -[LHS]/(uniform_int R 0 (count - 1) (one_at R y)) mass_uniform_int//.
    by rewrite subr0 subrK -[(y <= count - 1)%R]ltz_addr1 subrK; case: ifP.
  by case: ifP => yc; rewrite ?yc ?ly ?yl.
have [r -> Hr] := massE v; have [r' -> Hr'] := massE v'; rewrite -!EFinM lee_fin.
move: Hr Hr'; case: ifP => _; last by move=> -> ->; rewrite mul0r mulr0.
move=> /andP[_ rp] /andP[lr _]; apply: (@le_trans _ _ (p * b)%R); first by rewrite ler_wpmul2r// ltW.
by rewrite /a -mulrA ler_wpmul2l ?(ltW p0)//; move: lr; rewrite ler_pdivr_mulr ?c1// mulrC.
Qed.
End Response.
