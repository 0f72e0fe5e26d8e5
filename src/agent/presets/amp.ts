import type { Preset } from '../preset.js';
import { createAmpReader } from './amp-reader.js';

/**
 * Amp. Its arguments and what it does without a key were seen with 0.0.1790142911; the rest is from its manual, because
 * it works with nothing but its maker's own service.
 */
export const amp: Preset = {
  name: 'amp',
  title: 'Amp',
  program: 'amp',
  install: 'install it with: npm install --global @sourcegraph/amp',
  keys: ['AMP_API_KEY'],
  variables: ['AMP_URL'],
  hosts: ['ampcode.com'],
  prompt: 'stdin',
  tellsCost: 'never',
  tellsTokens: 'while-running',
  allowsAllOnHost: true,
  arguments: ({ model, further }) => [
    '--execute',
    '--stream-json',
    '--dangerously-allow-all',
    '--no-ide',
    '--no-notifications',
    '--no-color',
    // Models are its own choice; what can be chosen is a mode, such as low or high.
    ...(model === undefined ? [] : ['--mode', model]),
    ...further,
  ],
  environment: () => ({ AMP_SKIP_UPDATE_CHECK: '1' }),
  createReader: createAmpReader,
};
