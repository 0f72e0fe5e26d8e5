import { readFile, stat } from 'node:fs/promises';
import { join } from 'node:path';

/** How to install exactly the dependencies in a lockfile. */
export interface InstallCommand {
  readonly ecosystem: 'node' | 'python' | 'rust' | 'go';
  /** The file that was detected. */
  readonly lockfile: string;
  /** Run one after the other; the first word is the program. */
  readonly commands: readonly (readonly [string, ...string[]])[];
  /** A directory that the commands create and that git must not treat as work. */
  readonly makes?: string;
}

/** What to install in a directory, at most one command set per ecosystem, always in the same order. */
export async function detectInstall(directory: string): Promise<InstallCommand[]> {
  const found = [
    await detectNode(directory),
    await detectPython(directory),
    await detectFirst(directory, [
      ['Cargo.lock', { ecosystem: 'rust', commands: [['cargo', 'fetch', '--locked']] }],
    ]),
    await detectFirst(directory, [['go.sum', { ecosystem: 'go', commands: [['go', 'mod', 'download']] }]]),
  ];
  return found.filter(command => command !== undefined);
}

type Rule = readonly [lockfile: string, command: Omit<InstallCommand, 'lockfile'>];

const NODE_RULES: Record<string, readonly Rule[]> = {
  npm: ['package-lock.json', 'npm-shrinkwrap.json'].map(lockfile => nodeRule(lockfile, ['npm', 'ci'])),
  pnpm: [nodeRule('pnpm-lock.yaml', ['pnpm', 'install', '--frozen-lockfile'])],
  yarn: [nodeRule('yarn.lock', ['yarn', 'install', '--frozen-lockfile'])],
  bun: ['bun.lock', 'bun.lockb'].map(lockfile => nodeRule(lockfile, ['bun', 'install', '--frozen-lockfile'])),
};

const PYTHON_RULES: readonly Rule[] = [
  ['uv.lock', { ecosystem: 'python', commands: [['uv', 'sync', '--frozen']] }],
  ['poetry.lock', { ecosystem: 'python', commands: [['poetry', 'install', '--no-interaction']] }],
  [
    'requirements.txt',
    {
      ecosystem: 'python',
      commands: [
        ['python3', '-m', 'venv', '.venv'],
        ['.venv/bin/python', '-m', 'pip', 'install', '-r', 'requirements.txt'],
      ],
      makes: '.venv',
    },
  ],
];

const detectPython = (directory: string) => detectFirst(directory, PYTHON_RULES);

function nodeRule(lockfile: string, command: readonly [string, ...string[]]): Rule {
  return [lockfile, { ecosystem: 'node', commands: [command] }];
}

/** The manager that package.json names comes first, for repositories with several lockfiles. */
async function detectNode(directory: string): Promise<InstallCommand | undefined> {
  const [manager = '', version = ''] = (await readPackageManager(directory)).split('@');
  const preferred = Object.hasOwn(NODE_RULES, manager) ? (NODE_RULES[manager] ?? []) : [];
  const found = await detectFirst(directory, [...preferred, ...Object.values(NODE_RULES).flat()]);
  if (found?.lockfile !== 'yarn.lock') return found;
  const isModern =
    manager === 'yarn' ? !/^[01]\./.test(version) : await isFile(join(directory, '.yarnrc.yml'));
  return isModern ? { ...found, commands: [['yarn', 'install', '--immutable']] } : found;
}

/** `pnpm@9.1.0+sha512...`; empty when package.json names none or can't be read. */
async function readPackageManager(directory: string): Promise<string> {
  try {
    const { packageManager } = JSON.parse(await readFile(join(directory, 'package.json'), 'utf8'));
    return typeof packageManager === 'string' ? packageManager : '';
  } catch {
    return '';
  }
}

async function detectFirst(directory: string, rules: readonly Rule[]): Promise<InstallCommand | undefined> {
  for (const [lockfile, command] of rules) {
    if (await isFile(join(directory, lockfile))) return { ...command, lockfile };
  }
  return undefined;
}

async function isFile(path: string): Promise<boolean> {
  return (await stat(path).catch(() => undefined))?.isFile() ?? false;
}
