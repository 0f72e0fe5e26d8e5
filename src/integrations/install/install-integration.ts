import { join } from 'node:path';
import { carrelError } from '../../domain/error/error.js';
import type { ConfigFileReport, InstallReport } from '../../domain/report/install-report.js';
import type { ConfigFile, Edit } from './config-file.js';
import { editJson } from './edit-json.js';
import { editToml, formatTable } from './edit-toml.js';
import {
  type InstallableAgent,
  type InstallableName,
  type InstallPlaces,
  type InstallScope,
  installableAgents,
} from './installable-agents.js';
import { type ConfigText, readConfig, writeConfig } from './write-config.js';

export interface InstallInput extends InstallPlaces {
  readonly agent: InstallableName;
  readonly scope: InstallScope;
  readonly action: 'show' | 'add' | 'remove';
  /** Leaves the hooks out. */
  readonly withHooks: boolean;
  readonly stateDir: string;
}

/** Adds Carrel to an agent's configuration, removes it again, or shows what would be written. */
export async function install(input: InstallInput): Promise<InstallReport> {
  const { agent: name, scope, action } = input;
  const agent: InstallableAgent = installableAgents[name];
  const wanted = agent.files[scope](input).map(file => withoutHooks(file, input));
  const files = wanted.filter(({ parts }) => parts.length > 0);
  const notes: string[] = [];
  // All files are checked before the first is written: if one can't be edited, none is changed.
  const plans = action === 'show' ? files.map(showFile) : await planEdits(files, input, notes);
  const reports: ConfigFileReport[] = [];
  for (const applyEdit of plans) reports.push(await applyEdit());
  const commands = action === 'remove' ? [] : [...(agent.commands?.[scope] ?? [])];
  return { agent: name, scope, files: reports, commands, notes };
}

const withoutHooks = (file: ConfigFile, { withHooks, action }: InstallInput): ConfigFile =>
  withHooks || action === 'remove'
    ? file
    : { ...file, parts: file.parts.filter(({ kind }) => kind !== 'hook') };

type ApplyEdit = () => Promise<ConfigFileReport>;

const showFile =
  (file: ConfigFile): ApplyEdit =>
  async () => ({ file: file.file, status: 'shown', content: contentOf(file), backup: null });

async function planEdits(
  files: readonly ConfigFile[],
  input: InstallInput,
  notes: string[],
): Promise<ApplyEdit[]> {
  const plans: ApplyEdit[] = [];
  for (const file of files) {
    const found = await readConfig(file.file, input.scope === 'project' ? input.project : undefined);
    const edit = editFile(file, found, input);
    if (edit.kind === 'impossible')
      throw carrelError('INSTALL_REFUSED', { file: file.file, problem: edit.problem });
    if (found.isReadOnly && edit.text !== found.text)
      throw carrelError('INSTALL_REFUSED', { file: file.file, problem: 'it is read-only' });
    notes.push(...edit.notes.map(note => `${file.file}: ${note}`));
    plans.push(() => writeEdit(file, found, edit.text, input));
  }
  return plans;
}

function editFile(file: ConfigFile, { text = '' }: ConfigText, { action }: InstallInput): Edit {
  const change = action === 'remove' ? 'remove' : 'add';
  return file.format === 'json' ? editJson(text, file, change) : editToml(text, file, change);
}

async function writeEdit(
  file: ConfigFile,
  found: ConfigText,
  after: string,
  { action, stateDir }: InstallInput,
): Promise<ConfigFileReport> {
  const report = { file: file.file, content: contentOf(file) };
  if (after === (found.text ?? '')) return { ...report, status: 'unchanged', backup: null };
  // The target of a link existed before Carrel.
  const isEmpty = action === 'remove' && !found.isLink && ['', '{}'].includes(after.trim());
  const backup = await writeConfig(found, isEmpty ? undefined : after, join(stateDir, 'install-backups'));
  return { ...report, status: action === 'remove' ? 'removed' : 'written', backup };
}

/** The content of the file if there were nothing else in it. */
function contentOf(file: ConfigFile): string {
  const [part] = file.parts;
  if (file.format === 'toml' && part?.kind === 'entry') return formatTable(part);
  const edit = editJson('', file, 'add');
  return edit.kind === 'edited' ? edit.text : '';
}
