import type { AutorunFile } from './autorun-file.js';

interface Rule {
  /** Matched against the whole path in lower case, with a leading `/`. */
  readonly pattern: RegExp;
  readonly runs: string;
  /** Its usual path, for files that git ignores and no diff shows. */
  readonly places: readonly string[];
}

const named = (names: string): RegExp => new RegExp(`/(${names})$`);
const below = (names: string): RegExp => new RegExp(`/(${names})/`);

/**
 * Files that run something automatically: in an editor that opens the directory, a shell that enters it, an agent that
 * reads its settings, git at the next commit, a server after the next push. An agent that adds or changes one gets its
 * code run by a user who only wants to review, so they are listed wherever its work is shown.
 *
 * The table lists what runs without a command that names it. Left out on purpose: package.json, build scripts and tests,
 * which run only on a command, like all code of the repository; AGENTS.md and CLAUDE.md, which are text; `.carrel/`,
 * whose commands need `carrel trust`.
 */
const RULES: readonly Rule[] = [
  {
    pattern: /\/\.vscode\/|\.code-workspace$/,
    runs: 'VS Code and its forks run its tasks and the programs in its settings when the folder is opened',
    places: ['.vscode/tasks.json', '.vscode/settings.json', '.vscode/launch.json', '.vscode/mcp.json'],
  },
  {
    pattern: below(String.raw`\.idea|\.fleet|\.run`),
    runs: 'JetBrains IDEs run its startup tasks and file watchers when the project is opened',
    places: ['.idea/workspace.xml', '.idea/watcherTasks.xml', '.idea/startup.xml'],
  },
  {
    pattern: below(String.raw`\.zed`),
    runs: 'Zed starts the language servers and tasks that it names',
    places: ['.zed/settings.json', '.zed/tasks.json'],
  },
  {
    pattern: named(
      String.raw`\.exrc|\.nvimrc|\.nvim\.lua|\.vimrc|\.dir-locals(-2)?\.el|\.gdbinit|\.lldbinit`,
    ),
    runs: 'vim, Emacs, gdb or lldb execute it when they start in the directory',
    places: ['.exrc', '.nvim.lua', '.dir-locals.el', '.gdbinit', '.lldbinit'],
  },
  {
    pattern: named(String.raw`\.envrc`),
    runs: 'direnv executes it when a shell enters the directory',
    places: ['.envrc'],
  },
  {
    pattern: /\/\.?mise(\.[\w.-]+)?\.toml$|\/\.?mise\/|\/\.rtx\.toml$|\/\.tool-versions$/,
    runs: 'mise and asdf take programs, variables and hooks from it when a shell enters the directory',
    places: ['mise.toml', '.mise.toml', 'mise.local.toml', '.tool-versions'],
  },
  {
    pattern: /\/\.devcontainer(\/|\.json$)|\/\.gitpod\.yml$/,
    runs: 'editors build the container and run its commands, including those on the host',
    places: ['.devcontainer/devcontainer.json', '.devcontainer.json'],
  },
  {
    pattern: named(String.raw`\.mcp\.json|mcp\.json`),
    runs: 'coding agents start the servers that it names',
    places: ['.mcp.json'],
  },
  {
    pattern: below(
      String.raw`\.claude|\.cursor|\.codex|\.gemini|\.qwen|\.opencode|\.windsurf|\.continue|\.kiro|\.amp`,
    ),
    runs: 'coding agents run the hooks, commands and servers that it names',
    places: [
      '.claude/settings.json',
      '.claude/settings.local.json',
      '.cursor/mcp.json',
      '.cursor/hooks.json',
      '.codex/config.toml',
      '.gemini/settings.json',
      '.qwen/settings.json',
    ],
  },
  {
    pattern: named(String.raw`opencode\.jsonc?|\.aider\.conf\.yml`),
    runs: 'coding agents run the commands and servers that it names',
    places: ['opencode.json', '.aider.conf.yml'],
  },
  {
    pattern: /\/(\.husky|\.githooks|\.lefthook|\.hooks)\/|\/\.?lefthook(-local)?\.(ya?ml|toml|json)$/,
    runs: 'git hooks run it at your next commit, checkout or push',
    places: ['.husky/pre-commit', '.husky/_/pre-commit', 'lefthook-local.yml'],
  },
  {
    pattern: named(String.raw`\.pre-commit-config\.yaml`),
    runs: 'pre-commit runs the programs that it names at your next commit',
    places: [],
  },
  {
    pattern: named(String.raw`\.gitattributes`),
    runs: 'git applies the filters, diff and merge programs of your git configuration to the files that it names',
    places: [],
  },
  {
    pattern: named(String.raw`\.gitmodules`),
    runs: 'git fetches from the addresses that it names when submodules are updated',
    places: [],
  },
  {
    pattern: named('gnumakefile|makefile'),
    runs: 'the completion of make in bash evaluates it',
    places: [],
  },
  {
    pattern: named(String.raw`\.npmrc|\.yarnrc|\.yarnrc\.yml|\.pnpmfile\.[cm]?js|bunfig\.toml`),
    runs: 'npm, yarn, pnpm or bun load the programs, scripts and registries that it names at every call',
    places: ['.npmrc', '.yarnrc.yml', '.pnpmfile.cjs'],
  },
  {
    pattern:
      /\/(\.eslintrc\.[cm]?js|eslint\.config\.[cm]?[jt]s|\.prettierrc\.[cm]?[jt]s|prettier\.config\.[cm]?[jt]s)$/,
    runs: 'the linter of an editor executes it when a file is opened',
    places: [],
  },
  {
    pattern: /\/\.cargo\/config(\.toml)?$|\/build\.rs$|\/rust-toolchain(\.toml)?$/,
    runs: 'rust-analyzer builds with it when the folder is opened',
    places: ['.cargo/config.toml'],
  },
  {
    pattern:
      /\/\.(github|gitea|forgejo)\/(workflows|actions)\/|\/(\.gitlab-ci\.yml|\.circleci\/config\.yml|\.travis\.yml|azure-pipelines\.yml|jenkinsfile)$/,
    runs: 'CI runs it with the secrets of the repository after the next push',
    places: [],
  },
];

/** The paths that run automatically, in the given order. Case is ignored, as on some file systems. */
export function findAutorunFiles(paths: readonly string[]): AutorunFile[] {
  return paths.flatMap(path => {
    const rule = RULES.find(({ pattern }) => pattern.test(`/${path.toLowerCase()}`));
    return rule ? [{ path, runs: rule.runs }] : [];
  });
}

/** The usual paths of autorun files that git often ignores. */
export const AUTORUN_PLACES: readonly string[] = RULES.flatMap(({ places }) => places);

/** For people: `.envrc: direnv executes it, ...` */
export const describeAutorunFile = ({ path, runs }: AutorunFile): string => `${path}: ${runs}`;
