import { join } from 'node:path';
import type { ConfigFile, ConfigPart, ConfigValue } from './config-file.js';

export type InstallScope = 'project' | 'user';

export interface InstallPlaces {
  /** The root of the repository. */
  readonly project: string;
  readonly home: string;
  readonly environment: Readonly<Record<string, string>>;
}

/** An agent that Carrel can be installed in. */
export interface InstallableAgent {
  readonly title: string;
  /** The entries and their files, by scope. */
  readonly files: Readonly<Record<InstallScope, (places: InstallPlaces) => readonly ConfigFile[]>>;
  /** For settings that are not in a file. */
  readonly commands?: Readonly<Partial<Record<InstallScope, readonly string[]>>>;
}

const MCP = { command: 'carrel', args: ['mcp'] } as const;

const entry = (table: string, value: ConfigValue): ConfigPart => ({
  kind: 'entry',
  path: [table, 'carrel'],
  value,
});

const json = (file: string, ...parts: ConfigPart[]): ConfigFile => ({ file, format: 'json', parts });

const CLAUDE_HOOKS: readonly ConfigPart[] = [
  { kind: 'hook', event: 'WorktreeCreate', command: 'carrel hook worktree-create' },
  { kind: 'hook', event: 'WorktreeRemove', command: 'carrel hook worktree-remove' },
];

const claudeDirectory = ({ environment, home }: InstallPlaces): string =>
  environment.CLAUDE_CONFIG_DIR || join(home, '.claude');

/** Claude Code keeps it in the home directory, or in its configured directory. */
const claudeState = ({ environment, home }: InstallPlaces): string =>
  join(environment.CLAUDE_CONFIG_DIR || home, '.claude.json');

const codexDirectory = ({ environment, home }: InstallPlaces): string =>
  environment.CODEX_HOME || join(home, '.codex');

const configDirectory = ({ environment, home }: InstallPlaces): string =>
  environment.XDG_CONFIG_HOME || join(home, '.config');

const codexFile = (directory: string): ConfigFile => ({
  file: join(directory, 'config.toml'),
  format: 'toml',
  parts: [entry('mcp_servers', MCP)],
});

const OPENCODE = entry('mcp', { type: 'local', command: ['carrel', 'mcp'], enabled: true });
const COPILOT = entry('mcpServers', { type: 'local', ...MCP, tools: ['*'] });
/** Editors start it in any directory, and replace this with the open folder. */
// biome-ignore lint/suspicious/noTemplateCurlyInString: the editor fills it in
const IN_FOLDER = { command: 'carrel', args: ['mcp', '-R', '${workspaceFolder}'] } as const;
const CURSOR = entry('mcpServers', IN_FOLDER);
const VSCODE = { type: 'stdio', ...IN_FOLDER } as const;
const CLAUDE = entry('mcpServers', { type: 'stdio', ...MCP });
const USUAL = entry('mcpServers', MCP);

export const installableAgents = {
  claude: {
    title: 'Claude Code: MCP server and hooks for its worktrees',
    files: {
      project: ({ project }) => [
        json(join(project, '.mcp.json'), CLAUDE),
        json(join(project, '.claude', 'settings.json'), ...CLAUDE_HOOKS),
      ],
      user: places => [
        json(claudeState(places), CLAUDE),
        json(join(claudeDirectory(places), 'settings.json'), ...CLAUDE_HOOKS),
      ],
    },
  },
  codex: {
    title: 'Codex: MCP server',
    files: {
      project: ({ project }) => [codexFile(join(project, '.codex'))],
      user: places => [codexFile(codexDirectory(places))],
    },
  },
  gemini: {
    title: 'Gemini CLI: MCP server',
    files: {
      project: ({ project }) => [json(join(project, '.gemini', 'settings.json'), USUAL)],
      user: ({ home }) => [json(join(home, '.gemini', 'settings.json'), USUAL)],
    },
  },
  opencode: {
    title: 'opencode: MCP server',
    files: {
      project: ({ project }) => [json(join(project, 'opencode.json'), OPENCODE)],
      user: places => [json(join(configDirectory(places), 'opencode', 'opencode.json'), OPENCODE)],
    },
  },
  cursor: {
    title: 'Cursor: MCP server',
    files: {
      project: ({ project }) => [json(join(project, '.cursor', 'mcp.json'), CURSOR)],
      user: ({ home }) => [json(join(home, '.cursor', 'mcp.json'), CURSOR)],
    },
  },
  copilot: {
    title: 'GitHub Copilot CLI: MCP server',
    files: {
      project: ({ project }) => [json(join(project, '.github', 'mcp.json'), COPILOT)],
      user: ({ home }) => [json(join(home, '.copilot', 'mcp-config.json'), COPILOT)],
    },
  },
  vscode: {
    title: 'Visual Studio Code: MCP server',
    files: {
      project: ({ project }) => [json(join(project, '.vscode', 'mcp.json'), entry('servers', VSCODE))],
      // The path of the user's file depends on the profile.
      user: () => [],
    },
    commands: { user: [`code --add-mcp '${JSON.stringify({ name: 'carrel', ...VSCODE })}'`] },
  },
} as const satisfies Readonly<Record<string, InstallableAgent>>;

export type InstallableName = keyof typeof installableAgents;

export const installableNames = Object.keys(installableAgents) as InstallableName[];
