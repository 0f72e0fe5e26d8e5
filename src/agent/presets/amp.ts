import type { Preset } from '../preset.js';
import { createAmpReader } from '../readers/amp-reader.js';

/**
 * Amp. Its arguments and its behavior without a key were observed with 0.0.1790142911; the rest is from its manual,
 * because it works only with its vendor's own service.
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
  reportsCost: 'never',
  reportsTokens: 'while-running',
  allowsAllOnHost: true,
  arguments: ({ model, further }) => [
    '--execute',
    '--stream-json',
    '--dangerously-allow-all',
    '--no-ide',
    '--no-notifications',
    '--no-color',
    // It chooses its models itself; only a mode can be set, such as low or high.
    ...(model === undefined ? [] : ['--mode', model]),
    ...further,
  ],
  environment: () => ({ AMP_SKIP_UPDATE_CHECK: '1' }),
  createReader: createAmpReader,
};
