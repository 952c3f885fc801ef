(* INVERSE-LAW (trusted/kernel/src/rules/equivalence/inverse.rs): Laplace noise as the inverse of its distribution function at a uniform draw (laplace_inverse), for all tests; in a program laplace_inverse_step.

   Below 1/2 the inverse is ln(2u), of a number that is uniform on (0, 1) there, and above -ln(2 - 2u), which is the same turned round: a half of a Laplace draw each (halves of TwoSided.v).
   Single points have no mass (low_but).  Logistic noise, the rule's second line, is not here.  Read: inverse, laplace_inverse, laplace_inverse_step. *)
From Probity Require Import PreludeIntegral Judgement Laws Sampling Density Continuous Logarithm SignedLog Centered TwoSided Branches.
Local Open Scope classical_set_scope.
Local Open Scope ring_scope.
Local Open Scope ereal_scope.

Section Inverse.
Variable R : realType.
Notation T := (measurableTypeR R).
Let leb : {measure set T -> \bar R} := [the measure _ _ of @lebesgue_measure R].
Let neg := [set x | x < 0]%R : set T.
Let pos := [set x | 0 < x]%R : set T.

(* a point has no mass, for all tests *)
Lemma low_but (a : R) (F G : T -> \bar R) : (forall x, 0 <= F x) -> (forall x, 0 <= G x) -> (forall x, x != a -> F x = G x) ->
  \int[leb]_x F x = \int[leb]_x G x.
Proof.
move=> F0 G0 FG; rewrite -(@low_shift R a F F0) -(@low_shift R a G G0).
rewrite (low_sides (fun x => F0 (x + a)%R)) (low_sides (fun x => G0 (x + a)%R)).
have ne (x : T) : (x != 0 :> R)%R -> (x + a != a :> R)%R by move=> x0; rewrite -subr_eq0 addrK.
congr (_ + _); apply: eq_integral => x _; rewrite /cutg; case: asboolP => //= x0; apply: FG; apply: ne.
  by rewrite lt_eqF.
by rewrite gt_eqF.
Qed.

Lemma uniform_int_of (f : T -> \bar R) : @uniform R f = \int[leb]_u ((uni_w u)%:E * f u).
Proof. by rewrite /= /dev; apply: eq_integral => u _; rewrite /wp_ uni_total divr1. Qed.
Lemma uni_wE (u : T) : uni_w u = if (0 < u :> R)%R && (u <= 1 :> R)%R then 1%R else 0%R :> R.
Proof.
rewrite /uni_w indicE; have [|n] := boolP ((0 < u :> R)%R && (u <= 1 :> R)%R).
  by move=> h; rewrite mem_set//= in_itv.
by rewrite memNset//= in_itv; exact/negP.
Qed.

(* the inverse of the distribution function of Laplace noise with scale 1 *)
Definition inverse (u : R) : R := if (u < 2^-1)%R then ln (2 * u)%R else (- ln (2 - 2 * u))%R.

Theorem laplace_inverse (g : R -> \bar R) : (forall z, 0 <= g z) -> @uniform R (fun u => g (inverse u)) = laplace 0 1 g.
Proof.
move=> g0; rewrite halves//.
have -> : exponential 1 g = @uniform R (fun u => g (- ln u)%R).
  rewrite (@exponential_law R (fun x => g (- x)%R)); last by move=> z; exact: g0.
  by congr (ev (exponential 1)); apply/funext => z; rewrite opprK.
rewrite -exponential_law// !uniform_int_of.
have h2 : (0 < 2^-1 :> R)%R by rewrite invr_gt0 ltr0n.
have e2 : (2 * 2^-1 = 1 :> R)%R by rewrite mulfV// pnatr_eq0.
pose F (u : T) := (uni_w u)%:E * g (inverse u); have F0 u : 0 <= F u by rewrite mule_ge0 ?lee_fin.
rewrite -/(F _) -[LHS](@low_shift R 2^-1 F F0) low_sides; last by move=> y; exact: F0.
rewrite addeC; congr (_ + _).
  pose H (w : T) := (uni_w (1 + w)%R)%:E * g (- ln (1 + w))%R.
  have H0 w : 0 <= H w by rewrite mule_ge0 ?lee_fin.
  have -> : \int[leb]_u ((uni_w u)%:E * g (- ln u)%R) = \int[leb]_w H w.
    rewrite -(@low_shift R 1 (fun u => (uni_w u)%:E * g (- ln u)%R)); last by move=> u; rewrite mule_ge0 ?lee_fin.
    by apply: eq_integral => w _; rewrite /H addrC.
  have n2 : (-2 != 0 :> R)%R by rewrite oppr_eq0 pnatr_eq0.
  have -> : (2^-1 : R)%:E * \int[leb]_w H w = \int[leb]_y H (0 + -2 * y)%R.
    by rewrite (low_affine 0 n2 H0) normrN ger0_norm.
  pose K (y : T) := if (y == 2^-1 :> R)%R then H (0 + -2 * y)%R else cutg pos (fun y => F (y + 2^-1)%R) y.
  have K0 y : 0 <= K y by rewrite /K; case: ifP => // _; apply: cutg_ge0.
  transitivity (\int[leb]_y K y).
    apply: (@low_but 2^-1) => // [y|y ne]; first exact: cutg_ge0.
    by rewrite /K (negPf ne).
  apply: (@low_but 0) => // y y0; rewrite /K; case: eqP => // /eqP yn.
  rewrite /cutg; case: asboolP => [/= py|np].
    have py' : (0 < y :> R)%R := py.
    have -> : F (y + 2^-1)%R = (uni_w (y + 2^-1)%R)%:E * g (- ln (1 - 2 * y))%R.
      rewrite /F /inverse; have -> : (y + 2^-1 < 2^-1 :> R)%R = false by apply/negbTE; rewrite -leNgt ler_addr ltW.
      congr (_ * g (- ln _)%R); rewrite mulrDr e2 opprD addrCA addrC; congr (_ + _)%R; apply/eqP; rewrite subr_eq; apply/eqP.
      by rewrite -mulr2n.
    rewrite /H !uni_wE add0r mulNr addr_gt0//=; congr (_ * _); congr (_%:E).
    have -> : (1 - 2 * y <= 1 :> R)%R by rewrite ger_addl oppr_le0 mulr_ge0// ltW.
    rewrite andbT.
    have -> : (y + 2^-1 <= 1 :> R)%R = (y <= 2^-1 :> R)%R.
      by rewrite -ler_subr_addr; congr (_ <= _)%R; apply/eqP; rewrite subr_eq half2.
    have -> : (0 < 1 - 2 * y :> R)%R = (y < 2^-1 :> R)%R by rewrite subr_gt0 mulrC -ltr_pdivl_mulr ?ltr0n// mul1r.
    by rewrite le_eqVlt (negPf yn).
  have yl : (y < 0 :> R)%R by rewrite lt_neqAle y0 leNgt; exact/negP.
  rewrite /H uni_wE add0r mulNr ifF ?mul0e//; apply/negP => /andP[_].
  by rewrite ger_addl oppr_le0 pmulr_rge0 ?ltr0n// leNgt yl.
pose H (w : T) := (uni_w (1 + w)%R)%:E * g (ln (1 + w))%R.
have H0 w : 0 <= H w by rewrite mule_ge0 ?lee_fin.
have -> : \int[leb]_u ((uni_w u)%:E * g (ln u)%R) = \int[leb]_w H w.
  rewrite -(@low_shift R 1 (fun u => (uni_w u)%:E * g (ln u)%R)); last by move=> u; rewrite mule_ge0 ?lee_fin.
  by apply: eq_integral => w _; rewrite /H addrC.
have n2 : (2 != 0 :> R)%R by rewrite pnatr_eq0.
have -> : (2^-1 : R)%:E * \int[leb]_w H w = \int[leb]_y H (0 + 2 * y)%R.
  by rewrite (low_affine 0 n2 H0) ger0_norm.
apply: (@low_but 0) => // [y|y y0]; first exact: cutg_ge0.
rewrite /cutg; case: asboolP => [/= ny|nn].
  have yl : (y < 0 :> R)%R := ny.
  have -> : F (y + 2^-1)%R = (uni_w (y + 2^-1)%R)%:E * g (ln (1 + 2 * y))%R.
    rewrite /F /inverse; have -> : (y + 2^-1 < 2^-1 :> R)%R = true by rewrite gtr_addr.
    by congr (_ * g (ln _)); rewrite mulrDr e2 addrC.
  rewrite /H !uni_wE add0r; congr (_ * _); congr (_%:E).
  have -> : (1 + 2 * y <= 1 :> R)%R by rewrite ger_addl pmulr_rle0 ?ltr0n// ltW.
  have -> : (y + 2^-1 <= 1 :> R)%R.
    by apply: (@le_trans _ _ (2^-1 : R)); [rewrite ger_addr ltW|rewrite invf_le1 ?ltr0n// ler1n].
  rewrite !andbT; have -> : (1 + 2 * y = 2 * (y + 2^-1) :> R)%R by rewrite mulrDr e2 addrC.
  by rewrite pmulr_rgt0 ?ltr0n.
have yp : (0 < y :> R)%R by rewrite lt_neqAle eq_sym y0 leNgt; exact/negP.
rewrite /H uni_wE add0r ifF ?mul0e//; apply/negP => /andP[_].
by rewrite ger_addl pmulr_rle0 ?ltr0n// leNgt yp.
Qed.

(* in a program: Q' after the draws, if the one has u and the other the noise that it is *)
Theorem laplace_inverse_step (S S' : Type) (Q Q' : S -> S' -> Prop) (set_u : S -> R -> S) (set_z : S' -> R -> S') :
  (forall s s' u, Q s s' -> Q' (set_u s u) (set_z s' (inverse u))) ->
  in_step Q (Draw (fun=> @uniform R) set_u) (Draw (fun=> laplace 0 1) set_z) Q'.
Proof.
move=> QQ f f' f0 f1 f'0 f'1 ff s s' q.
transitivity (ev (@uniform R) (fun u : R => f' (set_z s' (inverse u)))).
  by apply: (f_equal (ev (@uniform R))); apply/funext => u; apply: ff; exact: QQ.
exact (@laplace_inverse (fun x => f' (set_z s' x)) (fun x => f'0 _)).
Qed.
End Inverse.
