(* PW-EQ and ONE-SIDED for exported certificates.

   PW-EQ (j_pointwise): for each output r a judgement with "if the first output is r then so is the second, and the cost is at most epsilon"; outputs are countable, and the
   program is countably additive on the tests of Memory.v, which contain the indicator of each output.
   ONE-SIDED (j_one_sided): a statement without draws, each run on its own.  first_ c P Q says that P in the first run gives Q after c there, and second_ the
   same of the second run; their lemmas are the preconditions that the kernel computes. *)
From Probity Require Import PreludeReals.
From mathcomp.classical Require Import functions.
From mathcomp.analysis Require Import measure lebesgue_measure numfun lebesgue_integral.
From Probity Require Import Additive Certificate CertificateRho.
From Probity Require Export Memory.
From Probity Require Rules.
Open Scope R_scope.

Section OneSided.
Variables (I V : Type) (i1 i2 : I).
Notation S := (I * V)%type.
Notation prog := (stmt RR S).
(* c draws nothing, and takes the variables v to t in the run with inputs i *)
Definition steps (i : I) (c : prog) (v t : V) := Rules.draw_free c = true /\ Rules.run c (i, v) = (i, t).
Definition first_ (c : prog) (P Q : bassn V) := forall v, exists t, steps i1 c v t /\ forall a v' k, P a v v' k = true -> Q a t v' k = true.
Definition second_ (c : prog) (P Q : bassn V) := forall v', exists t, steps i2 c v' t /\ forall a v k, P a v v' k = true -> Q a v t k = true.

Lemma first_skip Q : first_ (skip_ I V) Q Q. Proof. by move=> v; exists v. Qed.
Lemma second_skip Q : second_ (skip_ I V) Q Q. Proof. by move=> v; exists v. Qed.
Lemma first_set u Q : first_ (set_ u) (fun a v v' k => Q a (u i1 v) v' k) Q. Proof. by move=> v; exists (u i1 v). Qed.
Lemma second_set u Q : second_ (set_ u) (fun a v v' k => Q a v (u i2 v') k) Q. Proof. by move=> v; exists (u i2 v). Qed.
Lemma steps_seq i c d v s t : steps i c v s -> steps i d s t -> steps i (seq_ c d) v t.
Proof. by move=> [fc rc] [fd rd]; split; rewrite /= ?fc ?fd// rc. Qed.
Lemma first_seq c d P T Q : first_ d T Q -> first_ c P T -> first_ (seq_ c d) P Q.
Proof.
move=> Hd Hc v; have [s [vs PT]] := Hc v; have [t [st TQ]] := Hd s.
by exists t; split=> [|a v' k /PT/TQ//]; exact: steps_seq st.
Qed.
Lemma second_seq c d P T Q : second_ d T Q -> second_ c P T -> second_ (seq_ c d) P Q.
Proof.
move=> Hd Hc v; have [s [vs PT]] := Hc v; have [t [st TQ]] := Hd s.
by exists t; split=> [|a v' k /PT/TQ//]; exact: steps_seq st.
Qed.
Lemma steps_if i (g : I -> V -> bool) c d v s t : steps i c v s -> steps i d v t -> steps i (if_ g c d) v (if g i v then s else t).
Proof. by move=> [fc rc] [fd rd]; split; rewrite /= ?fc ?fd// rc rd; case: (g i v). Qed.
Lemma first_if (g : I -> V -> bool) c d P T Q : first_ c P Q -> first_ d T Q ->
  first_ (if_ g c d) (fun a v v' k => (~~ g i1 v || P a v v' k) && (g i1 v || T a v v' k)) Q.
Proof.
move=> Hc Hd v; have [s [vs PQ]] := Hc v; have [t [vt TQ]] := Hd v.
exists (if g i1 v then s else t); split=> [|a v' k]; first exact: steps_if.
by case: (g i1 v) => /and_true[h h']; [exact: PQ h|exact: TQ h'].
Qed.
Lemma second_if (g : I -> V -> bool) c d P T Q : second_ c P Q -> second_ d T Q ->
  second_ (if_ g c d) (fun a v v' k => (~~ g i2 v' || P a v v' k) && (g i2 v' || T a v v' k)) Q.
Proof.
move=> Hc Hd v; have [s [vs PQ]] := Hc v; have [t [vt TQ]] := Hd v.
exists (if g i2 v then s else t); split=> [|a v' k]; first exact: steps_if.
by case: (g i2 v) => /and_true[h h']; [exact: PQ h|exact: TQ h'].
Qed.
(* both branches have the same precondition *)
Lemma first_if_same (g : I -> V -> bool) c d P Q : first_ c P Q -> first_ d P Q -> first_ (if_ g c d) P Q.
Proof.
move=> Hc Hd v; have [s [vs PQ]] := Hc v; have [t [vt TQ]] := Hd v.
exists (if g i1 v then s else t); split=> [|a v' k]; first exact: steps_if.
by case: (g i1 v) => /=; [exact: PQ|exact: TQ].
Qed.
Lemma second_if_same (g : I -> V -> bool) c d P Q : second_ c P Q -> second_ d P Q -> second_ (if_ g c d) P Q.
Proof.
move=> Hc Hd v; have [s [vs PQ]] := Hc v; have [t [vt TQ]] := Hd v.
exists (if g i2 v then s else t); split=> [|a v' k]; first exact: steps_if.
by case: (g i2 v) => /=; [exact: PQ|exact: TQ].
Qed.
Theorem j_one_sided c P T Q : first_ c T Q -> second_ c P T -> J i1 i2 0 c P Q.
Proof.
move=> H1 H2 f F f0 f1 F0 H [i v] [i' v'] k [/= -> [-> HP]].
have [t [[fc rc] TQ]] := H1 v; have [t' [[_ rc'] PT]] := H2 v'.
rewrite adde0 !Rules.wp_run// rc rc'; apply: H; split; [|split] => // a /=.
by apply/TQ/PT; exact: HP.
Qed.
(* in rho and mu *)
Theorem zj_one_sided (M : reading RR) c P T Q : first_ c T Q -> second_ c P T -> zJ M i1 i2 c P Q.
Proof.
move=> H1 H2 a a0 f F f0 F0 H [i v] [i' v'] k [/= -> [-> HP]].
have [t [[fc rc] TQ]] := H1 v; have [t' [[_ rc'] PT]] := H2 v'.
rewrite !Rules.wp_run// rc rc'; apply: H; split; [|split] => // b /=.
by apply/TQ/PT; exact: HP.
Qed.
End OneSided.

Section Pointwise.
Variables (I V : Type) (i1 i2 : I) (enc : memory -> V).
Notation S := (I * V)%type.
Notation prog := (stmt RR S).
Theorem j_pointwise (O : countType) (out : I -> V -> O) (eps delta : R) (c : prog) (goal : O -> V -> V -> R -> bool) (m m' : S) :
  m.1 = i1 -> m'.1 = i2 ->
  (forall r v v' k, goal r v v' k = true -> out i1 v = r -> out i2 v' = r /\ k <= eps) -> 0 <= delta ->
  add enc c -> (forall i r, exists g, bm g /\ forall x, g x = true <-> out i (enc x) = r) ->
  (forall r, exists P, J i1 i2 0 c P (fun _ v v' k => goal r v v' k) /\ forall a v v' k, eqR k 0 = true -> P a v v' k = true) ->
  @dp RR S O (fun s => out s.1 s.2) c eps delta m m'.
Proof.
move=> e e' last d0 ac mout J; apply: (@any_delta RR S O _ 0%R); first exact/RleP.
have [P HP] := choice J.
apply: (@pw_eq RR S (@good I V enc) (@good0 I V enc) O (fun s => out s.1 s.2) eps c (fun r => at_ i1 i2 (P r))) => //.
- move=> r i; have [g [mg gE]] := mout i r; rewrite /ind /=.
  rewrite (_ : (fun x => _) = fun x => if g x then 1%E else 0%E).
    by apply: measurable_fun_ifT => //; exact: measurable_fun_cst.
  apply/funext => x; case: asboolP => h; first by rewrite (proj2 (gE x) h).
  by case E : (g x) => //; case: h; apply/gE.
- move=> r; apply: Rules.weaken (HP r).1 => s s' k [-> [-> H]] o.
  by have [? ?] := last _ _ _ _ (H arb0) o; split=> //; exact/RleP.
- by move=> r; split; [|split] => // a; apply: (HP r).2; exact/eqRP.
Qed.
End Pointwise.

(* what an integer's and a boolean's cell are read as *)
Lemma flag (b : bool) : ltR 0 (if b then 1 else 0) = b.
Proof. by case: b; [apply/ltRP; lra|apply/ltRN; lra]. Qed.
Definition intO : countType := [countType of Z].
Definition boolO : countType := [countType of bool].
(* outputs are read from the memory *)
Lemma out_int (f : memory -> Z) (r : Z) : rm (fun x => IZR (f x)) -> exists g, bm g /\ forall x, g x = true <-> f x = r.
Proof.
move=> mf; exists (fun x => eqR (IZR (f x)) (IZR r)); split; first by apply: bm_eq => //; exact: rm_const.
by move=> x; rewrite eqRP; split=> [/eq_IZR|->].
Qed.
Lemma out_bool (f : memory -> bool) (r : bool) : bm f -> exists g, bm g /\ forall x, g x = true <-> f x = r.
Proof.
move=> mf; exists (fun x => Bool.eqb (f x) r); split; first by apply: bm_same => //; exact: bm_const.
by move=> x; rewrite Bool.eqb_true_iff.
Qed.
