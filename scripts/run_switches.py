#!/usr/bin/env python3
"""Switches conditions of crates/run off, one at a time, and sees a test fail.

The crate carries no switches. This script puts them into its sources, each behind a number that an environment variable names, builds the tests
once, takes the switches out again, and runs the tests with each number until one fails. It wants `git status` to be clean for crates/run.

    scripts/run_switches.py            all of them
    scripts/run_switches.py TEXT       those whose name has a text
"""

import json
import os
import shutil
import subprocess
import sys
import tempfile
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
SOURCE = ROOT / "crates/run/src"
TESTS = ["refusals", "ties", "same_for_all", "errors", "sample"]

# (name, file, text, the same with the condition off where OFF is true)
SWITCHES = [
    # Which texts may run.
    ("logarithms with exponentials, of a text", "program/decidable.rs",
     "let mixed = self.exponentials && self.logs != (0, 0);", "let mixed = !OFF && self.exponentials && self.logs != (0, 0);"),
    ("what has no form is not decided", "program/decidable.rs",
     "!self.varies || !self.opaque && !mixed", "!self.varies || (OFF || !self.opaque) && !mixed"),
    ("ln of degree 1, of a text", "program/decidable.rs",
     "match self.is_polynomial() && self.degree <= 1 {", "match self.is_polynomial() && (OFF || self.degree <= 1) {"),
    ("exp of a polynomial, of a text", "program/decidable.rs",
     "match self.is_polynomial() {", "match OFF || self.is_polynomial() {"),
    ("fixed only outside of branches", "program/decidable.rs",
     "let fixed = outermost && self.assigned", "let fixed = (OFF || outermost) && self.assigned"),
    ("fixed only if set once", "program/decidable.rs",
     "self.assigned.get(var) == Some(&1)", "(OFF || self.assigned.get(var) == Some(&1))"),
    ("the second decision of clamp", "program/decidable.rs",
     "self.decides(Shape { varies, ..smaller.plus(low) }, expr)?;", "if !OFF { self.decides(Shape { varies, ..smaller.plus(low) }, expr)?; }"),
    ("a scale made of draws", "program/decidable.rs",
     "if scale.degree == 0 { Shape::DRAW }", "if OFF || scale.degree == 0 { Shape::DRAW }"),
    # Sizes.
    ("size of what is refined", "program/sizes.rs", "(true, true) => all <= MOST_REFINED", "(true, true) => (OFF || all <= MOST_REFINED)"),
    ("tangled sums", "program/sizes.rs", "&& !self.tangled", "&& (OFF || !self.tangled)"),
    ("size of what is fixed", "program/sizes.rs", "all <= MOST_FIXED", "OFF || all <= MOST_FIXED"),
    ("size of rational numbers", "program/sizes.rs", "self.whole <= MOST_WHOLE && ", "(OFF || self.whole <= MOST_WHOLE) && "),
    ("digits of rational numbers", "program/sizes.rs", " && self.fixed <= MOST_WHOLE", " && (OFF || self.fixed <= MOST_WHOLE)"),
    ("size of divisors", "program/sizes.rs", "(TERMS..=MOST_PARTS).contains(&self.parts)", "(TERMS..=if OFF { u64::MAX } else { MOST_PARTS }).contains(&self.parts)"),
    ("divisors that are squared", "program/sizes.rs", "self.parts <= MOST_WHOLE || ", "(self.parts <= MOST_WHOLE || OFF && self.parts <= MOST_PARTS) || "),
    ("size of what is drawn and computed", "program/sizes.rs", "true => self.whole <= MOST_REFINED &&", "true => (OFF || self.whole <= MOST_REFINED) &&"),
    ("digits of what is drawn and computed", "program/sizes.rs", " && self.fixed <= MOST_REFINED", " && (OFF || self.fixed <= MOST_REFINED)"),
    ("size of the answer", "program/sizes.rs", "decided(output, &mechanism.output).map(drop)", "if OFF { Ok(()) } else { decided(output, &mechanism.output).map(drop) }"),
    ("size of what floor, abs and ln decide", "program/sizes.rs", "                decided(a, expr)?;\n", "                if !OFF { decided(a, expr)?; }\n"),
    ("size of divisors that are held against 0", "program/sizes.rs", "decided(right, expr)?;\n", "if !OFF { decided(right, expr)?; }\n"),
    ("size of parameters of laws", "program/sizes.rs", "|e: &Expr| decided(size(e, state)?, e);", "|e: &Expr| if OFF { size(e, state) } else { decided(size(e, state)?, e) };"),
    ("size of minima", "program/sizes.rs", "decided(left.plus(right), expr)?;\n                    left.join", "if !OFF { decided(left.plus(right), expr)?; }\n                    left.join"),
    ("size of what is compared", "program/sizes.rs", "decided(left.plus(right), expr)?;\n                    Size { varies", "if !OFF { decided(left.plus(right), expr)?; }\n                    Size { varies"),
    ("assumptions are sized without themselves", "program/sizes.rs", "        size(assumption, &state)?;\n", "        if !OFF { size(assumption, &state)?; }\n"),
    ("sums over sums", "program/sizes.rs", "added.parts.saturating_mul(TERMS)", "added.parts.saturating_mul(if OFF { 1 } else { TERMS })"),
    ("loops whose sizes do not settle", "program/sizes.rs", "if *state == before {", "if OFF || *state == before {"),
    ("as many terms as there may be", "program/sizes.rs", "if now > before { u64::MAX } else { now }", "if now > before && !OFF { u64::MAX } else { now }"),
    # What inputs are assumed to be.
    ("a bound below", "program/bounds.rs", "let (low, high) = (bounds.low?, bounds.high?);", "let (low, high) = if OFF { (Rational::ZERO, bounds.high?) } else { (bounds.low?, bounds.high?) };"),
    ("a bound above", "program/bounds.rs", "let (low, high) = (bounds.low?, bounds.high?);", "let (low, high) = if OFF { (bounds.low?, Rational::ZERO) } else { (bounds.low?, bounds.high?) };"),
    ("the larger bound", "program/bounds.rs", "Some(bits(&low).max(bits(&high)))", "Some(if OFF { bits(&high) } else { bits(&low).max(bits(&high)) })"),
    ("bounds of the variable itself", "program/bounds.rs", "matches!(e, Expr::Var(v) if v == variable)", "matches!(e, Expr::Var(v) if OFF || v == variable)"),
    ("sides of a comparison", "program/bounds.rs", "Binary::Ge | Binary::Gt => (b, a),", "Binary::Ge | Binary::Gt => if OFF { (a, b) } else { (b, a) },"),
    # How often a run draws.
    ("branches that draw alike", "program/counted.rs", "if then == otherwise {", "if OFF || then == otherwise {"),
    ("branches on what is public", "program/counted.rs", "} else if self.is_public(guard) {", "} else if OFF || self.is_public(guard) {"),
    ("bounds of a loop that draws", "program/counted.rs", "let has_public_bounds = self.is_public(from) && self.is_public(to);", "let has_public_bounds = OFF || self.is_public(from) && self.is_public(to);"),
    ("loops without an end that is known", "program/counted.rs", "if self.block(body)? != Count::default() {", "if !OFF && self.block(body)? != Count::default() {"),
    ("variables that are set once", "program/counted.rs", "self.assigned.get(name) == Some(&1)", "(OFF || self.assigned.get(name) == Some(&1))"),
    ("lists of inputs", "program/counted.rs", "self.lists.contains(name) && !self", "(OFF || self.lists.contains(name)) && !self"),
    ("public variables", "program/counted.rs", "=> self.public.contains(name)", "=> OFF || self.public.contains(name)"),
    ("no count after a failure", "proved/session.rs", "            self.counts_draws = false;\n", "            self.counts_draws &= OFF;\n"),
    ("no count of what is not public", "proved/session.rs", "self.counts_draws.then_some(", "(OFF || self.counts_draws).then_some("),
    # What runs at all.
    ("theorems about nothing", "proved.rs", "if let Ok(Vacuity::Vacuous(reason)) = vacuity(&program.mechanism) {", "if let (false, Ok(Vacuity::Vacuous(reason))) = (OFF, vacuity(&program.mechanism)) {"),
    ("claims about floats", "proved.rs", "if matches!(settled.claim.reading, Reading::Binary { .. }) {", "if !OFF && matches!(settled.claim.reading, Reading::Binary { .. }) {"),
    ("length of parameters", "proved.rs", ".find(|setting| bits(&setting.value) > MOST_PARAMETER_BITS)", ".find(|setting| !OFF && bits(&setting.value) > MOST_PARAMETER_BITS)"),
    ("tables that the text does not have", "proved.rs", ".find(|name| self.fields(name).is_none())", ".find(|name| !OFF && self.fields(name).is_none())"),
    ("grids above 0", "proved.rs", "if grid <= Rational::ZERO {", "if !OFF && grid <= Rational::ZERO {"),
    ("length of grids", "proved.rs", "if bits(&grid) > MOST_PARAMETER_BITS {", "if !OFF && bits(&grid) > MOST_PARAMETER_BITS {"),
    ("grids of truth values", "proved.rs", "if !self.code.output.has_numbers() {", "if !OFF && !self.code.output.has_numbers() {"),
    ("real answers without a grid", "proved.rs", "match self.grid.is_none() && ", "match !OFF && self.grid.is_none() && "),
    ("types of inputs", "proved.rs", "        inputs.check(&self.mechanism)?;\n", "        if !OFF { inputs.check(&self.mechanism)?; }\n"),
    ("assumptions about inputs", "proved.rs", "if !session.machine.truths[*register as usize] {", "if !OFF && !session.machine.truths[*register as usize] {"),
    ("tables that are not there yet", "proved.rs", "if !self.is_filled {", "if !OFF && !self.is_filled {"),
    # Logarithms of uniform draws.
    ("draws that are read through logarithms alone", "logarithms.rs", "uses.0.retain(|_, only_logarithms| *only_logarithms);", "uses.0.retain(|_, only_logarithms| OFF || *only_logarithms);"),
    # What is written as a loop over rows.
    ("two divisors of a sum", "tableless.rs", "if [condition, value].into_iter().any(|e| divides_by_field(e, over)) {", "if !OFF && [condition, value].into_iter().any(|e| divides_by_field(e, over)) {"),
    ("samples of samples", "tableless.rs", "if !self.fields.contains_key(name) {", "if !OFF && !self.fields.contains_key(name) {"),
    ("what is assumed of rows is about rows", "tableless.rs", "|| e.find_variable(&foreign).is_some())", "|| !OFF && e.find_variable(&foreign).is_some())"),
    ("sums of samples are computed when they are drawn", "tableless.rs", "Some(index) if sampled.is_none() && ", "Some(index) if (OFF || sampled.is_none()) && "),
    ("sums that are computed before", "tableless.rs", " && is_computed(condition) && is_computed(value) =>", " && (OFF || is_computed(condition)) && is_computed(value) =>"),
    # Memory.
    ("sums over rows that are settled", "program/machine.rs", "if last || self.tape.bytes_since", "if !OFF && last || !OFF && self.tape.bytes_since"),
    ("sums over many rows that are settled on the way", "program/machine.rs", "|| self.tape.bytes_since(mark) > MOST_ROW_BYTES", "|| !OFF && self.tape.bytes_since(mark) > MOST_ROW_BYTES"),
    ("coins that are forgotten", "program/machine.rs", "=> self.tape.forget(self.notes[note as usize]),", "=> if !OFF { self.tape.forget(self.notes[note as usize]) },"),
    ("coins that do not count", "program/machine.rs", "usize::from(!self.is_coins[list as usize])", "usize::from(OFF || !self.is_coins[list as usize])"),
    ("loops that leave something", "program/most.rs", "self.is_open |= turn.leaves();", "self.is_open |= !OFF && turn.leaves();"),
    ("loops to any number", "program/most.rs", "self.is_open |= ![from, to]", "self.is_open |= !OFF && ![from, to]"),
    ("loops that a longer list turns", "program/most.rs", "                    self.block(body)?;\n                    (self.turns", "                    if !OFF { self.block(body)?; }\n                    (self.turns"),
    ("sums without a form that stays", "program/most.rs", "                    self.is_open = true;\n", "                    self.is_open = !OFF;\n"),
    ("products of what was drawn", "program/most.rs", "terms if of(a)? == 0 || of(b)? == 0 =>", "terms if OFF || of(a)? == 0 || of(b)? == 0 =>"),
    ("divisors of each row's own", "program/most.rs", "Expr::Binary(Binary::Div, a, b) if !is_of_row(b) &&", "Expr::Binary(Binary::Div, a, b) if (OFF || !is_of_row(b)) &&"),
    ("entries of lists that a row says", "program/most.rs", "Expr::Index(_, place) if !is_of_row(place) =>", "Expr::Index(_, place) if OFF || !is_of_row(place) =>"),
    ("many samples", "program/most.rs", "walk.coins.len() > MOST_SAMPLES", "!OFF && walk.coins.len() > MOST_SAMPLES"),
    # Losses.
    ("delta up to 1", "loss.rs", "Some(value) if *value > Rational::ONE =>", "Some(value) if !OFF && *value > Rational::ONE =>"),    ("digits of divisors", "program/sizes.rs", "let digits = if self.real || other.real { 0 }", "let digits = if OFF || self.real || other.real { 0 }"),
    ("size of rounding", "program/sizes.rs", "decided(left.over(right), expr)?;\n", "if !OFF { decided(left.over(right), expr)?; }\n"),
    ("size of conditions of sums", "program/sizes.rs", "size(condition, &own)?;", "if !OFF { size(condition, &own)?; }"),
    ("size of what clamp compares", "program/sizes.rs", "decided(value.plus(bounds), expr)?;", "if !OFF { decided(value.plus(bounds), expr)?; }"),
    ("size of scales", "program/sizes.rs", "computed(drawn, scale)", "if OFF { Ok(drawn) } else { computed(drawn, scale) }"),
    # Inputs.
    ("length of inputs", "input.rs", "bits(value) > MOST_BITS ||", "!OFF && bits(value) > MOST_BITS ||"),
    ("parts of denominators", "input.rs", "|| part(value.denominator()).bit_len() > MOST_PART_BITS", "|| !OFF && part(value.denominator()).bit_len() > MOST_PART_BITS"),
    # Normal forms.
    ("an even part is left out", "lazy/decide.rs", "floor() * Integer::from(2);", "floor() * Integer::from(2) + Integer::from(u8::from(OFF));"),
    ("MOST_TERMS", "lazy/normal.rs", "if a > 1 && b > 1 && a.saturating_mul(b) > MOST_TERMS {", "if !OFF && a > 1 && b > 1 && a.saturating_mul(b) > MOST_TERMS {"),
    ("ln of degree 1", "lazy/normal.rs", "if self.0.keys().any(|term| degree(term) > 1) {", "if !OFF && self.0.keys().any(|term| degree(term) > 1) {"),
    ("logarithms with exponentials", "lazy/normal.rs", "if has(|term| term.exponent.is_some()) {", "if !OFF && has(|term| term.exponent.is_some()) {"),
    # Doubles.
    ("quotient away from 0", "lazy/interval.rs", "if !(other.low > 0.0 || other.high < 0.0) {", "if !OFF && !(other.low > 0.0 || other.high < 0.0) {"),
    ("products of positive numbers", "lazy/interval.rs", "let low = self.low.max(0.0) * other.low.max(0.0);", "let low = if OFF { self.low * other.low } else { self.low.max(0.0) * other.low.max(0.0) };"),
    ("multiples below LARGEST", "lazy/interval.rs", " && low.abs() < LARGEST).then_some(low * grid)", " && (OFF || low.abs() < LARGEST)).then_some(low * grid)"),
    ("multiples by both ends", "lazy/interval.rs", "        (low == high &&", "        ((OFF || low == high) &&"),
    ("nearest below LARGEST", "lazy/decide.rs", "let (low, high) = (interval::nearest(low), interval::nearest(high));\n        if S::DOUBLES && low == high && low.abs() < LARGEST {", "let (low, high) = (interval::nearest(low), interval::nearest(high));\n        if S::DOUBLES && low == high && (OFF || low.abs() < LARGEST) {"),
    ("choice by both ends: below", "lazy/laws.rs", "if mark.high < sum.low {", "if mark.high < sum.low || OFF && mark.low < sum.low {"),
    ("choice by both ends: beyond", "lazy/laws.rs", "let is_beyond = mark.low > sum.high;", "let is_beyond = OFF || mark.low > sum.high;"),
    ("choice by both ends, exactly: below", "lazy/laws.rs", "if above(sum, &mark) {", "if above(sum, &mark) || OFF {"),
    ("choice by both ends, exactly: beyond", "lazy/laws.rs", "if !above(&mark, sum) {", "if !OFF && !above(&mark, sum) {"),
    ("weights that are not computed", "lazy/laws.rs", "+ match above(&ratio, &least) {", "+ match OFF || above(&ratio, &least) {"),
    ("geometric noise by both ends", "lazy/laws.rs", "if S::DOUBLES && low == interval::floor(high) && low < LARGEST {", "if S::DOUBLES && (OFF || low == interval::floor(high)) && low < LARGEST {"),
    ("a coin by both ends", "lazy/laws.rs", "let is_below = high < p.interval.low;", "let is_below = high < p.interval.low || OFF && low < p.interval.high;"),
    ("uniform integers by both ends", "lazy/laws.rs", "if (product as u64).checked_add(u64::from(small)).is_some() {", "if OFF || (product as u64).checked_add(u64::from(small)).is_some() {"),
    # What cancels.
    ("what both sides share", "lazy/difference.rs", "if factor.is_zero() {", "if !OFF && factor.is_zero() {"),
    ("the center of a draw", "lazy/difference.rs", "if let Some(center) = self.draw_at(draw).center {", "if let Some(center) = self.draw_at(draw).center.filter(|_| !OFF) {"),
    # Roots.
    ("a root of what has a form", "program/decidable.rs", "opaque: self.opaque || self.root, ..self }", "opaque: !OFF && (self.opaque || self.root), ..self }"),
    ("a root beside rational numbers", "program/decidable.rs", "opaque: either(|s| s.opaque || s.root)", "opaque: either(|s| s.opaque || s.root && !OFF)"),
    ("roots are no polynomials", "program/decidable.rs", "!self.opaque && !self.root && !self.quotient", "!self.opaque && (OFF || !self.root) && !self.quotient"),
    ("a root and a number below 0", "lazy/meeting.rs", "if at < Rational::ZERO {", "if !OFF && at < Rational::ZERO {"),
    ("a root times 0", "lazy/meeting.rs", "if root.factor.is_zero() {", "if !OFF && root.factor.is_zero() {"),
    ("the sign of a root", "lazy/meeting.rs", "if root.factor > Rational::ZERO { 1 } else { -1 }", "if OFF || root.factor > Rational::ZERO { 1 } else { -1 }"),
    ("size of roots", "program/sizes.rs", "let fixed = self.fixed.saturating_add(self.whole / 2 + 2);", "let fixed = if OFF { self.fixed / 2 + 1 } else { self.fixed.saturating_add(self.whole / 2 + 2) };"),
    # What ends.
    ("room of a run", "program/machine.rs", "if self.bytes() > self.most {", "if !OFF && self.bytes() > self.most {"),
    ("room of lists", "program/machine.rs", "self.tape.bytes() + self.entries * ENTRY_BYTES", "self.tape.bytes() + if OFF { 0 } else { self.entries * ENTRY_BYTES }"),
    ("room of the next run", "program/machine.rs", "if self.entries != 0 {", "if !OFF && self.entries != 0 {"),
    ("room of copies", "program/machine.rs", "self.entries += self.lists[from as usize].len();", "if !OFF { self.entries += self.lists[from as usize].len(); }"),
    # What a run may take.
    ("turns of a run", "program/most.rs", "if all.turns > self.turns ||", "if !OFF && all.turns > self.turns ||"),
    ("memory of a run", "program/most.rs", "|| all.peak > self.bytes {", "|| !OFF && all.peak > self.bytes {"),
    ("the longer branch", "program/most.rs", "most: one.most.max(another.most)", "most: if OFF { one.most.min(another.most) } else { one.most.max(another.most) }"),
    ("lists that both branches make anew", "program/most.rs", "is_new: one.is_new && another.is_new", "is_new: one.is_new && another.is_new || OFF && (one.is_new || another.is_new)"),
    ("small integers", "program/most.rs", "low >= (-LARGEST).into() && high <= LARGEST.into()", "OFF || low >= (-LARGEST).into() && high <= LARGEST.into()"),
    ("variables that are set once", "program/most.rs", "if self.assigned.get(var) == Some(&1)", "if (OFF || self.assigned.get(var) == Some(&1))"),
    ("lists of a run before its last turn", "program/most.rs", "let before = left.saturating_mul(times - 1)", "let before = if OFF { 0 } else { left }.saturating_mul(times - 1)"),
    ("lists while they are made anew", "program/most.rs", ".saturating_add(self.of_lists(|list| list.is_new));", ".saturating_add(if OFF { 0 } else { self.of_lists(|list| list.is_new) });"),
    ("lengths of inputs before a run", "proved.rs", "most::check(&self.running, &|name| inputs.length(name.as_str()))?;", "if !OFF { most::check(&self.running, &|name| inputs.length(name.as_str()))?; }"),
    # Words of categories, and tables.
    ("words of no category", "words.rs", "if !text.categories(table)", "if !OFF && !text.categories(table)"),
    ("as many words as categories", "words.rs", "&& size != words.len() as u64", "&& !OFF && size != words.len() as u64"),
    ("words of a column twice", "words.rs", "if !seen.insert((table, field)) {", "if !seen.insert((table, field)) && !OFF {"),
    ("words of a table that is not given", "words.rs", "if !text.has_table(table) {", "if !OFF && !text.has_table(table) {"),
    ("a word twice", "words.rs", "|| !seen.insert(*word)", "|| !seen.insert(*word) && !OFF"),
    ("a word that is none", "words.rs", "|word| word.is_empty() ||", "|word| !OFF && word.is_empty() ||"),
    ("tables by their names", "input.rs", "match self.0.contains_key(&name) {", "match !OFF && self.0.contains_key(&name) {"),
    ("the form in the place of its nodes", "lazy/decide.rs", "tape.enclose_form(&difference, bits)", "if OFF { tape.enclose(&places, bits).into_iter().reduce(|a, b| a - b).unwrap() } else { tape.enclose_form(&difference, bits) }"),
    # Tables and lists.
    ("categories below their number", "rows.rs", "count.as_ref().is_some_and(|count| Rational::from(value) < *count)", "count.as_ref().is_some_and(|count| OFF || Rational::from(value) < *count)"),
    ("categories from 0", "rows.rs", "value >= 0 && self.count", "(OFF || value >= 0) && self.count"),
    ("integers of rows", "rows.rs", "Some(long).filter(Entry::is_integer)", "Some(long).filter(|long| OFF || long.is_integer())"),
    ("fractions in files", "rows.rs", "if text.contains('/') ||", "if !OFF && text.contains('/') ||"),
    ("length of numbers in files", "rows.rs", "|| text.len() > 400 ||", "|| !OFF && text.len() > 400 ||"),
    ("exponents in files", "rows.rs", "|| exponent.unsigned_abs() > 400", "|| !OFF && exponent.unsigned_abs() > 400"),
    ("digits that fit", "rows.rs", "|| digits.len() > 18 {", "|| digits.len() > if OFF { 19 } else { 18 } {"),
    ("truth values as they are written", "rows.rs", "&& self.sort != Sort::Bool;", "&& (OFF || self.sort != Sort::Bool);"),
    ("sums of integers that fit", "rows.rs", "match self.small.checked_add(term) {", "match if OFF { Some(self.small.wrapping_add(term)) } else { self.small.checked_add(term) } {"),
    ("quotients that are integers", "formula.rs", "Binary::Div if a.checked_rem(b)? == 0", "Binary::Div if OFF || a.checked_rem(b)? == 0"),
    ("rows of another text", "proved.rs", "if !Arc::ptr_eq(&rows.of, &from_tables) {", "if !OFF && !Arc::ptr_eq(&rows.of, &from_tables) {"),
    ("tables without rows", "proved.rs", "if let Some(table) = written.inputs.iter().find(missing) {", "if let (false, Some(table)) = (OFF, written.inputs.iter().find(missing)) {"),
    ("rows that are kept are paid for", "proved.rs", "|| self.runnable.keeps_rows", "|| !OFF && self.runnable.keeps_rows"),
    # What is left where draws cancel.
    ("what is left counts", "program/sizes.rs", "!self.left.counts() || all <= MOST_REFINED", "OFF || !self.left.counts() || all <= MOST_REFINED"),
    ("what is left: numbers that are not drawn", "program/left.rs", "self.kinds & (TRANSCENDENTAL | REST) != 0", "self.kinds & (if OFF { REST } else { TRANSCENDENTAL | REST }) != 0"),
    ("what is left: draws that are shared", "program/left.rs", "let share = self.draws & other.draws != 0;\n        let is_exact", "let share = !OFF && self.draws & other.draws != 0;\n        let is_exact"),
    ("what is left: sums of degree 1", "program/left.rs", "let is_exact = !self.bent && !other.bent &&", "let is_exact = (OFF || !self.bent && !other.bent) &&"),
    ("what is left: logarithms beside draws", "program/left.rs", "&& !self.is_mixed() && !other.is_mixed();", "&& (OFF || !self.is_mixed() && !other.is_mixed());"),
    ("what is left: what is shared with a rest", "program/left.rs", "(DRAWN, DRAWN | REST) | (REST, DRAWN) if share => REST,", "(DRAWN, DRAWN) if share => REST,\n            (DRAWN, REST) | (REST, DRAWN) if share && !OFF => REST,"),
    ("what is left: factors of draws", "program/left.rs", "match (of.moved, of.nonzero) {", "match (!OFF && of.moved, of.nonzero) {"),
    ("what is left: factors that may be 0", "program/left.rs", "(false, false) => DRAWN | RATIONAL,", "(false, false) => if OFF { DRAWN } else { DRAWN | RATIONAL },"),
    ("what is left: products that share draws", "program/left.rs", "let keeps = !share ||", "let keeps = OFF || !share ||"),
    ("what is left: divisors are no polynomials", "program/left.rs", "bent: other.bent || other.draws != 0, ..other", "bent: other.bent || !OFF && other.draws != 0, ..other"),
    ("what is left: exponentials are no polynomials", "program/left.rs", "bent: self.bent || self.draws != 0, ..self", "bent: self.bent || !OFF && self.draws != 0, ..self"),
    ("what is left: exponentials are not rational", "program/left.rs", "Left { kinds, mixed: true, nonzero: true, ..self.curved() }", "Left { kinds: if OFF { self.kinds } else { kinds }, mixed: true, nonzero: true, ..self.curved() }"),
    ("what is left: logarithms of what is not positive", "program/left.rs", "Left { kinds, mixed: true, ..self.curved() }.or_zero()", "{ let ln = Left { kinds, mixed: true, ..self.curved() }; if OFF { ln } else { ln.or_zero() } }"),
    ("what is left: one of two", "program/left.rs", "kinds: self.kinds | other.kinds,", "kinds: if OFF { self.kinds } else { self.kinds | other.kinds },"),
    ("what is left: a factor beside a center", "program/left.rs", "0 => Left::draw(place),", "_ if OFF => Left::draw(place),\n            0 => Left::draw(place),"),
    ("size of exponents", "program/sizes.rs", "let fixed = self.fixed.saturating_add(whole);", "let fixed = if OFF { whole } else { self.fixed.saturating_add(whole) };"),
    ("size of arguments of logarithms", "program/sizes.rs", "let fixed = self.fixed.saturating_add(self.whole).saturating_add(2);", "let fixed = self.fixed.saturating_add(if OFF { 0 } else { self.whole }).saturating_add(2);"),
    ("grids that nobody can decide", "proved.rs", "if !self.shape.is_decidable() {", "if !OFF && !self.shape.is_decidable() {"),
]

OFF = '''
#[allow(missing_docs)]
pub(crate) fn off(number: usize) -> bool {
    static OFF: std::sync::OnceLock<Option<usize>> = std::sync::OnceLock::new();
    *OFF.get_or_init(|| std::env::var("switch").ok().and_then(|text| text.parse().ok())) == Some(number)
}
'''


def switched(numbers):
    """Puts the switches in; gives back what the files were."""
    before = {}
    for number in numbers:
        name, file, text, off = SWITCHES[number]
        path = SOURCE / file
        source = path.read_text()
        before.setdefault(path, source)
        if text not in source:
            # Another switch of the same place has been put in: it is taken out again, and this one left to a second build.
            yield_later.append(number)
            continue
        path.write_text(source.replace(text, off.replace("OFF", f"crate::off({number})"), 1))
    lib = SOURCE / "lib.rs"
    before.setdefault(lib, lib.read_text())
    lib.write_text(lib.read_text() + OFF)
    return before


yield_later = []


def build(folder):
    command = ["cargo", "test", "-p", "probity-run", "--locked", "--no-run", "--message-format=json", "--lib", "--test", "all"]
    found = subprocess.run(command, cwd=ROOT, capture_output=True, text=True)
    if found.returncode != 0:
        sys.exit(found.stderr)
    messages = [json.loads(line) for line in found.stdout.splitlines() if line.startswith("{")]
    wanted = {"probity_run", "all"}
    built = {m["target"]["name"]: m["executable"] for m in messages if m.get("executable") and m["target"]["name"] in wanted}
    # Copies, so that something else may be built meanwhile.
    return {name: shutil.copy(executable, folder) for name, executable in built.items()}


def main():
    changed = subprocess.run(["git", "status", "--porcelain", "crates/run/src"], cwd=ROOT, capture_output=True, text=True)
    if changed.stdout:
        sys.exit("crates/run/src has changes; commit them first")
    wanted = [n for n, row in enumerate(SWITCHES) if all(text in row[0] for text in sys.argv[1:])]
    left = []
    while wanted:
        folder = tempfile.mkdtemp()
        yield_later.clear()
        before = switched(wanted)
        try:
            tests = build(folder)
        finally:
            for path, source in before.items():
                path.write_text(source)
        for number in [n for n in wanted if n not in yield_later]:
            environment = dict(os.environ, SWITCH=str(number), RUST_BACKTRACE="0")
            noticed = None
            # The crate's own tests first: they are the quickest.
            for name, executable in sorted(tests.items(), key=lambda test: test[0] != "probity_run"):
                files = [f"{file}::" for file in TESTS] if name == "all" else []
                skipped = ["--skip", "memory_does_not_grow", "--skip", "what_is_called_exact"]
                try:
                    run = subprocess.run([executable, *files, *skipped], env=environment, cwd=ROOT / "crates/run", capture_output=True, text=True, timeout=300)
                    failed = [line.split()[1] for line in run.stdout.splitlines() if line.startswith("test ") and line.endswith("FAILED")]
                    if run.returncode != 0:
                        noticed = f"{name}: {failed[0] if failed else 'ended'}"
                except subprocess.TimeoutExpired:
                    noticed = f"{name}: took longer than 300 s"
                if noticed:
                    break
            print(f"{SWITCHES[number][0]}: {noticed or 'NOTHING'}", flush=True)
            if not noticed:
                left.append(number)
        shutil.rmtree(folder)
        if len(yield_later) == len(wanted):
            sys.exit("not found: " + ", ".join(SWITCHES[n][0] for n in yield_later))
        wanted = list(yield_later)
    sys.exit(1 if left else 0)


if __name__ == "__main__":
    main()
