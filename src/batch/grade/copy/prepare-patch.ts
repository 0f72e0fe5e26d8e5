import type { EvalItem } from '../../../domain/batch/eval-item.js';
import { type BytePath, displayPath, toBytePath } from '../../../git/byte-path.js';
import { type PatchSection, splitPatch } from './patch-sections.js';

export interface PreparedPatch {
  /** The remaining changes of the agent, in their original order. */
  readonly sections: readonly PatchSection[];
  /** What was left out, as text. */
  readonly findings: readonly string[];
}

/**
 * The agent's changes without those to files that are the grader's own: hidden files, what the hidden patch touches,
 * what the item protects, and where reports and rewards are written. A change to a directory above such a file, such as
 * a link in its place, is left out as well.
 */
export function preparePatch(item: EvalItem, patch: Buffer): PreparedPatch {
  const covers = createCover(item);
  const sections: PatchSection[] = [];
  const findings: string[] = [];
  for (const section of splitPatch(patch)) {
    const reason = covers(section.to) ?? covers(section.from);
    const kept = reason === undefined ? section : keepCopy(section, covers);
    if (kept) sections.push(kept);
    const oddity = reason ?? findOddity(section);
    if (oddity !== undefined) findings.push(`${describe(section)}, ${oddity}`);
  }
  return { sections, findings: cutList(findings) };
}

type Cover = (path: BytePath) => string | undefined;

function createCover(item: EvalItem): Cover {
  const owned = [
    ...listed(Object.keys(item.hidden ?? {}), "which is graded with the grader's own version"),
    ...hiddenPatchPaths(item).map(path => ({
      path,
      reason: "which is graded with the grader's own version",
    })),
    ...listed(item.protect ?? [], 'which is protected'),
    ...listed(item.graders.flatMap(resultFiles), 'where a grader writes its result'),
  ];
  return path => owned.find(entry => isSameLine(entry.path, path))?.reason;
}

const listed = (paths: readonly string[], reason: string) =>
  paths.map(path => ({ path: toBytePath(path.replace(/\/+$/, '')), reason }));

/** Both are the same, or one contains the other. */
const isSameLine = (one: BytePath, other: BytePath): boolean =>
  one === other || one.startsWith(`${other}/`) || other.startsWith(`${one}/`);

function hiddenPatchPaths({ hiddenPatch }: EvalItem): BytePath[] {
  if (hiddenPatch === undefined) return [];
  return splitPatch(Buffer.from(hiddenPatch)).flatMap(({ from, to }) => [from, to]);
}

function resultFiles(grader: EvalItem['graders'][number]): string[] {
  if (grader.kind === 'tests') return grader.report === undefined ? [] : [grader.report];
  return grader.kind === 'reward' && !grader.file.startsWith('/') ? [grader.file] : [];
}

/** When a protected file was moved, the new path belongs to the agent: it gets a copy. */
function keepCopy(section: PatchSection, covers: Cover): PatchSection | undefined {
  if (section.action !== 'rename' || covers(section.to) !== undefined) return undefined;
  // Replaces the first occurrence: content comes after the headers.
  const text = section.text.replace('\nrename from ', '\ncopy from ').replace('\nrename to ', '\ncopy to ');
  return { ...section, action: 'copy', text };
}

const VERBS = {
  create: 'added',
  delete: 'deleted',
  rename: 'moved',
  copy: 'copied',
  change: 'changed',
} as const;

function describe({ action, from, to }: PatchSection): string {
  const shown = (path: BytePath) => JSON.stringify(displayPath(path)).slice(1, -1).slice(0, 300);
  return from === to ? `${VERBS[action]} ${shown(to)}` : `${VERBS[action]} ${shown(from)} to ${shown(to)}`;
}

/** By the conventions of common test runners. Only reported, never used for grading: items name what they protect. */
function findOddity({ action, from, to }: PatchSection): string | undefined {
  if (action === 'delete' && TEST.test(from)) return 'which looks like a test';
  return action !== 'delete' && STEERING.test(to) ? 'which can change how tests run' : undefined;
}

const TEST = /(^|\/)(__tests__|tests?|spec)\/|(^|\/)test_[^/]*\.py$|[._-](test|spec)\.[^/]+$/i;

/** Not package.json and the like, which often change for good reasons. */
const STEERING =
  /(^|\/)(conftest\.py|(site|user)customize\.py|[^/]+\.pth|pytest\.ini|tox\.ini|(jest|vitest)\.config\.[^/]+|\.mocharc(\.[^/]+)?)$/i;

const MOST_FINDINGS = 50;

function cutList(findings: readonly string[]): readonly string[] {
  const more = findings.length - MOST_FINDINGS;
  return more > 0 ? [...findings.slice(0, MOST_FINDINGS), `and ${more} more files`] : findings;
}
