import { lstatSync, readdirSync, statSync } from 'node:fs';
import { copyFile, mkdir, readFile, symlink, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { ignoreMissing } from '../../domain/error/error.js';
import type { Variables } from '../../exec/command-environment.js';
import { copyOrLink } from './copy-or-link-home.js';

/**
 * A home directory for one attempt: the user's, without agent memory. Agents keep sessions and memory in the
 * home directory keyed by the path they worked in, and later attempts use the same paths, so they would read what
 * earlier ones found out. So toolchains and credentials of the user's home are linked, because they are needed; the
 * directories of known agents are new, with only the user's settings and logins; and directories that may belong to
 * another agent are copied for the attempt (see copy-or-link-home.ts).
 *
 * Returns the variables that point to it.
 */
export async function makeAttemptHome(caller: Variables, home: string): Promise<Record<string, string>> {
  await mkdir(home, { recursive: true, mode: 0o700 });
  const user = caller.HOME;
  if (user !== undefined) await linkEntries(user, home, OPENED);
  const variables: Record<string, string> = { HOME: home };
  for (const memory of MEMORIES) {
    const own = memory.variable === undefined ? undefined : caller[memory.variable];
    const from = own ? join(own, memory.below ?? '') : user && join(user, memory.path);
    if (from !== undefined) await bringSettings(from, join(home, memory.path), memory);
    if (own && memory.variable !== undefined)
      variables[memory.variable] = await moveVariable(home, own, memory);
  }
  if (caller.XDG_CONFIG_HOME)
    variables.XDG_CONFIG_HOME = await moveVariable(home, caller.XDG_CONFIG_HOME, CONFIG);
  await bringClaudeState(caller, home);
  return variables;
}

interface AgentMemory {
  /** Path in the home directory. */
  readonly path: string;
  /** Entries of the user: linked, so that a renewed login is renewed for the user. */
  readonly settings: readonly string[];
  /** Entries that both the agent and the user write: copied. */
  readonly copied?: readonly string[];
  /** Variable that names another location for it, or for the parent directory where it is `below`. */
  readonly variable?: string;
  readonly below?: string;
}

const MEMORIES: readonly AgentMemory[] = [
  {
    path: '.claude',
    variable: 'CLAUDE_CONFIG_DIR',
    settings: ['.credentials.json', 'agents', 'commands', 'hooks', 'output-styles', 'plugins', 'skills'],
    copied: ['CLAUDE.md', 'settings.json', 'settings.local.json'],
  },
  {
    path: '.codex',
    variable: 'CODEX_HOME',
    settings: ['auth.json', 'prompts', 'rules', 'skills'],
    copied: ['AGENTS.md', 'config.toml'],
  },
  {
    path: '.gemini',
    settings: [
      '.env',
      'commands',
      'extensions',
      'google_accounts.json',
      'installation_id',
      'oauth_creds.json',
    ],
    copied: ['GEMINI.md', 'settings.json'],
  },
  {
    path: '.qwen',
    settings: ['.env', 'commands', 'extensions', 'installation_id', 'oauth_creds.json'],
    copied: ['QWEN.md', 'settings.json'],
  },
  { path: '.copilot', settings: ['agents'], copied: ['config.json', 'mcp-config.json'] },
  { path: '.aider', settings: ['oauth-keys.env'] },
  {
    path: '.local/share/opencode',
    variable: 'XDG_DATA_HOME',
    below: 'opencode',
    settings: ['auth.json', 'bin', 'mcp-auth.json'],
  },
  { path: '.local/state/opencode', variable: 'XDG_STATE_HOME', below: 'opencode', settings: [] },
  { path: '.local/share/amp', variable: 'XDG_DATA_HOME', below: 'amp', settings: ['secrets.json'] },
];

/** Directories in which every program has its own subdirectory. */
const CONFIG: AgentMemory = { path: '.config/agent', below: 'agent', settings: [] };

/** Created new instead of linked, because something in them is. */
const OPENED: ReadonlySet<string> = new Set([
  '.claude.json',
  '.config',
  ...MEMORIES.flatMap(({ path }) => [path, dirname(path), dirname(dirname(path))]),
]);

async function linkEntries(from: string, to: string, opened: ReadonlySet<string>, below = ''): Promise<void> {
  for (const name of listDirectory(from)) {
    const path = join(below, name);
    if (!opened.has(path)) await copyOrLink(join(from, name), join(to, name), path);
    else if (!isMemory(path) && isDirectory(join(from, name))) {
      await mkdir(join(to, name), { mode: 0o700 });
      await linkEntries(join(from, name), join(to, name), opened, path);
    }
  }
}

const isMemory = (path: string): boolean =>
  path === '.claude.json' || MEMORIES.some(memory => memory.path === path);

/** A missing or unreadable one has no entries. */
function listDirectory(directory: string): string[] {
  try {
    return readdirSync(directory);
  } catch {
    return [];
  }
}

const isDirectory = (path: string): boolean =>
  statSync(path, { throwIfNoEntry: false })?.isDirectory() ?? false;

const isThere = (path: string): boolean => lstatSync(path, { throwIfNoEntry: false }) !== undefined;

/** A missing one is left for the agent to create. */
async function bringSettings(
  from: string,
  to: string,
  { settings, copied = [] }: AgentMemory,
): Promise<void> {
  if (!isDirectory(from)) return;
  await mkdir(to, { recursive: true, mode: 0o700 });
  for (const name of settings)
    if (isThere(join(from, name)) && !isThere(join(to, name)))
      await symlink(join(from, name), join(to, name));
  for (const name of copied) await copyFile(join(from, name), join(to, name)).catch(ignoreMissing);
}

/** The variable points to the attempt's home too; other entries of the `below` directory are linked. */
async function moveVariable(home: string, own: string, { path, below }: AgentMemory): Promise<string> {
  if (below === undefined) return join(home, path);
  const directory = join(home, dirname(path));
  await mkdir(directory, { recursive: true, mode: 0o700 });
  for (const name of listDirectory(own))
    if (!isMemory(join(dirname(path), name)) && !isThere(join(directory, name)))
      await copyOrLink(join(own, name), join(directory, name), join(dirname(path), name));
  return directory;
}

/** Claude Code keeps its account there, along with data about each directory. */
async function bringClaudeState(caller: Variables, home: string): Promise<void> {
  const { CLAUDE_CONFIG_DIR: own, HOME } = caller;
  const from = own || HOME;
  const text = from && (await readFile(join(from, '.claude.json'), 'utf8').catch(ignoreMissing));
  if (!text) return;
  const directory = own ? join(home, '.claude') : home;
  await mkdir(directory, { recursive: true, mode: 0o700 });
  await writeFile(join(directory, '.claude.json'), withoutProjects(text), { mode: 0o600 });
}

function withoutProjects(text: string): string {
  try {
    const { projects: _, ...state } = JSON.parse(text) as Record<string, unknown>;
    return JSON.stringify(state);
  } catch {
    // Claude Code starts with a new file, as it would for the user.
    return '{}';
  }
}
