import { Badge, type Tone } from '../status/badge.js';
import { visibleText } from '../text/visible-text.js';
import type { FileDiff } from './file-diff.js';
import { Counts } from './file-list.js';

const TONES: Readonly<Record<FileDiff['change'], Tone>> = {
  changed: 'neutral',
  added: 'good',
  deleted: 'bad',
  renamed: 'accent',
  copied: 'accent',
};

/** The name of a file, which opens and closes it, and the change to the file as a whole. */
export function FileHead({
  file,
  isClosed,
  onToggle,
}: {
  readonly file: FileDiff;
  readonly isClosed: boolean;
  readonly onToggle: () => void;
}) {
  const { path, oldPath, change, modes, isBinary } = file;
  return (
    <div className="diff-file-head">
      <button type="button" aria-expanded={!isClosed} onClick={onToggle}>
        <span aria-hidden="true">{isClosed ? '▸' : '▾'}</span>
        {oldPath !== null && <span className="minor">{visibleText(oldPath)} → </span>}
        {visibleText(path)}
      </button>
      {change !== 'changed' && <Badge tone={TONES[change]}>{change}</Badge>}
      {isBinary && <Badge>binary</Badge>}
      {modes && (
        <Badge tone="warning">
          mode {modes.before} → {modes.after}
        </Badge>
      )}
      <Counts file={file} />
    </div>
  );
}
