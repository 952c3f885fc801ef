(* Exported certificates in mu: the rules of CertificateRho.v with the measure of Mu.v; normal draws (mj_gaussian), and equal outputs at a cost of at most mu^2/2 (mj_private).
   Read: gdp and normal_delta in Normal.v. *)
From Probity Require Import PreludeReals Laws Gaussian Pairs CertificateRho.
From Probity Require Import NormalTail MuOrder.
From Probity Require Export Normal Mu.
Open Scope R_scope.

Notation mu_ := (mu_reading RR).
Section Mu.
Variables (I V : Type) (i1 i2 : I).
Notation S := (I * V)%type.
Notation at_ := (@at_ I V i1 i2).
(* GAUSS *)
Definition mj_gaussian n (Q : bassn V) center scale u dist cost after :=
  @zj_near mu_ I V i1 i2 n Q gaussian_ center scale u dist cost after (@m_gauss RR S _ _ _ _ _ _).

Section Claims.
Variables (O : Type) (out : I -> V -> O) (mu : R) (c : stmt RR S) (goal : V -> V -> R -> bool) (m m' : S).
Hypothesis first : m.1 = i1.
Hypothesis second : m'.1 = i2.
Hypothesis last : forall v v' k, goal v v' k = true -> out i1 v = out i2 v' /\ 0 <= mu /\ k <= mu * mu / 2.
Hypothesis shown : exists P, zJ mu_ i1 i2 c P (fun _ v v' k => goal v v' k) /\ forall a v v' k, eqR k 0 = true -> P a v v' k = true.
Let square : mu * mu / 2 = ((mu : RR) ^+ 2 / 2%:R)%R.
Proof.
have two : (2%:R : RR)%R = 2 :> R by rewrite -INRE /=; lra.
by rewrite two expr2 /Rdiv RinvE// gt_eqF//; exact/RltP/Rlt_0_2.
Qed.
Theorem mj_tests : @gdp_tests RR S O (fun s => out s.1 s.2) c mu m m'.
Proof.
have [P [Jc start]] := shown; apply: (@m_equal_outputs RR S O (fun s => out s.1 s.2) mu c (at_ P)).
  apply: c_weaken Jc => s s' k [-> [-> H]]; have [o [_ l]] := last (H arb0); split=> //.
  by rewrite -square; exact/RleP.
by split; [|split] => // a; apply: start; exact/eqRP.
Qed.
Theorem mj_private : @gdp RR S O (fun s => out s.1 s.2) c mu m m'.
Proof.
have [mu0|mu0] := Rle_lt_dec 0 mu; first by apply: (gdp_tests_gdp _ mj_tests); exact/RleP.
(* no run ends *)
move=> eps E; have [P [Jc start]] := shown; set f := ind _ _.
have f0 : nneg f by exact: ind_ge0.
have H := Jc (-1)%R Logic.I f (fun=> 0%E) f0 (fun=> lexx _).
have nothing : (wp c f m <= 0)%E.
  have z : wp c (fun=> 0%E) m' = 0%E.
    apply/eqP; rewrite eq_le wp_ge0// andbT.
    by have := @wp_scale RR S 0%R (lexx _) c (fun=> 0%E) (fun=> lexx _) m'; rewrite !mul0e.
  have neg : (0 <= (-1 : RR))%R = false by rewrite leNgt ltrN10.
  have := H _ m m' 0%R _ 0%R; rewrite /= /left_ mul0rn subr0 neg adde0 z mule0; apply.
    by move=> s s' k [_ [_ g]]; have [_ [n _]] := last (g arb0); lra.
  by split; [|split] => // a; apply: start; exact/eqRP.
apply: (le_trans nothing); rewrite adde_ge0// ?mule_ge0 ?lee_fin ?expR_ge0//; first by apply: wp_ge0; exact: ind_ge0.
by rewrite /normal_delta; case: ifP => [/RltP pos|_]; [case: (Rlt_asym _ _ mu0 pos)|rewrite le_maxr lexx].
Qed.
End Claims.
End Mu.

(* ---- conversions ---- *)
Section Conversions.
Variables (S O : Type) (out : S -> O) (c : stmt RR S) (mu eps delta : R) (m m' : S).
Let two : (2%:R : RR)%R = 2 :> R. Proof. by rewrite -INRE /=; lra. Qed.
(* ZCDP-TAIL with rho = mu^2/2 *)
Theorem mj_order_tail : ltR 0 delta && leR (mu * mu / 2) eps && leR (4 * (mu * mu / 2) * ln_ (1 / delta)) ((eps - mu * mu / 2) * (eps - mu * mu / 2)) = true ->
  @gdp RR S O out c mu m m' -> @dp RR S O out c eps delta m m'.
Proof.
move=> /and_true[/and_true[/ltRP d0 /leRP re] /leRP tail] G.
have square : ((mu : RR) ^+ 2 / 2%:R)%R = mu * mu / 2.
  by rewrite two expr2 /Rdiv RinvE// gt_eqF//; exact/RltP/Rlt_0_2.
apply: (gdp_order_tail _ _ _ G); rewrite ?square; [exact/RltP|exact/RleP|].
move: tail; rewrite ln_all (_ : 1 / delta = ((delta : RR)^-1)%R); last by rewrite /Rdiv Rmult_1_l RinvE// gt_eqF//; exact/RltP.
have four : (4%:R : RR)%R = 4 :> R by rewrite -INRE /=; lra.
by move=> h; apply/RleP; rewrite expr2 four; exact: h.
Qed.
(* GDP-TAIL *)
Theorem mj_tail : ((ltR 0 delta && leR 0 eps) && leR 0 mu) &&
    ((leR (mu * mu) (2 * eps) && leR (8 * (mu * mu) * ln_ (1 / (2 * delta))) ((2 * eps - mu * mu) * (2 * eps - mu * mu))) || leR mu (2 * delta)) = true ->
  @gdp RR S O out c mu m m' -> @dp RR S O out c eps delta m m'.
Proof.
move=> /and_true[/and_true[/and_true[/ltRP d0 /leRP e0] /leRP m0] far] G; apply: (gdp_tail _ G).
have eight : (8%:R : RR)%R = 8 :> R by rewrite -INRE /=; lra.
have inverse : ((1 : RR) / (2%:R * delta))%R = 1 / (2 * delta).
  by rewrite two /Rdiv RinvE// gt_eqF//; apply/RltP; exact: (Rmult_lt_0_compat _ _ Rlt_0_2 d0).
split; [exact/RltP|exact/RleP|exact/RleP|]; rewrite inverse two eight -ln_all.
by case: (or_true _ _ far) => [/and_true[/leRP near /leRP least]|/leRP small]; [left; split; apply/RleP|right; apply/RleP].
Qed.
End Conversions.

(* Where two claims in mu are not the same, Coq should say so at once, and not compute normal laws. *)
Global Opaque gdp normal_delta profile.
