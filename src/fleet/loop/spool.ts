import { createHash } from 'node:crypto';
import {
  closeSync,
  fsyncSync,
  openSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  writeSync,
} from 'node:fs';
import { join } from 'node:path';
import { errnoOf } from '../../domain/error/error.js';
import { makePrivateDirectory } from '../../store/make-private-directory.js';
import type { Claim } from '../engine/engine.js';

/** A result that could not be recorded yet. */
export interface SpooledResult {
  readonly claim: Claim;
  readonly record: string;
  readonly costUsd: number;
}

/** Results as files, one for each claim. Complete and on disk when `keep` returns. */
export interface Spool {
  keep(result: SpooledResult): void;
  /** Readable ones, in no order. */
  list(): SpooledResult[];
  forget(claim: Claim): void;
}

export function openSpool(directory: string): Spool {
  const fileOf = ({ id, number }: Claim) =>
    join(directory, `${createHash('sha256').update(`${id} ${number}`).digest('hex').slice(0, 32)}.json`);
  return {
    keep: result => {
      makePrivateDirectory(directory);
      writeDurably(fileOf(result.claim), JSON.stringify(result));
    },
    list: () => listNames(directory).map(name => load(join(directory, name))),
    forget: claim => rmSync(fileOf(claim), { force: true }),
  };
}

function writeDurably(file: string, text: string): void {
  const descriptor = openSync(`${file}.draft`, 'w', 0o600);
  try {
    writeSync(descriptor, text);
    fsyncSync(descriptor);
  } finally {
    closeSync(descriptor);
  }
  renameSync(`${file}.draft`, file);
}

/** Drafts are results whose writing was interrupted: their claims have no result. */
function listNames(directory: string): string[] {
  try {
    return readdirSync(directory).filter(name => name.endsWith('.json'));
  } catch (error) {
    if (errnoOf(error) === 'ENOENT') return [];
    throw error;
  }
}

const load = (file: string): SpooledResult => JSON.parse(readFileSync(file, 'utf8')) as SpooledResult;
