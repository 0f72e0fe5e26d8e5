// Makes docs/session.svg: a real `carrel run` on a terminal, recorded and drawn as it came. Three shell scripts stand in
// for agents, so that it needs no key; everything else is what a user sees. Run it after `npm run build`.
import { execFileSync, spawn } from 'node:child_process';
import { chmodSync, mkdirSync, mkdtempSync, realpathSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { drawSession } from './draw-session.mjs';

const COLUMNS = 104;
const ROWS = 22;
const binary = resolve(import.meta.dirname, '../../bin/carrel.cjs');
const home = realpathSync(mkdtempSync(join(tmpdir(), 'carrel-session-')));

const write = (path, text) => writeFileSync(join(home, path), text);

const identity = {
  GIT_AUTHOR_NAME: 'Ada',
  GIT_AUTHOR_EMAIL: 'ada@example.com',
  GIT_COMMITTER_NAME: 'Ada',
  GIT_COMMITTER_EMAIL: 'ada@example.com',
};

const configuration = `agents:
  planner:
    command: |
      echo "Reading the style sheets"; sleep 1.2
      echo "1. a dark palette 2. a switch 3. a test" > "$CARREL_OUTPUT_DIR/implementation_plan.md"
      echo "one" > "$CARREL_OUTPUT_DIR/subtasks.md"; echo "The plan has three steps."
  developer:
    command: |
      echo "Writing settings.css"; sleep 1.2
      echo "@media (prefers-color-scheme: dark) { body { background: black } }" >> settings.css
      echo "Running the tests"; sleep 1; echo "Dark mode follows the system."
  reviewer:
    command: |
      echo "Reading the change"; sleep 1; echo "Nothing to fix."
tasks:
  validation:
    - { kind: file-contains, path: settings.css, text: "prefers-color-scheme: dark", name: dark palette }
`;

const typed = [
  'carrel run "Add a dark mode" --workflow feature --isolation worktree',
  'carrel land $(carrel task ls --json | grep -o "task_[a-z0-9]*" | tail -1)',
  'git log --oneline --graph -4',
];

try {
  const frames = await record(prepare());
  const target = resolve(import.meta.dirname, '../../docs/session.svg');
  writeFileSync(target, drawSession(frames, { columns: COLUMNS, rows: ROWS }));
  console.log(`${target}: ${frames.length} pieces, ${(frames.at(-1).at / 1000).toFixed(1)} s`);
} finally {
  rmSync(home, { recursive: true, force: true });
}

/** A repository, agents of the user's, and the lines that are typed. */
function prepare() {
  const repository = join(home, 'shop');
  const programs = join(home, 'bin');
  for (const directory of [repository, programs, join(home, 'config/carrel')])
    mkdirSync(directory, { recursive: true });
  write('bin/carrel', `#!/bin/sh\nexec "${process.execPath}" "${binary}" "$@"\n`);
  chmodSync(join(programs, 'carrel'), 0o755);
  write('config/carrel/config.yaml', configuration);
  write('shop/settings.css', 'body { background: white }\n');
  const env = {
    PATH: `${programs}:${process.env.PATH}`,
    HOME: home,
    XDG_CONFIG_HOME: join(home, 'config'),
    CARREL_STATE_DIR: join(home, 'state'),
    CARREL_CACHE_DIR: join(home, 'cache'),
    GIT_CONFIG_GLOBAL: '/dev/null',
    TERM: 'xterm-256color',
    GIT_PAGER: 'cat',
    LANG: 'C.UTF-8',
    ...identity,
  };
  const git = (...args) => execFileSync('git', args, { cwd: repository, env });
  git('init', '--quiet', '--initial-branch=main');
  git('add', '--all');
  git('commit', '--quiet', '--message', 'A shop');
  return { repository, env };
}

/** What the terminal was sent, with milliseconds since the beginning. */
function record({ repository, env }) {
  const shell = ['sh', '-c', script()].map(word => `'${word.replaceAll("'", "'\\''")}'`).join(' ');
  const child = spawn(
    'script',
    ['--quiet', '--flush', '--command', `stty cols ${COLUMNS} rows ${ROWS}; ${shell}`, '/dev/null'],
    {
      cwd: repository,
      env,
      stdio: ['ignore', 'pipe', 'inherit'],
    },
  );
  const start = performance.now();
  const frames = [];
  child.stdout.setEncoding('utf8').on('data', text => frames.push({ at: performance.now() - start, text }));
  return new Promise(done => child.on('close', () => done(frames)));
}

function script() {
  const prompt = "printf '\\033[32m$\\033[0m '; sleep 0.4";
  return typed
    .map(line => `${prompt}; printf '%s\\n' '${line.replaceAll("'", "'\\''")}'; ${line}; sleep 1`)
    .join('; ');
}
