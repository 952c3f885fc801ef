(* CHAIN and ALIKE (trusted/kernel/src/rules/chain.rs) in the shape in which exported certificates apply them: what is known is carried forward over a program, link by link.

   An assertion of a chain has no arbitrary values.  A link that is proved by itself (j_judged) is FRAME: theta is what is known besides, and speaks neither of what the link sets (kept says what it
   does not) nor of the cost.  Links that both runs do alike are steps with the same facts before and after, as far as they stay: an assignment (j_alike_set), a conditional that both runs take the same way (j_alike_if),
   one that each takes as it likes (j_alike_each), a loop (j_alike_for).  j_blocks puts several statements in front of others.  Read: j_judged. *)
From Probity Require Import PreludeReals.
From Probity Require Import Laws Certificate Blocks.
From Probity Require Rules.
Open Scope R_scope.

Section Chain.
Variables (I V : Type) (i1 i2 : I).
Notation S := (I * V)%type.
Notation prog := (stmt RR S).
Notation known := (V -> V -> R -> bool).
Notation given F := (fun (_ : arb) v v' k => F v v' k).
Notation JJ c F G := (@J I V i1 i2 0 c (given F) (given G)).
Implicit Types (F G P Q : known) (c d : prog).

Lemma j_between c F P Q G : (forall v v' k, F v v' k = true -> P v v' k = true) -> (forall v v' k, Q v v' k = true -> G v v' k = true) ->
  JJ c P Q -> JJ c F G.
Proof.
move=> FP QG Jc; apply: (j_strengthen (P := given P)) => [a v v' k /(_ arb0)/FP//|].
by apply: (j_weaken (Q := given Q)) Jc => a v v' k /(_ arb0)/QG.
Qed.
Lemma j_imply F G : (forall v v' k, F v v' k = true -> G v v' k = true) -> JJ (skip_ I V) F G.
Proof. by move=> FG; apply: (@j_between _ F F F G _ FG) => //; exact: j_skip. Qed.

Theorem j_judged (kept : V -> V -> Prop) c F P Q (theta : V -> V -> bool) G : @only I V kept c ->
  (forall v v' t t', kept v t -> kept v' t' -> theta v v' = true -> theta t t' = true) ->
  (forall v v' k, F v v' k = true -> P v v' k && theta v v' = true) ->
  (forall v v' k, Q v v' k && theta v v' = true -> G v v' k = true) ->
  JJ c P Q -> JJ c F G.
Proof.
move=> loc stay before after Jc.
have stays (m m' s s' : S) : theta m.2 m'.2 = true -> agree kept m s -> agree kept m' s' -> theta s.2 s'.2 = true.
  by move=> th [_ ks] [_ ks']; exact: stay th.
have W := @Rules.frame RR S 0%R c _ _ (agree kept) (fun s s' => theta s.2 s'.2 = true) loc stays Jc.
apply: Rules.strengthen (Rules.weaken _ W).
  move=> s s' k [e [e' H]]; have /and_true[p t] := before _ _ _ (H arb0); split; last exact: t.
  by split; [exact: e|split; [exact: e'|move=> _; exact: p]].
by move=> s s' k [[e [e' H]] th]; split; [|split] => // a; apply: after; rewrite (H a) th.
Qed.

(* ALIKE *)
Lemma j_alike_set (u : I -> V -> V) F G : (forall v v' k, F v v' k = true -> G (u i1 v) (u i2 v') k = true) -> JJ (set_ u) F G.
Proof. by move=> FG; apply: (j_strengthen _ (@j_set I V i1 i2 u (given G))) => a v v' k /(_ arb0)/FG. Qed.
Lemma j_alike_if (g : I -> V -> bool) c d F G : (forall v v' k, F v v' k = true -> g i1 v = g i2 v') -> JJ c F G -> JJ d F G -> JJ (if_ g c d) F G.
Proof. by move=> gg Jc Jd; apply: (j_if_general Jc Jd) => v v' k H; split=> [|_ a|_ a]; [exact: gg (H arb0)|exact: (H arb0)|exact: (H arb0)]. Qed.
Lemma j_alike_each (kept : V -> V -> Prop) c F G : Rules.draw_free c = true -> @only I V kept c ->
  (forall v v' t t' k, kept v t -> kept v' t' -> F v v' k = true -> G t t' k = true) -> JJ c F G.
Proof.
move=> free loc stay f h f0 f1 h0 rel m m' k [e [e' H]]; rewrite adde0 !Rules.wp_run//.
have goes (s : S) : agree kept s (Rules.run c s).
  have [//|no] := boolp.pselect (agree kept s (Rules.run c s)).
  pose bad (t : S) : \bar RR := if boolp.asbool (agree kept s t) then 0%E else 1%E.
  have b0 : nneg bad by move=> t; rewrite /bad; case: ifP => _; rewrite ?lee01.
  have := loc s bad (fun=> 0%E) b0 (fun=> lexx _); rewrite !Rules.wp_run//= {2}/bad boolp.asboolF// => E.
  have : (1%E : \bar RR) = 0%E by apply: E => t st; rewrite /bad boolp.asboolT.
  by move=> /eqP; rewrite onee_eq0.
have [em km] := goes m; have [em' km'] := goes m'.
apply: rel; split; [by rewrite -em|split; [by rewrite -em'|]] => a /=; exact: stay km km' (H a).
Qed.
Lemma j_alike_for from to (c : Z -> prog) F : (forall i, JJ (c i) F F) -> JJ (for_ from to c) F F.
Proof.
move=> Jc; have [ft|nft] := boolP (int_of_Z from <= int_of_Z to)%R.
  have := @Rules.for_loop RR S 0%R (int_of_Z from) (int_of_Z to) (fun i => c (Z_of_int i)) (fun=> at_ i1 i2 (given F)) (fun=> at_ i1 i2 (given F)) (lexx _) ft.
  by rewrite mulr0; apply=> // i; exact: Jc.
by move=> f h f0 f1 h0 rel m m' k H; rewrite adde0 /= /rounds (negPf nft); exact: rel.
Qed.

(* several statements, and what comes after them *)
Fixpoint then_ (l : list prog) (d : prog) : prog := match l with nil => d | cons c l => seq_ c (then_ l d) end.
Lemma j_blocks l d (P T Q : bassn V) : J i1 i2 0 (then_ l (skip_ I V)) P T -> J i1 i2 0 d T Q -> J i1 i2 0 (then_ l d) P Q.
Proof.
move=> Jl Jd; have E f m : wp (then_ l d) f m = wp (seq_ (then_ l (skip_ I V)) d) f m.
  elim: l {Jl} f m => [//|c l IH] f m /=; congr (wp c _ m); apply/funext => s; exact: IH.
by move=> f h f0 f1 h0 rel m m' k H; rewrite !E; exact: (j_seq Jl Jd).
Qed.

(* what a loop changes *)
Lemma o_for (kept : V -> V -> Prop) from to (c : Z -> prog) : (forall v, kept v v) -> (forall u v w, kept u v -> kept v w -> kept u w) ->
  (forall i, @only I V kept (c i)) -> only kept (for_ from to c).
Proof.
move=> refl trans oc; apply: Rules.local_for => [s|s t r [a b] [e f]|i]; [by split; [|exact: refl]|by split; [rewrite a|exact: trans b f]|exact: oc].
Qed.
Lemma o_while (kept : V -> V -> Prop) g (c : prog) : (forall v, kept v v) -> (forall u v w, kept u v -> kept v w -> kept u w) ->
  @only I V kept c -> only kept (while_ g c).
Proof.
by move=> refl trans oc; apply: Rules.local_while => [s|s t r [a b] [e f]|//]; split=> //; [rewrite a|exact: trans b f].
Qed.
End Chain.

(* facts that are among others *)
Ltac apart_all := repeat match goal with h : _ && _ = true |- _ => apply and_true in h; destruct h end.
Ltac pick := intros; cbv beta in *; apart_all; repeat (apply andb_true_intro; split); first [assumption|reflexivity].
(* variables that are equal in both runs *)
Ltac alike_variables := repeat match goal with
  | h : eqR (IZR ?x) (IZR ?y) = true |- _ => is_var x; is_var y; apply eqRP in h; apply eq_IZR in h; subst y
  | h : eqR ?x ?y = true |- _ => is_var x; is_var y; apply eqRP in h; subst y
  | h : Bool.eqb ?x ?y = true |- _ => is_var x; is_var y; apply Bool.eqb_prop in h; subst y
  | h : same ?x ?y = true |- _ => is_var x; is_var y; apply sameP in h; subst y
  end.
(* inputs that are *)
Ltac alike_inputs := repeat match goal with
  | h : eqR (IZR ?x) (IZR ?y) = true |- context [?y] => let e := fresh in pose proof (eq_IZR _ _ (proj1 (eqRP _ _) h)) as e; clear h; rewrite <- e
  | h : eqR ?x ?y = true |- context [?y] => let e := fresh in pose proof (proj1 (eqRP _ _) h) as e; clear h; rewrite <- e
  | h : Bool.eqb ?x ?y = true |- context [?y] => let e := fresh in pose proof (Bool.eqb_prop _ _ h) as e; clear h; rewrite <- e
  | h : same ?x ?y = true |- context [?y] => let e := fresh in pose proof (proj1 (sameP _ _) h) as e; clear h; rewrite <- e
  end.
Ltac alike_one := first [assumption|reflexivity|apply eqRP; reflexivity|apply Bool.eqb_true_iff; reflexivity|apply sameP; reflexivity].
Ltac alike_goal := repeat (apply andb_true_intro; split); first [alike_one|alike_inputs; alike_one].
