import { createHash, randomBytes, randomInt } from 'node:crypto';
import { createRequire } from 'node:module';
import { release, tmpdir, userInfo } from 'node:os';
import { dirname, isAbsolute, join, resolve } from 'node:path';
import { loadConfig } from './config/load.js';
import { carrelError } from './domain/error.js';
import type { ProcessIdentity } from './domain/process-identity.js';
import { type BackgroundPriority, startBackground } from './exec/background.js';
import { gitEnvironment, trustedPath } from './exec/environment.js';
import { parentVariables } from './exec/orphans.js';
import { identifyProcess } from './exec/process-identity.js';
import { runProcess } from './exec/run.js';
import { createGit, type Git } from './git/git.js';
import { createLocator, type Locator } from './git/locate-ahead.js';
import { createJj, type Jj } from './jj/jj.js';
import type { Context, Places } from './operations/context.js';
import { recover } from './operations/recover.js';
import type { RuntimeRegistry } from './runtime/registry.js';
import type { Sandboxes } from './sandbox/sandboxes.js';
import { sweepTasks } from './task/sweep-tasks.js';
import { besideJj } from './workspace/beside-jj.js';
import { createDirectBackend } from './workspace/direct/backend.js';
import { createDirectoryBackend } from './workspace/directory/backend.js';
import { createGitBackend } from './workspace/git/backend.js';
import { createJjBackend } from './workspace/jj/backend.js';
import { createOverlayBackend } from './workspace/overlay/backend.js';
import { createOverlayProbe } from './workspace/overlay-obstacle.js';
import type { BackendRegistry } from './workspace/registry.js';

export interface AppOptions {
  /** The caller's environment. Nothing below this file reads the process's own. */
  readonly environment: Readonly<Record<string, string>>;
  readonly cwd: string;
  readonly narrate?: ((line: string) => void) | undefined;
  readonly onStep?: Context['onStep'] | undefined;
  /** What starts Carrel's own command, for work in the background; the command of this package by default. */
  readonly ownCommand?: OwnCommand | undefined;
  /** False leaves what a crash left behind to the next one; for whoever only looks and must not act. */
  readonly recovers?: boolean | undefined;
  /** Where the caller will ask for the repository: git is sent to look there while the store is being opened. */
  readonly expects?: string | undefined;
}

export interface App extends Context {
  /** Idempotent. */
  close(): Promise<void>;
}

/** The composition root: the only place that knows concrete backends and stores. Settles what a crash left behind. */
export async function openApp(options: AppOptions): Promise<App> {
  const { environment, cwd } = options;
  const places = findPlaces(environment);
  const self = identifySelf();
  const gitEnv = { ...gitEnvironment(environment, untrustedIn(places)), ...parentVariables(self) };
  const git = createGit({ run: runProcess, env: gitEnv });
  const jj = createJj({ run: runProcess, env: gitEnv });
  const locator = createLocator(git);
  if (options.expects !== undefined) locator.begin(options.expects);
  // Loaded only now, so that git is under way meanwhile.
  const { openSqliteStore } = await import('./store/sqlite/open-sqlite-store.js');
  const store = await openSqliteStore({ file: join(places.stateDir, 'carrel.db'), now: Date.now });
  const app: App = {
    store,
    git,
    backends: createBackends(git, locator, jj, places),
    ids: { now: Date.now, random: randomInt },
    now: Date.now,
    self,
    places,
    environment,
    cwd,
    loadConfig: repositoryRoot => loadConfig({ repositoryRoot, userFile: places.userConfigFile }),
    narrate: options.narrate ?? (() => undefined),
    onStep: options.onStep ?? (() => undefined),
    startBackground: (args, how) => startCarrel(options, args, how?.priority),
    sandboxes: once(() => openSandboxes(app, options, jj)),
    close: () => store.close(),
  };
  return options.recovers === false ? app : settle(app);
}

/** Loaded when the first sandbox is asked for. */
async function openSandboxes(app: App, { environment }: AppOptions, jj: Jj): Promise<Sandboxes> {
  const [bubblewrap, container, host, dummy, { createSandboxes }, { openSandbox }] = await Promise.all([
    import('./runtime/bubblewrap/runtime.js'),
    import('./runtime/container/runtime.js'),
    import('./runtime/host/runtime.js'),
    import('./runtime/dummy/runtime.js'),
    import('./sandbox/sandboxes.js'),
    import('./sandbox/open-sandbox.js'),
  ]);
  const { git, self, now, places, backends } = app;
  const { stateDir } = places;
  const shared = {
    run: runProcess,
    environment,
    self,
    architecture: process.arch,
    directory: join(stateDir, 'sandboxes', '.runtime'),
    unique: () => randomBytes(8).toString('hex'),
  };
  const user = { uid: process.getuid?.() ?? 0, gid: process.getgid?.() ?? 0 };
  const containers = {
    ...shared,
    environment: { ...environment, PATH: trustedPath(environment.PATH ?? '', untrustedIn(places)) },
    owner: createHash('sha256').update(stateDir).digest('hex'),
    node: process.execPath,
    user,
    announce: app.narrate,
  };
  const runtimes: RuntimeRegistry = {
    host: host.createHostRuntime(shared),
    dummy: dummy.createDummyRuntime(),
    bubblewrap: bubblewrap.createBubblewrapRuntime({
      ...shared,
      path: environment.PATH ?? '',
      untrusted: untrustedIn(places),
      kernel: release(),
      uid: user.uid,
    }),
    podman: container.createContainerRuntime({ ...containers, engine: 'podman' }),
    docker: container.createContainerRuntime({ ...containers, engine: 'docker' }),
  };
  return createSandboxes({
    git,
    jj,
    runtimes,
    stateDir,
    now,
    self,
    workTreeOf: record => backends[record.backend].workTree(record),
    open: (record, place) => openSandbox({ runtimes, environment, user }, record, place),
  });
}

/** Agents write there: nothing in it is run on the host. */
const untrustedIn = ({ cacheDir, stateDir }: Places): string[] => [cacheDir, stateDir];

function once<T>(make: () => Promise<T>): () => Promise<T> {
  let made: Promise<T> | undefined;
  return () => (made ??= make());
}

type OwnCommand = readonly [program: string, ...args: string[]];

function startCarrel(
  options: AppOptions,
  args: readonly string[],
  priority: BackgroundPriority | undefined,
): ProcessIdentity | undefined {
  const command = [...(options.ownCommand ?? findOwnCommand()), ...args] as const;
  // It is no part of whatever command or task this process may be.
  const { CARREL_COMMAND_ID, CARREL_PARENT, CARREL_TASK_ID, ...environment } = options.environment;
  return startBackground({ command, environment, cwd: '/', priority });
}

function findOwnCommand(): OwnCommand {
  const root = dirname(createRequire(import.meta.url).resolve('carrel/package.json'));
  return [process.execPath, join(root, 'bin', 'carrel.cjs')];
}

async function settle(app: App): Promise<App> {
  try {
    await recover(app);
    await sweepTasks(app);
    return app;
  } catch (error) {
    await app.close();
    throw error;
  }
}

function createBackends(git: Git, { locate }: Locator, jj: Jj, places: Places): BackendRegistry {
  const { temporaryRoot } = places;
  const worktrees = besideJj(createGitBackend({ git, temporaryRoot, locate }), jj);
  return {
    git: worktrees,
    overlay: createOverlayBackend({ git, worktrees, findObstacle: createOverlayProbe() }),
    jj: createJjBackend({ git, jj, temporaryRoot }),
    direct: createDirectBackend({ git, temporaryRoot }),
    directory: createDirectoryBackend({ git, temporaryRoot, vaultDir: join(places.stateDir, 'vault.git') }),
  };
}

function identifySelf(): ProcessIdentity {
  const self = identifyProcess(process.pid);
  if (!self) throw carrelError('INTERNAL', { problem: 'this process is not in the process table' });
  return self;
}

/** XDG directories, as the user's environment has them. A relative one is ignored, as the specification says. */
export function findPlaces(environment: Readonly<Record<string, string>>): Places {
  const base = (variable: string, fallback: string) => {
    const value = environment[variable];
    return join(value && isAbsolute(value) ? value : join(findHome(environment), fallback), 'carrel');
  };
  const override = (variable: string) => {
    const value = environment[variable];
    if (value === undefined || value === '') return undefined;
    if (isAbsolute(value)) return value;
    throw carrelError('INVALID_INPUT', {
      what: variable,
      found: JSON.stringify(value),
      expected: 'an absolute path',
    });
  };
  return {
    stateDir: override('CARREL_STATE_DIR') ?? base('XDG_STATE_HOME', '.local/state'),
    cacheDir: override('CARREL_CACHE_DIR') ?? base('XDG_CACHE_HOME', '.cache'),
    userConfigFile: join(base('XDG_CONFIG_HOME', '.config'), 'config.yaml'),
    temporaryRoot: resolve(environment.TMPDIR || tmpdir()),
  };
}

/** The password file knows it too: services and containers often run without HOME. */
function findHome(environment: Readonly<Record<string, string>>): string {
  if (environment.HOME) return environment.HOME;
  try {
    return userInfo().homedir;
  } catch (error) {
    const details = { what: 'HOME', found: 'not set', expected: 'your home directory' };
    throw carrelError('INVALID_INPUT', details, error);
  }
}
