import { mkdir, rm, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { exampleWorkflows } from '../config/example-workflows.js';
import { initialConfig } from '../config/init-template.js';
import { carrelError, errnoOf } from '../domain/error.js';
import type { InitResult } from '../domain/result.js';
import { explainFullDisk } from '../git/disk-full.js';
import type { Context } from './context.js';
import { locateRepository } from './locate-repository.js';

/** Writes a commented configuration and example workflows; what is there already is left as it is. */
export async function initRepository(
  context: Context,
  input: { readonly repository: string },
): Promise<InitResult> {
  const { root } = await locateRepository(context, input.repository);
  const files = { 'config.yaml': initialConfig, ...workflowFiles() };
  const written: string[] = [];
  const kept: string[] = [];
  for (const [name, text] of Object.entries(files)) {
    const path = join(root, '.carrel', name);
    (await writeNew(path, text)) ? written.push(path) : kept.push(path);
  }
  return { repository: root, written, kept, warnings: await warnOfRuntimes(context) };
}

/** The template offers isolation `full`; whether it can be had is better known now than at the first task. */
async function warnOfRuntimes(context: Context): Promise<string[]> {
  const choice = await (await context.sandboxes()).choose({ runtime: 'auto', wantsImage: false });
  return choice.runtime ? [] : [`isolation "full" can't be had here: ${choice.reason}`];
}

function workflowFiles(): Record<string, string> {
  return Object.fromEntries(
    Object.entries(exampleWorkflows).map(([name, text]) => [`workflows/${name}.yaml`, text]),
  );
}

/** False when it is there already. One that could not be written whole does not stay: it would be kept for ever. */
async function writeNew(path: string, text: string): Promise<boolean> {
  await makeDirectory(dirname(path));
  try {
    await writeFile(path, text, { flag: 'wx' });
    return true;
  } catch (error) {
    if (errnoOf(error) === 'EEXIST') return false;
    await rm(path, { force: true });
    throw await explainFullDisk(error, [dirname(path)]);
  }
}

async function makeDirectory(path: string): Promise<void> {
  await mkdir(path, { recursive: true }).catch(error => {
    if (!['EEXIST', 'ENOTDIR'].includes(errnoOf(error) ?? '')) throw error;
    throw carrelError('INVALID_INPUT', { what: path, found: 'a file', expected: 'a directory' }, error);
  });
}
