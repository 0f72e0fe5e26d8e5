import { expect, test } from 'vitest';
import type { WorkspaceRecord } from '../../domain/workspace/workspace.js';
import { workspaceVariables } from './workspace-variables.js';

const record: WorkspaceRecord = {
  id: 'ws_0123456789abcdef',
  name: 'Feat/UI.2',
  repository: '/home/me/api',
  backend: 'git',
  runtime: 'host',
  isolation: { requested: 'worktree', effective: 'worktree', reason: null },
  path: '/cache/api/Feat-UI.2',
  branch: 'carrel/Feat/UI.2',
  base: { ref: 'main', commit: 'c0ffee' },
  status: 'ready',
  ports: [20_000, 20_001],
  createdAt: '2026-01-01T00:00:00.000Z',
  lastActivityAt: '2026-01-01T00:00:00.000Z',
  warnings: [],
  repositoryId: 'r',
  commonDir: '/home/me/api/.git',
  ownsBranch: true,
  operationId: null,
  template: null,
  environment: {},
  included: [],
};

test("a command sees its workspace's variables", () => {
  expect(workspaceVariables(record)).toEqual({
    CARREL_WORKSPACE: 'Feat/UI.2',
    CARREL_WORKSPACE_ID: 'ws_0123456789abcdef',
    CARREL_WORKSPACE_PATH: '/cache/api/Feat-UI.2',
    CARREL_REPOSITORY: '/home/me/api',
    CARREL_BRANCH: 'carrel/Feat/UI.2',
    CARREL_BASE_COMMIT: 'c0ffee',
    COMPOSE_PROJECT_NAME: 'carrel-feat-ui-2-abcdef',
    CARREL_PORT: '20000',
    CARREL_PORT_0: '20000',
    CARREL_PORT_1: '20001',
    CARREL_PORTS: '20000-20001',
  });
});

test("missing values have no variable, and the record's own variables win", () => {
  const environment = { CARREL_PORT: '1', API_KEY: 'x' };
  const variables = workspaceVariables({
    ...record,
    branch: null,
    base: { ref: null, commit: null },
    ports: [],
    environment,
  });
  expect(Object.keys(variables)).not.toContain('CARREL_BRANCH');
  expect(Object.keys(variables)).not.toContain('CARREL_BASE_COMMIT');
  expect(variables).toMatchObject(environment);
});
