import { dirname } from 'node:path';
import type { Preset, PresetRequest } from '../preset.js';
import { createCopilotReader } from '../readers/copilot-reader.js';

/** GitHub Copilot CLI. Observed with 1.0.102. */
export const copilot: Preset = {
  name: 'copilot',
  title: 'GitHub Copilot CLI',
  program: 'copilot',
  install: 'install it with: npm install --global @github/copilot',
  keys: ['COPILOT_GITHUB_TOKEN', 'GH_TOKEN', 'GITHUB_TOKEN', 'COPILOT_PROVIDER_API_KEY'],
  variables: [
    'COPILOT_MODEL',
    'COPILOT_OFFLINE',
    'COPILOT_PROVIDER_BASE_URL',
    'COPILOT_PROVIDER_TYPE',
    'COPILOT_PROVIDER_WIRE_API',
    'GH_HOST',
  ],
  hosts: [
    'api.github.com',
    'api.githubcopilot.com',
    '*.githubcopilot.com',
    'copilot-proxy.githubusercontent.com',
  ],
  // It reads the prompt from standard input when that is not a terminal and --prompt is not given.
  prompt: 'stdin',
  reportsCost: 'never',
  // It never reports input tokens; see its reader.
  reportsTokens: 'never',
  allowsAllOnHost: true,
  arguments: request => [
    '--output-format',
    'json',
    ...permissions(request),
    '--no-ask-user',
    '--no-auto-update',
    '--no-color',
    '--disable-client-telemetry',
    // Whole messages instead of fragments.
    '--stream',
    'off',
    ...(request.model === undefined ? [] : ['--model', request.model]),
    ...request.further,
  ],
  environment: () => ({}),
  createReader: createCopilotReader,
};

/** On the host its file tools are limited to the working tree and the handoff directory. */
const permissions = ({ isSandboxed, promptFile }: PresetRequest): string[] =>
  isSandboxed ? ['--allow-all'] : ['--allow-all-tools', '--add-dir', dirname(promptFile)];
