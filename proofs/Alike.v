(* ALIKE (trusted/kernel/src/rules/chain.rs, Known::alike), as one rule: which variables are equal in both runs, followed through a program.

   A state gives every variable a value.  follows w E c E' is what the kernel computes: if the variables of E are equal before c, those of E' are after it; w says whether there may be a while.  One
   induction shows that it keeps any comparison of tests that one law keeps (compared_alike), and so the judgement in epsilon (alike) and those in rho and mu, there without a while (c_alike).  What
   else is known, and speaks of nothing that c sets, stays known, of the cost too.  Bounds of a loop may read the state in which it begins (loop).  And ONE-SIDED part by part (one_sided_parts of
   the same file): what a conjunction needs is what each of its parts needs.  Read: follows, alike, one_sided_parts. *)
From Probity Require Import PreludeIntegral Judgement Laws Compared Calls.
From Probity Require Rules.
Local Open Scope classical_set_scope.
Local Open Scope ring_scope.
Local Open Scope ereal_scope.

Section Alike.
Variables (R : realType) (V : eqType) (value : Type).
Definition state := V -> value.
Notation stmt := (stmt R state).
Implicit Types (c d : stmt) (E I X : V -> Prop).

Definition put (s : state) (x : V) (v : value) : state := fun y => if y == x then v else s y.
Definition agree E (s s' : state) := forall x, E x -> s x = s' x.
Definition reads (A : Type) E (e : state -> A) := forall s s', agree E s s' -> e s = e s'.
(* nothing outside X is another in s than in m *)
Definition keeps X (m s : state) := forall x, ~ X x -> s x = m x.
(* for i in from..to, with bounds that are read once, before the first round *)
Definition loop (from to : state -> int) (c : int -> stmt) : stmt := Draw (fun s => law_of (For (from s) (to s) c) id s) (fun _ t => t).
Lemma wp_loop from to (c : int -> stmt) f m : wp (loop from to c) f m = wp (For (from m) (to m) c) f m.
Proof. by []. Qed.

Inductive follows (w : bool) : (V -> Prop) -> stmt -> (V -> Prop) -> Prop :=
| F_skip E : follows w E (Skip R state) E
| F_equal E x (e : state -> value) : reads E e -> follows w E (Assign R (fun s => put s x (e s))) (fun y => E y \/ y = x)
| F_other E x (e : state -> value) : follows w E (Assign R (fun s => put s x (e s))) (fun y => E y /\ y <> x)
| F_draw E x A (D : law R A) (v : A -> value) : follows w E (Draw (fun=> D) (fun s a => put s x (v a))) (fun y => E y \/ y = x)
| F_seq E1 E2 E3 c d : follows w E1 c E2 -> follows w E2 d E3 -> follows w E1 (Seq c d) E3
| F_if E Ec Ed (g : state -> bool) c d : reads E g -> follows w E c Ec -> follows w E d Ed -> follows w E (If g c d) (fun y => Ec y /\ Ed y)
(* each run on its own *)
| F_each E X c : Rules.draw_free c -> (forall s, keeps X s (Rules.run c s)) -> follows w E c (fun y => E y /\ ~ X y)
| F_for E I (I' : int -> V -> Prop) from to (c : int -> stmt) : (forall x, I x -> E x) -> reads I from -> reads I to ->
    (forall i, follows w I (c i) (I' i)) -> (forall i x, I x -> I' i x) -> follows w E (loop from to c) I
| F_while E I I' g c : w -> (forall x, I x -> E x) -> reads I g -> follows w I c I' -> (forall x, I x -> I' x) -> follows w E (While g c) I.

Section Comparison.
Variable C : \bar R -> \bar R -> Prop.
Hypothesis C_law : forall A (D : law R A) (f F : A -> \bar R), (forall a, 0 <= f a) -> (forall a, 0 <= F a) ->
  (forall a, C (f a) (F a)) -> C (D f) (D F).
Definition C_sup := C 0 0 /\ forall a b : nat -> \bar R, (forall n, C (a n) (b n)) ->
  C (ereal_sup [set a n | n in setT]) (ereal_sup [set b n | n in setT]).
Lemma compared_alike (w : bool) E c E' : (w -> C_sup) -> follows w E c E' -> forall f F, nneg f -> nneg F ->
  (forall s s', agree E' s s' -> C (f s) (F s')) -> forall m m', agree E m m' -> C (wp c f m) (wp c F m').
Proof.
move=> Cw; elim=> {E c E'}.
- by move=> E f F _ _; exact.
- move=> E x e re f F _ _ H m m' mm /=; apply: H => y Hy; rewrite /put.
  case: eqP => [_|yx]; first exact: re.
  by case: Hy => // Ey; exact: mm.
- move=> E x e f F _ _ H m m' mm /=; apply: H => y [Ey yx]; rewrite /put.
  by case: eqP => // _; exact: mm.
- move=> E x A D v f F f0 F0 H m m' mm /=; apply: C_law => // a; apply: H => y Hy; rewrite /put.
  by case: eqP => // yx; case: Hy => // Ey; exact: mm.
- move=> E1 E2 E3 c d _ IHc _ IHd f F f0 F0 H m m' mm /=.
  by apply: IHc mm; [exact: wp_ge0|exact: wp_ge0|exact: IHd].
- move=> E Ec Ed g c d rg _ IHc _ IHd f F f0 F0 H m m' mm /=; rewrite (rg m m' mm).
  by case: (g m'); [apply: IHc mm|apply: IHd mm] => // s s' ss; apply: H => y [Hc Hd]; exact: ss.
- move=> E X c fc kc f F f0 F0 H m m' mm; rewrite !Rules.wp_run//; apply: H => y [Ey nX].
  by rewrite !kc//; exact: mm.
- move=> E I I' from to c IE rf rt _ IH II f F f0 F0 H m m' mm.
  have im : agree I m m' by move=> x /IE; exact: mm.
  suff W n i : forall m m', agree I m m' -> C (seqn n i (fun i => wp (c i)) f m) (seqn n i (fun i => wp (c i)) F m').
    by rewrite !wp_loop /= (rf m m' im) (rt m m' im); exact: W.
  elim: n i => [|n IHn] i {m m' mm im} m m' im /=; first exact: H.
  apply: (IH i) im; try by apply: seqn_ge0 => // ? ?; exact: wp_ge0.
  by move=> s s' ss; apply: IHn => x Ix; apply: ss; exact: II.
- move=> E I I' g c wt IE rg _ IH II f F f0 F0 H m m' mm /=.
  have [C0 sup] := Cw wt; apply: sup => n.
  have im : agree I m m' by move=> x /IE; exact: mm.
  elim: n m m' {mm} im => [|n IHn] m m' im //=; rewrite (rg m m' im); case: (g m'); last exact: H.
  apply: IH im; try by apply: unroll_ge0 => // ?; exact: wp_ge0.
  by move=> s s' ss; apply: IHn => x Ix; apply: ss; exact: II.
Qed.
End Comparison.

(* theta: what else is known *)
Definition unmoved X (theta : assn R state) := forall m m' s s' k, theta m m' k -> keeps X m s -> keeps X m' s' -> theta s s' k.
Theorem alike E c E' X (theta : assn R state) : follows true E c E' -> Rules.local (keeps X) c -> unmoved X theta ->
  judge 0 c (fun s s' k => agree E s s' /\ theta s s' k) (fun s s' k => agree E' s s' /\ theta s s' k).
Proof.
move=> fol loc un f F f0 f1 F0 H m m' k [mm th].
have J : judge 0 c (fun s s' j => agree E s s' /\ j = k) (fun s s' j => agree E' s s' /\ j = k).
  move=> h h' h0 h1 h'0 rel t t' j [tt ->]; rewrite adde0.
  apply: (@compared_alike (fun x y => x <= (expR (- k))%:E * y) _ true E c E' _ fol) tt => // [A D g G g0 G0 gG|_|s s' ss].
  - by rewrite -ev_scale ?expR_ge0//; apply: ev_le.
  - split=> [|a b ab]; first by rewrite mule0.
    apply: ub_ereal_sup => _ [n _ <-]; apply: (le_trans (ab n)); apply: lee_wpmul2l; first by rewrite lee_fin expR_ge0.
    by apply: ereal_sup_ub; exists n.
  - exact: rel.
have := @Rules.frame R state 0 c _ _ (keeps X) (fun s s' => theta s s' k) loc _ J f F f0 f1 F0; apply.
- by move=> t t' s s'; exact: un.
- by move=> s s' j [[ss ->] ts]; apply: H.
- by [].
Qed.
(* in rho and in mu *)
Theorem c_alike (M : reading R) E c E' X (theta : assn R state) : follows false E c E' -> Rules.local (keeps X) c -> unmoved X theta ->
  cjudge M c (fun s s' k => agree E s s' /\ theta s s' k) (fun s s' k => agree E' s s' /\ theta s s' k).
Proof.
move=> fol loc un a a0 f F f0 F0 H m m' k [mm th].
have J : cjudge M c (fun s s' j => agree E s s' /\ j = k) (fun s s' j => agree E' s s' /\ j = k).
  move=> b b0 h h' h0 h'0 rel t t' j [tt ->].
  apply: (@compared_alike (compared M b k) _ false E c E' _ fol) tt => // [A D g G g0 G0 gG|s s' ss]; first exact: compared_law.
  exact: rel.
have := @c_frame R M state c _ _ (keeps X) (fun s s' => theta s s' k) loc _ J a a0 f F f0 F0; apply.
- by move=> t t' s s'; exact: un.
- by move=> s s' j [[ss ->] ts]; apply: H.
- by [].
Qed.

(* what the kernel reads off the text: c sets nothing outside X *)
Lemma keeps_refl X s : keeps X s s. Proof. by []. Qed.
Lemma keeps_trans X s t r : keeps X s t -> keeps X t r -> keeps X s r.
Proof. by move=> st tr x nX; rewrite tr// st. Qed.
Lemma keeps_put X s x v : X x -> keeps X s (put s x v).
Proof. by move=> Xx y nX; rewrite /put; case: eqP => // yx; case: nX; rewrite yx. Qed.
Lemma local_loop X from to (c : int -> stmt) : (forall i, Rules.local (keeps X) (c i)) -> Rules.local (keeps X) (loop from to c).
Proof.
move=> lc m f g f0 g0 fg; rewrite !wp_loop.
by apply: (Rules.local_for (@keeps_refl X) (@keeps_trans X)).
Qed.
End Alike.

(* ONE-SIDED, part by part *)
Theorem one_sided_parts (R : realType) (S : Type) (c : stmt R S) (P Q : S -> S -> Prop) s s' : Rules.draw_free c ->
  let before (T : S -> S -> Prop) := Rules.one_sided c (fun t' => Rules.one_sided c (fun t => T t t') s) s' in
  before (fun t t' => P t t' /\ Q t t') <-> before P /\ before Q.
Proof. by move=> fc before; rewrite /before !Rules.one_sidedE// !Rules.one_sidedE. Qed.
