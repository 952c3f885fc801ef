(* What the files for exported certificates open with: the real numbers and integers of Coq's standard library, with MathComp beside them.  There
   field, ring and lra are the standard library's. *)
From Coq Require Export Reals ZArith Lia Lra.
From mathcomp Require Export all_ssreflect all_algebra.
From mathcomp.classical Require Export boolp classical_sets.
From mathcomp.analysis Require Export reals ereal topology normedtype sequences exp Rstruct.
From mathcomp.zify Require Export ssrZ.
#[export] Set Implicit Arguments.
#[export] Unset Strict Implicit.
#[export] Unset Printing Implicit Defensive.
Export Order.TTheory GRing.Theory Num.Theory.
Delimit Scope ring_scope with R.
Delimit Scope Z_scope with Z.
