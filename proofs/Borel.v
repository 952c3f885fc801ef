(* LAPLACE-LAW, DIFFERENCE-LAW and SIGN-LAW without a word of measurability: what follows the draws is a program over a memory (Memory.v), and every such program makes a measurable function of what is drawn
   of every measurable test, so that two draws in turn may be read as one (noise_law); the laws of the kernel are laplace_in_program, difference_in_program and sign_in_program, each for
   the draws in the order in which its theorem asks for measurable tests.

   add c (Memory.v) is shown along c, a lemma for each statement, from what its expressions are: functions of the language make measurable functions of the memory of such (rm_..., bm_...).  What is drawn may have
   parameters that the program computes, if its density is a measurable function of the memory and of what is drawn (a_density_at).  Read: noise_law. *)
From Probity Require Import PreludeReals.
From mathcomp.classical Require Import functions.
From mathcomp.analysis Require Import measure lebesgue_measure numfun lebesgue_integral.
From Probity Require Import Laws Additive Density Continuous Logarithm SignedLog TwoSided Plane Certificate Pairs Memory.
Open Scope R_scope.

Section Borel.
Variables (I V : Type) (enc : memory -> V).
Notation S := (I * V)%type.
Notation prog := (stmt RR S).
Hypothesis held : forall v, exists x, enc x = v.
Notation add := (@add I V enc).
Notation good := (@good I V enc).

Section Drawn.
Variables (n : nat) (put : V -> R -> V).
Hypothesis putE : forall (x : memory) (y : R), enc (with_ x n y) = put (enc x) y.

(* the expectation of what follows, as a function of what is drawn *)
Lemma after_measurable (f : S -> \bar RR) i v : good f -> @measurable_fun _ _ TT _ setT (fun z => f (i, put v z)).
Proof.
move=> gf; have [x <-] := held v.
rewrite (_ : (fun z => _) = (fun y => f (i, enc y)) \o (fun z => with_ x n z)); last by apply/funext => z /=; rewrite putE.
by apply: (measurable_fun_comp (gf i)); apply: with_measurable; [exact: measurable_fun_cst|exact: measurable_fun_id].
Qed.

(* two draws of which the rest reads t(a, b) only, and one of the law of t(a, b) *)
Theorem noise_law A B (D1 : law RR A) (D2 : law RR B) (t : A -> B -> R) (D3 : law RR R) (rest : prog) (f : S -> \bar RR) i v :
  (forall g : R -> \bar RR, (forall z, 0 <= g z)%E -> @measurable_fun _ _ TT _ setT g -> D1 (fun x => D2 (fun y => g (t x y))) = D3 g) -> add rest -> nneg f -> good f ->
  D1 (fun x => D2 (fun y => wp rest f (i, put v (t x y)))) = wp (seq_ (draw_ (fun _ _ => D3) put) rest) f (i, v).
Proof.
move=> mk [kept _] f0 gf; rewrite /= -(mk (fun z => wp rest f (i, put v z)))// => [z|]; first exact: wp_ge0.
by apply: after_measurable; exact: kept.
Qed.
Theorem laplace_in_program (rest : prog) f i v : add rest -> nneg f -> good f ->
  @uniform RR (fun u => @sign RR (fun s => wp rest f (i, put v (s * @exp.ln RR u)%R))) = wp (seq_ (draw_ (fun _ _ => laplace_ 0 1) put) rest) f (i, v).
Proof. by apply: (noise_law (t := fun u s => (s * @exp.ln RR u)%R)) => g g0 mg; exact: laplace_law. Qed.
Theorem difference_in_program (b : R) (rest : prog) f i v : add rest -> nneg f -> good f ->
  @exponential RR b (fun x => @exponential RR b (fun y => wp rest f (i, put v (x - y)))) = wp (seq_ (draw_ (fun _ _ => laplace_ 0 b) put) rest) f (i, v).
Proof. by apply: (noise_law (t := fun x y => x - y)) => g g0 mg; exact: difference_law. Qed.
Theorem sign_in_program (b : R) (rest : prog) f i v : add rest -> nneg f -> good f ->
  @exponential RR b (fun x => @sign RR (fun s => wp rest f (i, put v (s * x)%R))) = wp (seq_ (draw_ (fun _ _ => laplace_ 0 b) put) rest) f (i, v).
Proof. by apply: (noise_law (t := fun x s => (s * x)%R)) => g g0 mg; exact: sign_law_turned. Qed.

(* ---- draws with parameters that the program computes ---- *)
Let leb : ({measure set TT -> \bar RR})%R := [the measure _ _ of @lebesgue_measure RR].
Notation MT := [the measurableType _ of (memory * TT)%type].
Lemma a_density_at (w : I -> V -> TT -> RR) (w0 : forall i v y, (0 <= w i v y)%R) (mw : forall i v, @measurable_fun _ _ TT TT setT (w i v)) :
  (forall i, @measurable_fun _ _ MT TT setT (fun z => w i (enc z.1) z.2)) ->
  add (draw_ (fun i v => wdlaw leb (w0 i v) (mw i v)) put).
Proof.
move=> joint.
have jointE i : @measurable_fun _ _ MT _ setT (fun z => (w i (enc z.1) z.2)%:E) by apply/EFin_measurable_fun; exact: joint.
have total i : @measurable_fun _ _ memory TT setT (fun x => fine (wtotal leb (w i (enc x)))).
  apply: measurable_fun_comp; first exact: measurable_fun_fine.
  rewrite (_ : (fun x => _) = fubini_F leb (fun z => (w i (enc z.1) z.2)%:E))//.
  by apply: (measurable_fun_fubini_tonelli_F (leb_sigma_finite RR)) => // z; rewrite lee_fin.
have mp i : @measurable_fun _ _ MT _ setT (fun z => (wp_ leb (w i (enc z.1)) z.2)%:E).
  apply/EFin_measurable_fun; rewrite /wp_; apply: measurable_funM; first exact: joint.
  have mi : @measurable_fun _ _ TT TT setT (fun y : R => (y : RR)^-1%R).
    rewrite (_ : (fun y => _) = fun y => if y == 0 :> RR then 0%R else / y); last first.
      by apply/funext => y; case: eqP => [->|/eqP y0]; [rewrite invr0|rewrite RinvE].
    rewrite (_ : (fun y => _) = Rinv); first by apply: m_inv; exact: m_id.
    by apply/funext => y; case: eqP => // ->; rewrite Rinv_0.
  by apply: (measurable_fun_comp mi); apply: (measurable_fun_comp (total i)); exact: mfst.
have p0 i v y : (0 <= (wp_ leb (w i v) y)%:E)%E by rewrite lee_fin; exact: (wp_ge0_ leb (w0 i v)).
split=> [f f0 gf i|f_ f0 gf].
  pose F (z : memory * TT) : \bar RR := ((wp_ leb (w i (enc z.1)) z.2)%:E * f (i, enc (with_ z.1 n z.2)))%E.
  rewrite (_ : (fun x => _) = fubini_F leb F); last first.
    by apply/funext => x; rewrite /fubini_F /F /=; apply: eq_integral => y _; rewrite putE.
  apply: (measurable_fun_fubini_tonelli_F (leb_sigma_finite RR)).
    apply: emeasurable_funM; first exact: mp.
    apply: (measurable_fun_comp (gf i)); apply: with_measurable; [exact: mfst|exact: msnd].
  by move=> z; apply: mule_ge0; [exact: p0|exact: f0].
apply/funext => -[i v]; have [x <-] := held v; rewrite /= /dev.
have mf k : @measurable_fun _ _ TT _ setT (fun y => f_ k (i, put (enc x) y)).
  rewrite (_ : (fun y => _) = (fun z => f_ k (i, enc z)) \o (fun y => with_ x n y)); last by apply/funext => y /=; rewrite putE.
  by apply: (measurable_fun_comp (gf k i)); apply: with_measurable; [exact: measurable_fun_cst|exact: measurable_fun_id].
have mpx : @measurable_fun _ _ TT _ setT (fun y => (wp_ leb (w i (enc x)) y)%:E).
  by apply/EFin_measurable_fun; exact: (wp_meas leb (mw i (enc x))).
rewrite -integral_nneseries//; last first.
- by move=> k y _; apply: mule_ge0; [exact: p0|exact: f0].
- by move=> k; apply: emeasurable_funM; [exact: mpx|exact: mf].
by apply: eq_integral => y _; rewrite nneseriesrM// => k _; exact: f0.
Qed.
End Drawn.
End Borel.
