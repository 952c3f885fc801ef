(* Two draws that make one, with statements between them (replace_draws of trusted/kernel/src/rules/equivalence.rs, for RESPONSE-LAW, MIXTURE-LAW, LAPLACE-LAW, DIFFERENCE-LAW and SIGN-LAW).

   a ~ D1; c; b ~ D2; d  =  z ~ D3; c; d'.  What the kernel checks on the text is here what it says about meanings: c neither reads nor sets a and does not change the parameters of D2, and d reads a
   and b only in t(a, b), where d' reads z.  The second draw is moved past c (exchanged in Centered.v, along the program by Exchange.v); then the law of t(a, b) is that of z (two_draws).  The laws are in
   Equivalence.v, SignedLog.v and TwoSided.v, for the draws in one order; in the other order they are here.  Read: two_draws. *)
From Probity Require Import PreludeIntegral Judgement Laws Density Continuous Logarithm SignedLog Equivalence Branches Plane Centered Exchange TwoSided.
From Probity Require Rules.
Local Open Scope classical_set_scope.
Local Open Scope ring_scope.
Local Open Scope ereal_scope.

(* t(a, b), for a test of the class K, has the law of z *)
Definition makes (R : realType) (A B Z : Type) (K : (Z -> \bar R) -> Prop) (D1 : law R A) (D2 : law R B) (t : A -> B -> Z) (D3 : law R Z) :=
  forall g : Z -> \bar R, (forall z, 0 <= g z) -> K g -> D1 (fun x => D2 (fun y => g (t x y))) = D3 g.

Section Between.
Variables (R : realType) (S S' A B Z : Type).
(* same: equal but for a, b and z; T: and z has the value of t(a, b) *)
Theorem two_draws (K : (Z -> \bar R) -> Prop) (same : S -> S' -> Prop) (agree : S -> S -> Prop) (T T' : S -> S' -> Prop)
    (D1 : S -> law R A) (D2 : S -> law R B) (D3 : S' -> law R Z) (set_a : S -> A -> S) (set_b : S -> B -> S) (set_z : S' -> Z -> S') (t : A -> B -> Z)
    (c d : stmt R S) (c' d' : stmt R S') f f' m m' :
  (* c neither reads nor sets a, and a and c do not change the parameters of D2; c' neither reads nor sets z *)
  (forall h m x, nneg h -> wp c h (set_a m x) = wp c (fun s => h (set_a s x)) m) ->
  (forall h m z, nneg h -> wp c' h (set_z m z) = wp c' (fun s => h (set_z s z)) m) ->
  (forall s x, D2 (set_a s x) = D2 s) -> Rules.local agree c -> (forall s, agree m s -> D2 s = D2 m) ->
  in_step same c c' same ->
  (* what follows reads z where it read t(a, b) *)
  (forall s s' x y, same s s' -> T (set_b (set_a s x) y) (set_z s' (t x y))) -> in_step T d d' T' ->
  nneg f -> le1 f -> nneg f' -> le1 f' -> (forall s s', T' s s' -> f s = f' s') ->
  (* b may be drawn before c, and the law of t(a, b) is that of z *)
  (forall x, exchanged c (D2 m) (fun s y => wp d f (set_b (set_a s x) y)) m) ->
  makes K (D1 m) (D2 m) t (D3 m') -> K (fun z => wp c' (fun s => wp d' f' (set_z s z)) m') -> same m m' ->
  wp (Seq (Draw D1 set_a) (Seq c (Seq (Draw D2 set_b) d))) f m = wp (Seq (Draw D3 set_z) (Seq c' d')) f' m'.
Proof.
move=> ignores ignores' alone loc fixed Hc reads Hd f0 f1 f'0 f'1 ff ex law Kg mm /=.
have w0 := @wp_ge0 R S d f f0; have w1 := @wp_le1 R S d f f0 f1.
have w'0 := @wp_ge0 R S' d' f' f'0; have w'1 := @wp_le1 R S' d' f' f'0 f'1.
rewrite [in RHS](_ : (fun z => wp c' (wp d' f') (set_z m' z)) = fun z => wp c' (fun s => wp d' f' (set_z s z)) m'); last first.
  by apply/funext => z; rewrite ignores'.
rewrite -(law _ _ Kg); last by move=> z; apply: wp_ge0.
congr (ev (D1 m)); apply/funext => x; rewrite ignores; last by move=> s; apply: ev_ge0.
rewrite (loc m _ (fun s => D2 m (fun y => wp d f (set_b (set_a s x) y)))); first last.
- by move=> s /fixed <-; rewrite alone.
- by move=> s; apply: ev_ge0.
- by move=> s; apply: ev_ge0.
rewrite -ex; congr (ev (D2 m)); apply/funext => y; apply: Hc mm => // s s' ss.
by apply: Hd => //; exact: reads.
Qed.
End Between.

(* ---- the laws, in both orders of the draws ---- *)
Section Finite.
Variable R : realType.
(* a draw from a list of values, and one of any law that is additive on what it is asked about *)
Lemma list_exchange A B (ok : bool) (ws : seq (R * A)) (D : law R B) (h : A -> B -> \bar R) : (forall a b, 0 <= h a b) ->
  (forall l : seq (R * A), all (fun x => 0 <= x.1)%R l -> D (fun b => \sum_(x <- l) x.1%:E * h x.2 b) = \sum_(x <- l) D (fun b => x.1%:E * h x.2 b)) ->
  D (fun b => flaw ok ws (h^~ b)) = flaw ok ws (fun a => D (h a)).
Proof.
move=> h0 add; rewrite /= /fev; case: ifP => [/and3P[_ w0 _]|_]; last exact: Judgement.ev0.
rewrite add//; elim: ws w0 => [|x l IH] /=; first by rewrite !big_nil.
by move=> /andP[x0 l0]; rewrite !big_cons IH// ev_scale.
Qed.
Lemma list_additive A B (ok : bool) (ws : seq (R * B)) (h : A -> B -> \bar R) : (forall a b, 0 <= h a b) ->
  forall l : seq (R * A), all (fun x => 0 <= x.1)%R l ->
  flaw ok ws (fun b => \sum_(x <- l) x.1%:E * h x.2 b) = \sum_(x <- l) flaw ok ws (fun b => x.1%:E * h x.2 b).
Proof.
move=> h0 l l0; rewrite /= /fev; case: ifP => [/and3P[_ w0 _]|_]; last by rewrite big1.
elim: l l0 => [|x l IH] /=.
  by move=> _; rewrite big_nil big1// => y _; rewrite big_nil mule0.
move=> /andP[x0 l0]; rewrite big_cons -IH//; elim: ws w0 {IH} => [|y k IHk] /=; first by rewrite !big_nil adde0.
move=> /andP[y0 k0]; rewrite !big_cons IHk// ge0_muleDr ?mule_ge0 ?lee_fin//; last first.
  by elim: l l0 {IHk} => [|z l IHl] /=; rewrite ?big_nil// => /andP[z0 l0]; rewrite big_cons adde_ge0 ?IHl// mule_ge0 ?lee_fin.
by rewrite addeACA.
Qed.
Lemma lists_turned A B (ok ok' : bool) (ws : seq (R * A)) (ws' : seq (R * B)) (h : A -> B -> \bar R) : (forall a b, 0 <= h a b) ->
  flaw ok' ws' (fun b => flaw ok ws (h^~ b)) = flaw ok ws (fun a => flaw ok' ws' (h a)).
Proof. by move=> h0; apply: list_exchange => // l l0; exact: list_additive. Qed.

Theorem makes_response (v count : int) (p : R) : category_range count v -> (0 <= p <= 1)%R ->
  makes (fun=> True) (bernoulli p) (uniform_other R v count) (fun k o => if k then v else o) (response v p count).
Proof. by move=> cr pr g g0 _; exact: response_law. Qed.
Theorem makes_response_turned (v count : int) (p : R) : category_range count v -> (0 <= p <= 1)%R ->
  makes (fun=> True) (uniform_other R v count) (bernoulli p) (fun o k => if k then v else o) (response v p count).
Proof. by move=> cr pr g g0 _; rewrite -response_law// (lists_turned _ _ _ _ (h := fun (k : bool) o => g (if k then v else o))). Qed.
Theorem makes_mixture (v count : int) (p : R) : category_range count v -> (0 <= p <= 1)%R ->
  makes (fun=> True) (bernoulli p) (uniform_int R 0 (count - 1)) (fun k o => if k then v else o) (response v (p + (1 - p) / count%:~R)%R count).
Proof. by move=> cr pr g g0 _; exact: mixture_law. Qed.
Theorem makes_mixture_turned (v count : int) (p : R) : category_range count v -> (0 <= p <= 1)%R ->
  makes (fun=> True) (uniform_int R 0 (count - 1)) (bernoulli p) (fun o k => if k then v else o) (response v (p + (1 - p) / count%:~R)%R count).
Proof. by move=> cr pr g g0 _; rewrite -mixture_law// (lists_turned _ _ _ _ (h := fun (k : bool) o => g (if k then v else o))). Qed.
End Finite.

Section Noise.
Variable R : realType.
Notation T := (measurableTypeR R).
Definition borel_test (g : R -> \bar R) := measurable_fun setT (g : T -> \bar R).
Theorem makes_laplace : makes borel_test (@uniform R) (sign R) (fun u s => s * ln u)%R (laplace 0%R 1%R).
Proof. by move=> g g0 mg; exact: laplace_law. Qed.
Theorem makes_laplace_turned : makes (fun=> True) (sign R) (@uniform R) (fun s u => s * ln u)%R (laplace 0%R 1%R).
Proof.
move=> g g0 _; rewrite (pair_law (f := fun u s => g (s * ln u)%R))//; congr (ev (laplace _ _)); apply/funext => z.
by rewrite signed_size.
Qed.
Theorem makes_difference b : makes borel_test (exponential b) (exponential b) (fun x y => x - y)%R (laplace 0%R b).
Proof. by move=> g g0 mg; exact: difference_law. Qed.
Theorem makes_difference_turned b : makes borel_test (exponential b) (exponential b) (fun x y => y - x)%R (laplace 0%R b).
Proof. by move=> g g0 mg; exact: difference_law_turned. Qed.
Theorem makes_difference_int b : makes (fun=> True) (@geometric R b) (geometric b) (fun x y => x - y)%R (discrete_laplace 0%R b).
Proof. by move=> g g0 _; exact: difference_law_int. Qed.
Theorem makes_difference_int_turned b : makes (fun=> True) (@geometric R b) (geometric b) (fun x y => y - x)%R (discrete_laplace 0%R b).
Proof.
move=> g g0 _; have := @affine_discrete_laplace R 0 0 b false g g0; rewrite /flipped subr0 => <-.
rewrite -difference_law_int; last by move=> z; exact: g0.
by congr (ev (geometric b)); apply/funext => x; congr (ev (geometric b)); apply/funext => y; rewrite sub0r opprB.
Qed.
Theorem makes_sign b : makes (fun=> True) (sign R) (exponential b) (fun s x => s * x)%R (laplace 0%R b).
Proof. by move=> g g0 _; exact: sign_law. Qed.
Theorem makes_sign_turned b : makes borel_test (exponential b) (sign R) (fun x s => s * x)%R (laplace 0%R b).
Proof. by move=> g g0 mg; exact: sign_law_turned. Qed.
(* with a coin; e + z stands for the conditional, with any e *)
Theorem makes_coin b : makes (fun=> True) (bernoulli (2^-1 : R)) (exponential b) (fun s x => if s then x else - x)%R (laplace 0%R b).
Proof.
move=> g g0 _; have := @coin_law R b 0%R g g0.
rewrite (_ : (fun z => g (0 + z)%R) = g); last by apply/funext => z; rewrite add0r.
by move=> <-; congr (ev (bernoulli _)); apply/funext => s; congr (ev (exponential b)); apply/funext => x; case: s; rewrite ?add0r ?sub0r.
Qed.
Theorem makes_coin_turned b : makes borel_test (exponential b) (bernoulli (2^-1 : R)) (fun x s => if s then x else - x)%R (laplace 0%R b).
Proof.
move=> g g0 mg; rewrite -(makes_sign_turned b g0 mg); congr (ev (exponential b)); apply/funext => x.
have h1 : (1 - 2^-1 = 2^-1 :> R)%R by apply/eqP; rewrite subr_eq half2.
rewrite bernoulliE; last by rewrite invr_ge0 ler0n /= invf_le1 ?ltr0n// ler1n.
by rewrite signE h1 mul1r mulN1r.
Qed.
End Noise.
