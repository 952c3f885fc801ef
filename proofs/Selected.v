(* The selective shift (trusted/kernel/src/rules/sampling.rs, select) of laws that move one way only: exponential noise (select_exponential), Gumbel noise (select_gumbel) and geometric noise
   (select_geometric).  Laplace noise is in Continuous.v and Sampling.v.

   Any law with a density has it (density_select): above the threshold y moves by ka and below it by kb <= ka, so the two images do not meet, and each point pays for its own move. *)
From Probity Require Import PreludeIntegral Judgement Laws Sampling Density Continuous Gumbel.
From Probity Require Rules.
Local Open Scope classical_set_scope.
Local Open Scope ring_scope.
Local Open Scope ereal_scope.

Section Density.
Variable R : realType.
Notation T := (measurableTypeR R).
Notation star := Rules.star.
Let leb : {measure set T -> \bar R} := [the measure _ _ of @lebesgue_measure R].

Lemma density_select (p p' : T -> R) p0 mp p1 p0' mp' p1' (supp : T -> Prop) strict (t ka kb ca cb : R) : (kb <= ka)%R ->
  (forall y, ~ supp y -> p y = 0%R) -> (forall y, supp y -> p y * expR (- ca) <= p' (y + ka))%R -> (forall y, supp y -> p y * expR (- cb) <= p' (y + kb))%R ->
  let up y := `[< above_set strict t y >] in
  star (@dlaw _ T R leb p p0 mp p1) (@dlaw _ T R leb p' p0' mp' p1') supp
    (fun y => if up y then y + ka else y + kb)%R (fun y => if up y then ca else cb).
Proof.
move=> kk out Ha Hb up f F f0 F0 HfF; rewrite /= /dev.
pose A := above_set strict t; have mA : measurable A := mabove strict t.
pose A' := above_set strict (t + ka)%R; have mA' : measurable A' := mabove strict (t + ka)%R.
pose g y := (p y)%:E * f y; pose G y := (p' y)%:E * F y.
have g0 y : 0 <= g y by rewrite mule_ge0// lee_fin.
have G0 y : 0 <= G y by rewrite mule_ge0// lee_fin.
have step k c y : (supp y -> p y * expR (- c) <= p' (y + k))%R -> (supp y -> f y <= (expR (- c))%:E * F (y + k)%R) -> g y <= G (y + k)%R.
  have [sy|ny] := pselect (supp y); last by rewrite {1}/g out// mul0e.
  move=> /(_ sy) Hk /(_ sy) Hf; rewrite /g /G; apply: (@le_trans _ _ ((p y)%:E * ((expR (- c))%:E * F (y + k)%R))).
    by apply: lee_wpmul2l => //; rewrite lee_fin.
  by rewrite muleA -EFinM; apply: lee_wpmul2r => //; rewrite lee_fin.
apply: (le_trans (low_cut_le mA g0)); apply: le_trans (low_cut_ge mA' G0); apply: lee_add.
  rewrite -(@low_shift R ka _ (cutg_ge0 _ G0)); apply: low_le => y; first exact: cutg_ge0.
  rewrite /cutg; case: asboolP => Ay; last by case: ifP.
  rewrite asboolT; last by move: Ay; rewrite /A /A' /above_set; case: (strict) => /=; rewrite ?ltr_add2r ?ler_add2r.
  by apply: (step _ ca) => [|sy]; [exact: Ha|have := HfF y sy; rewrite /up asboolT].
rewrite -(@low_shift R kb _ (cutg_ge0 _ G0)); apply: low_le => y; first exact: cutg_ge0.
rewrite /cutg; case: asboolP => nAy; last by case: ifP.
have nA : ~ A y by [].
rewrite asboolT; last first.
  move: nA; rewrite /A /A' /above_set; case: (strict) => /= nA; apply/negP; move/negP: nA.
    by rewrite -!leNgt => yt; rewrite (le_trans (_ : y + kb <= t + kb)%R) ?ler_add2r// ler_add2l.
  by rewrite -!ltNge => yt; rewrite (lt_le_trans (_ : y + kb < t + kb)%R) ?ltr_add2r// ler_add2l.
by apply: (step _ cb) => [|sy]; [exact: Hb|have := HfF y sy; rewrite /up asboolF].
Qed.

Section Rules.
Variables (S : Type) (center scale_of : S -> R) (u : S -> R -> S) (Psi : assn R S).
Implicit Types (t ka kb ca cb : S -> S -> R -> R).
(* what holds of every y, with the move and the price of its side *)
Definition sides strict t ka kb ca cb (supp : R -> Prop) s s' (j : R) := forall y, supp y ->
  (above_set strict (t s s' j) y -> Psi (u s y) (u s' (y + ka s s' j)%R) (j + ca s s' j)%R) /\
  (~ above_set strict (t s s' j) y -> Psi (u s y) (u s' (y + kb s s' j)%R) (j + cb s s' j)%R).
(* scale = scale' > 0 and 0 <= k + center - center' <= c * scale *)
Definition moves_up (k c : S -> S -> R -> R) s s' (j : R) := [/\ (0 < scale_of s)%R, scale_of s = scale_of s',
  (0 <= k s s' j + center s - center s')%R & (k s s' j + center s - center s' <= c s s' j * scale_of s)%R].

Theorem select_gumbel strict t ka kb ca cb : judge 0 (Draw (fun s => gumbel (center s) (scale_of s)) u)
  (fun s s' j => [/\ moves_up ka ca s s' j, moves_up kb cb s s' j, (kb s s' j <= ka s s' j)%R & sides strict t ka kb ca cb (fun=> True) s s' j]) Psi.
Proof.
apply: Rules.sample => m m' j [[b0 bb ua na] [_ _ ub nb] kk HP].
pose up y := `[< above_set strict (t m m' j) y >].
exists (fun=> True), (fun y => if up y then y + ka m m' j else y + kb m m' j)%R, (fun y => if up y then ca m m' j else cb m m' j).
split; last by move=> y _; rewrite /up; case: asboolP => h; [exact: (HP y I).1|exact: (HP y I).2].
by rewrite -bb; apply: density_select => // y _; exact: gum_shift.
Qed.

Lemma exp_shift (k b c : R) (y : T) : (0 < b)%R -> (0 <= k)%R -> (k <= c * b)%R -> (0 <= y :> R)%R ->
  (wp_ leb (exp_w b) y * expR (- c) <= wp_ leb (exp_w b) (y + k)%R)%R.
Proof.
move=> b0 k0 kc y0; rewrite /wp_ mulrAC; apply: ler_wpmul2r.
  by rewrite invr_ge0 fine_ge0//; apply: wtotal_ge0 => x; exact: exp_w0.
have yk : (0 <= y + k)%R by rewrite addr_ge0.
rewrite /exp_w !indicE !mem_set// !mulr1 /lap_w b0 -expRD ler_expR -opprD ler_opp2 !subr0 !ger0_norm//.
by rewrite ler_pdivr_mulr// mulrDl divfK ?gt_eqF// ler_add2l.
Qed.
(* scale = scale' > 0 and 0 <= k <= c * scale *)
Definition moves_out (k c : S -> S -> R -> R) s s' (j : R) := [/\ (0 < scale_of s)%R, scale_of s = scale_of s',
  (0 <= k s s' j)%R & (k s s' j <= c s s' j * scale_of s)%R].
Theorem select_exponential strict t ka kb ca cb : judge 0 (Draw (fun s => exponential (scale_of s)) u)
  (fun s s' j => [/\ moves_out ka ca s s' j, moves_out kb cb s s' j, (kb s s' j <= ka s s' j)%R & sides strict t ka kb ca cb (fun y => 0 <= y)%R s s' j]) Psi.
Proof.
apply: Rules.sample => m m' j [[b0 bb ua na] [_ _ ub nb] kk HP].
pose up y := `[< above_set strict (t m m' j) y >].
exists (fun y => 0 <= y)%R, (fun y => if up y then y + ka m m' j else y + kb m m' j)%R, (fun y => if up y then ca m m' j else cb m m' j).
split; last by move=> y y0; rewrite /up; case: asboolP => h; [exact: (HP y y0).1|exact: (HP y y0).2].
rewrite -bb; apply: density_select => // y y0; try exact: exp_shift.
by rewrite /wp_ /exp_w indicE memNset ?mulr0 ?mul0r.
Qed.
End Rules.
End Density.

Section Integers.
Variables (R : realType) (S : Type) (scale_of : S -> R) (u : S -> int -> S) (Psi : assn R S).
Definition moves_out_int (k : S -> S -> R -> int) (c : S -> S -> R -> R) s s' (j : R) := [/\ (0 < scale_of s)%R, scale_of s = scale_of s',
  (0 <= k s s' j)%R & ((k s s' j)%:~R <= c s s' j * scale_of s)%R].
Lemma geo_shift (k y : int) (b c : R) : (0 < b)%R -> (0 <= k)%R -> (k%:~R <= c * b)%R -> (0 <= y)%R ->
  (norm_mass (geo_w b) y * expR (- c) <= norm_mass (geo_w b) (y + k)%R)%R.
Proof.
move=> b0 k0 kc y0; rewrite /norm_mass mulrAC; apply: ler_wpmul2r.
  by rewrite invr_ge0 fine_ge0// total_ge0// => a; exact: geo_w0.
rewrite /geo_w b0 y0 addr_ge0//= -expRD ler_expR -opprD ler_opp2.
by rewrite ler_pdivr_mulr// mulrDl divfK ?gt_eqF// rmorphD /= ler_add2l.
Qed.
Theorem select_geometric strict (t : S -> S -> R -> R) (ka kb : S -> S -> R -> int) (ca cb : S -> S -> R -> R) :
  judge 0 (Draw (fun s => geometric (scale_of s)) u)
    (fun s s' j => [/\ moves_out_int ka ca s s' j, moves_out_int kb cb s s' j, (kb s s' j <= ka s s' j)%R &
       forall y, (0 <= y)%R -> (is_above strict (t s s' j) y -> Psi (u s y) (u s' (y + ka s s' j)%R) (j + ca s s' j)%R) /\
                 (~~ is_above strict (t s s' j) y -> Psi (u s y) (u s' (y + kb s s' j)%R) (j + cb s s' j)%R)]) Psi.
Proof.
apply: Rules.sample => m m' j [[b0 bb ua na] [_ _ ub nb] kk HP].
pose up := is_above strict (t m m' j).
exists (fun y => 0 <= y)%R, (fun y => if up y then y + ka m m' j else y + kb m m' j)%R, (fun y => if up y then ca m m' j else cb m m' j).
split; last by move=> y y0; case: ifPn => h; [exact: (HP y y0).1|exact: (HP y y0).2].
rewrite -bb; apply: star_mass => [y /negP|x y _ _|y y0].
- by rewrite -ltNge /norm_mass /geo_w leNgt => ->; rewrite andbF mul0r.
- case: ifPn => ux; case: ifPn => uy; try exact: addIr.
    have xy := above_mono ux uy.
    by move=> E; have : (y + kb m m' j < x + ka m m' j)%R; [apply: ltr_le_add|rewrite E ltxx].
  have xy := above_mono uy ux.
  by move=> E; have : (x + kb m m' j < y + ka m m' j)%R; [apply: ltr_le_add|rewrite E ltxx].
- by case: ifP => _; exact: geo_shift.
Qed.
End Integers.
