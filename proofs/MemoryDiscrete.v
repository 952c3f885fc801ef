(* Countably additive expectations of programs over a memory of reals (Memory.v) that also draw from laws with countably many values, or have while loops.

   What a draw with the masses p makes of a test is the sum over its values, p times the test with the value in its cell; the masses may depend on the memory, as the probability of a coin does.  So
   the measurable tests are kept, and expectations add up on them (a_countable, a_coin, a_discrete_laplace, a_geometric); a while loop is the sum of its rounds (a_while).
   Read: the statements of the theorems. *)
From Probity Require Import PreludeReals.
From mathcomp.classical Require Import classical_sets functions.
From mathcomp.analysis Require Import esum measure lebesgue_measure numfun lebesgue_integral.
From Probity Require Import Laws Additive Certificate Blocks Memory.
Open Scope R_scope.

Section Programs.
Variables (I V : Type) (enc : memory -> V).
Notation S := (I * V)%type.
Notation good := (@good I V enc).
Notation add := (@add I V enc).

Lemma good_sum (f_ : nat -> S -> \bar RR) : (forall i, nneg (f_ i)) -> (forall i, good (f_ i)) -> good (fun s => \sum_(i <oo) f_ i s)%E.
Proof. by move=> f0 gf i; apply: ge0_emeasurable_fun_sum => [k x|k]; [exact: f0|exact: gf]. Qed.
Theorem a_while (g : I -> V -> bool) c : (forall i, bm (fun x => g i (enc x))) -> add c -> add (while_ g c).
Proof.
move=> mg ac; apply: additive_while => //; first exact: good0; first exact: good_sum.
by move=> f h mf mh i; apply: measurable_fun_ifT; [exact: mg|exact: mf|exact: mh].
Qed.

(* a law with countably many values a, of mass p a *)
Theorem a_countable (A : countType) (D : I -> V -> law RR A) (p : I -> V -> A -> R) (u : V -> A -> V) :
  (forall i v, additive_law (D i v)) ->
  (forall i v (f : A -> \bar RR) b, (forall a, 0 <= f a)%E -> D i v (fun a => if a == b then f a else 0)%E = ((p i v b : RR)%:E * f b)%E) ->
  (forall i b, rm (fun x => p i (enc x) b)) ->
  (forall f b, good f -> good (fun s => f (s.1, u s.2 b))) -> add (draw_ D u).
Proof.
move=> aD mass mp mu; split=> [f f0 gf i|f_ f0 gf]; last first.
  by apply/funext => s /=; rewrite aD// => k a; exact: f0.
pose part n (s : S) : \bar RR := D s.1 s.2 (fun a => if pickle a == n then f (s.1, u s.2 a) else 0)%E.
have partE x : wp (draw_ D u) f (i, enc x) = (\sum_(n <oo) part n (i, enc x))%E.
  rewrite -[RHS](aD i (enc x) (fun n a => if pickle a == n then f (i, u (enc x) a) else 0)%E); last by move=> n a; case: ifP.
  rewrite /=; congr (ev _ _); apply/funext => a; rewrite (@series_only _ _ (pickle a)) ?eqxx// => [n|n nk]; first by case: ifP.
  by rewrite eq_sym (negPf nk).
rewrite (_ : (fun x => _) = fun x => (\sum_(n <oo) part n (i, enc x))%E); last exact/funext.
apply: ge0_emeasurable_fun_sum => [n x|n]; first by apply: ev_ge0 => a; case: ifP.
have [[b bn]|no] := pselect (exists b : A, pickle b = n).
  rewrite (_ : (fun x => _) = fun x => ((p i (enc x) b : RR)%:E * f (i, u (enc x) b))%E).
    apply: emeasurable_funM; last exact: (mu f b gf i).
    by apply/EFin_measurable_fun; exact: (mp i b).
  apply/funext => x; rewrite /part /= -(mass i (enc x) (fun a => f (i, u (enc x) a)))//.
  congr (ev _ _); apply/funext => a; rewrite -bn (inj_eq (pcan_inj (@pickleK A)))//.
rewrite (_ : (fun x => _) = fun=> 0%E); first exact: measurable_fun_cst.
apply/funext => x; rewrite /part (_ : (fun a => _) = fun=> 0%E) ?Judgement.ev0//.
by apply/funext => a; case: eqP => // e; case: no; exists a.
Qed.

(* a variable is set to a number *)
Lemma good_put n (r : R) (u : V -> V) f : (forall x : memory, enc (with_ x n r) = u (enc x)) -> good f -> good (fun s => f (s.1, u s.2)).
Proof.
move=> ue gf i; rewrite (_ : (fun x => _) = (fun x => f (i, enc x)) \o (fun x => with_ x n r)); last by apply/funext => x /=; rewrite ue.
by apply: (measurable_fun_comp (gf i)); apply: with_measurable; [exact: measurable_fun_id|exact: measurable_fun_cst].
Qed.
(* the mass of one value *)
Lemma mlaw_at (A : choiceType) (q : A -> RR) q0 q1 (f : A -> \bar RR) b : (forall a, 0 <= f a)%E ->
  (@mlaw RR A q q0 q1 (fun a => if a == b then f a else 0) = (q b)%:E * f b)%E.
Proof.
move=> f0; rewrite /= /mev -[RHS](@esum_set1 _ _ b (fun a => (q a)%:E * f a)%E); last by rewrite mule_ge0 ?lee_fin.
rewrite [RHS]esum_mkcond; apply: eq_esum => a _; have [->|ab] := eqVneq a b; first by rewrite mem_set.
by rewrite memNset ?mule0//; exact/eqP.
Qed.
Section Integers.
Variables (n : nat) (put : V -> Z -> V).
Hypothesis putE : forall (x : memory) (y : Z), enc (with_ x n (IZR y)) = put (enc x) y.
(* noise on the integers, with parameters that no draw decides *)
Lemma a_masses (w : I -> int -> RR) (w0 : forall i y, (0 <= w i y)%R) : add (drawZ_ (fun i _ => wlaw (w0 i)) put).
Proof.
apply: (a_countable (p := fun i _ => norm_mass (w i))) => [i v|i v f b f0|i b|f b gf].
- exact: additive_mlaw.
- exact: mlaw_at.
- exact: rm_const.
- exact: (@good_put n (IZR (Z_of_int b)) (fun v => put v (Z_of_int b)) f (fun x => putE x (Z_of_int b)) gf).
Qed.
Theorem a_discrete_laplace (center : I -> Z) (scale : I -> R) : add (drawZ_ (fun i _ => discrete_laplace_ (center i) (scale i)) put).
Proof. exact: (@a_masses (fun i => dlap_w (int_of_Z (center i)) (scale i))). Qed.
Theorem a_geometric (scale : I -> R) : add (drawZ_ (fun i _ => geometric_ (scale i)) put).
Proof. exact: (@a_masses (fun i => geo_w (scale i))). Qed.
End Integers.
(* a coin, with a probability that is measurable in the memory *)
Theorem a_coin (p : I -> V -> R) n (put : V -> bool -> V) : (forall (x : memory) (y : bool), enc (with_ x n (if y then 1 else 0)) = put (enc x) y) ->
  (forall i, rm (fun x => p i (enc x))) -> add (draw_ (fun i v => bernoulli_ (p i v)) put).
Proof.
move=> putE mp; pose mass i v (b : bool) := if leR 0 (p i v) && leR (p i v) 1 then (if b then p i v else 1 - p i v) else 0.
apply: (a_countable (p := mass)) => [i v|i v f b f0|i b|f b gf].
- exact: additive_flaw.
- rewrite /mass; have [/andP[p0 p1]|out] := boolP (leR 0 (p i v) && leR (p i v) 1).
    have r : (0 <= (p i v : RR) <= 1)%R by apply/andP; split; apply/RleP; exact/leRP.
    by rewrite /bernoulli_ bernoulliE//; case: b => /=; rewrite ?mule0 ?adde0 ?add0e.
  rewrite mul0e /bernoulli_ /bernoulli /= /fev /fine_list; case: ifP => // /and3P[/andP[/RleP p0 /RleP p1] _ _].
  by case/negP: out; apply/andP; split; exact/leRP.
- apply: rm_if; [by apply: bm_and; apply: bm_le => //; exact: rm_const| |exact: rm_const].
  by case: b; [exact: mp|apply: rm_minus => //; exact: rm_const].
- exact: (@good_put n (if b then 1 else 0) (fun v => put v b) f (fun x => putE x b) gf).
Qed.
End Programs.
