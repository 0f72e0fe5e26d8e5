import { lstatSync } from 'node:fs';
import { type BytePath, displayPath, toFsPath } from '../byte-path.js';
import { statExactly } from '../files/read-directory.js';
import { type Git, splitRecords } from '../git.js';
import type { WorkTreePlace } from '../work-tree-place.js';

/** The state of a checkout at one moment, enough to notice changes by others. */
export interface CheckoutObservation {
  /** The commit, and the branch it is on. */
  readonly head: string;
  readonly branch: string;
  /** Branches and tags with their objects. */
  readonly refs: ReadonlyMap<string, string>;
  /** What differs from the commit, and how. */
  readonly files: ReadonlyMap<BytePath, string>;
}

export interface CheckoutChange {
  readonly kind: 'head' | 'ref' | 'file';
  /** A commit or branch, the name of a ref, or the path of a file. */
  readonly what: string;
  /** For messages. */
  readonly text: string;
  /** When it was written, in milliseconds since 1970; only for existing files. */
  readonly at?: number | undefined;
}

/** Timeout for this safety check; after it the state is unknown. */
const LIMIT_MS = 20_000;

/**
 * One `git status` and one list of refs, however large the repository: files that are as in the index cost one `lstat`
 * each (git does them in parallel), none is read, and the index is not written. Submodules are not entered. Undefined
 * when it can't be determined.
 */
export async function observeCheckout(
  git: Git,
  place: WorkTreePlace,
): Promise<CheckoutObservation | undefined> {
  const options = { gitDir: place.gitDir, workTree: place.workTree, timeoutMs: LIMIT_MS, answers: ANY };
  const [status, refs] = await Promise.all([
    git.run([...STATUS], options),
    git.run(['for-each-ref', '--format=%(refname)%00%(objectname)', 'refs/heads', 'refs/tags'], options),
  ]);
  if (status.exitCode !== 0 || refs.exitCode !== 0) return undefined;
  const records = splitRecords(status.stdout);
  const header = (key: string) =>
    records.find(record => record.startsWith(`# ${key} `))?.slice(key.length + 3) ?? '';
  const lines = refs.stdout.toString('utf8').split('\n').filter(Boolean);
  return {
    head: header('branch.oid'),
    branch: header('branch.head'),
    refs: new Map(lines.map(line => line.split('\0') as [string, string])),
    files: new Map(records.flatMap(record => describeFile(place.workTree, record))),
  };
}

const ANY = [0, 1, 128, 129];

const STATUS = [
  'status',
  '--porcelain=v2',
  '--branch',
  '-z',
  '--untracked-files=normal',
  '--ignore-submodules=all',
  '--no-renames',
] as const;

/** Words before the path in a record of each kind. */
const WORDS: Readonly<Record<string, number>> = { '1': 8, u: 10, '?': 1 };

function describeFile(workTree: string, record: string): [BytePath, string][] {
  const words = WORDS[record.slice(0, 1)];
  if (words === undefined) return [];
  const path = record.split(' ').slice(words).join(' ');
  const info = statExactly(workTree, path);
  const stat = info && !info.isDirectory() ? `${info.size} ${info.mtimeNs} ${info.mode}` : '';
  return [[path, `${record.split(' ').slice(0, words).join(' ')} ${stat}`]];
}

/** What differs in the later state. New branches and tags don't count. */
export function compareObservations(
  before: CheckoutObservation,
  after: CheckoutObservation,
  workTree: string,
  isOwnRef: (name: string) => boolean = () => false,
): CheckoutChange[] {
  return [
    ...compareHeads(before, after),
    ...[...before.refs].flatMap(([name, object]) => {
      const now = after.refs.get(name);
      if (now === object || isOwnRef(name)) return [];
      const text = now === undefined ? `${name} was deleted` : `${name} moved to ${now.slice(0, 12)}`;
      return [{ kind: 'ref', what: name, text } as const];
    }),
    ...compareFiles(before, after, workTree),
  ];
}

function compareHeads(before: CheckoutObservation, after: CheckoutObservation): CheckoutChange[] {
  if (before.branch !== after.branch)
    return [
      { kind: 'head', what: after.branch, text: `HEAD moved from ${before.branch} to ${after.branch}` },
    ];
  if (before.head === after.head) return [];
  const text = `HEAD moved from ${before.head.slice(0, 12)} to ${after.head.slice(0, 12)}`;
  return [{ kind: 'head', what: after.head, text }];
}

function compareFiles(
  before: CheckoutObservation,
  after: CheckoutObservation,
  workTree: string,
): CheckoutChange[] {
  const paths = new Set([...before.files.keys(), ...after.files.keys()]);
  return [...paths].flatMap(path => {
    if (before.files.get(path) === after.files.get(path)) return [];
    const at = lstatSync(toFsPath(workTree, path), { throwIfNoEntry: false })?.ctimeMs;
    return [{ kind: 'file', what: path, text: displayPath(path), at } as const];
  });
}
