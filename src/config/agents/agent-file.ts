import { basename } from 'node:path';
import { AgentNameSchema, AgentSchema } from '../../domain/agent/agent.js';
import { carrelError } from '../../domain/error/error.js';
import type { DefinitionFile } from '../files/definition-files.js';
import { findValue } from '../files/merge-values.js';
import { parseYaml, type YamlFile } from '../files/parse-yaml.js';
import { type ConfigText, readConfigText } from '../files/read-config-text.js';
import { requireValid } from '../files/validate-yaml.js';
import { userOnlyKeys } from '../precedence/user-only-settings.js';
import type { AgentSettings } from './built-in-agents.js';

/**
 * Reads an agent from its file: front matter with the keys of an agent, followed by its instructions. Without front
 * matter the whole file is instructions. Mistakes are reported as for the configuration; links that lead outside the
 * repository are refused.
 */
export async function loadAgentFile(
  file: DefinitionFile,
  repositoryRoot: string,
  userFile: string | null,
): Promise<AgentSettings> {
  requireName(file);
  const text = await readConfigText(file.file, repositoryRoot);
  if (!text) throw carrelError('CONFIG_UNREADABLE', { file: file.file, problem: 'there is no such file' });
  const { matter, body } = splitFrontMatter(text);
  const settings = matter === undefined ? {} : parseMatter({ file: file.file, text: matter }, userFile);
  const instructions = [settings.instructions, body].map(part => part?.trim()).filter(part => part);
  return { ...settings, ...(instructions.length > 0 && { instructions: instructions.join('\n\n') }) };
}

function requireName({ file, name }: DefinitionFile): void {
  const problem = AgentNameSchema.safeParse(name).error?.issues[0];
  if (!problem) return;
  throw carrelError('CONFIG_INVALID', {
    file,
    line: 1,
    column: 1,
    key: "the file's name",
    found: JSON.stringify(basename(file)),
    expected: problem.message,
    schema: 'agent',
  });
}

interface Parts {
  /** Undefined when the file has none. */
  readonly matter: string | undefined;
  readonly body: string;
}

const FENCE = /^---[ \t]*$/;

function splitFrontMatter({ file, text }: ConfigText): Parts {
  const lines = text.split(/\r?\n/);
  if (!FENCE.test(lines[0] ?? '')) return { matter: undefined, body: text };
  const end = lines.findIndex((line, index) => index > 0 && FENCE.test(line));
  if (end < 0) {
    const problem = 'the front matter that starts here has no end; expected a line of --- below it';
    throw carrelError('CONFIG_SYNTAX', { file, line: 1, column: 1, problem });
  }
  // An empty line replaces the fence, so that line numbers match the file.
  return { matter: ['', ...lines.slice(1, end)].join('\n'), body: lines.slice(end + 1).join('\n') };
}

function parseMatter(text: ConfigText, userFile: string | null): AgentSettings {
  const source = parseYaml(text);
  refuseUsersKeys(source, userFile);
  return requireValid(AgentSchema, source) as AgentSettings;
}

const PREFIX = 'agents.*.';

/** Keys that a repository may not set under `agents:` are refused here too. */
function refuseUsersKeys(source: YamlFile, userFile: string | null): void {
  for (const pattern of userOnlyKeys.filter(key => key.startsWith(PREFIX))) {
    const key = pattern.slice(PREFIX.length);
    if (findValue(source.value, [key]) === undefined) continue;
    throw carrelError('CONFIG_USER_ONLY', {
      file: source.file,
      ...source.keyPositionOf([key]),
      key,
      userFile: userFile ?? "the user's own configuration file",
    });
  }
}
