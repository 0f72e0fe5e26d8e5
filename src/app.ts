import { createHash, randomBytes, randomInt } from 'node:crypto';
import { realpathSync } from 'node:fs';
import { createRequire } from 'node:module';
import { release, tmpdir, uptime, userInfo } from 'node:os';
import { dirname, isAbsolute, join, resolve } from 'node:path';
import { createBuiltInBackends } from './built-in-backends.js';
import { loadConfig } from './config/load-config.js';
import { carrelError } from './domain/error/error.js';
import type { ProcessIdentity } from './domain/process-identity.js';
import { createRedactor, type Redactor } from './domain/secret/redactor.js';
import { secretsByName } from './domain/secret/secret-variables.js';
import type { WorkspaceRecord } from './domain/workspace/workspace.js';
import { type BackgroundPriority, startBackground } from './exec/background-process.js';
import { gitEnvironment, trustedPath } from './exec/command-environment.js';
import { currentBoot, identifyProcess } from './exec/process/identify-process.js';
import { runProcess } from './exec/run-process.js';
import { parentVariables } from './exec/stop/orphans.js';
import { createGit } from './git/git.js';
import { createRepositoryLocator } from './git/repository/repository-locator.js';
import { createJj, type Jj } from './jj/jj.js';
import { registerConfigSecrets } from './operations/command/register-secrets.js';
import type { Context, Places } from './operations/context.js';
import { listSandboxMembers } from './operations/group/sandbox-members.js';
import { recover } from './operations/recovery/recover.js';
import type { RuntimeRegistry } from './runtime/runtime-registry.js';
import type { Sandboxes } from './sandbox/sandboxes.js';
import type { Store } from './store/store.js';
import { recoverTasks } from './task/recovery/recover-tasks.js';
import type { BackendFactory } from './workspace/backend-registry.js';
import { openCustomBackends } from './workspace/custom/custom-backends.js';
import { withBackends } from './workspace/custom/store-with-backends.js';

/** How to open the parts of Carrel without `createCarrel`. */
export interface AppOptions {
  /** The caller's environment. Nothing below this file reads the process's own. */
  readonly environment: Readonly<Record<string, string>>;
  readonly cwd: string;
  readonly narrate?: ((line: string) => void) | undefined;
  readonly onStep?: Context['onStep'] | undefined;
  /** What starts Carrel's own command, for work in the background; the command of this package by default. */
  readonly ownCommand?: OwnCommand | undefined;
  /** False skips crash recovery; for callers that only read. */
  readonly recovers?: boolean | undefined;
  /** Redacts everything that is stored, for a caller with its own secrets; created by default. */
  readonly redactor?: Redactor | undefined;
  /** Backends of the program, by name; `workspace.backend` and `up` can name them. */
  readonly backends?: Readonly<Record<string, BackendFactory>> | undefined;
  /** Where the caller will look for the repository: git starts looking there while the store is being opened. */
  readonly expects?: string | undefined;
}

/** The opened parts of Carrel, which every function of `carrel/advanced` takes. Close it when done. */
export interface App extends Context {
  /** Idempotent. */
  close(): Promise<void>;
}

/** The composition root: the only place that knows concrete backends and stores. Recovers after a crash. */
export async function openApp(options: AppOptions): Promise<App> {
  const { environment, cwd } = options;
  const places = findPlaces(environment);
  const self = identifySelf();
  const gitEnv = { ...gitEnvironment(environment, untrustedIn(places)), ...parentVariables(self) };
  const git = createGit({ run: runProcess, env: gitEnv });
  const jj = createJj({ run: runProcess, env: gitEnv });
  const locator = createRepositoryLocator(git);
  const { redactor = createRedactor() } = options;
  redactor.add(secretsByName(environment));
  if (options.expects !== undefined) locator.begin(options.expects);
  // Loaded only now, while git is already running.
  const opened = await openClaimedStore(places, self, redactor.within);
  const { stateDir, temporaryRoot } = places;
  const backends = createBuiltInBackends({ git, jj, locate: locator.locate, stateDir, temporaryRoot });
  const custom = openCustomBackends({
    parts: { git, backends, stateDir, temporaryRoot },
    registered: options.backends ?? {},
    requireTrust: async use => {
      const { requireBackendTrust } = await import('./operations/trust/backend-trust.js');
      return requireBackendTrust(app, use);
    },
  });
  const store = withBackends(opened, custom.prepare);
  const app: App = {
    store,
    git,
    backends: custom.registry,
    customBackends: custom,
    ids: { now: Date.now, random: randomInt },
    now: Date.now,
    steadyTime: () => ({ boot: currentBoot(), uptimeMs: Math.round(uptime() * 1000) }),
    self,
    places,
    environment,
    cwd,
    redactor,
    loadConfig: async repositoryRoot => {
      const loaded = await loadConfig({ repositoryRoot, userFile: places.userConfigFile });
      registerConfigSecrets(redactor, loaded.config, environment);
      return loaded;
    },
    narrate: options.narrate ?? (() => undefined),
    onStep: options.onStep ?? (() => undefined),
    findFreeable: async repository => {
      const { findFreeable } = await import('./operations/cleanup/gc.js');
      return findFreeable(app, repository);
    },
    startBackground: (args, how) => startCarrel(options, args, how?.priority),
    sandboxes: once(() => openSandboxes(app, options, jj)),
    fleetTasks: once(async () => {
      const { createFleetTasks } = await import('./fleet/task/fleet-tasks.js');
      return createFleetTasks(app);
    }),
    close: () => store.close(),
  };
  // On a full disk, records can be read, but nothing can be recovered.
  return options.recovers === false || store.isReadOnly ? app : recoverOrClose(app);
}

/** The directory is claimed for as long as the store is open. */
async function openClaimedStore(
  { stateDir, temporaryRoot: scratchRoot }: Places,
  self: ProcessIdentity,
  redact: Redactor['within'],
): Promise<Store> {
  const [{ openSqliteStore }, { claimState }] = await Promise.all([
    import('./store/sqlite/open-sqlite-store.js'),
    import('./store/state-claim.js'),
  ]);
  const claim = claimState(stateDir, self);
  try {
    const file = join(stateDir, 'carrel.db');
    const store = await openSqliteStore({ file, now: Date.now, redact, scratchRoot, check: claim.require });
    return { ...store, close: () => store.close().finally(claim.close) };
  } catch (error) {
    claim.close();
    throw error;
  }
}

/** Loaded when the first sandbox is requested. */
async function openSandboxes(app: App, { environment }: AppOptions, jj: Jj): Promise<Sandboxes> {
  const [bubblewrap, container, host, dummy, seatbelt, { createSandboxes }, { openSandbox }] =
    await Promise.all([
      import('./runtime/bubblewrap/runtime.js'),
      import('./runtime/container/runtime.js'),
      import('./runtime/host/runtime.js'),
      import('./runtime/dummy/runtime.js'),
      import('./runtime/seatbelt/runtime.js'),
      import('./sandbox/sandboxes.js'),
      import('./sandbox/lifecycle/open-sandbox.js'),
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
    seatbelt: seatbelt.createSeatbeltRuntime({
      run: runProcess,
      platform: process.platform,
      program: seatbelt.SANDBOX_EXEC,
      uid: user.uid,
      hidden: [findHome(environment), stateDir, places.cacheDir].map(realPathOf),
      directory: shared.directory,
    }),
  };
  const membersOf = (record: WorkspaceRecord) => listSandboxMembers(app, record);
  return createSandboxes({
    git,
    jj,
    runtimes,
    stateDir,
    now,
    self,
    environment,
    allowedNow: async id => (await app.store.workspaces.find(id))?.sandbox?.allow,
    workTreeOf: record => backends.of(record.backend).workTree(record),
    membersOf,
    open: (record, place) => openSandbox({ git, runtimes, environment, user, membersOf }, record, place),
  });
}

/** For callers that pass none: the environment of this process. */
export const ownEnvironment = (): Record<string, string> =>
  Object.fromEntries(
    Object.entries(process.env).filter((pair): pair is [string, string] => pair[1] !== undefined),
  );

/** One that is not there has no other name. */
function realPathOf(directory: string): string {
  try {
    return realpathSync.native(directory);
  } catch {
    return directory;
  }
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
  // It is not part of the command or task that this process runs.
  const { CARREL_COMMAND_ID, CARREL_PARENT, CARREL_TASK_ID, ...environment } = options.environment;
  return startBackground({ command, environment, cwd: '/', priority });
}

function findOwnCommand(): OwnCommand {
  const root = dirname(createRequire(import.meta.url).resolve('carrel/package.json'));
  return [process.execPath, join(root, 'bin', 'carrel.cjs')];
}

async function recoverOrClose(app: App): Promise<App> {
  try {
    await recover(app);
    await recoverTasks(app);
    return app;
  } catch (error) {
    await app.close();
    throw error;
  }
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
