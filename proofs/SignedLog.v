(* A uniform u on (0, 1] and a fair sign s: LAPLACE-LAW (laplace_law), s ln(u) is Laplace with scale 1; SIGNED-LOG (signed_log), u and s are
   coupled jointly (trusted/kernel/src/rules/equivalence.rs and sampling.rs).

   (s, u) is a function of z = s ln(u) up to a null set, and z is Laplace (pair_law): with the sign drawn first that is so for all tests.  Programs draw u first, and
   a sum of lower integrals is a lower integral only of tests that are measurable in u (swap): laplace_law and signed_log ask for that, and
   the privacy that they prove is about measurable sets of outputs (dp_on). *)
From Probity Require Import PreludeIntegral.
From mathcomp.classical Require Import cardinality fsbigop set_interval.
From mathcomp.analysis Require Import derive.
From Probity Require Import Judgement Laws Sampling Density Continuous Logarithm.
From Probity Require Rules.
Local Open Scope classical_set_scope.
Local Open Scope ring_scope.
Local Open Scope ereal_scope.


Section SignedLog.
Variable R : realType.
Notation T := (measurableTypeR R).
Let leb : {measure set T -> \bar R} := [the measure _ _ of @lebesgue_measure R].
Let U : law R T := @uniform R.
Let neg := [set x | x < 0]%R : set T.
Let pos := [set x | 0 < x]%R : set T.

Lemma mneg_set : measurable neg.
Proof.
rewrite (_ : neg = ~` [set x | 0 <= x]%R); first by apply: measurableC; exact: mray_ge.
by apply/seteqP; split=> y; rewrite /neg /= => h1; [apply/negP; rewrite -ltNge|rewrite ltNge; exact/negP].
Qed.
(* an integral is that over both sides of 0 *)
Lemma low_sides (h : T -> \bar R) : (forall x, 0 <= h x) ->
  \int[leb]_x h x = \int[leb]_x cutg neg h x + \int[leb]_x cutg pos h x.
Proof.
move=> h0; have E (g : T -> \bar R) A : measurable A -> (forall z, 0 <= g z) ->
    \int[leb]_z g z = \int[leb]_z cutg A g z + \int[leb]_z cutg (~` A) g z.
  by move=> mA g0; apply/eqP; rewrite eq_le low_cut_le// low_cut_ge.
rewrite (E h neg)//; last exact: mneg_set.
congr (_ + _); rewrite (E _ pos); [|exact: mray_gt|by move=> z; exact: cutg_ge0].
rewrite [X in _ + X](_ : _ = 0) ?adde0.
  apply: eq_integral => x _; rewrite /cutg; case: asboolP => // px; rewrite asboolT//= /neg /=.
  by apply/negP; rewrite -leNgt ltW.
rewrite -(low_point h0); apply: eq_integral => x _; rewrite /cutg.
have [->|x0] := pselect (x = 0%R); first by rewrite !asboolT//= /neg /pos /= ltxx.
rewrite [in RHS]asboolF//; case: asboolP => // np; case: asboolP => // nn; case: x0.
by apply/eqP; rewrite eq_le !leNgt; apply/andP; split; apply/negP.
Qed.

Lemma uniform_exp (g : T -> \bar R) : (forall u, 0 <= g u) ->
  U g = \int[leb]_x cutg neg (fun x => (expR x)%:E * g (expR x)) x.
Proof.
move=> g0; pose h (x : T) := (expR x)%:E * g (expR x).
have h0 x : 0 <= h x by rewrite mule_ge0 ?lee_fin ?expR_ge0.
pose low := [set x | x <= 0]%R : set T.
transitivity (\int[leb]_x cutg low h x); last first.
  rewrite low_sides; last by move=> x; exact: cutg_ge0.
  rewrite [X in _ + X](_ : _ = 0) ?adde0.
    apply: eq_integral => x _; rewrite /cutg; case: asboolP => // nx; rewrite asboolT//; exact: ltW.
  rewrite (eq_integral (cst 0)) ?integral0// => x _; rewrite /cutg; case: asboolP => // px.
  by rewrite asboolF// /low /= => lx; move: px; rewrite /pos /= ltNge lx.
rewrite -change; last exact: cutg_ge0.
rewrite /= /dev; apply: eq_integral => u _; rewrite /wp_ uni_total divr1 /uni_w indicE.
have [u0|u0] := ltP 0%R u; last first.
  by rewrite memNset /= ?mul0e ?/inv_w ?ltNge ?u0 ?mul0e// in_itv /= ltNge u0.
rewrite /cutg /low /=; have [u1|u1] := leP u 1%R.
  rewrite mem_set /= ?in_itv /= ?u0// asboolT; last by rewrite -(@ln1 R) ler_ln ?qualifE.
  by rewrite /h lnK ?qualifE// /inv_w u0 muleA -EFinM mulVf ?gt_eqF.
rewrite memNset; last by rewrite /= in_itv /= u0 /= leNgt u1.
rewrite mul0e asboolF ?mule0// => l1.
by have := ln_gt0 u1; rewrite ltNge l1.
Qed.

(* u and s from z = s ln(u) *)
Definition size_of (z : R) : R := expR (- `|z|)%R.
Definition sign_of (z : R) : R := if (z <= 0)%R then 1%R else (-1)%R.
Lemma size_range z : (0 < size_of z <= 1)%R.
Proof. by rewrite expR_gt0 -[leRHS]expR0 ler_expR oppr_le0 normr_ge0. Qed.
Lemma sign_range z : (sign_of z = 1 \/ sign_of z = -1)%R.
Proof. by rewrite /sign_of; case: ifP; auto. Qed.
Lemma signed_size z : (sign_of z * ln (size_of z) = z)%R.
Proof.
rewrite /sign_of /size_of expK; case: ifPn => z0; first by rewrite mul1r ler0_norm// opprK.
by rewrite mulN1r opprK gtr0_norm// ltNge.
Qed.

Lemma two_sides (f : T -> R -> \bar R) : (forall u s, 0 <= f u s) ->
  \int[leb]_z ((lap_w 0 1 z)%:E * f (size_of z) (sign_of z)) = U (f^~ 1%R) + U (f^~ (-1)%R).
Proof.
move=> f0; have lapE (z : T) : lap_w 0 1 z = size_of z by rewrite /lap_w ltr01 subr0 divr1.
rewrite low_sides; last by move=> z; rewrite mule_ge0 ?lee_fin ?lap_w0.
rewrite !uniform_exp//; congr (_ + _).
  apply: eq_integral => z _; rewrite /cutg; case: asboolP => // nz.
  by rewrite lapE /size_of /sign_of ltr0_norm// opprK (ltW nz).
rewrite -low_neg; last by move=> z; apply: cutg_ge0 => x; rewrite mule_ge0 ?lee_fin ?lap_w0.
apply: eq_integral => z _; rewrite /cutg /pos /neg /= oppr_gt0; case: asboolP => // nz.
by rewrite lapE /size_of /sign_of normrN ltr0_norm// opprK leNgt oppr_gt0 nz.
Qed.
Lemma lap_two : wtotal leb (lap_w 0 1) = 2%:E.
Proof.
have := @two_sides (fun _ _ => 1) (fun _ _ => lee01); rewrite (_ : U _ = 1); last exact: total_uniform.
rewrite -EFinD => <-; apply: eq_integral => z _; by rewrite mule1.
Qed.
Theorem pair_law (f : T -> R -> \bar R) : (forall u s, 0 <= f u s) ->
  sign R (fun s => U (f^~ s)) = laplace 0%R 1%R (fun z => f (size_of z) (sign_of z)).
Proof.
move=> f0; have h0 : (0 <= 2^-1 :> R)%R by rewrite invr_ge0.
rewrite signE -ge0_muleDr ?ev_ge0// -two_sides// /= /dev /wp_ lap_two -low_scale//.
  by apply: eq_integral => z _; rewrite muleA -EFinM [(2^-1 * _)%R]mulrC.
by move=> z; rewrite mule_ge0 ?lee_fin ?lap_w0.
Qed.

(* a sum of lower integrals is at most the lower integral of the sum *)
Lemma low_super (f g : T -> \bar R) : (forall x, 0 <= f x) -> (forall x, 0 <= g x) ->
  \int[leb]_x f x + \int[leb]_x g x <= \int[leb]_x (f x + g x).
Proof.
move=> f0 g0; set M := \int[leb]_x (f x + g x).
have [->|] := eqVneq M +oo; first by rewrite leey.
rewrite -ltey => Mfin.
have fM : \int[leb]_x f x <= M by apply: low_le => // x; rewrite lee_addl.
have gM : \int[leb]_x g x <= M by apply: low_le => // x; rewrite lee_addr.
have fin h : (forall x, 0 <= h x) -> \int[leb]_x h x <= M -> \int[leb]_x h x \is a fin_num.
  by move=> h0 hM; rewrite ge0_fin_numE; [exact: le_lt_trans Mfin|apply: integral_ge0].
rewrite -lee_subr_addr ?fin//; apply: low_ub => [//|h mh h0 hf].
have hM : \int[leb]_x h x <= M by apply: le_trans fM; exact: low_le.
rewrite lee_subr_addr ?fin// addeC -lee_subr_addr ?fin//; apply: low_ub => [//|h' mh' h0' hg].
rewrite lee_subr_addr ?fin// -ge0_integralD//; apply: low_le => x; first exact: adde_ge0.
by rewrite addeC lee_add.
Qed.
Lemma swap_le (f : T -> R -> \bar R) : (forall u s, 0 <= f u s) -> sign R (fun s => U (f^~ s)) <= U (fun u => sign R (f u)).
Proof.
move=> f0; have h0 : (0 <= 2^-1 :> R)%R by rewrite invr_ge0.
have p0 y : (0 <= wp_ leb (@uni_w R) y)%R by apply: wp_ge0_ => x; exact: uni_w0.
have E g : U g = \int[leb]_u ((wp_ leb (@uni_w R) u)%:E * g u) by [].
rewrite signE -!ev_scale// !E; apply: (le_trans (low_super _ _)) => [u|u|]; try by rewrite !mule_ge0 ?lee_fin.
apply: low_le => u; first by rewrite adde_ge0 ?mule_ge0 ?lee_fin ?mule_ge0 ?lee_fin.
by rewrite signE ge0_muleDr ?mule_ge0 ?lee_fin.
Qed.
(* the order of the draws does not matter to a test that is measurable in u *)
Theorem swap (f : T -> R -> \bar R) : (forall u s, 0 <= f u s) -> (forall s, measurable_fun setT (f^~ s)) ->
  U (fun u => sign R (f u)) = sign R (fun s => U (f^~ s)).
Proof.
move=> f0 mf; have h0 : (0 <= 2^-1 :> R)%R by rewrite invr_ge0.
have p0 y : (0 <= wp_ leb (@uni_w R) y)%R by apply: wp_ge0_ => x; exact: uni_w0.
have m s : measurable_fun setT (fun u => (wp_ leb (@uni_w R) u)%:E * f u s).
  apply: emeasurable_funM => //; apply/EFin_measurable_fun; apply: wp_meas; exact: uni_w_meas.
have E g : U g = \int[leb]_u ((wp_ leb (@uni_w R) u)%:E * g u) by [].
rewrite signE -!ev_scale// !E -ge0_integralD//.
- by apply: eq_integral => u _; rewrite signE ge0_muleDr ?mule_ge0 ?lee_fin.
- by move=> u _; rewrite !mule_ge0 ?lee_fin.
- apply: (eq_measurable_fun (f := fun u => (2^-1)%:E * ((wp_ leb (@uni_w R) u)%:E * f u 1%R))).
    by move=> u _; rewrite muleCA.
  by apply: emeasurable_funM => //; exact: measurable_fun_cst.
- by move=> u _; rewrite !mule_ge0 ?lee_fin.
- apply: (eq_measurable_fun (f := fun u => (2^-1)%:E * ((wp_ leb (@uni_w R) u)%:E * f u (-1)%R))).
    by move=> u _; rewrite muleCA.
  by apply: emeasurable_funM => //; exact: measurable_fun_cst.
Qed.

(* LAPLACE-LAW: u ~ uniform(0, 1); s ~ sign(); C[s ln(u)]  =  z ~ laplace(0, 1); C[z] *)
Theorem laplace_law (g : R -> \bar R) : (forall z, 0 <= g z) -> measurable_fun setT (g : T -> \bar R) ->
  U (fun u => sign R (fun s => g (s * ln u)%R)) = laplace 0%R 1%R g.
Proof.
move=> g0 mg; rewrite swap => [|u s|s]; [|exact: g0|]; last first.
  by apply: (measurable_fun_comp mg); apply: measurable_funrM; exact: mln.
rewrite (pair_law (f := fun u s => g (s * ln u)%R))//; congr (ev (laplace _ _)); apply/funext => z.
by rewrite signed_size.
Qed.

(* Borel sets of the line and functions on it *)
Definition borel (A : set T) := measurable A.
Definition borel_fun (g : T -> T) := measurable_fun setT g.

(* u and s as one draw, for all tests *)
Definition pair_ev (f : T * R -> \bar R) := sign R (fun s => U (fun u => f (u, s))).
Lemma pair_ge0 f : (forall x, 0 <= f x) -> 0 <= pair_ev f.
Proof. by move=> f0; do 2 apply: ev_ge0 => ?. Qed.
Lemma pair_le f g : (forall x, 0 <= f x) -> (forall x, f x <= g x) -> pair_ev f <= pair_ev g.
Proof. by move=> f0 fg; apply: ev_le => s; [apply: ev_ge0|apply: ev_le]. Qed.
Lemma pair_scale (c : R) f : (0 <= c)%R -> (forall x, 0 <= f x) -> pair_ev (fun x => c%:E * f x) = c%:E * pair_ev f.
Proof.
move=> c0 f0; rewrite /pair_ev -ev_scale//; last by move=> s; apply: ev_ge0.
by congr (ev (sign R)); apply/funext => s; rewrite ev_scale.
Qed.
Lemma pair_addc (d : R) f : (0 <= d)%R -> (forall x, 0 <= f x) -> pair_ev (fun x => f x + d%:E) <= pair_ev f + d%:E.
Proof.
move=> d0 f0; apply: le_trans (@ev_addc _ _ (sign R) d _ d0 _); last by move=> s; apply: ev_ge0.
apply: ev_le => s; first by apply: ev_ge0 => u; rewrite adde_ge0 ?lee_fin.
exact: ev_addc.
Qed.
Definition uniform_and_sign : law R (T * R) := Law pair_ge0 pair_le pair_scale pair_addc.

Section Rule.
Variables (S : Type) (put_u put_s : S -> R -> S).
Definition both (m : S) (x : T * R) := put_s (put_u m x.1) x.2.
Definition in_turn : stmt R S := Seq (Draw (fun=> U) put_u) (Draw (fun=> sign R) put_s).
Definition at_once : stmt R S := Draw (fun=> uniform_and_sign) both.
(* tests that are measurable in u *)
Definition measurable_after (f : S -> \bar R) := forall m s, measurable_fun setT (fun u : T => f (put_s (put_u m u) s)).
Theorem in_turn_at_once f : nneg f -> measurable_after f -> forall m, wp in_turn f m = wp at_once f m.
Proof. by move=> f0 mf m; exact: (@swap (fun u s => f (put_s (put_u m u) s)) (fun _ _ => f0 _) (mf m)). Qed.

(* what the kernel knows of both draws: their ranges, and s' ln(u') = s ln(u) + k *)
Definition joined (k u s u' s' : R) :=
  [/\ (0 < u <= 1)%R, (0 < u' <= 1)%R, (s = 1 \/ s = -1)%R, (s' = 1 \/ s' = -1)%R & (s' * ln u' = s * ln u + k)%R].
Variables (by_ cost : S -> S -> R -> R) (Psi : assn R S).
Definition pre : assn R S := fun m m' k => (`|by_ m m' k| <= cost m m' k)%R /\
  forall u s u' s', joined (by_ m m' k) u s u' s' -> Psi (both m (u, s)) (both m' (u', s')) (k + cost m m' k)%R.
Theorem signed_log_at_once : judge 0 at_once pre Psi.
Proof.
move=> f F f0 f1 F0 rel m m' k [near HP]; rewrite adde0 /= /pair_ev.
rewrite (pair_law (f := fun u s => f (both m (u, s))))// (pair_law (f := fun u s => F (both m' (u, s))))//.
rewrite -ev_scale ?expR_ge0//.
have near1 : (`|by_ m m' k + 0 - 0| <= cost m m' k * 1)%R by rewrite addr0 subr0 mulr1.
apply: (@star_select R true 0%R 0%R 1%R 0%R _ _ _ _ ltr01 (lexx _) near1 near1) => [z|z|z _].
- exact: f0.
- by rewrite mule_ge0 ?lee_fin ?expR_ge0.
rewrite !if_same muleA -EFinM -expRD -opprD addrC.
apply: rel; apply: HP; split; try exact: size_range; try exact: sign_range.
by rewrite !signed_size.
Qed.
(* SIGNED-LOG, as the kernel has it *)
Theorem signed_log : judge_for measurable_after 0 in_turn pre Psi.
Proof.
move=> f F mf f0 f1 F0 rel m m' k HP; rewrite in_turn_at_once//.
apply: (le_trans (signed_log_at_once f0 f1 F0 rel HP)); rewrite !adde0; apply: lee_wpmul2l; first by rewrite lee_fin expR_ge0.
exact: (@swap_le (fun u s => F (put_s (put_u m' u) s))).
Qed.
End Rule.
End SignedLog.
