import { mkdirSync } from 'node:fs';
import { delimiter, join } from 'node:path';
import { expect, test } from 'vitest';
import { tempDir } from '../../test/helpers/temp.js';
import { withoutCallersPlace } from './caller-variables.js';

const withAll = (names: readonly string[]) => Object.fromEntries(names.map(name => [name, 'set']));

const PLACES = [
  'OLDPWD',
  'CDPATH',
  'INIT_CWD',
  'npm_package_json',
  'npm_lifecycle_event',
  'npm_execpath',
  'npm_config_local_prefix',
  'npm_config_workspace',
  'PNPM_SCRIPT_SRC_DIR',
  'CARGO_MANIFEST_DIR',
  'MAKELEVEL',
  'MAKEFLAGS',
  'COMPOSE_PROJECT_NAME',
  'CARREL_WORKSPACE_PATH',
  'CARREL_BRANCH',
  'CARREL_PORT_3',
  'CARREL_TASK_ID',
  'CARREL_OUTPUT_DIR',
  'CLAUDECODE',
  'GEMINI_CLI_IDE_WORKSPACE_PATH',
];

const SCREEN = [
  'VSCODE_IPC_HOOK_CLI',
  'VSCODE_GIT_ASKPASS_MAIN',
  'GIT_ASKPASS',
  'NVIM',
  'INSIDE_EMACS',
  'TMUX',
  'TMUX_PANE',
  'STY',
  'ZELLIJ_SESSION_NAME',
  'SSH_TTY',
  'SSH_CONNECTION',
  'TERM_SESSION_ID',
  'KITTY_LISTEN_ON',
  'DIRENV_DIR',
];

const OWN = [
  'PATH',
  'HOME',
  'LANG',
  'TERM',
  'DISPLAY',
  'SSH_AUTH_SOCK',
  'HTTPS_PROXY',
  'XDG_CONFIG_HOME',
  'ANTHROPIC_API_KEY',
  'CLAUDE_CODE_OAUTH_TOKEN',
  'npm_config_registry',
  'CARREL_STATE_DIR',
  'CARREL_COMMAND_ID',
  'CARREL_PARENT',
];

test("variables about the caller's directory are dropped, the user's stay, and PWD is the directory", () => {
  const caller = { PWD: '/home/me/checkout', ...withAll([...PLACES, ...SCREEN, ...OWN]) };
  expect(withoutCallersPlace(caller, { directory: '/w' })).toEqual({ ...withAll(OWN), PWD: '/w' });
});

test("interactive use keeps the caller's terminal and editor variables, and nothing else", () => {
  const caller = withAll([...PLACES, ...SCREEN, ...OWN]);
  expect(withoutCallersPlace(caller, { directory: '/w', isForPerson: true })).toEqual({
    ...withAll([...SCREEN, ...OWN]),
    PWD: '/w',
  });
});

test("the user's own setting is not mistaken for one of the caller's directory", () => {
  const own = { MAKEFLAGS: '-j8', GIT_ASKPASS: '/usr/bin/ksshaskpass' };
  expect(withoutCallersPlace(own, { directory: '/w' })).toEqual({ ...own, PWD: '/w' });
});

test('a path in the checkout becomes the same path in the workspace, if it exists', () => {
  const [checkout, directory] = [tempDir(), tempDir()];
  mkdirSync(join(directory, 'src'));
  mkdirSync(join(directory, 'node_modules/.bin'), { recursive: true });
  const caller = {
    HOME: '/home/me',
    PATH: [`${checkout}/node_modules/.bin`, `${checkout}/tools`, '/usr/bin'].join(delimiter),
    PYTHONPATH: [`${checkout}/src`, '/opt/lib'].join(delimiter),
    PROJECT_ROOT: checkout,
    DATA: `${checkout}/data`,
    NEIGHBOUR: `${checkout}-2/src`,
    VIRTUAL_ENV: `${checkout}/.venv`,
    CARREL_STATE_DIR: `${checkout}/src`,
  };
  expect(withoutCallersPlace(caller, { directory, checkout })).toEqual({
    HOME: '/home/me',
    PATH: [
      `${directory}/node_modules/.bin`,
      `${checkout}/node_modules/.bin`,
      `${checkout}/tools`,
      '/usr/bin',
    ].join(delimiter),
    PYTHONPATH: [`${directory}/src`, '/opt/lib'].join(delimiter),
    PROJECT_ROOT: directory,
    DATA: `${checkout}/data`,
    NEIGHBOUR: `${checkout}-2/src`,
    CARREL_STATE_DIR: `${checkout}/src`,
    PWD: directory,
  });
});

test('paths stay as they are when the home directory is in the checkout', () => {
  const [checkout, directory] = [tempDir(), tempDir()];
  const caller = { HOME: checkout, TOOLS: checkout };
  expect(withoutCallersPlace(caller, { directory, checkout })).toEqual({ ...caller, PWD: directory });
});
