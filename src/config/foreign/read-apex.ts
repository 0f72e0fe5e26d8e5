import { readdir, stat } from 'node:fs/promises';
import { basename, join } from 'node:path';
import { carrelError, ignoreMissing } from '../../domain/error/error.js';
import { WorkflowDefinitionSchema } from '../../domain/workflow/workflow.js';
import { ConfigSchema } from '../config-schema.js';
import { findValue } from '../files/merge-values.js';
import { type ConfigText, readConfigText } from '../files/read-config-text.js';
import { expandPattern } from '../precedence/key-pattern.js';
import { userOnlyKeys } from '../precedence/user-only-settings.js';
import type { Translation, Untranslated } from './foreign-tools.js';
import { keepKnownKeys } from './keep-known-keys.js';

/** `.apex/config.yaml` and `.apex/workflows/*.yaml`; both have Carrel's keys, and others. */
export async function readApex(repositoryRoot: string, path: string | undefined): Promise<Translation> {
  const directory = await findDirectory(path ?? repositoryRoot);
  const config = await readConfigText(join(directory, 'config.yaml'), directory);
  const workflows = await readWorkflows(join(directory, 'workflows'), directory);
  if (!config && workflows.length === 0)
    throw carrelError('CONFIG_UNREADABLE', {
      file: directory,
      problem: 'it has neither config.yaml nor workflows',
    });
  const files: Record<string, string> = {};
  const untranslated: Untranslated[] = [];
  const warnings: string[] = [];
  for (const [name, source] of [['config.yaml', config] as const, ...workflows.map(nameWorkflow)]) {
    if (!source) continue;
    const isConfig = name === 'config.yaml';
    const part = isConfig
      ? keepKnownKeys(ConfigSchema, source, userOnlyKeys)
      : keepKnownKeys(WorkflowDefinitionSchema, source);
    untranslated.push(...part.untranslated);
    if (isConfig) warnings.push(...warnOfWeakModes(part.value));
    if (part.text !== undefined) files[name] = part.text;
  }
  return { files, untranslated, warnings };
}

/** The project's directory, or `.apex` itself. */
async function findDirectory(path: string): Promise<string> {
  const inside = join(path, '.apex');
  return (await stat(inside).catch(ignoreMissing))?.isDirectory() ? inside : path;
}

const nameWorkflow = (source: ConfigText) =>
  [`workflows/${basename(source.file).replace(/\.yml$/, '.yaml')}`, source] as const;

async function readWorkflows(directory: string, within: string): Promise<ConfigText[]> {
  const names = (await readdir(directory).catch(ignoreMissing)) ?? [];
  const texts = await Promise.all(
    names
      .filter(name => /\.ya?ml$/.test(name))
      .sort()
      .map(name => readConfigText(join(directory, name), within)),
  );
  return texts.filter(text => text !== undefined);
}

/** A repository may not weaken the isolation that the user has. */
function warnOfWeakModes(value: unknown): string[] {
  return ['isolation.default', 'isolation.overrides.*', 'workspace.defaultStrategy']
    .flatMap(key => expandPattern(value, key))
    .filter(path => ['shared', 'none'].includes(String(findValue(value, path))))
    .map(path => `${path.join('.')}: ${findValue(value, path)} counts only in your own configuration file`);
}
