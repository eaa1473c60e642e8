#!/bin/sh
# Fetches the pinned packages with npm, copies what the console serves and cuts the icon sprite.
# Run it from anywhere after changing a version or icons.txt; then commit the result and SHA256SUMS.
set -eu

here=$(cd "$(dirname "$0")" && pwd)
notices="$here/../../docs/notices"
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
mkdir -p "$here/fonts" "$notices"

unpack() { # name version
    mkdir -p "$work/$1"
    (cd "$work" && npm pack --silent "$1@$2" >"$work/packed")
    tar -xzf "$work/$(cat "$work/packed")" -C "$work/$1" --strip-components=1
    cp "$work/$1/LICENSE" "$notices/$(printf %s "$1" | tr -d @ | tr / -).txt"
}

unpack htmx.org 2.0.11
unpack htmx-ext-ws 2.0.4
unpack idiomorph 0.8.0
unpack @github/relative-time-element 5.3.1
unpack lucide-static 1.62.0
unpack @fontsource-variable/inter 5.3.0
unpack @fontsource-variable/jetbrains-mono 5.3.0
unpack @radix-ui/colors 3.0.0

cp "$work/htmx.org/dist/htmx.min.js" "$here/htmx.min.js"
cp "$work/htmx-ext-ws/dist/ws.min.js" "$here/htmx-ext-ws.min.js"
cp "$work/idiomorph/dist/idiomorph-ext.min.js" "$here/idiomorph-ext.min.js"
cp "$work/@github/relative-time-element/dist/bundle.js" "$here/relative-time-element.js"
cp "$work/@fontsource-variable/inter/files/inter-latin-wght-normal.woff2" "$here/fonts/inter.woff2"
cp "$work/@fontsource-variable/jetbrains-mono/files/jetbrains-mono-latin-wght-normal.woff2" \
    "$here/fonts/jetbrains-mono.woff2"

sprite="$here/icons.svg"
echo '<svg xmlns="http://www.w3.org/2000/svg">' >"$sprite"
while read -r icon; do
    printf '<symbol id="%s" viewBox="0 0 24 24">' "$icon"
    sed -e '1,/^>/d' -e '/<\/svg>/d' "$work/lucide-static/icons/$icon.svg" | tr -d '\n' | tr -s ' '
    echo '</symbol>'
done <"$here/icons.txt" >>"$sprite"
echo '</svg>' >>"$sprite"

cd "$here"
sha256sum *.js icons.svg fonts/*.woff2 >SHA256SUMS
