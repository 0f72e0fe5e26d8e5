import { mkdir, open, readFile, writeFile } from 'node:fs/promises';
import { dirname } from 'node:path';
import { ignoreMissing } from '../../../domain/error/error.js';
import type { LogLine } from '../../../domain/task/log-line.js';
import { replaceBy } from '../../../exec/filesystem/replace-file.js';
import type { Context } from '../../../operations/context.js';
import { createLogParser } from '../../../task/log/parse-log.js';

/**
 * Puts the log of a run that came back after what earlier runs have logged, and returns its lines. Again has the same
 * result. Only lines of a log are kept, without secrets of this machine.
 */
export async function writeLog(
  { redactor }: Pick<Context, 'redactor'>,
  { logFile, keptBytes, incoming }: LogRequest,
): Promise<LogLine[]> {
  const parser = createLogParser();
  const lines = [...parser.add(await readFile(incoming)), ...parser.finish()].map(line => ({
    ...line,
    text: redactor.text(line.text),
  }));
  const before = await readStart(logFile, keptBytes);
  const text = lines.map(line => `${JSON.stringify(line)}\n`).join('');
  await mkdir(dirname(logFile), { recursive: true, mode: 0o700 });
  await replaceBy(logFile, draft =>
    writeFile(draft, Buffer.concat([before, Buffer.from(text)]), { flag: 'wx', mode: 0o600 }),
  );
  return lines;
}

export interface LogRequest {
  readonly logFile: string;
  /** Of earlier runs. */
  readonly keptBytes: number;
  /** The file from the worker. */
  readonly incoming: string;
}

async function readStart(file: string, bytes: number): Promise<Buffer> {
  const handle = bytes === 0 ? undefined : await open(file, 'r').catch(ignoreMissing);
  if (!handle) return Buffer.alloc(0);
  try {
    const { buffer, bytesRead } = await handle.read(Buffer.alloc(bytes), 0, bytes, 0);
    return buffer.subarray(0, bytesRead);
  } finally {
    await handle.close();
  }
}
