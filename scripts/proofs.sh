#!/usr/bin/env bash
# Checks the Coq development in proofs/: compiles it, compares what the headline theorems rest on with a list of axioms of
# classical analysis, and looks for proofs that were not finished.
#
# Needs coq 8.16 with Flocq, MathComp-Analysis and its algebra tactics. On Debian, as root, what is missing is installed;
# elsewhere, or without a network, it says so and ends with 0: nothing was checked. With PROOFS_REQUIRED=1 that is an error.
# PROOFS_JOBS files are compiled at a time (default 2). PROOFS_TIME is the limit in seconds of the whole compilation (default 1800; the files take 1 to 43 s of CPU each).
set -euo pipefail
cd "$(dirname "$0")/.."

packages=(coq libcoq-flocq libcoq-mathcomp libcoq-mathcomp-analysis libcoq-mathcomp-algebra-tactics)
limit=${PROOFS_TIME:-1800}

# Axioms of classical logic, of extensionality and of the standard library's real numbers; nothing else may occur.
allowed='propositional_extensionality functional_extensionality_dep functional_extensionality constructive_indefinite_description
constructive_definite_description classic eq_rect_eq sig_forall_dec sig_not_dec epsilon_statement'

have_coq() {
    command -v coqc >/dev/null &&
        printf 'From Flocq Require Import Core.\nFrom mathcomp Require Import ring.\nFrom mathcomp.analysis Require Import lebesgue_integral.\n' >"$probe/probe.v" &&
        (cd "$probe" && coqc -q -w none probe.v >/dev/null 2>&1)
}

probe=$(mktemp -d)
trap 'rm -rf "$probe"' EXIT
if ! have_coq && [ "$(id -u)" = 0 ] && command -v apt-get >/dev/null; then
    echo "proofs: installing ${packages[*]}"
    { apt-get update && apt-get install -y --no-install-recommends "${packages[@]}"; } >"$probe/apt.log" 2>&1 ||
        tail -3 "$probe/apt.log"
fi
if ! have_coq; then
    echo "proofs: NOT CHECKED. Coq 8.16 with Flocq and MathComp-Analysis is not here and cannot be installed."
    echo "proofs: on Debian, as root: apt-get install ${packages[*]}"
    [ "${PROOFS_REQUIRED:-0}" = 0 ] || exit 1
    exit 0
fi

echo "proofs: compiling, at most $limit s"
status=0
timeout "$limit" make -C proofs -j "${PROOFS_JOBS:-2}" || status=$?
if [ "$status" = 124 ]; then
    echo "proofs: the time limit of $limit s is over; set PROOFS_TIME to allow more"
    exit 1
fi
[ "$status" = 0 ] || { echo "proofs: a file does not compile, see above"; exit 1; }

echo "proofs: what the theorems rest on"
timeout "$limit" make -s -C proofs assumptions >"$probe/assumptions"
# Lines that begin in the first column name an axiom and its type; the others continue a type.
used=$(grep -oE '^[A-Za-z_][A-Za-z_0-9.]*( :|$)' "$probe/assumptions" | sed 's/ :$//; s/.*\.//' | sort -u || true)
for axiom in $used; do
    case "$axiom" in Axioms | Closed) continue ;; esac
    if ! grep -qwF -- "$axiom" <<<"$allowed"; then
        echo "proofs: the theorems rest on $axiom, which is no axiom of classical analysis:"
        grep -n -m3 -F -- "$axiom" "$probe/assumptions"
        exit 1
    fi
done
theorems=$(grep -c '^  @' proofs/Assumptions.v)
groups=$(grep -c '^Print Assumptions' proofs/Assumptions.v)
answers=$(grep -cE '^(Axioms:|Closed under the global context)' "$probe/assumptions")
if [ "$groups" != "$answers" ] || [ "$groups" = 0 ]; then
    echo "proofs: $groups groups of theorems in proofs/Assumptions.v, $answers answers"
    exit 1
fi

scripts/proofs_text.sh proofs
echo "proofs: $theorems headline theorems hold, and rest on classical analysis only:" $used
