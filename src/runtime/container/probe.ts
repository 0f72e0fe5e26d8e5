import { existsSync } from 'node:fs';
import { isCarrelError } from '../../domain/error/error.js';
import {
  LIMIT_NAMES,
  type RuntimeFinding,
  type RuntimeObstacle,
} from '../../domain/sandbox/runtime-finding.js';
import { ENGINES, type Engine } from './engine/engine.js';
import { type EngineFacts, readEngineFacts } from './engine/engine-facts.js';
import { findSocketProblem, isOlder, readVersion } from './engine/engine-version.js';
import { readFormat } from './image/program-format.js';
import { type TrialOptions, tryContainer } from './try-container.js';

/** Checks whether an engine can be used, by running a container with the flags of a workspace's container. */
export async function probeEngine(engine: Engine, options: TrialOptions): Promise<RuntimeFinding> {
  try {
    return await inspectEngine(engine, options);
  } catch (error) {
    if (isCarrelError(error, 'RUNTIME_UNAVAILABLE')) {
      const message = `${engine.name} is not installed`;
      return obstructed(engine, 'not-installed', message, ENGINES[engine.name].install, null);
    }
    if (!isCarrelError(error, 'SANDBOX_REFUSED', 'IMAGE_MISSING')) throw error;
    const problem = String(error.details.problem);
    return obstructed(
      engine,
      'refused',
      `${engine.name} is refused: ${problem}`,
      adviseRefused(engine),
      null,
    );
  }
}

async function inspectEngine(engine: Engine, options: TrialOptions): Promise<RuntimeFinding> {
  const { name } = engine;
  const { client, server, problem } = await readVersion(engine);
  if (server === undefined) return explainSilence(engine, options, client, problem);
  const { oldest } = ENGINES[name];
  if (isOlder(server, oldest)) {
    const message = `${name} ${server} is too old; expected ${oldest} or newer`;
    return obstructed(engine, 'too-old', message, `install a newer ${name}`, server);
  }
  const facts = await readEngineFacts(engine);
  // The trial uses this machine's own shell. What an image lacks is found by `up`, which starts it.
  const needsImage = (await readFormat(options.node)) === 'mach-o';
  const refusal = needsImage ? undefined : await tryContainer(engine, options, facts);
  if (refusal !== undefined)
    return obstructed(
      engine,
      'refused',
      `${name} ${server} is refused: ${refusal}`,
      adviseRefused(engine),
      server,
    );
  const limits = LIMIT_NAMES.filter(limit => facts.limits.includes(limit));
  const message = `${name} ${server}${facts.isRootless ? ', without root' : ''}`;
  return {
    runtime: name,
    obstacle: null,
    version: server,
    message,
    hint: null,
    limits,
    warnings: warn(facts, options),
    ...(needsImage ? { needsImage } : {}),
  };
}

/** docker has a daemon, which may not run or may not be accessible; podman has none. */
async function explainSilence(
  engine: Engine,
  { environment }: TrialOptions,
  client: string | undefined,
  problem: string,
): Promise<RuntimeFinding> {
  const version = client ?? null;
  if (engine.name === 'podman')
    return obstructed(engine, 'refused', `podman is refused: ${problem}`, adviseRefused(engine), version);
  const socketProblem = await findSocketProblem(environment);
  if (socketProblem === 'forbidden') {
    const advice = "join the group of docker's socket, or use podman, which needs no privileges";
    return obstructed(
      engine,
      'refused',
      "you have no permission to write to docker's socket",
      advice,
      version,
    );
  }
  const message = `docker is installed, but its daemon does not answer: ${problem}`;
  return obstructed(engine, 'daemon-not-running', message, 'start it with: systemctl start docker', version);
}

function obstructed(
  { name }: Engine,
  obstacle: RuntimeObstacle,
  message: string,
  hint: string,
  version: string | null,
): RuntimeFinding {
  return { runtime: name, obstacle, version, message, hint, limits: [], warnings: [] };
}

/** Both kinds of control groups at once; crun, which podman prefers, does not run on such a machine. */
const HYBRID_GROUPS = '/sys/fs/cgroup/unified';

function adviseRefused({ name }: Engine): string {
  if (name === 'podman' && existsSync(HYBRID_GROUPS))
    return 'set runtime = "runc" and cgroup_manager = "cgroupfs" in the [engine] section of containers.conf';
  return `check the engine with: ${name} info`;
}

function warn({ isRootless, limits }: EngineFacts, { user }: TrialOptions): string[] {
  const missing = LIMIT_NAMES.filter(limit => !limits.includes(limit));
  return [
    ...(user.uid === 0 && !isRootless
      ? ['commands inside run as root on this machine too, without capabilities; prefer an ordinary user']
      : []),
    ...(missing.length > 0 ? [`it cannot limit ${missing.join(', ')} on this machine`] : []),
  ];
}
