import { describe, expect, it } from 'vitest';
import type { GcReport } from '../../../domain/report/result.js';
import type { Snapshot } from '../../../domain/snapshot/snapshot.js';
import { createRisk } from '../../../domain/workspace/risk.js';
import type { WorkspaceDetails } from '../../../domain/workspace/workspace.js';
import { formatConfigList } from '../commands/setup/config-show-command.js';
import { formatTrust } from '../commands/setup/trust-command.js';
import { formatLanding } from '../commands/work/land-command.js';
import { formatAgo } from './ago.js';
import { formatDoctorList } from './doctor-list.js';
import { formatChanges, formatDistance } from './format-state.js';
import { formatGcClosing, formatGcTable } from './workspace/gc-table.js';
import { formatRemoval } from './workspace/removal-report.js';
import { formatSnapshotTable } from './workspace/snapshot-table.js';
import { formatWorkspacePage } from './workspace/workspace-page.js';
import { formatWorkspaceTable } from './workspace/workspace-table.js';

const now = Date.parse('2026-03-02T12:00:00.000Z');

const workspace: WorkspaceDetails = {
  id: 'ws_0123456789abcdef',
  name: 'feat/ui',
  repository: '/code/api',
  backend: 'git',
  runtime: 'host',
  isolation: { requested: 'full', effective: 'worktree', reason: 'no sandboxed runtime' },
  path: '/cache/carrel/worktrees/api/feat-ui',
  branch: 'carrel/feat/ui',
  base: { ref: 'main', commit: '1111111111111111111111111111111111111111' },
  status: 'ready',
  ports: [20000, 20001, 20002],
  createdAt: '2026-02-28T12:00:00.000Z',
  lastActivityAt: '2026-03-02T11:55:00.000Z',
  warnings: [],
  changes: { staged: 2, unstaged: 1, untracked: 3, conflicted: 0 },
  ahead: 2,
  behind: 1,
  conflictsWithBase: true,
  sizeBytes: 5 * 1024 ** 2,
};

const unseen: WorkspaceDetails = {
  ...workspace,
  name: 'gone\u001b[2J',
  isolation: { requested: 'shared', effective: 'shared', reason: null },
  branch: null,
  status: 'creating',
  warnings: ['the directory is gone'],
  ports: [],
  lastActivityAt: '2026-03-02T11:59:58.000Z',
  changes: null,
  ahead: null,
  behind: null,
  conflictsWithBase: null,
  sizeBytes: null,
};

const snapshot: Snapshot = {
  id: 'snap_0123456789abcdef',
  workspaceId: workspace.id,
  workspaceName: 'feat/ui',
  repository: '/code/api',
  repositoryId: 'r1',
  backend: 'git',
  branch: 'carrel/feat/ui',
  base: workspace.base,
  commit: '2222222222222222222222222222222222222222',
  ref: 'refs/carrel/snapshots/snap_0123456789abcdef',
  objectStore: '/code/api/.git',
  reason: 'asked',
  message: 'before the\nrewrite',
  createdAt: '2026-03-01T12:00:00.000Z',
  expiresAt: '2026-03-31T12:00:00.000Z',
  files: 1,
  omitted: [],
};

describe('workspaces', () => {
  it('are in a table, one line each, with control characters escaped', () => {
    expect(formatWorkspaceTable([workspace, unseen], now).split('\n')).toMatchInlineSnapshot(`
      [
        "NAME         BRANCH          ISOLATION      STATUS               CHANGES   BASE             SIZE    PORT   ACTIVE",
        "feat/ui      carrel/feat/ui  full→worktree  ready                +2 ~1 ?3  ↑2 ↓1 conflicts  5.0 MB  20000  5m ago",
        "gone\\x1b[2J  -               shared         creating, 1 warning  -         -                -       -      just now",
      ]
    `);
  });

  it('name their repository if there are several', () => {
    const lines = formatWorkspaceTable([workspace, { ...workspace, repository: '/code/web' }], now).split(
      '\n',
    );
    expect(lines.map(line => line.split(/\s{2,}/).at(-1))).toEqual(['REPOSITORY', '/code/api', '/code/web']);
  });

  it('show how their files were made, and why not faster', () => {
    const population = { way: 'checkout', reason: 'the kernel has no overlay file system' } as const;
    const page = {
      ...workspace,
      population,
      risks: [],
      refusedConnections: [],
      autorunFiles: [],
      snapshots: [],
    };
    expect(formatWorkspacePage(page, now)).toMatch(
      /^files {7}checked out \(the kernel has no overlay file system\)$/m,
    );
  });

  it('have a page each', () => {
    const page = {
      ...workspace,
      lease: { id: 'lease_1', holder: 'agent 7', since: '2026-03-02T11:00:00.000Z' },
      warnings: ['isolation full is not available'],
      risks: [createRisk('untracked', '1 untracked file: new.txt', ['new.txt'])],
      refusedConnections: [],
      autorunFiles: [],
      snapshots: [snapshot],
    };
    expect(formatWorkspacePage(page, now)).toMatchInlineSnapshot(`
      "name        feat/ui
      id          ws_0123456789abcdef
      path        /cache/carrel/worktrees/api/feat-ui
      repository  /code/api
      backend     git on host
      isolation   full→worktree (no sandboxed runtime)
      status      ready, leased
      lease       agent 7, 1h ago
      branch      carrel/feat/ui
      base        main at 1111111111111111111111111111111111111111
      distance    ↑2 ↓1 conflicts
      changes     +2 ~1 ?3
      size        5.0 MB
      ports       20000 to 20002
      created     2d ago
      active      5m ago

      Warnings:
        isolation full is not available

      Removing it would risk:
        1 untracked file: new.txt

      Snapshots:
        SNAPSHOT               WORKSPACE  REASON  HOLDS   TAKEN   KEPT UNTIL  MESSAGE
        snap_0123456789abcdef  feat/ui    asked   1 file  1d ago  2026-03-31  before the\\nrewrite"
    `);
  });

  it('say clean and even when there are no changes', () => {
    expect(formatChanges({ staged: 0, unstaged: 0, untracked: 0, conflicted: 0 })).toBe('clean');
    expect(formatChanges({ staged: 0, unstaged: 0, untracked: 0, conflicted: 2 })).toBe('!2');
    expect(formatDistance({ ...workspace, ahead: 0, behind: 0, conflictsWithBase: false })).toBe('even');
  });
});

describe('a cleanup', () => {
  const item = { kind: 'workspace', id: 'ws_1', path: '/x', bytes: 2048, outcome: 'planned' } as const;
  const plan: GcReport = {
    executed: false,
    olderThanMs: 0,
    items: [
      { ...item, name: 'old', action: 'remove', reason: 'not used for 9d, nothing to lose' },
      { ...item, name: 'dirty', action: 'keep', reason: '1 untracked file: new.txt', bytes: null },
      {
        ...item,
        kind: 'snapshot',
        id: 'snap_1',
        name: 'a',
        action: 'keep',
        reason: 'can be restored',
        bytes: null,
      },
    ],
    freedBytes: 0,
  };

  it('shows a plan with a reason for each item, and the command that runs it', () => {
    expect(formatGcTable(plan).split('\n')).toMatchInlineSnapshot(`
      [
        "ACTION  KIND       NAME        SIZE    REASON",
        "remove  workspace  old         2.0 KB  not used for 9d, nothing to lose",
        "keep    workspace  dirty       -       1 untracked file: new.txt",
        "keep    snapshot   a (snap_1)  -       can be restored",
      ]
    `);
    expect(formatGcClosing(plan, 'carrel gc --yes')).toBe(
      '1 would be removed (2.0 KB); remove with: carrel gc --yes',
    );
    expect(formatGcClosing({ ...plan, items: [] }, 'carrel gc --yes')).toBe('nothing to remove');
  });

  it('shows the result', () => {
    const [old, dirty] = plan.items as [GcReport['items'][number], GcReport['items'][number]];
    const done: GcReport = {
      ...plan,
      executed: true,
      items: [
        { ...old, outcome: 'removed' },
        { ...dirty, outcome: 'failed' },
      ],
      freedBytes: 2048,
    };
    expect(formatGcTable(done)).toContain('removed  workspace  old');
    expect(formatGcClosing(done, '')).toBe('removed 1, freed 2.0 KB; 1 could not be removed');
  });
});

it('snapshots are in a table', () => {
  expect(formatSnapshotTable([snapshot], now).split('\n')).toMatchInlineSnapshot(`
    [
      "SNAPSHOT               WORKSPACE  REASON  HOLDS   TAKEN   KEPT UNTIL  MESSAGE",
      "snap_0123456789abcdef  feat/ui    asked   1 file  1d ago  2026-03-31  before the\\nrewrite",
    ]
  `);
});

it('a removal says what was kept and how to undo it', () => {
  const removal = {
    id: 'ws_1',
    name: 'a',
    path: '/x',
    snapshot: 'snap_1',
    omitted: [],
    deletedBranch: null,
    keptFiles: false,
    keptBranch: 'carrel/a',
    stopped: [4],
    warnings: [],
  };
  expect(formatRemoval(removal)).toBe(
    'removed a; stopped 1 process; the branch carrel/a was kept; restore it with: carrel restore snap_1',
  );
  const omitted = ['a', 'b', 'c', 'd', 'e', 'f'].map((path, at) => ({ path, bytes: 1024 * at, reason: '' }));
  expect(formatRemoval({ ...removal, omitted, keptBranch: null, stopped: [] })).toBe(
    'removed a; restore it with: carrel restore snap_1; not in the snapshot: f (5.0 KB), e (4.0 KB), d (3.0 KB), c (2.0 KB), b (1.0 KB), 1 more',
  );
  const bare = { ...removal, snapshot: null, keptBranch: null, stopped: [] };
  expect(formatRemoval(bare)).toBe('removed a');
  expect(formatRemoval({ ...bare, keptFiles: true })).toBe('forgot a; its files are kept');
});

it('a landing is one sentence', () => {
  const landing = {
    id: 'ws_1',
    name: 'a',
    into: 'main',
    strategy: 'squash',
    before: '1',
    after: '2',
    commits: 1,
    updatedCheckouts: [],
    autorunFiles: [],
    removed: null,
    warnings: [],
  } as const;
  expect(formatLanding({ ...landing, updatedCheckouts: [], autorunFiles: [], warnings: [] })).toBe(
    'landed 1 commit of a on main (squash); the workspace was kept',
  );
  const merged = {
    ...landing,
    strategy: 'merge',
    updatedCheckouts: [],
    autorunFiles: [],
    warnings: [],
  } as const;
  expect(formatLanding({ ...merged, updatedCheckouts: [], autorunFiles: [], warnings: [] }, true)).toBe(
    'landed 1 commit of a on main (fast-forward); the workspace was kept',
  );
});

it('a diagnosis has a mark per check and the hint below', () => {
  const plain = (text: string) => text;
  const report = {
    healthy: false,
    checks: [
      { name: 'git', status: 'ok', message: 'git 2.45.0', hint: null },
      { name: 'repository', status: 'problem', message: 'is bare', hint: 'clone it' },
      { name: 'jj', status: 'absent', message: 'not installed', hint: null },
    ],
  } as const;
  expect(
    formatDoctorList(
      { ...report, checks: [...report.checks] },
      { green: plain, yellow: plain, red: plain, dim: plain },
    ),
  ).toBe(
    [
      '✓ git         git 2.45.0',
      '✗ repository  is bare',
      '  hint: clone it',
      '- jj          not installed',
    ].join('\n'),
  );
});

it('a configuration is a line per value, with its origin on request', () => {
  const report = {
    files: [],
    values: [{ key: 'workspace.setup', value: ['npm ci'], origin: '.carrel/config.yaml:3' }],
  };
  expect(formatConfigList(report, false)).toBe('workspace.setup  ["npm ci"]');
  expect(formatConfigList(report, true)).toBe('workspace.setup  ["npm ci"]  (.carrel/config.yaml:3)');
});

it('trust shows the exact commands and whether they are approved', () => {
  const report = {
    repository: '/code/api',
    commands: ['npm ci', 'printf \u001b'],
    trusted: false,
    grants: [],
    revoked: 1,
  };
  expect(formatTrust(report)).toBe(
    [
      'revoked 1 approval',
      '/code/api wants to run:',
      '  npm ci',
      '  printf \\x1b',
      'these commands are not approved',
    ].join('\n'),
  );
  const none = { ...report, commands: [], trusted: true, revoked: 0 };
  expect(formatTrust(none)).toBe('the configuration of /code/api has no commands');
});

it('elapsed time is text', () => {
  const ago = (seconds: number) => formatAgo(new Date(now - seconds * 1000).toISOString(), now);
  expect([ago(-5), ago(3), ago(45), ago(3600), ago(200_000)]).toEqual([
    'just now',
    'just now',
    '45s ago',
    '1h ago',
    '2d ago',
  ]);
});
