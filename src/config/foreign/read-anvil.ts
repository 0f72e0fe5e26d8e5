import { stat } from 'node:fs/promises';
import { join } from 'node:path';
import { stringify } from 'yaml';
import { z } from 'zod';
import { carrelError, ignoreMissing } from '../../domain/error/error.js';
import { readConfigText } from '../files/read-config-text.js';
import type { Translation, Untranslated } from './foreign-tools.js';

/** The keys that have a counterpart in `workspace`. */
const keys: Readonly<
  Record<string, { readonly key: string; readonly shape: z.ZodType; readonly expected: string }>
> = {
  PreserveFailedWorkspaces: { key: 'preserveOnFailure', shape: z.boolean(), expected: 'true or false' },
  WorkspaceCleanupDays: { key: 'cleanupDays', shape: z.int().min(1), expected: 'a whole number of days' },
};

/** The section `Anvil` of a JSON file; `appsettings.json` in the repository without a path. */
export async function readAnvil(repositoryRoot: string, path: string | undefined): Promise<Translation> {
  const file = await findFile(path ?? repositoryRoot);
  const source = await readConfigText(file);
  if (!source) throw carrelError('CONFIG_UNREADABLE', { file, problem: 'there is no such file' });
  const section = readSection(file, source.text);
  const workspace: Record<string, unknown> = {};
  const untranslated: Untranslated[] = [];
  for (const [name, value] of Object.entries(section)) {
    const known = Object.hasOwn(keys, name) ? keys[name] : undefined;
    if (known?.shape.safeParse(value).success) workspace[known.key] = value;
    else untranslated.push({ file, key: `Anvil.${name}`, reason: explain(value, known?.expected) });
  }
  return { files: { 'config.yaml': stringify({ version: '1.0', workspace }) }, untranslated, warnings: [] };
}

const explain = (value: unknown, expected: string | undefined): string =>
  expected === undefined
    ? 'Carrel has no such setting'
    : `found ${JSON.stringify(value)}; expected ${expected}`;

async function findFile(path: string): Promise<string> {
  const isDirectory = (await stat(path).catch(ignoreMissing))?.isDirectory();
  return isDirectory ? join(path, 'appsettings.json') : path;
}

function readSection(file: string, text: string): Record<string, unknown> {
  try {
    return z.object({ Anvil: z.record(z.string(), z.unknown()) }).parse(JSON.parse(text)).Anvil;
  } catch (error) {
    const problem = 'it is not JSON with a section "Anvil"';
    throw carrelError('CONFIG_UNREADABLE', { file, problem }, error);
  }
}
