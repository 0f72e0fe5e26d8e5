/** A whole machine has more; a sandbox, or a pid namespace of one command, has only a few. */
const FEW_PROCESSES = 16;

/**
 * Shell text for the start of a script that reads a result: remembers which processes are alive. With few processes,
 * the new ones at the end were left by what the script ran. On a whole machine they may be unrelated, and are not counted. The
 * state of a process comes after the last parenthesis of its line; before it, the name that the process chose.
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

/** How often to check for a rewritten result; with no other process alive, once is enough. */
const MOST_ROUNDS = 15;
const ROUND_SECONDS = 0.1;

/**
 * Shell text to run after a result was removed: checks whether another process writes it again (`carrel_returned` is
 * 1), and counts the other processes alive (`carrel_others`). A program that keeps writing has to hit the moment
 * between the script's own result and the script's exit; one that writes less often than the wait here rarely
 * hits it. `file` is one shell word.
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
