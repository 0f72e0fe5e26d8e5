import { createHash } from 'node:crypto';
import { mkdir, readFile, rename, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import type { EvalItem } from '../../domain/batch/eval-item.js';
import { ignoreMissing } from '../../domain/error/error.js';
import type { Context } from '../../operations/context.js';
import { referToDataset } from '../datasets/load-dataset.js';
import { runsDirectory } from '../record/run-store.js';
import { identifyCheck } from './attempt-identity.js';

/** Tasks of a dataset that `eval check` found unsound. An item that has changed since is released. */
export interface Quarantine {
  reasonFor(item: EvalItem): string | undefined;
}

interface Entry {
  readonly id: string;
  readonly identity: string;
  readonly reason: string;
}

export async function readQuarantine(
  context: Pick<Context, 'places' | 'cwd'>,
  dataset: string,
): Promise<Quarantine> {
  const entries = await readEntries(fileOf(context, dataset));
  return {
    reasonFor: item => {
      const entry = entries.find(each => each.id === item.id && each.identity === identifyCheck(item));
      return entry && `it is quarantined: ${entry.reason}`;
    },
  };
}

/** Replaces the entries of these items; others stay unchanged. */
export async function writeQuarantine(
  context: Pick<Context, 'places' | 'cwd'>,
  dataset: string,
  checked: readonly { readonly item: EvalItem; readonly reason: string | undefined }[],
): Promise<void> {
  const file = fileOf(context, dataset);
  const ids = new Set(checked.map(({ item }) => item.id));
  const others = (await readEntries(file)).filter(({ id }) => !ids.has(id));
  const unsound = checked.flatMap(({ item, reason }) =>
    reason === undefined ? [] : [{ id: item.id, identity: identifyCheck(item), reason }],
  );
  await mkdir(dirname(file), { recursive: true });
  await writeFile(`${file}.draft`, JSON.stringify([...others, ...unsound], null, 2));
  await rename(`${file}.draft`, file);
}

function fileOf(context: Pick<Context, 'places' | 'cwd'>, dataset: string): string {
  const reference = referToDataset(context, dataset);
  const name = createHash('sha256').update(reference).digest('hex').slice(0, 16);
  return join(runsDirectory(context), 'quarantine', `${name}.json`);
}

async function readEntries(file: string): Promise<Entry[]> {
  const text = await readFile(file, 'utf8').catch(ignoreMissing);
  try {
    return text === undefined ? [] : JSON.parse(text);
  } catch {
    return [];
  }
}
