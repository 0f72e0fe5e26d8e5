import { onTestFinished } from 'vitest';
import { type App, type AppOptions, openApp } from '../../../src/app.js';
import type { TaskRecord } from '../../../src/domain/task/task.js';
import { sampleTask } from '../../../src/store/contract/sample-records.js';
import { createCarrel } from '../carrel.js';
import { makeRepository } from '../repository.js';

/** A repository and an app of the test's own, for tasks that are put into the store by hand. */
export interface TaskSite {
  readonly app: App;
  readonly repository: string;
  readonly home: string;
  /** What the app has told people so far. */
  readonly narrated: readonly string[];
  /** Another app on the same store. */
  open(options?: Partial<AppOptions>): Promise<App>;
  /** Puts a task into the store, waiting unless told otherwise, and gives it. */
  insert(change?: Partial<TaskRecord>): Promise<TaskRecord>;
  find(id: string): Promise<TaskRecord>;
}

export async function makeTaskSite(): Promise<TaskSite> {
  const repository = makeRepository();
  const { env, home } = createCarrel();
  const narrated: string[] = [];
  const open = async (options: Partial<AppOptions> = {}): Promise<App> => {
    const narrate = (line: string) => void narrated.push(line);
    const opened = await openApp({ environment: env, cwd: repository, recovers: false, narrate, ...options });
    onTestFinished(() => opened.close());
    return opened;
  };
  const app = await open();
  const repositoryId = (await app.backends.git.locate(repository)).id;
  let count = 0;
  return {
    app,
    repository,
    home,
    narrated,
    open,
    insert: async (change = {}) => {
      const id = `task_${String(++count).padStart(16, '0')}`;
      const createdAt = new Date(app.now() + count).toISOString();
      const task = sampleTask({ id, repository, repositoryId, createdAt, ...change });
      await app.store.tasks.insert(task, []);
      return task;
    },
    find: async id => (await app.store.tasks.find(id)) as TaskRecord,
  };
}
