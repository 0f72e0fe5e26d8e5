// What `npm start` shows until batches exist: a repository made on the spot, three workspaces at once, a real change
// in each, then diff, land, down and restore. Everything lives in a temporary directory that is removed at the end.
import { execFile } from 'node:child_process';
import {
  appendFileSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  realpathSync,
  rmSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { promisify } from 'node:util';

const run = promisify(execFile);
const home = realpathSync(mkdtempSync(join(tmpdir(), 'carrel-demo-')));
const repository = join(home, 'library');
const binary = resolve(import.meta.dirname, '../bin/carrel.cjs');
const env = {
  ...process.env,
  CARREL_STATE_DIR: join(home, 'state'),
  CARREL_CACHE_DIR: join(home, 'cache'),
  GIT_CONFIG_GLOBAL: '/dev/null',
  GIT_AUTHOR_NAME: 'Ada',
  GIT_AUTHOR_EMAIL: 'ada@example.com',
  GIT_COMMITTER_NAME: 'Ada',
  GIT_COMMITTER_EMAIL: 'ada@example.com',
};

try {
  await makeRepository();
  const paths = await makeWorkspaces(['readme', 'greeting', 'count']);
  await changeEach(paths);
  await landOne();
  await removeAndRestore(paths.greeting);
  console.log('\nYour own repository is next:  cd YOUR-REPOSITORY && carrel up NAME');
  console.log('Where to look: README.md, docs/guides/first-workspace.md, carrel --help');
} finally {
  rmSync(home, { recursive: true, force: true });
}

async function makeRepository() {
  heading('A repository with one commit');
  mkdirSync(repository);
  await git('init', '--quiet', '--initial-branch=main');
  writeFileSync(join(repository, 'README.md'), '# Library\n');
  writeFileSync(join(repository, 'greet.sh'), 'echo hello\n');
  await git('add', '.');
  await git('commit', '--quiet', '-m', 'A library');
  console.log(repository);
}

async function makeWorkspaces(names) {
  heading('Three workspaces, made at the same time:  carrel up NAME');
  const started = performance.now();
  const paths = await Promise.all(names.map(name => carrel('up', name)));
  for (const path of paths) console.log(path.trim());
  console.log(`(${Math.round(performance.now() - started)} ms)`);
  return Object.fromEntries(names.map((name, index) => [name, paths[index].trim()]));
}

async function changeEach(paths) {
  heading('A change in each; the repository itself stays as it is:  carrel ls');
  appendFileSync(join(paths.readme, 'README.md'), '\nEverybody has a desk of their own.\n');
  writeFileSync(join(paths.greeting, 'greet.sh'), 'echo "hello, $1"\n');
  writeFileSync(join(paths.count, 'count.txt'), '3\n');
  process.stdout.write(await carrel('ls'));
  heading('carrel diff readme');
  process.stdout.write(await carrel('diff', 'readme'));
}

async function landOne() {
  heading('Commit and land it on main:  carrel land readme -m "Say what a desk is"');
  await carrel('land', 'readme', '-m', 'Say what a desk is');
  console.log((await git('log', '--oneline', 'main')).trim());
}

async function removeAndRestore(path) {
  heading('Removing a workspace with work in it:  carrel down greeting');
  const refusal = await carrel('down', 'greeting').catch(error => error);
  process.stdout.write(refusal.stderr);
  console.log(`(exit status ${refusal.code}: nothing was changed)`);
  heading(
    'Giving it up, and getting it back:  carrel down greeting --discard-changes && carrel restore greeting',
  );
  await carrel('down', 'greeting', '--discard-changes');
  await carrel('restore', 'greeting');
  console.log(`${path}/greet.sh is back: ${readFileSync(join(path, 'greet.sh'), 'utf8').trim()}`);
}

async function carrel(...args) {
  return (await run(process.execPath, [binary, ...args], { cwd: repository, env })).stdout;
}

async function git(...args) {
  return (await run('git', args, { cwd: repository, env })).stdout;
}

function heading(text) {
  console.log(`\n\u2014 ${text}`);
}
