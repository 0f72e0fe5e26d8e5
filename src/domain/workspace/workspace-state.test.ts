import { expect, test } from 'vitest';
import { type WorkspaceRecord, WorkspaceSchema, WorkspaceStatusSchema } from './workspace.js';
import { canMove, toWorkspace } from './workspace-state.js';

test('a workspace is created once, and a removal can be undone', () => {
  const statuses = WorkspaceStatusSchema.options;
  const moves = statuses.flatMap(from =>
    statuses.filter(to => canMove(from, to)).map(to => `${from} -> ${to}`),
  );
  expect(moves).toEqual(['creating -> ready', 'ready -> removing', 'removing -> ready']);
});

test('internal fields of the store are not shown', () => {
  const record: WorkspaceRecord = {
    id: 'ws_0000000000000000',
    name: 'a',
    repository: '/repository',
    backend: 'git',
    runtime: 'host',
    isolation: { requested: 'full', effective: 'worktree', reason: 'no runtime' },
    path: '/cache/a',
    branch: 'carrel/a',
    base: { ref: 'main', commit: 'c0ffee' },
    status: 'ready',
    ports: [],
    createdAt: '2026-01-01T00:00:00.000Z',
    lastActivityAt: '2026-01-01T00:00:00.000Z',
    warnings: [],
    repositoryId: 'r',
    commonDir: '/repository/.git',
    ownsBranch: true,
    operationId: null,
    template: null,
    environment: { TOKEN: 'secret' },
    included: [{ path: '.env', sha256: '00' }],
  };
  const workspace = toWorkspace(record);
  expect(WorkspaceSchema.strict().parse(workspace)).toEqual(workspace);
  expect(JSON.stringify(workspace)).not.toContain('secret');
});
