(* What the files about programs, laws and judgements open with: MathComp with its algebra tactics, its classical sets and functions, extended reals,
   sequences, sums and exponentials.  Scopes of notations are opened by each file that wants them. *)
From mathcomp Require Export all_ssreflect all_algebra.
From mathcomp Require Export ring.
From mathcomp.classical Require Export boolp classical_sets functions.
From mathcomp.analysis Require Export reals ereal topology normedtype sequences esum exp.
#[export] Set Implicit Arguments.
#[export] Unset Strict Implicit.
#[export] Unset Printing Implicit Defensive.
Export Order.TTheory GRing.Theory Num.Theory.
