import type { Preset } from '../preset.js';
import { createClaudeReader } from './claude-reader.js';

/** Claude Code. What is said of it here was seen with 2.1.197. */
export const claude: Preset = {
  name: 'claude',
  title: 'Claude Code',
  program: 'claude',
  install: 'install it with: npm install --global @anthropic-ai/claude-code',
  keys: ['ANTHROPIC_API_KEY', 'ANTHROPIC_AUTH_TOKEN', 'CLAUDE_CODE_OAUTH_TOKEN'],
  variables: ['ANTHROPIC_BASE_URL', 'ANTHROPIC_MODEL', 'ANTHROPIC_SMALL_FAST_MODEL'],
  hosts: ['api.anthropic.com'],
  prompt: 'stdin',
  tellsCost: 'at-the-end',
  tellsTokens: 'while-running',
  holdsBudget: true,
  arguments: ({ model, further, isSandboxed, budgetUsd }) => [
    '--print',
    // Tells what was used as it goes; refused without --verbose.
    '--output-format',
    'stream-json',
    '--verbose',
    // Refused to root unless IS_SANDBOX is set, as it is in every sandbox of ours (sandbox/sandbox-environment.ts).
    ...(isSandboxed ? ['--dangerously-skip-permissions'] : HOST_PERMISSIONS),
    // It would leave the workspace for a worktree of its own.
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
 * On the host permissions are not skipped: that is refused to root, the name says that it is dangerous, and what the
 * user's own settings forbid stays forbidden this way. What needs a permission and is not named here is denied, not
 * asked for.
 */
const HOST_PERMISSIONS = [
  '--permission-mode',
  'acceptEdits',
  '--allowedTools',
  'Bash,Edit,Glob,Grep,MultiEdit,NotebookEdit,Read,Skill,Task,TodoWrite,WebFetch,WebSearch,Write',
];
