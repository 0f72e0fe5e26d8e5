import type { EvalItem } from '../../../domain/batch/eval-item.js';
import { REMEMBER_PROCESSES, watchForWriters } from '../../grade/graders/other-writers.js';
import { GO_BY_PLAIN_PATH, relocateFiles } from './relocate-paths.js';
import { quoteForShell } from './task-directory-text.js';

/** Where hidden files of a Harbor task lie in the working tree. */
export const HARBOR_PLACE = '.harbor';

/** Runs tests/test.sh as Harbor does, and copies the reward that it writes to one place. */
export function harborRunner(workdir: string, environment: Readonly<Record<string, string>>): string {
  const variables = Object.entries(environment).map(
    ([name, value]) => `export ${name}=${quoteForShell(value)}`,
  );
  return `
${GO_BY_PLAIN_PATH}
carrel_place=$PWD/${HARBOR_PLACE}
mkdir -p "$carrel_place/logs/verifier" "$carrel_place/logs/agent"
rm -f "$carrel_place/logs/verifier/reward.txt" "$carrel_place/logs/verifier/reward.json"
${relocateFiles('$carrel_place/tests', [
  { from: '/tests', to: '$carrel_place/tests' },
  { from: '/logs', to: '$carrel_place/logs' },
  { from: workdir, to: '$PWD' },
])}
${variables.join('\n')}
# Of the two places for a reward those count that the tests know of: in the other one only what is tested would write.
carrel_names=
for carrel_name in reward.json reward.txt; do
  if grep -rqF "$carrel_name" "$carrel_place/tests"; then carrel_names="$carrel_names $carrel_name"; fi
done
${REMEMBER_PROCESSES}
carrel_script=$(cat "$carrel_place/tests/test.sh")
bash "$carrel_place/tests/test.sh"
carrel_status=$?
for carrel_name in \${carrel_names:-reward.json reward.txt}; do
  if [ -f "$carrel_place/logs/verifier/$carrel_name" ]; then
    # Held in memory while it is watched whether one comes back: a file could be written over.
    carrel_reward=$(head -c 3000 "$carrel_place/logs/verifier/$carrel_name")
    rm -f "$carrel_place/logs/verifier/$carrel_name"
    # Nobody is left who should write it: one that comes back is not the verifier's, and may not have been before.
    ${watchForWriters('"$carrel_place/logs/verifier/$carrel_name"').replaceAll('\n', '\n    ')}
    # bash reads a script while it runs it: what it runs can write it another end, and with that the reward.
    if [ "$(cat "$carrel_place/tests/test.sh")" != "$carrel_script" ]; then carrel_returned=1; fi
    if [ "$carrel_returned" -eq 1 ]; then carrel_reward='written again'; fi
    rm -rf "$carrel_place/reward"
    printf '%s\\n' "$carrel_reward" > "$carrel_place/reward"
    break
  fi
done
exit "$carrel_status"
`.trimStart();
}

/** Linux accepts no argument above 128 KiB. */
const MOST_CHARACTERS = 100_000;

/** solution/solve.sh with the files beside it, as one shell script that leaves only its work behind. */
export function harborSolution(
  files: Readonly<Record<string, string>>,
  workdir: string,
): Pick<EvalItem, 'solution'> {
  if (files['solve.sh'] === undefined) return {};
  const run = `
${GO_BY_PLAIN_PATH}
place=$carrel_home/solution
${Object.entries(files)
  .map(([path, content]) => writeFile(`$place/${path}`, content))
  .join('\n')}
${relocateFiles('$place', [
  { from: '/solution', to: '$place' },
  { from: workdir, to: '$PWD' },
])}
bash "$place/solve.sh"
`.trimStart();
  return run.length > MOST_CHARACTERS ? {} : { solution: { kind: 'script', run } };
}

/** A trailing newline is added when a file has none; no script depends on that. */
function writeFile(path: string, content: string): string {
  const end = findFence(content);
  const text = content.endsWith('\n') ? content : `${content}\n`;
  return `mkdir -p "${path.replace(/\/[^/]*$/, '')}"\ncat > "${path}" << '${end}'\n${text}${end}`;
}

function findFence(content: string): string {
  let fence = 'END_OF_FILE';
  while (content.includes(fence)) fence += '_';
  return fence;
}
