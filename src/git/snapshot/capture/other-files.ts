import { type BytePath, displayPath } from '../../byte-path.js';
import { chooseIgnored, type IgnoredLimits, type Omitted, omitSpecial } from '../../files/ignored-files.js';
import { isPlainPath } from '../../files/tree-path.js';
import { sumFileBytes } from '../../files/walk.js';
import type { Git } from '../../git.js';
import { inspectSubmodules } from '../../work-tree/submodule-state.js';
import { occupiedDirectories, sortUnseen, type WorkTreeSurvey } from '../../work-tree/survey.js';
import { readWorkTreeState } from '../../work-tree/work-tree-state.js';
import type { WorkTreePlace } from '../../work-tree-place.js';
import { type RawFile, toRawFile } from '../raw-files.js';
import { listNestedFiles, type NestedFiles } from './nested-repositories.js';

/** What is in the work tree and can't be in the snapshot's own tree. */
export interface OtherFiles {
  readonly ignored: readonly RawFile[];
  readonly nested: readonly NestedFiles[];
  /** Where those are. */
  readonly nestedPaths: readonly BytePath[];
  readonly omitted: readonly Omitted[];
}

export async function listOtherFiles(
  git: Git,
  place: WorkTreePlace,
  survey: WorkTreeSurvey,
  options: { readonly limits: IgnoredLimits; readonly temporaryRoot: string },
): Promise<OtherFiles> {
  const { stray, ignored } = sortUnseen(survey);
  const { taken, omitted } = chooseIgnored(
    survey.found,
    ignored,
    occupiedDirectories(survey),
    options.limits,
  );
  const refused = survey.untracked.filter(path => !isPlainPath(path));
  const { dirty, clean } = await sortSubmodules(git, place, survey, options);
  const nestedPaths = [...survey.found.nestedRepositories, ...dirty];
  const nested: NestedFiles[] = [];
  for (const path of nestedPaths) nested.push(await listNestedFiles(place, path));
  return {
    ignored: [...taken, ...stray, ...refused].flatMap(path => {
      const file = survey.found.files.get(path);
      return file ? [toRawFile(place.workTree, path, file)] : [];
    }),
    nested,
    nestedPaths,
    omitted: [
      ...omitted,
      ...nested.flatMap(repository => omitSpecial(repository.special)),
      ...clean.map(path => omitSubmodule(place, path)),
    ],
  };
}

/** A clean submodule can be fetched again; one with any work is captured completely. */
async function sortSubmodules(
  git: Git,
  place: WorkTreePlace,
  survey: WorkTreeSurvey,
  options: { readonly limits: IgnoredLimits; readonly temporaryRoot: string },
) {
  const readState = (inner: WorkTreePlace) => readWorkTreeState(git, inner, { ...options, included: [] });
  const { populatedSubmodules } = survey.found;
  const states = await inspectSubmodules(git, place, populatedSubmodules, survey.entries, readState);
  return {
    dirty: states.filter(state => state.reasons.length > 0).map(state => state.path),
    clean: states.filter(state => state.reasons.length === 0).map(state => state.path),
  };
}

function omitSubmodule(place: WorkTreePlace, path: BytePath): Omitted {
  const reason = 'a submodule without changes; fetch it again with: git submodule update --init';
  return { path: displayPath(path), bytes: sumFileBytes(place.workTree, path), reason };
}
