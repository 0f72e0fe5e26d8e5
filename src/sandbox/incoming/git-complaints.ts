import { open } from 'node:fs/promises';
import { ignoreMissing } from '../../domain/error/error.js';

/** More is not read: of a million bad objects only the first ones are reported. */
const MOST_BYTES = 256 * 1024;
const MOST_COMPLAINTS = 3;

/**
 * Errors of git's processes on our side, from their trace (`GIT_TRACE2_EVENT`, git 2.22): their output goes through the pipe
 * to the client and not to us. For messages only; no decision depends on it.
 */
export async function readGitComplaints(traceFile: string): Promise<string[]> {
  const events = (await readStart(traceFile)).split('\n').flatMap(parseError);
  return [...new Set(events)].slice(0, MOST_COMPLAINTS);
}

async function readStart(file: string): Promise<string> {
  const handle = await open(file).catch(ignoreMissing);
  if (!handle) return '';
  try {
    const { buffer, bytesRead } = await handle.read(Buffer.alloc(MOST_BYTES), 0, MOST_BYTES, 0);
    return buffer.toString('utf8', 0, bytesRead);
  } finally {
    await handle.close();
  }
}

function parseError(line: string): string[] {
  try {
    const event = JSON.parse(line) as { event?: unknown; msg?: unknown };
    return event.event === 'error' && typeof event.msg === 'string' ? [event.msg] : [];
  } catch {
    // The line truncated by the limit.
    return [];
  }
}
