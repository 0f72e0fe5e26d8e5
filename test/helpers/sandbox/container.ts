import { randomBytes } from 'node:crypto';
import { join } from 'node:path';
import { afterAll, beforeAll, beforeEach, onTestFinished } from 'vitest';
import type { ProcessIdentity } from '../../../src/domain/process-identity.js';
import { identifyProcess } from '../../../src/exec/process/identify-process.js';
import { runProcess } from '../../../src/exec/run-process.js';
import { createEngine } from '../../../src/runtime/container/engine/engine.js';
import { ensureHostImage } from '../../../src/runtime/container/image/container-image.js';
import { collectHostImage } from '../../../src/runtime/container/image/host-image.js';
import { createContainerRuntime } from '../../../src/runtime/container/runtime.js';
import type { Policy } from '../../../src/runtime/policy.js';
import type { Runtime } from '../../../src/runtime/runtime.js';
import { requirePart } from '../../parts/required-part.js';
import { tempDir } from '../temp.js';
import { type EngineName, openTestEngine, type TestEngine } from './container-engine.js';

/** Git and a shell with what tests use: small enough to be made in a second. */
const TEST_PROGRAMS = [
  ...[
    'sh',
    'git',
    'cat',
    'ls',
    'mkdir',
    'rm',
    'mv',
    'touch',
    'sleep',
    'true',
    'false',
    'env',
    'id',
    'tail',
    'head',
  ],
  ...[
    'grep',
    'sed',
    'tr',
    'wc',
    'dd',
    'setsid',
    'nohup',
    'kill',
    'ps',
    'ln',
    'chmod',
    'stat',
    'printf',
    'pwd',
    'seq',
  ],
];

/** One engine for all tests of a file; tests are skipped, loudly, on a machine without it. */
export interface TestContainers {
  readonly engine: TestEngine;
  /** The image that all tests share, by its tag. */
  readonly image: string;
  createRuntime(options?: Partial<Parameters<typeof createContainerRuntime>[0]>): Runtime;
  /** This process, as runtimes know it. */
  createSelf(): ProcessIdentity;
  /** A policy with one writable directory of the test's own, at the same path inside. */
  policy(directory: string, changes?: Partial<Policy>): Policy;
}

/** `find` gives an engine of the test's own instead. */
export function useContainers(
  name: EngineName,
  find?: () => Promise<TestEngine | undefined>,
): TestContainers {
  let engine: TestEngine | undefined;
  let image = '';
  beforeAll(async () => {
    engine = await (find ?? (() => openTestEngine(name)))();
    if (engine) image = await ensureTestImage(engine);
  }, 120_000);
  afterAll(() => engine?.close());
  beforeEach(context => requirePart(context, engine !== undefined, name));
  const required = (): TestEngine => engine as TestEngine;
  return {
    get engine() {
      return required();
    },
    get image() {
      return image;
    },
    createRuntime: options => createTestRuntime(required(), options),
    createSelf,
    policy: (directory, changes) => testPolicy(directory, image, changes),
  };
}

async function ensureTestImage({ name, environment }: TestEngine): Promise<string> {
  const gitPrograms = (
    await runProcess({ command: 'git', args: ['--exec-path'], cwd: '/', env: environment })
  ).stdout
    .toString()
    .trim();
  const parts = { run: runProcess, searchPath: '/usr/bin:/bin', paths: [gitPrograms] };
  const image = await collectHostImage({ ...parts, name: 'localhost/carrel-test', programs: TEST_PROGRAMS });
  return ensureHostImage(createEngine({ name, run: runProcess, environment }), image);
}

/** Everything that it made is gone when the test ends. */
function createTestRuntime(
  { name, environment }: TestEngine,
  options: Partial<Parameters<typeof createContainerRuntime>[0]> = {},
): Runtime {
  const runtime = createContainerRuntime({
    engine: name,
    run: runProcess,
    environment,
    directory: options.directory ?? join(tempDir(), 'runtime'),
    owner: uniqueWord(),
    self: createSelf(),
    architecture: process.arch,
    user: { uid: process.getuid?.() ?? 0, gid: process.getgid?.() ?? 0 },
    node: process.execPath,
    unique: uniqueWord,
    ...options,
  });
  onTestFinished(async () => {
    for (const id of await runtime.list()) await runtime.stop(id);
  });
  return runtime;
}

const createSelf = (): ProcessIdentity => identifyProcess(process.pid) as ProcessIdentity;

const uniqueWord = (): string => randomBytes(8).toString('hex');

function testPolicy(directory: string, image: string, changes: Partial<Policy> = {}): Policy {
  return {
    root: { kind: 'image', image },
    mounts: [{ kind: 'bind', from: directory, to: directory, writable: true }],
    environment: { PATH: '/usr/local/bin:/usr/bin:/bin' },
    workingDirectory: directory,
    hostname: 'carrel',
    user: { uid: process.getuid?.() ?? 0, gid: process.getgid?.() ?? 0 },
    network: 'none',
    limits: {},
    enforcement: 'enforce',
    nested: false,
    privileged: false,
    ...changes,
  };
}
