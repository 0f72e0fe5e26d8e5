import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import type { ResultReader } from '../../../src/agent/result-reader.js';
import { createLineSplitter } from '../../../src/agent/stream/line-splitter.js';

const FIXTURES = join(import.meta.dirname, '../../fixtures/agents');

/** Reads what a real program once printed (test/fixtures/agents/FILE), and gives the reader back. */
export function readRecorded(reader: ResultReader, file: string): ResultReader {
  const splitter = createLineSplitter(reader.readLine);
  splitter.add(readFileSync(join(FIXTURES, file)));
  splitter.end();
  return reader;
}
