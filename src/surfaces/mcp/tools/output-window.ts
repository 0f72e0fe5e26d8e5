/** The beginning and the end of a command's output. The end is longer, because failures are printed there. */
export interface OutputWindow {
  add(chunk: Buffer): void;
  text(): string;
  isCut(): boolean;
}

/** Holds at most `limit` bytes in memory. */
export function createOutputWindow(limit: number): OutputWindow {
  const head = Buffer.alloc(Math.floor(limit / 4));
  /** A ring buffer. */
  const ring = Buffer.alloc(limit - head.length);
  let written = 0;
  const leftOut = () => Math.max(0, written - limit);
  const add = (chunk: Buffer): void => {
    const taken = written < head.length ? chunk.copy(head, written) : 0;
    const skipped = Math.max(taken, chunk.length - ring.length);
    const at = Math.max(0, written + skipped - head.length) % ring.length;
    const copied = chunk.copy(ring, at, skipped);
    chunk.copy(ring, 0, skipped + copied);
    written += chunk.length;
  };
  return {
    add,
    isCut: () => leftOut() > 0,
    text: () => {
      if (leftOut() === 0) {
        const inRing = Math.max(0, written - head.length);
        const parts = [head.subarray(0, written), ring.subarray(0, inRing)];
        return Buffer.concat(parts).toString('utf8');
      }
      const oldest = (written - head.length) % ring.length;
      const tail = Buffer.concat([ring.subarray(oldest), ring.subarray(0, oldest)]);
      const gap = `\n[... ${leftOut()} bytes left out ...]\n`;
      return withoutCutEnd(head) + gap + withoutCutBeginning(tail);
    },
  };
}

/** Drops partial characters. */
const withoutCutEnd = (bytes: Buffer): string =>
  new TextDecoder('utf-8', { ignoreBOM: true }).decode(bytes, { stream: true });

const MOST_CONTINUATION_BYTES = 3;

function withoutCutBeginning(bytes: Buffer): string {
  let start = 0;
  while (start < MOST_CONTINUATION_BYTES && ((bytes[start] ?? 0) & 0xc0) === 0x80) start += 1;
  return bytes.toString('utf8', start);
}
