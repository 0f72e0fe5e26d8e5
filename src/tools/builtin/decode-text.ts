/** Bytes that are searched for a zero byte, as git does. */
const EXAMINED_BYTES = 8000;

/** Undefined for what is not text: a zero byte near the start, or invalid UTF-8. */
export function decodeText(content: Buffer): string | undefined {
  if (content.subarray(0, EXAMINED_BYTES).includes(0)) return undefined;
  try {
    return new TextDecoder('utf-8', { fatal: true, ignoreBOM: true }).decode(content);
  } catch {
    // The error only says that it is not UTF-8.
    return undefined;
  }
}
