(* AMPLIFY for exported certificates: a mechanism that draws a sample of its table, and does with the sample what another program does with its input.

   on_sample inside c is c with the sample in the place of its input; the state has what was drawn beside the variables of c.  Read: sample_, on_sample, and the statement of sampled_private. *)
From Coq Require Import List Permutation.
From Probity Require Import PreludeReals.
From Probity Require Import Certificate Blocks Samples.
Open Scope R_scope.

(* each row is kept with probability q *)
Definition sample_ (Row : Type) (t : list Row) (q : R) : law RR (list Row) := @sample RR Row q t.

Section OnSample.
Variables (I I' V Row : Type) (inside : list Row -> I').
Notation S := (I * (list Row * V))%type.
Notation S' := (I' * V)%type.
Definition seen (s : S) : S' := (inside s.2.1, s.2.2).
Definition back (s : S) (s' : S') : S := (s.1, (s.2.1, s'.2)).
Fixpoint on_sample (c : stmt RR S') : stmt RR S :=
  match c with
  | Skip => Skip RR S
  | Assign u => Assign RR (fun s => back s (u (seen s)))
  | Draw A D u => Draw (fun s => D (seen s)) (fun s a => back s (u (seen s) a))
  | Seq c d => Seq (on_sample c) (on_sample d)
  | If g c d => If (fun s => g (seen s)) (on_sample c) (on_sample d)
  | For a b c => For a b (fun i => on_sample (c i))
  | While g c => While (fun s => g (seen s)) (on_sample c)
  end.
(* a program sets its variables, and never its input *)
Fixpoint keeps (c : stmt RR S') : Prop :=
  match c with
  | Skip => True
  | Assign u => forall s, (u s).1 = s.1
  | Draw A D u => forall s a, (u s a).1 = s.1
  | Seq c d | If _ c d => keeps c /\ keeps d
  | For _ _ c => forall i, keeps (c i)
  | While _ c => keeps c
  end.
Lemma wp_on_sample c : keeps c -> forall (f : S -> \bar RR) (g : S' -> \bar RR) i t, (forall v, g (inside t, v) = f (i, (t, v))) ->
  forall v, wp (on_sample c) f (i, (t, v)) = wp c g (inside t, v).
Proof.
elim: c => [|u|A D u|c IHc d IHd|b c IHc d IHd|a z c IH|b c IH] /= K f g i t fg v.
- by rewrite fg.
- by rewrite -fg; have := K (inside t, v); rewrite /seen /=; case: (u _) => x y /= ->.
- congr (ev (D _)); apply/funext => a; rewrite -fg.
  by have := K (inside t, v) a; rewrite /seen /=; case: (u _ a) => x y /= ->.
- by case: K => Kc Kd; apply: IHc => // w; apply/esym; exact: IHd.
- by case: K => Kc Kd; rewrite /seen /=; case: (b _); [exact: IHc|exact: IHd].
- move: (rounds a z) => n; elim: n a v => [|n IHn] a v /=; first by rewrite fg.
  by apply: IH => // w; apply/esym; exact: IHn.
- congr ereal_sup; apply/seteqP.
  have E n : forall w, unroll n (fun s => b (seen s)) (wp (on_sample c)) f (i, (t, w)) = unroll n b (wp c) g (inside t, w).
    elim: n => [|n IHn] w //=; rewrite /seen /=; case: (b _); last by rewrite fg.
    by apply: IH => // w'; apply/esym; exact: IHn.
  by split=> _ [n _ <-]; exists n => //; rewrite E.
Qed.
End OnSample.

Theorem sampled_private (I I' V Row O : Type) (inside : list Row -> I') (table : I -> list Row) (q eps0 delta0 eps delta : R)
    (c : stmt RR (I' * V)) (out : I' * V -> O) (p : Row) (l1 l2 : list Row) (m m' : I * (list Row * V)) :
  (((((leR 0 q && leR q 1) && leR 0 eps0) && leR 0 delta0) &&
    (leR (ln_ (1 + q * (exp eps0 - 1))) eps || leR (1 + q * (exp eps0 - 1)) (exp eps))) && leR (q * delta0) delta) = true ->
  keeps c ->
  (forall u1 u2 w, dp out c eps0 delta0 (inside (u1 ++ p :: u2), w) (inside (u1 ++ u2), w) /\
     dp out c eps0 delta0 (inside (u1 ++ u2), w) (inside (u1 ++ p :: u2), w)) ->
  table (fst m) = l1 ++ l2 -> table (fst m') = l1 ++ p :: l2 -> snd (snd m) = snd (snd m') ->
  let sampled := seq_ (draw_ (fun i _ => sample_ (table i) q) (fun v y => (y, snd v))) (on_sample I inside c) in
  dp (fun s => out (seen inside s)) sampled eps delta m m' /\ dp (fun s => out (seen inside s)) sampled eps delta m' m.
Proof.
move=> /and_true[/and_true[/and_true[/and_true[/and_true[/leRP q0 /leRP q1] /leRP e0] /leRP d0] enough] /leRP small] K near tm tm' same sampled.
have grown : 1 + q * (exp eps0 - 1) <= exp eps.
  case/orP: enough => /leRP// h; have x1 : 1 <= exp eps0 by rewrite -exp_0; case: e0 => [lt|<-]; [left; exact: exp_increasing|right].
  have g0 : 0 < 1 + q * (exp eps0 - 1) by nra.
  rewrite -(exp_ln _ g0); case: h => [lt|->]; [left; exact: exp_increasing|by right].
have qr : ((0 : RR) <= q <= 1)%R by apply/andP; split; apply/RleP.
have W E i u w : wp (on_sample I inside c) (ind RR (fun s => E (out (seen inside s)))) (i, (u, w)) =
    wp c (ind RR (fun s => E (out s))) (inside u, w).
  by apply: wp_on_sample.
have dpE a b w : dp (fun s => out (seen inside s)) (on_sample I inside c) eps0 delta0 (fst m, (a, w)) (fst m, (b, w)) <->
    dp out c eps0 delta0 (inside a, w) (inside b, w).
  by split=> H E; have := H E; rewrite !W.
apply: (@amplify RR Row q qr _ O (fun s => table (fst s)) (fun s u => (fst s, (u, snd (snd s)))) (on_sample I inside c)
  (fun s => out (seen inside s)) predT eps0 delta0 eps delta m m' p l1 l2) => //.
- exact/RleP.
- exact/RleP.
- by apply/RleP; rewrite -!exp_expR.
- exact/RleP.
- exact: all_predT.
- by move=> E u; rewrite !W same.
- by move=> u1 u2 _; have [a b] := near u1 u2 (snd (snd m)); split; apply/dpE.
Qed.
Ltac keeps_inputs := cbn; repeat split; intros; repeat split; intros; reflexivity.
