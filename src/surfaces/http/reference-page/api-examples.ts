/** Examples by schema, for the usual flow: send a story, request its workflow, inspect the worktree, remove it. */
export const EXAMPLES: Readonly<Record<string, unknown>> = {
  'workflow-request': {
    story: { title: 'Dark mode', description: 'Add a dark mode with a switch in the settings.' },
    targetRepository: '/home/you/project',
    workflow: 'quick',
  },
  removal: {
    id: 'ws_d1vzq4ah0v1s7k2m',
    name: 'dark-mode-0v1s7',
    path: '/home/you/.cache/carrel/workspaces/project/dark-mode-0v1s7',
    snapshot: 'snap_d1vzq6bb3c4d5e6f',
    omitted: [{ path: 'node_modules', bytes: 48_218_112, reason: 'tools can recreate it' }],
    keptFiles: false,
    deletedBranch: null,
    keptBranch: 'carrel/dark-mode-0v1s7',
    stopped: [],
    warnings: [],
  },
  problem: {
    type: '/problems/REMOVAL_REFUSED',
    title: 'Removing a workspace could lose work.',
    status: 409,
    detail: 'dark-mode-0v1s7 was not removed: 1 changed file',
    code: 'REMOVAL_REFUSED',
    kind: 'conflict',
    hint: 'accept it with --discard-changes',
    details: {
      name: 'dark-mode-0v1s7',
      risks: [
        {
          kind: 'changes',
          message: '1 changed file',
          items: ['src/theme.ts'],
          flag: '--discard-changes',
          advice: '',
        },
      ],
    },
  },
  'task-request': { description: 'Correct the spelling in the guides', workflow: 'quick' },
  'batch-request': { dataset: 'golden', agent: 'oracle', attempts: 1, parallelism: 2 },
};
