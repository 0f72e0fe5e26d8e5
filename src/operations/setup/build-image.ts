import { carrelError, isCarrelError } from '../../domain/error/error.js';
import type { ImageReport } from '../../domain/report/image-report.js';
import type { RuntimeFinding } from '../../domain/sandbox/runtime-finding.js';
import { type DockerfileImage, readDockerfile } from '../../runtime/dockerfile-image.js';
import type { ImageBuilder } from '../../runtime/image-builder.js';
import type { RuntimeRegistry } from '../../runtime/runtime-registry.js';
import type { Context } from '../context.js';
import { locateRepository } from '../repository/locate-repository.js';

type EngineName = ImageReport['engine'];

export interface BuildImageInput {
  /** A directory, in the repository or anywhere. */
  readonly repository: string;
  /** The first that works by default. */
  readonly engine?: EngineName | undefined;
  /** From this machine's programs, even if the repository has a Dockerfile. */
  readonly fromMachine?: boolean | undefined;
  readonly onOutput?: ((chunk: Buffer) => void) | undefined;
}

/**
 * Builds the image for containers of this repository: from its Dockerfile, or from this machine's own programs. Only this builds a
 * Dockerfile, never `carrel up`: its commands come from the repository and the engine runs them as they are, so the user requests it
 * explicitly.
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

/** The first that works; or why the first one fails when none works. */
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

async function findDockerfile(
  context: Pick<Context, 'store' | 'backends' | 'git' | 'places' | 'narrate' | 'onStep'>,
  directory: string,
): Promise<DockerfileImage | undefined> {
  try {
    return await readDockerfile((await locateRepository(context, directory)).root);
  } catch (error) {
    if (isCarrelError(error, 'NOT_A_REPOSITORY')) return undefined;
    throw error;
  }
}
