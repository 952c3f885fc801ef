(* The sampling rules of trusted/kernel/src/rules/sampling.rs for discrete laws: AXNULL (null), DLAPGEN (dlapgen),
   GEOGEN (geogen), the selective shift on the integers (dselect).  Each has the kernel's shape:
   side conditions, and for every y of the support the post-condition with y' = f(y) and the cost charged.
   The shifts, costs and thresholds are functions of the two states before the draw and of the cost so far.

   One lemma (star_mass) carries them all: an injective map on the support, and masses that compare. *)
From Probity Require Import Prelude.
From mathcomp.classical Require Import fsbigop.
From Probity Require Import Judgement Laws.
From Probity Require Rules.
Local Open Scope classical_set_scope.
Local Open Scope ring_scope.
Local Open Scope ereal_scope.

Section Sampling.
Variable R : realType.
Notation star := Rules.star.

(* ---- AXNULL: the parameters are equal in both runs, y' = y at cost 0 ---- *)
(* supp has full measure under D *)
Definition full (A : Type) (D : law R A) (supp : A -> Prop) := forall f g,
  (forall a, 0 <= f a) -> (forall a, 0 <= g a) -> (forall a, supp a -> f a = g a) -> D f = D g.

Theorem null (S P A : Type) (D : P -> law R A) (supp : P -> A -> Prop) (e : S -> P) (u : S -> A -> S)
    (Psi : assn R S) : (forall p, full (D p) (supp p)) ->
  judge 0 (Draw (fun s => D (e s)) u)
    (fun s s' k => e s = e s' /\ forall y, supp (e s) y -> Psi (u s y) (u s' y) k) Psi.
Proof.
move=> fullD; apply: Rules.sample => m m' k [ee HP].
exists (supp (e m)), id, (fun=> 0%R); split; last by move=> a /HP; rewrite addr0.
by rewrite -ee; apply: Rules.star_null; exact: fullD.
Qed.

(* the supports that the kernel uses *)
Theorem full_any (A : Type) (D : law R A) : full D (fun=> True).
Proof. by move=> f g _ _ fg; congr (ev D); apply/funext => a; exact: fg. Qed.
Theorem full_sign : full (sign R) (fun y => y = 1 \/ y = -1)%R.
Proof. by move=> f g _ _ fg; rewrite !signE !fg//; [right|left]. Qed.
Theorem full_uniform_int low high : full (uniform_int R low high) (fun y => low <= y <= high)%R.
Proof.
move=> f g _ _; apply: flaw_full => lh x /In_mem/mapP[y yr ->] /=.
by rewrite -mem_range// (le_trans lh)// ler_addl.
Qed.
Lemma range_category count y : category_range count y ->
  forall z, z \in range 0 (count - 1) -> (0 <= z < count)%R.
Proof.
move=> /andP[c2 _] z; rewrite mem_range; last by rewrite subrK (le_trans _ c2).
by rewrite -ltz_addr1 subrK.
Qed.
Theorem full_uniform_other v count : full (uniform_other R v count) (fun y => 0 <= y < count)%R.
Proof.
move=> f g _ _; apply: flaw_full => cr x /In_mem/mapP[y + ->] /=.
by rewrite mem_filter => /andP[_]; exact: range_category cr _.
Qed.
Theorem full_response v p count : full (response v p count) (fun y => 0 <= y < count)%R.
Proof.
move=> f g _ _; apply: flaw_full => /andP[cr _] x /In_mem/mapP[y + ->] /=.
exact: range_category cr _.
Qed.
Theorem full_geometric b : full (@geometric R b) (fun y => 0 <= y)%R.
Proof.
move=> f g _ _ fg; rewrite /= /mev; apply: eq_esum => y _.
rewrite /norm_mass /geo_w; case: ifPn => [/andP[_ y0]|_]; first by rewrite fg.
by rewrite mul0r !mul0e.
Qed.

(* ---- one lemma for all shifts of discrete laws ---- *)
Lemma star_mass (A : choiceType) (p p' : A -> R) p0 p1 p0' p1'
    (supp : A -> Prop) (phi : A -> A) (c : A -> R) :
  (forall a, ~ supp a -> p a = 0%R) ->
  (forall a b, supp a -> supp b -> phi a = phi b -> a = b) ->
  (forall a, supp a -> (p a * expR (- c a) <= p' (phi a))%R) ->
  star (@mlaw _ A p p0 p1) (@mlaw _ A p' p0' p1') supp phi c.
Proof.
move=> Hs inj Hp f F f0 F0 HfF; rewrite /= /mev.
have cond (q : A -> \bar R) (P : set A) : (forall a, 0 <= q a) ->
    \esum_(a in P) q a <= \esum_(a in [set: A]) q a.
  by move=> q0; rewrite esum_mkcond; apply: le_esum => a _; case: ifP.
apply: (@le_trans _ _ (\esum_(a in supp) ((p' (phi a))%:E * F (phi a)))); last first.
  rewrite -(esum_image supp phi (fun b => (p' b)%:E * F b)).
    by apply: cond => b; rewrite mule_ge0// lee_fin.
  by move=> a b; rewrite !inE => sa sb; exact: inj.
rewrite [leRHS]esum_mkcond; apply: le_esum => a _.
case: ifPn => [|]; last by rewrite notin_set => /Hs ->; rewrite mul0e.
rewrite inE => sa; apply: (@le_trans _ _ ((p a)%:E * ((expR (- c a))%:E * F (phi a)))).
  by apply: lee_wpmul2l; [rewrite lee_fin|exact: HfF].
by rewrite muleA -EFinM; apply: lee_wpmul2r => //; rewrite lee_fin; exact: Hp.
Qed.

(* ---- DLAPGEN ---- *)
Lemma dlap_shift (e e' k y : int) (b c : R) : (0 < b)%R ->
  (`|k + e - e'|%:~R <= c * b)%R ->
  (norm_mass (dlap_w e b) y * expR (- c) <= norm_mass (dlap_w e' b) (y + k))%R.
Proof.
move=> b0 Hc; rewrite /norm_mass !dlap_total mulrAC; apply: ler_wpmul2r.
  by rewrite invr_ge0 fine_ge0// total_ge0// => a; exact: dlap_w0.
rewrite /dlap_w b0 -expRD ler_expR -opprD ler_oppl opprK addrC.
rewrite ler_pdivr_mulr// mulrDl divfK ?gt_eqF//.
apply: (@le_trans _ _ (`|y - e|%:~R + `|k + e - e'|%:~R)%R); last by rewrite ler_add2l.
rewrite -intrD ler_int (_ : - e' + (y + k) = (y - e) + (k + e - e'))%R; first exact: ler_norm_add.
by ring.
Qed.

Section Rule.
Variables (S : Type) (center : S -> int) (scale : S -> R) (u : S -> int -> S) (Psi : assn R S).

(* scale = scale' > 0 and |k + center - center'| <= c * scale *)
Definition translation (k : S -> S -> R -> int) (c : S -> S -> R -> R) s s' (j : R) :=
  [/\ 0 < scale s, scale s = scale s' &
      `|k s s' j + center s - center s'|%:~R <= c s s' j * scale s]%R.

Theorem dlapgen (k : S -> S -> R -> int) (c : S -> S -> R -> R) :
  judge 0 (Draw (fun s => discrete_laplace (center s) (scale s)) u)
    (fun s s' j => translation k c s s' j /\
       forall y, Psi (u s y) (u s' (y + k s s' j)%R) (j + c s s' j)%R) Psi.
Proof.
apply: Rules.sample => m m' j [[b0 bb Hc] HP].
exists (fun=> True), (fun y => y + k m m' j)%R, (fun=> c m m' j); split=> //; rewrite -bb.
by apply: star_mass => [a /(_ I)//|x y _ _ /addIr//|y _]; exact: dlap_shift.
Qed.

(* above the threshold t (y >= t, or y > t if strict) by one amount, below it by a smaller one *)
Definition is_above (strict : bool) (t : R) (y : int) : bool := if strict then (t < y%:~R)%R else (t <= y%:~R)%R.
Lemma above_mono strict t (x y : int) : is_above strict t x -> ~~ is_above strict t y -> (y < x)%R.
Proof.
rewrite /is_above -(@ltr_int R); case: strict; rewrite -?ltNge -?leNgt => a b.
  exact: le_lt_trans b a.
exact: lt_le_trans b a.
Qed.

Theorem dselect strict (t : S -> S -> R -> R) (ka kb : S -> S -> R -> int) (ca cb : S -> S -> R -> R) :
  judge 0 (Draw (fun s => discrete_laplace (center s) (scale s)) u)
    (fun s s' j => [/\ translation ka ca s s' j, translation kb cb s s' j,
       (kb s s' j <= ka s s' j)%R &
       forall y, (is_above strict (t s s' j) y -> Psi (u s y) (u s' (y + ka s s' j)%R) (j + ca s s' j)%R) /\
                 (~~ is_above strict (t s s' j) y -> Psi (u s y) (u s' (y + kb s s' j)%R) (j + cb s s' j)%R)])
    Psi.
Proof.
apply: Rules.sample => m m' j [[b0 bb Ha] [_ _ Hb] kk HP].
pose up := is_above strict (t m m' j).
exists (fun=> True), (fun y => if up y then y + ka m m' j else y + kb m m' j)%R,
  (fun y => if up y then ca m m' j else cb m m' j); split; last first.
  by move=> y _; case: ifPn => h; [exact: (HP y).1|exact: (HP y).2].
rewrite -bb; apply: star_mass => [a /(_ I)//|x y _ _|y _]; last first.
  by case: ifP => _; apply: dlap_shift.
case: ifPn => ux; case: ifPn => uy; try exact: addIr.
  have xy := above_mono ux uy.
  move=> E; have : (y + kb m m' j < x + ka m m' j)%R by apply: ltr_le_add.
  by rewrite E ltxx.
have xy := above_mono uy ux.
move=> E; have : (x + kb m m' j < y + ka m m' j)%R by apply: ltr_le_add.
by rewrite E ltxx.
Qed.

(* GEOGEN: 0 <= k <= c * scale, y >= 0 *)
Theorem geogen (k : S -> S -> R -> int) (c : S -> S -> R -> R) :
  judge 0 (Draw (fun s => geometric (scale s)) u)
    (fun s s' j => [/\ (0 < scale s)%R, scale s = scale s', (0 <= k s s' j)%R,
       ((k s s' j)%:~R <= c s s' j * scale s)%R &
       forall y, (0 <= y)%R -> Psi (u s y) (u s' (y + k s s' j)%R) (j + c s s' j)%R]) Psi.
Proof.
apply: Rules.sample => m m' j [b0 bb k0 kc HP].
exists (fun y => 0 <= y)%R, (fun y => y + k m m' j)%R, (fun=> c m m' j); split=> //; rewrite -bb.
apply: star_mass => [y /negP|x y _ _ /addIr//|y y0].
  by rewrite -ltNge /norm_mass /geo_w leNgt => ->; rewrite andbF mul0r.
rewrite /norm_mass mulrAC; apply: ler_wpmul2r.
  by rewrite invr_ge0 fine_ge0// total_ge0// => a; exact: geo_w0.
rewrite /geo_w b0 y0 addr_ge0//= -expRD ler_expR -opprD ler_opp2.
by rewrite ler_pdivr_mulr// mulrDl divfK ?gt_eqF// rmorphD /= ler_add2l.
Qed.
End Rule.
End Sampling.
