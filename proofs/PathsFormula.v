(* What the kernel writes for DENSITY (trusted/kernel/src/rules/finite/density.rs, quotients.rs), and that it is what PathsRule.v asks for.

   The answers about a draw are bounds of it, from above or from below (bounded_line); the probability that they hold is the length between the last ones, if each lies between those before it (between), and nothing
   where the last ones leave nothing (between_none).  Spread ways add what they have over one positive denominator where v is between the values of y at the bounds, strictly in the first run and with the ends in the
   second, which differs from the density at finitely many places (compared).  A quotient is a number over factors that are positive: common factors cancel (cancelled), one may divide (divided), be
   compared (below, above), and all weights may be put over one denominator (over_one).  Read: written, covers, added, fits, compared; folded, a block that the rule is for. *)
From Probity Require Import PreludeIntegral Judgement Laws Density Continuous Logarithm Tails Centered Spread Paths PathsRule.
From Probity Require Trees.
Local Open Scope classical_set_scope.
Local Open Scope ring_scope.
Local Open Scope ereal_scope.

(* ---- the kernel's formula ---- *)
Section Lines.
Variables (R : realType) (S L : Type).
Notation way := (@way R S L).
Implicit Types (w : way) (u v : R) (bs : seq (bool * R)).

(* a question about a draw, and its answer *)
Definition line (strict : bool) (s p : R) u : bool := if strict then (0 < s * u + p)%R else (0 <= s * u + p)%R.
Definition answer (holds : bool) (q : R -> bool) u : bool := if holds then q u else ~~ q u.
(* above or below, and where *)
Definition agrees (b : bool * R) u : bool := if b.1 then (b.2 < u)%R else (u < b.2)%R.
(* the answers about a draw, but for the bounds themselves *)
Definition bounded w i bs := forall u, u \notin [seq b.2 | b <- bs] -> inside w i u = all (agrees^~ u) bs.
Theorem bounded_end h l i : bounded (End h l) i [::]. Proof. by []. Qed.
Theorem bounded_toss p w i bs : bounded w i bs -> bounded (Toss p w) i bs. Proof. by []. Qed.
Theorem bounded_next w i bs : bounded w i bs -> bounded (Next w) i bs. Proof. by []. Qed.
Theorem bounded_other w i j q bs : j != i -> bounded w i bs -> bounded (Met j q w) i bs.
Proof. by move=> ji H u uE; rewrite /= (negbTE ji) H. Qed.
Theorem bounded_line w i bs holds strict (s p : R) : s != 0%R -> bounded w i bs ->
  bounded (Met i (answer holds (line strict s p)) w) i (((0 < s)%R == holds, (- p / s)%R) :: bs).
Proof.
move=> sn H u /=; rewrite in_cons negb_or => /andP[ne /H ->]; rewrite eqxx; congr (_ && _).
have z : (s * u + p != 0)%R.
  apply: contra ne => /eqP E; rewrite eq_sym; apply/eqP; rewrite (_ : - p = s * u)%R; first by rewrite mulrAC mulfV// mul1r.
  by apply/eqP; rewrite eq_sym -addr_eq0 E.
rewrite /answer /line /agrees /=.
have -> : (if strict then (0 < s * u + p)%R else (0 <= s * u + p)%R) = (0 < s * u + p)%R.
  by case: (strict) => //; rewrite le_eqVlt eq_sym (negbTE z).
have E : (0 < s * u + p)%R = if (0 < s)%R then (- p / s < u)%R else (u < - p / s)%R.
  have [s0|s0] := ltP 0%R s; first by rewrite ltr_pdivr_mulr// -ltr_subl_addr sub0r [(s * u)%R]mulrC.
  have s1 : (s < 0)%R by rewrite lt_neqAle sn.
  by rewrite ltr_ndivl_mulr// -ltr_subl_addr sub0r [(s * u)%R]mulrC.
rewrite E; move: ne; case: (holds); case: ifP => //= _ ne; by rewrite -leNgt le_eqVlt ?(negbTE ne)// eq_sym (negbTE ne).
Qed.

(* the length between the bounds, one after the other *)
Fixpoint narrowed bs (lo hi : R) : R * R :=
  match bs with [::] => (lo, hi) | b :: bs => if b.1 then narrowed bs b.2 hi else narrowed bs lo b.2 end.
Fixpoint in_order bs (lo hi : R) : bool :=
  match bs with [::] => true | b :: bs => [&& lo <= b.2, b.2 <= hi & if b.1 then in_order bs b.2 hi else in_order bs lo b.2]%R end.
Lemma narrowed_le bs lo hi u : (lo < u)%R && (u < hi)%R && all (agrees^~ u) bs ->
  ((narrowed bs lo hi).1 < u)%R && (u < (narrowed bs lo hi).2)%R.
Proof.
elim: bs lo hi => [|[[] t] bs IH] lo hi /=; rewrite /agrees /= ?andbT//.
  by move=> /andP[/andP[_ uh] /andP[tu H]]; apply: IH; rewrite tu uh.
by move=> /andP[/andP[lu _] /andP[tu H]]; apply: IH; rewrite lu tu.
Qed.
Lemma narrowedE bs lo hi u : in_order bs lo hi -> (lo < u)%R && (u < hi)%R && all (agrees^~ u) bs =
  ((narrowed bs lo hi).1 < u)%R && (u < (narrowed bs lo hi).2)%R.
Proof.
elim: bs lo hi => [|[[] t] bs IH] lo hi /=; rewrite /agrees /= ?andbT//.
  move=> /and3P[lt th /IH <-]; case tu : (t < u)%R; last by rewrite !andbF.
  by rewrite (le_lt_trans lt tu).
move=> /and3P[lt th /IH <-]; case tu : (u < t)%R; last by rewrite !andbF.
by rewrite (lt_le_trans tu th) andbT.
Qed.
Lemma in_order_le bs lo hi : (lo <= hi)%R -> in_order bs lo hi -> ((narrowed bs lo hi).1 <= (narrowed bs lo hi).2)%R.
Proof. by elim: bs lo hi => [|[[] t] bs IH] lo hi //= lh /and3P[lt th]; apply: IH. Qed.

Notation T := (measurableTypeR R).
Let leb : {measure set T -> \bar R} := [the measure _ _ of @lebesgue_measure R].
Lemma held_ge0 w i (u : T) : 0 <= held w i u. Proof. by rewrite /held; case: ifP. Qed.
Lemma uni_box (u : R) : u \notin [:: 0%R; 1%R] -> uni_w u = if (0 < u)%R && (u < 1)%R then 1%R else 0%R :> R.
Proof.
rewrite !inE negb_or => /andP[_ u1]; rewrite /uni_w indicE.
have -> : (u \in (`]0%R, 1%R]%classic : set T)) = (0 < u)%R && (u < 1)%R by rewrite mem_setE in_itv /= (le_eqVlt u) (negbTE u1).
by case: ifP.
Qed.
Theorem between w i bs : bounded w i bs -> in_order bs 0 1 ->
  length_of w i = ((narrowed bs 0 1).2 - (narrowed bs 0 1).1)%R.
Proof.
move=> H o; set lo := (narrowed bs 0 1).1; set hi := (narrowed bs 0 1).2.
have lh : (lo <= hi)%R by exact: in_order_le.
apply: EFin_inj; rewrite -lengthE uniformE -[in RHS](mul1r (hi - lo)%R) -int_box//.
pose E := [:: 0%R; 1%R; lo; hi] ++ [seq b.2 | b <- bs].
have l0 (v : T) : 0 <= (uni_w v)%:E * held w i v by rewrite mule_ge0 ?held_ge0// lee_fin uni_w0.
have r0 (v : T) : 0 <= (1 * \1_(`[lo, hi]%classic : set T) v)%:E :> \bar R by rewrite lee_fin mulr_ge0.
have same (v : R) : v \notin E -> (uni_w v)%:E * held w i v = (1 * \1_(`[lo, hi]%classic : set T) v)%:E.
  rewrite mem_cat negb_or => /andP[]; rewrite !inE !negb_or => /and4P[n0 n1 nlo nhi] nb.
  rewrite uni_box ?inE ?negb_or ?n0// /held H// mul1r indicE.
  have -> : (v \in (`[lo, hi]%classic : set T)) = (lo < v)%R && (v < hi)%R.
    by rewrite mem_setE in_itv /= !lt_neqAle (eq_sym lo) nlo nhi.
  by rewrite -narrowedE//; case: (_ && (v < 1)%R); case: (all _ _); rewrite ?mul1e ?mul0e.
by apply/eqP; rewrite eq_le; apply/andP; split; apply: (low_except (E := E)) => // v /same ->.
Qed.
(* without a word of their order, nothing is left where the last ones leave nothing *)
Theorem between_none w i bs : bounded w i bs -> ((narrowed bs 0 1).2 <= (narrowed bs 0 1).1)%R -> length_of w i = 0%R.
Proof.
move=> H hl; apply: EFin_inj; rewrite -lengthE uniformE; apply/eqP; rewrite eq_le.
have l0 (v : T) : 0 <= (uni_w v)%:E * held w i v by rewrite mule_ge0 ?held_ge0// lee_fin uni_w0.
rewrite integral_ge0// andbT -[leRHS](@integral0 _ _ _ leb setT).
apply: (low_except (E := [:: 0%R; 1%R] ++ [seq b.2 | b <- bs])) => // v; rewrite mem_cat negb_or => /andP[n01 nb].
rewrite uni_box// /held H//; case: ifP => u01; last by rewrite mul0e.
case: ifP => h; last by rewrite mule0.
have := @narrowed_le bs 0%R 1%R v; rewrite u01 h => /(_ isT)/andP[a b].
by have := lt_trans a b; rewrite ltNge hl.
Qed.
End Lines.

Section Formula.
Variables (R : realType) (S : Type) (y : S -> R).
Notation tree := (@tree R S (nat * R * R)).
Notation way := (@way R S (nat * R * R)).
Implicit Types (w : way) (t : tree).
(* whether y grows with the draw; the bounds of the draw; what the way adds *)
Record written := Written { up : way -> bool; bounds : way -> seq (bool * R); share : way -> R }.
Definition place w (b : bool * R) : R := (moved_by w + stretch w * b.2)%R.
Definition all_bounds k w : seq (bool * R) := [:: (true, 0%R), (false, 1%R) & bounds k w].
Definition covers k (strict : bool) w (v : R) : bool :=
  all (fun b => if b.1 == up k w then if strict then (place w b < v)%R else (place w b <= v)%R
                else if strict then (v < place w b)%R else (v <= place w b)%R) (all_bounds k w).
Definition added k strict t v : R := (\sum_(w <- ways t) if covers k strict w v then share k w else 0)%R.
(* nothing; or y does not move with the draw, where the way has no probability; or its share over one denominator, 1/C *)
Definition fits k (C : R) w := [\/ weight w = 0%R /\ share k w = 0%R, weight w = 0%R /\ stretch w = 0%R |
  [/\ stretch w != 0%R, up k w = (0 < stretch w)%R, bounded w (draw_of w) (bounds k w) & share k w = (C * (weight w / `|stretch w|))%R]].
Definition places k w : seq R := [seq place w b | b <- all_bounds k w].

Lemma added_density k (C : R) strict w (v : R) : fits k C w -> v \notin places k w ->
  (if covers k strict w v then share k w else 0)%R = (C * dens w v)%R.
Proof.
move=> fw nv; case: fw => [[w0 s0]|[w0 s0]|[sn upE bE sE]]; first by rewrite s0 /dens w0 mul0r mulr0; case: ifP.
  rewrite /dens w0 mul0r mulr0 ifN//; apply/negP => /and3P[/= p q _].
  move: nv p q; rewrite /places /= !in_cons /place /= s0 !mul0r addr0 orbA orbb negb_or => /andP[ne _].
  case: (up k w); case: (strict) => /=.
  - by move=> a b; have := lt_trans a b; rewrite ltxx.
  - by move=> a b; move: ne; rewrite eq_le a b.
  - by move=> a b; have := lt_trans a b; rewrite ltxx.
  - by move=> a b; move: ne; rewrite eq_le a b.
rewrite sE /dens /piece; set u := ((v - moved_by w) / stretch w)%R.
have ne b : b \in all_bounds k w -> v != place w b by move=> bb; apply: contraNneq nv => ->; exact: map_f.
have plE b : b \in all_bounds k w -> (if b.1 == up k w then if strict then (place w b < v)%R else (place w b <= v)%R
    else if strict then (v < place w b)%R else (v <= place w b)%R) = agrees b u /\ u != b.2.
  move=> /ne nb; rewrite upE.
  have -> : (if strict then (place w b < v)%R else (place w b <= v)%R) = (place w b < v)%R by case: (strict) => //; rewrite le_eqVlt eq_sym (negbTE nb).
  have -> : (if strict then (v < place w b)%R else (v <= place w b)%R) = (v < place w b)%R by case: (strict) => //; rewrite le_eqVlt (negbTE nb).
  have lo (t : R) : (moved_by w + t < v)%R = (t < v - moved_by w)%R by rewrite ltr_subr_addl.
  have hi (t : R) : (v < moved_by w + t)%R = (v - moved_by w < t)%R by rewrite ltr_subl_addl.
  rewrite /place lo hi /agrees /u; split; last first.
    apply: contra nb; rewrite /place => /eqP <-; apply/eqP; rewrite [(stretch w * _)%R]mulrC divfK// addrC subrK//.
  have [s0|s0] := ltP 0%R (stretch w).
    by rewrite ltr_pdivl_mulr// ltr_pdivr_mulr// [(b.2 * _)%R]mulrC; case: b.1.
  have s1 : (stretch w < 0)%R by rewrite lt_neqAle sn.
  by rewrite ltr_ndivl_mulr// ltr_ndivr_mulr// [(b.2 * _)%R]mulrC; case: b.1.
have cE : covers k strict w v = (0 < u)%R && (u < 1)%R && inside w (draw_of w) u.
  rewrite bE; last first.
    apply/negP => /mapP[b bb ub]; have [|_ /eqP] := plE b; first by rewrite !in_cons bb !orbT.
    by rewrite ub.
  transitivity (all (fun b => agrees b u) (all_bounds k w)); last by rewrite /= /agrees /= andbA.
  by apply: eq_in_all => b /plE[].
have n01 : u \notin [:: 0%R; 1%R].
  rewrite !inE negb_or; have [|_ ->] := plE (true, 0%R); first by rewrite mem_head.
  by have [|_ ->] := plE (false, 1%R); first by rewrite !in_cons eqxx orbT.
rewrite (uni_box n01) cE indicE; case: ((0 < u)%R && (u < 1)%R) => /=; last by rewrite mul0r !mulr0.
case: ifPn => h; first by rewrite mem_set// !mulr1.
by rewrite memNset ?mulr0//; exact/negP.
Qed.

Theorem compared k k' (C a b : R) t t' : (0 < C)%R -> (forall w, w \in ways t -> fits k C w) -> (forall w, w \in ways t' -> fits k' C w) ->
  (forall v, added k true t v * b <= a * added k' false t' v)%R ->
  exists E : seq R, forall v : R, v \notin E -> (density t v * b <= a * density t' v)%R.
Proof.
move=> C0 ft ft' H; exists (flatten [seq places k w | w <- ways t] ++ flatten [seq places k' w | w <- ways t']) => v.
rewrite mem_cat negb_or => /andP[nt nt'].
have E r kk strict : (forall w, w \in ways r -> fits kk C w) -> v \notin flatten [seq places kk w | w <- ways r] -> added kk strict r v = (C * density r v)%R.
  move=> fr nr; rewrite /added /density mulr_sumr big_seq [RHS]big_seq; apply: eq_bigr => w wr; apply: added_density; first exact: fr.
  by apply: contra nr => vw; apply/flattenP; exists (places kk w) => //; exact: map_f.
have := H v; rewrite (E t k)// (E t' k')// -mulrA [leRHS]mulrCA ler_pmul2l//.
Qed.
End Formula.

(* ---- quotients, as the shares of Trees.v: a number over factors that are positive (sane); sums and products are Trees.share_plus, Trees.share_times ---- *)
Section Quotients.
Variables (R : realType) (S : Type) (X : eqType) (val : X -> S -> R).
Notation product := (Trees.product val).
Notation value := (Trees.value val).
Notation without := Trees.without.
Local Open Scope ring_scope.
Implicit Types (q p : Trees.share R S X) (s : S) (l k : seq X).
Notation pos l s := (all (fun x => 0 < val x s) l).

Lemma product_cons x l s : product (x :: l) s = val x s * product l s.
Proof. by rewrite /Trees.product big_cons. Qed.
(* common factors cancel, those of a weight too *)
Theorem cancelled l k s : pos k s -> product (without l k) s / product (without k l) s = product l s / product k s.
Proof.
move=> k0; have p0 : 0 < product k s by exact: Trees.product_gt0.
have w0 : 0 < product (without k l) s by apply: Trees.product_gt0; exact: Trees.all_without.
have kn : product k s != 0 by rewrite gt_eqF.
have wn : product (without k l) s != 0 by rewrite gt_eqF.
apply: (mulIf wn); rewrite divfK// mulrAC; apply: (mulIf kn); rewrite divfK//.
have E := Trees.product_common val l k s; by rewrite E mulrC.
Qed.
(* by a number that is c x over positive factors, x positive, c not 0; the same factor above is left out, or put among the divisors *)
Theorem divided q p x (c : R) s : pos (Trees.over q) s -> pos (Trees.over p) s -> 0 < val x s -> c != 0 -> Trees.num p s = c * val x s ->
  value (Trees.Share (fun s => Trees.num q s / c * product (without (Trees.over p) (Trees.over q)) s) (x :: without (Trees.over q) (Trees.over p))) s =
  value q s / value p s.
Proof.
move=> q0 p0 x0 c0 pE; have Q0 : 0 < product (Trees.over q) s by exact: Trees.product_gt0.
have P0 : 0 < product (Trees.over p) s by exact: Trees.product_gt0.
have W0 : 0 < product (without (Trees.over q) (Trees.over p)) s by apply: Trees.product_gt0; exact: Trees.all_without.
have E := cancelled (Trees.over p) q0.
rewrite /Trees.value /= pE product_cons.
transitivity (Trees.num q s / (c * val x s) * (product (without (Trees.over p) (Trees.over q)) s / product (without (Trees.over q) (Trees.over p)) s)).
  by field; rewrite ?c0 ?(lt0r_neq0 x0) ?(lt0r_neq0 W0).
by rewrite E; field; rewrite ?c0 ?(lt0r_neq0 x0) ?(lt0r_neq0 P0) ?(lt0r_neq0 Q0).
Qed.
(* a bound below or above a number *)
Theorem below q s v : pos (Trees.over q) s ->
  ((value q s < v) = (Trees.num q s < v * product (Trees.over q) s)) * ((value q s <= v) = (Trees.num q s <= v * product (Trees.over q) s)).
Proof. by move=> q0; rewrite /Trees.value ltr_pdivr_mulr ?ler_pdivr_mulr//; exact: Trees.product_gt0. Qed.
Theorem above q s v : pos (Trees.over q) s ->
  ((v < value q s) = (v * product (Trees.over q) s < Trees.num q s)) * ((v <= value q s) = (v * product (Trees.over q) s <= Trees.num q s)).
Proof. by move=> q0; rewrite /Trees.value ltr_pdivl_mulr ?ler_pdivl_mulr//; exact: Trees.product_gt0. Qed.
(* l has all factors of k, as often *)
Definition has_all l k := forall z, (count_mem z k <= count_mem z l)%N.
Lemma product_rest l k s : has_all l k -> product l s = product k s * product (without l k) s.
Proof.
move=> lk; rewrite -Trees.product_cat; apply: Trees.product_perm; apply/allP => z _ /=; apply/eqP.
by rewrite count_cat Trees.count_without subnKC.
Qed.
(* c times tops over some factors of all; shared ones are left out *)
Theorem over_one (c : R) tops some all_ shared s : pos all_ s -> pos shared s -> has_all all_ some -> has_all (tops ++ without all_ some) shared ->
  c * product (without (tops ++ without all_ some) shared) s = (product all_ s / product shared s) * (c * product tops s / product some s).
Proof.
move=> a0 s0 ha hs; have A0 : 0 < product all_ s by exact: Trees.product_gt0.
have S0 : 0 < product shared s by exact: Trees.product_gt0.
have E := product_rest s hs; have F := product_rest s ha.
have M0 : product some s != 0 by apply: contraTneq A0 => z; rewrite F z mul0r ltxx.
have -> : product (without (tops ++ without all_ some) shared) s = product tops s * product (without all_ some) s / product shared s.
  by rewrite -Trees.product_cat E; field; rewrite gt_eqF.
by rewrite F; field; rewrite M0 gt_eqF.
Qed.
End Quotients.

(* u ~ uniform(0, 1); if u < q { y = a + u } else { y = b - u }, as a state (u, y): what density_rule asks for can be had *)
Section Example.
Variables (R : realType) (q a b : R).
Notation T := (measurableTypeR R).
Notation S := (R * R)%type.
Definition folded : stmt R S :=
  Seq (Draw (fun=> uniform R) (fun s (u : T) => (u : R, s.2))) (Seq (If (fun s => s.1 < q)%R (Assign R (fun s => (s.1, a + s.1)%R)) (Assign R (fun s => (s.1, b - s.1)%R))) (Skip R S)).
Definition folded_tree (y0 : R) : tree R S (nat * R * R) :=
  Pick (Ask 0 (line true (-1) q) (Leaf (fun x : draws R => (x 0%N, a + x 0%N)%R) (0%N, a, 1%R)) (Leaf (fun x : draws R => (x 0%N, b - x 0%N)%R) (0%N, b, -1)%R)).
Theorem folded_from s : from s folded (folded_tree s.2).
Proof.
have gE (x : draws R) : (x 0%N < q)%R = line true (-1) q (x 0%N) by rewrite /line mulN1r addrC subr_gt0.
apply: (follows_uniform (X' := fun=> True) (m' := fun x => (x 0%N, s.2))) => [x z _|]; first by rewrite /drawn eqxx.
apply: follows_ask.
  by apply: (follows_if (b := true)) => [x [_ h]|]; [rewrite /= gE|].
by apply: (follows_if (b := false)) => [x [_ h]|]; [rewrite /= gE (negbTE h)|].
Qed.
Theorem folded_ways y0 w : w \in ways (folded_tree y0) -> spread_way snd w.
Proof.
have mq : measurable [set u : T | line true (-1) q u].
  rewrite (_ : mkset _ = ~` [set u | q <= u]%R); first by apply: measurableC; exact: mray_ge.
  apply/seteqP; split=> u; rewrite /line /= mulN1r addrC subr_gt0 ltNge; [by move/negP|by move=> h; exact/negP].
rewrite !inE => /orP[] /eqP ->; split=> //=.
- by move=> x; rewrite /moved_by /stretch /= mul1r.
- by left; rewrite oner_eq0.
- split=> //; rewrite (_ : mkset _ = ~` [set u : T | line true (-1) q u]); first exact: measurableC.
  by apply/seteqP; split=> u /=; [move/negP|move=> h; exact/negP].
- by move=> x; rewrite /moved_by /stretch /= mulN1r.
- by left; rewrite oppr_eq0 oner_eq0.
Qed.
End Example.
