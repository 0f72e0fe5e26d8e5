import { readFile } from 'node:fs/promises';
import { basename, join } from 'node:path';
import { z } from 'zod';
import { parseYaml } from '../../../config/files/parse-yaml.js';
import type { EvalItem } from '../../../domain/batch/eval-item.js';
import { ignoreMissing, isCarrelError } from '../../../domain/error/error.js';
import { installsPrograms, readContainerTask, readDirectory } from './container-task.js';
import { harborSolution } from './harbor-scripts.js';
import { GO_BY_PLAIN_PATH, relocateFiles } from './relocate-paths.js';
import { difficultyOf, isolationsFor, secondsToDuration, tellWorkdir } from './task-directory-text.js';
import { checkReading, type TaskReading } from './task-reading.js';

/** task.yaml of terminal-bench; `docker_image` is Carrel's addition: the image built from its Dockerfile. */
const TaskFileSchema = z.object({
  instruction: z.string().min(1),
  difficulty: z.unknown().optional(),
  category: z.string().optional(),
  tags: z.array(z.string().min(1)).nullish(),
  parser_name: z.string().default('pytest'),
  max_agent_timeout_sec: z.number().positive().default(360),
  max_test_timeout_sec: z.number().positive().default(60),
  run_tests_in_same_shell: z.boolean().default(false),
  docker_image: z.string().min(1).optional(),
});
type TaskFile = z.infer<typeof TaskFileSchema>;

/** Files beside the Dockerfile that agents must not get, even with `COPY . .`. */
const SECRET = [
  'task.yaml',
  'docker-compose.yaml',
  'run-tests.sh',
  'solution.sh',
  'solution.yaml',
  'solution',
  'tests',
];

const NO_IMAGE = 'it installs programs; build its Dockerfile and name the image as docker_image in task.yaml';

/** The place of hidden files in the working tree. */
const PLACE = '.terminal-bench';

/**
 * A task directory of terminal-bench: task.yaml, Dockerfile, run-tests.sh, tests/ and solution.sh. As with Harbor, the
 * working tree is what the Dockerfile copies into its WORKDIR.
 */
export async function readTerminalBenchTask(directory: string): Promise<TaskReading> {
  const id = basename(directory);
  return checkReading(id, await toItem(directory, id));
}

async function toItem(directory: string, id: string): Promise<EvalItem | { readonly reason: string }> {
  const task = await readTaskFile(join(directory, 'task.yaml'));
  if ('reason' in task) return task;
  const container = await readContainerTask(directory, join(directory, 'Dockerfile'), SECRET);
  if ('reason' in container) return container;
  const tests = await readDirectory(join(directory, 'tests'));
  if ('reason' in tests) return tests;
  const runTests = await readFile(join(directory, 'run-tests.sh'), 'utf8').catch(ignoreMissing);
  if (runTests === undefined) return { reason: 'it has no run-tests.sh' };
  const solution = await readFile(join(directory, 'solution.sh'), 'utf8').catch(ignoreMissing);
  const needsImage = container.needsImage || installsPrograms([runTests, solution]);
  if (needsImage && task.docker_image === undefined) return { reason: NO_IMAGE };
  return {
    id,
    description: tellWorkdir(task.instruction, container.workdir),
    base: container.base,
    requires: ['bash'],
    ...difficultyOf(task.difficulty),
    tags: [...new Set([...(task.tags ?? []), ...(task.category ? [task.category] : [])])],
    timeout: secondsToDuration(task.max_agent_timeout_sec),
    environment: container.environment,
    ...isolationsFor(task.docker_image),
    ...(solution !== undefined && harborSolution({ 'solve.sh': solution }, container.workdir)),
    hidden: {
      ...Object.fromEntries(
        Object.entries(tests.files).map(([path, content]) => [`${PLACE}/tests/${path}`, content]),
      ),
      [`${PLACE}/scripts/run-tests.sh`]: runTests,
      [`${PLACE}/run.sh`]: runnerOf(container.workdir),
    },
    protect: [PLACE],
    graders: [
      {
        kind: 'tests',
        name: 'run-tests.sh',
        run: `sh ${PLACE}/run.sh`,
        parser: 'pytest',
        timeout: secondsToDuration(task.max_test_timeout_sec),
      },
    ],
  };
}

async function readTaskFile(file: string): Promise<TaskFile | { readonly reason: string }> {
  const parsed = TaskFileSchema.safeParse(await readYaml(file));
  if (!parsed.success) {
    const [issue] = parsed.error.issues;
    return { reason: `task.yaml: ${issue?.path.join('.') || 'it'}: ${issue?.message}` };
  }
  const { parser_name: parser, run_tests_in_same_shell: isSameShell } = parsed.data;
  if (parser !== 'pytest') return { reason: `its tests use the parser ${parser}; expected pytest` };
  if (isSameShell) return { reason: "its tests must run in the agent's shell, which is not supported" };
  return parsed.data;
}

/** Undefined for invalid YAML, which is then reported. */
async function readYaml(file: string): Promise<unknown> {
  try {
    return parseYaml({ file, text: await readFile(file, 'utf8') }).value;
  } catch (error) {
    if (isCarrelError(error, 'CONFIG_SYNTAX')) return undefined;
    throw error;
  }
}

const runnerOf = (workdir: string): string =>
  [
    GO_BY_PLAIN_PATH,
    `place=$PWD/${PLACE}`,
    'export TEST_DIR="$place/tests"',
    ...['$place/tests', '$place/scripts'].map(directory =>
      relocateFiles(directory, [
        { from: '/tests', to: '$place/tests' },
        { from: workdir, to: '$PWD' },
      ]),
    ),
    'bash "$place/scripts/run-tests.sh"\n',
  ].join('\n');
