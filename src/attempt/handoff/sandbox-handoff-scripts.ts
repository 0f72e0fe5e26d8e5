import { OUTPUT_LIMITS } from './output-allowance.js';

// These scripts run in any image: sh, mkdir, rmdir, rm, cat, wc, head, tail and nothing else. busybox's head reads more than
// requested (seen with 1.35), so files cannot be cut from one stream in sequence: each is cut from a file.

/**
 * ROOT DIRECTORY TOTAL SUBDIRECTORIES (PATH START LENGTH)...; the contents, concatenated, on standard input. A link in the
 * place of the root would put the files into the working tree.
 */
export const PLACE_SCRIPT = `
set -e
umask 077
root=$1 handoff=$2 total=$3 directories=$4
shift 4
if [ -L "$root" ]; then rm -f -- "$root"; fi
rm -rf -- "$handoff"
mkdir -p -- "$handoff"
cd -- "$handoff"
printf '%s\\n' "$directories" | while IFS= read -r directory; do mkdir -p -- "./$directory"; done
cat > .bundle
[ "$(wc -c < .bundle)" -eq "$total" ]
while [ $# -gt 0 ]; do
  tail -c "+$2" .bundle | head -c "$3" > "./$1"
  [ "$(wc -c < "./$1")" -eq "$3" ]
  shift 3
done
rm -f .bundle
`;

/**
 * DIRECTORY. Prints \`file LENGTH PATH\`, the content and a line break for each file, \`left REASON PATH\` for what is not a
 * file or beyond a limit, and \`end\`. A glob that matches nothing stays unchanged, and names no file.
 */
export const COLLECT_SCRIPT = `
count=0 total=0 told=0
line='
'
leave() {
  told=$((told + 1))
  if [ "$told" -le 1000 ]; then printf 'left %s %s\\n' "$1" "$2"; fi
}
take() {
  bytes=$(wc -c < "$1") || { leave unreadable "$1"; return; }
  bytes=$((bytes))
  if [ "$bytes" -gt ${OUTPUT_LIMITS.bytesOfFile} ]; then leave large "$1"; return; fi
  if [ "$count" -ge ${OUTPUT_LIMITS.files} ]; then leave many "$1"; return; fi
  if [ "$((total + bytes))" -gt ${OUTPUT_LIMITS.bytesOfAll} ]; then leave full "$1"; return; fi
  count=$((count + 1)) total=$((total + bytes))
  printf 'file %s %s\\n' "$bytes" "$1"
  head -c "$bytes" < "$1"
  echo
}
walk() {
  for entry in "$1"* "$1".[!.]* "$1"..?*; do
    case $entry in *"$line"*) leave name '?'; continue ;; esac
    if [ -L "$entry" ]; then leave irregular "$entry"
    elif [ -f "$entry" ]; then take "$entry"
    elif [ -d "$entry" ]; then
      if [ "$2" -ge ${OUTPUT_LIMITS.depth} ]; then leave deep "$entry"; else walk "$entry/" "$(($2 + 1))"; fi
    elif [ -e "$entry" ]; then leave irregular "$entry"
    fi
  done
}
if cd -- "$1"; then walk '' 1; else leave removed '.'; fi
echo end
`;

/** DIRECTORY. Its parent directories are removed when they are empty. */
export const CLEAR_SCRIPT = `
rm -rf -- "$1"
rmdir -- "\${1%/*}" "\${1%/*/*}" 2>/dev/null || :
`;
