(* Countably additive expectations of exported programs that draw reals, for PW-EQ (Outcomes.v).

   The variables of a program are the cells of a memory, a real number each: enc reads a memory as the program's variables, an integer as the floor of its cell, a
   boolean as "above 0".  Memories have the smallest sigma-algebra in which every cell is measurable.  A test of final states is good if it is a measurable
   function of the memory for any inputs; on such tests programs are countably additive (Additive.v): a_skip ... a_exponential, a lemma for each statement.
   A draw's parameters may depend on the inputs, the parameters and the indices of loops, not on other draws.  That an expression is a measurable function of
   the memory is shown along the expression: readable, a lemma for each function of the language. *)
From Flocq Require Import Core.
From Probity Require Import PreludeReals.
From mathcomp.classical Require Import functions.
From mathcomp.analysis Require Import real_interval.
From mathcomp.analysis Require Import measure lebesgue_measure numfun lebesgue_integral.
From Probity Require Import Laws Additive Density Continuous Logarithm Plane Certificate Pairs.
Open Scope R_scope.

(* ---- memories ---- *)
Definition cells : set (set (nat -> TT)) := fun A => exists n (B : set TT), measurable B /\ A = (fun x => B (x n)).
Definition memory := [the measurableType _ of salgebraType cells].
(* the same as a type *)
Definition store : Type := memory.
Definition cell (x : memory) (n : nat) : R := x n.
Lemma cell_measurable n : @measurable_fun _ _ memory TT setT (fun x => cell x n).
Proof. by move=> _ B mB; rewrite setTI; apply: sub_sigma_algebra; exists n, B. Qed.
Lemma to_memory d (T : measurableType d) (h : T -> memory) :
  (forall n, @measurable_fun _ _ T TT setT (fun t => h t n)) -> measurable_fun setT h.
Proof.
move=> mh; apply: (@measurability _ _ T memory setT h cells) => //.
by move=> _ [_ [n [B [mB ->]]] <-]; exact: mh.
Qed.

(* ---- functions of a memory ---- *)
Definition rm (h : memory -> R) : Prop := @measurable_fun _ _ memory TT setT h.
Definition bm (g : memory -> bool) : Prop := @measurable_fun _ _ memory _ setT g.
Lemma rm_cell n : rm (fun x => cell x n). Proof. exact: cell_measurable. Qed.
Lemma rm_const c : rm (fun=> c). Proof. exact: measurable_fun_cst. Qed.
Lemma rm_of (f : R -> R) g : mfun f -> rm g -> rm (fun x => f (g x)).
Proof. by move=> mf mg; exact: (measurable_fun_comp mf mg). Qed.
Lemma rm_plus f g : rm f -> rm g -> rm (fun x => f x + g x).
Proof. by move=> mf mg; exact: (@measurable_funD _ memory RR setT _ _ mf mg). Qed.
Lemma rm_times f g : rm f -> rm g -> rm (fun x => f x * g x).
Proof. by move=> mf mg; exact: (@measurable_funM _ memory RR setT _ _ mf mg). Qed.
Lemma rm_neg f : rm f -> rm (fun x => - f x).
Proof. by move=> mf; exact: (@measurable_funN _ memory RR setT _ mf). Qed.
Lemma rm_minus f g : rm f -> rm g -> rm (fun x => f x - g x).
Proof. by move=> mf mg; apply: rm_plus => //; exact: rm_neg. Qed.
Lemma rm_inv f : rm f -> rm (fun x => / f x).
Proof. by apply: (rm_of (f := Rinv)); apply: m_inv; exact: m_id. Qed.
Lemma rm_over f g : rm f -> rm g -> rm (fun x => f x / g x).
Proof. by move=> mf mg; apply: rm_times => //; exact: rm_inv. Qed.
Lemma rm_abs f : rm f -> rm (fun x => Rabs (f x)).
Proof. by apply: rm_of; apply: m_abs; exact: m_id. Qed.
Lemma rm_ln f : rm f -> rm (fun x => ln_ (f x)). Proof. by apply: rm_of; apply: m_ln; exact: m_id. Qed.
Lemma rm_exp f : rm f -> rm (fun x => exp (f x)). Proof. by apply: rm_of; apply: m_exp; exact: m_id. Qed.
Lemma rm_floor f : rm f -> rm (fun x => floor_ (f x)). Proof. by apply: rm_of; apply: m_floor; exact: m_id. Qed.
Lemma bmP (g : memory -> bool) : @measurable _ memory (fun x => g x = true) -> bm g.
Proof. by move=> mg; exact: (@measurable_fun_bool _ memory setT g true). Qed.
Lemma bmE (g : memory -> bool) : bm g -> @measurable _ memory (fun x => g x = true).
Proof. by move=> mg; have := mg measurableT (fun b => b = true) I; rewrite setTI. Qed.
Lemma bm_const b : bm (fun=> b). Proof. exact: measurable_fun_cst. Qed.
Lemma bm_lt f g : rm f -> rm g -> bm (fun x => ltR (f x) (g x)).
Proof.
move=> mf mg; apply: bmP; have mh := rm_minus mg mf; have := mh measurableT _ (@mray_gt RR 0%R); rewrite setTI.
congr (measurable _); apply/seteqP; split=> x /=; rewrite /preimage /mkset.
  by move=> /RltP h; apply/ltRP; exact: Rminus_gt_0_lt h.
by move=> /ltRP h; apply/RltP; exact: Rlt_Rminus h.
Qed.
Lemma bm_not g : bm g -> bm (fun x => ~~ g x).
Proof.
move=> /bmE mg; apply: bmP; have := measurableC mg; congr (measurable _).
by apply/seteqP; split=> x; rewrite /setC /mkset => /negP.
Qed.
Lemma bm_and f g : bm f -> bm g -> bm (fun x => f x && g x).
Proof.
move=> /bmE mf /bmE mg; apply: bmP; have := measurableI _ _ mf mg; congr (measurable _).
by apply/seteqP; split=> x; [move=> [h h']; exact/andP|move=> /andP[h h']].
Qed.
Lemma bm_or f g : bm f -> bm g -> bm (fun x => f x || g x).
Proof.
move=> mf mg; rewrite (_ : (fun x => _) = fun x => ~~ (~~ f x && ~~ g x)); last by apply/funext => x; rewrite negb_and !negbK.
by apply: bm_not; apply: bm_and; apply: bm_not.
Qed.
Lemma bm_le f g : rm f -> rm g -> bm (fun x => leR (f x) (g x)).
Proof.
move=> mf mg; rewrite (_ : (fun x => _) = fun x => ~~ ltR (g x) (f x)); first by apply: bm_not; exact: bm_lt.
by apply/funext => x; rewrite /leR /ltR; case: Rle_dec; case: Rlt_dec => //; lra.
Qed.
Lemma bm_eq f g : rm f -> rm g -> bm (fun x => eqR (f x) (g x)).
Proof.
move=> mf mg; rewrite (_ : (fun x => _) = fun x => leR (f x) (g x) && leR (g x) (f x)); first by apply: bm_and; exact: bm_le.
apply/funext => x; apply/idP/idP => [/eqRP ->|/andP[/leRP h /leRP h']]; last by apply/eqRP; exact: Rle_antisym.
by rewrite (proj2 (leRP _ _) (Rle_refl _)).
Qed.
Lemma bm_same f g : bm f -> bm g -> bm (fun x => Bool.eqb (f x) (g x)).
Proof.
move=> mf mg; rewrite (_ : (fun x => _) = fun x => (f x && g x) || (~~ f x && ~~ g x)); last by apply/funext => x; case: (f x); case: (g x).
by apply: bm_or; apply: bm_and => //; exact: bm_not.
Qed.
Lemma rm_if g f h : bm g -> rm f -> rm h -> rm (fun x => if g x then f x else h x).
Proof. exact: measurable_fun_ifT. Qed.
Lemma bm_if g f h : bm g -> bm f -> bm h -> bm (fun x => if g x then f x else h x).
Proof. exact: measurable_fun_ifT. Qed.
Lemma rm_max f g : rm f -> rm g -> rm (fun x => Rmax (f x) (g x)).
Proof.
move=> mf mg; rewrite (_ : (fun x => _) = fun x => if leR (f x) (g x) then g x else f x); first by apply: rm_if => //; exact: bm_le.
by apply/funext => x; rewrite /Rmax /leR; case: Rle_dec.
Qed.
Lemma rm_min f g : rm f -> rm g -> rm (fun x => Rmin (f x) (g x)).
Proof.
move=> mf mg; rewrite (_ : (fun x => _) = fun x => if leR (f x) (g x) then f x else g x); first by apply: rm_if => //; exact: bm_le.
by apply/funext => x; rewrite /Rmin /leR; case: Rle_dec.
Qed.
Lemma rm_clamp f g h : rm f -> rm g -> rm h -> rm (fun x => clamp (f x) (g x) (h x)).
Proof. by move=> mf mg mh; apply: rm_max => //; exact: rm_min. Qed.
(* integers, as numbers *)
Lemma rm_whole f g : (forall x, IZR (f x) = g x) -> rm g -> rm (fun x => IZR (f x)).
Proof. by move=> e; rewrite (_ : (fun x => IZR _) = g)//; exact/funext. Qed.
Lemma rm_plusZ f g : rm (fun x => IZR (f x)) -> rm (fun x => IZR (g x)) -> rm (fun x => IZR (f x + g x)%Z).
Proof. by move=> mf mg; apply: rm_whole (rm_plus mf mg) => x; exact: plus_IZR. Qed.
Lemma rm_minusZ f g : rm (fun x => IZR (f x)) -> rm (fun x => IZR (g x)) -> rm (fun x => IZR (f x - g x)%Z).
Proof. by move=> mf mg; apply: rm_whole (rm_minus mf mg) => x; exact: minus_IZR. Qed.
Lemma rm_timesZ f g : rm (fun x => IZR (f x)) -> rm (fun x => IZR (g x)) -> rm (fun x => IZR (f x * g x)%Z).
Proof. by move=> mf mg; apply: rm_whole (rm_times mf mg) => x; exact: mult_IZR. Qed.
Lemma rm_negZ f : rm (fun x => IZR (f x)) -> rm (fun x => IZR (- f x)%Z).
Proof. by move=> mf; apply: rm_whole (rm_neg mf) => x; exact: opp_IZR. Qed.
Lemma rm_ifZ g f h : bm g -> rm (fun x => IZR (f x)) -> rm (fun x => IZR (h x)) -> rm (fun x => IZR (if g x then f x else h x)).
Proof. by move=> mg mf mh; apply: rm_whole (rm_if mg mf mh) => x; case: (g x). Qed.
Lemma rm_floorZ f : rm f -> rm (fun x => IZR (Zfloor (f x))). Proof. exact: rm_floor. Qed.
(* by the form of the expression; nothing is computed *)
Ltac readable := cbv beta; lazymatch goal with
  | |- rm (fun x => cell x ?n) => exact (rm_cell n)
  | |- rm (fun _ => ?c) => exact (rm_const c)
  | |- bm (fun _ => ?b) => exact (bm_const b)
  | |- rm (fun x => @?f x + @?g x) => refine (@rm_plus f g _ _); readable
  | |- rm (fun x => @?f x - @?g x) => refine (@rm_minus f g _ _); readable
  | |- rm (fun x => @?f x * @?g x) => refine (@rm_times f g _ _); readable
  | |- rm (fun x => @?f x / @?g x) => refine (@rm_over f g _ _); readable
  | |- rm (fun x => - @?f x) => refine (@rm_neg f _); readable
  | |- rm (fun x => / @?f x) => refine (@rm_inv f _); readable
  | |- rm (fun x => inv (@?f x)) => refine (@rm_inv f _); readable
  | |- rm (fun x => ln_ (@?f x)) => refine (@rm_ln f _); readable
  | |- rm (fun x => exp (@?f x)) => refine (@rm_exp f _); readable
  | |- rm (fun x => Rabs (@?f x)) => refine (@rm_abs f _); readable
  | |- rm (fun x => floor_ (@?f x)) => refine (@rm_floor f _); readable
  | |- rm (fun x => Rmax (@?f x) (@?g x)) => refine (@rm_max f g _ _); readable
  | |- rm (fun x => Rmin (@?f x) (@?g x)) => refine (@rm_min f g _ _); readable
  | |- rm (fun x => clamp (@?f x) (@?g x) (@?h x)) => refine (@rm_clamp f g h _ _ _); readable
  | |- rm (fun x => IZR (Zfloor (@?f x))) => refine (@rm_floorZ f _); readable
  | |- rm (fun x => IZR (@?f x + @?g x)%Z) => refine (@rm_plusZ f g _ _); readable
  | |- rm (fun x => IZR (@?f x - @?g x)%Z) => refine (@rm_minusZ f g _ _); readable
  | |- rm (fun x => IZR (@?f x * @?g x)%Z) => refine (@rm_timesZ f g _ _); readable
  | |- rm (fun x => IZR (- @?f x)%Z) => refine (@rm_negZ f _); readable
  | |- bm (fun x => leR (@?f x) (@?g x)) => refine (@bm_le f g _ _); readable
  | |- bm (fun x => ltR (@?f x) (@?g x)) => refine (@bm_lt f g _ _); readable
  | |- bm (fun x => eqR (@?f x) (@?g x)) => refine (@bm_eq f g _ _); readable
  | |- bm (fun x => @?f x && @?g x) => refine (@bm_and f g _ _); readable
  | |- bm (fun x => @?f x || @?g x) => refine (@bm_or f g _ _); readable
  | |- bm (fun x => ~~ @?f x) => refine (@bm_not f _); readable
  | |- bm (fun x => Bool.eqb (@?f x) (@?g x)) => refine (@bm_same f g _ _); readable
  | |- _ => first [eapply rm_if; [readable|readable|readable] | eapply rm_ifZ; [readable|readable|readable] | eapply bm_if; [readable|readable|readable]]
  end.

(* ---- programs ---- *)
Section Programs.
Variables (I V : Type) (enc : memory -> V).
Notation S := (I * V)%type.
Notation prog := (stmt RR S).
(* every state of the variables is in some memory *)
Hypothesis held : forall v, exists x, enc x = v.
Definition good (f : S -> \bar RR) : Prop := forall i, @measurable_fun _ _ memory _ setT (fun x => f (i, enc x)).
Definition add (c : prog) := additive good c.
Lemma good0 : good (fun=> 0)%E. Proof. by move=> i; exact: measurable_fun_cst. Qed.

Lemma a_skip : add (skip_ I V). Proof. exact: additive_skip. Qed.
Lemma a_seq c d : add c -> add d -> add (seq_ c d). Proof. exact: additive_seq. Qed.
Lemma a_if (g : I -> V -> bool) c d : (forall i, bm (fun x => g i (enc x))) -> add c -> add d -> add (if_ g c d).
Proof.
move=> mg; apply: additive_if => f h mf mh i; rewrite /=.
by apply: measurable_fun_ifT; [exact: mg|exact: mf|exact: mh].
Qed.
Lemma a_for from to (c : Z -> prog) : (forall i, add (c i)) -> add (for_ from to c).
Proof. by move=> mc; apply: additive_for => i; exact: mc. Qed.

(* a variable is set *)
Lemma with_measurable d (T : measurableType d) (x : T -> memory) (y : T -> R) n :
  measurable_fun setT x -> @measurable_fun _ _ T TT setT y -> measurable_fun setT (fun t => with_ (x t) n (y t) : memory).
Proof.
move=> mx my; apply: to_memory => m; rewrite /with_; case: (Nat.eqb m n) => //.
exact: (measurable_fun_comp (@cell_measurable m) mx).
Qed.
Lemma a_set (u : I -> V -> V) n (e : I -> memory -> R) : (forall i x, enc (with_ x n (e i x)) = u i (enc x)) -> (forall i, rm (e i)) -> add (set_ u).
Proof.
move=> ue me; apply: additive_assign => f mf i /=.
rewrite (_ : (fun x => _) = (fun x => f (i, enc x)) \o (fun x => with_ x n (e i x))); last by apply/funext => x /=; rewrite ue.
apply: (measurable_fun_comp (mf i)); apply: with_measurable; [exact: measurable_fun_id|exact: me].
Qed.

Lemma a_setR n (put : V -> R -> V) (e : I -> V -> R) : (forall (x : memory) (y : R), enc (with_ x n y) = put (enc x) y) ->
  (forall i, rm (fun x => e i (enc x))) -> add (set_ (fun i v => put v (e i v))).
Proof. by move=> putE me; apply: (a_set (e := fun i x => e i (enc x))) => // i x; exact: putE. Qed.
Lemma a_setZ n (put : V -> Z -> V) (e : I -> V -> Z) : (forall (x : memory) (y : Z), enc (with_ x n (IZR y)) = put (enc x) y) ->
  (forall i, rm (fun x => IZR (e i (enc x)))) -> add (set_ (fun i v => put v (e i v))).
Proof. by move=> putE me; apply: (a_set (e := fun i x => IZR (e i (enc x)))) => // i x; exact: putE. Qed.
Lemma a_setB n (put : V -> bool -> V) (e : I -> V -> bool) :
  (forall (x : memory) (y : bool), enc (with_ x n (if y then 1 else 0)) = put (enc x) y) ->
  (forall i, bm (fun x => e i (enc x))) -> add (set_ (fun i v => put v (e i v))).
Proof.
move=> putE me; apply: (a_set (e := fun i x => if e i (enc x) then 1 else 0)) => [i x|i]; first exact: putE.
by apply: rm_if; [exact: me|exact: rm_const|exact: rm_const].
Qed.

(* a real is drawn from a law with a density that does not depend on the variables *)
Section Draw.
Variables (n : nat) (put : V -> R -> V).
Hypothesis putE : forall (x : memory) (y : R), enc (with_ x n y) = put (enc x) y.
Let leb : ({measure set TT -> \bar RR})%R := [the measure _ _ of @lebesgue_measure RR].
Lemma a_density (w : I -> TT -> RR) (w0 : forall i y, (0 <= w i y)%R) (mw : forall i, @measurable_fun _ _ TT TT setT (w i)) :
  add (draw_ (fun i _ => wdlaw leb (w0 i) (mw i)) put).
Proof.
have mp i : @measurable_fun _ _ TT _ setT (fun y => (wp_ leb (w i) y)%:E) by apply/EFin_measurable_fun; exact: (wp_meas leb (mw i)).
have p0 i y : (0 <= (wp_ leb (w i) y)%:E)%E by rewrite lee_fin; exact: (wp_ge0_ leb (w0 i)).
split=> [f f0 gf i|f_ f0 gf].
  pose F (z : memory * TT) : \bar RR := ((wp_ leb (w i) z.2)%:E * f (i, enc (with_ z.1 n z.2)))%E.
  rewrite (_ : (fun x => _) = fubini_F leb F); last first.
    by apply/funext => x; rewrite /fubini_F /F /=; apply: eq_integral => y _; rewrite putE.
  apply: (measurable_fun_fubini_tonelli_F (leb_sigma_finite RR)).
    apply: emeasurable_funM; first exact: (measurable_fun_comp (mp i) (@msnd _ _ memory TT)).
    apply: (measurable_fun_comp (gf i)); apply: with_measurable; [exact: mfst|exact: msnd].
  by move=> z; apply: mule_ge0; [exact: p0|exact: f0].
apply/funext => -[i v]; have [x <-] := held v; rewrite /= /dev.
have mf k : @measurable_fun _ _ TT _ setT (fun y => f_ k (i, put (enc x) y)).
  rewrite (_ : (fun y => _) = (fun z => f_ k (i, enc z)) \o (fun y => with_ x n y)); last by apply/funext => y /=; rewrite putE.
  by apply: (measurable_fun_comp (gf k i)); apply: with_measurable; [exact: measurable_fun_cst|exact: measurable_fun_id].
rewrite -integral_nneseries//; last first.
- by move=> k y _; apply: mule_ge0; [exact: p0|exact: f0].
- by move=> k; apply: emeasurable_funM; [exact: mp|exact: mf].
by apply: eq_integral => y _; rewrite nneseriesrM// => k _; exact: f0.
Qed.
Lemma a_laplace (center scale : I -> R) : add (draw_ (fun i _ => laplace_ (center i) (scale i)) put).
Proof. exact: (@a_density (fun i => lap_w (center i) (scale i))). Qed.
Lemma a_exponential (scale : I -> R) : add (draw_ (fun i _ => exponential_ (scale i)) put).
Proof. exact: (@a_density (fun i => exp_w (scale i))). Qed.
Lemma a_uniform : add (draw_ (fun _ _ => uniform_) put).
Proof. exact: (@a_density (fun=> @uni_w RR)). Qed.
End Draw.
End Programs.
