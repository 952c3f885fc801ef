#!/usr/bin/env bash
# Certificates through Coq: writes them with `probity check --coq`, and has coqc check theorem and derivation with proofs/ and nothing of Rust.
#
#   scripts/certificates_coq.sh                 every certificate of the library
#   scripts/certificates_coq.sh laplace count   these
#   scripts/certificates_coq.sh tests/prove/many10.dp   a text, which is proved first
#
# Which certificates have a Coq text is compared with proofs/exported.txt; texts whose theorems claim half the loss, or half of delta, must fail; the theorems rest on
# classical analysis only. One file takes 6 to 22 s of CPU, rappor 80, and one more run for each kind that is forged; CERTIFICATE_TIME is the limit for one, in seconds (default 300). Without Coq it says so and ends
# with 0, unless PROOFS_REQUIRED=1. CARGO_RUN is how the command is started.
set -euo pipefail
cd "$(dirname "$0")/.."

limit=${CERTIFICATE_TIME:-300}
run=${CARGO_RUN:-cargo run --quiet --locked -p probity --}
allowed='propositional_extensionality functional_extensionality_dep functional_extensionality constructive_indefinite_description
constructive_definite_description classic eq_rect_eq sig_forall_dec sig_not_dec epsilon_statement'

if ! command -v coqc >/dev/null; then
    echo "certificates in Coq: NOT CHECKED. There is no coqc; scripts/proofs.sh says how to get it."
    [ "${PROOFS_REQUIRED:-0}" = 0 ] || exit 1
    exit 0
fi
make -s -C proofs certificates

work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
check() { (cd "$work" && timeout "$limit" coqc -q -w none -Q "$proofs" Probity "$1.v" >"$1.out" 2>"$1.err"); }
proofs=$PWD/proofs

# The rules that a text uses, of those whose proofs have a shape of their own.
rules_of() {
    local rule
    for rule in j_judged j_pointwise j_same_value j_signed_log j_choose zj_choose j_permute_flip j_select j_discrete_laplace j_exponential j_geometric j_null j_null_bool j_selectZ \
        zj_gaussian mj_gaussian zj_laplace j_for_once j_while j_one_sided j_up_to_tail j_up_to_upper_tail j_up_to_open_tail j_up_to_upper_tailZ j_up_to_open_tailZ \
        j_up_to_exact_tail j_up_to_exact_tails j_up_to_start j_up_to_startZ dp_borel step_law zj_tail mj_tail; do
        if grep -qw -- "$rule" "$1"; then echo "$rule"; fi
    done
}

names=("$@")
if [ ${#names[@]} = 0 ]; then
    for path in certificates/*.cert; do names+=("$(basename "$path" .cert)"); done
fi
checked=0
forged=
for name in "${names[@]}"; do
    if [[ "$name" == *.dp ]]; then
        text=$name
        name=$(basename "$text" .dp)
        certificate=$work/$name.cert
        expected=exported
        $run verify "$text" --certificate "$certificate" >/dev/null || { echo "$text: not proved"; exit 1; }
    else
        certificate=certificates/$name.cert
        expected=$(sed -n "s/^$name: //p" proofs/exported.txt)
    fi
    answer=$($run check "$certificate" --coq "$work/$name.v" | tail -1) || true
    case "$answer" in
        coq:*) found=exported ;;
        *) found=$answer ;;
    esac
    if [ "$found" != "$expected" ]; then
        echo "$name: '$found', and proofs/exported.txt says '$expected'"
        exit 1
    fi
    if [ "$found" != exported ]; then
        echo "$name: $found"
        continue
    fi
    SECONDS=0
    if ! check "$name"; then
        echo "$name: coqc says no, or takes more than $limit s:"
        head -20 "$work/$name.err"
        exit 1
    fi
    for axiom in $(grep -oE '^[A-Za-z_][A-Za-z_0-9.]*( :|$)' "$work/$name.out" | sed 's/ :$//; s/.*\.//' | sort -u); do
        case "$axiom" in Axioms | Closed) continue ;; esac
        if ! grep -qwF -- "$axiom" <<<"$allowed"; then
            echo "$name: the theorem rests on $axiom, which is no axiom of classical analysis"
            exit 1
        fi
    done
    checked=$((checked + 1))
    echo "$name: checked by coqc in $SECONDS s"
    # Once more with a theorem that claims half of it, the first time that a kind occurs: the same proof must not go through. What is halved is delta where something is given up.
    kind=epsilon
    if grep -q '^  zcdp ' "$work/$name.v"; then
        kind=rho
    elif grep -q '^  gdp ' "$work/$name.v"; then
        kind=mu
    elif grep -q '@j_call ' "$work/$name.v"; then
        kind=call
    elif grep -q '@sampled_private ' "$work/$name.v"; then
        kind=sample
    elif grep -qE '@grouped_(delta_)?private ' "$work/$name.v"; then
        kind=group
    elif ! grep -q " 0 m m'\.$" "$work/$name.v"; then
        kind=delta
    fi
    new=
    for each in "$kind" $(rules_of "$work/$name.v"); do
        case " $forged " in *" $each "*) ;; *) new="$new $each" ;; esac
    done
    if [ -n "$new" ]; then
        before='\n    '
        after=' (?:0 )?m m'"'"'\.'
        if [ "$kind" = delta ]; then before='\n    (?:\S+|\([^\n]*\)) '; fi
        # The last theorem, not that of what is called, or of one row.
        if [ "$kind" = call ] || [ "$kind" = group ]; then before='\A.*\n    '; fi
        if [ "$kind" = sample ]; then after=' 0 m m'"'"' \/'; fi
        perl -0pe "s/($before)(\S+|\([^\n]*\))($after)/\$1(\$2 \/ 2)\$3/s" "$work/$name.v" >"$work/forged.v"
        if cmp -s "$work/$name.v" "$work/forged.v"; then continue; fi
        status=0
        check forged || status=$?
        if [ "$status" = 0 ]; then
            echo "$name: coqc accepts a theorem with half the loss"
            exit 1
        fi
        # Time that is over is no answer.
        if [ "$status" = 124 ]; then
            echo "$name: with half the loss coqc has said nothing in $limit s"
            exit 1
        fi
        forged="$forged$new"
        echo "$name: with half the loss coqc says no:$new"
    fi
done
if [ "$checked" != 0 ] && [ -z "$forged" ]; then
    echo "no theorem to forge"
    exit 1
fi
echo "certificates in Coq: $checked checked"
