(* What the files about laws with a density open with: Prelude.v, and measures and integrals. *)
From Probity Require Export Prelude.
From mathcomp.analysis Require Export signed measure lebesgue_measure numfun lebesgue_integral.
Export numFieldNormedType.Exports.
