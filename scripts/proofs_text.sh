#!/usr/bin/env bash
# Looks for proofs that were not finished, and for axioms, in the Coq files of a folder: `scripts/proofs_text.sh proofs`. Needs no Coq; scripts/proofs.sh asks it last.
set -euo pipefail

# Comments are taken out first: prose may use these words. A hypothesis outside of a section is an axiom by another name, and one that is called `classic` would pass
# for the library's in what Print Assumptions says.
for file in "$1"/*.v; do
    code=$(perl -0pe '1 while s/\(\*(?:(?!\(\*|\*\)).)*\*\)//s' "$file")
    if grep -nE '\b(Admitted|admit|Axiom|Axioms|Conjecture|Parameter|Parameters|Declare|Primitive|bypass_check)\b|\bUnset +(Guard|Positivity|Universe) +Checking\b|\bType +In +Type\b' <<<"$code"; then
        echo "proofs: $file has a proof that is not finished, or an axiom"
        exit 1
    fi
    if ! perl -0ne '
        while (/(?:\A|(?<=\.))\s*(?:#\[[^\]]*\]\s*)?(?:(?:Local|Global|Polymorphic|Monomorphic|Cumulative)\s+)*(?:(Section)\s+(\w+)|(End)\s+(\w+)|(Hypothes[ie]s|Variables?|Context)\b([^.]*))/g) {
            if ($1) { push @open, $2 }
            elsif ($3) { pop @open if @open && $open[-1] eq $4 }
            elsif (!@open) { print "$5$6\n"; $found = 1 }
        }
        exit($found ? 1 : 0)' <<<"$code"; then
        echo "proofs: $file assumes this outside of a section, which makes it an axiom"
        exit 1
    fi
done
