(* Exported certificates in mu: one normal draw, and the output is made of it (gj_draw).  Read: gdp and profile in Normal.v. *)
From Probity Require Import PreludeReals Laws Gaussian CertificateRho.
From Probity Require Export Normal.
Open Scope R_scope.

(* the draw with the kernel's precondition: GAUSS before the goal, which asks for equal outputs and at most mu^2/2 of rho *)
Theorem gj_draw (I V O : Type) (i1 i2 : I) (out : I -> V -> O) (mu : R) (n : nat) (center scale : I -> V -> R) (u : V -> R -> V)
    (dist cost : V -> V -> R -> R) (goal : V -> V -> R -> bool) (m m' : I * V) :
  m.1 = i1 -> m'.1 = i2 -> 0 < mu ->
  (forall v v' k, goal v v' k = true -> out i1 v = out i2 v' /\ k <= mu * mu / 2) ->
  (forall a v v' k, eqR k 0 = true ->
    (((ltR 0 (scale i1 v) && eqR (scale i1 v) (scale i2 v')) && leR (Rabs (center i1 v - center i2 v')) (dist v v' k)) &&
     leR (dist v v' k * dist v v' k) (2 * cost v v' k * scale i1 v * scale i1 v)) &&
    goal (u v (real_ a n)) (u v' (real_ a n)) (k + cost v v' k) = true) ->
  @gdp RR (I * V)%type O (fun s => out s.1 s.2) (seq_ (draw_ (fun i v => gaussian_ (center i v) (scale i v)) u) (skip_ I V)) mu m m'.
Proof.
case: m m' => [i v] [i' v'] /= -> -> mu0 last H.
have zero : eqR 0 0 = true by apply/eqRP.
have at_y y : out i1 (u v y) = out i2 (u v' y) /\ 0 + cost v v' 0 <= mu * mu / 2.
  by have /and_true[_] := H (with_real arb0 n y) v v' 0 zero; rewrite with_real_at; exact: last.
have /and_true[/and_true[/and_true[/and_true[/ltRP s0 /eqRP ss] /leRP near] /leRP bound] _] := H arb0 v v' 0 zero.
have [_ small] := at_y 0.
have close : Rabs (center i1 v - center i2 v') <= mu * scale i1 v.
  have A0 := Rabs_pos (center i1 v - center i2 v').
  apply: Rsqr_incr_0_var; last by apply: Rlt_le; apply: Rmult_lt_0_compat.
  rewrite /Rsqr; apply: (Rle_trans _ (dist v v' 0 * dist v v' 0)); first by apply: Rmult_le_compat.
  apply: (Rle_trans _ _ _ bound).
  have c2 : 2 * cost v v' 0 <= mu * mu by lra.
  have sq : 0 <= scale i1 v * scale i1 v by apply: Rmult_le_pos; lra.
  have := Rmult_le_compat_r _ _ _ sq c2; lra.
apply: (@gdp_draw RR (I * V)%type O (fun s => out s.1 s.2) (fun s => center s.1 s.2) (fun s => scale s.1 s.2) (fun s y => (s.1, u s.2 y)) (skip_ I V) mu (i1, v) (i2, v')) => //=.
- exact/RltP.
- exact/RltP.
- exact/RleP.
by move=> E y; rewrite /ind /= (at_y y).1.
Qed.

(* Where two claims in mu are not the same, Coq should say so at once, and not compute normal laws. *)
Global Opaque gdp profile.
