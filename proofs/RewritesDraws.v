(* RESPONSE-LAW, DIFFERENCE-LAW on the integers and SIGN-LAW (trusted/kernel/src/rules/equivalence.rs, noise.rs) for exported certificates, where the second draw follows the first: steps of two programs that go in step
   (Branches.v).

   The laws hold for all tests, so nothing is asked of what follows but that it reads the new draw where it read the others: from there on the relation says what the new one is (step_pair). *)
From Probity Require Import PreludeReals Judgement Laws Sampling Continuous Equivalence Branches TwoSided Between Certificate Blocks Pairs.

Section Steps.
Variables (R : realType) (S S' : Type).
Implicit Types (T : S -> S' -> Prop).
Lemma step_pair T T1 T' A B Z (D1 : S -> law R A) (D2 : S -> law R B) (D3 : S' -> law R Z) ua ub uz (join : S -> A -> B -> Z) (d : stmt R S) (d' : stmt R S') :
  (forall s x, D2 (ua s x) = D2 s) ->
  (forall s s' (g : Z -> \bar R), T s s' -> (forall z, (0 <= g z)%E) -> D1 s (fun x => D2 s (fun y => g (join s x y))) = D3 s' g) ->
  (forall s s' x y, T s s' -> T1 (ub (ua s x) y) (uz s' (join s x y))) -> in_step T1 d d' T' ->
  in_step T (Seq (Draw D1 ua) (Seq (Draw D2 ub) d)) (Seq (Draw D3 uz) d') T'.
Proof.
move=> alone law sets Hd f f' f0 f1 f'0 f'1 ff s s' st /=.
rewrite -(law s s' (fun z => wp d' f' (uz s' z)) st); last by move=> z; apply: wp_ge0.
congr (ev (D1 s)); apply/funext => x; rewrite alone; congr (ev (D2 s)); apply/funext => y.
by apply: (Hd f f') => //; exact: sets.
Qed.
End Steps.

(* ---- what is made of two draws, and its law ---- *)
Definition kept (v : Z) (k : bool) (o : int) : int := if k then int_of_Z v else o.
Definition less (x y : int) : int := (x - y)%R.
Definition less_turned (x y : int) : int := (y - x)%R.
Definition signed (s : int) (x : R) : R := IZR (Z_of_int s) * x.
Definition sided (k : bool) (x : R) : R := if k then x else - x.

Lemma response_of (v count : Z) (p : R) (g : int -> \bar RR) : (forall z, (0 <= g z)%E) ->
  bernoulli_ p (fun k => uniform_other_ v count (fun o => g (kept v k o))) = response_ v p count g.
Proof.
move=> g0; rewrite /bernoulli_ /uniform_other_ /response_.
have [/andP[cr pr]|out] := boolP (category_range (int_of_Z count) (int_of_Z v) && (0 <= p <= 1)%R); first exact: response_law.
by have [-> ->] := response_law_out (fun z => g z) out.
Qed.
Lemma difference_of (b : R) (g : int -> \bar RR) : (forall z, (0 <= g z)%E) ->
  geometric_ b (fun x => geometric_ b (fun y => g (less x y))) = discrete_laplace_ 0 b g.
Proof. exact: difference_law_int. Qed.
Lemma difference_turned_of (b : R) (g : int -> \bar RR) : (forall z, (0 <= g z)%E) ->
  geometric_ b (fun x => geometric_ b (fun y => g (less_turned x y))) = discrete_laplace_ 0 b g.
Proof. by move=> g0; exact: makes_difference_int_turned. Qed.
Lemma sign_of (b : R) (g : R -> \bar RR) : (forall z, (0 <= g z)%E) ->
  sign_ (fun s => exponential_ b (fun x => g (signed s x))) = laplace_ 0 b g.
Proof.
move=> g0; rewrite (@sign_int (fun s => exponential_ b (fun x => g (signed s x)))); last by move=> s; apply: ev_ge0.
rewrite -[RHS](sign_law b g0) !signE.
have one : sgn (1 : RR)%R = 1%R by rewrite /sgn ler01.
have other : sgn (-1 : RR)%R = (-1)%R by rewrite /sgn ler0N1.
by rewrite one other.
Qed.
Lemma coin_of (b : R) (g : R -> \bar RR) : (forall z, (0 <= g z)%E) ->
  bernoulli_ (1 / 2) (fun s => exponential_ b (fun x => g (sided s x))) = laplace_ 0 b g.
Proof.
have two : 2 = (2%:R : RR)%R by exact: (IZR_int 2).
move=> g0; have -> : 1 / 2 = (2^-1 : RR)%R.
  by rewrite /Rdiv Rmult_1_l two RinvE// pnatr_eq0.
exact: makes_coin.
Qed.
Lemma Z_of_int_sub (x y : int) : Z_of_int (x - y)%R = (Z_of_int x - Z_of_int y)%Z.
Proof.
have sub a b : int_of_Z (a - b) = (int_of_Z a - int_of_Z b)%R by rewrite -{2}(Z.sub_add b a) int_add addrK.
by rewrite -[RHS]int_of_ZK sub !Z_of_intK.
Qed.

(* what the new draw is, in the state after it *)
Ltac joined := unfold kept, less, less_turned, signed, sided;
  repeat match goal with |- context [Z_of_int (if ?k then _ else _)] => destruct k end; rewrite ?int_of_ZK ?Z_of_int_sub; reflexivity.
(* what read the draws read them in sums and products *)
Ltac arranged := repeat match goal with |- context [if ?b then _ else _] => is_var b; destruct b end; first [reflexivity|ring|f_equal; ring].
