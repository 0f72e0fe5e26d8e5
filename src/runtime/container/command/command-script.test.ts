import { expect, it } from 'vitest';
import { scriptCommand } from './command-script.js';

const OPTIONS = { command: ['echo', 'a b'], commandId: 'command', reportMark: undefined };

it('passes variables under names that mean nothing to the engine', () => {
  const scripted = scriptCommand({ ...OPTIONS, environment: { LD_PRELOAD: '/evil.so', PATH: '/bin' } });
  expect(scripted.secrets).toEqual({ CARREL_VALUE_0: '/evil.so', CARREL_VALUE_1: '/bin' });
  expect(scripted.flags.join(' ')).toBe(
    '--env CARREL_COMMAND_ID=command --env CARREL_VALUE_0 --env CARREL_VALUE_1',
  );
  expect(scripted.words[2]).toContain('export LD_PRELOAD="$CARREL_VALUE_0"; unset CARREL_VALUE_0');
  expect(scripted.words.slice(3)).toEqual(['sh', 'echo', 'a b']);
});

it("leaves variables to the engine that a shell can't set", () => {
  const { flags, secrets } = scriptCommand({ ...OPTIONS, environment: { UID: '7', 'a.b': 'c' } });
  expect(flags).toEqual(['--env', 'CARREL_COMMAND_ID=command', '--env', 'UID=7', '--env', 'a.b=c']);
  expect(secrets).toEqual({});
});

it('reports only when standard error is read', () => {
  const words = (reportMark?: string) => scriptCommand({ ...OPTIONS, environment: {}, reportMark }).words[2];
  expect(words()).not.toContain('printf');
  expect(words('mark')).toContain("printf '\\036mark %s\\n' started");
});
