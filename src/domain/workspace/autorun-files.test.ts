import { expect, it } from 'vitest';
import { AUTORUN_PLACES, findAutorunFiles } from './autorun-files.js';

const find = (...paths: string[]): string[] => findAutorunFiles(paths).map(({ path }) => path);

const AUTORUN = [
  '.vscode/tasks.json',
  'packages/a/.vscode/settings.json',
  'my.code-workspace',
  '.idea/workspace.xml',
  '.envrc',
  'sub/.envrc',
  '.mcp.json',
  '.claude/settings.json',
  '.Claude/settings.json',
  '.cursor/rules/x.mdc',
  '.husky/pre-commit',
  '.githooks/pre-push',
  'lefthook.yml',
  '.pre-commit-config.yaml',
  '.gitattributes',
  '.gitmodules',
  'Makefile',
  '.npmrc',
  '.yarnrc.yml',
  '.tool-versions',
  'mise.toml',
  '.mise.local.toml',
  '.devcontainer/devcontainer.json',
  '.devcontainer.json',
  'eslint.config.mjs',
  '.cargo/config.toml',
  'build.rs',
  '.github/workflows/ci.yml',
  '.gitlab-ci.yml',
];

it.each(AUTORUN)('knows that %s runs automatically', path => {
  expect(find(path)).toEqual([path]);
});

it('leaves out files that run only on a command', () => {
  const ordinary = [
    'package.json',
    'src/index.ts',
    'README.md',
    'AGENTS.md',
    'vscode/tasks.json',
    'docs/envrc',
  ];
  expect(find(...ordinary, 'src/claude/x.ts', 'Makefile.md', 'cmake/build.rs.txt')).toEqual([]);
});

it('lists a path for every autorun file that git may ignore', () => {
  expect(find(...AUTORUN_PLACES)).toEqual(AUTORUN_PLACES);
});
