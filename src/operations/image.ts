import { carrelError, isCarrelError } from '../domain/error.js';
import type { ImageReport } from '../domain/image.js';
import type { RuntimeFinding } from '../domain/runtime.js';
import { type DockerfileImage, readDockerfile } from '../runtime/dockerfile-image.js';
import type { ImageBuilder } from '../runtime/image-builder.js';
import type { RuntimeRegistry } from '../runtime/registry.js';
import type { Context } from './context.js';
import { locateRepository } from './locate-repository.js';

type EngineName = ImageReport['engine'];

export interface BuildImageInput {
  /** A directory, in the repository or anywhere. */
  readonly repository: string;
  /** The first that works by default. */
  readonly engine?: EngineName | undefined;
  /** Of this machine's programs, although the repository has a Dockerfile. */
  readonly fromMachine?: boolean | undefined;
  readonly onOutput?: ((chunk: Buffer) => void) | undefined;
}

/**
 * Makes the image that containers of this repository run in: from its Dockerfile, or of this machine's own programs. Only
 * this builds a Dockerfile, never `carrel up`: its commands come from the repository and are run by the engine as they
 * stand, so the user asks for it by name.
 */
export async function buildImage(context: Context, input: BuildImageInput): Promise<ImageReport> {
  const { runtimes } = await context.sandboxes();
  const { engine, images } = await requireEngine(runtimes, input.engine ? [input.engine] : ENGINES);
  const dockerfile = input.fromMachine ? undefined : await findDockerfile(context, input.repository);
  const built = dockerfile
    ? await images.buildFromDockerfile(dockerfile, input.onOutput)
    : await images.buildFromMachine();
  return { ...built, engine, from: dockerfile ? 'dockerfile' : 'machine' };
}

const ENGINES: readonly EngineName[] = ['podman', 'docker'];

/** The first that works; why the first of them does not when none does. */
async function requireEngine(
  runtimes: RuntimeRegistry,
  engines: readonly EngineName[],
): Promise<{ readonly engine: EngineName; readonly images: ImageBuilder }> {
  const findings: RuntimeFinding[] = [];
  for (const engine of engines) {
    const { images } = runtimes[engine];
    const finding = await runtimes[engine].probe();
    if (finding.obstacle === null && images) return { engine, images };
    findings.push(finding);
  }
  const { runtime, obstacle, message, hint } = findings[0] as RuntimeFinding;
  const details = { runtime, obstacle: obstacle ?? 'refused', problem: message, advice: hint };
  throw carrelError('RUNTIME_UNAVAILABLE', details);
}

async function findDockerfile(context: Context, directory: string): Promise<DockerfileImage | undefined> {
  try {
    return await readDockerfile((await locateRepository(context, directory)).root);
  } catch (error) {
    if (isCarrelError(error, 'NOT_A_REPOSITORY')) return undefined;
    throw error;
  }
}
