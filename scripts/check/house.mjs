// Measures the source tree: how many files and lines, how they hang together, and how many of them one command runs
// through. `npm run house` prints a table, `npm run house -- --json` the figures, with `--fast` without the commands.
import { execFileSync } from 'node:child_process';
import { mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { basename, dirname, join, resolve } from 'node:path';
import { pathToFileURL } from 'node:url';
import { findCycles, readImports, sourceFiles } from './import-graph.mjs';

const files = sourceFiles();
const imports = readImports(files);

const figures = {
  ...countLines(),
  oneImporterPercent: oneImporterShare(),
  ...measureFolders(),
  ...measureCycles(),
  repeatedBaseNames: repeatedNames().length,
  ...(process.argv.includes('--fast') ? {} : { filesExecuted: await measureCommands() }),
};
if (process.argv.includes('--json')) console.log(JSON.stringify(figures, null, 2));
else for (const [name, value] of Object.entries(figures)) console.log(name.padEnd(22), describe(value));

function describe(value) {
  return typeof value === 'object'
    ? Object.entries(value)
        .map(([name, each]) => `${name} ${each}`)
        .join(', ')
    : value;
}

function countLines() {
  const lines = files.map(file => readFileSync(file, 'utf8').split('\n').length - 1).sort((a, b) => a - b);
  const at = share => lines[Math.min(lines.length - 1, Math.floor(lines.length * share))];
  return {
    files: files.length,
    lines: lines.reduce((sum, each) => sum + each, 0),
    linesOfFile: { median: at(0.5), p90: at(0.9), max: lines.at(-1) },
  };
}

function oneImporterShare() {
  const importers = new Map();
  for (const [file, targets] of imports)
    for (const { target } of targets) importers.set(target, (importers.get(target) ?? new Set()).add(file));
  const single = files.filter(file => importers.get(file)?.size === 1).length;
  return Math.round((100 * single) / files.length);
}

function measureFolders() {
  const sizes = new Map();
  for (const file of files) sizes.set(dirname(file), (sizes.get(dirname(file)) ?? 0) + 1);
  const largest = [...sizes].sort(([, a], [, b]) => b - a);
  return {
    folders: sizes.size,
    largestFolders: Object.fromEntries(largest.slice(0, 5)),
    foldersAbove15: largest.filter(([, size]) => size > 15).length,
  };
}

function measureCycles() {
  const groups = findCycles(imports);
  return { cycles: groups.length, largestCycle: Math.max(0, ...groups.map(group => group.length)) };
}

/** Names that several folders have, without those that a scheme gives: index.ts, and commands by noun and verb. */
function repeatedNames() {
  const counts = new Map();
  for (const file of files.filter(each => !each.includes('/commands/') && basename(each) !== 'index.ts'))
    counts.set(basename(file), (counts.get(basename(file)) ?? 0) + 1);
  return [...counts].filter(([, count]) => count > 1).map(([name]) => name);
}

/** Files of which a function runs, for four commands on a fresh repository, by V8's coverage of an unbundled build. */
async function measureCommands() {
  const root = mkdtempSync(join(tmpdir(), 'carrel-house-'));
  // In this directory, where the dependencies are found.
  const out = resolve(`.dist-house-${process.pid}`);
  try {
    const { rolldown } = await import('rolldown');
    const build = await rolldown({
      input: 'src/surfaces/cli/main.ts',
      platform: 'node',
      external: [/^[a-z@]/],
      resolve: { extensionAlias: { '.js': ['.ts', '.js'] } },
      logLevel: 'silent',
    });
    await build.write({ dir: out, format: 'esm', preserveModules: true, preserveModulesRoot: 'src' });
    return runCommands(root, out);
  } finally {
    rmSync(root, { recursive: true, force: true });
    rmSync(out, { recursive: true, force: true });
  }
}

function runCommands(root, out) {
  const [home, repository] = ['home', 'repository'].map(name => join(root, name));
  for (const each of [home, repository]) mkdirSync(each);
  writeFileSync(join(repository, 'README.md'), 'A repository to measure with.\n');
  const author = ['-c', 'user.name=House', '-c', 'user.email=house@example.org'];
  for (const args of [
    ['init', '--quiet'],
    ['add', '.'],
    [...author, 'commit', '--quiet', '-m', 'Begin'],
  ])
    execFileSync('git', args, { cwd: repository });
  const dataset = join(root, 'dataset.json');
  const base = { kind: 'files', files: { 'README.md': 'hello\n' } };
  const graders = [{ kind: 'command', run: 'test -f done.txt' }];
  writeFileSync(
    dataset,
    JSON.stringify({ name: 'house', items: [{ id: 'one', description: 'Write done.txt', base, graders }] }),
  );
  const agent = ['--agent', 'echo yes > done.txt', '--isolation', 'worktree', '--out', join(root, 'run')];
  const commands = {
    up: ['up', 'one', '--isolation', 'worktree'],
    path: ['path', 'one'],
    exec: ['exec', 'one', '--', 'true'],
    'eval run': ['eval', 'run', '--dataset', dataset, ...agent],
  };
  return Object.fromEntries(
    Object.entries(commands).map(([name, args]) => [
      name,
      countExecuted({ root, home, repository, out }, args),
    ]),
  );
}

function countExecuted({ root, home, repository, out }, args) {
  const coverage = mkdtempSync(join(root, 'coverage-'));
  const env = { PATH: process.env.PATH, HOME: home, NODE_V8_COVERAGE: coverage };
  execFileSync(process.execPath, [join(out, 'surfaces/cli/main.js'), ...args], {
    cwd: repository,
    env,
    stdio: 'pipe',
  });
  const executed = new Set();
  for (const name of readdirSync(coverage))
    for (const { url, functions } of JSON.parse(readFileSync(join(coverage, name), 'utf8')).result)
      if (url.startsWith(pathToFileURL(out).href) && functions.some(runs)) executed.add(url);
  return executed.size;
}

/** Beside the module itself, which has no name and covers all of it. */
function runs({ ranges, functionName }) {
  return ranges[0].count > 0 && (ranges[0].startOffset > 0 || functionName !== '');
}
