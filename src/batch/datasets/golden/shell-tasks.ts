import type { EvalItem } from '../../../domain/batch/eval-item.js';
import { shellTask } from './golden-task.js';

/** Runs a script of the repository with `sh` in a fresh directory. */
const HARNESS = `
import assert from 'node:assert/strict';
import { spawnSync } from 'child_process';
import { existsSync, mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import test, { after } from 'node:test';

const place = mkdtempSync(join(tmpdir(), 'golden-'));
after(() => rmSync(place, { recursive: true, force: true }));

function directory(files) {
  const path = mkdtempSync(join(place, 'case-'));
  for (const [name, content] of Object.entries(files)) writeFileSync(join(path, name), content);
  return path;
}

const run = (script, cwd, ...words) =>
  spawnSync('sh', [resolve(script), ...words], { cwd, encoding: 'utf8', timeout: 10_000, killSignal: 'SIGKILL' });
`.trimStart();

export const shellTasks: readonly EvalItem[] = [
  shellTask({
    id: 'sh-quoting-001',
    description: `
\`sh backup.sh DIRECTORY FILE...\` copies files into a directory and prints the name of each. It splits names that contain
spaces, and treats a name that starts with a dash as an option. Make it work for every file name, with sh and not only
with bash.
`,
    difficulty: 'easy',
    tags: ['quoting'],
    files: {
      'backup.sh': `
#!/bin/sh
set -eu

target=$1
shift
mkdir -p $target
for file in $*; do
  cp $file $target/
  echo $file
done
`.trimStart(),
    },
    executable: ['backup.sh'],
    solution: {
      'backup.sh': `
#!/bin/sh
set -eu

target=$1
shift
mkdir -p -- "$target"
for file in "$@"; do
  cp -- "$file" "$target/"
  printf '%s\\n' "$file"
done
`.trimStart(),
    },
    tests: `${HARNESS}
test('names with blanks and stars', () => {
  const cwd = directory({ 'two words.txt': '1', '*': '2', 'plain.txt': '3' });
  const { status, stdout } = run('backup.sh', cwd, 'to here', 'two words.txt', '*');
  assert.equal(status, 0);
  assert.equal(stdout, 'two words.txt\\n*\\n');
  assert.deepEqual(readdirSync(join(cwd, 'to here')).sort(), ['*', 'two words.txt']);
});
test('names that begin with a dash', () => {
  const cwd = directory({ '-n': '1' });
  const { status, stdout } = run('backup.sh', cwd, 'copies', '-n');
  assert.equal(status, 0);
  assert.equal(stdout, '-n\\n');
  assert.deepEqual(readdirSync(join(cwd, 'copies')), ['-n']);
});
test('plain names', () => {
  const cwd = directory({ 'a.txt': 'A', 'b.txt': 'B' });
  assert.equal(run('backup.sh', cwd, 'copies', 'a.txt', 'b.txt').stdout, 'a.txt\\nb.txt\\n');
  assert.equal(readFileSync(join(cwd, 'copies', 'b.txt'), 'utf8'), 'B');
});
test('a file that is not there is a failure', () => {
  assert.notEqual(run('backup.sh', directory({}), 'copies', 'none.txt').status, 0);
});
`,
    failToPass: ['names with blanks and stars', 'names that begin with a dash'],
    passToPass: ['plain names', 'a file that is not there is a failure'],
  }),
  shellTask({
    id: 'sh-arguments-001',
    description: `
\`sh repeat.sh [-n COUNT] [-u] [--] WORD...\` prints its words COUNT times (once without -n), in upper case with -u. It
accepts the options only separately and in that order: \`-u -n 2\` and \`-un2\` fail, and \`--\` is printed. Use getopts. For
a COUNT that is not a whole number, an unknown option, or no words, print a usage line on standard error and exit with
status 2.
`,
    difficulty: 'medium',
    tags: ['arguments'],
    files: {
      'repeat.sh': `
#!/bin/sh
count=1
if [ "$1" = -n ]; then
  count=$2
  shift 2
fi
capitals=no
if [ "$1" = -u ]; then
  capitals=yes
  shift
fi
while [ $count -gt 0 ]; do
  if [ $capitals = yes ]; then
    echo "$*" | tr a-z A-Z
  else
    echo "$*"
  fi
  count=$((count - 1))
done
`.trimStart(),
    },
    executable: ['repeat.sh'],
    solution: {
      'repeat.sh': `
#!/bin/sh
usage() {
  echo "usage: repeat.sh [-n COUNT] [-u] [--] WORD..." >&2
  exit 2
}

count=1
capitals=no
while getopts :n:u option; do
  case $option in
    n) count=$OPTARG ;;
    u) capitals=yes ;;
    *) usage ;;
  esac
done
shift $((OPTIND - 1))

case $count in
  '' | *[!0-9]*) usage ;;
esac
[ $# -gt 0 ] || usage

text=$*
if [ "$capitals" = yes ]; then
  text=$(printf '%s' "$text" | tr '[:lower:]' '[:upper:]')
fi
while [ "$count" -gt 0 ]; do
  printf '%s\\n' "$text"
  count=$((count - 1))
done
`.trimStart(),
    },
    tests: `${HARNESS}
const repeat = (...words) => run('repeat.sh', place, ...words);

test('options in any order and together', () => {
  assert.equal(repeat('-u', '-n', '2', 'ink').stdout, 'INK\\nINK\\n');
  assert.equal(repeat('-un2', 'ink').stdout, 'INK\\nINK\\n');
});
test('two dashes end the options', () => assert.equal(repeat('-n', '2', '--', '-u').stdout, '-u\\n-u\\n'));
test('mistakes are reported', () => {
  for (const words of [['-n', 'two', 'ink'], ['-x', 'ink'], [], ['-n'], ['-n', '-1', 'ink']]) {
    const { status, stdout, stderr } = repeat(...words);
    assert.deepEqual([status, stdout], [2, ''], words.join(' '));
    assert.match(stderr, /usage/i);
  }
});
test('one option as before', () => {
  assert.equal(repeat('-n', '2', 'a', 'b').stdout, 'a b\\na b\\n');
  assert.equal(repeat('ink').stdout, 'ink\\n');
});
`,
    failToPass: ['options in any order and together', 'two dashes end the options', 'mistakes are reported'],
    passToPass: ['one option as before'],
  }),
  shellTask({
    id: 'sh-exit-status-001',
    description: `
\`sh count.sh COMMAND...\` runs a command and prints how many lines it wrote to standard output. It always exits with
status 0. It has to exit with the status of the command, still print the number, leave no temporary file behind, and work
with any sh: not every one has pipefail.
`,
    difficulty: 'medium',
    tags: ['exit-status', 'pipes'],
    files: {
      'count.sh': `
#!/bin/sh
"$@" | wc -l | tr -d ' '
`.trimStart(),
    },
    executable: ['count.sh'],
    solution: {
      'count.sh': `
#!/bin/sh
{
  status=$(
    {
      {
        "$@" 3>&- 4>&-
        echo $? >&3
      } | wc -l | tr -d ' ' >&4
    } 3>&1
  )
} 4>&1
exit "$status"
`.trimStart(),
    },
    tests: `${HARNESS}
test('ends as the command does', () => {
  const cwd = directory({});
  const { status, stdout } = run('count.sh', cwd, 'sh', '-c', 'echo a; echo b; exit 7');
  assert.deepEqual([status, stdout], [7, '2\\n']);
  assert.notEqual(run('count.sh', cwd, 'false').status, 0);
});
test('counts lines', () => {
  const cwd = directory({});
  const { status, stdout, stderr } = run('count.sh', cwd, 'sh', '-c', 'echo a; echo "b  c"; echo no >&2');
  assert.deepEqual([status, stdout, stderr], [0, '2\\n', 'no\\n']);
  assert.equal(run('count.sh', cwd, 'true').stdout, '0\\n');
});
test('leaves no file behind', () => {
  const cwd = directory({});
  run('count.sh', cwd, 'echo', 'a');
  assert.deepEqual(readdirSync(cwd), []);
});
`,
    failToPass: ['ends as the command does'],
    passToPass: ['counts lines', 'leaves no file behind'],
  }),
  shellTask({
    id: 'sh-rotate-logs-001',
    description: `
\`sh rotate.sh LOG KEEP\` moves LOG to LOG.1, LOG.1 to LOG.2 and so on, keeps KEEP old logs and starts an empty LOG. With
ten or more logs it mixes them up, because it processes them in the order of their names, and it overwrites logs that it
has not moved yet. None of the kept logs may be lost or changed.
`,
    difficulty: 'medium',
    tags: ['files', 'order'],
    files: {
      'rotate.sh': `
#!/bin/sh
set -eu

log=$1
keep=$2
for old in "$log".*; do
  [ -e "$old" ] || continue
  number=\${old##*.}
  mv "$old" "$log.$((number + 1))"
done
mv "$log" "$log.1"
: > "$log"
rm -f "$log.$((keep + 1))"
`.trimStart(),
    },
    executable: ['rotate.sh'],
    solution: {
      'rotate.sh': `
#!/bin/sh
set -eu

log=$1
keep=$2
rm -f "$log.$keep"
number=$((keep - 1))
while [ "$number" -gt 0 ]; do
  if [ -e "$log.$number" ]; then
    mv "$log.$number" "$log.$((number + 1))"
  fi
  number=$((number - 1))
done
mv "$log" "$log.1"
: > "$log"
`.trimStart(),
    },
    tests: `${HARNESS}
function logs(count) {
  const old = Array.from({ length: count }, (_, index) => ['app.log.' + (index + 1), 'old ' + (index + 1)]);
  return directory({ 'app.log': 'now', ...Object.fromEntries(old) });
}
const read = (cwd, number) => readFileSync(join(cwd, 'app.log.' + number), 'utf8');

test('several old logs move up', () => {
  const cwd = logs(3);
  assert.equal(run('rotate.sh', cwd, 'app.log', '5').status, 0);
  assert.deepEqual([1, 2, 3, 4].map(number => read(cwd, number)), ['now', 'old 1', 'old 2', 'old 3']);
});
test('more than ten keep their order', () => {
  const cwd = logs(12);
  assert.equal(run('rotate.sh', cwd, 'app.log', '12').status, 0);
  assert.deepEqual([2, 10, 11, 12].map(number => read(cwd, number)), ['old 1', 'old 9', 'old 10', 'old 11']);
  assert.equal(existsSync(join(cwd, 'app.log.13')), false);
});
test('the first rotation', () => {
  const cwd = logs(0);
  assert.equal(run('rotate.sh', cwd, 'app.log', '3').status, 0);
  assert.equal(read(cwd, 1), 'now');
  assert.equal(readFileSync(join(cwd, 'app.log'), 'utf8'), '');
});
`,
    failToPass: ['several old logs move up', 'more than ten keep their order'],
    passToPass: ['the first rotation'],
  }),
];
