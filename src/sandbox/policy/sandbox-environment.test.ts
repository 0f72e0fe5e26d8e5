import { expect, test } from 'vitest';
import { sandboxSettings } from '../../../test/helpers/sandbox/sandbox-settings.js';
import { sandboxEnvironment } from './sandbox-environment.js';

const caller = {
  HOME: '/home/somebody',
  PATH: '/home/somebody/bin:/opt/tools/bin:/usr/bin:.',
  SSH_AUTH_SOCK: '/run/agent',
  AWS_SECRET_ACCESS_KEY: 'secret',
  API_KEY: 'key',
  TERM: 'xterm',
  LANG: 'de_DE.UTF-8',
  LD_PRELOAD: '/evil.so',
};

test('only locale and terminal variables of the caller get inside', () => {
  const environment = sandboxEnvironment(caller, sandboxSettings(), { CARREL_WORKSPACE: 'a' });
  expect(environment).toEqual({
    LANG: 'de_DE.UTF-8',
    TERM: 'xterm',
    HOME: '/home/agent',
    USER: 'agent',
    LOGNAME: 'agent',
    SHELL: '/bin/sh',
    PATH: '/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin',
    CARREL_WORKSPACE: 'a',
    IS_SANDBOX: '1',
    CARREL_SANDBOX: '1',
  });
});

test('a variable that the user names is passed on, and one that is not set stays unset', () => {
  const settings = sandboxSettings({ passEnvironment: ['API_KEY', 'NOT_SET'], environment: { CI: '1' } });
  const environment = sandboxEnvironment(caller, settings, {});
  expect(environment).toMatchObject({ API_KEY: 'key', CI: '1' });
  expect(environment).not.toHaveProperty('NOT_SET');
});

test('directories of the PATH that can be read inside are searched there too, and no others', () => {
  const settings = sandboxSettings({ readable: ['/opt/tools', '/home/some'] });
  expect(sandboxEnvironment(caller, settings, {}).PATH).toMatch(/^\/opt\/tools\/bin:\/usr\/local\/sbin:/);
});
