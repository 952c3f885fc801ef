(* Judgements in which both runs see the same drawn values: in rho (Concentrated.v) and in mu (Gaussians.v).

   A reading says how two tests are compared (compared a k x y, for a family of indices a, at the cost k): x is at most what y may become.  The judgement says that tests which Psi makes comparable
   have comparable expectations (cjudge).  All rules for programs follow from that alone; what a law has to do with the way of comparing is in the rules for draws (cstar), and FRAME and
   AXNULL ask that 0 is below everything, that everything is below infinity, and that one law keeps what is compared.

   Read: reading, cjudge. *)
From Probity Require Import PreludeIntegral Judgement Laws Sampling Density.
From Probity Require Rules Once.
Local Open Scope classical_set_scope.
Local Open Scope ring_scope.
Local Open Scope ereal_scope.

Section Compared.
Variable R : realType.
Record reading := Reading {
  index : R -> Prop;
  compared : R -> R -> \bar R -> \bar R -> Prop;
  compared_0 : forall a k y, index a -> 0 <= y -> compared a k 0 y;
  compared_top : forall a k x, index a -> compared a k x +oo;
  compared_law : forall a k A (D : law R A) (f F : A -> \bar R), index a -> (forall y, 0 <= f y) -> (forall y, 0 <= F y) ->
    (forall y, compared a k (f y) (F y)) -> compared a k (D f) (D F)
}.

Variables (M : reading) (S : Type).
Implicit Types (c : stmt R S) (Phi Theta Psi : assn R S).
Definition crelated a Psi (f F : S -> \bar R) := forall s s' k, Psi s s' k -> compared M a k (f s) (F s').
Definition cjudge c Phi Psi := forall a, index M a -> forall f F, nneg f -> nneg F -> crelated a Psi f F ->
  forall m m' k, Phi m m' k -> compared M a k (wp c f m) (wp c F m').

Theorem c_skip Psi : cjudge (Skip R S) Psi Psi.
Proof. by move=> a a0 f F f0 F0 H m m' k; exact: H. Qed.
Theorem c_assign (u : S -> S) Psi : cjudge (Assign R u) (fun s s' k => Psi (u s) (u s') k) Psi.
Proof. by move=> a a0 f F f0 F0 H m m' k; exact: H. Qed.
Theorem c_one_sided_both c Psi : Rules.draw_free c ->
  cjudge c (fun s s' k => Rules.one_sided c (fun q => Rules.one_sided c (fun p => Psi p q k) s) s') Psi.
Proof.
by move=> fc a a0 f F f0 F0 H m m' k; rewrite !Rules.one_sidedE// !Rules.wp_run//; exact: H.
Qed.
Theorem c_seq c d Phi Theta Psi : cjudge c Phi Theta -> cjudge d Theta Psi -> cjudge (Seq c d) Phi Psi.
Proof.
move=> Jc Jd a a0 f F f0 F0 H; apply: (Jc a a0 (wp d f) (wp d F)); [exact: wp_ge0|exact: wp_ge0|].
exact: Jd.
Qed.
Theorem c_cond (g : S -> bool) c1 c2 Phi Theta Psi : cjudge c1 Phi Psi -> cjudge c2 Theta Psi ->
  cjudge (If g c1 c2) (fun s s' k => [/\ g s = g s', g s -> Phi s s' k & ~~ g s -> Theta s s' k]) Psi.
Proof.
move=> J1 J2 a a0 f F f0 F0 H m m' k [/= <- H1 H2].
by case: (g m) H1 H2 => H1 H2; [apply: (J1 a a0) => //; exact: H1|apply: (J2 a a0) => //; exact: H2].
Qed.
Theorem c_for_loop (from to : int) (c : int -> stmt R S) (Phi I : int -> assn R S) : (from <= to)%R ->
  (forall i, cjudge (c i) (Phi i) (I (i + 1)%R)) ->
  (forall i s s' k, (from <= i < to)%R -> I i s s' k -> Phi i s s' k) ->
  cjudge (For from to c) (I from) (I to).
Proof.
move=> ab J keeps a a0 f F f0 F0 Hr m m' k HI /=.
have W0 n i h : nneg h -> nneg (seqn n i (fun i => wp (c i)) h) by move=> h0; apply: seqn_ge0 => // ? ?; exact: wp_ge0.
suff H n i : (from <= i)%R -> (i + n%:Z = to)%R -> forall m m' k, I i m m' k ->
    compared M a k (seqn n i (fun i => wp (c i)) f m) (seqn n i (fun i => wp (c i)) F m').
  by apply: H => //; rewrite /rounds ab gez0_abs ?subr_ge0// addrCA subrr addr0.
elim: n i => [|n IH] i ai it {}m {}m' {}k {}HI; first by apply: Hr; rewrite -it addr0.
have Hi : (from <= i < to)%R by rewrite ai -it ltr_addl.
apply: (J i a a0 _ _ (W0 _ _ _ f0) (W0 _ _ _ F0) _ _ _ _ (keeps _ _ _ _ Hi HI)).
by move=> s s' j; apply: IH; [rewrite (le_trans ai)// ler_addl|rewrite -it intS addrA].
Qed.
(* FOR-ONCE: nothing is given up here, so it is FOR with one proof for the rounds that are named and another for the others *)
Theorem c_for_loop_once (from to : int) (c : int -> stmt R S) (Phi Theta I : int -> assn R S) (ks : seq R) : (from <= to)%R ->
  (forall i, cjudge (c i) (Phi i) (I (i + 1)%R)) -> (forall i, cjudge (c i) (Theta i) (I (i + 1)%R)) ->
  (forall i s s' k, (from <= i < to)%R -> ~~ Once.named ks i -> I i s s' k -> Phi i s s' k) ->
  (forall i s s' k, (from <= i < to)%R -> Once.named ks i -> I i s s' k -> Theta i s s' k) ->
  cjudge (For from to c) (I from) (I to).
Proof.
move=> ab Jo Jn other these.
apply: (@c_for_loop from to c (fun i => if Once.named ks i then Theta i else Phi i) I) => // [i|i s s' k it HI].
  by case: ifP => _; [exact: Jn|exact: Jo].
by have [ni|ni] := boolP (Once.named ks i); [exact: these|exact: other].
Qed.
Theorem c_strengthen c Phi Phi' Psi : (forall s s' k, Phi s s' k -> Phi' s s' k) -> cjudge c Phi' Psi -> cjudge c Phi Psi.
Proof. by move=> Hp J a a0 f F f0 F0 H m m' k /Hp; exact: J. Qed.
Theorem c_weaken c Phi Psi Psi' : (forall s s' k, Psi s s' k -> Psi' s s' k) -> cjudge c Phi Psi -> cjudge c Phi Psi'.
Proof. by move=> Hp J a a0 f F f0 F0 H; apply: (J a a0) => // s s' k /Hp; exact: H. Qed.

(* FRAME, for CHAIN: theta mentions nothing that c changes, nor the cost *)
Theorem c_frame c Phi Psi (agree : S -> S -> Prop) (theta : S -> S -> Prop) : Rules.local agree c ->
  (forall m m' s s', theta m m' -> agree m s -> agree m' s' -> theta s s') -> cjudge c Phi Psi ->
  cjudge c (fun s s' k => Phi s s' k /\ theta s s') (fun s s' k => Psi s s' k /\ theta s s').
Proof.
move=> loc Ht J a a0 f F f0 F0 Hr m m' k [HP Hth].
pose f' s := if `[< agree m s >] then f s else 0.
pose F' s := if `[< agree m' s >] then F s else +oo.
have f'0 : nneg f' by move=> s; rewrite /f'; case: ifP.
have F'0 : nneg F' by move=> s; rewrite /F'; case: ifP => // _; exact: leey.
rewrite (loc m f f')//; last by move=> s h; rewrite /f' asboolT.
rewrite (loc m' F F')//; last by move=> s h; rewrite /F' asboolT.
apply: (J a a0) => // s s' j HPs; rewrite /f' /F'.
case: asboolP => [h|_]; last by apply: compared_0 => //; exact: F'0.
case: asboolP => [h'|_]; first by apply: Hr; split=> //; exact: Ht Hth h h'.
exact: compared_top.
Qed.

(* ---- draws: y' = y at cost c ---- *)
Definition cstar A a (D D' : law R A) (supp : A -> Prop) (c : R) := forall (f F : A -> \bar R) k,
  (forall y, 0 <= f y) -> (forall y, 0 <= F y) -> (forall y, supp y -> compared M a (k + c) (f y) (F y)) -> compared M a k (D f) (D' F).
Theorem c_sample A (D : S -> law R A) u Phi Psi :
  (forall m m' k, Phi m m' k -> exists supp (c : R), (forall a, index M a -> cstar a (D m) (D m') supp c) /\
     forall y, supp y -> Psi (u m y) (u m' y) (k + c)%R) ->
  cjudge (Draw D u) Phi Psi.
Proof.
move=> HD a a0 f F f0 F0 H m m' k /HD[supp [c [Hs HP]]] /=; apply: (Hs a a0) => // y sy.
by apply: H; exact: HP.
Qed.
(* AXNULL *)
Lemma cstar_null A a (D : law R A) supp : index M a -> full D supp -> cstar a D D supp 0.
Proof.
move=> a0 fullD f F k f0 F0 H.
rewrite (fullD f (fun y => if `[< supp y >] then f y else 0)) //; [|by move=> y; case: ifP|by move=> y sy; rewrite asboolT].
apply: compared_law => // y; first by case: ifP.
case: asboolP => [sy|_]; first by have := H y sy; rewrite addr0.
exact: compared_0.
Qed.
Theorem c_null P A (D : P -> law R A) (supp : P -> A -> Prop) (e : S -> P) (u : S -> A -> S) Psi : (forall p, full (D p) (supp p)) ->
  cjudge (Draw (fun s => D (e s)) u)
    (fun s s' k => e s = e s' /\ forall y, supp (e s) y -> Psi (u s y) (u s' y) k) Psi.
Proof.
move=> fullD; apply: c_sample => m m' k [ee HP]; exists (supp (e m)), 0%R; split=> [a a0|y /HP]; last by rewrite addr0.
by rewrite -ee; exact: cstar_null.
Qed.
End Compared.
