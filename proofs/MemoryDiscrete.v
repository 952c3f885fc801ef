(* Countably additive expectations of programs over a memory of reals (Memory.v) that also draw from laws with countably many values, or have while loops.

   What a draw with the masses p makes of a test is the sum over its values, p times the test with the value in its cell; the masses may depend on the memory, as the probability of a coin does.  So
   the measurable tests are kept, and expectations add up on them (a_countable, a_coin, a_discrete_laplace, a_geometric); a while loop is the sum of its rounds (a_while).
   Read: the statements of the theorems. *)
From Probity Require Import PreludeReals.
From mathcomp.classical Require Import functions.
From mathcomp.analysis Require Import measure lebesgue_measure numfun lebesgue_integral.
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
    exact/EFin_measurable_fun/(mp i b).
  apply/funext => x; rewrite /part /= -(mass i (enc x) (fun a => f (i, u (enc x) a)))//.
  congr (ev _ _); apply/funext => a; rewrite -bn (inj_eq (pcan_inj (@pickleK A)))//.
rewrite (_ : (fun x => _) = fun=> 0%E); first exact: measurable_fun_cst.
apply/funext => x; rewrite /part (_ : (fun a => _) = fun=> 0%E) ?Judgement.ev0//.
by apply/funext => a; case: eqP => // e; case: no; exists a.
Qed.
End Programs.
