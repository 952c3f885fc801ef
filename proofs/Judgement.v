(* What is claimed: programs, their meaning, and the judgement of the kernel.

   A law is what it does to test functions, and a program is an expectation transformer: wp c f m is the
   expectation of f over the final states of c run from m.  A run that never ends counts 0.

   |- c : Phi => Psi up to d (judge) says: whenever two tests are related on Psi, f(s) <= e^-k F(s'),
   their expectations are related on Phi, up to d.  A charged coupling in the sense of docs/logic.md
   implies it (Coupling.v), and it is what privacy follows from (Privacy.v).  Nothing has to be selected
   measurably, so SEQ is composition.

   Read: law, stmt, wp, assn, related, judge.  The rest of the file shows that wp is positive, monotone,
   homogeneous, and that it adds at most d to a test that is raised by d. *)
From Probity Require Import Prelude.
Local Open Scope ring_scope.
Local Open Scope ereal_scope.

Lemma expR_ge0 (R : realType) (x : R) : (0 <= expR x)%R.
Proof. exact: ltW (expR_gt0 x). Qed.

Section Logic.
Variable R : realType.

(* A sub-probability law, by what it does to test functions.  All functions are
   allowed: a discrete law sums, a continuous one takes a lower (or upper) integral. *)
Record law (A : Type) := Law {
  ev :> (A -> \bar R) -> \bar R;
  ev_ge0 : forall f, (forall a, 0 <= f a) -> 0 <= ev f;
  ev_le : forall f g, (forall a, 0 <= f a) -> (forall a, f a <= g a) -> ev f <= ev g;
  ev_scale : forall (c : R) f, (0 <= c)%R -> (forall a, 0 <= f a) ->
      ev (fun a => c%:E * f a) = c%:E * ev f;
  ev_addc : forall (d : R) f, (0 <= d)%R -> (forall a, 0 <= f a) ->
      ev (fun a => f a + d%:E) <= ev f + d%:E
}.

Section Programs.
Variable S : Type.                      (* states *)

Inductive stmt : Type :=
| Skip
| Assign of (S -> S)
| Draw (A : Type) of (S -> law A) & (S -> A -> S)
| Seq of stmt & stmt
| If of (S -> bool) & stmt & stmt
| For of int & int & (int -> stmt)      (* for i in from..to: the bounds and i are shared by both runs *)
| While of (S -> bool) & stmt.

(* to - from iterations, none if to <= from *)
Definition rounds (from to : int) : nat := if (from <= to)%R then `|(to - from)%R|%N else 0%N.
Arguments rounds : simpl never.

Fixpoint seqn (n : nat) (i : int) (w : int -> (S -> \bar R) -> S -> \bar R) f :=
  match n with O => f | n'.+1 => w i (seqn n' (i + 1)%R w f) end.

Fixpoint unroll (n : nat) (g : S -> bool) (w : (S -> \bar R) -> S -> \bar R) f : S -> \bar R :=
  match n with O => fun=> 0
  | n'.+1 => fun s => if g s then w (unroll n' g w f) s else f s end.

Fixpoint wp (c : stmt) (f : S -> \bar R) {struct c} : S -> \bar R :=
  match c with
  | Skip => f
  | Assign u => fun s => f (u s)
  | Draw A D u => fun s => D s (fun a => f (u s a))
  | Seq c d => wp c (wp d f)
  | If g c d => fun s => if g s then wp c f s else wp d f s
  | For a b c => seqn (rounds a b) a (fun i => wp (c i)) f
  | While g c => fun s => ereal_sup [set unroll n g (wp c) f s | n in setT]
  end.

Definition assn := S -> S -> R -> Prop.
Definition nneg (f : S -> \bar R) := forall s, 0 <= f s.
Definition le1 (f : S -> \bar R) := forall s, f s <= 1.

(* (f, F) is a pair of tests that Psi makes comparable, with the cost as the weight *)
Definition related (Psi : assn) (f F : S -> \bar R) :=
  forall s s' k, Psi s s' k -> f s <= (expR (- k))%:E * F s'.

(* The judgement |- c : Phi => Psi up to delta. *)
Definition judge (d : R) (c : stmt) (Phi Psi : assn) :=
  forall f F, nneg f -> le1 f -> nneg F -> related Psi f F ->
  forall m m' k, Phi m m' k -> wp c f m <= (expR (- k))%:E * wp c F m' + d%:E.

(* ... for tests of a class only, as the measurable ones: rules that add up expectations of a program that draws reals ask for it *)
Definition judge_for (G : (S -> \bar R) -> Prop) (d : R) (c : stmt) (Phi Psi : assn) :=
  forall f F, G f -> nneg f -> le1 f -> nneg F -> related Psi f F ->
  forall m m' k, Phi m m' k -> wp c f m <= (expR (- k))%:E * wp c F m' + d%:E.
Lemma judge_any G d c Phi Psi : judge d c Phi Psi -> judge_for G d c Phi Psi.
Proof. by move=> J f F _; exact: J. Qed.

(* --- semantics: positive, monotone, scaling --- *)
Lemma unroll_ge0 n g w f : (forall h, nneg h -> nneg (w h)) -> nneg f -> nneg (unroll n g w f).
Proof.
move=> Hw Hf; elim: n => [|n IH] s //=.
by case: (g s) => //; exact: Hw.
Qed.

Lemma seqn_ge0 n w f : (forall i h, nneg h -> nneg (w i h)) -> nneg f ->
  forall i, nneg (seqn n i w f).
Proof. by move=> Hw Hf; elim: n => [|n IH] i //=; apply: Hw. Qed.

Lemma wp_ge0 c : forall f, nneg f -> nneg (wp c f).
Proof.
elim: c => [|u|A D u|c IHc d IHd|g c IHc d IHd|a z c IH|g c IH] f Hf s /=.
- exact: Hf.
- exact: Hf.
- by apply: ev_ge0 => a; exact: Hf.
- by apply: IHc; apply: IHd.
- by case: (g s); [exact: IHc|exact: IHd].
- exact: seqn_ge0.
- apply: ereal_sup_ub => /=; exists 0%N => //.
Qed.

Lemma wp_le c : forall f g, nneg f -> (forall s, f s <= g s) -> forall s, wp c f s <= wp c g s.
Proof.
elim: c => [|u|A D u|c IHc d IHd|b c IHc d IHd|a z c IH|b c IH] f g Hf Hfg s //=.
- by apply: ev_le => a.
- by apply: IHc => //; [exact: wp_ge0|exact: IHd].
- by case: (b s); [exact: IHc|exact: IHd].
- move: (rounds a z) => n; elim: n a s => [|n IHn] i s //=; apply: IH => // t.
  by apply: seqn_ge0 => // j h; exact: wp_ge0.
- apply: ub_ereal_sup => _ [n _ <-].
  apply: (@le_trans _ _ (unroll n b (wp c) g s)); last by apply: ereal_sup_ub; exists n.
  elim: n s => [|n IHn] s //=; case: (b s) => //.
  by apply: IH => // t; apply: unroll_ge0 => // h; exact: wp_ge0.
Qed.


Lemma ev0 A (D : law A) : D (fun=> 0) = 0.
Proof.
have := @ev_scale _ D 0%R (fun=> 0) (lexx _) (fun=> lexx _).
by rewrite !mul0e.
Qed.

Lemma wp_le1 c : forall f, nneg f -> le1 f -> le1 (wp c f).
Proof.
elim: c => [|u|A D u|c IHc d IHd|b c IHc d IHd|a z c IH|b c IH] f Hf H1 s //=.
- apply: (@le_trans _ _ (D s (fun=> 0 + 1%:E))).
    by apply: ev_le => a; rewrite ?add0e.
  by have := @ev_addc _ (D s) 1%R (fun=> 0) ler01 (fun=> lexx _); rewrite ev0 add0e.
- by apply: IHc; [exact: wp_ge0|exact: IHd].
- by case: (b s); [exact: IHc|exact: IHd].
- move: (rounds a z) => n; elim: n a s => [|n IHn] i s //=; apply: IH => // t.
  by apply: seqn_ge0 => // j h; exact: wp_ge0.
- apply: ub_ereal_sup => _ [n _ <-].
  elim: n s => [|n IHn] s /=; first exact: lee01.
  case: (b s) => //; apply: IH => // t.
  by apply: unroll_ge0 => // h; exact: wp_ge0.
Qed.

Lemma wp_addc (d : R) : (0 <= d)%R -> forall c f, nneg f ->
  forall s, wp c (fun t => f t + d%:E) s <= wp c f s + d%:E.
Proof.
move=> d0; have Hd f : nneg f -> nneg (fun t => f t + d%:E).
  by move=> Hf t; apply: adde_ge0 => //; rewrite lee_fin.
elim=> [|u|A D u|c IHc e IHe|b c IHc e IHe|a z c IH|b c IH] f Hf s //=.
- by apply: ev_addc.
- apply: (le_trans _ (IHc (wp e f) (@wp_ge0 e f Hf) s)); apply: wp_le; last exact: IHe.
  by apply: wp_ge0; exact: Hd.
- by case: (b s); [exact: IHc|exact: IHe].
- move: (rounds a z) => n; elim: n a s => [|n IHn] i s //=.
  have H1 j : nneg (seqn n j (fun i => wp (c i)) f).
    by apply: seqn_ge0 => // ? ?; exact: wp_ge0.
  apply: (le_trans _ (IH i _ (H1 (i + 1)%R) s)); apply: wp_le; last exact: IHn.
  by apply: seqn_ge0 => [? ?|]; [exact: wp_ge0|exact: Hd].
- apply: ub_ereal_sup => _ [n _ <-].
  apply: (@le_trans _ _ (unroll n b (wp c) f s + d%:E)); last first.
    by rewrite lee_add2r// ; apply: ereal_sup_ub; exists n.
  elim: n s => [|n IHn] s /=; first by rewrite add0e lee_fin.
  case: (b s) => //.
  have H1 : nneg (unroll n b (wp c) f) by apply: unroll_ge0 => // ?; exact: wp_ge0.
  apply: le_trans (IH _ H1 s); apply: wp_le; last exact: IHn.
  by apply: unroll_ge0 => [? ?|]; [exact: wp_ge0|exact: Hd].
Qed.

Lemma wp_scale (a : R) : (0 <= a)%R -> forall c f, nneg f ->
  forall s, wp c (fun t => a%:E * f t) s <= a%:E * wp c f s.
Proof.
move=> ap; have Ha f : nneg f -> nneg (fun t => a%:E * f t).
  by move=> Hf t; apply: mule_ge0 => //; rewrite lee_fin.
elim=> [|u|A D u|c IHc e IHe|b c IHc e IHe|a0 z c IH|b c IH] f Hf s //=.
- by rewrite ev_scale.
- apply: (le_trans _ (IHc (wp e f) (@wp_ge0 e f Hf) s)); apply: wp_le; last exact: IHe.
  by apply: wp_ge0; exact: Ha.
- by case: (b s); [exact: IHc|exact: IHe].
- move: (rounds a0 z) => n; elim: n a0 s => [|n IHn] i s //=.
  have H1 j : nneg (seqn n j (fun i => wp (c i)) f).
    by apply: seqn_ge0 => // ? ?; exact: wp_ge0.
  apply: (le_trans _ (IH i _ (H1 (i + 1)%R) s)); apply: wp_le; last exact: IHn.
  by apply: seqn_ge0 => [? ?|]; [exact: wp_ge0|exact: Ha].
- apply: ub_ereal_sup => _ [n _ <-].
  apply: (@le_trans _ _ (a%:E * unroll n b (wp c) f s)); last first.
    apply: lee_wpmul2l; first by rewrite lee_fin.
    by apply: ereal_sup_ub; exists n.
  elim: n s => [|n IHn] s /=; first by rewrite mule0.
  case: (b s) => //.
  have H1 : nneg (unroll n b (wp c) f) by apply: unroll_ge0 => // ?; exact: wp_ge0.
  apply: le_trans (IH _ H1 s); apply: wp_le; last exact: IHn.
  by apply: unroll_ge0 => [? ?|]; [exact: wp_ge0|exact: Ha].
Qed.

End Programs.
End Logic.
