(* Conversions of claims in mu by the concentrated measure (trusted/kernel/src/conversion.rs): what mu^2/2-zCDP says of epsilon and delta, mu-GDP says too.

   mu-GDP is what one normal draw has with centers mu apart, and that draw is mu^2/2-zCDP (one_draw_zcdp); so a delta that follows from zCDP for every program is one for it, and is at
   least normal_delta (one_draw_delta).  ZCDP-ORDER and ZCDP-TAIL are then theorems about mu (gdp_order, gdp_order_tail). *)
From Probity Require Import PreludeIntegral Judgement Laws Density Continuous Gaussian Privacy Compared Concentrated Normal.
Local Open Scope classical_set_scope.
Local Open Scope ring_scope.
Local Open Scope ereal_scope.

Section Order.
Variable R : realType.
Implicit Types (mu eps delta : R).
Definition one_draw : stmt R R := Draw (fun e : R => gaussian e 1) (fun _ y => y).
Lemma one_draw_zcdp mu : zcdp id one_draw (mu ^+ 2 / 2)%R (- mu)%R 0%R.
Proof.
apply: (@z_equal_outputs R R R id (mu ^+ 2 / 2)%R one_draw (fun s s' k => [/\ s = - mu, s' = 0 & k = 0]%R)); last by split.
have G := @gauss R R id (fun=> 1%R) (fun _ y => y) (fun _ _ _ => `|mu|%R) (fun _ _ _ => (mu ^+ 2 / 2)%R) (fun s s' k => id s = id s' /\ (k <= mu ^+ 2 / 2)%R).
apply: c_strengthen G => s s' k [-> -> ->]; split; last by move=> y; rewrite add0r.
split=> //=; first by rewrite subr0 normrN.
by rewrite -expr2 real_normK ?num_real// !mulr1 le_eqVlt; apply/orP; left; apply/eqP; field.
Qed.
Lemma one_draw_delta mu eps delta : dp id one_draw eps delta (- mu)%R 0%R -> (normal_delta mu eps <= delta)%R.
Proof.
move=> H; have law (f : R -> \bar R) E : ind R E = f -> gaussian (- mu) 1 f <= (expR eps)%:E * gaussian 0 1 f + delta%:E by move=> <-; exact: (H E).
rewrite /normal_delta; case: ifP => [mu0|_].
  pose z := (- (mu / 2) - eps / mu)%R; have := law (below_at z) (fun y : R => (y <= z)%R); rewrite normal_moved normalE -EFinM -EFinD lee_fin => h.
  rewrite /profile ler_subl_addl (_ : mu / 2 - eps / mu = z + mu)%R; last by rewrite /z; field; rewrite gt_eqF.
  by apply: h; apply/funext => y; rewrite /ind /below_at; case: asboolP => [->|/negP/negPf ->].
rewrite le_maxl; apply/andP; split.
  have := law (fun=> 0) (fun=> False); rewrite !Judgement.ev0 mule0 add0e lee_fin; apply.
  by apply/funext => y; rewrite /ind asboolF.
have := law (fun=> 1) (fun=> True); rewrite !total_gaussian// mule1 -EFinD lee_fin ler_subl_addl; apply.
by apply/funext => y; rewrite /ind asboolT.
Qed.

Section Claims.
Variables (S O : Type) (out : S -> O) (c : stmt R S) (m m' : S).
(* ZCDP-ORDER *)
Theorem gdp_order mu eps a : (0 < a)%R -> gdp out c mu m m' -> dp out c eps (order_delta a (mu ^+ 2 / 2) eps) m m'.
Proof. by move=> a0 G; apply: (gdp_normal G); apply: one_draw_delta; apply: zcdp_order => //; exact: one_draw_zcdp. Qed.
(* ZCDP-TAIL *)
Theorem gdp_order_tail mu eps delta : (0 < delta)%R -> (mu ^+ 2 / 2 <= eps)%R ->
  (4%:R * (mu ^+ 2 / 2) * ln delta^-1 <= (eps - mu ^+ 2 / 2) ^+ 2)%R -> gdp out c mu m m' -> dp out c eps delta m m'.
Proof. by move=> d0 le tail G; apply: (gdp_normal G); apply: one_draw_delta; apply: (zcdp_tail d0 le tail); exact: one_draw_zcdp. Qed.
End Claims.
End Order.
