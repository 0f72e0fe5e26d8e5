import type { Preset, PresetRequest } from '../preset.js';
import { createCodexReader } from './codex-reader.js';

/** OpenAI's Codex. What is said of it here was seen with 0.166.0. */
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
  tellsCost: 'never',
  tellsTokens: 'at-the-end',
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

/** A private home has no plugins; looking for some would ask github.com at every start and be refused. */
const INSIDE = ['--dangerously-bypass-approvals-and-sandbox', '-c', 'features.plugins=false'];

/**
 * On the host its own sandbox stays on: it writes in the working tree, the output directory and the temporary
 * directories, and nowhere else. The git directory of a linked worktree is read-only for it, also when it is named with
 * --add-dir; Carrel commits what it leaves. The network is open, because tests and installers need it. It asks nobody.
 *
 * A value of the configuration, so that a `--sandbox danger-full-access` among the further arguments wins where that
 * sandbox can't be had.
 */
const hostSandbox = ({ outputDir }: PresetRequest): string[] => [
  '-c',
  'sandbox_mode="workspace-write"',
  '-c',
  'sandbox_workspace_write.network_access=true',
  '--add-dir',
  outputDir,
];
