import { readdir } from 'node:fs/promises';
import { join } from 'node:path';
import { createHostFiles } from '../tools/host/host-files.js';
import { isProblem } from '../tools/tool-access.js';

/** What a command checks. */
export type CommandPurpose = 'compiles' | 'tests_pass';

/** The usual command to build or test a project, from the files in its root; undefined when unknown. */
export async function detectCommand(root: string, purpose: CommandPurpose): Promise<string | undefined> {
  // A missing or unreadable worktree gives nothing: earlier commands may have removed it.
  const names = new Set(await readdir(root).catch(() => []));
  const project: Project = { names, read: name => readText(root, name) };
  for (const detect of DETECTORS) {
    const command = (await detect(project))?.[purpose];
    if (command !== undefined) return command;
  }
  return undefined;
}

interface Project {
  readonly names: ReadonlySet<string>;
  /** Empty when it is not a readable file in the project; links that lead outside are not followed. */
  read(name: string): Promise<string>;
}

type Commands = { readonly [Purpose in CommandPurpose]?: string | undefined };
type Detector = (project: Project) => Commands | undefined | Promise<Commands | undefined>;

const MOST_BYTES = 1024 ** 2;

async function readText(root: string, name: string): Promise<string> {
  const content = await createHostFiles(root).read(join(root, name), MOST_BYTES);
  return isProblem(content) ? '' : content.toString('utf8');
}

const TYPE_CHECK = 'npx --no-install tsc --noEmit';

const detectNode: Detector = async project => {
  const { scripts, packageManager } = parsePackage(await project.read('package.json'));
  const manager = findManager(project, packageManager);
  const build = ['build', 'typecheck', 'compile'].find(name => Object.hasOwn(scripts, name));
  const hasTypes = project.names.has('tsconfig.json');
  return {
    compiles: build ? `${manager} run ${build}` : hasTypes ? TYPE_CHECK : undefined,
    tests_pass: Object.hasOwn(scripts, 'test') ? `${manager} test` : undefined,
  };
};

function parsePackage(text: string): { readonly scripts: object; readonly packageManager: string } {
  try {
    const { scripts, packageManager } = JSON.parse(text) as Record<string, unknown>;
    return {
      scripts: typeof scripts === 'object' && scripts !== null ? scripts : {},
      packageManager: typeof packageManager === 'string' ? packageManager : '',
    };
  } catch {
    return { scripts: {}, packageManager: '' };
  }
}

function findManager({ names }: Project, packageManager: string): string {
  const named = /^(npm|pnpm|yarn)@/.exec(packageManager)?.[1];
  if (named) return named;
  if (names.has('pnpm-lock.yaml')) return 'pnpm';
  return names.has('yarn.lock') ? 'yarn' : 'npm';
}

const byFile =
  (files: RegExp, commands: (project: Project) => Commands): Detector =>
  project =>
    [...project.names].some(name => files.test(name)) ? commands(project) : undefined;

/** The project's own wrapper wins over the installed program. */
const wrapped = ({ names }: Project, wrapper: string, program: string): string =>
  names.has(wrapper) ? `./${wrapper}` : program;

const detectMake: Detector = async project => {
  const name = ['GNUmakefile', 'makefile', 'Makefile'].find(each => project.names.has(each));
  if (name === undefined) return undefined;
  const text = await project.read(name);
  const has = (target: string) => new RegExp(`^${target}[ \\t]*:(?!=)`, 'm').test(text);
  const test = ['test', 'check'].find(has);
  return { compiles: has('build') ? 'make build' : 'make', tests_pass: test && `make ${test}` };
};

const detectPython: Detector = async project => {
  const { names } = project;
  const isConfigured =
    names.has('pytest.ini') || (await project.read('pyproject.toml')).includes('[tool.pytest');
  const isPython = ['pyproject.toml', 'setup.py', 'setup.cfg', 'requirements.txt'].some(name =>
    names.has(name),
  );
  const hasTests = names.has('tests') || [...names].some(name => /^test_.*\.py$/.test(name));
  return isConfigured || (isPython && hasTests) ? { tests_pass: 'python3 -m pytest' } : undefined;
};

const DETECTORS: readonly Detector[] = [
  detectNode,
  byFile(/^Cargo\.toml$/, () => ({ compiles: 'cargo build --all-targets', tests_pass: 'cargo test' })),
  byFile(/^go\.mod$/, () => ({ compiles: 'go build ./...', tests_pass: 'go test ./...' })),
  byFile(/\.(slnx?|csproj|fsproj)$/, () => ({ compiles: 'dotnet build', tests_pass: 'dotnet test' })),
  byFile(/^pom\.xml$/, project => {
    const maven = wrapped(project, 'mvnw', 'mvn');
    return { compiles: `${maven} -q -B compile`, tests_pass: `${maven} -q -B test` };
  }),
  byFile(/^(build|settings)\.gradle(\.kts)?$/, project => {
    const gradle = wrapped(project, 'gradlew', 'gradle');
    return { compiles: `${gradle} assemble`, tests_pass: `${gradle} test` };
  }),
  detectMake,
  detectPython,
];
