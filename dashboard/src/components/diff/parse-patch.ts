import type { FileDiff } from './file-diff.js';
import { readPath, readPathPair } from './git-path.js';
import { readHunk } from './read-hunk.js';

/** What `git diff --patch` wrote, file by file. Lines that are not understood are left out. */
export function parsePatch(patch: string): readonly FileDiff[] {
  const lines = patch.split('\n');
  const files: FileDiff[] = [];
  let at = 0;
  while (at < lines.length) {
    if (!lines[at]?.startsWith(FILE)) {
      at += 1;
      continue;
    }
    const { file, next } = readFile(lines, at);
    files.push(file);
    at = next;
  }
  return files;
}

const FILE = 'diff --git ';

function readFile(lines: readonly string[], start: number): { file: FileDiff; next: number } {
  const words = readPathPair((lines[start] ?? '').slice(FILE.length));
  const draft: Draft = { before: words.before, after: words.after, hunks: [], added: 0, removed: 0 };
  let at = start + 1;
  while (at < lines.length && !lines[at]?.startsWith(FILE)) {
    const hunk = readHunk(lines, at);
    if (hunk) {
      draft.hunks.push({ header: hunk.header, lines: hunk.lines });
      draft.added += hunk.added;
      draft.removed += hunk.removed;
      at = hunk.next;
    } else {
      readHeader(draft, lines[at] ?? '');
      at += 1;
    }
  }
  return { file: toFile(draft), next: at };
}

interface Draft {
  before: string;
  after: string;
  change?: FileDiff['change'];
  oldMode?: string;
  newMode?: string;
  isBinary?: boolean;
  hunks: FileDiff['hunks'][number][];
  added: number;
  removed: number;
}

/** The longest words first, where one begins with another. */
const HEADERS: readonly (readonly [string, (draft: Draft, value: string) => void])[] = [
  ['new file mode ', draft => (draft.change = 'added')],
  ['deleted file mode ', draft => (draft.change = 'deleted')],
  ['old mode ', (draft, value) => (draft.oldMode = value)],
  ['new mode ', (draft, value) => (draft.newMode = value)],
  [
    'rename from ',
    (draft, value) => void Object.assign(draft, { change: 'renamed', before: readPath(value) }),
  ],
  ['rename to ', (draft, value) => (draft.after = readPath(value))],
  ['copy from ', (draft, value) => void Object.assign(draft, { change: 'copied', before: readPath(value) })],
  ['copy to ', (draft, value) => (draft.after = readPath(value))],
  ['GIT binary patch', draft => (draft.isBinary = true)],
  ['Binary files ', draft => (draft.isBinary = true)],
];

function readHeader(draft: Draft, line: string): void {
  const header = HEADERS.find(([word]) => line.startsWith(word));
  header?.[1](draft, line.slice(header[0].length));
}

function toFile(draft: Draft): FileDiff {
  const { before, after, change = 'changed', oldMode, newMode, hunks, added, removed } = draft;
  return {
    path: change === 'deleted' ? before : after,
    oldPath: before === after ? null : before,
    change,
    modes: oldMode !== undefined && newMode !== undefined ? { before: oldMode, after: newMode } : null,
    isBinary: draft.isBinary ?? false,
    hunks,
    added,
    removed,
  };
}
