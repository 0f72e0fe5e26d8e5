import { onTestFinished } from 'vitest';
import { type App, openApp } from '../../../src/app.js';
import type { IsolationMode } from '../../../src/domain/isolation.js';
import type { WorkspaceRecord } from '../../../src/domain/workspace/workspace.js';
import { up } from '../../../src/operations/workspace/up.js';
import { createCarrel } from '../carrel.js';
import { makeRepository } from '../repository.js';

/** A repository with a workspace `a`, and the operations on them in this process. */
export interface WorkspaceSite {
  readonly app: App;
  readonly record: WorkspaceRecord;
}

export async function makeWorkspaceSite(
  isolation: IsolationMode,
  files: Record<string, string> = { 'README.md': 'hello\n' },
): Promise<WorkspaceSite> {
  const repository = makeRepository(files);
  const app = await openApp({ environment: createCarrel().env, cwd: repository });
  onTestFinished(() => app.close());
  const { id } = await up(app, { repository, name: 'a', isolation, strict: true });
  return { app, record: (await app.store.workspaces.find(id)) as WorkspaceRecord };
}
