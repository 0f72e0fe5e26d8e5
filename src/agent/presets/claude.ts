import type { Preset } from '../preset.js';
import { createClaudeReader } from '../readers/claude-reader.js';

/** Claude Code. Observed with 2.1.197. */
export const claude: Preset = {
  name: 'claude',
  title: 'Claude Code',
  program: 'claude',
  install: 'install it with: npm install --global @anthropic-ai/claude-code',
  keys: ['ANTHROPIC_API_KEY', 'ANTHROPIC_AUTH_TOKEN', 'CLAUDE_CODE_OAUTH_TOKEN'],
  variables: ['ANTHROPIC_BASE_URL', 'ANTHROPIC_MODEL', 'ANTHROPIC_SMALL_FAST_MODEL'],
  hosts: ['api.anthropic.com'],
  prompt: 'stdin',
  reportsCost: 'at-the-end',
  reportsTokens: 'while-running',
  holdsBudget: true,
  arguments: ({ model, further, isSandboxed, budgetUsd }) => [
    '--print',
    // Reports usage while it runs; refused without --verbose.
    '--output-format',
    'stream-json',
    '--verbose',
    // Refused to root unless IS_SANDBOX is set, as it is in every Carrel sandbox (sandbox/policy/sandbox-environment.ts).
    ...(isSandboxed ? ['--dangerously-skip-permissions'] : HOST_PERMISSIONS),
    // It would leave the workspace for its own worktree.
    '--disallowedTools',
    'EnterWorktree',
    ...(model === undefined ? [] : ['--model', model]),
    ...(budgetUsd === undefined ? [] : ['--max-budget-usd', budgetUsd.toFixed(4)]),
    ...further,
  ],
  environment: () => ({
    CLAUDE_CODE_DISABLE_NONESSENTIAL_TRAFFIC: '1',
    DISABLE_AUTOUPDATER: '1',
  }),
  createReader: createClaudeReader,
};

/**
 * On the host permissions are not skipped: the flag is refused to root, its name says that it is dangerous, and this way
 * the user's own settings stay in force. Anything else that needs a permission is denied without a prompt.
 */
const HOST_PERMISSIONS = [
  '--permission-mode',
  'acceptEdits',
  '--allowedTools',
  'Bash,Edit,Glob,Grep,MultiEdit,NotebookEdit,Read,Skill,Task,TodoWrite,WebFetch,WebSearch,Write',
];
