(* What DENSITY asks of the first run's tests (Paths.v, measured), from what they are at the ends: expectations along a way are measurable in each draw if the test, as a function of all draws, is measurable at every
   end (measured_jointly).  The draws have the smallest sigma-algebra in which each of them is measurable; so a test of a program's last state is good where that state is a measurable function of the draws. *)
From Probity Require Import PreludeIntegral Judgement Laws Density Continuous Plane Spread Paths PathsRule.
Local Open Scope classical_set_scope.
Local Open Scope ring_scope.
Local Open Scope ereal_scope.

Section Measured.
Variables (R : realType) (S L : Type).
Notation T := (measurableTypeR R).
Notation way := (@way R S L).
Let leb : {measure set T -> \bar R} := [the measure _ _ of @lebesgue_measure R].
Definition each_draw : set (set (draws R)) := fun A => exists n (B : set T), measurable B /\ A = (fun x => B (x n)).
Definition all_draws := [the measurableType _ of salgebraType each_draw].
Lemma draw_measurable n : @measurable_fun _ _ all_draws T setT (fun x => x n).
Proof. by move=> _ B mB; rewrite setTI; apply: sub_sigma_algebra; exists n, B. Qed.
Lemma to_draws d (A : measurableType d) (h : A -> all_draws) :
  (forall n, @measurable_fun _ _ A T setT (fun t => (h t : draws R) n)) -> measurable_fun setT h.
Proof.
move=> mh; apply: (@measurability _ _ A all_draws setT h each_draw) => //.
by move=> _ [_ [n [B [mB ->]]] <-]; exact: mh.
Qed.
Lemma drawn_measurable d (A : measurableType d) (x : A -> all_draws) (u : A -> T) n :
  measurable_fun setT x -> measurable_fun setT u -> measurable_fun setT (fun t => drawn (x t) n (u t) : all_draws).
Proof.
move=> mx mu; apply: to_draws => m; rewrite /drawn; case: (m == n) => //.
exact: (measurable_fun_comp (draw_measurable m) mx).
Qed.

Lemma along_measurable (f : S -> \bar R) (w : way) n : nneg f -> proper w n ->
  @measurable_fun _ _ all_draws _ setT (fun x => f (leaf w x)) -> @measurable_fun _ _ all_draws _ setT (fun x => along w n f x).
Proof.
move=> f0; elim: w n => [h l|p w IH|w IH|j q w IH] n //=.
- by move=> [_ pw] mf; apply: emeasurable_funM; [exact: measurable_fun_cst|exact: IH].
- move=> pw mf; pose F (z : all_draws * T) : \bar R := ((uni_w z.2)%:E * along w n.+1 f (drawn z.1 n z.2)).
  rewrite (_ : (fun x => _) = fubini_F leb F); last by apply/funext => x; rewrite uniformE.
  apply: (measurable_fun_fubini_tonelli_F (leb_sigma_finite R)).
    apply: emeasurable_funM.
      by apply/EFin_measurable_fun; apply: (measurable_fun_comp (@uni_w_meas R)); exact: msnd.
    apply: (measurable_fun_comp (IH _ pw mf)); apply: drawn_measurable; [exact: mfst|exact: msnd].
  by move=> z; apply: mule_ge0; [rewrite lee_fin uni_w0|exact: along_ge0].
- move=> [jn mq pw] mf; apply: measurable_fun_ifT; last 2 first.
  + exact: IH.
  + exact: measurable_fun_cst.
  have mb : @measurable_fun _ _ T _ setT q by exact: (@measurable_fun_bool _ T setT q true).
  exact: (measurable_fun_comp mb (draw_measurable j)).
Qed.
Theorem measured_jointly (f : S -> \bar R) (w : way) n : nneg f -> proper w n ->
  @measurable_fun _ _ all_draws _ setT (fun x => f (leaf w x)) -> measured f w n.
Proof.
move=> f0; elim: w n => [h l|p w IH|w IH|j q w IH] n //=; [by move=> [_ pw]; exact: IH| |by move=> [_ _ pw]; exact: IH].
move=> pw mf; split=> [x|]; last exact: IH.
apply: (measurable_fun_comp (along_measurable f0 pw mf)); apply: drawn_measurable; first exact: measurable_fun_cst.
exact: measurable_fun_id.
Qed.
End Measured.
