import type { ImageReport } from '../../../../domain/report/image-report.js';
import { formatSize } from '../../../../domain/text/format-quantity.js';

/** What `carrel image build` did, in one sentence; the name itself is the answer. */
export function formatImage({ engine, from, isNew, bytes }: ImageReport): string {
  const origin = from === 'machine' ? "from this machine's programs" : 'from .carrel/Dockerfile';
  const done = isNew ? 'built' : 'already built';
  return `${done} ${origin}, ${formatSize(bytes)}, for ${engine}`;
}
