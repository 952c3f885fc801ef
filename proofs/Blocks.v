(* MAXDIV in the shape in which the kernel applies it (trusted/kernel/src/rules/finite.rs), for exported certificates: a block of finite draws,
   assignments and conditionals, of which one variable y matters afterwards.  The masses of the two runs are given as fractions, as the kernel's walk writes
   them; mass_... follow that walk.

   Read: is_mass, j_same_value. *)
From Probity Require Import PreludeReals.
From mathcomp.analysis Require Import derive.
From Probity Require Import Laws Finite.
From Probity Require Rules.
From Probity Require Export Certificate.
Import numFieldNormedType.Exports.
Open Scope R_scope.

(* ---- the logarithm of Coq is the one of MathComp ---- *)
Lemma expR_tangent (R : realType) (x : R) : (1 + x <= expR x)%R.
Proof.
have [x0|x0] := leP 0%R x; first exact: expR_ge1Dx.
have C : {within `[x, 0%R]%classic, continuous (@expR R)} by apply: continuous_subspaceT => y; exact: continuous_expR.
have [c] := @MVT R (@expR R) (@expR R) x 0%R x0 (fun y _ => is_derive_expR y) C.
rewrite in_itv /= => /andP[_ c0]; rewrite sub0r exp.expR0 => E.
have : (1 - expR x <= - x)%R.
  by rewrite E -[leRHS]mul1r; apply: ler_wpmul2r; [rewrite oppr_ge0 ltW|rewrite ltW// expR_lt1].
by rewrite ler_subl_addr -ler_subl_addl opprK.
Qed.

Section Exponential.
Let e (x : R) : R := @expR RR x.
Let e_add x y : e (x + y) = e x * e y. Proof. exact: exp.expRD. Qed.
Let e_pos x : 0 < e x. Proof. by apply/RltP; exact: expR_gt0. Qed.
Let e_0 : e 0 = 1. Proof. exact: exp.expR0. Qed.
Let e_ineq x : 1 + x <= e x. Proof. by apply/RleP; exact: expR_tangent. Qed.
Let e_opp x : e (- x) = / e x.
Proof.
have := e_add x (- x); rewrite Rplus_opp_r e_0 => E; have p := e_pos x.
by apply: (Rmult_eq_reg_l (e x)); [rewrite Rinv_r; lra|lra].
Qed.
Let h (x : R) : R := exp x * e (- x).
Let h_pos x : 0 < h x.
Proof. by apply: Rmult_lt_0_compat; [exact: exp_pos|exact: e_pos]. Qed.
Let h_add x y : h (x + y) = h x * h y.
Proof. by rewrite /h exp_plus Ropp_plus_distr e_add; ring. Qed.
Let h_mul n x : h (INR n * x) = h x ^ n.
Proof.
elim: n => [|n IH]; first by rewrite /= Rmult_0_l /h exp_0 Ropp_0 e_0 Rmult_1_l.
by rewrite S_INR Rmult_plus_distr_r Rmult_1_l h_add IH /= Rmult_comm.
Qed.
(* exp and 1/expR(-x) are both close to 1 + x *)
Let h_near x : Rabs x < 1 -> h x <= / (1 - x * x).
Proof.
move=> x1; have [m p] : -1 < x < 1 by move: x1; rewrite /Rabs; case: Rcase_abs => ? ?; lra.
have e1 : exp x <= / (1 - x).
  have := exp_ineq1_le (- x); rewrite exp_Ropp => ei.
  rewrite -(Rinv_inv (exp x)); apply: Rinv_le_contravar; lra.
have e2 : e (- x) <= / (1 + x).
  by rewrite e_opp; apply: Rinv_le_contravar; [lra|exact: e_ineq].
have -> : / (1 - x * x) = / (1 - x) * / (1 + x) by rewrite -Rinv_mult; congr Rinv; ring.
apply: Rmult_le_compat => //; [exact/Rlt_le/exp_pos|exact/Rlt_le/e_pos].
Qed.
Let bernoulli_inequality n (a : R) : 0 <= a <= 1 -> 1 - INR n * a <= (1 - a) ^ n.
Proof.
move=> [a0 a1]; elim: n => [|n IH]; first by rewrite /=; lra.
rewrite S_INR /=; have : 0 <= INR n := pos_INR n.
by move=> n0; have : (1 - a) * (1 - INR n * a) <= (1 - a) * (1 - a) ^ n; [apply: Rmult_le_compat_l; lra|nra].
Qed.
Let unbounded y : exists n : nat, y < INR n.
Proof.
exists (Z.to_nat (up y)); have [u _] := archimed y; rewrite INR_IZR_INZ.
by apply: (Rlt_le_trans _ _ _ u); apply: IZR_le; lia.
Qed.
Let h_le1 x : h x <= 1.
Proof.
apply: Rnot_lt_le => lt1; pose b := x * x.
have b0 : 0 <= b by rewrite /b; nra.
(* n large enough *)
have [n [n1 nb]] : exists n : nat, 1 + b < INR n /\ h x * (1 - b / INR n) > 1.
  have d0 : 0 < (h x - 1) by lra.
  have [N HN] := unbounded (1 + b + h x * b / (h x - 1)).
  exists N; have hb : 0 <= h x * b / (h x - 1).
    by apply: Rmult_le_pos; [nra|apply/Rlt_le/Rinv_0_lt_compat].
  split; first lra.
  have N0 : 0 < INR N by lra.
  have : h x * b < INR N * (h x - 1).
    have : h x * b / (h x - 1) < INR N by lra.
    by move=> /(Rmult_lt_compat_r (h x - 1) _ _ d0); rewrite /Rdiv Rmult_assoc Rinv_l ?Rmult_1_r; [|lra].
  move=> H; have : h x * b / INR N < h x - 1.
    apply: (Rmult_lt_reg_r (INR N)) => //; rewrite /Rdiv Rmult_assoc Rinv_l; lra.
  rewrite /Rdiv; nra.
have N0 : 0 < INR n by lra.
have q1 : Rabs (x / INR n) < 1.
  have : (x / INR n) * (x / INR n) < 1.
    rewrite (_ : x / INR n * (x / INR n) = b / (INR n * INR n)); last by rewrite /b; field; lra.
    apply: (Rmult_lt_reg_r (INR n * INR n)); first nra.
    rewrite /Rdiv Rmult_assoc Rinv_l; nra.
  by rewrite /Rabs; case: Rcase_abs => ? ?; nra.
have := h_near q1; set a := x / INR n * (x / INR n) => ha.
have aE : INR n * a = b / INR n by rewrite /a /b; field; lra.
have a01 : 0 <= a <= 1 by move: q1; rewrite /a /Rabs; case: Rcase_abs => ? ?; nra.
have xE : h x = h (x / INR n) ^ n by rewrite -h_mul; congr h; field; lra.
have a1 : 0 < 1 - a by move: q1; rewrite /a /Rabs; case: Rcase_abs => ? ?; nra.
have : h x * (1 - a) ^ n <= 1.
  rewrite xE -Rpow_mult_distr -[X in _ <= X](pow1 n); apply: pow_incr; split.
    by apply: Rmult_le_pos; [exact/Rlt_le|lra].
  by have := Rmult_le_compat_r _ _ _ (Rlt_le _ _ a1) ha; rewrite Rinv_l; lra.
have := bernoulli_inequality n a01; rewrite aE => B.
have := Rmult_le_compat_l _ _ _ (Rlt_le _ _ (h_pos x)) B; lra.
Qed.
Lemma exp_expR (x : R) : exp x = @expR RR x.
Proof.
have H : h x = 1.
  apply: Rle_antisym; first exact: h_le1.
  have le1' := h_le1 (- x); have := h_add x (- x); rewrite Rplus_opp_r {1}/h exp_0 Ropp_0 e_0 Rmult_1_l => E.
  by have := h_pos x; have := h_pos (- x); nra.
have p := e_pos x; rewrite -/(e x); move: H; rewrite /h e_opp => H.
by apply: (Rmult_eq_reg_r (/ e x)); [rewrite H Rinv_r; lra|have := Rinv_0_lt_compat _ p; lra].
Qed.
Lemma ln_ln (x : R) : 0 < x -> ln_ x = @exp.ln RR x.
Proof.
move=> x0; apply: exp_inv; rewrite exp_ln// exp_expR lnK//; exact/RltP.
Qed.
End Exponential.

(* ---- laws ---- *)
Definition bernoulli_ (p : R) : law RR bool := @bernoulli RR p.
Definition uniform_int_ (low high : Z) : law RR int := @uniform_int RR (int_of_Z low) (int_of_Z high).
Definition uniform_other_ (value count : Z) : law RR int := @uniform_other RR (int_of_Z value) (int_of_Z count).
Definition response_ (value : Z) (truth : R) (count : Z) : law RR int := @response RR (int_of_Z value) truth (int_of_Z count).

Section Blocks.
Variables (I V : Type) (i1 i2 : I).
Notation S := (I * V)%type.
Notation prog := (stmt RR S).

Lemma efin (a b : R) : a = b -> (a : RR)%:E = (b : RR)%:E. Proof. by move=> ->. Qed.

(* ---- the mass of y = x after a block, as a fraction ---- *)
Definition frac (n d : R) : R := n / d.
Section Mass.
Variables (Y : choiceType) (y : V -> Y).
Definition is_mass (c : prog) (i : I) (v : V) (x : Y) (n d : R) : Prop :=
  0 < d /\ @mass RR S Y (fun s => y s.2) c (i, v) x = (frac n d : RR)%:E.

Lemma is_mass_equal c i v x n d n' d' : is_mass c i v x n d -> n = n' -> d = d' -> is_mass c i v x n' d'.
Proof. by move=> H <- <-. Qed.
Lemma m_set (u : I -> V -> V) c i v x n d : is_mass c i (u i v) x n d -> is_mass (seq_ (set_ u) c) i v x n d.
Proof. by []. Qed.
Lemma m_last (u : I -> V -> V) i v x (b : bool) : (y (u i v) = x <-> b = true) ->
  is_mass (seq_ (set_ u) (skip_ I V)) i v x (if b then 1 else 0) 1.
Proof.
move=> H; split; first lra; rewrite -[LHS]/(if y (u i v) == x then 1 else 0)%E.
have -> : (y (u i v) == x) = b by apply/eqP/idP => /H.
by case: b {H}; [apply: (@efin 1)|apply: (@efin 0)]; rewrite /frac /Rdiv Rinv_1 Rmult_1_r.
Qed.
Lemma m_if (g : I -> V -> bool) c e rest i v x n d n' d' :
  (g i v = true -> is_mass (seq_ c rest) i v x n d) -> (g i v = false -> is_mass (seq_ e rest) i v x n' d') ->
  is_mass (seq_ (if_ g c e) rest) i v x (if g i v then n else n') (if g i v then d else d').
Proof. by rewrite /is_mass /mass /=; case: (g i v) => yes no; [exact: yes|exact: no]. Qed.
Lemma m_mix (p : I -> V -> R) (u : V -> bool -> V) c i v x n d n' d' :
  leR 0 (p i v) && leR (p i v) 1 = true ->
  is_mass c i (u v true) x n d -> is_mass c i (u v false) x n' d' ->
  is_mass (seq_ (draw_ (fun i v => bernoulli_ (p i v)) u) c) i v x (p i v * n * d' + (1 - p i v) * n' * d) (d * d').
Proof.
move=> /and_true[/leRP p0 /leRP p1] [d0 M] [d0' M']; split; first exact: Rmult_lt_0_compat.
have pr : ((0 : RR) <= p i v <= 1)%R by apply/andP; split; apply/RleP.
have := @mass_mixture RR S Y (fun s => y s.2) (fun s => p s.1 s.2) (fun s b => (s.1, u s.2 b)) c (i, v) x pr.
rewrite -[LHS]/(@mass RR S Y (fun s => y s.2) (seq_ (draw_ (fun i v => bernoulli_ (p i v)) u) c) (i, v) x) => ->.
rewrite /= M M' -!EFinM -EFinD.
by apply: (@efin (p i v * (n / d) + (1 - p i v) * (n' / d'))); rewrite /frac; field; lra.
Qed.
Lemma m_mix_same (p : I -> V -> R) (u : V -> bool -> V) c i v x n d n' :
  leR 0 (p i v) && leR (p i v) 1 = true ->
  is_mass c i (u v true) x n d -> is_mass c i (u v false) x n' d ->
  is_mass (seq_ (draw_ (fun i v => bernoulli_ (p i v)) u) c) i v x (p i v * n + (1 - p i v) * n') d.
Proof.
move=> pr M M'; have [d0 _] := M; have [_ E] := m_mix pr M M'; split=> //; rewrite E; apply: efin; rewrite /frac; field; lra.
Qed.
(* the order in which a program is read *)
Lemma m_assoc a b c i v x n d : is_mass (seq_ a (seq_ b c)) i v x n d -> is_mass (seq_ (seq_ a b) c) i v x n d. Proof. by []. Qed.
Lemma m_skip c i v x n d : is_mass c i v x n d -> is_mass (seq_ (skip_ I V) c) i v x n d. Proof. by []. Qed.
Lemma m_tail c i v x n d : is_mass (seq_ c (skip_ I V)) i v x n d -> is_mass (seq_ c (seq_ (skip_ I V) (skip_ I V))) i v x n d. Proof. by []. Qed.
End Mass.

(* the last draw *)
Lemma m_bernoulli (y : V -> bool) (p : I -> V -> R) (u : V -> bool -> V) i v x : (forall v b, y (u v b) = b) ->
  leR 0 (p i v) && leR (p i v) 1 = true ->
  is_mass y (seq_ (draw_ (fun i v => bernoulli_ (p i v)) u) (skip_ I V)) i v x (if x then p i v else 1 - p i v) 1.
Proof.
move=> yu /and_true[/leRP p0 /leRP p1]; split; first lra.
have pr : ((0 : RR) <= p i v <= 1)%R by apply/andP; split; apply/RleP.
rewrite /mass /= -[LHS]/(bernoulli (p i v) (fun b => if y (u v b) == x then 1 else 0)%E).
have := @mass_bernoulli RR (p i v) x pr; rewrite /one_at => E.
rewrite (_ : (fun b => _) = (fun b => if b == x then 1 else 0)%E); last by apply/funext => b; rewrite yu.
by rewrite E {E}; case: x => /=; [apply: (@efin (p i v))|apply: (@efin (1 - p i v))]; rewrite /frac; field.
Qed.
Lemma int_eq (z : int) (x : Z) : (Z_of_int z == x) = (z == int_of_Z x).
Proof. by apply/eqP/eqP => [<-|->]; rewrite ?Z_of_intK ?int_of_ZK. Qed.
Lemma one_int (y : V -> Z) (u : V -> Z -> V) v x : (forall v z, y (u v z) = z) ->
  (fun z => if y (u v (Z_of_int z)) == x then 1 else 0)%E = @one_at RR _ (int_of_Z x).
Proof. by move=> yu; apply/funext => z; rewrite yu int_eq. Qed.
Lemma m_response (y : V -> Z) value truth count (u : V -> Z -> V) (i : I) v (x : Z) : (forall v z, y (u v z) = z) ->
  (((leR 0 (truth i v) && leR (truth i v) 1) && leR 2 (IZR (count i v))) && leR 0 (IZR (value i v))) &&
    ltR (IZR (value i v)) (IZR (count i v)) = true ->
  is_mass y (seq_ (drawZ_ (fun i v => response_ (value i v) (truth i v) (count i v)) u) (skip_ I V)) i v x
    (if eqR (IZR x) (IZR (value i v)) then truth i v * (IZR (count i v) - 1)
     else if leR 0 (IZR x) && ltR (IZR x) (IZR (count i v)) then 1 - truth i v else 0) (IZR (count i v) - 1).
Proof.
move=> yu /and_true[/and_true[/and_true[/and_true[/leRP p0 /leRP p1] c2] v0] vc].
have d0 : 0 < IZR (count i v) - 1 by move: c2 => /leRP; lra.
split=> //; transitivity (response_ (value i v) (truth i v) (count i v) (@one_at RR _ (int_of_Z x))).
  by rewrite -(@one_int y u v x yu).
rewrite /response_.
have pr : ((0 : RR) <= truth i v <= 1)%R by apply/andP; split; apply/RleP.
have cr : category_range (int_of_Z (count i v)) (int_of_Z (value i v)).
  by rewrite /category_range -[2%R]/(int_of_Z 2) -[0%R]/(int_of_Z 0) !le_int lt_int c2 v0 vc.
rewrite mass_response// -int_eq int_of_ZK -[0%R]/(int_of_Z 0) le_int lt_int.
have <- : eqR (IZR x) (IZR (value i v)) = (x == value i v).
  by apply/idP/idP => [/eqRP/eq_IZR -> //|/eqP ->]; exact/eqRP.
have C : ((int_of_Z (count i v) - 1)%:~R = IZR (count i v) - 1 :> RR)%R by rewrite rmorphB /= -IZR_int.
case: ifP => _; first by apply: (@efin (truth i v)); rewrite /frac; field; lra.
case: ifP => _; last by apply: (@efin 0); rewrite /frac; field; lra.
rewrite C; apply: (@efin ((1 - truth i v) / (IZR (count i v) - 1))%R); rewrite -RdivE//; apply/eqP => E.
by have E' : IZR (count i v) - 1 = 0 := E; lra.
Qed.
Lemma m_uniform_int (y : V -> Z) low high (u : V -> Z -> V) (i : I) v (x : Z) : (forall v z, y (u v z) = z) ->
  leR (IZR (low i v)) (IZR (high i v)) = true ->
  is_mass y (seq_ (drawZ_ (fun i v => uniform_int_ (low i v) (high i v)) u) (skip_ I V)) i v x
    (if leR (IZR (low i v)) (IZR x) && leR (IZR x) (IZR (high i v)) then 1 else 0) (IZR (high i v) - IZR (low i v) + 1).
Proof.
move=> yu lh; have d0 : 0 < IZR (high i v) - IZR (low i v) + 1 by move: lh => /leRP; lra.
split=> //; transitivity (uniform_int_ (low i v) (high i v) (@one_at RR _ (int_of_Z x))).
  by rewrite -(@one_int y u v x yu).
rewrite /uniform_int_.
rewrite mass_uniform_int ?le_int//; case: ifP => _; last by apply: (@efin 0); rewrite /frac; field; lra.
have C : ((int_of_Z (high i v) - int_of_Z (low i v) + 1)%:~R = IZR (high i v) - IZR (low i v) + 1 :> RR)%R.
  by rewrite rmorphD rmorphB /= -!IZR_int.
rewrite C; apply: (@efin (IZR (high i v) - IZR (low i v) + 1)^-1%R); rewrite -RinvE; first by rewrite /frac /Rdiv Rmult_1_l.
by apply/eqP => E; have E' : IZR (high i v) - IZR (low i v) + 1 = 0 := E; lra.
Qed.

(* ---- finitely many outcomes ---- *)
Lemma f_skip : finite_block (skip_ I V). Proof. exact: finite_skip. Qed.
Lemma f_set u : finite_block (@set_ I V u). Proof. exact: finite_assign. Qed.
Lemma f_seq (c d : prog) : finite_block c -> finite_block d -> finite_block (seq_ c d). Proof. exact: finite_seq. Qed.
Lemma f_if (g : I -> V -> bool) (c d : prog) : finite_block c -> finite_block d -> finite_block (if_ g c d). Proof. exact: finite_if. Qed.
Lemma f_bernoulli p u : finite_block (@draw_ I V _ (fun i v => bernoulli_ (p i v)) u). Proof. exact: finite_draw. Qed.
Lemma f_response a b c u : finite_block (@drawZ_ I V (fun i v => response_ (a i v) (b i v) (c i v)) u). Proof. exact: finite_draw. Qed.
Lemma f_uniform_int a b u : finite_block (@drawZ_ I V (fun i v => uniform_int_ (a i v) (b i v)) u). Proof. exact: finite_draw. Qed.

(* ---- MAXDIV ---- *)
Section SameValue.
Variables (Y : choiceType) (y : V -> Y) (put : V -> Y -> V) (kept : V -> V -> Prop).
Variables (value : arb -> Y) (with_value : arb -> Y -> arb).
Hypothesis value_at : forall a x, value (with_value a x) = x.
(* t differs from v in what the block sets, and in nothing else *)
Definition agree (s t : S) := s.1 = t.1 /\ kept s.2 t.2.
Definition only (c : prog) := Rules.local agree c.

Theorem j_same_value (c : prog) (Q : bassn V) (A B cost : V -> V -> R -> R) (sane sane' : V -> bool) (n d n' d' : V -> Y -> R)
    (here there : V -> V -> Y -> R) :
  finite_block c -> only c ->
  (forall a x v v' k, Q (with_value a x) v v' k = Q a v v' k) ->
  (forall a v v' k t t', kept v t -> kept v' t' -> y t = y t' -> Q a t t' k = Q a (put v (y t)) (put v' (y t)) k) ->
  (forall v x, sane v = true -> is_mass y c i1 v x (n v x) (d v x)) ->
  (forall v x, sane' v = true -> is_mass y c i2 v x (n' v x) (d' v x)) ->
  (forall v v' x, 0 < d v x -> 0 < d' v' x -> exists e, 0 < e /\ here v v' x = n v x / d v x * e /\ there v v' x = n' v' x / d' v' x * e) ->
  (forall v v' k, 0 < B v v' k -> cost v v' k = k + ln_ (A v v' k * / B v v' k)) ->
  J i1 i2 0 c
    (fun a v v' k =>
      ((((ltR 0 (A v v' k) && ltR 0 (B v v' k)) && sane v) && sane' v') &&
       leR (here v v' (value a) * B v v' k) (A v v' k * there v v' (value a))) &&
      (negb (ltR 0 (n v (value a))) || Q a (put v (value a)) (put v' (value a)) (cost v v' k))) Q.
Proof.
move=> fc only_c fresh depends mass1 mass2 fraction charged.
have M := @Finite.same_value RR S Y (fun s => y s.2) agree c (fun s s' k => A s.2 s'.2 k) (fun s s' k => B s.2 s'.2 k)
  (at_ i1 i2 Q) fc only_c.
apply: Rules.strengthen M => -[i v] [i' v'] k [/= -> [/= -> /= H]].
have := H arb0 => /and_true[/and_true[/and_true[/and_true[/and_true[a0 b0] s1] s2] _] _].
have bound x : n v x / d v x * B v v' k <= A v v' k * (n' v' x / d' v' x).
  have [d0 _] := mass1 v x s1; have [d0' _] := mass2 v' x s2; have [e [e0 [E E']]] := fraction v v' x d0 d0'.
  have := H (with_value arb0 x); rewrite value_at => /and_true[/and_true[_ /leRP]]; rewrite E E' => L _.
  by apply: (Rmult_le_reg_r e) => //; lra.
have post x : 0 < n v x -> forall a, Q a (put v x) (put v' x) (cost v v' k) = true.
  by move=> pos a; have := H (with_value a x) => /and_true[_]; rewrite value_at fresh (_ : ltR 0 (n v x) = true)//; exact/ltRP.
have A0 : 0 < A v v' k by exact/ltRP. have B0 : 0 < B v v' k by exact/ltRP.
split.
- exact/RltP.
- exact/RltP.
- move=> x; have [_ ->] := mass1 v x s1; have [_ ->] := mass2 v' x s2.
  by rewrite -!EFinM lee_fin; apply/RleP; exact: bound.
move=> x; have [d0 ->] := mass1 v x s1; rewrite lte_fin => /RltP pos [j t] [j' t'] [/= <- kt] [/= <- kt'] /= yt yt'.
split; [by []|split; [by []|]] => a /=.
have npos : 0 < n v x.
  by have := Rmult_lt_compat_r (d v x) _ _ d0 pos; rewrite Rmult_0_l /Rdiv Rmult_assoc Rinv_l; lra.
have -> : (k + exp.ln (A v v' k / B v v' k) : RR)%R = cost v v' k.
  have ab : 0 < A v v' k * / B v v' k by apply: Rmult_lt_0_compat => //; exact: Rinv_0_lt_compat.
  rewrite charged// ln_ln// -RdivE//; apply/eqP => E.
  by have E' : B v v' k = 0 := E; lra.
by rewrite (depends a v v' _ t t' kt kt') ?yt ?yt'//; exact: post.
Qed.

(* what a block changes *)
Hypothesis kept_refl : forall v, kept v v.
Hypothesis kept_trans : forall u v w, kept u v -> kept v w -> kept u w.
Let agree_refl s : agree s s. Proof. by split. Qed.
Let agree_trans s t u : agree s t -> agree t u -> agree s u.
Proof. by move=> [a b] [c d]; split; [rewrite a|exact: kept_trans b d]. Qed.
Lemma o_skip : only (skip_ I V). Proof. exact: Rules.local_skip. Qed.
Lemma o_set u : (forall i v, kept v (u i v)) -> only (set_ u). Proof. by move=> k; apply: Rules.local_assign => s; split=> //; exact: k. Qed.
Lemma o_draw A (D : I -> V -> law RR A) u : (forall v x, kept v (u v x)) -> only (draw_ D u).
Proof. by move=> k; apply: Rules.local_draw => s x; split=> //; exact: k. Qed.
Lemma o_drawZ (D : I -> V -> law RR int) u : (forall v x, kept v (u v x)) -> only (drawZ_ D u).
Proof. by move=> k; apply: o_draw. Qed.
Lemma o_seq c d : only c -> only d -> only (seq_ c d). Proof. exact: Rules.local_seq. Qed.
Lemma o_if g c d : only c -> only d -> only (if_ g c d). Proof. exact: Rules.local_if. Qed.
End SameValue.

(* a block and what comes after it *)
Lemma j_block1 (a d : prog) P T Q : J i1 i2 0 (seq_ a (skip_ I V)) P T -> J i1 i2 0 d T Q -> J i1 i2 0 (seq_ a d) P Q.
Proof. by move=> Ja; exact: (j_seq Ja). Qed.
Lemma j_block2 (a b d : prog) P T Q : J i1 i2 0 (seq_ a (seq_ b (skip_ I V))) P T -> J i1 i2 0 d T Q -> J i1 i2 0 (seq_ a (seq_ b d)) P Q.
Proof. by move=> Ja; exact: (j_seq Ja). Qed.
Lemma j_block3 (a b c d : prog) P T Q : J i1 i2 0 (seq_ a (seq_ b (seq_ c (skip_ I V)))) P T -> J i1 i2 0 d T Q ->
  J i1 i2 0 (seq_ a (seq_ b (seq_ c d))) P Q.
Proof. by move=> Ja; exact: (j_seq Ja). Qed.
End Blocks.
Definition intY : choiceType := [choiceType of Z].
Definition boolY : choiceType := [choiceType of bool].
Ltac finite := repeat first [apply f_seq|apply f_if|apply f_skip|apply f_set|apply f_bernoulli|apply f_response|apply f_uniform_int].
