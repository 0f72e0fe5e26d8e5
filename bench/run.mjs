// Measures Carrel against plain git in the same run, turn by turn, and names what is slower than its target.
import { mkdirSync, writeFileSync } from 'node:fs';
import { availableParallelism, loadavg } from 'node:os';
import { join } from 'node:path';
import { describeMachine } from './machine.mjs';
import { baseSizeOf, measures } from './measures.mjs';
import { help, readOptions } from './options.mjs';
import { formatChart } from './report/chart.mjs';
import { formatTable } from './report/table.mjs';
import { formatVerdict } from './report/verdict.mjs';
import { openRepository } from './repository/repositories.mjs';
import { removeOldRuns } from './scene/old-runs.mjs';
import { absentPeers } from './scene/peers.mjs';
import { createStage } from './scene/stage.mjs';
import { removeDirectory } from './system/remove-directory.mjs';
import { judgeTargets } from './targets.mjs';
import { relateFigures } from './timing/figure.mjs';

const options = readOptions(process.argv.slice(2));
const runs = join(options.cache, 'runs', String(process.pid));
if (options.help) console.log(help);
else await bench();

async function bench() {
  const began = new Date();
  const loads = [loadavg()[0]];
  mkdirSync(options.cache, { recursive: true });
  await removeOldRuns(join(options.cache, 'runs'));
  const figures = relateFigures(await measureAll());
  removeDirectory(runs);
  loads.push(loadavg()[0]);
  const targets = judgeTargets(figures);
  const result = {
    began: began.toISOString(),
    machine: describeMachine(options.cache),
    loads,
    absentPeers,
    figures,
    targets,
  };
  console.log(`${describe(result)}\n\n${formatTable(figures, targets)}\n\n${formatVerdict(targets)}`);
  console.log(`\n${writeResults(result).join('\n')}`);
  if (options.strict && targets.some(({ verdict }) => verdict === 'missed')) process.exitCode = 1;
}

async function measureAll() {
  const figures = [];
  for (const [size, names] of planBySize()) {
    const repository = await openRepository(options.cache, size);
    const stage = createStage(runs, repository);
    try {
      for (const name of names) figures.push(...(await measureOne(name, size, stage)));
    } finally {
      await stage.close();
    }
  }
  return figures;
}

function planBySize() {
  const plan = new Map();
  for (const name of options.only) {
    const { sizes, quick = sizes } = measures[name];
    for (const size of options.quick ? quick : sizes) {
      if (options.sizes.includes(baseSizeOf(size))) plan.set(size, [...(plan.get(size) ?? []), name]);
    }
  }
  return [...plan].sort(([a], [b]) => 'SML'.indexOf(a[0]) - 'SML'.indexOf(b[0]));
}

async function measureOne(name, size, stage) {
  const start = performance.now();
  process.stderr.write(`${size}: ${name} `);
  const request = Object.defineProperties(
    { size, repeats: options.repeatsOf(size), workspaces: options.quick ? 100 : 1000 },
    Object.getOwnPropertyDescriptors(stage),
  );
  const figures = await measures[name].measure(request).catch(tellFailure);
  process.stderr.write(`${Math.round((performance.now() - start) / 1000)} s\n`);
  return figures;
}

/** The others can still report figures. */
function tellFailure(error) {
  process.stderr.write(`failed: ${error.message} `);
  process.exitCode = 1;
  return [];
}

function describe({ machine, loads }) {
  const peers = absentPeers.length > 0 ? `Not installed: ${absentPeers.join(', ')}.` : '';
  return `${machine}.\n${describeLoad(loads)}\nNODE_EXTRA_CA_CERTS is unset for all children; sync before every timed run. ${peers}`;
}

/** Git deletes at once and Carrel afterwards, so a busy disk changes even the ratios. */
function describeLoad(loads) {
  const load = `Load at the start and at the end: ${loads.map(value => value.toFixed(1)).join(' and ')}.`;
  const isBusy = Math.max(...loads) > 2 * availableParallelism();
  return isBusy ? `${load} OTHER PROCESSES WERE RUNNING: these ratios are unreliable.` : load;
}

function writeResults(result) {
  const folder = join(options.cache, 'results');
  mkdirSync(folder, { recursive: true });
  const base = join(folder, result.began.replaceAll(':', '-').replace(/\..*/, ''));
  const json = `${JSON.stringify(result, null, 2)}\n`;
  const files = { [`${base}.json`]: json, [`${base}.svg`]: formatChart(result) };
  if (options.json) files[options.json] = json;
  for (const [file, text] of Object.entries(files)) writeFileSync(file, text);
  return Object.keys(files);
}
