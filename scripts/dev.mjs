// What `npm run dev` runs: builds dist/ when a source has changed, then starts bin/carrel.cjs in the directory where npm
// was called. The build writes to stderr only, so stdout belongs to the command.
//   npm run dev -- --watch serve         build and restart on every change
//   npm --prefix CARREL run dev -- ls    from another repository
import { spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { readdirSync, statSync, utimesSync, watch } from 'node:fs';
import { constants } from 'node:os';
import { join, resolve } from 'node:path';
import './install.mjs';

const SETTLE_MS = 150;
const KILL_AFTER_MS = 10_000;
const root = resolve(import.meta.dirname, '..');
const built = join(root, 'dist/start.cjs');
const folders = ['src', 'dashboard', 'scripts/build'].map(folder => join(root, folder));
const isWatching = process.argv[2] === '--watch';
const args = process.argv.slice(isWatching ? 3 : 2);
let command;
let isStopping = !isWatching;

// A terminal sends Ctrl-C to the command as well, so only SIGTERM is passed on.
process.on('SIGINT', () => stopAll('SIGINT'));
process.on('SIGTERM', () => stopAll('SIGTERM'));

if (!hasChanged() || build()) start();
else process.exitCode = 1;
if (isWatching) watchSources();

/** Directories count too: removing a file changes the time of its directory. */
function hasChanged() {
  const readTime = file => statSync(file, { throwIfNoEntry: false })?.mtimeMs ?? 0;
  const listFiles = folder => readdirSync(folder, { recursive: true }).map(name => join(folder, name));
  const sources = [...folders, ...folders.flatMap(listFiles), join(root, 'scripts/build.mjs')];
  return Math.max(...sources.map(readTime)) > readTime(built);
}

/** False when it fails; the last good build then stays in place. */
function build() {
  const startedAt = new Date();
  const stdio = ['ignore', process.stderr, process.stderr];
  if (spawnSync(process.execPath, ['scripts/build.mjs'], { cwd: root, stdio }).status !== 0) return false;
  // A source that was edited during the build has to be newer than the build.
  utimesSync(built, startedAt, startedAt);
  return true;
}

function start() {
  const cwd = process.env.INIT_CWD ?? process.cwd();
  command = spawn(process.execPath, [join(root, 'bin/carrel.cjs'), ...args], { cwd, stdio: 'inherit' });
  command.once('exit', (code, signal) => {
    command = undefined;
    if (isStopping) process.exit(code ?? 128 + constants.signals[signal]);
    console.error(`dev: carrel exited with ${code ?? signal}`);
  });
}

function watchSources() {
  let timer;
  const onChange = () => {
    clearTimeout(timer);
    timer = setTimeout(restart, SETTLE_MS);
  };
  for (const folder of folders) watch(folder, { recursive: true }, onChange);
}

async function restart() {
  if (!hasChanged() || !build()) return;
  const killing = setTimeout(() => command?.kill('SIGKILL'), KILL_AFTER_MS);
  if (command?.kill('SIGTERM')) await once(command, 'exit');
  clearTimeout(killing);
  if (!command && !isStopping) start();
}

function stopAll(signal) {
  isStopping = true;
  if (!command) process.exit(128 + constants.signals[signal]);
  if (signal === 'SIGTERM') command.kill(signal);
}
