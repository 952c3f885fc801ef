(* FORESEE (trusted/kernel/src/rules/select/foresee.rs, trusted/kernel/src/privacy/foreseen.rs): a mechanism that draws once in every round of one loop, as a function of its noise.  What is drawn at some
   places moves by amounts that all other draws decide, those after them included.

   The noise is a function from indices to numbers.  A draw of one entry is an expectation (one), and the program is the expectation of all entries in turn of what it does with them (program_noise).  On a class
   of tests on which two entries may be drawn in either order (class; all tests for noise on the integers, the measurable ones for noise with a density: Foreseen.v), the entries at the places are drawn last: for
   them the amounts are constants (moved).  The kernel's judgement is about the mechanism as a function of its noise (as_function), which draws nothing, and ends in goal; foresee is the rule.
   Read: as_function, goal, foresee. *)
From Probity Require Import Prelude Judgement Laws Additive Privacy.
Local Open Scope classical_set_scope.
Local Open Scope ring_scope.
Local Open Scope ereal_scope.

Section Noise.
Variables (R : realType) (A : zmodType) (D : law R A).
Definition noise := int -> A.
Implicit Types (f g : noise -> \bar R) (z : noise) (l : seq int).
Definition put z (i : int) (y : A) : noise := fun j => if j == i then y else z j.
(* the entry i is drawn; the entries of a list, in turn *)
Definition one i f z := D (fun y => f (put z i y)).
Fixpoint draws l f : noise -> \bar R := if l is i :: l' then one i (draws l' f) else f.
(* z' has the entries of z but for those of l *)
Definition off l z z' := forall j, j \notin l -> z' j = z j.

Lemma putC z i j x y : i != j -> put (put z i x) j y = put (put z j y) i x.
Proof.
move=> ij; apply/funext => k; rewrite /put; case: eqP => [->|]//; case: eqP => // ji.
by rewrite ji eqxx in ij.
Qed.
Lemma off_put i l z y z' : i \notin l -> off l (put z i y) z' -> off (i :: l) z z' /\ z' i = y.
Proof.
move=> il H; split; last by rewrite H// /put eqxx.
by move=> j; rewrite inE negb_or => /andP[ji jl]; rewrite H// /put (negPf ji).
Qed.

Lemma draws_ge0 l f : nneg f -> nneg (draws l f).
Proof. by move=> f0; elim: l => [|i l IH] //= z; apply: ev_ge0 => y; exact: IH. Qed.
Lemma draws_le l f g : nneg f -> (forall z, f z <= g z) -> forall z, draws l f z <= draws l g z.
Proof. by move=> f0 fg; elim: l => [|i l IH] //= z; apply: ev_le => y; [exact: draws_ge0|exact: IH]. Qed.
Lemma draws_scale l (c : R) f : (0 <= c)%R -> nneg f -> draws l (fun z => c%:E * f z) = fun z => c%:E * draws l f z.
Proof.
move=> c0 f0; elim: l => [|i l IH] //=; apply/funext => z; rewrite /one IH ev_scale// => y; exact: draws_ge0.
Qed.
(* only entries of l are changed *)
Lemma draws_eq l f g z : uniq l -> (forall z', off l z z' -> f z' = g z') -> draws l f z = draws l g z.
Proof.
elim: l z => [|i l IH] z /=; first by move=> _ H; apply: H.
move=> /andP[il ul] H; rewrite /one; congr (ev D _); apply/funext => y; apply: IH => // z' /(off_put il)[+ _]; exact: H.
Qed.
Lemma draws_put l f i w z : i \notin l -> draws l (fun z' => f (put z' i w)) z = draws l f (put z i w).
Proof.
elim: l z => [|j l IH] z //=; rewrite inE negb_or => /andP[ij il].
by rewrite /one; congr (ev D _); apply/funext => y; rewrite IH//; congr (draws l f _); apply: putC; rewrite eq_sym.
Qed.

(* ---- a class of tests on which entries may be drawn in either order, one after the other, and tests added up ---- *)
Record class (G : (noise -> \bar R) -> Prop) : Prop := Class {
  class_one : forall f i, nneg f -> G f -> G (one i f);
  class_swap : forall f i j z, i != j -> nneg f -> G f -> one i (one j f) z = one j (one i f) z;
  class_sum : forall (f_ : nat -> noise -> \bar R) i z, (forall n, nneg (f_ n)) -> (forall n, G (f_ n)) ->
    one i (fun z => \sum_(n <oo) f_ n z) z = \sum_(n <oo) one i (f_ n) z }.
Variable G : (noise -> \bar R) -> Prop.
Hypothesis GC : class G.

Lemma draws_class l f : nneg f -> G f -> G (draws l f).
Proof. by move=> f0 gf; elim: l => [|i l IH] //=; apply: (class_one GC) => //; exact: draws_ge0. Qed.
Lemma one_last l f i : nneg f -> G f -> i \notin l -> one i (draws l f) = draws l (one i f).
Proof.
move=> f0 gf; elim: l => [|j l IH] //=; rewrite inE negb_or => /andP[ij il]; apply/funext => z.
by rewrite (class_swap GC)// ?IH//; [exact: draws_ge0|exact: draws_class].
Qed.
(* the entries of P last *)
Lemma places_last (P : pred int) l f : nneg f -> G f ->
  draws l f = draws [seq i <- l | ~~ P i] (draws [seq i <- l | P i] f).
Proof.
move=> f0 gf; elim: l => [|i l IH] //=; rewrite IH; have [Pi|Pi] := boolP (P i) => //=.
apply: one_last; [exact: draws_ge0|exact: draws_class|by rewrite mem_filter Pi].
Qed.
Lemma draws_sum l (f_ : nat -> noise -> \bar R) : (forall n, nneg (f_ n)) -> (forall n, G (f_ n)) ->
  draws l (fun z => \sum_(n <oo) f_ n z) = fun z => \sum_(n <oo) draws l (f_ n) z.
Proof.
move=> f0 gf; elim: l => [|i l IH] //=; rewrite IH; apply/funext => z.
by apply: (class_sum GC) => n; [exact: draws_ge0|exact: draws_class].
Qed.

(* ---- amounts ---- *)
(* noise may move by T at the price c *)
Variables (allowed : A -> Prop) (price : A -> R).
Hypothesis moves : forall T (f F : A -> \bar R), allowed T -> (forall y, 0 <= f y) -> (forall y, 0 <= F y) ->
  (forall y, f y <= (expR (- price T))%:E * F (y + T)%R) -> D f <= D F.

Definition shift l (T : int -> A) z : noise := fun j => if j \in l then (z j + T j)%R else z j.

(* constant amounts at the entries of l *)
Lemma moved_each l (T : int -> A) f F z : uniq l -> (forall i, i \in l -> allowed (T i)) -> nneg f -> nneg F ->
  (forall z', off l z z' -> f z' <= (expR (- \sum_(i <- l) price (T i)))%:E * F (shift l T z')) ->
  draws l f z <= draws l F z.
Proof.
elim: l f F z => [|i l IH] f F z /=.
  move=> _ _ _ _ /(_ z); rewrite big_nil oppr0 expR0 mul1e (_ : shift [::] T z = z); last exact/funext.
  by apply.
move=> /andP[il ul] al f0 F0 H; rewrite /one.
have e0 x : (0 <= expR x :> R)%R := expR_ge0 x.
have ai : allowed (T i) by apply: al; rewrite inE eqxx.
apply: (moves ai) => [y|y|y]; try exact: draws_ge0.
pose F' z' := (expR (- price (T i)))%:E * F (put z' i (y + T i)%R).
have F'0 : nneg F' by move=> z'; rewrite mule_ge0// lee_fin.
have -> : (expR (- price (T i)))%:E * draws l F (put z i (y + T i)) = draws l F' (put z i y).
  rewrite /F' draws_scale//.
  congr (_ * _); rewrite (draws_put (fun z' => F z'))// (_ : put (put z i y) i _ = put z i (y + T i)%R)//.
  by apply/funext => j; rewrite /put; case: eqP.
apply: IH => // [j jl|z' Hz']; first by apply: al; rewrite inE jl orbT.
have [oz zi] := off_put il Hz'; apply: le_trans (H z' oz) _.
rewrite big_cons opprD expRD EFinM [(expR (- price (T i)))%:E * _]muleC -muleA; apply: lee_wpmul2l; first by rewrite lee_fin.
rewrite /F' (_ : shift (i :: l) T z' = put (shift l T z') i (y + T i)%R)//.
apply/funext => j; rewrite /shift /put inE; case: eqP => [->|] //=; by rewrite zi.
Qed.

(* amounts that the entries at no place decide; E is where f is not 0 *)
Theorem moved (P : pred int) l (T : noise -> int -> A) (E : noise -> Prop) f F (eps : R) z : uniq l -> nneg f -> nneg F -> G f -> G F ->
  (forall z z', (forall j, ~~ P j -> z' j = z j) -> T z' = T z) ->
  (forall z, ~ E z -> f z = 0) ->
  (forall z, E z -> [/\ forall i, i \in l -> P i -> allowed (T z i), (\sum_(i <- l | P i) price (T z i) <= eps)%R &
     f z <= F (shift [seq i <- l | P i] (T z) z)]) ->
  draws l f z <= (expR eps)%:E * draws l F z.
Proof.
move=> ul f0 F0 gf gF Tp nE HE; have e0 x : (0 <= expR x :> R)%R := expR_ge0 x.
have F'0 : nneg (fun z => (expR eps)%:E * F z) by move=> z'; rewrite mule_ge0// lee_fin.
rewrite (places_last P l f0 gf) (places_last P l F0 gF).
set o := [seq i <- l | ~~ P i]; set p := [seq i <- l | P i].
have up : uniq p by exact: filter_uniq.
have -> : (expR eps)%:E * draws o (draws p F) z = draws o (fun z => (expR eps)%:E * draws p F z) z.
  by rewrite draws_scale//; exact: draws_ge0.
apply: draws_le => [|z1]; first exact: draws_ge0.
rewrite -[leRHS]/((fun z => (expR eps)%:E * draws p F z) z1) -draws_scale//.
have [[z0 [o0 E0]]|none] := pselect (exists z0, off p z1 z0 /\ E z0); last first.
  have -> : draws p f z1 = draws p (fun=> 0) z1.
    by apply: draws_eq => // z' o'; apply: nE => Ez'; apply: none; exists z'.
  apply: draws_le => // z'; exact: F'0.
have [al pr _] := HE _ E0.
have Tz z' : off p z1 z' -> T z' = T z0.
  move=> o'; apply: Tp => j Pj; rewrite o' ?o0//; by rewrite mem_filter (negPf Pj).
apply: (@moved_each p (T z0)) => // [i|z' o'].
  by rewrite mem_filter => /andP[Pi il]; exact: al.
have [Ez'|nEz'] := pselect (E z'); last first.
  by rewrite nE// mule_ge0// ?lee_fin//; exact: F'0.
have [_ _] := HE _ Ez'; rewrite (Tz _ o') => /le_trans; apply.
rewrite muleA -EFinM -expRD big_filter; rewrite -[leLHS]mul1e; apply: lee_wpmul2r => //.
by rewrite lee_fin -expR0 ler_expR addrC subr_ge0.
Qed.
End Noise.

(* ---- noise that may move: what FORESEE asks of a law ---- *)
(* law_at e is the noise D around a center e; in a class of tests entries may be drawn in any order; noise moves by an amount that is allowed, at its price *)
Record movable (R : realType) (A : zmodType) (D : law R A) (law_at : A -> law R A) (around : A -> Prop) (G : (noise A -> \bar R) -> Prop)
  (scale : R) (allowed : A -> Prop) (price : A -> R) : Prop := Movable {
  movable_center : forall e (f : A -> \bar R), around e -> (forall y, 0 <= f y) -> law_at e f = D (fun y => f (e + y)%R);
  movable_class : class D G;
  movable_zero : G (fun=> 0);
  movable_price : forall T, (0 < scale)%R -> allowed T -> (0 <= price T)%R;
  movable_moves : forall T (f F : A -> \bar R), (0 < scale)%R -> allowed T -> (forall y, 0 <= f y) -> (forall y, 0 <= F y) ->
    (forall y, f y <= (expR (- price T))%:E * F (y + T)%R) -> D f <= D F }.
(* single values have no mass *)
Definition diffuse (R : realType) (A : eqType) (D : law R A) := forall (ps : seq A) (f g : A -> \bar R), (forall y, 0 <= f y) -> (forall y, 0 <= g y) ->
  (forall y, y \notin ps -> f y = g y) -> D f = D g.

(* ---- programs that draw nothing ---- *)
Section Plain.
Variables (R : realType).
Definition does (S : Type) (c : stmt R S) (h : S -> S) := forall f s, wp c f s = f (h s).
(* the same statement, with more beside the state *)
Fixpoint beside (S Y : Type) (c : stmt R S) : stmt R (S * Y) :=
  match c with
  | Skip => Skip R (S * Y)
  | Assign u => Assign R (fun s => (u s.1, s.2))
  | Draw A D u => Draw (fun s => D s.1) (fun s a => (u s.1 a, s.2))
  | Seq c d => Seq (beside Y c) (beside Y d)
  | If g c d => If (fun s => g s.1) (beside Y c) (beside Y d)
  | For a b c => For a b (fun i => beside Y (c i))
  | While g c => While (fun s => g s.1) (beside Y c)
  end.
Lemma besideE (S Y : Type) (c : stmt R S) : forall (f : S * Y -> \bar R) s y, wp (beside Y c) f (s, y) = wp c (fun t => f (t, y)) s.
Proof.
elim: c => [|u|B D u|c IHc d IHd|g c IHc d IHd|a b c IH|g c IH] f s y //=.
- by rewrite IHc; congr (wp c _ s); apply/funext => t; exact: IHd.
- by case: (g s); [exact: IHc|exact: IHd].
- move: (rounds a b) => n; elim: n a s => [|n IHn] a s //=.
  by rewrite IH; congr (wp _ _ s); apply/funext => t; exact: IHn.
- congr (ereal_sup _); have E n : forall s, unroll n (fun s => g s.1) (wp (beside Y c)) f (s, y) = unroll n g (wp c) (fun t => f (t, y)) s.
    elim: n => [|n IHn] t //=; case: (g t) => //.
    by rewrite IH; congr (wp _ _ t); apply/funext => t'; exact: IHn.
  by apply/seteqP; split=> _ [n _ <-]; exists n => //; rewrite E.
Qed.
Lemma does_beside (S Y : Type) (c : stmt R S) h : does c h -> does (beside Y c) (fun s => (h s.1, s.2)).
Proof. by move=> H f [s y]; rewrite besideE H. Qed.
(* what is judged of such programs holds of the states in which they end *)
Lemma judged_states (S : Type) (c : stmt R S) (Phi Psi : assn R S) h m m' : judge 0 c Phi Psi -> does c h -> Phi m m' 0%R ->
  (forall s s' k, Psi s s' k -> (k <= 0)%R) -> exists k, Psi (h m) (h m') k.
Proof.
move=> J H HP neg; apply: contrapT => none.
pose f s : \bar R := if `[< s = h m >] then 1 else 0; pose F s : \bar R := if `[< s = h m' >] then 0 else 1.
have f0 : nneg f by move=> s; rewrite /f; case: ifP => _; rewrite ?lee01.
have f1 : le1 f by move=> s; rewrite /f; case: ifP => _; rewrite ?lee01.
have F0 : nneg F by move=> s; rewrite /F; case: ifP => _; rewrite ?lee01.
have Hr : related Psi f F.
  move=> s s' k K; rewrite /f /F; case: asboolP => [sE|_]; last by rewrite mule_ge0// ?lee_fin ?expR_ge0//; case: ifP => _; rewrite ?lee01.
  case: asboolP => [s'E|_]; first by exfalso; apply: none; exists k; rewrite -sE -s'E.
  by rewrite mule1 lee_fin -expR0 ler_expR oppr_ge0; exact: neg K.
have := J f F f0 f1 F0 Hr m m' 0%R HP; rewrite !H /f /F !asboolT// mule0 adde0 leNgt.
by rewrite lte01.
Qed.
End Plain.

(* ---- the program ---- *)
Fixpoint ints (n : nat) (i : int) : seq int := if n is n'.+1 then i :: ints n' (i + 1)%R else [::].
Lemma mem_ints n i j : j \in ints n i = (i <= j < i + n%:Z)%R.
Proof.
elim: n i => [|n IH] i /=; first by rewrite in_nil addr0; apply/esym/negP => /andP[a b]; have := le_lt_trans a b; rewrite ltxx.
rewrite inE IH -[n.+1]add1n PoszD addrA; apply/idP/idP => [/orP[/eqP ->|/andP[a b]]|/andP[a b]].
- by rewrite lexx /= -addrA ltr_addl -PoszD ltz_nat.
- by rewrite b (le_trans _ a)// ler_addl.
by rewrite b andbT lez_addr1 lt_neqAle a andbT eq_sym orbN.
Qed.
Lemma ints_uniq n i : uniq (ints n i).
Proof.
elim: n i => [|n IH] i //=; rewrite IH andbT mem_ints; apply/negP => /andP[a _].
by move: a; rewrite lez_addr1 ltxx.
Qed.

Section Program.
Variables (R : realType) (A : zmodType) (D : law R A) (S Given : Type).
Variables (given : S -> Given) (law_at : A -> law R A) (center : int -> Given -> A) (u : S -> A -> S).
Variables (pre post : stmt R S) (before after : int -> stmt R S) (from to : int).
(* A; for i in from..to { d; v ~ D(e, s); c }; B *)
Definition program : stmt R S :=
  Seq pre (Seq (For from to (fun i => Seq (before i) (Seq (Draw (fun s => law_at (center i (given s))) u) (after i)))) post).

(* nothing else is drawn, and what is given is not set *)
Variables (fpre fpost : S -> S) (fbefore fafter : int -> S -> S).
Hypotheses (pre_plain : does pre fpre) (post_plain : does post fpost)
  (before_plain : forall i, does (before i) (fbefore i)) (after_plain : forall i, does (after i) (fafter i)).
Hypotheses (given_pre : forall s, given (fpre s) = given s) (given_post : forall s, given (fpost s) = given s)
  (given_before : forall i s, given (fbefore i s) = given s) (given_after : forall i s, given (fafter i s) = given s)
  (given_u : forall s y, given (u s y) = given s).
Variables (around : A -> Prop) (G : (noise A -> \bar R) -> Prop) (scale : R) (allowed : A -> Prop) (price : A -> R).
Hypothesis noisy : movable D law_at around G scale allowed price.
Hypothesis centers : forall i x, around (center i x).
Let centered i x (f : A -> \bar R) : (forall y, 0 <= f y) -> law_at (center i x) f = D (fun y => f (center i x + y)%R).
Proof. exact: (movable_center noisy (centers i x)). Qed.

Notation noise := (noise A).
Fixpoint loop n i s (z : noise) : S :=
  if n is n'.+1 then loop n' (i + 1)%R (fafter i (u (fbefore i s) (center i (given s) + z i)%R)) z else s.
Definition last s z := fpost (loop (rounds from to) from (fpre s) z).
Let l := ints (rounds from to) from.

Lemma given_round i s y : given (fafter i (u (fbefore i s) y)) = given s.
Proof. by rewrite given_after given_u given_before. Qed.
Lemma given_loop n i s z : given (loop n i s z) = given s.
Proof. by elim: n i s => [|n IH] i s //=; rewrite IH given_round. Qed.
Lemma given_last s z : given (last s z) = given s.
Proof. by rewrite /last given_post given_loop given_pre. Qed.
Lemma loop_eq n i s z z' : (forall j, j \in ints n i -> z j = z' j) -> loop n i s z = loop n i s z'.
Proof.
elim: n i s => [|n IH] i s //= H; rewrite (H i) ?inE ?eqxx//; apply: IH => j jl; apply: H.
by rewrite inE jl orbT.
Qed.

(* the program draws all of its noise in turn *)
Theorem program_noise f s z : nneg f -> wp program f s = draws D l (fun z => f (last s z)) z.
Proof.
move=> f0; rewrite /= pre_plain /last /l; move: (fpre s) from (rounds from to) z => {}s i n.
elim: n i s => [|n IH] i s z /=; first exact: post_plain.
rewrite before_plain given_before centered; last by move=> y; rewrite after_plain (IH _ _ z); apply: draws_ge0 => z'; exact: f0.
rewrite /one; congr (ev D _); apply/funext => y; rewrite after_plain.
rewrite (IH _ _ (put z i y)); apply: draws_eq; first exact: ints_uniq.
move=> z' /(_ i); rewrite mem_ints => ->; first by rewrite /put eqxx.
by apply/negP => /andP[a _]; move: a; rewrite lez_addr1 ltxx.
Qed.

(* ---- the mechanism as a function of its noise ---- *)
Variables (Keys : countType) (Kept O : Type) (keys : S -> Keys) (places : Keys -> seq int) (start : Keys -> Given -> Kept)
  (next : Keys -> Given -> int -> Kept -> A -> Kept) (ties : int -> S -> seq A) (out : S -> O)
  (amount : Keys -> nat -> Given -> Given -> Kept -> Kept -> A).
(* beside the state: the list of the noise and by how much each place moves, which are inputs; what is kept, and whether there was a tie *)
Definition more := ((seq A * (nat -> A)) * (Kept * bool))%type.
(* an entry of a list; 0 where there is none *)
Definition entry (x : seq A) (i : int) : A := if i is Posz n then nth 0%R x n else 0%R.
Definition noise_of r (x : seq A * (nat -> A)) (i : int) : A :=
  (if i \in places r then entry x.1 i + x.2 (index i (places r)) else entry x.1 i)%R.
Definition in_place_of r i : stmt R (S * more) := Assign R (fun s =>
  let w := (center i (given s.1) + noise_of r s.2.1 i)%R in
  (u s.1 w, (s.2.1, (if i \in places r then s.2.2.1 else next r (given s.1) i s.2.2.1 w, s.2.2.2 || (w \in ties i s.1))))).
Definition as_function r : stmt R (S * more) :=
  Seq (beside more pre) (Seq (Assign R (fun s => (s.1, (s.2.1, (start r (given s.1), false)))))
    (Seq (For from to (fun i => Seq (beside more (before i)) (Seq (in_place_of r i) (beside more (after i))))) (beside more post))).

Fixpoint kept r n i x k (z : noise) : Kept :=
  if n is n'.+1 then kept r n' (i + 1)%R x (if i \in places r then k else next r x i k (center i x + z i)%R) z else k.
Fixpoint tied n i s (z : noise) : bool :=
  if n is n'.+1 then ((center i (given s) + z i)%R \in ties i (fbefore i s)) || tied n' (i + 1)%R (fafter i (u (fbefore i s) (center i (given s) + z i)%R)) z else false.
Definition kept_last r s z := kept r (rounds from to) from (given s) (start r (given s)) z.
Definition tied_last s z := tied (rounds from to) from (fpre s) z.

Lemma kept_eq r n i x k z z' : (forall j, j \notin places r -> z j = z' j) -> kept r n i x k z = kept r n i x k z'.
Proof.
move=> H; elim: n i k => [|n IH] i k //=; rewrite IH; congr (kept _ _ _ _ _ _).
by case: ifPn => // ip; rewrite H.
Qed.
Definition ended r (s : S * more) (z : noise) : S * more := (last s.1 z, (s.2.1, (kept_last r s.1 z, tied_last s.1 z))).
Lemma function_loop r n i s x k td (z : noise) f : (forall j, j \in ints n i -> z j = noise_of r x j) ->
  seqn n i (fun i => wp (Seq (beside more (before i)) (Seq (in_place_of r i) (beside more (after i))))) f (s, (x, (k, td))) =
  f (loop n i s z, (x, (kept r n i (given s) k z, td || tied n i s z))).
Proof.
elim: n i s k td => [|n IH] i s k td H; first by rewrite /= orbF.
have step h t : wp (Seq (beside more (before i)) (Seq (in_place_of r i) (beside more (after i)))) h t =
  wp (beside more (before i)) (wp (in_place_of r i) (wp (beside more (after i)) h)) t by [].
rewrite [LHS]step (does_beside (before_plain i)) /= (does_beside (after_plain i)) /= given_before -(H i) ?inE ?eqxx//.
rewrite [LHS]IH; last by move=> j jl; apply: H; rewrite inE jl orbT.
by rewrite given_round orbA.
Qed.
Lemma function_does r s (z : noise) : (forall j, j \in l -> z j = noise_of r s.2.1 j) -> forall f, wp (as_function r) f s = f (ended r s z).
Proof.
case: s => s [x kt] H f; rewrite /as_function.
rewrite -[LHS]/(wp (beside more pre) (fun t => seqn (rounds from to) from (fun i => wp (Seq (beside more (before i)) (Seq (in_place_of r i) (beside more (after i)))))
  (wp (beside more post) f) (t.1, (t.2.1, (start r (given t.1), false)))) (s, (x, kt))).
by rewrite (does_beside pre_plain) /= (function_loop _ _ _ _ H) (does_beside post_plain) /= /ended /last /kept_last /tied_last /= given_pre.
Qed.

(* ---- ties have no mass ---- *)
Hypothesis no_ties : (forall i s, ties i s = [::]) \/ diffuse D.
Lemma untied n i s (f g : noise -> \bar R) z : nneg f -> nneg g -> (forall z', off (ints n i) z z' -> ~~ tied n i s z' -> f z' = g z') ->
  draws D (ints n i) f z = draws D (ints n i) g z.
Proof.
move=> f0 g0; elim: n i s z => [|n IH] i s z H /=; first by apply: H.
have il : i \notin ints n (i + 1)%R by rewrite mem_ints; apply/negP => /andP[a _]; move: a; rewrite lez_addr1 ltxx.
pose ps := [seq (x - center i (given s))%R | x <- ties i (fbefore i s)].
have same y : y \notin ps -> draws D (ints n (i + 1)%R) f (put z i y) = draws D (ints n (i + 1)%R) g (put z i y).
  move=> yp; apply: (IH _ (fafter i (u (fbefore i s) (center i (given s) + y)%R))) => z' oz nt.
  have [oz' zi] := off_put il oz; apply: H => //=; rewrite zi negb_or nt andbT; apply: contra yp => yt.
  by apply/mapP; exists (center i (given s) + y)%R => //; rewrite addrAC subrr add0r.
rewrite /one; case: no_ties => [none|dif].
  by congr (ev D _); apply/funext => y; apply: same; rewrite /ps none.
by apply: (dif ps) => // y; exact: draws_ge0.
Qed.

(* ---- the rule ---- *)
Let GC := movable_class noisy.
(* what the judgement about the mechanism as a function of its noise must end with *)
Definition goal (eps : R) r : assn R (S * more) := fun s s' k =>
  let T j := amount r j (given s.1) (given s'.1) s.2.2.1 s'.2.2.1 in
  [/\ (k <= 0)%R, (0 < scale)%R, (0 <= from)%R &
    keys s.1 = r -> ~~ s.2.2.2 ->
    [/\ forall j, (j < size (places r))%N -> allowed (T j),
        (\sum_(j <- iota 0 (size (places r))) price (T j) <= eps)%R &
        (forall j, (j < size (places r))%N -> (s'.2.1.2 j - s.2.1.2 j)%R = T j) -> keys s'.1 = r /\ out s.1 = out s'.1]].

(* the event that the program ends with the keys r and an output of E *)
Definition ends (E : O -> Prop) r s (z : noise) : \bar R := if `[< keys (last s z) = r /\ E (out (last s z)) >] then 1 else 0.
Definition ends_untied E r s (z : noise) : \bar R := if tied_last s z then 0 else ends E r s z.
Lemma ends_ge0 E r s z : 0 <= ends E r s z.
Proof. by rewrite /ends; case: ifP => _; rewrite ?lee01. Qed.
Lemma ends_untied_ge0 E r s z : 0 <= ends_untied E r s z.
Proof. by rewrite /ends_untied; case: ifP => // _; exact: ends_ge0. Qed.

Lemma ended_eq r s (z z' : noise) : (forall j, j \in l -> z j = z' j) -> ended r s z = ended r s z'.
Proof.
move=> H; rewrite /ended /last (loop_eq _ H); congr (_, (_, (_, _))).
  rewrite /kept_last; move: (start r _) H; rewrite /l; move: from (rounds from to) => i n k.
  by elim: n i k => [|n IH] i k //= H; rewrite (H i) ?inE ?eqxx// IH// => j jl; apply: H; rewrite inE jl orbT.
rewrite /tied_last; move: (fpre _) H; rewrite /l; move: from (rounds from to) => i n t.
by elim: n i t => [|n IH] i t //= H; rewrite (H i) ?inE ?eqxx// IH// => j jl; apply: H; rewrite inE jl orbT.
Qed.

Section Pair.
Variables (eps : R) (m m' : S) (Phi : Keys -> assn R (S * more)).
Hypothesis judged : forall r, judge 0 (as_function r) (Phi r) (goal eps r).
(* the list of the noise is the same in both runs; by how much places move is in no clause *)
Hypothesis begins : forall r (x x' : seq A * (nat -> A)) kt kt', x.1 = x'.1 -> Phi r (m, (x, kt)) (m', (x', kt')) 0%R.

Lemma read_list (z : noise) (j : int) : (0 <= from)%R -> j \in l -> entry (mkseq (fun n => z n%:Z) `|to|%N) j = z j.
Proof.
move=> f0; rewrite /l mem_ints => /andP[fj jt]; have j0 : (0 <= j)%R := le_trans f0 fj.
case: j j0 fj jt => // j _ fj jt; rewrite /entry nth_mkseq//.
move: jt; rewrite /rounds; case: ifP => [ft|_]; last first.
  by rewrite addr0 => jt; have := le_lt_trans fj jt; rewrite ltxx.
rewrite gez0_abs ?subr_ge0// addrCA subrr addr0 => jt.
by rewrite -ltz_nat gez0_abs// (le_trans f0).
Qed.
Lemma judged_noise r (z : noise) (g g' : nat -> A) :
  let with_ g j := (if j \in places r then z j + g (index j (places r)) else z j)%R in
  exists k, goal eps r (last m (with_ g), ((mkseq (fun n => z n%:Z) `|to|%N, g), (kept_last r m z, tied_last m (with_ g))))
    (last m' (with_ g'), ((mkseq (fun n => z n%:Z) `|to|%N, g'), (kept_last r m' z, tied_last m' (with_ g')))) k.
Proof.
move=> nw; set x := mkseq _ _.
have plain : does (as_function r) (fun s => ended r s (noise_of r s.2.1)) by move=> f s; exact: function_does.
have neg s s' k : goal eps r s s' k -> (k <= 0)%R by case.
have B : Phi r (m, ((x, g), (start r (given m), false))) (m', ((x, g'), (start r (given m'), false))) 0%R by exact: begins.
have J : judge 0 (as_function r) (Phi r) (goal eps r) := @judged r.
have [k H] := judged_states J plain B neg; exists k.
have from0 : (0 <= from)%R by case: H.
have same g1 s : ended r (s, ((x, g1), (start r (given s), false))) (noise_of r (x, g1)) = (last s (nw g1), ((x, g1), (kept_last r s z, tied_last s (nw g1)))).
  rewrite (@ended_eq r _ (noise_of r (x, g1)) (nw g1)); last by move=> j jl; rewrite /nw /noise_of /= read_list.
  rewrite /ended /= (_ : kept_last r s (nw g1) = kept_last r s z)//.
  by apply: kept_eq => j jp; rewrite /nw (negPf jp).
by move: H; rewrite /= !same.
Qed.

Lemma place_prices (ps p : seq int) (F : nat -> R) : uniq p -> {subset p <= ps} -> (forall j, (j < size ps)%N -> (0 <= F j)%R) ->
  (\sum_(i <- p) F (index i ps) <= \sum_(j <- iota 0 (size ps)) F j)%R.
Proof.
move=> up sp F0; rewrite -(big_map (index^~ ps) xpredT F); set J := map _ p.
have uJ : uniq J.
  rewrite map_inj_in_uniq// => i j /sp ip /sp jp ij; by rewrite -(nth_index 0%R ip) ij nth_index.
rewrite (perm_big [seq j <- iota 0 (size ps) | j \in J]) /=; last first.
  apply: uniq_perm => //; first by rewrite filter_uniq// iota_uniq.
  move=> j; rewrite mem_filter mem_iota /= add0n; case: (boolP (j \in J)) => //= /mapP[i ip ->].
  by rewrite index_mem sp.
rewrite big_filter [leRHS](bigID (mem J)) /= ler_addl big_seq_cond; apply: sumr_ge0 => j /andP[+ _].
by rewrite mem_iota add0n => /andP[_]; exact: F0.
Qed.

Lemma each_key E r z0 : G (ends_untied E r m) -> G (ends E r m') -> draws D l (ends E r m) z0 <= (expR eps)%:E * draws D l (ends E r m') z0.
Proof.
move=> gf gF; rewrite (@untied _ _ (fpre m) _ (ends_untied E r m)); first last.
- by move=> z' _ nt; rewrite /ends_untied /tied_last (negPf nt).
- by move=> z; exact: ends_untied_ge0.
- by move=> z; exact: ends_ge0.
have none0 (z : noise) : (fun j => if j \in places r then z j + 0 else z j)%R = z by apply/funext => j; rewrite addr0; case: ifP.
have scale0 : (0 < scale)%R by have [k []] := judged_noise r z0 (fun=> 0%R) (fun=> 0%R).
pose T (z : noise) i := amount r (index i (places r)) (given m) (given m') (kept_last r m z) (kept_last r m' z).
apply: (@moved R A D G GC allowed price (fun t f F => movable_moves noisy (f := f) (F := F) scale0) (fun i => i \in places r) l T (fun z => keys (last m z) = r /\ ~~ tied_last m z)) => //.
- exact: ints_uniq.
- by move=> z; exact: ends_untied_ge0.
- by move=> z; exact: ends_ge0.
- by move=> z z' H; apply/funext => i; rewrite /T /kept_last; congr (amount _ _ _ _ _ _); apply: kept_eq => j jp; rewrite H.
- move=> z nE; rewrite /ends_untied; case: ifPn => // nt; rewrite /ends; case: asboolP => // -[kr _].
  by exfalso; apply: nE.
move=> z [kr nt]; have [k [_ _ _]] := judged_noise r z (fun=> 0%R) (fun j => amount r j (given m) (given m') (kept_last r m z) (kept_last r m' z)).
rewrite /= none0 !given_last => /(_ kr nt)[al pr eqs]; split.
- by move=> i il ip; apply: al; rewrite index_mem.
- apply: le_trans pr; rewrite -big_filter; apply: (place_prices (F := fun j => price (amount r j (given m) (given m') (kept_last r m z) (kept_last r m' z)))).
  + by apply: filter_uniq; exact: ints_uniq.
  + by move=> i; rewrite mem_filter => /andP[].
  + by move=> j jn; apply: (movable_price noisy) => //; exact: al.
have [kr' oo] := eqs (fun j _ => subr0 _); rewrite /ends_untied (negPf nt) /ends oo kr.
set z1 := (fun j => _) in kr' oo; set z2 := shift _ _ _.
have -> : last m' z2 = last m' z1.
  rewrite /last; congr (fpost _); apply: loop_eq => j jl.
  by rewrite /z2 /z1 /shift mem_filter jl andbT /T.
by rewrite kr'.
Qed.

Theorem foresee (good : (O -> Prop) -> Prop) :
  (forall E r, good E -> [/\ G (ends E r m), G (ends_untied E r m) & G (ends E r m')]) ->
  dp_on good out program eps 0 m m'.
Proof.
move=> meas E gE; rewrite adde0; have e0 : (0 <= expR eps)%R := expR_ge0 eps.
pose z0 : noise := fun=> 0%R; rewrite !(program_noise _ z0); try exact: ind_ge0.
pose f s n (z : noise) : \bar R := if `[< pickle (keys (last s z)) = n /\ E (out (last s z)) >] then 1 else 0.
have f0 s n : nneg (f s n) by move=> z; rewrite /f; case: ifP => _; rewrite ?lee01.
have fE n : (exists r, forall s, f s n = ends E r s) \/ (forall s, f s n = fun=> 0).
  have [[r rn]|no] := pselect (exists r : Keys, pickle r = n).
    left; exists r => s; apply/funext => z; rewrite /f /ends; congr (if _ then _ else _); apply/asboolP/asboolP => -[a b]; split=> //.
      by apply: (pcan_inj pickleK); rewrite a.
    by rewrite a.
  right=> s; apply/funext => z; rewrite /f; case: asboolP => // -[a _].
  by exfalso; apply: no; exists (keys (last s z)).
have sumE s : (fun z => ind R (fun t => E (out t)) (last s z)) = fun z => \sum_(n <oo) f s n z.
  apply/funext => z; rewrite (@series_only _ _ (pickle (keys (last s z)))) => [|n|n nk]; last first.
  - by rewrite /f; case: asboolP => // -[a _]; rewrite a eqxx in nk.
  - exact: f0.
  by rewrite /f /ind; congr (if _ then _ else _); apply/asboolP/asboolP => [|[]].
have gf n : G (f m n) by have [[r ->]|->] := fE n; [have [] := meas E r gE|exact: movable_zero noisy].
have gf' n : G (f m' n) by have [[r ->]|->] := fE n; [have [] := meas E r gE|exact: movable_zero noisy].
rewrite !sumE !(draws_sum GC)// -nneseriesrM; last by move=> n _; exact: draws_ge0.
apply: lee_nneseries => n _; first exact: draws_ge0.
have [[r H]|H] := fE n; rewrite !H.
  by have [_ gu g'] := meas E r gE; exact: each_key.
have zero : draws D l (fun=> 0) z0 = 0.
  have H0 := @draws_scale R A D l 0%R (fun=> 0) (lexx _) (fun=> lexx _).
  by have := congr1 (fun h => h z0) H0; rewrite !mul0e.
by rewrite zero mule0.
Qed.
End Pair.
End Program.
