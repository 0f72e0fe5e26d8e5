import { requireSuccess } from '../../scene/sandbox.mjs';
import { recordBubblewrap } from '../../system/recorded-bubblewrap.mjs';
import { toFigures } from '../../timing/figure.mjs';
import { interleave } from '../../timing/interleave.mjs';

const TRUE = 'true';
const BWRAP = 'bwrap with the same flags, true';
const RUNTIME = 'bubblewrap runtime, true';
const LIBRARY_ON_HOST = 'execInWorkspace, worktree';
const LIBRARY_INSIDE = 'execInWorkspace, full';
const SHELL_ON_HOST = 'carrel exec, worktree';
const SHELL_INSIDE = 'carrel exec, full';
const TURNS_PER_REPEAT = 5;

/** The same command without the sandbox, for each way to run one in it. */
const without = {
  [BWRAP]: TRUE,
  [RUNTIME]: TRUE,
  [LIBRARY_INSIDE]: LIBRARY_ON_HOST,
  [SHELL_INSIDE]: SHELL_ON_HOST,
};

const rows = [
  { group: 'exec', name: TRUE },
  { group: 'exec', name: BWRAP },
  { group: 'exec', name: RUNTIME, reference: BWRAP },
  { group: 'exec', name: LIBRARY_ON_HOST },
  { group: 'exec', name: LIBRARY_INSIDE, reference: LIBRARY_ON_HOST },
  { group: 'exec', name: SHELL_ON_HOST },
  { group: 'exec', name: SHELL_INSIDE, reference: SHELL_ON_HOST },
  ...Object.keys(without).map(name => ({
    group: 'added',
    name,
    sample: `added: ${name}`,
    by: name,
    reference: name === BWRAP ? null : BWRAP,
  })),
];

/** Each gives what runs the command once. */
const ways = {
  [TRUE]:
    async ({ scene }) =>
    () =>
      scene.run('true'),
  [BWRAP]: prepareReplay,
  [RUNTIME]: prepareRuntime,
  [LIBRARY_ON_HOST]: bubblewrap => prepareLibrary(bubblewrap, 'on-host'),
  [LIBRARY_INSIDE]: bubblewrap => prepareLibrary(bubblewrap, 'inside'),
  [SHELL_ON_HOST]: bubblewrap => prepareShell(bubblewrap, 'on-host'),
  [SHELL_INSIDE]: bubblewrap => prepareShell(bubblewrap, 'inside'),
};

/** The floor of a sandbox for each command is one bwrap, and below that the start of a process. */
export async function measureExec({ size, repeats, bubblewrap }) {
  const { scene } = bubblewrap;
  await scene.carrel('up', 'on-host', '--isolation', 'worktree');
  const contestants = [];
  for (const [name, prepare] of Object.entries(ways)) {
    contestants.push(await contestant(name, () => prepare(bubblewrap)));
  }
  const contest = await interleave(contestants, repeats * TURNS_PER_REPEAT);
  await scene.carrel('down', 'on-host');
  addDifferences(contest.samples);
  return toFigures(rows, size, contest);
}

/** What cannot be prepared fails in its turn, where it is reported. Nothing is written, so there is nothing to wait for. */
async function contestant(name, prepare) {
  const action = await prepare().catch(error => () => Promise.reject(error));
  return { name, turn: (_round, watch) => watch.time(name, () => undefined, action) };
}

async function prepareReplay(bubblewrap) {
  await bubblewrap.workspace('inside');
  return recordBubblewrap(bubblewrap.scene, 'inside');
}

async function prepareRuntime(bubblewrap) {
  const sandbox = await bubblewrap.openSandbox(await bubblewrap.workspace('inside'));
  return async () => requireSuccess(await sandbox.run({ command: ['true'] }));
}

async function prepareLibrary(bubblewrap, name) {
  await requireWorkspace(bubblewrap, name);
  const { library, app } = await bubblewrap.open();
  const repository = bubblewrap.scene.repository.directory;
  const request = { repository, name, command: ['true'], output: 'capture' };
  return async () => requireSuccess(await library.execInWorkspace(app, request));
}

async function prepareShell(bubblewrap, name) {
  await requireWorkspace(bubblewrap, name);
  return () => bubblewrap.scene.carrel('exec', name, '--', 'true');
}

/** The other one is there in any case. */
async function requireWorkspace(bubblewrap, name) {
  if (name === 'inside') await bubblewrap.workspace(name);
}

/** Turn by turn, so that a busy moment of the machine is in both. */
function addDifferences(samples) {
  for (const [name, plain] of Object.entries(without)) {
    const [longer, shorter] = [samples.get(name), samples.get(plain)];
    if (!longer || !shorter) continue;
    samples.set(
      `added: ${name}`,
      longer.map((ms, round) => ms - shorter[round]),
    );
  }
}
