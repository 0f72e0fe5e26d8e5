import { access, constants } from 'node:fs/promises';
import { errnoOf } from '../../../domain/error/error.js';
import { type Engine, lastLine } from './engine.js';

export interface EngineVersion {
  readonly client: string | undefined;
  /** The version of the part that creates containers; undefined when it does not answer. */
  readonly server: string | undefined;
  readonly problem: string;
}

/** RUNTIME_UNAVAILABLE when it is not installed. */
export async function readVersion(engine: Engine): Promise<EngineVersion> {
  const result = await engine.call(['version', '--format', '{{json .}}'], { timeoutMs: 10_000 });
  const { Client, Server } = parse(result.stdout.toString('utf8'));
  const answering = engine.name === 'podman' ? (Server ?? Client) : Server;
  const server = result.exitCode === 0 ? answering?.Version : undefined;
  return { client: Client?.Version, server, problem: lastLine({ ...result, stdout: Buffer.alloc(0) }) };
}

interface Versions {
  readonly Client?: { readonly Version?: string } | null;
  readonly Server?: { readonly Version?: string } | null;
}

/** Without its daemon, docker prints only its own version, or nothing. */
function parse(text: string): Versions {
  try {
    return JSON.parse(text) ?? {};
  } catch {
    return {};
  }
}

/** Compares the first two numbers. */
export function isOlder(version: string, oldest: string): boolean {
  const [major = 0, minor = 0] = version.split('.').map(part => Number.parseInt(part, 10));
  const [oldestMajor = 0, oldestMinor = 0] = oldest.split('.').map(Number);
  return major < oldestMajor || (major === oldestMajor && minor < oldestMinor);
}

/** Why docker's daemon can't be reached, according to its socket. */
export async function findSocketProblem(
  environment: Readonly<Record<string, string>>,
): Promise<'forbidden' | undefined> {
  const address = environment.DOCKER_HOST ?? 'unix:///var/run/docker.sock';
  if (!address.startsWith('unix://')) return undefined;
  try {
    await access(address.slice('unix://'.length), constants.W_OK);
    return undefined;
  } catch (error) {
    return errnoOf(error) === 'EACCES' ? 'forbidden' : undefined;
  }
}
