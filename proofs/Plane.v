(* Two variables: the projections of a product are measurable, the measure of the line is sigma-finite, and Tonelli's theorem for two laws with a density (in_turn).
   For Memory.v and Centered.v. *)
From Probity Require Import PreludeIntegral Judgement Density.
Local Open Scope classical_set_scope.
Local Open Scope ring_scope.
Local Open Scope ereal_scope.

Section Projections.
Context d d' (A : measurableType d) (B : measurableType d').
Lemma mfst : @measurable_fun _ _ [the measurableType _ of (A * B)%type] A setT fst.
Proof. by have [] := (prod_measurable_funP id).1 (@measurable_fun_id _ [the measurableType _ of (A * B)%type] setT). Qed.
Lemma msnd : @measurable_fun _ _ [the measurableType _ of (A * B)%type] B setT snd.
Proof. by have [] := (prod_measurable_funP id).1 (@measurable_fun_id _ [the measurableType _ of (A * B)%type] setT). Qed.
End Projections.

Section Line.
Variable R : realType.
Notation T := (measurableTypeR R).
Let leb : {measure set T -> \bar R} := [the measure _ _ of @lebesgue_measure R].
Lemma leb_sigma_finite : sigma_finite setT leb.
Proof.
exists (fun n => `](- n%:R)%R, n%:R%R]%classic) => [|k].
  apply/seteqP; split=> // y' _; pose y : R := y'; pose k := `|reals.floor `|y|%R|%N.
  exists k.+1 => //=; rewrite in_itv /= -/y.
  have ky : (`|y| < k.+1%:R)%R.
    rewrite -addn1 natrD (_ : k%:R%R = (reals.floor `|y|%R)%:~R%R); last by rewrite /k natr_absz ger0_norm// floor_ge0.
    by rewrite -RfloorE; exact: lt_succ_Rfloor.
  by move: ky; rewrite ltr_norml => /andP[-> /ltW ->].
split; first exact: measurable_itv.
rewrite /leb /= lebesgue_measure_itv hlength_itv /=; case: ifP => _ //.
by rewrite -EFinB ltry.
Qed.

(* two draws of reals in either order *)
Lemma in_turn (p q : T -> R) p0 mp p1 q0 mq q1 (h : T -> T -> \bar R) : (forall x z, 0 <= h x z) ->
  @measurable_fun _ _ [the measurableType _ of (T * T)%type] _ setT (fun x => h x.1 x.2) ->
  @dlaw _ T R leb q q0 mq q1 (fun z => @dlaw _ T R leb p p0 mp p1 (fun x => h x z)) =
  @dlaw _ T R leb p p0 mp p1 (fun x => @dlaw _ T R leb q q0 mq q1 (h x)).
Proof.
move=> h0 mh; rewrite /= /dev.
pose F (x : T * T) := (q x.2)%:E * ((p x.1)%:E * h x.1 x.2).
have ph x z : 0 <= (p x)%:E * h x z by rewrite mule_ge0// lee_fin.
have qh x z : 0 <= (q z)%:E * h x z by rewrite mule_ge0// lee_fin.
have F0 x : 0 <= F x by rewrite mule_ge0// lee_fin.
have mpE : measurable_fun setT (EFin \o p) by exact/EFin_measurable_fun.
have mqE : measurable_fun setT (EFin \o q) by exact/EFin_measurable_fun.
have mF : @measurable_fun _ _ [the measurableType _ of (T * T)%type] _ setT F.
  apply: emeasurable_funM; first exact: (measurable_fun_comp mqE (@msnd _ _ T T)).
  by apply: emeasurable_funM => //; exact: (measurable_fun_comp mpE (@mfst _ _ T T)).
have F1 := @fubini_tonelli1 _ _ T T R leb leb leb_sigma_finite F mF F0.
have F2 := @fubini_tonelli2 _ _ T T R leb leb leb_sigma_finite leb_sigma_finite F mF F0.
transitivity (\int[leb]_z fubini_G leb F z).
  by apply: eq_integral => z _; rewrite /fubini_G /F /= -low_scale.
rewrite -F2 F1; apply: eq_integral => x _; rewrite /fubini_F /F /= -low_scale//.
by apply: eq_integral => z _; rewrite muleCA.
Qed.
End Line.
