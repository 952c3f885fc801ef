(* What the headline theorems rest on: scripts/proofs.sh compares the output with its list of axioms of classical analysis. *)
From Probity Require Rules Laws Sampling Finite Additive Privacy Equivalence Coupling Continuous Papers Snap.
From Probity Require Uniform Noise Cell Cuts Threshold Pipeline Snapped Evidence Lemmas.

(* the rules for programs *)
Print Assumptions Rules.skip.
Print Assumptions Rules.assign.
Print Assumptions Rules.append.
Print Assumptions Rules.one_sided_both.
Print Assumptions Rules.seq.
Print Assumptions Rules.cond.
Print Assumptions Rules.for_loop.
Print Assumptions Rules.while_loop.
Print Assumptions Rules.strengthen.
Print Assumptions Rules.weaken.
Print Assumptions Rules.case.
Print Assumptions Rules.frame.
Print Assumptions Rules.sample.
Print Assumptions Rules.up_to_bad.
Print Assumptions Coupling.coupling_judge.
(* sampling *)
Print Assumptions Sampling.null.
Print Assumptions Sampling.dlapgen.
Print Assumptions Sampling.dselect.
Print Assumptions Sampling.geogen.
Print Assumptions Finite.same_value.
Print Assumptions Continuous.lapgen.
Print Assumptions Continuous.select.
Print Assumptions Continuous.expgen.
Print Assumptions Continuous.scale.
Print Assumptions Continuous.up_to_tail.
(* the laws are normalised *)
Print Assumptions Laws.total_bernoulli.
Print Assumptions Laws.total_sign.
Print Assumptions Laws.total_uniform_int.
Print Assumptions Laws.total_uniform_other.
Print Assumptions Laws.total_response.
Print Assumptions Laws.total_discrete_laplace.
Print Assumptions Laws.total_geometric.
Print Assumptions Laws.total_discrete_gaussian.
Print Assumptions Continuous.total_laplace.
Print Assumptions Continuous.total_exponential.
Print Assumptions Continuous.total_uniform.
(* equivalences and privacy *)
Print Assumptions Equivalence.response_law.
Print Assumptions Equivalence.inline.
Print Assumptions Equivalence.conditional.
Print Assumptions Equivalence.name.
Print Assumptions Privacy.equal_outputs.
Print Assumptions Privacy.pw_eq.
Print Assumptions Privacy.group.
Print Assumptions Additive.additive_while.
(* evidence and lemmas *)
Print Assumptions Evidence.entailment.
Print Assumptions Lemmas.round_near.
Print Assumptions Lemmas.pow2.
(* the threshold theorem *)
Print Assumptions Uniform.P_lt.
Print Assumptions Noise.lemma2.
Print Assumptions Cell.lemma3.
Print Assumptions Cuts.lemma1.
Print Assumptions Cuts.overflow.
Print Assumptions Threshold.threshold_pure.
Print Assumptions Threshold.threshold_far.
Print Assumptions Snapped.snapped_pure.
Print Assumptions Snapped.snapped_far.
Print Assumptions Snapped.family.
(* the papers *)
Print Assumptions Papers.discrete_laplace_map.
Print Assumptions Papers.discrete_laplace_vector.
Print Assumptions Papers.discrete_laplace_modular.
Print Assumptions Papers.randomized_response.
Print Assumptions Snap.snap_private.
