(* Normal noise on the integers in the concentrated measure: the rule DGAUSS (dgauss).

   The weights e^(-v (z - m)^2) of the integers z add up to at most as much as those with m = 0, whatever the real number m is (theta_le).  No
   Fourier analysis: with z = i + j + b and w = i - j, b = 0 or 1, a product of two such sums is a sum of two products with 2 v (theta_mul), so by the
   inequality of Cauchy and Schwarz r(m) = theta(m)/theta(0) has r(m)^4 <= r(2 m) (theta_four); were r(m) > 1, r would have no bound. *)
From Probity Require Import Prelude.
From mathcomp Require Import zify.
From mathcomp.classical Require Import fsbigop.
From mathcomp.analysis Require Import signed.
From Probity Require Import Judgement Laws Sampling Concentrated Gaussian.
From Probity Require Rules.
Local Open Scope classical_set_scope.
Local Open Scope ring_scope.

Section Theta.
Variable R : realType.
Implicit Types (v m x y : R).
Definition bell v x : R := expR (- (v * x ^+ 2)).
Definition theta v m : \bar R := total (fun z : int => bell v (z%:~R - m)).
Lemma bell_ge0 v x : 0 <= bell v x. Proof. exact: expR_ge0. Qed.
Lemma theta_ge0 v m : (0 <= theta v m)%E. Proof. by apply: total_ge0 => z; exact: bell_ge0. Qed.

(* ---- finite, and bounded in m ---- *)
Lemma theta_shift v m (k : int) : theta v (m + k%:~R) = theta v m.
Proof. by apply: (@total_shift R _ _ k) => z; rewrite rmorphB /=; congr (bell _ _); ring. Qed.
Lemma theta0_finite v : 0 < v -> (theta v 0%R < +oo)%E.
Proof.
move=> v0; have z1 : 0 <= expR (- v) < 1 by rewrite expR_ge0 Laws.expR_lt1// oppr_lt0.
apply: (tails_finite z1) => z; first exact: bell_ge0.
rewrite /bell subr0 -expR_pow ler_expR mulNrn ler_opp2 -mulr_natl [leRHS]mulrC; apply: ler_wpmul2r; first exact: ltW.
rewrite natr_absz -rmorphX /= ler_int.
have [->|z0] := eqVneq z 0; first by rewrite normr0 expr0n.
by rewrite -(@real_normK _ z) ?num_real// expr2 ler_pmull ?normr_gt0// -gtz0_ge1 normr_gt0.
Qed.
Lemma theta_bound v m : 0 < v -> (theta v m <= (expR v)%:E * theta (v / 2) 0%R)%E.
Proof.
move=> v0; pose k := floor m; pose f := (m - k%:~R).
have f0 : 0 <= f by rewrite subr_ge0 -RfloorE Rfloor_le.
have f1 : f <= 1 by rewrite /f ler_subl_addr addrC -RfloorE; exact: ltW (lt_succ_Rfloor _).
have -> : theta v m = theta v f by rewrite -(theta_shift v f k) subrK.
rewrite /theta /total -esum_scale ?expR_ge0//; last by move=> z; rewrite lee_fin bell_ge0.
apply: le_esum => z _; rewrite -EFinM lee_fin /bell -expRD ler_expR subr0 -subr_ge0.
have -> : v - v / 2 * z%:~R ^+ 2 - - (v * (z%:~R - f) ^+ 2) = v * ((1 - f ^+ 2) + 2^-1 * (z%:~R - f *+ 2) ^+ 2) by field.
have sq : 0 <= 1 - f ^+ 2 by rewrite subr_ge0; exact: exprn_ile1.
have w0 : 0 <= 2^-1 * (z%:~R - f *+ 2) ^+ 2 by rewrite mulr_ge0 ?invr_ge0 ?sqr_ge0.
by rewrite mulr_ge0 ?(ltW v0)// addr_ge0.
Qed.
Lemma theta_finite v m : 0 < v -> (theta v m < +oo)%E.
Proof.
move=> v0; apply: (le_lt_trans (theta_bound m v0)).
have v2 : 0 < v / 2 by rewrite divr_gt0.
have := theta0_finite v2; have := theta_ge0 (v / 2) 0; case: (theta _ _) => [z| |]// _ _.
by rewrite -EFinM ltry.
Qed.
Definition th v m : R := fine (theta v m).
Lemma thE v m : 0 < v -> theta v m = (th v m)%:E.
Proof. by move=> v0; rewrite fineK// ge0_fin_numE ?theta_ge0// theta_finite. Qed.
Lemma th_ge0 v m : 0 <= th v m. Proof. by apply: fine_ge0; exact: theta_ge0. Qed.
Lemma th0_gt0 v : 0 < v -> 0 < th v 0.
Proof.
move=> v0; rewrite -lte_fin -thE//; pose w (z : int) := (bell v (z%:~R - 0))%:E.
have w0 z : (0 <= w z)%E by rewrite lee_fin bell_ge0.
apply: (@lt_le_trans _ _ (w 0)); first by rewrite lte_fin expR_gt0.
rewrite -(@esum_set1 _ _ (0 : int) w)// [leLHS]esum_mkcond; apply: le_esum => z _.
by case: ifP => _; [exact: lexx|exact: w0].
Qed.

(* ---- a product of two sums ---- *)
Definition even_ (p : int * int) : int * int := (p.1 + p.2, p.1 - p.2).
Definition odd_ (p : int * int) : int * int := (p.1 + p.2 + 1, p.1 - p.2).
Lemma even_inj : injective even_. Proof. by move=> [i j] [i' j'] [] /= e f; congr (_, _); lia. Qed.
Lemma odd_inj : injective odd_. Proof. by move=> [i j] [i' j'] [] /= e f; congr (_, _); lia. Qed.
Lemma odd_set : ~` (even_ @` [set: int * int]) = odd_ @` [set: int * int].
Proof.
apply/seteqP; split=> [[z w] /= no|_ [[i j] _ <-] [[i' j'] _] [] /= e f]; last by lia.
pose j := ((z - w) %/ 2)%Z; have := divz_eq (z - w) 2; rewrite -/j.
have := modz_ge0 (z - w) (isT : (2 : int) != 0); have := ltz_pmod (z - w) (isT : 0 < (2 : int)).
move: ((z - w) %% 2)%Z => r r2 r0 E; exists (w + j, j) => //; rewrite /odd_ /=.
have [r1|r1] : r = 0 \/ r = 1 by lia.
  by case: no; exists (w + j, j) => //; rewrite /even_ /=; congr (_, _); lia.
by congr (_, _); lia.
Qed.
Lemma pair_sum (a b : int -> R) : (forall z, 0 <= a z) -> (forall z, 0 <= b z) -> (total a < +oo)%E -> (total b < +oo)%E ->
  (\esum_(p in [set: int * int]) (a p.1 * b p.2)%:E = total a * total b)%E.
Proof.
move=> a0 b0 fa fb; rewrite -[total b]fineK; last by rewrite ge0_fin_numE ?total_ge0.
rewrite muleC -esum_scale ?fine_ge0 ?total_ge0//.
rewrite (_ : [set: int * int] = [set: int] `*`` (fun=> [set: int])); last by apply/seteqP; split.
rewrite -(@esum_esum _ _ _ [set: int] (fun=> [set: int]) (fun z w => (a z * b w)%:E)); last by move=> z w; rewrite lee_fin mulr_ge0.
apply: eq_esum => z _; rewrite fineK ?ge0_fin_numE ?total_ge0// muleC /total -esum_scale//.
Qed.
Lemma theta_mul v x y : 0 < v ->
  th v x * th v y = th (v *+ 2) ((x + y) / 2) * th (v *+ 2) ((x - y) / 2) +
                    th (v *+ 2) ((x + y - 1) / 2) * th (v *+ 2) ((x - y - 1) / 2).
Proof.
move=> v0; have v2 : 0 < v *+ 2 by rewrite pmulrn_lgt0.
have fin u m : 0 < u -> (total (fun z : int => bell u (z%:~R - m)) < +oo)%E by exact: theta_finite.
have pos u m (z : int) : 0 <= bell u (z%:~R - m) by exact: bell_ge0.
have prod u m n : 0 < u -> ((th u m * th u n)%:E =
    \esum_(p in [set: int * int]) (bell u (p.1%:~R - m) * bell u (p.2%:~R - n))%:E)%E.
  move=> u0; rewrite (pair_sum (pos u m) (pos u n) (fin u m u0) (fin u n u0)) EFinM -!thE//.
apply: EFin_inj; rewrite EFinD !prod//.
rewrite (esumID (even_ @` [set: int * int])); last by move=> p _; rewrite lee_fin mulr_ge0 ?bell_ge0.
rewrite !setTI odd_set esum_image; last by move=> p q _ _; exact: even_inj.
rewrite esum_image; last by move=> p q _ _; exact: odd_inj.
by congr (_ + _)%E; apply: eq_esum => [[i j] _] /=; congr EFin; rewrite /bell -!expRD; congr expR;
  rewrite ?rmorphD ?rmorphB /=; field.
Qed.

Lemma theta_mul_at v x y p q p' q' : 0 < v -> p *+ 2 = x + y -> q *+ 2 = x - y -> p' *+ 2 = x + y - 1 -> q' *+ 2 = x - y - 1 ->
  th v x * th v y = th (v *+ 2) p * th (v *+ 2) q + th (v *+ 2) p' * th (v *+ 2) q'.
Proof.
have half (u w : R) : u *+ 2 = w -> w / 2 = u by move=> <-; field.
by move=> v0 /half <- /half <- /half <- /half <-; exact: theta_mul.
Qed.

(* ---- the sum is largest at 0 ---- *)
Lemma theta_four v m : 0 < v -> th v m ^+ 4 <= th v (m *+ 2) * th v 0 ^+ 3.
Proof.
move=> v0.
pose A := th (v *+ 2) m; pose A' := th (v *+ 2) (m - 2^-1); pose B := th (v *+ 2) 0; pose B' := th (v *+ 2) (- 2^-1).
have e1 : th v m ^+ 2 = A * B + A' * B' by rewrite expr2; apply: theta_mul_at => //; field.
have e2 : th v (m *+ 2) * th v 0 = A ^+ 2 + A' ^+ 2 by rewrite [A ^+ 2]expr2 [A' ^+ 2]expr2; apply: theta_mul_at => //; field.
have e3 : th v 0 ^+ 2 = B ^+ 2 + B' ^+ 2 by rewrite expr2 [B ^+ 2]expr2 [B' ^+ 2]expr2; apply: theta_mul_at => //; field.
rewrite (_ : th v m ^+ 4 = (th v m ^+ 2) ^+ 2); last by rewrite -exprM.
rewrite (_ : th v (m *+ 2) * th v 0 ^+ 3 = (th v (m *+ 2) * th v 0) * th v 0 ^+ 2); last by ring.
rewrite e1 e2 e3 -subr_ge0.
by rewrite (_ : _ - _ = (A * B' - A' * B) ^+ 2) ?sqr_ge0//; ring.
Qed.
Theorem theta_le v m : 0 < v -> th v m <= th v 0.
Proof.
move=> v0; have t0 := th0_gt0 v0; rewrite leNgt; apply/negP => bad.
pose r n := th v n / th v 0; have r0 n : 0 <= r n by rewrite divr_ge0 ?th_ge0.
have four n : r n ^+ 4 <= r (n *+ 2).
  rewrite /r exprMn exprVn ler_pdivr_mulr ?exprn_gt0// mulrAC ler_pdivl_mulr//.
  by apply: le_trans (ler_wpmul2r (ltW t0) (theta_four n v0)) _; rewrite le_eqVlt; apply/orP; left; apply/eqP; ring.
pose d := r m - 1; have d0 : 0 < d by rewrite subr_gt0 ltr_pdivl_mulr// mul1r.
pose C := fine ((expR v)%:E * theta (v / 2) 0)%E / th v 0.
have bound n : r n <= C.
  rewrite /r /C; apply: ler_wpmul2r; first by rewrite invr_ge0 ltW.
  have v2 : 0 < v / 2 by rewrite divr_gt0.
  by rewrite -lee_fin -thE// (thE 0 v2) -EFinM /= EFinM -(thE 0 v2); exact: theta_bound.
have grow n : 1 + d *+ n.+1 <= r (m *+ (2 ^ n)%N).
  elim: n => [|n IH]; first by rewrite mulr1n /d expn0 mulr1n addrCA subrr addr0.
  rewrite expnSr mulrnA; apply: le_trans (four _); apply: le_trans (ler_expn2r 4 _ _ IH); rewrite ?nnegrE ?r0//; last first.
    by rewrite addr_ge0// mulrn_wge0// ltW.
  pose e := d *+ n.+1; have e0 : 0 < e by rewrite pmulrn_lgt0.
  have de : d <= e by rewrite -[leLHS]mulr1n ler_wpmuln2l// ltW.
  apply: (@le_trans _ _ (1 + e + e)); first by rewrite mulrSr addrA ler_add2l.
  have -> : (1 + e) ^+ 4 = (1 + e + e) + (e *+ 2 + e ^+ 2 *+ 6 + e ^+ 3 *+ 4 + e ^+ 4) by ring.
  rewrite ler_addl; have p k : 0 <= e ^+ k by apply: exprn_ge0; exact: ltW.
  by apply: addr_ge0 (p 4%N); apply: addr_ge0; [apply: addr_ge0|]; apply: mulrn_wge0 => //; exact: ltW.
have [n] : exists n : nat, C < d *+ n.+1.
  have c0 : 0 <= C / d by rewrite divr_ge0 ?(ltW d0)//; apply: le_trans (bound 0); exact: r0.
  exists (Num.bound (C / d)); have := archi_boundP c0; rewrite ltr_pdivr_mulr// => h.
  apply: (lt_le_trans h); rewrite mulr_natl ler_wpmuln2l// ltW//.
move=> h; have := le_trans (grow n) (bound _); rewrite leNgt => /negP; apply.
by apply: (lt_le_trans h); rewrite ler_addr.
Qed.

(* ---- DGAUSS ---- *)
Lemma dgauss_total e s : total (@dgauss_w R e s) = total (@dgauss_w R 0 s).
Proof. by apply: (@total_shift _ _ _ e) => z; rewrite /dgauss_w subr0. Qed.
Lemma bell_gauss s x : 0 < s -> bell (s ^+ 2 *+ 2)^-1 x = expR (- (x ^+ 2 / (s ^+ 2 *+ 2))).
Proof. by move=> s0; rewrite /bell mulrC. Qed.

Theorem dgauss (S : Type) (center : S -> int) (scale_of : S -> R) (u : S -> int -> S) (d c : S -> S -> R -> R) (Psi : assn R S) :
  zjudge (Draw (fun s => discrete_gaussian (center s) (scale_of s)) u)
    (fun s s' j => near_centers (fun s => (center s)%:~R) scale_of d c s s' j /\ forall y : int, Psi (u s y) (u s' y) (j + c s s' j)) Psi.
Proof.
apply: z_sample => m m' j [[s0 ss near bound] HP]; exists (fun=> True), (c m m' j); split=> [a a0|y _]; last exact: HP.
rewrite -ss; set s := scale_of m in s0 *; set mid := (1 + a) * (center m)%:~R - a * (center m')%:~R.
have v0 : 0 < (s ^+ 2 *+ 2)^-1 :> R by rewrite invr_gt0 two_squares.
have Z0 : 0 < fine (total (@dgauss_w R 0 s)).
  rewrite (_ : fine _ = th (s ^+ 2 *+ 2)^-1 0) ?th0_gt0//; congr (fine (total _)); apply/funext => z.
  by rewrite /dgauss_w s0 bell_gauss// !subr0.
apply: (@zstar_mass R a _ a0 _ _ _ (fun z => bell (s ^+ 2 *+ 2)^-1 (z%:~R - mid) / fine (total (@dgauss_w R 0 s)))).
- by move=> z; rewrite divr_ge0 ?bell_ge0// ltW.
- under eq_esum do rewrite mulrC EFinM.
  rewrite esum_scale ?invr_ge0 ?(ltW Z0)//; last by move=> z; rewrite lee_fin bell_ge0.
  rewrite -/(total (fun z : int => bell (s ^+ 2 *+ 2)^-1 (z%:~R - mid))) -/(theta _ _) thE// -EFinM lee_fin.
  rewrite mulrC ler_pdivr_mulr// mul1r (_ : fine _ = th (s ^+ 2 *+ 2)^-1 0) ?theta_le//; congr (fine (total _)); apply/funext => z.
  by rewrite /dgauss_w s0 bell_gauss// !subr0.
move=> z; rewrite /norm_mass (dgauss_total (center m)) (dgauss_total (center m')) bell_gauss//.
move: (fine _) Z0 => Z Z0; rewrite /dgauss_w s0 !rmorphB /=.
exact: (@gauss_moved R a (c m m' j) s (d m m' j) _ _ _ Z a0 s0 (ltW Z0) near bound).
Qed.
End Theta.
