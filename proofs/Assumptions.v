(* What the headline theorems rest on, a group at a time: Print Assumptions of a tuple is that of all its parts.
   scripts/proofs.sh compares the output with its list of axioms of classical analysis. *)
From Probity Require Rules Laws Sampling Finite Additive Privacy Equivalence Coupling Continuous Logarithm SignedLog Papers Snap Cases.
From Probity Require Uniform Noise Cell Cuts Threshold Pipeline Snapped Evidence Lemmas Formulas Certificate Blocks Pairs.
From Probity Require Compared Concentrated Gaussian DiscreteGaussian CertificateRho Chosen Samples Calls Norms Draws Memory Outcomes.
From Probity Require Once Branches Tails TailsInt UpTo Bounded Plane Centered Normal NormalTail TwoSided Trees CertificateMu CertificateSample Groups Called PermuteFlip CertificateCall NormalSum Mu MuOrder.
From Probity Require Gumbel Answers Alike Values Exchange Selected.

(* the rules for programs *)
Definition rules_for_programs := (
  @Rules.skip,
  @Rules.assign,
  @Rules.append,
  @Rules.one_sided_both,
  @Rules.seq,
  @Rules.seq_for,
  @Rules.cond,
  @Rules.for_rounds,
  @Rules.for_loop,
  @Rules.while_loop,
  @Rules.strengthen,
  @Rules.weaken,
  @Rules.case,
  @Rules.frame,
  @Rules.sample,
  @Rules.up_to_bad,
  @Once.for_loop_once,
  @Alike.alike,
  @Alike.c_alike,
  @Coupling.coupling_judge).
Print Assumptions rules_for_programs.

(* sampling *)
Definition sampling_rules := (
  @Sampling.null,
  @Sampling.dlapgen,
  @Sampling.dselect,
  @Sampling.geogen,
  @Finite.same_value,
  @Trees.mass_followed,
  @Trees.kept_last,
  @Trees.compared,
  @Trees.share_plus,
  @Trees.share_times,
  @Trees.fraction,
  @Continuous.lapgen,
  @Continuous.select,
  @Continuous.expgen,
  @Gumbel.gumgen,
  @Selected.select_exponential,
  @Selected.select_gumbel,
  @Selected.select_geometric,
  @Continuous.scale,
  @SignedLog.signed_log,
  @Continuous.up_to_tail,
  @Tails.up_to_upper_tail,
  @TailsInt.up_to_upper_tail_int,
  @Tails.up_to_open_tail,
  @TailsInt.up_to_open_tail_int,
  @Chosen.chosen,
  @PermuteFlip.permute_flip,
  @Calls.selected,
  @Answers.cases,
  @Answers.cases_all,
  @Calls.called,
  @Called.equal_outputs_tests,
  @Called.called_tests).
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
  @Continuous.total_uniform,
  @Gumbel.total_gumbel,
  @Gaussian.total_gaussian,
  @Chosen.total_choose,
  @PermuteFlip.total_permute_and_flip,
  @Samples.total_sample).
Print Assumptions laws_are_normalised.

(* equivalences and privacy *)
Definition equivalences_and_privacy := (
  @Equivalence.response_law,
  @Equivalence.mixture_law,
  @Equivalence.unrolled,
  @Equivalence.range_loop,
  @Logarithm.change,
  @SignedLog.pair_law,
  @SignedLog.laplace_law,
  @TwoSided.difference_law,
  @TwoSided.difference_law_turned,
  @TwoSided.difference_law_int,
  @TwoSided.sign_law,
  @TwoSided.sign_law_turned,
  @TwoSided.coin_law,
  @TwoSided.exponential_law,
  @Gumbel.gumbel_law,
  @Gumbel.gumbel_law_exponential,
  @Gumbel.gumbel_step,
  @Gumbel.gumbel_step_exponential,
  @Gumbel.gumbel_inverse,
  @Equivalence.inline,
  @Equivalence.conditional,
  @Equivalence.name,
  @Branches.hoist,
  @Branches.join,
  @Branches.tail,
  @Centered.affine_laplace,
  @Centered.affine_gaussian,
  @Centered.affine_discrete_laplace,
  @Centered.affine_discrete_gaussian,
  @Centered.center,
  @Centered.exchanged_density,
  @Exchange.center_any,
  @Exchange.ex_while,
  @Exchange.countable_exchange,
  @Privacy.equal_outputs,
  @Privacy.pw_eq,
  @Privacy.group,
  @Groups.group_at_most,
  @Samples.amplify,
  @Additive.additive_while).
Print Assumptions equivalences_and_privacy.

(* the concentrated measure *)
Definition concentrated_measure := (
  @Concentrated.below_power,
  @Compared.c_assign,
  @Compared.c_one_sided_both,
  @Compared.c_seq,
  @Compared.c_cond,
  @Compared.c_for_loop,
  @Compared.c_strengthen,
  @Compared.c_weaken,
  @Compared.c_frame,
  @Compared.c_null,
  @Concentrated.z_equal_outputs,
  @Concentrated.zcdp_order,
  @Concentrated.zcdp_tail,
  @Gaussian.gauss,
  @DiscreteGaussian.theta_le,
  @DiscreteGaussian.dgauss,
  @Bounded.two_values,
  @Bounded.bounded_loss,
  @Bounded.bounded_loss_int,
  @Bounded.bounded_range,
  @Groups.z_step,
  @Groups.z_group,
  @Called.z_called,
  @Called.z_called_pure,
  @Normal.normal_profile,
  @Normal.gdp_normal,
  @Normal.gdp_draw,
  @NormalSum.normal_sum,
  @NormalSum.gap_draw,
  @NormalSum.mu_gauss,
  @NormalTail.gdp_tail,
  @Mu.gap_profile,
  @Mu.m_gauss,
  @Mu.m_equal_outputs,
  @Mu.gdp_tests_gdp,
  @Mu.m_called,
  @Mu.gdp_step,
  @Mu.gdp_group,
  @MuOrder.gdp_order,
  @MuOrder.gdp_order_tail).
Print Assumptions concentrated_measure.

(* evidence and lemmas *)
Definition evidence_and_lemmas := (
  @Evidence.entailment,
  @Lemmas.round_near,
  @Lemmas.pow2,
  @Lemmas.root,
  @Values.exp_value,
  @Values.ln_value,
  @Chosen.apart_every,
  @Chosen.apart_grows,
  @Chosen.apart_one,
  @Chosen.apart_wider,
  @Norms.every_l1,
  @Norms.every_l2,
  @Norms.moved_l1,
  @Norms.moved_l2).
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
  @Formulas.every_entryZ,
  @Formulas.every_entry_growsZ,
  @Formulas.one_entryZ,
  @Certificate.j_for,
  @Certificate.j_while,
  @Certificate.j_laplace,
  @Certificate.j_select,
  @Certificate.j_discrete_laplace,
  @Certificate.j_private,
  @Blocks.j_same_value,
  @Pairs.pair_laplace,
  @Pairs.j_signed_log,
  @CertificateRho.zj_for,
  @CertificateRho.zj_private,
  @CertificateRho.zj_tail,
  @Chosen.j_scored,
  @Draws.j_null,
  @Draws.j_nullZ,
  @Draws.j_exponential,
  @Draws.j_geometric,
  @UpTo.j_up_to_tail,
  @UpTo.j_up_to_upper_tail,
  @UpTo.j_for_once,
  @UpTo.j_private_up_to,
  @CertificateMu.mj_tests,
  @CertificateMu.mj_private,
  @CertificateMu.mj_order_tail,
  @CertificateMu.mj_tail,
  @CertificateSample.sampled_private,
  @CertificateCall.call_tests,
  @CertificateCall.j_call,
  @Memory.a_density,
  @Outcomes.j_one_sided,
  @Outcomes.j_pointwise).
Print Assumptions certificates.
