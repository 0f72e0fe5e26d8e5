import { mkdir, rm, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { initialConfig } from '../../config/defaults/init-template.js';
import { type Translation, translateForeign } from '../../config/foreign/foreign-tools.js';
import { exampleWorkflows } from '../../config/workflows/example-workflows.js';
import { carrelError, errnoOf } from '../../domain/error/error.js';
import type { InitResult } from '../../domain/report/result.js';
import { explainFullDisk } from '../../git/disk/disk-full.js';
import type { Context } from '../context.js';
import { locateRepository } from '../repository/locate-repository.js';

export interface InitInput {
  readonly repository: string;
  /** Translate the files of this tool instead; without a path, those in the repository. */
  readonly from?: { readonly tool: string; readonly path?: string | undefined } | undefined;
}

/**
 * Writes a commented configuration and example workflows, or what the files of another tool become; existing files are
 * left alone. INVALID_INPUT for an unknown tool; CONFIG_UNREADABLE, CONFIG_SYNTAX for its files.
 */
export async function initRepository(context: Context, input: InitInput): Promise<InitResult> {
  const { root } = await locateRepository(context, input.repository);
  const { files, untranslated, warnings } = await chooseFiles(root, input);
  const written: string[] = [];
  const kept: string[] = [];
  for (const [name, text] of Object.entries(files)) {
    const path = join(root, '.carrel', name);
    (await writeNew(path, text)) ? written.push(path) : kept.push(path);
  }
  const all = [...warnings, ...(await warnOfRuntimes(context))];
  return { repository: root, written, kept, untranslated, warnings: all };
}

async function chooseFiles(
  root: string,
  { from }: InitInput,
): Promise<Omit<Translation, 'untranslated'> & Pick<InitResult, 'untranslated'>> {
  if (!from)
    return { files: { 'config.yaml': initialConfig, ...workflowFiles() }, untranslated: [], warnings: [] };
  const translation = await translateForeign(from.tool, root, from.path);
  return { ...translation, untranslated: [...translation.untranslated] };
}

/** The template offers isolation `full`; better to check now than at the first task. */
async function warnOfRuntimes(context: Pick<Context, 'sandboxes'>): Promise<string[]> {
  const { probe } = await context.sandboxes();
  const problems: string[] = [];
  for (const name of ['bubblewrap', 'podman', 'docker'] as const) {
    const { obstacle, needsImage, message } = await probe(name);
    if (obstacle === null && !needsImage) return [];
    problems.push(obstacle === null ? `${name} needs an image on this system` : message);
  }
  return [`isolation "full" is not available here: ${problems.join('; ')}`];
}

function workflowFiles(): Record<string, string> {
  return Object.fromEntries(
    Object.entries(exampleWorkflows).map(([name, text]) => [`workflows/${name}.yaml`, text]),
  );
}

/** False when it exists. A partially written one is deleted: otherwise it would be kept forever. */
async function writeNew(path: string, text: string): Promise<boolean> {
  await makeDirectoryOrExplain(dirname(path));
  try {
    await writeFile(path, text, { flag: 'wx' });
    return true;
  } catch (error) {
    if (errnoOf(error) === 'EEXIST') return false;
    await rm(path, { force: true });
    throw await explainFullDisk(error, [dirname(path)]);
  }
}

async function makeDirectoryOrExplain(path: string): Promise<void> {
  await mkdir(path, { recursive: true }).catch(error => {
    if (!['EEXIST', 'ENOTDIR'].includes(errnoOf(error) ?? '')) throw error;
    throw carrelError('INVALID_INPUT', { what: path, found: 'a file', expected: 'a directory' }, error);
  });
}
