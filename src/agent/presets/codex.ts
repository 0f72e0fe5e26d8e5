import type { Preset, PresetRequest } from '../preset.js';
import { createCodexReader } from '../readers/codex-reader.js';

/** OpenAI's Codex. Observed with 0.166.0. */
export const codex: Preset = {
  name: 'codex',
  title: 'Codex',
  program: 'codex',
  install: 'install it with: npm install --global @openai/codex',
  // OPENAI_API_KEY is not among them: `codex exec` sends no key at all when only that is set.
  keys: ['CODEX_API_KEY'],
  variables: [],
  hosts: ['api.openai.com', 'auth.openai.com', 'chatgpt.com'],
  prompt: 'stdin',
  reportsCost: 'never',
  reportsTokens: 'at-the-end',
  arguments: request => [
    'exec',
    '--json',
    '--skip-git-repo-check',
    ...(request.isSandboxed ? INSIDE : hostSandbox(request)),
    '-c',
    'analytics.enabled=false',
    '-c',
    'check_for_update_on_startup=false',
    ...(request.model === undefined ? [] : ['--model', request.model]),
    ...request.further,
    // Reads the prompt from standard input.
    '-',
  ],
  environment: () => ({}),
  createReader: createCodexReader,
};

/** A private home has no plugins; looking for them would contact github.com at every start and be blocked. */
const INSIDE = ['--dangerously-bypass-approvals-and-sandbox', '-c', 'features.plugins=false'];

/**
 * On the host its own sandbox stays on: it writes in the working tree, the output directory and the temporary
 * directories, and nowhere else. The git directory of a linked worktree is read-only for it, even when it is named with
 * --add-dir; Carrel commits its changes. The network is open, because tests and installers need it. It never prompts.
 *
 * A value of the configuration, so that `--sandbox danger-full-access` in the additional arguments wins where that
 * sandbox is not available.
 */
const hostSandbox = ({ outputDir }: PresetRequest): string[] => [
  '-c',
  'sandbox_mode="workspace-write"',
  '-c',
  'sandbox_workspace_write.network_access=true',
  '--add-dir',
  outputDir,
];
