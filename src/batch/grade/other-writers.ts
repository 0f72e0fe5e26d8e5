/** A whole machine shows more; a sandbox, or a pid namespace of one command, has but a few. */
const FEW_PROCESSES = 16;

/**
 * Shell text for the beginning of a script that reads a result: remembers which processes live. Where they are few, those
 * that are new at the end were left by what it ran. On a whole machine they may be anybody's, and are not counted. The
 * state of a process comes after the last parenthesis of its line; before, the name that it has given itself.
 */
export const REMEMBER_PROCESSES = `
carrel_list() {
  carrel_living=' '
  for carrel_stat in /proc/[0-9]*/stat; do
    { read -r carrel_line < "$carrel_stat"; } 2> /dev/null || continue
    case "\${carrel_line##*) }" in 'Z '*|'X '*) ;; *) carrel_living="$carrel_living\${carrel_line%% *} " ;; esac
  done
}
carrel_count() {
  carrel_others=0
  if [ "$carrel_many" -gt ${FEW_PROCESSES} ]; then return; fi
  carrel_list
  for carrel_pid in $carrel_living; do
    case "$carrel_before" in *" $carrel_pid "*) ;; *) carrel_others=$((carrel_others + 1)) ;; esac
  done
}
carrel_list
carrel_before=$carrel_living
carrel_many=0
for carrel_pid in $carrel_before; do carrel_many=$((carrel_many + 1)); done`.trim();

/** Looks for who comes back this often; with nobody else alive once is enough. */
const MOST_ROUNDS = 15;
const ROUND_SECONDS = 0.1;

/**
 * Shell text for when a result has been taken away: sees whether somebody puts one there again (`carrel_returned` is
 * 1), and counts who else lives then (`carrel_others`). A program that goes on writing has to be quick to hit the moment
 * between the script's own word and the script's end; one that writes less often than is waited for here hits it by
 * chance at most. `file` is a word for the shell.
 */
export const watchForWriters = (file: string): string =>
  `
carrel_returned=0
carrel_rounds=${MOST_ROUNDS}
while [ "$carrel_rounds" -gt 0 ]; do
  sleep ${ROUND_SECONDS}
  carrel_count
  if [ -e ${file} ] || [ -h ${file} ]; then carrel_returned=1; break; fi
  if [ "$carrel_others" -eq 0 ]; then break; fi
  carrel_rounds=$((carrel_rounds - 1))
done`.trim();
