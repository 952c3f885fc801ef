(* The threshold theorem of docs/threshold-theorem.md, assembled.

   cells_private: any family of cuts that is the same for both inputs.  Theorem threshold: the mechanism
   clamp(round_to(x (+) s n(u), L), B) in a format of any precision and exponent range is (rho D + A+ + A-, d)-private,
   where d bounds the mass of the cells that are not near both inputs; case 1 (threshold_pure) has none, case 2
   (threshold_far) has d = e^(-r/K) (1 + c).

   The uniform draw is any finite list of equally likely numbers with the bounds fine_law of Noise.v (threshold_pure_by, threshold_far_by): a uniform real rounded down to the
   format (threshold_pure, threshold_far), or to a multiple of 2^-j (Naive.v).

   Read: mechanism, epsilon, threshold_pure, threshold_far; the noise is any function with the three bounds of
   Section Tails in Noise.v, which Pipeline.v proves of a rounded logarithm and scalings. *)
From Coq Require Import Reals Lra Lia ZArith List Bool ClassicalEpsilon.
From Flocq Require Import Core.
From Probity Require Import Uniform Noise Cell Cuts.
Open Scope R_scope.

Section Mechanism.
(* the outcomes of the uniform draw, all equally likely, and the noise *)
Variables (T : Type) (l : list T).
Hypothesis nonempty : l <> nil.
Variable u_of : T -> R.
Hypothesis u_range : forall w, In w l -> 0 <= u_of w < 1.
Variables (c Rr : R).
Hypothesis c_pos : 0 <= c.
Hypothesis fine : fine_law (fun A => prob l (fun w => A (u_of w))) c Rr.
Variables (n : T -> R) (rho kappa d : R).
Hypothesis rho_pos : 0 < rho.
Hypothesis kappa1 : 1 <= kappa.
Hypothesis d_pos : 0 <= d.
Hypothesis close : (kappa - 1) * Rr <= d \/
  forall w, In w l -> 0 < u_of w -> - ln (u_of w) <= kappa * Rr -> Rabs (rho * n w - - ln (u_of w)) <= d.
Hypothesis below : forall w, In w l -> 0 < u_of w -> - ln (u_of w) / kappa <= rho * n w.
Hypothesis above_n : forall w, In w l -> 0 < u_of w -> rho * n w <= kappa * - ln (u_of w).
Notation P := (prob l).

(* with a fair sign *)
Definition P2 (A : T -> bool -> Prop) := (P (fun w => A w true) + P (fun w => A w false)) / 2.
Definition on (A B : T -> bool -> Prop) := forall w s, In w l -> (A w s -> B w s).
Lemma P2_mono A B : on A B -> P2 A <= P2 B.
Proof.
intros H; unfold P2; assert (P (fun w => A w true) <= P (fun w => B w true)) by (apply prob_mono; [exact nonempty|intros w Hw; now apply H]).
assert (P (fun w => A w false) <= P (fun w => B w false)) by (apply prob_mono; [exact nonempty|intros w Hw; now apply H]). lra.
Qed.
Lemma P2_ext A B : on A B -> on B A -> P2 A = P2 B.
Proof. intros H H'; apply Rle_antisym; now apply P2_mono. Qed.
Lemma P2_ge0 A : 0 <= P2 A.
Proof. unfold P2; assert (H := prob_ge0 l nonempty (fun w => A w true)); assert (H' := prob_ge0 l nonempty (fun w => A w false)); lra. Qed.
Lemma P2_sum (A B C : T -> bool -> Prop) : (forall w s, In w l -> (A w s <-> B w s \/ C w s)) -> (forall w s, In w l -> ~ (B w s /\ C w s)) ->
  P2 A = P2 B + P2 C.
Proof.
intros H D; unfold P2.
rewrite (prob_sum l nonempty (fun w => A w true) (fun w => B w true) (fun w => C w true)) by auto.
rewrite (prob_sum l nonempty (fun w => A w false) (fun w => B w false) (fun w => C w false)) by auto. lra.
Qed.
Lemma P2_true : P2 (fun _ _ => True) = 1.
Proof. unfold P2; rewrite prob_true by exact nonempty; lra. Qed.

(* ---- cuts: x + s n lies above cut i ---- *)
Variables (N : nat) (cut : nat -> R) (strict : nat -> bool).
Definition passes i x (w : T) (s : bool) : Prop :=
  if s then u_of w = 0 \/ above (strict i) (cut i) (x + n w)
  else u_of w <> 0 /\ above (strict i) (cut i) (x - n w).
Notation tail := (Noise.tail c rho kappa d).
Notation G := (Cell.G rho).
Notation survive := (Cell.survive rho kappa d c).

Lemma lemma2' t : 0 <= t -> rho * t <= Rr -> tail t (P (ge_ev T u_of n t)) /\ tail t (P (gt_ev T u_of n t)).
Proof. apply lemma2; assumption. Qed.

Lemma passes_survive i x : rho * Rabs (cut i - x) <= Rr -> survive (cut i - x) (P2 (passes i x)).
Proof.
intros HR; set (m := cut i) in *.
assert (pos : forall w, In w l -> u_of w <> 0 -> 0 < n w).
{ intros w Hw Hu; assert (H := u_range w Hw); apply (noise_pos T l u_of u_range n rho kappa rho_pos kappa1 below); [exact Hw|lra]. }
destruct (Rle_or_lt 0 (m - x)) as [Z|Z].
- rewrite Rabs_pos_eq in HR by exact Z; destruct (lemma2' _ Z HR) as [Tge Tgt].
  assert (F0 : P (fun w => passes i x w false) = 0).
  { apply Rle_antisym; [|apply prob_ge0; exact nonempty].
    replace 0 with (P (fun _ => False)).
    - apply prob_mono; [exact nonempty|]; intros w Hw [Hu Ha]; assert (Hn := pos w Hw Hu).
      fold m in Ha; unfold above in Ha; destruct strict; lra.
    - assert (S := prob_sum l nonempty (fun _ => True) (fun _ => True) (fun _ => False)); rewrite prob_true in S by exact nonempty.
      assert (1 = 1 + P (fun _ => False)) by (apply S; tauto); lra. }
  exists (P (fun w => passes i x w true)); split; [|left; split; [exact Z|unfold P2; rewrite F0; lra]].
  rewrite Rabs_pos_eq by exact Z; unfold passes; fold m; unfold above; destruct (strict i).
  + rewrite (prob_ext l nonempty _ (gt_ev T u_of n (m - x))); [exact Tgt|]; intros w _; unfold gt_ev; split; intros [H|H]; auto; right; lra.
  + rewrite (prob_ext l nonempty _ (ge_ev T u_of n (m - x))); [exact Tge|]; intros w _; unfold ge_ev; split; intros [H|H]; auto; right; lra.
- rewrite Rabs_left in HR by exact Z; destruct (lemma2' (- (m - x)) ltac:(lra) HR) as [Tge Tgt].
  assert (F1 : P (fun w => passes i x w true) = 1).
  { rewrite <- (prob_true l nonempty); apply prob_ext; [exact nonempty|]; intros w Hw; split; [easy|intros _].
    destruct (Req_dec (u_of w) 0) as [E|E]; [now left|right]; assert (Hn := pos w Hw E); fold m; unfold above; destruct strict; lra. }
  set (H := P (fun w => ~ passes i x w false)).
  assert (E : P (fun w => passes i x w false) = 1 - H).
  { assert (S := prob_sum l nonempty (fun _ => True) (fun w => passes i x w false) (fun w => ~ passes i x w false)).
    rewrite prob_true in S by exact nonempty; unfold H; assert (1 = P (fun w => passes i x w false) + P (fun w => ~ passes i x w false)); [|lra].
    apply S; intros w _; [tauto|]. tauto. }
  exists H; split; [|right; split; [lra|unfold P2; rewrite F1, E; lra]].
  rewrite Rabs_left by exact Z; unfold H, passes; fold m; unfold above; destruct (strict i).
  + rewrite (prob_ext l nonempty _ (ge_ev T u_of n (- (m - x)))); [exact Tge|]; intros w _; unfold ge_ev; split.
    * intros Hn; destruct (Req_dec (u_of w) 0) as [E0|E0]; [now left|right].
      destruct (Rle_or_lt (- (m - x)) (n w)); [assumption|exfalso; apply Hn; split; [exact E0|lra]].
    * intros [E0|E0] [Hu Ha]; lra.
  + rewrite (prob_ext l nonempty _ (gt_ev T u_of n (- (m - x)))); [exact Tgt|]; intros w _; unfold gt_ev; split.
    * intros Hn; destruct (Req_dec (u_of w) 0) as [E0|E0]; [now left|right].
      destruct (Rlt_or_le (- (m - x)) (n w)); [assumption|exfalso; apply Hn; split; [exact E0|lra]].
    * intros [E0|E0] [Hu Ha]; lra.
Qed.

(* ---- cells ---- *)
Variable cell : R -> T -> bool -> nat.         (* which cell x + s n falls into *)
Hypothesis cell_le : forall x w s, (cell x w s <= N)%nat.
Hypothesis cell_cut : forall x w s i, In w l -> (1 <= i <= N)%nat -> ((i <= cell x w s)%nat <-> passes i x w s).
Hypothesis N_pos : (1 <= N)%nat.
Variables (q D : R).
Hypothesis q_range : 0 <= q < 1.
Hypothesis gaps : forall i, (1 <= i < N)%nat -> cut i < cut (S i) /\ exp (- (rho * (cut (S i) - cut i))) <= q.
Notation Cp := (Cplus kappa d c q).
Notation Cm := (Cminus kappa d c q).
Hypothesis Cm_pos : 0 < Cm.
Definition epsilon := rho * D + ln Cp + - ln Cm.

(* all finite ends of cell i are near x *)
Definition near i x := forall j, (1 <= j <= N)%nat -> (j = i \/ j = S i) -> rho * Rabs (cut j - x) <= Rr.

Definition p i x := P2 (fun w s => cell x w s = i).
Lemma p_cell i x : (i <= N)%nat -> p i x =
  (if Nat.eqb i 0 then 1 else P2 (passes i x)) - (if Nat.eqb i N then 0 else P2 (passes (S i) x)).
Proof.
intros Hi.
assert (ge : forall j, (1 <= j <= N)%nat -> P2 (fun w s => (j <= cell x w s)%nat) = P2 (passes j x)).
{ intros j Hj; apply P2_ext; intros w s Hw; now apply cell_cut. }
assert (lo : P2 (fun w s => (i <= cell x w s)%nat) = if Nat.eqb i 0 then 1 else P2 (passes i x)).
{ destruct (Nat.eqb_spec i 0) as [E0|H]; [rewrite E0|apply ge; lia].
  rewrite <- P2_true; apply P2_ext; intros w s _ _; [easy|lia]. }
assert (hi : P2 (fun w s => (S i <= cell x w s)%nat) = if Nat.eqb i N then 0 else P2 (passes (S i) x)).
{ destruct (Nat.eqb_spec i N) as [EN|H]; [rewrite EN|apply ge; lia].
  assert (S := P2_sum (fun _ _ => True) (fun _ _ => True) (fun w s => (S N <= cell x w s)%nat)); rewrite P2_true in S.
  assert (X : 1 = 1 + P2 (fun w s => (Datatypes.S N <= cell x w s)%nat)); [apply S; intros w s _; assert (H := cell_le x w s); [tauto|lia]|lra]. }
assert (S := P2_sum (fun w s => (i <= cell x w s)%nat) (fun w s => cell x w s = i) (fun w s => (S i <= cell x w s)%nat)).
unfold p; rewrite <- lo, <- hi, S; [lra| |]; intros w s _; lia.
Qed.

(* what the cell has over the reals *)
Definition p0 i x := (if Nat.eqb i 0 then 1 else G (cut i - x)) - (if Nat.eqb i N then 0 else G (cut (S i) - x)).

Lemma near_cell i x : (i <= N)%nat -> near i x -> Cm * p0 i x <= p i x <= Cp * p0 i x.
Proof.
intros Hi Hn; rewrite p_cell by exact Hi; unfold p0.
destruct (Nat.eqb_spec i 0) as [I0|I0]; destruct (Nat.eqb_spec i N) as [EN|IN]; try lia.
- subst i; apply lemma3_first; try assumption.
  apply passes_survive, Hn; [lia|now right].
- subst i; rewrite !Rminus_0_r; apply lemma3_last; try assumption.
  apply passes_survive, Hn; [lia|now left].
- destruct (gaps i ltac:(lia)) as [G1 G2].
  replace (cut (S i) - cut i) with (cut (S i) - x - (cut i - x)) in G2 by ring.
  apply lemma3; try assumption; try lra; apply passes_survive, Hn; lia || (now left) || (now right).
Qed.

Lemma p0_shift i x x' : (i <= N)%nat -> Rabs (x - x') <= D -> p0 i x <= exp (rho * D) * p0 i x'.
Proof.
intros Hi HD; unfold p0; destruct (Nat.eqb_spec i 0) as [I0|I0]; destruct (Nat.eqb_spec i N) as [EN|IN]; try lia.
- subst i; apply ideal_first; assumption.
- subst i; rewrite !Rminus_0_r; apply ideal_last; assumption.
- destruct (gaps i ltac:(lia)) as [G1 _]; apply ideal_shift; try assumption; lra.
Qed.

Lemma Cp_pos : 0 < Cp.
Proof. apply Rlt_le_trans with (2 := Cplus_ea kappa d c q d_pos c_pos q_range); apply exp_pos. Qed.

Lemma near_loss i x x' : (i <= N)%nat -> near i x -> near i x' -> Rabs (x - x') <= D -> p i x <= exp epsilon * p i x'.
Proof.
intros Hi Hn Hn' HD.
destruct (near_cell i x Hi Hn) as [_ H1]; destruct (near_cell i x' Hi Hn') as [H2 _].
assert (H3 := p0_shift i x x' Hi HD); assert (C0 := Cp_pos).
unfold epsilon; rewrite !exp_plus, exp_Ropp, !exp_ln by assumption.
assert (E := exp_pos (rho * D)); assert (I := Rinv_0_lt_compat _ Cm_pos).
apply Rle_trans with (1 := H1).
apply Rle_trans with (Cp * (exp (rho * D) * p0 i x')); [apply Rmult_le_compat_l; lra|].
assert (p0 i x' <= / Cm * p i x').
{ apply Rmult_le_reg_l with Cm; [exact Cm_pos|]; rewrite <- Rmult_assoc, Rinv_r by lra; lra. }
replace (exp (rho * D) * Cp * / Cm * p i x') with (Cp * (exp (rho * D) * (/ Cm * p i x'))) by ring.
apply Rmult_le_compat_l; [lra|]; apply Rmult_le_compat_l; lra.
Qed.

(* sums over cells *)
Lemma sum_cells (C : R) x x' (E : nat -> Prop) : 0 <= C ->
  (forall i, (i <= N)%nat -> E i -> p i x <= C * p i x') ->
  P2 (fun w s => E (cell x w s)) <= C * P2 (fun w s => E (cell x' w s)).
Proof.
intros C0 H.
assert (G0 : forall k, (k <= S N)%nat ->
  P2 (fun w s => (cell x w s < k)%nat /\ E (cell x w s)) <= C * P2 (fun w s => (cell x' w s < k)%nat /\ E (cell x' w s))).
{ induction k as [|k IH]; intros Hk.
  - apply Rle_trans with 0; [|apply Rmult_le_pos; [exact C0|apply P2_ge0]].
    assert (Z := P2_sum (fun _ _ => True) (fun _ _ => True) (fun w s => (cell x w s < 0)%nat /\ E (cell x w s))); rewrite P2_true in Z.
    assert (1 = 1 + P2 (fun w s => (cell x w s < 0)%nat /\ E (cell x w s))); [apply Z; intros; [tauto|lia]|lra].
  - assert (Sp : forall y, P2 (fun w s => (cell y w s < S k)%nat /\ E (cell y w s)) =
       P2 (fun w s => (cell y w s < k)%nat /\ E (cell y w s)) + P2 (fun w s => cell y w s = k /\ E k)).
    { intros y; apply P2_sum; intros w s _; [|intros [[A _] [B _]]; lia]. split.
      - intros [A B]; destruct (Nat.eq_dec (cell y w s) k) as [e|ne]; [right; split; [exact e|now rewrite <- e]|left; split; [lia|exact B]].
      - intros [[A B]|[A B]]; split; [lia|exact B|lia|now rewrite A]. }
    rewrite !Sp, Rmult_plus_distr_l; apply Rplus_le_compat; [apply IH; lia|].
    destruct (dec (E k)) as [e|ne].
    + assert (Q : forall y, P2 (fun w s => cell y w s = k /\ E k) = p k y) by (intros y; apply P2_ext; intros w s _; tauto).
      rewrite !Q; apply H; [lia|exact e].
    + apply Rle_trans with 0; [|apply Rmult_le_pos; [exact C0|apply P2_ge0]].
      assert (Z := P2_sum (fun _ _ => True) (fun _ _ => True) (fun w s => cell x w s = k /\ E k)); rewrite P2_true in Z.
      assert (1 = 1 + P2 (fun w s => cell x w s = k /\ E k)); [apply Z; intros; tauto|lra]. }
assert (X : forall y, P2 (fun w s => E (cell y w s)) = P2 (fun w s => (cell y w s < S N)%nat /\ E (cell y w s))).
{ intros y; apply P2_ext; intros w s _; assert (L := cell_le y w s); [intros e; split; [lia|exact e]|tauto]. }
rewrite !X; apply G0; lia.
Qed.

Theorem cells_private x x' (E : nat -> Prop) : Rabs (x - x') <= D ->
  P2 (fun w s => E (cell x w s)) <= exp epsilon * P2 (fun w s => E (cell x' w s)) +
    P2 (fun w s => ~ (near (cell x w s) x /\ near (cell x w s) x')).
Proof.
intros HD; set (good i := near i x /\ near i x').
assert (S := P2_sum (fun w s => E (cell x w s)) (fun w s => good (cell x w s) /\ E (cell x w s)) (fun w s => ~ good (cell x w s) /\ E (cell x w s))).
rewrite S by (intros w s _; tauto).
apply Rplus_le_compat.
- apply Rle_trans with (exp epsilon * P2 (fun w s => good (cell x' w s) /\ E (cell x' w s))).
  + apply sum_cells with (E := fun i => good i /\ E i); [left; apply exp_pos|].
    intros i Hi [[g1 g2] _]; now apply near_loss.
  + apply Rmult_le_compat_l; [left; apply exp_pos|apply P2_mono; intros w s _; tauto].
- apply P2_mono; intros w s _; unfold good; tauto.
Qed.
End Mechanism.

(* ---- the mechanism of section 1, in floating point ---- *)
Section Float.
Variables emin prec k : Z.
Context {prec_gt_0_ : Prec_gt_0 prec}.
Hypothesis emin_neg : (emin + prec <= 0)%Z.
Notation F := (generic_format radix2 (FLT_exp emin prec)).
Notation RN := (round radix2 (FLT_exp emin prec) ZnearestE).
Notation Lam := (bpow radix2 k).
Notation eta := (bpow radix2 (- prec)).
Notation eta2 := (bpow radix2 (1 - prec)).
Notation tiny := (bpow radix2 (emin + prec - 1)).      (* the smallest normal number *)

(* B, and M L the smallest multiple of L that is at least B *)
Variables (B : R) (M : nat).
Hypothesis M_pos : (1 <= M)%nat.
Hypothesis B_range : 0 < B <= INR M * Lam.
(* all half-grid points in reach are normal floats *)
Hypothesis half_grid : forall j : Z, (- Z.of_nat M < j <= Z.of_nat M)%Z ->
  F (IZR j * Lam - Lam / 2) /\ tiny <= Rabs (IZR j * Lam - Lam / 2).

(* u: what the uniform draw may be, each with the same probability; n: the noise as computed *)
Variables (points : list R) (c Rr : R) (n : R -> R) (rho kappa d D : R).
Hypothesis nonempty : points <> nil.
Hypothesis in_range : forall u, In u points -> 0 <= u < 1.
Hypothesis c_pos : 0 <= c.
Hypothesis law_fine : fine_law (prob points) c Rr.
Hypothesis rho_pos : 0 < rho.
Hypothesis kappa1 : 1 <= kappa.
Hypothesis d_pos : 0 <= d.
Hypothesis D_pos : 0 <= D.
Hypothesis close : (kappa - 1) * Rr <= d \/
  forall u, In u points -> 0 < u -> - ln u <= kappa * Rr -> Rabs (rho * n u - - ln u) <= d.
Hypothesis below : forall u, In u points -> 0 < u -> - ln u / kappa <= rho * n u.
Hypothesis above_n : forall u, In u points -> 0 < u -> rho * n u <= kappa * - ln u.

(* clamp(round_to(x (+) s n(u), L), B); n(0) is infinite *)
Definition mechanism (x u : R) (s : bool) : R :=
  if dec (u = 0) then (if s then B else - B)
  else output emin prec k B (if s then x + n u else x - n u).
Notation Pr := (P2 R points).

Definition h := eta * (INR M * Lam - Lam / 2).
Hypothesis width : 2 * h < Lam.
Definition q := exp (- (rho * (Lam - 2 * h))).
Hypothesis Cm_pos : 0 < Cminus kappa d c q.
Notation eps := (epsilon c rho kappa d q D).

Lemma Lam_pos : 0 < Lam. Proof. apply bpow_gt_0. Qed.
Lemma q_range' : 0 <= q < 1.
Proof.
unfold q; split; [left; apply exp_pos|].
rewrite <- exp_0; apply exp_increasing; assert (0 < rho * (Lam - 2 * h)) by (apply Rmult_lt_0_compat; lra); lra.
Qed.

(* the grid index of a value, and the outcome of an index *)
Definition gi (v : R) : Z := ZnearestE (RN v * bpow radix2 (- k)).
Lemma to_gridE v : to_grid k (RN v) = IZR (gi v) * Lam.
Proof. reflexivity. Qed.
Definition clampz (j : Z) : Z := Z.max (- Z.of_nat M) (Z.min (Z.of_nat M) j).
Definition outcome (i : nat) : R := clamp B (IZR (Z.of_nat i - Z.of_nat M) * Lam).
Definition cell (x u : R) (s : bool) : nat :=
  Z.to_nat ((if dec (u = 0) then (if s then Z.of_nat M else - Z.of_nat M)
             else clampz (gi (if s then x + n u else x - n u))) + Z.of_nat M).

Lemma clamp_index j : clamp B (IZR (clampz j) * Lam) = clamp B (IZR j * Lam).
Proof.
assert (L := Lam_pos); unfold clampz.
destruct (Z_le_gt_dec (Z.of_nat M) j) as [H|H].
- rewrite Z.min_l, Z.max_r by lia; rewrite <- INR_IZR_INZ.
  assert (INR M * Lam <= IZR j * Lam) by (apply Rmult_le_compat_r; [lra|rewrite INR_IZR_INZ; now apply IZR_le]).
  unfold clamp, Rmax, Rmin; repeat destruct Rle_dec; lra.
- rewrite Z.min_r by lia; destruct (Z_le_gt_dec (- Z.of_nat M) j) as [H'|H'].
  + now rewrite Z.max_r by lia.
  + rewrite Z.max_l by lia; rewrite opp_IZR, <- INR_IZR_INZ.
    assert (IZR j * Lam <= - INR M * Lam) by (apply Rmult_le_compat_r; [lra|rewrite INR_IZR_INZ, <- opp_IZR; apply IZR_le; lia]).
    unfold clamp, Rmax, Rmin; repeat destruct Rle_dec; lra.
Qed.
Lemma mechanism_cell x u s : mechanism x u s = outcome (cell x u s).
Proof.
assert (R0 : forall j, (- Z.of_nat M <= j <= Z.of_nat M)%Z -> Z.of_nat (Z.to_nat (j + Z.of_nat M)) = (j + Z.of_nat M)%Z) by (intros; lia).
unfold mechanism, outcome, cell; destruct dec.
- destruct s; rewrite R0 by lia; [replace (Z.of_nat M + Z.of_nat M - Z.of_nat M)%Z with (Z.of_nat M) by lia|replace (- Z.of_nat M + Z.of_nat M - Z.of_nat M)%Z with (- Z.of_nat M)%Z by lia; rewrite opp_IZR];
  rewrite <- INR_IZR_INZ; unfold clamp, Rmax, Rmin; repeat destruct Rle_dec; lra.
- rewrite R0 by (unfold clampz; lia).
  replace (clampz (gi (if s then x + n u else x - n u)) + Z.of_nat M - Z.of_nat M)%Z with (clampz (gi (if s then x + n u else x - n u))) by lia.
  now rewrite clamp_index.
Qed.

(* Lemma 1: the cuts, the same for every input *)
Definition t_of (i : nat) := IZR (Z.of_nat i - Z.of_nat M) * Lam - Lam / 2.
Lemma cut_exists i : exists p : R * bool, (1 <= i <= 2 * M)%nat ->
  (forall v, (Z.of_nat i - Z.of_nat M <= gi v)%Z <-> above (snd p) (fst p) v) /\ Rabs (fst p - t_of i) <= eta * Rabs (t_of i).
Proof.
destruct (le_dec 1 i) as [A|A]; [|exists (0, true); lia].
destruct (le_dec i (2 * M)) as [A'|A']; [|exists (0, true); lia].
destruct (half_grid (Z.of_nat i - Z.of_nat M) ltac:(lia)) as [Ft Nt].
destruct (grid_cut emin prec k (IZR (Z.of_nat i - Z.of_nat M) * Lam)) as [m [s [H1 H2]]]; try assumption.
{ apply generic_format_FIX; exists (Float radix2 (Z.of_nat i - Z.of_nat M) k); reflexivity. }
exists (m, s); intros _; split; [|exact H2].
intros v; simpl; rewrite <- H1, to_gridE; split; intros H.
- apply Rmult_le_compat_r; [left; apply Lam_pos|now apply IZR_le].
- apply le_IZR; apply Rmult_le_reg_r with Lam; [apply Lam_pos|exact H].
Qed.
Definition cut i := fst (proj1_sig (constructive_indefinite_description _ (cut_exists i))).
Definition strict i := snd (proj1_sig (constructive_indefinite_description _ (cut_exists i))).
Lemma cut_spec i v : (1 <= i <= 2 * M)%nat -> ((Z.of_nat i - Z.of_nat M <= gi v)%Z <-> above (strict i) (cut i) v).
Proof. intros Hi; unfold cut, strict; destruct constructive_indefinite_description as [p Hp]; now apply Hp. Qed.
Lemma t_bound i : (1 <= i <= 2 * M)%nat -> Rabs (t_of i) <= INR M * Lam - Lam / 2.
Proof.
intros Hi; assert (L := Lam_pos); unfold t_of; rewrite minus_IZR, <- !INR_IZR_INZ.
assert (1 <= INR i) by (apply (le_INR 1); lia).
assert (INR i <= 2 * INR M) by (replace (2 * INR M) with (INR (2 * M)) by (rewrite mult_INR; reflexivity); apply le_INR; lia).
apply Rabs_le; split; nra.
Qed.
Lemma cut_near i : (1 <= i <= 2 * M)%nat -> Rabs (cut i - t_of i) <= h.
Proof.
intros Hi; apply Rle_trans with (eta * Rabs (t_of i)).
- unfold cut; destruct constructive_indefinite_description as [p Hp]; now apply Hp.
- apply Rmult_le_compat_l; [apply bpow_ge_0|now apply t_bound].
Qed.
Lemma cut_step i : (1 <= i < 2 * M)%nat -> Lam - 2 * h <= cut (S i) - cut i <= Lam + 2 * h.
Proof.
intros Hi; assert (A := cut_near i ltac:(lia)); assert (A' := cut_near (S i) ltac:(lia)).
assert (E : t_of (S i) = t_of i + Lam) by (unfold t_of; rewrite !minus_IZR, <- !INR_IZR_INZ, S_INR; ring).
apply Rabs_le_inv in A; apply Rabs_le_inv in A'; lra.
Qed.

Notation passes := (passes R (fun u => u) n cut strict).
Notation near := (near Rr rho (2 * M) cut).
Lemma cell_bound x u s : (cell x u s <= 2 * M)%nat.
Proof. unfold cell, clampz; destruct dec; [destruct s|]; lia. Qed.
Lemma cell_passes x u s i : In u points -> (1 <= i <= 2 * M)%nat -> ((i <= cell x u s)%nat <-> passes i x u s).
Proof.
intros Hu Hi; unfold cell, Threshold.passes; destruct dec as [E|E].
- destruct s; split; intros H; try lia; [now left|destruct H; lra].
- assert (C : forall v, (i <= Z.to_nat (clampz (gi v) + Z.of_nat M))%nat <-> above (strict i) (cut i) v).
  { intros v; rewrite <- cut_spec by exact Hi; unfold clampz; lia. }
  destruct s; rewrite C; tauto.
Qed.

Lemma gaps' i : (1 <= i < 2 * M)%nat -> cut i < cut (S i) /\ exp (- (rho * (cut (S i) - cut i))) <= q.
Proof.
intros Hi; assert (A := cut_step i Hi); split; [lra|].
unfold q; apply exp_le, Ropp_le_contravar, Rmult_le_compat_l; lra.
Qed.

Definition far x x' u s := ~ (near (cell x u s) x /\ near (cell x u s) x').

Lemma threshold x x' (E : R -> Prop) : Rabs (x - x') <= D ->
  Pr (fun u s => E (mechanism x u s)) <= exp eps * Pr (fun u s => E (mechanism x' u s)) + Pr (far x x').
Proof.
intros HD.
assert (X : forall y, Pr (fun u s => E (mechanism y u s)) = Pr (fun u s => E (outcome (cell y u s)))).
{ intros y; apply P2_ext; [exact nonempty| |]; intros u s _; now rewrite mechanism_cell. }
rewrite !X.
apply (cells_private R points nonempty (fun u => u) in_range c Rr c_pos law_fine n rho kappa d
  rho_pos kappa1 d_pos close below above_n (2 * M) cut strict cell) with (E := fun i => E (outcome i)); try assumption.
- apply cell_bound.
- intros; now apply cell_passes.
- lia.
- apply q_range'.
- apply gaps'.
Qed.

(* 1. every cut is within reach of every input *)
Theorem threshold_pure_by x x' (E : R -> Prop) : rho * (B + INR M * Lam - Lam / 2 + h) <= Rr ->
  Rabs x <= B -> Rabs x' <= B -> Rabs (x - x') <= D ->
  Pr (fun u s => E (mechanism x u s)) <= exp eps * Pr (fun u s => E (mechanism x' u s)).
Proof.
intros HT Hx Hx' HD.
assert (N0 : forall y i, Rabs y <= B -> near i y).
{ intros y i Hy j Hj _; apply Rle_trans with (2 := HT); apply Rmult_le_compat_l; [lra|].
  assert (A := cut_near j Hj); assert (A' := t_bound j Hj).
  replace (cut j - y) with (cut j - t_of j + (t_of j - y)) by ring.
  assert (T1 := Rabs_triang (cut j - t_of j) (t_of j - y)); assert (T2 := Rabs_triang (t_of j) (- y)).
  rewrite Rabs_Ropp in T2; unfold Rminus in *; lra. }
assert (H := threshold x x' E HD).
assert (Z : Pr (far x x') = 0).
{ assert (S := P2_sum R points nonempty (fun _ _ => True) (fun _ _ => True) (far x x')).
  rewrite (P2_true R points nonempty) in S.
  assert (1 = 1 + Pr (far x x')); [apply S; intros u s _; [tauto|]|lra].
  intros [_ G]; apply G; split; now apply N0. }
lra.
Qed.

(* 2. cells that are not near both inputs go into delta *)
Definition r := Rr - rho * (Lam + 2 * h + D).
Theorem threshold_far_by (c' : R) x x' (E : R -> Prop) : fine_law (prob points) c' r -> 0 <= r -> Rabs x <= B -> Rabs x' <= B -> Rabs (x - x') <= D ->
  Pr (fun u s => E (mechanism x u s)) <= exp eps * Pr (fun u s => E (mechanism x' u s)) + exp (- (r / kappa)) * (1 + c').
Proof.
intros fine' Hr Hx Hx' HD; apply Rle_trans with (1 := threshold x x' E HD); apply Rplus_le_compat_l.
assert (L := Lam_pos); assert (Hh : 0 <= h).
{ unfold h; apply Rmult_le_pos; [apply bpow_ge_0|]; assert (1 <= INR M) by (apply (le_INR 1); lia); nra. }
assert (rt : rho * (r / rho) = r) by (field; lra).
assert (r0 : 0 <= r / rho) by (apply Rmult_le_pos; [exact Hr|left; now apply Rinv_0_lt_compat]).
assert (U := upper_k R points nonempty (fun u => u) in_range c' r fine' n rho kappa rho_pos kappa1 above_n (r / rho) r0).
rewrite rt in U; specialize (U (Rle_refl r)); apply Rle_trans with (2 := U).
assert (PP : Pr (fun u _ => ge_ev R (fun u => u) n (r / rho) u) = prob points (ge_ev R (fun u => u) n (r / rho))).
{ set (z := prob points (ge_ev R (fun u => u) n (r / rho))); transitivity ((z + z) / 2); [reflexivity|field]. }
rewrite <- PP.
apply P2_mono; [exact nonempty|]; intros u s Hu Hf.
destruct (Req_dec u 0) as [U0|U0]; [now left|right].
(* a finite end of the cell is far from one of the inputs *)
assert (X : exists j y, (1 <= j <= 2 * M)%nat /\ (j = cell x u s \/ j = S (cell x u s)) /\ (y = x \/ y = x') /\ Rr < rho * Rabs (cut j - y)).
{ destruct (dec (exists j y, (1 <= j <= 2 * M)%nat /\ (j = cell x u s \/ j = S (cell x u s)) /\ (y = x \/ y = x') /\ Rr < rho * Rabs (cut j - y))) as [e|ne]; [exact e|exfalso].
  apply Hf; split; intros j Hj Ej; apply Rnot_lt_le; intros Hlt; apply ne; exists j; [exists x|exists x']; auto. }
destruct X as [j [y [Hj [Ej [Ey Hlt]]]]].
assert (Hy : Rabs y <= B /\ Rabs (y - x) <= D).
{ destruct Ey as [-> | ->]; split; try assumption; [unfold Rminus; rewrite Rplus_opp_r, Rabs_R0; lra|now rewrite Rabs_minus_sym]. }
destruct Hy as [HyB HyD]; apply Rabs_le_inv in HyB; apply Rabs_le_inv in HyD.
assert (Hlt' : Rr / rho < Rabs (cut j - y)).
{ apply Rmult_lt_reg_l with rho; [exact rho_pos|]; replace (rho * (Rr / rho)) with Rr by (field; lra); exact Hlt. }
assert (rr : r / rho = Rr / rho - (Lam + 2 * h + D)) by (unfold r; field; lra).
assert (Un : 0 < u) by (assert (H := in_range u Hu); lra).
assert (Hn := noise_pos R points (fun u => u) in_range n rho kappa rho_pos kappa1 below u Hu Un).
set (v := if s then x + n u else x - n u).
assert (Hv : Rabs (v - x) = n u) by (unfold v; destruct s; [replace (x + n u - x) with (n u) by ring|replace (x - n u - x) with (- n u) by ring; rewrite Rabs_Ropp]; apply Rabs_pos_eq; lra).
assert (V : forall i, (1 <= i <= 2 * M)%nat -> ((i <= cell x u s)%nat <-> above (strict i) (cut i) v)).
{ intros i Hi; rewrite (cell_passes x u s i Hu Hi); unfold v, Threshold.passes; destruct s; tauto. }
assert (lo : forall i, (1 <= i <= 2 * M)%nat -> (i <= cell x u s)%nat -> cut i <= v).
{ intros i Hi Hle; apply (V i Hi) in Hle; unfold above in Hle; destruct strict; lra. }
assert (hi : forall i, (1 <= i <= 2 * M)%nat -> (cell x u s < i)%nat -> v <= cut i).
{ intros i Hi Hle; apply Rnot_lt_le; intros Hc; assert ((i <= cell x u s)%nat); [|lia].
  apply (V i Hi); unfold above; destruct strict; lra. }
assert (big : r / rho <= Rabs (v - x)); [|lra].
assert (CB := cell_bound x u s).
destruct (Rle_or_lt 0 (cut j - y)) as [P|P].
- rewrite Rabs_pos_eq in Hlt' by exact P.
  destruct (Nat.eq_dec (cell x u s) 0) as [C0|C0].
  + exfalso; assert (j = 1)%nat by lia; subst j.
    assert (A := cut_near 1 Hj); apply Rabs_le_inv in A.
    assert (T1 : t_of 1 = - (INR M * Lam) + Lam / 2) by (unfold t_of; rewrite minus_IZR, <- !INR_IZR_INZ; simpl INR; lra).
    assert (Rr / rho >= Lam + 2 * h + D) by lra. lra.
  + apply Rle_trans with (v - x); [|apply Rle_abs].
    destruct Ej as [-> | ->].
    * assert (H := lo _ Hj ltac:(lia)); lra.
    * assert (H := lo (cell x u s) ltac:(lia) ltac:(lia)); assert (H' := cut_step (cell x u s) ltac:(lia)); lra.
- rewrite Rabs_left in Hlt' by exact P.
  destruct (Nat.eq_dec (cell x u s) (2 * M)) as [C0|C0].
  + exfalso; assert (E0 : j = (2 * M)%nat) by lia; subst j.
    assert (A := cut_near _ Hj); apply Rabs_le_inv in A.
    assert (T1 : t_of (2 * M) = INR M * Lam - Lam / 2) by (unfold t_of; rewrite minus_IZR, <- !INR_IZR_INZ, mult_INR; simpl (INR 2); lra).
    lra.
  + apply Rle_trans with (- (v - x)); [|rewrite <- Rabs_Ropp; apply Rle_abs].
    destruct Ej as [-> | ->].
    * assert (H := hi (S (cell x u s)) ltac:(lia) ltac:(lia)); assert (H' := cut_step (cell x u s) ltac:(lia)); lra.
    * assert (H := hi _ Hj ltac:(lia)); lra.
Qed.
End Float.

(* ---- with a uniform real rounded down to the format ---- *)
Section Star.
Variables emin prec k : Z.
Context {prec_gt_0_ : Prec_gt_0 prec}.
Hypothesis emin_neg : (emin + prec <= 0)%Z.
Notation F := (generic_format radix2 (FLT_exp emin prec)).
Notation Lam := (bpow radix2 k).
Notation eta2 := (bpow radix2 (1 - prec)).
Notation tiny := (bpow radix2 (emin + prec - 1)).
Variables (B : R) (M : nat).
Hypothesis M_pos : (1 <= M)%nat.
Hypothesis B_range : 0 < B <= INR M * Lam.
Hypothesis half_grid : forall j : Z, (- Z.of_nat M < j <= Z.of_nat M)%Z ->
  F (IZR j * Lam - Lam / 2) /\ tiny <= Rabs (IZR j * Lam - Lam / 2).
Notation points := (Uniform.points emin prec).
Variables (Rr : R) (n : R -> R) (rho kappa d D : R).
Hypothesis Rr_fine : Rr <= - IZR (emin + prec - 1) * ln 2.
Hypothesis rho_pos : 0 < rho.
Hypothesis kappa1 : 1 <= kappa.
Hypothesis d_pos : 0 <= d.
Hypothesis D_pos : 0 <= D.
Hypothesis close : (kappa - 1) * Rr <= d \/
  forall u, In u points -> 0 < u -> - ln u <= kappa * Rr -> Rabs (rho * n u - - ln u) <= d.
Hypothesis below : forall u, In u points -> 0 < u -> - ln u / kappa <= rho * n u.
Hypothesis above_n : forall u, In u points -> 0 < u -> rho * n u <= kappa * - ln u.
Notation h := (h prec k M).
Notation q := (q prec k M rho).
Hypothesis width : 2 * h < Lam.
Hypothesis Cm_pos : 0 < Cminus kappa d eta2 q.
Notation eps := (epsilon eta2 rho kappa d q D).
Notation Pr := (P2 R points).
Notation mechanism := (mechanism emin prec k B n).
Notation r := (r prec k M Rr rho D).

Lemma star_nonempty : points <> nil.
Proof. apply points_nonempty, (emin0 emin prec emin_neg). Qed.
Lemma star_range u : In u points -> 0 <= u < 1.
Proof. intros H; apply (points_U emin prec (emin0 emin prec emin_neg)) in H; apply H. Qed.

Theorem threshold_pure x x' (E : R -> Prop) : rho * (B + INR M * Lam - Lam / 2 + h) <= Rr ->
  Rabs x <= B -> Rabs x' <= B -> Rabs (x - x') <= D ->
  Pr (fun u s => E (mechanism x u s)) <= exp eps * Pr (fun u s => E (mechanism x' u s)).
Proof.
intros; apply (threshold_pure_by emin prec k B M M_pos B_range half_grid points eta2 Rr); auto using star_nonempty, star_range, bpow_ge_0.
exact (star_fine emin prec emin_neg Rr Rr_fine).
Qed.
Theorem threshold_far x x' (E : R -> Prop) : 0 <= r -> Rabs x <= B -> Rabs x' <= B -> Rabs (x - x') <= D ->
  Pr (fun u s => E (mechanism x u s)) <= exp eps * Pr (fun u s => E (mechanism x' u s)) + exp (- (r / kappa)) * (1 + eta2).
Proof.
intros; apply (threshold_far_by emin prec k B M M_pos B_range half_grid points eta2 Rr); auto using star_nonempty, star_range, bpow_ge_0.
- exact (star_fine emin prec emin_neg Rr Rr_fine).
- apply (star_fine emin prec emin_neg); apply Rle_trans with (2 := Rr_fine).
  assert (L := bpow_gt_0 radix2 k); assert (Hh : 0 <= h).
  { unfold Threshold.h; apply Rmult_le_pos; [apply bpow_ge_0|]; assert (1 <= INR M) by (apply (le_INR 1); lia); nra. }
  unfold Threshold.r; assert (0 <= rho * (Lam + 2 * h + D)) by (apply Rmult_le_pos; lra); lra.
Qed.
End Star.
