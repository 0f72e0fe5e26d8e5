import type { CommandResult } from '../../../domain/command/command.js';
import type { BuiltImage, ImageBuilder } from '../../image-builder.js';
import { tarArchive } from '../../tar-archive.js';
import { type Engine, lastLine } from '../engine/engine.js';
import { ensureHostImage, HOST_IMAGE_NAME, hasImage, imageMissing, LONG_CALL_MS } from './container-image.js';
import { collectHostImage } from './host-image.js';
import { type HostPartsOptions, listHostParts } from './host-parts.js';

export function createImageBuilder(engine: Engine, options: HostPartsOptions): ImageBuilder {
  const build = async (image: string, make: () => Promise<unknown>): Promise<BuiltImage> => {
    const isNew = !(await hasImage(engine, image));
    if (isNew) await make();
    return { image, isNew, bytes: await readSize(engine, image) };
  };
  return {
    buildFromMachine: async () => {
      const image = await collectHostImage(await listHostParts(options));
      const built = await build(image.tag, () => ensureHostImage(engine, image));
      await engine.call(['tag', built.image, LATEST]);
      await removeOlderImages(engine, [built.image, LATEST]);
      return built;
    },
    buildFromDockerfile: ({ image, entries }, onOutput) =>
      build(image, async () => {
        const result = await engine.call(['build', '--tag', image, '-'], {
          stdin: tarArchive(entries),
          usesNetwork: true,
          timeoutMs: LONG_CALL_MS,
          onOutput: (_, chunk) => onOutput?.(chunk),
        });
        requireBuilt(image, result);
      }),
  };
}

/** For the first line of a Dockerfile where no registry is available: `FROM localhost/carrel-host`. */
const LATEST = `${HOST_IMAGE_NAME}:latest`;

function requireBuilt(image: string, result: CommandResult): void {
  if (result.exitCode !== 0) throw imageMissing(image, lastLine(result));
}

async function readSize(engine: Engine, image: string): Promise<number> {
  const result = await engine.call(['image', 'inspect', '--format', '{{.Size}}', image]);
  return Number(result.stdout.toString('utf8').trim());
}

/** Images with earlier programs of this machine. The engine refuses to remove one that a container uses. */
async function removeOlderImages(engine: Engine, current: readonly string[]): Promise<void> {
  const format = '{{.Repository}}:{{.Tag}}';
  const listed = await engine.call([
    'images',
    '--filter',
    `reference=${HOST_IMAGE_NAME}`,
    '--format',
    format,
  ]);
  const tags = listed.stdout.toString('utf8').split('\n').filter(Boolean);
  for (const tag of tags) if (!current.includes(tag)) await engine.call(['image', 'rm', tag]);
}
