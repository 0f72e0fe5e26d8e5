// A repository of a given size, and Carrel with a state of its own, in a directory that is removed afterwards.
import { execFile } from 'node:child_process';
import { mkdirSync, mkdtempSync, readFileSync, realpathSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { promisify } from 'node:util';

const run = promisify(execFile);
const binary = resolve(import.meta.dirname, '../bin/carrel.cjs');
const FILES_PER_FOLDER = 100;
const BYTES_PER_FILE = 4000;

export async function withScene(files, action) {
  const home = realpathSync(mkdtempSync(join(tmpdir(), 'carrel-bench-')));
  try {
    return await action(await makeScene(home, files));
  } finally {
    rmSync(home, { recursive: true, force: true });
  }
}

async function makeScene(home, files) {
  const repository = join(home, 'repository');
  const trace = join(home, 'trace');
  const gitConfig = join(home, 'gitconfig');
  writeFileSync(gitConfig, '[user]\n\tname = Bench\n\temail = bench@example.com\n');
  const env = {
    ...process.env,
    GIT_CONFIG_GLOBAL: gitConfig,
    CARREL_STATE_DIR: join(home, 'state'),
    CARREL_CACHE_DIR: join(home, 'cache'),
  };
  const git = (...args) => run('git', args, { cwd: repository, env, maxBuffer: 1024 ** 3 });
  const carrel = (...args) =>
    run(process.execPath, [binary, ...args], { cwd: repository, env, maxBuffer: 1024 ** 3 });
  writeFiles(repository, files);
  await git('init', '--quiet', '--initial-branch=main');
  await git('add', '.');
  await git('commit', '--quiet', '-m', 'first');
  return {
    home,
    repository,
    git,
    carrel,
    env,
    countGitProcesses: action => countGitProcesses(gitConfig, trace, action),
  };
}

function writeFiles(root, count) {
  for (let index = 0; index < count; index++) {
    const folder = join(root, 'src', String(Math.floor(index / FILES_PER_FOLDER)));
    if (index % FILES_PER_FOLDER === 0) mkdirSync(folder, { recursive: true });
    writeFileSync(
      join(folder, `file-${index}.txt`),
      `${index} ${'lorem ipsum '.repeat(BYTES_PER_FILE / 12)}\n`,
    );
  }
}

/** How many git processes an action starts, as git's own trace tells. */
async function countGitProcesses(gitConfig, trace, action) {
  const plain = readFileSync(gitConfig, 'utf8');
  writeFileSync(trace, '');
  writeFileSync(gitConfig, `${plain}[trace2]\n\teventTarget = ${trace}\n`);
  await action();
  writeFileSync(gitConfig, plain);
  return readFileSync(trace, 'utf8')
    .split('\n')
    .filter(line => line.includes('"event":"start"')).length;
}
