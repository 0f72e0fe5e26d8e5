// What `npm start` shows: three tasks of the golden dataset, run in parallel in three isolated workspaces,
// graded in fresh copies, with the result, where to look, and what to do next. The agent is `oracle`, which knows the
// reference solutions, so that it needs no key. Nothing is written outside of one temporary directory, which stays so
// that the report can be opened.
import { spawnSync } from 'node:child_process';
import { mkdtempSync, realpathSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';

const home = realpathSync(mkdtempSync(join(tmpdir(), 'carrel-demo-')));
const binary = resolve(import.meta.dirname, '../bin/carrel.cjs');
const tasks = ['fix-typo-001', 'fix-import-001', 'fix-type-error-001'];
const args = [
  ...['eval', 'run', '--dataset', 'golden', '--task-ids', tasks.join(',')],
  ...['--parallelism', '3', '--isolation', 'worktree', '--agent', 'oracle', '--gate', '1'],
];

console.log(`carrel ${args.join(' ')}\n`);
const { status } = spawnSync(process.execPath, [binary, ...args], {
  cwd: home,
  env: {
    ...process.env,
    CARREL_STATE_DIR: join(home, 'state'),
    CARREL_CACHE_DIR: join(home, 'cache'),
    XDG_CONFIG_HOME: join(home, 'config'),
  },
  stdio: 'inherit',
});
if (status === 0) {
  console.log('\nYour own repository is next:');
  console.log(
    '  cd YOUR-REPOSITORY && carrel run "DESCRIPTION" --agent claude   a task in its own workspace',
  );
  console.log(
    '  carrel eval run --dataset golden --agent claude --parallelism 3   the same batch with a real agent',
  );
  console.log('Where to read on: README.md, docs/guides/, carrel --help');
}
process.exitCode = status ?? 1;
