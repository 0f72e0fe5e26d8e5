import { readdir, stat } from 'node:fs/promises';
import { basename, join } from 'node:path';
import { carrelError, ignoreMissing } from '../../domain/error/error.js';
import type { Dataset } from './dataset.js';
import { loadDatasetFiles } from './dataset-file.js';
import { readHarborTask } from './task-directories/harbor.js';
import { readTerminalBenchTask } from './task-directories/terminal-bench.js';

/**
 * One task directory of Harbor or terminal-bench, a directory of them (also below `tasks/`), or files of Carrel's own
 * format.
 */
export async function loadDatasetDirectory(directory: string): Promise<Dataset> {
  for (const place of [directory, join(directory, 'tasks')]) {
    const tasks = await listTasks(place);
    if (tasks.length > 0) return await loadTasks(directory, tasks);
  }
  const files = (await readdir(directory)).filter(name => /\.(ya?ml|json)$/i.test(name)).sort();
  if (files.length > 0) return await loadDatasetFiles(files.map(name => join(directory, name)));
  const problem =
    'it has no tasks; expected .yaml or .json files, or directories with a task.toml (Harbor) or task.yaml (terminal-bench)';
  throw carrelError('DATASET_INVALID', { file: directory, problem });
}

interface TaskDirectory {
  readonly directory: string;
  readonly format: 'harbor' | 'terminal-bench';
}

/** The directory itself when it is a task, else those in it. */
async function listTasks(directory: string): Promise<TaskDirectory[]> {
  const own = await findFormat(directory);
  if (own) return [{ directory, format: own }];
  const names = (await readdir(directory).catch(ignoreMissing)) ?? [];
  const found = await Promise.all(
    names.sort().map(async name => ({
      directory: join(directory, name),
      format: await findFormat(join(directory, name)),
    })),
  );
  return found.filter((task): task is TaskDirectory => task.format !== undefined);
}

async function findFormat(directory: string): Promise<TaskDirectory['format'] | undefined> {
  if (await isFile(join(directory, 'task.toml'))) return 'harbor';
  return (await isFile(join(directory, 'task.yaml'))) ? 'terminal-bench' : undefined;
}

const isFile = async (path: string): Promise<boolean> =>
  (await stat(path).catch(ignoreMissing))?.isFile() ?? false;

async function loadTasks(directory: string, tasks: readonly TaskDirectory[]): Promise<Dataset> {
  const readings = await Promise.all(
    tasks.map(task =>
      task.format === 'harbor' ? readHarborTask(task.directory) : readTerminalBenchTask(task.directory),
    ),
  );
  return {
    name: basename(directory),
    format: tasks[0]?.format ?? 'harbor',
    items: readings.flatMap(reading => ('item' in reading ? [reading.item] : [])),
    broken: readings.flatMap(reading => ('item' in reading ? [] : [reading])),
  };
}
