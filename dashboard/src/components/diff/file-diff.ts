/** One file of a patch. */
export interface FileDiff {
  /** After the change; before it for a file that is deleted. */
  readonly path: string;
  /** Before the change, when it was another one. */
  readonly oldPath: string | null;
  readonly change: 'changed' | 'added' | 'deleted' | 'renamed' | 'copied';
  /** Such as 100644 and 100755; null where it did not change. */
  readonly modes: { readonly before: string; readonly after: string } | null;
  readonly isBinary: boolean;
  readonly added: number;
  readonly removed: number;
  readonly hunks: readonly Hunk[];
}

export interface Hunk {
  /** Including git's context. */
  readonly header: string;
  readonly lines: readonly DiffLine[];
}

export interface DiffLine {
  /** A note is git's remark about the line before, such as a missing line break. */
  readonly kind: 'context' | 'added' | 'removed' | 'note';
  /** As shown. */
  readonly text: string;
  readonly oldNumber: number | null;
  readonly newNumber: number | null;
}
