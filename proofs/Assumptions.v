(* What the headline theorems rest on, a group at a time: Print Assumptions of a tuple is that of all its parts.
   scripts/proofs.sh compares the output with its list of axioms of classical analysis. *)
From Probity Require Rules Laws Sampling Finite Additive Privacy Equivalence Coupling Continuous Logarithm SignedLog Papers Snap Cases.
From Probity Require Uniform Noise Cell Cuts Threshold Pipeline Snapped Evidence Lemmas Formulas Certificate Blocks Pairs.

(* the rules for programs *)
Definition rules_for_programs := (
  @Rules.skip,
  @Rules.assign,
  @Rules.append,
  @Rules.one_sided_both,
  @Rules.seq,
  @Rules.cond,
  @Rules.for_loop,
  @Rules.while_loop,
  @Rules.strengthen,
  @Rules.weaken,
  @Rules.case,
  @Rules.frame,
  @Rules.sample,
  @Rules.up_to_bad,
  @Coupling.coupling_judge).
Print Assumptions rules_for_programs.

(* sampling *)
Definition sampling_rules := (
  @Sampling.null,
  @Sampling.dlapgen,
  @Sampling.dselect,
  @Sampling.geogen,
  @Finite.same_value,
  @Continuous.lapgen,
  @Continuous.select,
  @Continuous.expgen,
  @Continuous.scale,
  @SignedLog.signed_log,
  @Continuous.up_to_tail).
Print Assumptions sampling_rules.

(* the laws are normalised *)
Definition laws_are_normalised := (
  @Laws.total_bernoulli,
  @Laws.total_sign,
  @Laws.total_uniform_int,
  @Laws.total_uniform_other,
  @Laws.total_response,
  @Laws.total_discrete_laplace,
  @Laws.total_geometric,
  @Laws.total_discrete_gaussian,
  @Continuous.total_laplace,
  @Continuous.total_exponential,
  @Continuous.total_uniform).
Print Assumptions laws_are_normalised.

(* equivalences and privacy *)
Definition equivalences_and_privacy := (
  @Equivalence.response_law,
  @Logarithm.change,
  @SignedLog.pair_law,
  @SignedLog.laplace_law,
  @Equivalence.inline,
  @Equivalence.conditional,
  @Equivalence.name,
  @Privacy.equal_outputs,
  @Privacy.pw_eq,
  @Privacy.group,
  @Additive.additive_while).
Print Assumptions equivalences_and_privacy.

(* evidence and lemmas *)
Definition evidence_and_lemmas := (
  @Evidence.entailment,
  @Lemmas.round_near,
  @Lemmas.pow2).
Print Assumptions evidence_and_lemmas.

(* the threshold theorem *)
Definition threshold_theorem := (
  @Uniform.P_lt,
  @Noise.lemma2,
  @Cell.lemma3,
  @Cuts.lemma1,
  @Cuts.overflow,
  @Threshold.threshold_pure,
  @Threshold.threshold_far,
  @Snapped.snapped_pure,
  @Snapped.snapped_far,
  @Snapped.family).
Print Assumptions threshold_theorem.

(* the papers *)
Definition papers := (
  @Papers.discrete_laplace_map,
  @Papers.discrete_laplace_vector,
  @Papers.discrete_laplace_modular,
  @Papers.randomized_response,
  @Snap.snap_private,
  @Snap.snap_derived,
  @Cases.noise_cdf,
  @Cases.outcome_ratio,
  @Cases.snap_by_cases).
Print Assumptions papers.

(* certificates *)
Definition certificates := (
  @Formulas.rows_added,
  @Formulas.rows_addedZ,
  @Formulas.rows_replaced,
  @Formulas.rows_replacedZ,
  @Formulas.one_entry,
  @Certificate.j_for,
  @Certificate.j_laplace,
  @Certificate.j_select,
  @Certificate.j_discrete_laplace,
  @Certificate.j_private,
  @Blocks.j_same_value,
  @Pairs.pair_laplace,
  @Pairs.j_signed_log).
Print Assumptions certificates.
