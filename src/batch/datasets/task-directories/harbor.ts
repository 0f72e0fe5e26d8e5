import { readFile } from 'node:fs/promises';
import { basename, join } from 'node:path';
import type { EvalItem } from '../../../domain/batch/eval-item.js';
import { ignoreMissing } from '../../../domain/error/error.js';
import { installsPrograms, readContainerTask, readDirectory } from './container-task.js';
import { HARBOR_PLACE, harborRunner, harborSolution } from './harbor-scripts.js';
import { type HarborSettings, readHarborSettings } from './harbor-settings.js';
import { isolationsFor, tellWorkdir } from './task-directory-text.js';
import { checkReading, type TaskReading } from './task-reading.js';

/**
 * A task directory of Harbor: task.toml, instruction.md, environment/, tests/test.sh and solution/solve.sh. Its working
 * tree is what the Dockerfile copies into its WORKDIR; paths such as /app, /tests and /logs in its scripts are redirected into
 * the working tree when they run.
 */
export async function readHarborTask(directory: string): Promise<TaskReading> {
  const id = basename(directory);
  return checkReading(id, await toItem(directory, id));
}

async function toItem(directory: string, id: string): Promise<EvalItem | { readonly reason: string }> {
  const settings = await readHarborSettings(join(directory, 'task.toml'));
  if ('reason' in settings) return settings;
  const instruction = await readFile(join(directory, 'instruction.md'), 'utf8').catch(ignoreMissing);
  if (instruction === undefined) return { reason: 'it has no instruction.md' };
  const context = join(directory, 'environment');
  const container = await readContainerTask(context, join(context, 'Dockerfile'), []);
  if ('reason' in container) return container;
  const tests = await readDirectory(join(directory, 'tests'));
  if ('reason' in tests) return tests;
  if (tests.files['test.sh'] === undefined) return { reason: 'it has no tests/test.sh' };
  const solution = await readDirectory(join(directory, 'solution'));
  if ('reason' in solution) return solution;
  const needsImage =
    container.needsImage || installsPrograms([tests.files['test.sh'], solution.files['solve.sh']]);
  if (needsImage && settings.image === undefined) return { reason: NO_IMAGE };
  return {
    id,
    description: tellWorkdir(instruction, container.workdir),
    base: container.base,
    requires: ['bash'],
    ...settings.item,
    environment: { ...container.environment, ...settings.environment },
    ...isolationsFor(settings.image),
    ...harborSolution(solution.files, container.workdir),
    hidden: hiddenFiles(tests.files, container.workdir, settings),
    protect: [HARBOR_PLACE],
    graders: [
      {
        kind: 'reward',
        name: 'tests/test.sh',
        run: `sh ${HARBOR_PLACE}/run.sh`,
        file: `${HARBOR_PLACE}/reward`,
        timeout: settings.verifierTimeout,
      },
    ],
  };
}

const NO_IMAGE =
  'it installs programs; build its Dockerfile and name the image as environment.docker_image in task.toml';

const hiddenFiles = (
  tests: Readonly<Record<string, string>>,
  workdir: string,
  settings: HarborSettings,
): Record<string, string> => ({
  ...Object.fromEntries(
    Object.entries(tests).map(([path, content]) => [`${HARBOR_PLACE}/tests/${path}`, content]),
  ),
  [`${HARBOR_PLACE}/run.sh`]: harborRunner(workdir, settings.verifierEnvironment),
});
