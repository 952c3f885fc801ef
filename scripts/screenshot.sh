#!/usr/bin/env bash
# Looks at a report in a real browser: builds the page, has headless Chromium lay it out, and checks that every plot is
# there with a size, that no text leaves its plot, that no two texts overlap as rendered, and that no interval of a table
# breaks on paper.
# Usage: scripts/screenshot.sh [FILE.png]. Without Chromium it says so and does nothing; in CI it first tries to install it.
set -euo pipefail
cd "$(dirname "$0")/.."

find_browser() { command -v chromium || command -v chromium-browser || command -v google-chrome || true; }
browser=$(find_browser)
if [ -z "$browser" ] && [ "${CI:-}" = true ] && [ "$(id -u)" = 0 ] && command -v apt-get > /dev/null; then
    (apt-get update && apt-get install --yes --no-install-recommends chromium fonts-dejavu-core poppler-utils) \
        > /dev/null 2>&1 || true
    browser=$(find_browser)
fi
if [ -z "$browser" ]; then
    echo "no Chromium found: nothing looked at"
    exit 0
fi
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
cargo run --quiet --package probity -- report mechanisms/snapping.dp --out "$work/report.html" \
    --set eps=1 --set B=100 --inputs 0 1

# The page with a script that measures the texts and writes what it finds into the title.
sed 's|</body>|<script>\
const boxes = []; let bad = []; const plots = document.querySelectorAll("svg");\
for (const plot of plots) {\
  const frame = plot.getBoundingClientRect();\
  if (frame.width < 300 \|\| frame.height < 150) bad.push("small plot " + plot.id);\
  const texts = [...plot.querySelectorAll("text")].map(t => [t.textContent, t.getBoundingClientRect()]);\
  texts.forEach(([name, a], i) => {\
    if (a.left < frame.left \|\| a.right > frame.right \|\| a.top < frame.top \|\| a.bottom > frame.bottom) bad.push("clipped " + name);\
    for (const [other, b] of texts.slice(0, i))\
      if (a.left < b.right \&\& b.left < a.right \&\& a.top < b.bottom \&\& b.top < a.bottom) bad.push(name + " overlaps " + other);\
  });\
}\
document.title = "LOOKED " + plots.length + " plots; " + (bad.join("; ") \|\| "nothing overlaps");\
</script></body>|' "$work/report.html" > "$work/measured.html"

look() {
    "$browser" --headless --no-sandbox --disable-gpu --disable-quic --no-first-run --hide-scrollbars \
        --disable-background-networking --disable-component-update --disable-sync \
        --user-data-dir="$work/profile" "$@" 2>/dev/null
}
found=$(look --window-size=1100,5000 --dump-dom "file://$work/measured.html" | grep -o '<title>LOOKED[^<]*' || true)
echo "${found#<title>}"
if command -v pdftotext > /dev/null; then
    look --print-to-pdf="$work/report.pdf" "file://$work/report.html" > /dev/null
    # Cells that end inside an interval, as "[1.2e-86, 1.3e-" or "[1.2e-86,".
    if pdftotext -layout "$work/report.pdf" - | grep -E '[0-9]e-( |$)|\[[0-9.e-]+,(  |$)'; then
        echo "an interval breaks on paper"
        exit 1
    fi
    echo "no interval breaks on paper"
fi
if [ "$#" -gt 0 ]; then
    look --window-size=1100,5000 --screenshot="$1" "file://$work/report.html" > /dev/null
    echo "wrote $1"
fi
[ "${found#<title>}" = "LOOKED 6 plots; nothing overlaps" ]
