import { createHash } from 'node:crypto';
import { mkdir, readFile, rename, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { ignoreMissing } from '../domain/error.js';
import type { EvalItem } from '../domain/eval-item.js';
import type { Context } from '../operations/context.js';
import { identifyCheck } from './attempt-identity.js';
import { referToDataset } from './datasets/load-dataset.js';
import { runsDirectory } from './run-store.js';

/** Tasks of a data set that `eval check` found to be unsound. An item that was changed since is free again. */
export interface Quarantine {
  reasonFor(item: EvalItem): string | undefined;
}

interface Entry {
  readonly id: string;
  readonly identity: string;
  readonly reason: string;
}

export async function readQuarantine(context: Context, dataset: string): Promise<Quarantine> {
  const entries = await readEntries(fileOf(context, dataset));
  return {
    reasonFor: item => {
      const entry = entries.find(each => each.id === item.id && each.identity === identifyCheck(item));
      return entry && `it is in quarantine: ${entry.reason}`;
    },
  };
}

/** Replaces what was known of these items; others stay as they were. */
export async function writeQuarantine(
  context: Context,
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

function fileOf(context: Context, dataset: string): string {
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
