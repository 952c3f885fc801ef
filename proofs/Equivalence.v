(* Program equivalences of trusted/kernel/src/rules/equivalence.rs for discrete programs: RESPONSE-LAW (response_law),
   MIXTURE-LAW (mixture_law), UNROLL (unrolled), RANGE (range_loop), INLINE (inline), CONDITIONAL (conditional), NAME (name).  LAPLACE-LAW is in SignedLog.v.

   Two programs are equivalent for a class of tests if they have the same expectations on it.  What the
   kernel checks on the text ("set once", "not used before", "nothing that e mentions is set later") is here
   what it says about meanings: a test or an update that ignores a variable. *)
From Probity Require Import Prelude Judgement Laws Privacy.
From Probity Require Rules.
Local Open Scope ring_scope.
Local Open Scope ereal_scope.

Section Equivalence.
Variables (R : realType) (S : Type).
Implicit Types (c : stmt R S).

(* the same expectation of every test in P *)
Definition equivalent (P : (S -> \bar R) -> Prop) c d := forall f, nneg f -> P f -> forall m, wp c f m = wp d f m.

(* a theorem about the rewritten mechanism is one about the original *)
Theorem transfer (P : (S -> \bar R) -> Prop) (O : Type) (out : S -> O) c d eps delta m m' :
  equivalent P c d -> (forall E : O -> Prop, P (ind R (fun s => E (out s)))) ->
  dp out d eps delta m m' -> dp out c eps delta m m'.
Proof. by move=> eqv PO H E; rewrite !eqv//; exact: ind_ge0. Qed.

(* if g { y = a } else { y = b }  =  y = if g then a else b *)
Theorem conditional (V : Type) (set : S -> V -> S) (g : S -> bool) (a b : S -> V) :
  equivalent (fun=> True)
    (If g (Assign R (fun s => set s (a s))) (Assign R (fun s => set s (b s))))
    (Assign R (fun s => set s (if g s then a s else b s))).
Proof. by move=> f f0 _ m /=; case: (g m). Qed.

(* c; return e  =  c; y = e; return y, for a y that e does not mention *)
Theorem name (V : Type) (get : S -> V) (set : S -> V -> S) (e : S -> V) c :
  (forall s v, get (set s v) = v) ->
  forall (E : V -> Prop) m,
    wp (Seq c (Assign R (fun s => set s (e s)))) (ind R (fun s => E (get s))) m =
    wp c (ind R (fun s => E (e s))) m.
Proof. by move=> gs E m /=; congr (wp c _ m); apply/funext => s; rewrite /ind gs. Qed.

(* x = e; C[x]  =  C[e].  same s t: s and t differ at most in x.  C' is C with e for x: on states in which x
   has the value of e, C does what C' does, up to x; and C' does not care about x. *)
Theorem inline (same : S -> S -> Prop) (u : S -> S) c c' :
  (forall s, same s (u s)) ->
  (forall f, nneg f -> (forall s t, same s t -> f s = f t) -> forall m,
     wp c f (u m) = wp c' f (u m)) ->
  (forall f, nneg f -> (forall s t, same s t -> f s = f t) -> forall s t, same s t -> wp c' f s = wp c' f t) ->
  equivalent (fun f => forall s t, same s t -> f s = f t) (Seq (Assign R u) c) c'.
Proof. by move=> su H ign f f0 fs m /=; rewrite H//; apply/esym; apply: ign. Qed.

(* ... which is so when C and C' are built alike from steps that keep x = e *)
Section Steps.
Variables (same : S -> S -> Prop) (inv : S -> Prop).
Definition alike c c' := forall f g, nneg f -> nneg g -> (forall s t, inv s -> same s t -> f s = g t) ->
  forall s t, inv s -> same s t -> wp c f s = wp c' g t.
Lemma alike_assign u u' : (forall s t, inv s -> same s t -> inv (u s) /\ same (u s) (u' t)) ->
  alike (Assign R u) (Assign R u').
Proof. by move=> H f g f0 g0 fg s t si st /=; have [? ?] := H s t si st; exact: fg. Qed.
Lemma alike_draw A (D D' : S -> law R A) u u' : (forall s t, inv s -> same s t -> D s = D' t) ->
  (forall s t a, inv s -> same s t -> inv (u s a) /\ same (u s a) (u' t a)) ->
  alike (Draw D u) (Draw D' u').
Proof.
move=> HD H f g f0 g0 fg s t si st /=; rewrite (HD s t)//; congr (ev (D' t)); apply/funext => a.
by have [? ?] := H s t a si st; exact: fg.
Qed.
Lemma alike_if b b' c c' d d' : (forall s t, inv s -> same s t -> b s = b' t) ->
  alike c c' -> alike d d' -> alike (If b c d) (If b' c' d').
Proof.
move=> Hb Hc Hd f g f0 g0 fg s t si st /=; rewrite (Hb s t)//.
by case: (b' t); [exact: (Hc f g)|exact: (Hd f g)].
Qed.
Lemma alike_seq c c' d d' : alike c c' -> alike d d' -> alike (Seq c d) (Seq c' d').
Proof.
move=> Hc Hd f g f0 g0 fg s t si st /=.
by apply: Hc => // [||s' t' si' st']; [exact: wp_ge0|exact: wp_ge0|exact: (Hd f g)].
Qed.
Lemma alike_while b b' c c' : (forall s t, inv s -> same s t -> b s = b' t) ->
  alike c c' -> alike (While b c) (While b' c').
Proof.
move=> Hb Hc f g f0 g0 fg s t si st /=; congr ereal_sup; apply/seteqP.
have E n : forall s t, inv s -> same s t -> unroll n b (wp c) f s = unroll n b' (wp c') g t.
  elim: n => [|n IH] s' t' si' st' //=; rewrite (Hb s' t')//; case: (b' t'); last exact: fg.
  by apply: (Hc _ _) => //; apply: unroll_ge0 => // ?; exact: wp_ge0.
by split=> _ [n _ <-]; exists n => //; rewrite (E n s t).
Qed.
Lemma alike_for i j (c c' : int -> stmt R S) : (forall z, alike (c z) (c' z)) -> alike (For i j c) (For i j c').
Proof.
move=> Hc f g f0 g0 fg /=; move: (rounds i j) => n; elim: n i => [|n IH] i s t si st /=; first exact: fg.
apply: (Hc i) => //; try by apply: seqn_ge0 => // ? ?; exact: wp_ge0.
by move=> s' t' si' st'; exact: IH.
Qed.
End Steps.

(* k ~ bernoulli(p); o ~ uniform_other(v, t); C[if k then v else o]  =  y ~ response(v, p, t); C[y] *)
Theorem response_law (v count : int) (p : R) (f : int -> \bar R) :
  category_range count v -> (0 <= p <= 1)%R -> (forall y, 0 <= f y) ->
  bernoulli p (fun k => uniform_other R v count (fun o => f (if k then v else o))) = response v p count f.
Proof.
move=> cr pr f0; have [p0 p1] := andP pr; have c1 := count_pos cr.
rewrite bernoulliE// [uniform_other R v count (fun o => f v)](_ : _ = f v); last first.
  have T := uniform_other_sum R cr; rewrite big_map /= in T.
  rewrite flawE ?uniform_other_fine// big_map /= -ge0_sume_distrl ?sumEFin ?T ?mul1e//.
  by move=> _ _; rewrite lee_fin invr_ge0 ler0z ltW.
rewrite [uniform_other R v count _]flawE ?uniform_other_fine// [RHS]flawE ?response_fine//.
rewrite [in LHS]big_map [in RHS]big_map /=.
have vin : v \in range 0 (count - 1).
  move/andP: cr => [c2 /andP[v0 vc]].
  by rewrite mem_range; [rewrite v0 -ltz_addr1 subrK|rewrite subrK (le_trans _ c2)].
rewrite [RHS](bigD1_seq v)//= ?uniq_range// eqxx; congr (_ + _).
rewrite ge0_sume_distrr; last by move=> x _; rewrite mule_ge0// lee_fin invr_ge0 ler0z ltW.
rewrite big_filter.
apply: eq_bigr => y /negPf ->; by rewrite muleA -EFinM.
Qed.
(* MIXTURE-LAW: other is uniform among all values, v included *)
Theorem mixture_law (v count : int) (p : R) (f : int -> \bar R) :
  category_range count v -> (0 <= p <= 1)%R -> (forall y, 0 <= f y) ->
  bernoulli p (fun k => uniform_int R 0 (count - 1) (fun o => f (if k then v else o))) =
  response v (p + (1 - p) / count%:~R)%R count f.
Proof.
move=> cr pr f0; have [p0 p1] := andP pr; have c1 := count_pos cr; have [c2 /andP[v0 vc]] := andP cr.
have lh : (0 <= count - 1)%R by exact: ltW.
have cE : (count - 1 - 0 + 1 = count)%R by rewrite subr0 subrK.
have n0 : (0 < count%:~R :> R)%R by rewrite ltr0z (lt_le_trans _ c2).
have n1 : (0 < (count - 1)%:~R :> R)%R by rewrite ltr0z.
have q1 : (0 <= p + (1 - p) / count%:~R <= 1)%R.
  rewrite addr_ge0 ?divr_ge0 ?subr_ge0 ?(ltW n0)//= -ler_subr_addl ler_pdivr_mulr// ler_pemulr ?subr_ge0//.
  by rewrite -[1%R]/(1%:~R) ler_int (le_trans _ c2).
have vin : v \in range 0 (count - 1).
  by rewrite mem_range; [rewrite v0 -ltz_addr1 subrK|rewrite subrK (le_trans _ c2)].
rewrite bernoulliE// [uniform_int R 0 (count - 1) (fun o => f v)](_ : _ = f v); last first.
  have T := uniform_int_sum R lh; rewrite big_map /= in T.
  rewrite flawE ?uniform_int_fine// big_map /= -ge0_sume_distrl ?sumEFin ?T ?mul1e//.
  by move=> _ _; rewrite lee_fin invr_ge0 cE ltW.
rewrite [uniform_int R 0 (count - 1) _]flawE ?uniform_int_fine// [RHS]flawE ?response_fine//.
rewrite [in LHS]big_map [in RHS]big_map /= cE.
have term y : 0 <= (count%:~R^-1 : R)%:E * f y by rewrite mule_ge0// lee_fin invr_ge0 ltW.
rewrite [RHS](bigD1_seq v)//= ?uniq_range// eqxx [in LHS](bigD1_seq v)//= ?uniq_range//.
rewrite ge0_muleDr//; last by apply: sume_ge0 => y _.
rewrite addeA; congr (_ + _).
  by rewrite muleA -EFinM -ge0_muleDl ?lee_fin ?mulr_ge0 ?invr_ge0 ?subr_ge0 ?(ltW n0).
rewrite ge0_sume_distrr//; apply: eq_bigr => y /negPf ->; rewrite muleA -EFinM; congr (_%:E * _).
rewrite (_ : (count - 1)%:~R = count%:~R - 1 :> R)%R; last by rewrite rmorphB.
have m1 : (count%:~R - 1 != 0 :> R)%R by rewrite -[1%R in X in X != _]/(1%:~R) -rmorphB /= gt_eqF.
by field; rewrite m1 gt_eqF.
Qed.
(* UNROLL: the rounds of a loop between two numbers, one after the other *)
Theorem unrolled (from to : int) (c : int -> stmt R S) f m :
  wp (For from to c) f m =
  wp (foldr (fun i d => Seq (c i) d) (Skip R S) [seq (from + j%:Z)%R | j <- iota 0 (rounds from to)]) f m.
Proof.
rewrite /=; move: (rounds from to) => n; rewrite -[from in LHS]addr0.
rewrite -[0%R]/(0%:Z) -[X in _ = wp (foldr _ _ X) _ _]/[seq (from + j%:Z)%R | j <- iota 0 n].
elim: n 0%N m => [|n IH] k m //=; congr (wp (c _) _ m); apply/funext => t.
by rewrite -IH -addrA; congr (seqn _ (_ + _)%R _ _ _); rewrite -addn1 PoszD.
Qed.

(* RANGE: for i in a..b { c }  =  for i in a..max(a, b) { c }.  Nothing sets what the bounds mention: they are numbers *)
Theorem range_loop (from to : int) (c : int -> stmt R S) f m : wp (For from to c) f m = wp (For from (Num.max from to) c) f m.
Proof.
rewrite /=; congr (seqn _ _ _ _ m); rewrite /rounds; case: leP => [->//|_].
by rewrite lexx subrr.
Qed.

(* outside the range of the others, or of p, neither has mass *)
Theorem response_law_out (v count : int) (p : R) (f : int -> \bar R) :
  ~~ (category_range count v && (0 <= p <= 1)%R) ->
  bernoulli p (fun k => uniform_other R v count (fun o => f (if k then v else o))) = 0 /\ response v p count f = 0.
Proof.
move=> out; split; last by rewrite /= /fev /fine_list (negPf out).
have [cr|ncr] := boolP (category_range count v).
  by move: out; rewrite cr /= => np; rewrite /= /fev /fine_list (negPf np).
have z k : uniform_other R v count (fun o => f (if k then v else o)) = 0.
  by rewrite /= /fev /fine_list (negPf ncr).
rewrite (_ : (fun k => _) = fun=> 0); first exact: ev0.
by apply/funext => k; exact: z.
Qed.
End Equivalence.
