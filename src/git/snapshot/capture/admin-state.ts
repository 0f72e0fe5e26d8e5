import { existsSync } from 'node:fs';
import { toBytePath } from '../../byte-path.js';
import { walkWorkTree } from '../../files/walk.js';
import type { Git } from '../../git.js';
import { untouchedCopyOf } from '../../index/scratch-index.js';
import { readObjectInfos } from '../../objects/read-objects.js';
import type { TreeFile } from '../../objects/write-objects.js';
import { inspectUnusedModules } from '../../work-tree/submodule-state.js';
import type { WorkTreeSurvey } from '../../work-tree/survey.js';
import type { WorkTreePlace } from '../../work-tree-place.js';
import { listAdminFiles } from '../admin-files.js';
import { inFolder, type RawFile, toRawFiles } from '../raw-files.js';
import { FOLDERS } from '../snapshot-meta.js';

export interface AdminState {
  /** State files; the index is the one that the survey read. */
  readonly files: readonly RawFile[];
  /** Git directories of submodules that are no longer checked out and hold their own commits. */
  readonly modules: readonly RawFile[];
  /** Blobs that only the index refers to. */
  readonly blobs: readonly TreeFile[];
}

export async function listAdminState(
  git: Git,
  place: WorkTreePlace,
  survey: WorkTreeSurvey,
): Promise<AdminState> {
  const files = await listAdminFiles(place);
  return {
    files: files.flatMap(file => (file.path === 'index' ? withUntouchedIndex(file, survey) : [file])),
    modules: await listModules(git, place, survey),
    blobs: await listIndexBlobs(git, place, survey),
  };
}

/** Undefined when there was no index at the time of the survey. */
function withUntouchedIndex(file: RawFile, survey: WorkTreeSurvey): RawFile[] {
  const copy = untouchedCopyOf(survey.index.indexFile);
  return existsSync(copy) ? [{ ...file, source: toBytePath(copy) }] : [];
}

async function listModules(git: Git, place: WorkTreePlace, survey: WorkTreeSurvey): Promise<RawFile[]> {
  const modules = await inspectUnusedModules(git, place, survey.found.populatedSubmodules);
  const lists = await Promise.all(
    modules.map(({ path }) => walkWorkTree(place.gitDir, null, `modules/${path}`)),
  );
  return lists.flatMap(found => toRawFiles(place.gitDir, found));
}

/** The sides of conflicts, also of resolved ones that git remembers. */
async function listIndexBlobs(git: Git, place: WorkTreePlace, survey: WorkTreeSurvey): Promise<TreeFile[]> {
  const conflicts = survey.entries
    .filter(entry => entry.stage > 0)
    .flatMap(entry => inFolder(`${FOLDERS.conflicts}/${entry.stage}`, [entry]));
  const resolved = (await git.records(['ls-files', '--resolve-undo', '-z'], survey.index)).flatMap(
    parseResolved,
  );
  const files = [...conflicts, ...resolved];
  const infos = await readObjectInfos(
    git,
    place.commonDir,
    files.map(file => file.id),
  );
  return files.filter((_, at) => infos[at] !== undefined).map(({ path, mode, id }) => ({ path, mode, id }));
}

/** `100644 <id> 2<TAB>path` */
function parseResolved(record: string): TreeFile[] {
  const tab = record.indexOf('\t');
  const [mode = '', id = '', stage = ''] = record.slice(0, tab).split(' ');
  return inFolder(`${FOLDERS.resolved}/${stage}`, [{ path: record.slice(tab + 1), mode, id }]);
}
