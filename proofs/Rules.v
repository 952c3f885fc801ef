(* The rules for programs of trusted/kernel/src/rules.rs, each under the name of its Rust function: skip,
   assign, append, one_sided_both, seq, cond, for_loop, while_loop, strengthen, weaken, case, frame; for_rounds, a loop with an amount for each round; and
   the shape that all sampling rules have (sample, up_to_bad).

   Assertions are relations between two states and the cost; a quantifier over arbitrary values is a
   forall in front.  Parameters, loop indices and loop bounds are the same for both runs, so they are
   constants here.  What a program leaves alone is a relation "agree" between the state before and a state
   after, on which its expectations are concentrated (local): the rules that end "mentions nothing that c
   sets" ask for it, and local_* prove it along the program. *)
From Probity Require Import Prelude Judgement.
Local Open Scope ring_scope.
Local Open Scope ereal_scope.

Section Rules.
Variables (R : realType) (S : Type).
Implicit Types (c : stmt R S) (Phi Theta Psi : assn R S).

(* ---- SKIP, ASSIGN, APPEND, ONE-SIDED ---- *)
Theorem skip Psi : judge 0 (Skip R S) Psi Psi.
Proof. by move=> f F _ _ _ H m m' k HP; rewrite adde0; exact: H. Qed.

(* x = e, with u the update of the state: Psi[x := e, x' := e'] *)
Theorem assign (u : S -> S) Psi : judge 0 (Assign R u) (fun s s' k => Psi (u s) (u s') k) Psi.
Proof. by move=> f F _ _ _ H m m' k HP; rewrite adde0; exact: H. Qed.

(* An assertion in which a list occurs in l == l' only: P stands for that equation *)
Section Lists.
Variables (A : Type) (get : S -> seq A) (put : S -> seq A -> S).
Hypothesis get_put : forall s l, get (put s l) = l.
Definition only_equality (Psi : Prop -> assn R S) :=
  forall P s s' l l' k, Psi P (put s l) (put s' l') k <-> Psi P s s' k.

Lemma rcons_eq (l l' : seq A) a a' : rcons l a = rcons l' a' <-> l = l' /\ a = a'.
Proof.
split=> [|[-> ->]//]; elim: l l' => [|x l IH] [|x' l'] //=; try by case.
- by move=> [_]; case: l' => [|? ?].
- by move=> [_]; case: {IH} l => [|? ?].
by move=> [-> /IH [-> ->]].
Qed.

Theorem append (e : S -> A) (Psi : Prop -> assn R S) : only_equality Psi ->
  judge 0 (Assign R (fun s => put s (rcons (get s) (e s))))
    (fun s s' k => Psi (get s = get s' /\ e s = e s') s s' k)
    (fun s s' k => Psi (get s = get s') s s' k).
Proof.
move=> only f F f0 f1 F0 H m m' k HP; apply: (assign f0 f1 F0 H).
rewrite only !get_put (_ : (_ = _) = (get m = get m' /\ e m = e m')) //.
by apply: propext; exact: rcons_eq.
Qed.

(* out = [] *)
Theorem assign_empty (Psi : Prop -> assn R S) : only_equality Psi ->
  judge 0 (Assign R (fun s => put s [::]))
    (fun s s' k => Psi True s s' k) (fun s s' k => Psi (get s = get s') s s' k).
Proof.
move=> only f F f0 f1 F0 H m m' k HP; apply: (assign f0 f1 F0 H).
by rewrite only !get_put (_ : (_ = _) = True) //; apply: propext.
Qed.
End Lists.

(* The precondition in one run of a program of assignments and conditionals *)
Fixpoint draw_free c : bool :=
  match c with
  | Skip | Assign _ => true
  | Seq c d | If _ c d => draw_free c && draw_free d
  | _ => false
  end.
Fixpoint one_sided c (P : S -> Prop) (s : S) : Prop :=
  match c with
  | Skip => P s
  | Assign u => P (u s)
  | Seq c d => one_sided c (one_sided d P) s
  | If g c d => (g s -> one_sided c P s) /\ (~~ g s -> one_sided d P s)
  | _ => False
  end.
(* what such a program does *)
Fixpoint run c (s : S) : S :=
  match c with
  | Assign u => u s
  | Seq c d => run d (run c s)
  | If g c d => if g s then run c s else run d s
  | _ => s
  end.

Lemma one_sidedE c P s : draw_free c -> one_sided c P s <-> P (run c s).
Proof.
elim: c P s => [|u|A D u|c IHc d IHd|g c IHc d IHd|a b c IH|g c IH] P s //=.
  by move=> /andP[fc fd]; rewrite IHc// IHd.
move=> /andP[fc fd]; rewrite IHc// IHd//; case: (g s); split=> //; last first.
- by case=> _; exact.
- by case=> + _; exact.
Qed.

Lemma wp_run c f s : draw_free c -> wp c f s = f (run c s).
Proof.
elim: c f s => [|u|A D u|c IHc d IHd|g c IHc d IHd|a b c IH|g c IH] f s //=.
  by move=> /andP[fc fd]; rewrite IHc// IHd.
by move=> /andP[fc fd]; case: (g s); [exact: IHc|exact: IHd].
Qed.

Theorem one_sided_both c Psi : draw_free c ->
  judge 0 c (fun s s' k => one_sided c (fun t' => one_sided c (fun t => Psi t t' k) s) s') Psi.
Proof.
move=> fc f F _ _ _ H m m' k; rewrite one_sidedE// one_sidedE// => HP.
by rewrite adde0 !wp_run//; exact: H.
Qed.

(* ---- SEQ ---- *)
(* h and H are what the rest of the program makes of two tests, up to d2 *)
Lemma compose (G : (S -> \bar R) -> Prop) (d1 d2 : R) c Phi Theta (h H : S -> \bar R) :
  (0 <= d2)%R -> nneg h -> le1 h -> nneg H -> G (fun s => maxe 0 (h s - d2%:E)) ->
  judge_for G d1 c Phi Theta ->
  (forall s s' k, Theta s s' k -> h s <= (expR (- k))%:E * H s' + d2%:E) ->
  forall m m' k, Phi m m' k -> wp c h m <= (expR (- k))%:E * wp c H m' + (d1 + d2)%:E.
Proof.
move=> d20 h0 h1 H0 Gh Jc rest m m' k HP.
pose g s := maxe 0 (h s - d2%:E).
have g0 : nneg g by move=> s; rewrite /g le_maxr lexx.
have g1 : le1 g.
  move=> s; rewrite /g le_maxl; apply/andP; split; [exact: lee01|rewrite lee_subl_addr//].
  by apply: (le_trans (h1 s)); rewrite -[X in X <= _]adde0 lee_add2l// lee_fin.
have rel : related Theta g H.
  move=> s s' j HT; rewrite /g le_maxl; apply/andP; split.
    by apply: mule_ge0; [rewrite lee_fin expR_ge0|exact: H0].
  by rewrite lee_subl_addr//; exact: rest.
have Hc := Jc g H Gh g0 g1 H0 rel m m' k HP.
rewrite EFinD addeA; apply: (@le_trans _ _ (wp c g m + d2%:E)); last by rewrite lee_add2r.
apply: (le_trans _ (wp_addc d20 c g0 m)); apply: wp_le => // s.
by rewrite -lee_subl_addr// /g le_maxr lexx orbT.
Qed.

Theorem seq (d1 d2 : R) c d Phi Theta Psi : (0 <= d2)%R ->
  judge d1 c Phi Theta -> judge d2 d Theta Psi -> judge (d1 + d2) (Seq c d) Phi Psi.
Proof.
move=> d20 Jc Jd f F f0 f1 F0 H m m' k HP /=.
apply: (@compose (fun=> True) d1 d2 c Phi Theta) HP => //; try exact: wp_ge0; try exact: wp_le1.
  exact: judge_any.
exact: (Jd f F f0 f1 F0 H).
Qed.

(* for tests of a class, if what is left of one after d is in it *)
Theorem seq_for (G : (S -> \bar R) -> Prop) (d1 d2 : R) c d Phi Theta Psi : (0 <= d2)%R ->
  (forall f, nneg f -> le1 f -> G f -> G (fun s => maxe 0 (wp d f s - d2%:E))) ->
  judge_for G d1 c Phi Theta -> judge_for G d2 d Theta Psi -> judge_for G (d1 + d2) (Seq c d) Phi Psi.
Proof.
move=> d20 left Jc Jd f F Gf f0 f1 F0 H m m' k HP /=.
apply: (@compose G d1 d2 c Phi Theta) HP => //; try exact: wp_ge0; try exact: wp_le1.
  exact: left.
exact: (Jd f F Gf f0 f1 F0 H).
Qed.

(* ---- CONSEQ ---- *)
Lemma more_delta (d1 d2 : R) c Phi Psi : (d1 <= d2)%R -> judge d1 c Phi Psi -> judge d2 c Phi Psi.
Proof.
move=> dd J f F f0 f1 F0 H m m' k HP; apply: (le_trans (J f F f0 f1 F0 H m m' k HP)).
by rewrite lee_add2l// lee_fin.
Qed.

Theorem strengthen d c Phi Phi' Psi :
  (forall s s' k, Phi s s' k -> Phi' s s' k) -> judge d c Phi' Psi -> judge d c Phi Psi.
Proof. by move=> Hp J f F f0 f1 F0 H m m' k /Hp; exact: J. Qed.

Theorem weaken d c Phi Psi Psi' :
  (forall s s' k, Psi s s' k -> Psi' s s' k) -> judge d c Phi Psi -> judge d c Phi Psi'.
Proof. by move=> Hp J f F f0 f1 F0 H; apply: J => // s s' k /Hp; exact: H. Qed.

(* ---- COND, CASE: the mass given up is the sum of both, on the safe side ---- *)
Theorem cond (d1 d2 : R) (g : S -> bool) c1 c2 Phi Theta Psi : (0 <= d1)%R -> (0 <= d2)%R ->
  judge d1 c1 Phi Psi -> judge d2 c2 Theta Psi ->
  judge (d1 + d2) (If g c1 c2)
    (fun s s' k => [/\ g s = g s', g s -> Phi s s' k & ~~ g s -> Theta s s' k]) Psi.
Proof.
move=> d10 d20 J1 J2 f F f0 f1 F0 H m m' k [/= <- H1 H2].
case: (g m) H1 H2 => H1 H2.
  by apply: (more_delta _ J1) => //; rewrite ?ler_addl//; exact: H1.
by apply: (more_delta _ J2) => //; rewrite ?ler_addr//; exact: H2.
Qed.

Theorem case (d1 d2 : R) c (P : S -> S -> R -> Prop) Phi Theta Psi : (0 <= d1)%R -> (0 <= d2)%R ->
  judge d1 c Phi Psi -> judge d2 c Theta Psi ->
  judge (d1 + d2) c (fun s s' k => (P s s' k -> Phi s s' k) /\ (~ P s s' k -> Theta s s' k)) Psi.
Proof.
move=> d10 d20 J1 J2 f F f0 f1 F0 H m m' k [H1 H2].
have [p|p] := pselect (P m m' k).
  by apply: (more_delta _ J1) => //; rewrite ?ler_addl//; exact: H1.
by apply: (more_delta _ J2) => //; rewrite ?ler_addr//; exact: H2.
Qed.

(* ---- FOR: i runs from "from" up to, and not including, "to" ---- *)
Lemma rounds_int (a b : int) : (a <= b)%R -> ((rounds a b)%:Z = b - a)%R.
Proof. by move=> ab; rewrite /rounds ab gez0_abs// subr_ge0. Qed.

(* what n rounds from i on give up, if the round j gives up e j *)
Fixpoint given (e : int -> R) (n : nat) (i : int) : R :=
  match n with O => 0 | n'.+1 => e i + given e n' (i + 1) end%R.
Lemma given_ge0 e n i : (forall i, 0 <= e i)%R -> (0 <= given e n i)%R.
Proof. by move=> e0; elim: n i => [|n IH] i //=; rewrite addr_ge0. Qed.

Theorem for_rounds (e : int -> R) (from to : int) (c : int -> stmt R S) (I : int -> assn R S) :
  (forall i, 0 <= e i)%R -> (from <= to)%R ->
  (forall i, (from <= i < to)%R -> judge (e i) (c i) (I i) (I (i + 1)%R)) ->
  judge (given e (rounds from to) from) (For from to c) (I from) (I to).
Proof.
move=> e0 ab J f F f0 f1 F0 Hr.
pose W n i h := seqn n i (fun i => wp (c i)) h.
have W0 n i h : nneg h -> nneg (W n i h) by move=> h0; apply: seqn_ge0 => // ? ?; exact: wp_ge0.
have W1 n i h : nneg h -> le1 h -> le1 (W n i h).
  by move=> h0 h1; elim: n i => [|n IH] i //= s; apply: wp_le1 => //; [exact: W0|exact: IH].
suff H n i : (from <= i)%R -> (i + n%:Z = to)%R ->
    forall m m' j, I i m m' j -> W n i f m <= (expR (- j))%:E * W n i F m' + (given e n i)%:E.
  by move=> m m' j HI; apply: H => //; rewrite rounds_int// addrCA subrr addr0.
elim: n i => [|n IH] i ai it m m' j HI.
  by rewrite /W /= adde0; apply: Hr; rewrite -it addr0.
have i1 : (i + 1 + n%:Z = to)%R by rewrite -it intS addrA.
have Hi : (from <= i < to)%R by rewrite ai -it ltr_addl.
have ai1 : (from <= i + 1)%R by rewrite (le_trans ai)// ler_addl.
apply: (@compose (fun=> True) (e i) (given e n (i + 1)%R) (c i) (I i) (I (i + 1)%R)) HI => //.
- exact: given_ge0.
- exact: W0.
- exact: W1.
- exact: W0.
- by apply: judge_any; exact: J.
- exact: IH.
Qed.

Theorem for_loop d (from to : int) (c : int -> stmt R S) (Phi I : int -> assn R S) :
  (0 <= d)%R -> (from <= to)%R ->
  (forall i, judge d (c i) (Phi i) (I (i + 1)%R)) ->
  (forall i s s' k, (from <= i < to)%R -> I i s s' k -> Phi i s s' k) ->
  judge ((to - from)%:~R * d) (For from to c) (I from) (I to).
Proof.
move=> d0 ab J keeps; have -> : ((to - from)%:~R * d = given (fun=> d) (rounds from to) from)%R.
  rewrite -rounds_int// -pmulrn; move: (rounds from to) => n; elim: n {J ab keeps} from => [|n IH] i /=; first by rewrite mul0r.
  by rewrite -IH mulrS mulrDl mul1r.
by apply: for_rounds => // i fi; apply: strengthen (J i) => s s' k; exact: keeps.
Qed.

(* ---- WHILE ---- *)
Theorem while_loop (g : S -> bool) c Phi (I : assn R S) :
  judge 0 c Phi I ->
  (forall s s' k, I s s' k -> g s -> g s' -> Phi s s' k) ->
  (forall s s' k, I s s' k -> g s = g s') ->
  judge 0 (While g c) I (fun s s' k => I s s' k /\ ~~ g s).
Proof.
move=> J HPhi Hg f F f0 f1 F0 H m m' k HI /=; rewrite adde0.
apply: ub_ereal_sup => _ [n _ <-].
apply: (@le_trans _ _ ((expR (- k))%:E * unroll n g (wp c) F m')); last first.
  rewrite lee_pmul2l//; first by apply: ereal_sup_ub; exists n.
  by rewrite lte_fin expR_gt0.
elim: n m m' k HI => [|n IHn] m m' k HI /=; first by rewrite mule0.
rewrite -(Hg _ _ _ HI); case: ifPn => gm; last by apply: H.
have ug0 h : nneg h -> nneg (unroll n g (wp c) h).
  by move=> h0; apply: unroll_ge0 => // ?; exact: wp_ge0.
have := J (unroll n g (wp c) f) (unroll n g (wp c) F) (ug0 _ f0) _ (ug0 _ F0) IHn m m' k.
rewrite adde0; apply; last by apply: HPhi => //; rewrite -(Hg _ _ _ HI).
elim: n {IHn ug0} => [|n IHn] s /=; first exact: lee01.
case: (g s) => //; apply: wp_le1 => // t.
by apply: unroll_ge0 => // ?; exact: wp_ge0.
Qed.

(* ---- what a program leaves alone ---- *)
Definition local (agree : S -> S -> Prop) c := forall m f g, nneg f -> nneg g ->
  (forall s, agree m s -> f s = g s) -> wp c f m = wp c g m.

Section Local.
Variable agree : S -> S -> Prop.
Hypothesis agree_refl : forall s, agree s s.
Hypothesis agree_trans : forall s t u, agree s t -> agree t u -> agree s u.

Lemma local_skip : local agree (Skip R S).
Proof. by move=> m f g _ _; exact. Qed.
Lemma local_assign u : (forall s, agree s (u s)) -> local agree (Assign R u).
Proof. by move=> au m f g _ _ /=; exact. Qed.
Lemma local_draw A (D : S -> law R A) u : (forall s a, agree s (u s a)) -> local agree (Draw D u).
Proof.
move=> au m f g f0 g0 fg /=; apply/eqP; rewrite eq_le; apply/andP; split;
  by apply: ev_le => a //; rewrite fg.
Qed.
(* the state after c, restricted to those that agree, as a test *)
Lemma local_seq c d : local agree c -> local agree d -> local agree (Seq c d).
Proof.
move=> lc ld m f g f0 g0 fg /=; apply: lc; [exact: wp_ge0|exact: wp_ge0|move=> s ms].
by apply: ld => // t st; apply: fg; exact: agree_trans ms st.
Qed.
Lemma local_if b c d : local agree c -> local agree d -> local agree (If b c d).
Proof. by move=> lc ld m f g f0 g0 fg /=; case: (b m); [exact: lc|exact: ld]. Qed.
Lemma local_for a b (c : int -> stmt R S) : (forall i, local agree (c i)) -> local agree (For a b c).
Proof.
move=> lc m f g f0 g0 fg /=; move: (rounds a b) => n.
elim: n a m f g f0 g0 fg => [|n IH] a m f g f0 g0 fg /=; first exact: fg.
apply: lc => [||s ms]; try by apply: seqn_ge0 => // ? ?; exact: wp_ge0.
by apply: IH => // t st; apply: fg; exact: agree_trans ms st.
Qed.
Lemma local_while b c : local agree c -> local agree (While b c).
Proof.
move=> lc m f g f0 g0 fg /=; congr ereal_sup; apply/seteqP.
have E n : unroll n b (wp c) f m = unroll n b (wp c) g m.
  elim: n m fg => [|n IH] m fg //=; case: (b m); last exact: fg.
  apply: lc => [||s ms]; try by apply: unroll_ge0 => // ?; exact: wp_ge0.
  by apply: IH => t st; apply: fg; exact: agree_trans ms st.
by split=> _ [n _ <-]; exists n => //; rewrite E.
Qed.
End Local.

(* ---- FRAME: theta mentions nothing that c changes, nor the cost ---- *)
Theorem frame d c Phi Psi (agree : S -> S -> Prop) (theta : S -> S -> Prop) :
  local agree c ->
  (forall m m' s s', theta m m' -> agree m s -> agree m' s' -> theta s s') ->
  judge d c Phi Psi ->
  judge d c (fun s s' k => Phi s s' k /\ theta s s') (fun s s' k => Psi s s' k /\ theta s s').
Proof.
move=> loc Ht J f F f0 f1 F0 Hr m m' k [HP Hth].
pose f' s := if `[< agree m s >] then f s else 0.
pose F' s := if `[< agree m' s >] then F s else +oo.
have f'0 : nneg f' by move=> s; rewrite /f'; case: ifP.
have f'1 : le1 f' by move=> s; rewrite /f'; case: ifP => // _; exact: lee01.
have F'0 : nneg F' by move=> s; rewrite /F'; case: ifP => // _; exact: leey.
rewrite (loc m f f')//; last by move=> s a; rewrite /f' asboolT.
rewrite (loc m' F F')//; last by move=> s a; rewrite /F' asboolT.
apply: J => // s s' j HPs; rewrite /f' /F'.
case: asboolP => [a|_]; last first.
  by rewrite mule_ge0// ?lee_fin ?expR_ge0//; case: ifP => // _; exact: leey.
case: asboolP => [a'|_]; first by apply: Hr; split => //; exact: Ht Hth a a'.
by rewrite gt0_muley ?lte_fin ?expR_gt0// leey.
Qed.

(* ---- the shape of all sampling rules ---- *)
(* star D D' supp phi c: e^-c D, moved by phi, lies below D'; supp has full measure under D *)
Definition star A (D D' : law R A) (supp : A -> Prop) (phi : A -> A) (c : A -> R) :=
  forall f F : A -> \bar R, (forall a, 0 <= f a) -> (forall a, 0 <= F a) ->
  (forall a, supp a -> f a <= (expR (- c a))%:E * F (phi a)) -> D f <= D' F.

Theorem sample A (D : S -> law R A) u Phi Psi :
  (forall m m' k, Phi m m' k -> exists supp phi (cost : A -> R),
     star (D m) (D m') supp phi cost /\
     forall a, supp a -> Psi (u m a) (u m' (phi a)) (k + cost a)%R) ->
  judge 0 (Draw D u) Phi Psi.
Proof.
move=> HD f F f0 f1 F0 H m m' k /HD[supp [phi [c [Hs HP]]]] /=; rewrite adde0.
rewrite -ev_scale//; last exact: expR_ge0.
apply: Hs => // [a|a Ha]; first by rewrite mule_ge0// lee_fin expR_ge0.
apply: (le_trans (H _ _ _ (HP a Ha))).
by rewrite muleA -EFinM -expRD opprD addrC.
Qed.

Lemma ev0 A (D : law R A) : D (fun=> 0) = 0.
Proof. exact: Judgement.ev0. Qed.

Lemma star_supp A (D D' : law R A) supp phi (cost : A -> R) : star D D' supp phi cost ->
  D (fun a => if `[< supp a >] then 0 else 1) <= 0.
Proof.
move=> Hs; have := Hs (fun a => if `[< supp a >] then 0 else 1) (fun=> 0); rewrite ev0; apply => // a.
  by case: ifP => _; rewrite ?lexx ?lee01.
by move=> Ha; rewrite asboolT// mule0.
Qed.

(* draws outside near are given up; they have mass at most d *)
Theorem up_to_bad d A (D : S -> law R A) (u : S -> A -> S) Phi Psi (near : S -> A -> bool) :
  (forall m f, (forall a, 0 <= f a) -> (forall a, f a <= 1) ->
     D m f <= D m (fun a => if near m a then f a else 0) + D m (fun a => if near m a then 0 else 1)) ->
  (forall m m' k, Phi m m' k -> D m (fun a => if near m a then 0 else 1) <= d%:E /\
     exists supp phi (cost : A -> R), star (D m) (D m') supp phi cost /\
     forall a, supp a -> near m a -> Psi (u m a) (u m' (phi a)) (k + cost a)%R) ->
  judge d (Draw D u) Phi Psi.
Proof.
move=> split H f F f0 f1 F0 Hr m m' k /H[Hd [supp [phi [cost [Hs HP]]]]] /=.
apply: (le_trans (split m _ (fun a => f0 (u m a)) (fun a => f1 (u m a)))).
apply: lee_add => //; rewrite -ev_scale//; last exact: expR_ge0.
apply: Hs => [a|a|a Ha]; first by case: ifP.
  by rewrite mule_ge0// lee_fin expR_ge0.
case: ifP => n; last by rewrite !mule_ge0// lee_fin expR_ge0.
apply: (le_trans (Hr _ _ _ (HP a Ha n))).
by rewrite muleA -EFinM -expRD opprD addrC.
Qed.

(* ---- AXNULL: one law in both runs ---- *)
Lemma star_null A (D : law R A) (supp : A -> Prop) :
  (forall f g, (forall a, 0 <= f a) -> (forall a, 0 <= g a) -> (forall a, supp a -> f a = g a) -> D f = D g) ->
  star D D supp id (fun=> 0%R).
Proof.
move=> full f F f0 F0 H; rewrite (full f (fun a => if `[< supp a >] then f a else 0)) //.
- apply: ev_le => a; first by case: ifP.
  case: asboolP => // sa; by apply: (le_trans (H a sa)); rewrite oppr0 expR0 mul1e.
- by move=> a; case: ifP.
- by move=> a sa; rewrite asboolT.
Qed.
End Rules.
