(* MAXDIV by outcomes (trusted/kernel/src/rules/finite/outcomes.rs): the law of a longer block as a tree of questions about the state before it, with a fraction at every end, and two such trees
   compared end by end.

   Draws: one that is followed value by value (mass_followed), and one that keeps its law, because only the end of the block reads it: it may as well be made there (kept_last).  Trees: what a
   tree says where a question is answered (found_given), and two trees as one (found_zip).  Fractions: sums, products (share_plus, share_times) and the comparison without common factors
   (within), for denominators made of positive factors.  The rule then is Finite.same_value with the masses that the trees say (compared). *)
From Probity Require Import Prelude Judgement Laws Finite.
From Probity Require Rules.
Local Open Scope ring_scope.

(* ---- draws ---- *)
Section Draws.
Variables (R : realType) (S : Type) (V : choiceType) (y : S -> V).
Local Open Scope ereal_scope.

Lemma mass_value (A : choiceType) ok (ws : seq (R * A)) a : fine_list ok ws ->
  flaw ok ws (@one_at R _ a) = (\sum_(x <- ws | x.2 == a) x.1)%:E.
Proof.
move=> fl; rewrite flawE// -sumEFin [RHS]big_mkcond; apply: eq_bigr => x _.
by rewrite /one_at; case: ifP => _; rewrite ?mule1 ?mule0.
Qed.
(* a draw of few values: values has each once, and no other one has mass *)
Theorem mass_followed (A : choiceType) (ok : S -> bool) (ws : S -> seq (R * A)) (values : seq A) u c m v : fine_list (ok m) (ws m) ->
  uniq values -> all (fun x => x.2 \in values) (ws m) ->
  mass y (Seq (Draw (fun s => flaw (ok s) (ws s)) u) c) m v =
  \sum_(a <- values) flaw (ok m) (ws m) (@one_at R _ a) * mass y c (u m a) v.
Proof.
move=> fl uv cover; under eq_bigr do rewrite mass_value//.
have g0 a : 0 <= mass y c (u m a) v by apply: wp_ge0 => s; case: ifP => _; rewrite ?lee01.
have /and3P[_ w0 _] := fl.
rewrite (regroup id (g := fun a => mass y c (u m a) v))// /mass /= -[LHS]/(flaw (ok m) (ws m) _) flawE//.
elim: (ws m) cover => [|x l IH] /=; first by rewrite !big_nil.
by move=> /andP[xv /IH E]; rewrite !big_cons xv E.
Qed.

(* a draw that nothing but the end of the block reads, made there *)
Lemma flaw_add A ok (ws : seq (R * A)) (f g : A -> \bar R) : (forall a, 0 <= f a) -> (forall a, 0 <= g a) ->
  flaw ok ws (fun a => f a + g a) = flaw ok ws f + flaw ok ws g.
Proof.
move=> f0 g0; rewrite /= /fev; case: ifP => [/and3P[_ w0 _]|_]; last by rewrite adde0.
elim: ws w0 => [|w ws IH] /=; first by rewrite !big_nil adde0.
by move=> /andP[w0 ws0]; rewrite !big_cons IH// ge0_muleDr// addeACA.
Qed.
Lemma law_sum A (D : law R A) (I : Type) (l : seq (R * I)) (f : I -> A -> \bar R) :
  (forall f g : A -> \bar R, (forall a, 0 <= f a) -> (forall a, 0 <= g a) -> D (fun a => f a + g a) = D f + D g) ->
  all (fun x => 0 <= x.1)%R l -> (forall i a, 0 <= f i a) ->
  D (fun a => \sum_(x <- l) x.1%:E * f x.2 a) = \sum_(x <- l) x.1%:E * D (f x.2).
Proof.
move=> add + f0; elim: l => [|x l IH] /=.
  by move=> _; rewrite big_nil -[RHS](Judgement.ev0 D); congr (ev D); apply/funext => a; rewrite big_nil.
move=> /andP[x0 l0]; rewrite big_cons -(IH l0) -ev_scale// -add => [|a|a]; last 2 first.
- by rewrite mule_ge0// lee_fin.
- elim: l l0 {IH} => [|z l IH] /=; first by rewrite big_nil.
  by move=> /andP[z0 l0]; rewrite big_cons adde_ge0 ?IH// mule_ge0// lee_fin.
by congr (ev D); apply/funext => a; rewrite big_cons.
Qed.
Theorem kept_last A (ok : S -> bool) (ws : S -> seq (R * A)) (agree : S -> S -> Prop) u c f m : finite_block c ->
  (* c neither reads nor sets what is drawn, and does not change the parameters of the law *)
  (forall h m z, nneg h -> wp c h (u m z) = wp c (fun s => h (u s z)) m) ->
  Rules.local agree c -> (forall s, agree m s -> flaw (ok s) (ws s) = flaw (ok m) (ws m)) -> nneg f ->
  wp (Seq (Draw (fun s => flaw (ok s) (ws s)) u) c) f m = wp (Seq c (Draw (fun s => flaw (ok s) (ws s)) u)) f m.
Proof.
move=> fc ignores loc fixed f0; have [l [l0 lE]] := fc m; pose D := flaw (ok m) (ws m).
transitivity (D (fun z => wp c (fun s => f (u s z)) m)).
  by rewrite /= -/D; congr (ev D); apply/funext => z; rewrite ignores.
transitivity (wp c (fun s => D (fun z => f (u s z))) m).
  rewrite lE; last by move=> s; apply: ev_ge0.
  rewrite -(law_sum (f := fun s z => f (u s z)))//; last exact: flaw_add.
  by congr (ev D); apply/funext => z; rewrite lE.
apply: (loc m (fun s => D (fun z => f (u s z)))) => [s|s|s /fixed ->//]; by apply: ev_ge0.
Qed.
End Draws.

(* ---- trees ---- *)
Section Trees.
Variables (S Q : Type) (says : Q -> S -> bool).
(* what the answer to one question says of another, if anything *)
Variable decides : Q -> Q -> bool -> option bool.
Hypothesis decides_sound : forall other q a r, decides other q a = Some r -> forall s, says q s = a -> says other s = r.

Inductive tree (E : Type) := End of E | Ask of Q & tree E & tree E.
Arguments End {E}. Arguments Ask {E}.
Fixpoint found E (t : tree E) s : E :=
  match t with End e => e | Ask q yes no => if says q s then found yes s else found no s end.
Fixpoint given E (t : tree E) q a : tree E :=
  match t with
  | End e => End e
  | Ask other yes no =>
    match decides other q a with
    | Some true => given yes q a
    | Some false => given no q a
    | None => Ask other (given yes q a) (given no q a)
    end
  end.
Theorem found_given E (t : tree E) q a s : says q s = a -> found (given t q a) s = found t s.
Proof.
move=> qa; elim: t => [e|other yes IHy no IHn] //=; case D : (decides other q a) => [[]|] /=.
- by rewrite (decides_sound D qa).
- by rewrite (decides_sound D qa).
- by rewrite IHy IHn.
Qed.
Fixpoint map_ends E F (f : E -> F) (t : tree E) : tree F :=
  match t with End e => End (f e) | Ask q yes no => Ask q (map_ends f yes) (map_ends f no) end.
Lemma found_map E F (f : E -> F) t s : found (map_ends f t) s = f (found t s).
Proof. by elim: t => [e|q yes IHy no IHn] //=; case: ifP. Qed.
Fixpoint zip_trees E F G (f : E -> F -> G) (a : tree E) : tree F -> tree G :=
  match a with
  | End e => map_ends (f e)
  | Ask q yes no => fun b => Ask q (zip_trees f yes (given b q true)) (zip_trees f no (given b q false))
  end.
Theorem found_zip E F G (f : E -> F -> G) a b s : found (zip_trees f a b) s = f (found a s) (found b s).
Proof.
elim: a b => [e|q yes IHy no IHn] b /=; first exact: found_map.
by case: ifP => qs; rewrite ?IHy ?IHn found_given.
Qed.
End Trees.

(* ---- fractions ---- *)
Section Shares.
Variables (R : realType) (S : Type) (X : eqType) (val : X -> S -> R).
(* a numerator, and the factors of the denominator, each as often as it counts *)
Record share := Share { num : S -> R; over : seq X }.
Definition product (l : seq X) s : R := \prod_(x <- l) val x s.
Definition value (a : share) s : R := num a s / product (over a) s.
Definition sane (a : share) s := all (fun x => 0 < val x s) (over a).

(* the factors of the first that are not among those of the second *)
Fixpoint without (l some : seq X) : seq X :=
  match l with [::] => [::] | x :: l => if x \in some then without l (rem x some) else x :: without l some end.
Definition united (l k : seq X) := l ++ without k l.
Lemma count_without z l some : count_mem z (without l some) = (count_mem z l - count_mem z some)%N.
Proof.
elim: l some => [|x l IH] some //=; case: ifPn => xs.
  rewrite IH count_mem_rem; have [xz|xz] := eqVneq x z; last by rewrite add0n subn0.
  have : (0 < count_mem z some)%N by rewrite -has_count has_pred1 -xz.
  by case: (count_mem z some) => // n _; rewrite subn1 add1n subSS.
rewrite /= IH; have [xz|//] := eqVneq x z.
by rewrite (_ : count_mem z some = 0%N) ?subn0//; apply/count_memPn; rewrite -xz.
Qed.
Lemma product_perm l k s : perm_eq l k -> product l s = product k s.
Proof. by move=> lk; apply: perm_big. Qed.
Lemma product_cat l k s : product (l ++ k) s = product l s * product k s.
Proof. by rewrite /product big_cat. Qed.
Lemma product_gt0 l s : all (fun x => 0 < val x s) l -> 0 < product l s.
Proof. by rewrite /product; elim: l => [|x l IH] /=; rewrite ?big_nil ?ltr01// big_cons => /andP[x0 /IH l0]; exact: mulr_gt0. Qed.
Lemma all_without p l some : all p l -> all p (without l some).
Proof. by elim: l some => [|x l IH] some //= /andP[px pl]; case: ifP => _ /=; rewrite ?px IH. Qed.
(* with what is missing, both are the same *)
Lemma product_common l k s : product l s * product (without k l) s = product k s * product (without l k) s.
Proof.
rewrite -!product_cat; apply: product_perm; apply/allP => z _ /=; apply/eqP.
by rewrite !count_cat !count_without -!maxnE maxnC.
Qed.
Lemma product_united_l l k s : product (united l k) s = product l s * product (without (united l k) l) s.
Proof.
rewrite -product_cat; apply: product_perm; apply/allP => z _ /=; apply/eqP.
by rewrite !count_cat !count_without !count_cat !count_without addKn.
Qed.
Lemma product_united_r l k s : product (united l k) s = product k s * product (without (united l k) k) s.
Proof.
rewrite -product_cat; apply: product_perm; apply/allP => z _ /=; apply/eqP.
by rewrite !count_cat !count_without !count_cat !count_without -!maxnE maxnCA maxnn.
Qed.

Definition plus (a b : share) : share :=
  let all := united (over a) (over b) in
  Share (fun s => num a s * product (without all (over a)) s + num b s * product (without all (over b)) s) all.
Definition times (a b : share) : share := Share (fun s => num a s * num b s) (over a ++ over b).
Theorem share_plus a b s : sane a s -> sane b s -> value (plus a b) s = value a s + value b s.
Proof.
move=> sa sb; have a0 := product_gt0 sa; have b0 := product_gt0 sb.
have wb : all (fun x => 0 < val x s) (united (over a) (over b)) by rewrite /united all_cat; apply/andP; split=> //; exact: all_without.
have l0 := product_gt0 (all_without (over a) wb); have r0 := product_gt0 (all_without (over b) wb).
rewrite /value /= mulrDl; congr (_ + _).
  by rewrite product_united_l -mulf_div divff ?mulr1// gt_eqF.
by rewrite product_united_r -mulf_div divff ?mulr1// gt_eqF.
Qed.
Theorem share_times a b s : value (times a b) s = value a s * value b s.
Proof. by rewrite /value /= product_cat -mulf_div. Qed.
Lemma sane_plus a b s : sane a s -> sane b s -> sane (plus a b) s.
Proof. by move=> sa sb; rewrite /sane /= /united all_cat; apply/andP; split=> //; exact: all_without. Qed.
Lemma sane_times a b s : sane a s -> sane b s -> sane (times a b) s.
Proof. by move=> sa sb; rewrite /sane /= all_cat; apply/andP. Qed.

(* what the kernel writes for: b times the one is at most a times the other *)
Definition at_most (a b : S -> R) (here there : share) s : bool :=
  num here s * product (without (over there) (over here)) s * b s <= a s * (num there s * product (without (over here) (over there)) s).
Theorem within (a b : S -> R) here there s : sane here s -> sane there s -> at_most a b here there s ->
  value here s * b s <= a s * value there s.
Proof.
move=> sh st; have h0 := product_gt0 sh; have t0 := product_gt0 st.
have m0 := product_gt0 (all_without (over here) st).
have common := product_common (over here) (over there) s.
have l0 : 0 < product (over here) s * product (without (over there) (over here)) s by exact: mulr_gt0.
rewrite /at_most => H; rewrite /value -(ler_pmul2r l0).
have -> : num here s / product (over here) s * b s * (product (over here) s * product (without (over there) (over here)) s) =
    num here s * product (without (over there) (over here)) s * b s by field; rewrite gt_eqF.
have -> : a s * (num there s / product (over there) s) * (product (over here) s * product (without (over there) (over here)) s) =
    a s * (num there s * product (without (over here) (over there)) s) by rewrite common; field; rewrite gt_eqF.
exact: H.
Qed.

(* two laws as trees, compared end by end, as one formula *)
Section Compared.
Variables (Q : Type) (says : Q -> S -> bool) (decides : Q -> Q -> bool -> option bool).
Hypothesis decides_sound : forall other q a r, decides other q a = Some r -> forall s, says q s = a -> says other s = r.
Theorem compared (a b : S -> R) (t t' : tree Q share) s (p p' : R) :
  p = value (found says t s) s -> p' = value (found says t' s) s -> sane (found says t s) s -> sane (found says t' s) s ->
  found says (zip_trees decides (at_most a b) t t') s s -> p * b s <= a s * p'.
Proof. by move=> -> -> st st'; rewrite found_zip//; exact: within. Qed.
End Compared.
End Shares.

(* ---- probabilities as fractions (fraction of finite.rs) ---- *)
Section Fractions.
Variables (R : realType) (S : Type).
Implicit Types (x y n d m e : S -> R).
(* x is written as n / d *)
Inductive written : (S -> R) -> (S -> R) -> (S -> R) -> Prop :=
| written_self x : written x x (fun=> 1)
| written_quotient x n d y : written x n d -> written (fun s => x s / y s) n (fun s => d s * y s)
| written_product x n d y m e : written x n d -> written y m e -> written (fun s => x s * y s) (fun s => n s * m s) (fun s => d s * e s)
| written_sum x n d y m e : written x n d -> written y m e ->
    written (fun s => x s + y s) (fun s => n s * e s + m s * d s) (fun s => d s * e s)
| written_sum_same x n d y m : written x n d -> written y m d -> written (fun s => x s + y s) (fun s => n s + m s) d
| written_difference x n d y m e : written x n d -> written y m e ->
    written (fun s => x s - y s) (fun s => n s * e s - m s * d s) (fun s => d s * e s)
| written_difference_same x n d y m : written x n d -> written y m d -> written (fun s => x s - y s) (fun s => n s - m s) d
| written_choice (g : S -> bool) x n d y m e : written x n d -> written y m e ->
    written (fun s => if g s then x s else y s) (fun s => if g s then n s else m s) (fun s => if g s then d s else e s).
(* wherever the denominator is not 0 *)
Theorem fraction x n d : written x n d -> forall s, d s != 0 -> x s = n s / d s.
Proof.
elim=> {x n d} [x|x n d y _ IH|x n d y m e _ IHx _ IHy|x n d y m e _ IHx _ IHy|x n d y m _ IHx _ IHy|x n d y m e _ IHx _ IHy|x n d y m _ IHx _ IHy|g x n d y m e _ IHx _ IHy] s.
- by rewrite divr1.
- by rewrite mulf_eq0 negb_or => /andP[/IH -> y0]; rewrite invfM mulrA.
- by rewrite mulf_eq0 negb_or => /andP[/IHx -> /IHy ->]; rewrite mulf_div.
- by rewrite mulf_eq0 negb_or => /andP[d0 e0]; rewrite (IHx s d0) (IHy s e0) addf_div.
- by move=> d0; rewrite (IHx s d0) (IHy s d0) mulrDl.
- by rewrite mulf_eq0 negb_or => /andP[d0 e0]; rewrite (IHx s d0) (IHy s e0) -[- (m s / e s)]mulNr addf_div// mulNr.
- by move=> d0; rewrite (IHx s d0) (IHy s d0) mulrBl.
- by case: (g s) => [/IHx|/IHy].
Qed.
End Fractions.
