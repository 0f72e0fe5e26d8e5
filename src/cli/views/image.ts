import type { ImageReport } from '../../domain/image.js';
import { formatSize } from '../../domain/quantity.js';

/** What `carrel image build` did, in one sentence; the name itself is the answer. */
export function formatImage({ engine, from, isNew, bytes }: ImageReport): string {
  const origin = from === 'machine' ? "of this machine's programs" : 'from .carrel/Dockerfile';
  const done = isNew ? 'built' : 'was there already';
  return `${done} ${origin}, ${formatSize(bytes)}, for ${engine}`;
}
