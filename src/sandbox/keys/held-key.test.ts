import { expect, test } from 'vitest';
import { sandboxSettings } from '../../../test/helpers/sandbox/sandbox-settings.js';
import { bindKeys } from '../../agent/presets/key-hosts.js';
import { sandboxEnvironment } from '../policy/sandbox-environment.js';
import { holdKeys } from './held-key.js';

const KEY = 'sk-ant-api03-abcdefghijklmnop';

const settings = sandboxSettings({
  keys: bindKeys({ MY_TOKEN: { hosts: ['git.example', 'git.example:8443'] } }),
  passEnvironment: ['MY_TOKEN', 'ANOTHER', 'PLAIN'],
});

test('a key is nowhere in the command, even in other variables with the same value', () => {
  const held = holdKeys(
    settings,
    { MY_TOKEN: 'glpat-0123456789', ANOTHER: 'u:glpat-0123456789', PLAIN: 'yes' },
    {
      environment: { ANTHROPIC_API_KEY: KEY, SETTINGS: `{"key":"${KEY}"}` },
      command: ['agent', `--key=${KEY}`, 'glpat-0123456789'],
    },
  );
  expect(JSON.stringify([held.environment, held.command])).not.toMatch(/abcdefgh|glpat/);
  const { ANTHROPIC_API_KEY: placeholder, SETTINGS, MY_TOKEN, ANOTHER, PLAIN } = held.environment;
  expect(placeholder).toMatch(/^sk-ant-api03-carrel-placeholder-[0-9a-f]{40}$/);
  expect(SETTINGS).toBe(`{"key":"${placeholder}"}`);
  expect(ANOTHER).toBe(`u:${MY_TOKEN}`);
  expect(PLAIN).toBeUndefined();
  expect(held.keys.map(({ value, targets }) => [value, targets])).toEqual([
    [KEY, [{ host: 'api.anthropic.com', port: 443 }]],
    [
      'glpat-0123456789',
      [
        { host: 'git.example', port: 443 },
        { host: 'git.example', port: 8443 },
      ],
    ],
  ]);
});

test('a base url binds its host only with TLS', () => {
  const targetsWith = (url: string) =>
    holdKeys(
      settings,
      {},
      { environment: { ANTHROPIC_API_KEY: KEY, ANTHROPIC_BASE_URL: url }, command: [] },
    ).keys[0]?.targets.slice(1);
  expect(targetsWith('https://gateway.example/v1')).toEqual([{ host: 'gateway.example', port: 443 }]);
  expect(targetsWith('https://gateway.example:8443')).toEqual([{ host: 'gateway.example', port: 8443 }]);
  for (const url of ['http://gateway.example', 'gateway.example', '']) expect(targetsWith(url)).toEqual([]);
});

test('two commands have different placeholders', () => {
  const placeholder = () =>
    holdKeys(settings, { MY_TOKEN: 'glpat-0123456789' }, { environment: {}, command: [] }).keys[0]
      ?.placeholder;
  expect(placeholder()).not.toBe(placeholder());
});

test('the environment of every command in the sandbox has no key', () => {
  const caller = { MY_TOKEN: 'glpat-0123456789', ANOTHER: 'u:glpat-0123456789', PLAIN: 'yes' };
  const environment = sandboxEnvironment(caller, settings, {});
  expect(environment).toMatchObject({ PLAIN: 'yes' });
  expect(JSON.stringify(environment)).not.toContain('glpat');
});

test('without the option no key is held back', () => {
  const command = { environment: { ANTHROPIC_API_KEY: KEY }, command: ['agent', KEY] };
  expect(holdKeys(sandboxSettings(), { MY_TOKEN: 'glpat-0123456789' }, command)).toEqual({
    ...command,
    keys: [],
  });
});
