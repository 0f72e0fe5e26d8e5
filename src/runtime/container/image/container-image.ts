import type { CommandResult } from '../../../domain/command/command.js';
import { carrelError } from '../../../domain/error/error.js';
import type { Policy } from '../../policy.js';
import { tarArchive } from '../../tar-archive.js';
import { type Engine, lastLine } from '../engine/engine.js';
import { collectHostImage, type HostImage, type HostImageOptions } from './host-image.js';

/** The registry name of Carrel's own images; they never come from a registry. */
const OWN_REGISTRY = 'localhost/';

export const HOST_IMAGE_NAME = `${OWN_REGISTRY}carrel-host`;
export const PROBE_IMAGE_NAME = `${OWN_REGISTRY}carrel-probe`;

/** A registry may be far away, and an image large. */
export const LONG_CALL_MS = 30 * 60_000;

/**
 * Ensures that the image of a policy exists: fetched when it has a name, built when it is this machine's.
 * IMAGE_MISSING.
 */
export async function requireImage(
  engine: Engine,
  root: Policy['root'],
  listParts: () => Promise<HostImageOptions>,
  announce: (line: string) => void,
): Promise<string> {
  if (root.kind === 'machine') {
    const making = () => announce("building a container image from this machine's programs (only once)");
    return ensureHostImage(engine, await collectHostImage(await listParts()), making);
  }
  if (await hasImage(engine, root.image)) return root.image;
  if (root.image.startsWith(OWN_REGISTRY)) throw imageMissing(root.image, 'it has not been built yet');
  announce(`fetching the image ${root.image}`);
  const result = await engine.call(['pull', '--quiet', root.image], {
    usesNetwork: true,
    timeoutMs: LONG_CALL_MS,
  });
  if (result.exitCode !== 0) throw imageMissing(root.image, lastLine(result));
  return root.image;
}

export async function hasImage(engine: Engine, image: string): Promise<boolean> {
  return (await engine.call(['image', 'inspect', '--format', '{{.Id}}', image])).exitCode === 0;
}

/** Returns its tag. `making` is called when it has to be built, which takes seconds. */
export async function ensureHostImage(
  engine: Engine,
  image: HostImage,
  making: () => void = () => undefined,
): Promise<string> {
  if (await hasImage(engine, image.tag)) return image.tag;
  making();
  await importImage(engine, image);
  return image.tag;
}

async function importImage(engine: Engine, { tag, entries }: HostImage): Promise<CommandResult> {
  const stdin = tarArchive(entries);
  const result = await engine.call(['import', '-', tag], { stdin, timeoutMs: LONG_CALL_MS });
  if (result.exitCode !== 0) throw imageMissing(tag, lastLine(result));
  return result;
}

export function imageMissing(image: string, problem: string): Error {
  return carrelError('IMAGE_MISSING', { image, problem });
}
