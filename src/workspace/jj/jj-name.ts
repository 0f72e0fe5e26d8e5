import type { WorkspaceRecord } from '../../domain/workspace/workspace.js';
import { listRefs, updateRefs } from '../../git/refs/refs.js';
import { holdsWorkspace, listRoots } from '../../jj/jj-workspaces.js';
import { hasRepository, type JjBackendOptions, namePins, requireCommonDir } from './jj-place.js';

/**
 * The name for a new workspace in jj, which `jj log` shows: that of the Carrel workspace, with a suffix where the user has
 * one of that name. Renaming the Carrel workspace does not change it.
 */
export async function chooseJjName({ jj }: JjBackendOptions, record: WorkspaceRecord): Promise<string> {
  const taken = new Set((await listRoots(jj, record.repository)).keys());
  const suffixed = `${record.name}-${record.id.slice(-4)}`;
  return [record.name, suffixed].find(name => !taken.has(name)) ?? record.id;
}

/** The name that was chosen; those that an earlier version made have their id. */
export async function readJjName({ git }: JjBackendOptions, record: WorkspaceRecord): Promise<string> {
  const prefix = namePins(record);
  const [pin] = await listRefs(git, { gitDir: requireCommonDir(record) }, [prefix]);
  return pin ? pin.ref.slice(prefix.length + 1) : record.id;
}

/** The name for a workspace that jj has forgotten: the former one, or another when the user has taken that. */
export async function renewJjName(options: JjBackendOptions, record: WorkspaceRecord): Promise<string> {
  const former = await readJjName(options, record);
  if (!(await listRoots(options.jj, record.repository)).has(former)) return former;
  const name = await chooseJjName(options, record);
  const place = { gitDir: requireCommonDir(record) };
  const pins = await listRefs(options.git, place, [namePins(record)]);
  const { commit } = record.base;
  await updateRefs(options.git, place, [
    ...pins.map(pin => ({ ref: pin.ref, from: pin.commit, to: null })),
    { ref: `${namePins(record)}/${name}`, from: null, to: commit },
  ]);
  return name;
}

/**
 * The name under which jj knows the workspace; undefined when jj does not. After `jj workspace forget` the user may have
 * given the name to another workspace, whose directory shows that.
 */
export async function findJjName(
  options: JjBackendOptions,
  record: WorkspaceRecord,
): Promise<string | undefined> {
  if (!(await hasRepository(record))) return undefined;
  const name = await readJjName(options, record);
  const root = (await listRoots(options.jj, record.repository)).get(name);
  if (root === undefined) return undefined;
  const isAnother = root !== record.path && (await holdsWorkspace(root, name));
  return isAnother ? undefined : name;
}
