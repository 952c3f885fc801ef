(* Certificates that draw a uniform u and a sign s, for exported texts: SIGNED-LOG (j_signed_log) and LAPLACE-LAW (pair_laplace).

   The program that a text claims something of draws u and s in turn; the derivation is about a program that draws both at once (draw_pair_), or z from
   Laplace's law.  Both have the same expectation of a test that is measurable in u (pair_in_turn, pair_laplace), so what follows is privacy for Borel sets of
   outputs, dp_borel.  That a test is measurable is shown along the expression that is released: mfun, a lemma for each function of the language.

   Read: dp_borel, sign_. *)
From Flocq Require Import Core.
From Probity Require Import PreludeReals.
From mathcomp.classical Require Import functions.
From mathcomp.analysis Require Import real_interval.
From mathcomp.analysis Require Import measure lebesgue_measure numfun lebesgue_integral.
From Probity Require Import Laws Continuous Logarithm SignedLog Certificate Blocks.
From Probity Require Rules.
Open Scope R_scope.

(* ---- measurable functions of one real ---- *)
Notation TT := (measurableTypeR RR).
Definition mfun (h : R -> R) : Prop := @borel_fun RR h.
Lemma m_const c : mfun (fun=> c). Proof. exact: measurable_fun_cst. Qed.
Lemma m_id : mfun (fun u => u). Proof. exact: measurable_fun_id. Qed.
Lemma m_comp (f g : R -> R) : mfun f -> mfun g -> mfun (fun u => f (g u)).
Proof. by move=> mf mg; exact: (measurable_fun_comp mf mg). Qed.
Lemma m_plus f g : mfun f -> mfun g -> mfun (fun u => f u + g u).
Proof. by move=> mf mg; exact: (@measurable_funD _ TT RR setT _ _ mf mg). Qed.
Lemma m_times f g : mfun f -> mfun g -> mfun (fun u => f u * g u).
Proof. by move=> mf mg; exact: (@measurable_funM _ TT RR setT _ _ mf mg). Qed.
Lemma m_neg f : mfun f -> mfun (fun u => - f u).
Proof. by move=> mf; exact: (@measurable_funN _ TT RR setT _ mf). Qed.
Lemma m_minus f g : mfun f -> mfun g -> mfun (fun u => f u - g u).
Proof. by move=> mf mg; apply: m_plus => //; exact: m_neg. Qed.
(* a function that does not fall *)
Lemma m_monotone (f : R -> R) : (forall x y, x <= y -> f x <= f y) -> mfun f.
Proof.
move=> up; apply: (measurability (RGenOInfty.measurableE RR)) => //.
move=> _ [_ [a ->] <-]; rewrite setTI.
apply: is_interval_measurable => x y; rewrite /= !in_itv /= !andbT => fx fy z /andP[/RleP xz _].
by rewrite in_itv /= andbT; apply: lt_le_trans fx _; apply/RleP; exact: up.
Qed.
Lemma m_inv f : mfun f -> mfun (fun u => / f u).
Proof.
move=> mf; apply: (@m_comp Rinv) => //.
pose p (x : R) := if (0 < x)%R then (x : RR)^-1%R else 0%R.
have mp : mfun p by exact: (@minv RR).
rewrite (_ : Rinv = fun x => p x - p (- x)).
  by apply: m_minus => //; apply: (@m_comp p) => //; apply: m_neg; exact: m_id.
have pE x : p x = if Rlt_dec 0 x then / x else 0.
  rewrite /p; case: Rlt_dec => h; last by rewrite ifF//; apply/negbTE/negP => /RltP.
  rewrite ifT; last exact/RltP.
  by rewrite RinvE//; apply/eqP => x0; rewrite x0 in h; exact: (Rlt_irrefl 0).
apply/funext => x; rewrite !pE; case: (Rtotal_order x 0) => [h|[->|h]].
- case: Rlt_dec => h1 /=; [lra|]; case: Rlt_dec => h2 /=; [rewrite Rinv_opp|]; lra.
- by rewrite Ropp_0 Rinv_0; case: Rlt_dec => h1 /=; lra.
- by case: Rlt_dec => h1 /=; [|lra]; case: Rlt_dec => h2 /=; lra.
Qed.
Lemma m_over f g : mfun f -> mfun g -> mfun (fun u => f u / g u).
Proof. by move=> mf mg; apply: m_times => //; exact: m_inv. Qed.
Lemma ln_all (x : R) : ln_ x = @exp.ln RR x.
Proof.
case: (Rlt_dec 0 x) => h; first exact: ln_ln.
by rewrite /ln_; case: Rlt_dec => // _; rewrite ln0//; apply/RleP; exact: Rnot_lt_le.
Qed.
Lemma m_ln f : mfun f -> mfun (fun u => ln_ (f u)).
Proof.
move=> mf; apply: (@m_comp ln_) => //; rewrite (_ : ln_ = @exp.ln RR); first exact: (@mln RR).
by apply/funext => x; exact: ln_all.
Qed.
Lemma m_exp f : mfun f -> mfun (fun u => exp (f u)).
Proof. by move=> mf; apply: (@m_comp exp) => //; apply: m_monotone => x y [/exp_increasing/Rlt_le|->] //; exact: Rle_refl. Qed.
Lemma m_abs f : mfun f -> mfun (fun u => Rabs (f u)).
Proof. by move=> mf; apply: (@m_comp Rabs) => //; exact: (@measurable_fun_normr RR setT). Qed.
Lemma m_max f g : mfun f -> mfun g -> mfun (fun u => Rmax (f u) (g u)).
Proof.
move=> mf mg; rewrite (_ : (fun u => _) = fun u => / 2 * (f u + g u + Rabs (f u - g u))).
  apply: m_times; first exact: m_const.
  by apply: m_plus; [exact: m_plus|apply: m_abs; exact: m_minus].
by apply/funext => u; rewrite /Rmax /Rabs; case: Rle_dec; case: Rcase_abs; lra.
Qed.
Lemma m_min f g : mfun f -> mfun g -> mfun (fun u => Rmin (f u) (g u)).
Proof.
move=> mf mg; rewrite (_ : (fun u => _) = fun u => - Rmax (- f u) (- g u)).
  by apply: m_neg; apply: m_max; exact: m_neg.
by apply/funext => u; rewrite /Rmax /Rmin; case: Rle_dec; case: Rle_dec; lra.
Qed.
Lemma m_clamp f g h : mfun f -> mfun g -> mfun h -> mfun (fun u => clamp (f u) (g u) (h u)).
Proof. by move=> mf mg mh; apply: m_max => //; exact: m_min. Qed.
Lemma m_floor f : mfun f -> mfun (fun u => floor_ (f u)).
Proof. by move=> mf; apply: (@m_comp floor_) => //; apply: m_monotone => x y; exact: floor_monotone. Qed.
(* to a grid that does not depend on u *)
Lemma m_round f g : mfun f -> mfun (fun u => round_to (f u) g).
Proof.
move=> mf; apply: (@m_comp (round_to^~ g)) => //; rewrite /round_to; case: Rlt_dec => h; last exact: m_const.
by apply: m_monotone => x y xy; have := @round_monotone x y g h xy; rewrite /round_to; case: Rlt_dec.
Qed.
(* by the form of the expression; nothing is computed *)
Ltac measurable := cbv beta; lazymatch goal with
  | |- mfun (fun u => u) => exact m_id
  | |- mfun (fun _ => ?c) => exact (m_const c)
  | |- mfun (fun u => @?f u + @?g u) => refine (@m_plus f g _ _); measurable
  | |- mfun (fun u => @?f u - @?g u) => refine (@m_minus f g _ _); measurable
  | |- mfun (fun u => @?f u * @?g u) => refine (@m_times f g _ _); measurable
  | |- mfun (fun u => @?f u / @?g u) => refine (@m_over f g _ _); measurable
  | |- mfun (fun u => - @?f u) => refine (@m_neg f _); measurable
  | |- mfun (fun u => / @?f u) => refine (@m_inv f _); measurable
  | |- mfun (fun u => inv (@?f u)) => refine (@m_inv f _); measurable
  | |- mfun (fun u => ln_ (@?f u)) => refine (@m_ln f _); measurable
  | |- mfun (fun u => exp (@?f u)) => refine (@m_exp f _); measurable
  | |- mfun (fun u => Rabs (@?f u)) => refine (@m_abs f _); measurable
  | |- mfun (fun u => Rmax (@?f u) (@?g u)) => refine (@m_max f g _ _); measurable
  | |- mfun (fun u => Rmin (@?f u) (@?g u)) => refine (@m_min f g _ _); measurable
  | |- mfun (fun u => clamp (@?f u) (@?g u) (@?h u)) => refine (@m_clamp f g h _ _ _); measurable
  | |- mfun (fun u => floor_ (@?f u)) => refine (@m_floor f _); measurable
  | |- mfun (fun u => round_to (@?f u) ?g) => refine (@m_round f g _); measurable
  end.

(* ---- Borel sets of outputs ---- *)
Definition borel_set (E : R -> Prop) : Prop := @borel RR E.
Definition dp_borel (S : Type) (out : S -> R) (c : stmt RR S) (eps delta : R) (m m' : S) := @dp_on RR S R borel_set out c eps delta m m'.
(* the sets are those that one thinks of *)
Lemma borel_ray a : borel_set (fun y => y <= a).
Proof.
apply: is_interval_measurable => x y /= xa ya z /andP[_ /RleP zy]; exact: Rle_trans ya.
Qed.
Lemma borel_complement E : borel_set E -> borel_set (fun y => ~ E y). Proof. exact: measurableC. Qed.
Lemma borel_union (E : nat -> R -> Prop) : (forall n, borel_set (E n)) -> borel_set (fun y => exists n, E n y).
Proof.
move=> mE; have := @bigcupT_measurable _ TT E mE; congr (measurable _).
by apply/seteqP; split=> y [n]; [move=> _ ?; exists n|move=> ?; exists n].
Qed.
Lemma dp_dp_borel (S : Type) (out : S -> R) (c : stmt RR S) eps delta m m' : @dp RR S R out c eps delta m m' -> dp_borel out c eps delta m m'.
Proof. by move=> H E _; exact: H. Qed.

Lemma measurable_ind (E : R -> Prop) (h : R -> R) : borel_set E -> mfun h ->
  @measurable_fun _ _ TT _ setT (fun u : TT => (if `[< E (h u) >] then 1 else 0)%E : \bar RR).
Proof.
move=> mE mh; pose A : set TT := fun u => E (h u).
have mA : measurable A by have := mh measurableT _ mE; rewrite setTI.
rewrite (_ : (fun u => _) = EFin \o (indic A : TT -> RR)); first by apply/EFin_measurable_fun; exact: mindic.
apply/funext => u /=; rewrite indicE; case: asboolP => H; first by rewrite mem_set.
by rewrite memNset.
Qed.

Lemma same_ind (E : R -> Prop) (x y : R) : x = y -> ((if `[< E x >] then 1 else 0) = (if `[< E y >] then 1 else 0) :> \bar RR)%E.
Proof. by move=> ->. Qed.

(* ---- draws ---- *)
Definition sign_ : law RR int := flaw true [:: ((2 : RR)^-1, 1 : int); ((2 : RR)^-1, -1 : int)]%R.
Definition sgn (s : RR) : int := if (0 <= s)%R then 1%R else (-1)%R.
Lemma sign_int (f : int -> \bar RR) : (forall y, 0 <= f y)%E -> sign_ f = sign RR (fun s => f (sgn s)).
Proof.
move=> f0; rewrite signE /sign_ flawE; last first.
  by rewrite /fine_list /= invr_ge0 ler0n /= big_cons big_cons big_nil /= addr0 half2 lexx.
rewrite !big_cons big_nil /= adde0 /sgn ler01; congr (_ + _ * f _)%E.
by rewrite ler0N1.
Qed.

Section Pairs.
Variables (I V : Type) (i1 i2 : I).
Notation S := (I * V)%type.
Notation prog := (stmt RR S).
Definition draw_pair_ (pu : V -> R -> V) (ps : V -> Z -> V) : prog :=
  Draw (fun=> uniform_and_sign RR) (fun (s : S) x => (s.1, ps (pu s.2 x.1) (Z_of_int (sgn x.2)))).

(* the same law after a common beginning *)
Lemma seq_same (c d d' : prog) f f' : (forall m, wp d f m = wp d' f' m) -> forall m, wp (seq_ c d) f m = wp (seq_ c d') f' m.
Proof. by move=> H m; rewrite /seq_ /=; congr (wp c _ m); apply/funext. Qed.
Lemma pair_in_turn pu ps (rest : prog) f m : nneg f ->
  (forall z, @measurable_fun _ _ TT _ setT (fun u : TT => wp rest f (m.1, ps (pu m.2 u) z))) ->
  wp (seq_ (draw_ (fun _ _ => uniform_) pu) (seq_ (drawZ_ (fun _ _ => sign_) ps) rest)) f m = wp (seq_ (draw_pair_ pu ps) rest) f m.
Proof.
move=> f0 mf; have w0 := wp_ge0 rest f0.
transitivity (@uniform RR (fun u => sign RR (fun s => wp rest f (m.1, ps (pu m.2 u) (Z_of_int (sgn s)))))).
  by congr (ev (@uniform RR)); apply/funext => u; rewrite -(sign_int (f := fun y => wp rest f (m.1, ps (pu m.2 u) (Z_of_int y)))).
rewrite (swap (f := fun u s => wp rest f (m.1, ps (pu m.2 u) (Z_of_int (sgn s)))))//.
Qed.
(* LAPLACE-LAW *)
Theorem pair_laplace pu ps pn (rest rest' : prog) f f' m : nneg f -> nneg f' ->
  (forall u z, wp rest f (m.1, ps (pu m.2 u) z) = wp rest' f' (m.1, pn m.2 (IZR z * ln_ u))) ->
  @measurable_fun _ _ TT _ setT (fun z : TT => wp rest' f' (m.1, pn m.2 z)) ->
  wp (seq_ (draw_ (fun _ _ => uniform_) pu) (seq_ (drawZ_ (fun _ _ => sign_) ps) rest)) f m =
  wp (seq_ (draw_ (fun _ _ => laplace_ 0 1) pn) rest') f' m.
Proof.
move=> f0 f0' E mg; have w0 := wp_ge0 rest f0; have w0' := wp_ge0 rest' f0'.
transitivity (@uniform RR (fun u => sign RR (fun s => wp rest' f' (m.1, pn m.2 (s * @exp.ln RR u)%R)))).
  congr (ev (@uniform RR)); apply/funext => u.
  transitivity (sign_ (fun y => wp rest f (m.1, ps (pu m.2 u) (Z_of_int y)))) => //.
  rewrite sign_int// !signE !E !ln_all; congr (_ * wp rest' f' (_, pn _ _) + _ * wp rest' f' (_, pn _ _))%E.
    by rewrite /sgn ler01.
  by rewrite /sgn ler0N1.
exact: (@laplace_law RR (fun z => wp rest' f' (m.1, pn m.2 z)) (fun=> w0' _) mg).
Qed.

(* SIGNED-LOG; u, s, u', s' are arbitrary values that occur nowhere in Q *)
Section Rule.
Variables (n1 n2 n3 n4 : nat) (Q : bassn V).
Definition with_pair a u s u' s' := with_int (with_real (with_int (with_real a n1 u) n2 s) n3 u') n4 s'.
Lemma j_signed_log (pu : V -> R -> V) (ps : V -> Z -> V) (by_ cost after : V -> V -> R -> R) :
  Nat.eqb n1 n3 = false -> Nat.eqb n2 n4 = false ->
  (forall a u s u' s' v v' k, Q (with_pair a u s u' s') v v' k = Q a v v' k) ->
  (forall v v' k, after v v' k = k + cost v v' k) ->
  J i1 i2 0 (draw_pair_ pu ps)
    (fun a v v' k => leR (Rabs (by_ v v' k)) (cost v v' k) &&
      (~~ ((((ltR 0 (real_ a n1) && leR (real_ a n1) 1) && (ltR 0 (real_ a n3) && leR (real_ a n3) 1)) &&
             (eqR (IZR (int_ a n2)) 1 || eqR (IZR (int_ a n2)) (-1))) &&
            (eqR (IZR (int_ a n4)) 1 || eqR (IZR (int_ a n4)) (-1)) &&
           eqR (IZR (int_ a n4) * ln_ (real_ a n3)) (IZR (int_ a n2) * ln_ (real_ a n1) + by_ v v' k)) ||
       Q a (ps (pu v (real_ a n1)) (int_ a n2)) (ps (pu v' (real_ a n3)) (int_ a n4)) (after v v' k))) Q.
Proof.
move=> ne ne' fresh charged.
pose put_u (s : S) u : S := (s.1, pu s.2 u); pose put_s (s : S) (z : R) : S := (s.1, ps s.2 (Z_of_int (sgn z))).
have L := @signed_log_at_once RR S put_u put_s (fun s s' k => by_ s.2 s'.2 k) (fun s s' k => cost s.2 s'.2 k) (at_ i1 i2 Q).
apply: Rules.strengthen L => s s' k [e [e' H]]; split.
  by have := H arb0 => /and_true[/leRP h _]; exact/RleP.
move=> u z u' z' [/andP[/RltP u0 /RleP u1] /andP[/RltP u0' /RleP u1'] hz hz' J].
split; [|split] => //= a; have := H (with_pair a u (Z_of_int (sgn z)) u' (Z_of_int (sgn z'))) => /and_true[_].
have n31 : Nat.eqb n3 n1 = false by rewrite Nat.eqb_sym.
rewrite /= /with_ !Nat.eqb_refl ne ne' -/(with_pair a u (Z_of_int (sgn z)) u' (Z_of_int (sgn z'))) fresh charged.
have sE (x : R) : (x = 1 \/ x = -1)%R -> IZR (Z_of_int (sgn x)) = x /\ (eqR (IZR (Z_of_int (sgn x))) 1 || eqR (IZR (Z_of_int (sgn x))) (-1)) = true.
  case=> -> ; rewrite /sgn ?ler01 ?ler0N1 /=; split=> //; apply/orP; [left|right]; exact/eqRP.
have [zE zT] := sE _ hz; have [zE' zT'] := sE _ hz'.
rewrite zT zT' zE zE' (_ : eqR _ (_ + _) = true); last by apply/eqRP; rewrite !ln_all; exact: J.
by rewrite (proj2 (ltRP _ _) u0) (proj2 (leRP _ _) u1) (proj2 (ltRP _ _) u0') (proj2 (leRP _ _) u1').
Qed.
End Rule.
End Pairs.
