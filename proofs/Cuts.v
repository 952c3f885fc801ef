(* Lemma 1 of docs/threshold-theorem.md, in Flocq, for any precision and exponent range: rounding x + z to the
   format and then to the grid is a cut of the real line, the same for every x.

   grid_cut: g <= to_grid (RN v) exactly if v lies above the cut m of g, and m is within 2^-p |t| of the half-grid
   point t = g - L/2.  lemma1: the same for the clamped output.  overflow: rounding to infinity beyond the largest float
   gives the same output. *)
From Coq Require Import Reals Lra Lia ZArith Bool.
From Flocq Require Import Core.
Open Scope R_scope.

Definition above (strict : bool) (m v : R) := if strict then m < v else m <= v.

Section Cut.
Variable fexp : Z -> Z.
Context {valid : Valid_exp fexp}.
Notation F := (generic_format radix2 fexp).
Notation RN := (round radix2 fexp ZnearestE).
Notation pred := (pred radix2 fexp).
Notation succ := (succ radix2 fexp).

(* {v | t <= RN v} is the half-line above the midpoint of t and its predecessor *)
Lemma cut_ge t : F t -> exists s, forall v, t <= RN v <-> above s ((t + pred t) / 2) v.
Proof.
intros Ft; set (m := (t + pred t) / 2).
destruct (Rle_lt_dec t (RN m)) as [H|H].
- exists false; intros v; simpl; split; intros Hv.
  + now apply round_N_ge_ge_midp in Hv.
  + destruct Hv as [Hv| <-]; [now apply round_N_ge_midp|exact H].
- exists true; intros v; simpl; split; intros Hv.
  + assert (Hm := round_N_ge_ge_midp _ _ _ _ _ Ft Hv); fold m in Hm.
    destruct Hm as [Hm|Hm]; [exact Hm|rewrite <- Hm in Hv; lra].
  + now apply round_N_ge_midp.
Qed.

Lemma cut_gt t : F t -> t <> 0 -> exists s, forall v, t < RN v <-> above s ((t + succ t) / 2) v.
Proof.
intros Ft Zt.
destruct (cut_ge (succ t)) as [s Hs]; [now apply generic_format_succ|].
exists s; intros v; rewrite pred_succ in Hs by assumption.
rewrite (Rplus_comm t), <- Hs; split; intros H.
- apply succ_le_lt; auto; apply generic_format_round; auto with typeclass_instances.
- assert (H3 := succ_gt_id radix2 fexp t Zt); lra.
Qed.
End Cut.

Lemma pred_FIX k g : pred radix2 (FIX_exp k) g = g - bpow radix2 k.
Proof.
assert (S : forall x, 0 <= x -> succ radix2 (FIX_exp k) x = x + bpow radix2 k).
{ intros x Hx; rewrite succ_eq_pos by exact Hx; now rewrite ulp_FIX. }
assert (P : forall x, 0 <= x -> pred radix2 (FIX_exp k) x = x - bpow radix2 k).
{ intros x Hx; rewrite pred_eq_pos by exact Hx; unfold pred_pos.
  rewrite ulp_FIX; unfold FIX_exp; now destruct Req_bool. }
destruct (Rle_or_lt 0 g) as [H|H]; [now apply P|].
unfold pred; rewrite S by lra; lra.
Qed.

Section Lemma1.
Variables emin prec k : Z.
Context {prec_gt_0_ : Prec_gt_0 prec}.
Notation fexp := (FLT_exp emin prec).
Notation F := (generic_format radix2 fexp).
Notation RN := (round radix2 fexp ZnearestE).
Notation grid := (generic_format radix2 (FIX_exp k)).
Notation Lam := (bpow radix2 k).
Definition to_grid w := round radix2 (FIX_exp k) ZnearestE w.
Definition clamp B w := Rmax (- B) (Rmin B w).
Definition output B v := clamp B (to_grid (RN v)).

Lemma near_pred t : t - ulp radix2 fexp t <= pred radix2 fexp t.
Proof.
assert (H := succ_le_plus_ulp radix2 fexp (- t)); rewrite ulp_opp in H.
unfold pred; lra.
Qed.

Theorem grid_cut g : grid g -> let t := g - Lam / 2 in
  F t -> bpow radix2 (emin + prec - 1) <= Rabs t ->
  exists m s, (forall v, g <= to_grid (RN v) <-> above s m v) /\ Rabs (m - t) <= bpow radix2 (- prec) * Rabs t.
Proof.
intros Gg t Ft Nt.
assert (Zt : t <> 0).
{ intros H; rewrite H, Rabs_R0 in Nt; assert (P := bpow_gt_0 radix2 (emin + prec - 1)); lra. }
assert (U : ulp radix2 fexp t / 2 <= bpow radix2 (- prec) * Rabs t).
{ assert (H := ulp_FLT_le radix2 emin prec t Nt).
  replace (1 - prec)%Z with (- prec + 1)%Z in H by ring.
  rewrite bpow_plus in H; change (bpow radix2 1) with 2 in H; lra. }
destruct (cut_ge (FIX_exp k) g Gg) as [s Hs].
rewrite pred_FIX in Hs; replace ((g + (g - Lam)) / 2) with t in Hs by (unfold t; lra).
destruct s; simpl in Hs.
- destruct (cut_gt fexp t Ft Zt) as [s' Hs'].
  exists ((t + succ radix2 fexp t) / 2), s'; split.
  + intros v; unfold to_grid; rewrite Hs; apply Hs'.
  + assert (H := succ_le_plus_ulp radix2 fexp t); assert (H' := succ_ge_id radix2 fexp t).
    rewrite Rabs_pos_eq; lra.
- destruct (cut_ge fexp t Ft) as [s' Hs'].
  exists ((t + pred radix2 fexp t) / 2), s'; split.
  + intros v; unfold to_grid; rewrite Hs; apply Hs'.
  + assert (H := near_pred t); assert (H' := pred_le_id radix2 fexp t).
    rewrite Rabs_left1; lra.
Qed.

(* o: an outcome above -B; g: the grid point from which on the clamped value is at least o *)
Theorem lemma1 B o g : - B < o <= B -> grid g -> (forall y, grid y -> (o <= y <-> g <= y)) ->
  let t := g - Lam / 2 in
  F t -> bpow radix2 (emin + prec - 1) <= Rabs t ->
  exists m s, (forall x z, o <= output B (x + z) <-> above s m (x + z))
    /\ Rabs (m - t) <= bpow radix2 (- prec) * Rabs t.
Proof.
intros Ho Gg Hg t Ft Nt; destruct (grid_cut g Gg Ft Nt) as [m [s [H1 H2]]]; exists m, s; split; [|exact H2].
intros x z; rewrite <- H1, <- Hg by (apply generic_format_round; auto with typeclass_instances).
unfold output, clamp, Rmax, Rmin; repeat destruct Rle_dec; split; lra.
Qed.

(* A sum beyond the largest float Om rounds to infinity, whose output is B; here it rounds to a float above Om, whose output
   is B as well, if the half-grid point below the last outcome g is not above Om. *)
Theorem overflow B g Om v : 0 <= B -> grid g -> B <= g -> g - Lam / 2 <= Om -> Om < RN v -> output B v = B.
Proof.
intros HB Gg Bg Ht Hv; unfold output.
assert (g <= to_grid (RN v)); [|unfold clamp, Rmax, Rmin; repeat destruct Rle_dec; lra].
unfold to_grid; apply round_N_ge_midp; auto with typeclass_instances.
rewrite pred_FIX; lra.
Qed.
End Lemma1.
