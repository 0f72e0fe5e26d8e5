import { useState } from 'react';
import { visibleText } from '../text/visible-text.js';
import type { FileDiff } from './file-diff.js';

const MARKS: Readonly<Record<FileDiff['change'], string>> = {
  changed: 'M',
  added: 'A',
  deleted: 'D',
  renamed: 'R',
  copied: 'C',
};

/** More files are shown only on request. */
const FEW = 12;

/** The files of a patch, each with a link to its changes. */
export function FileList({
  files,
  onChoose,
}: {
  readonly files: readonly FileDiff[];
  readonly onChoose: (path: string) => void;
}) {
  const [isOpen, setOpen] = useState(files.length <= FEW);
  return (
    <details
      className="diff-files"
      open={isOpen}
      onToggle={({ currentTarget }) => setOpen(currentTarget.open)}
    >
      <summary>Files</summary>
      {isOpen && (
        <ul>
          {files.map(file => (
            <li key={`${file.change} ${file.path}`}>
              <span className={`diff-mark ${file.change}`} title={file.change} aria-hidden="true">
                {MARKS[file.change]}
              </span>
              <button type="button" className="link" onClick={() => onChoose(file.path)}>
                {visibleText(file.path)}
              </button>
              <Counts file={file} />
            </li>
          ))}
        </ul>
      )}
    </details>
  );
}

export function Counts({ file: { isBinary, added, removed, change } }: { readonly file: FileDiff }) {
  return (
    <span className="diff-counts">
      {change !== 'changed' && <span className="visually-hidden">{change} </span>}
      {isBinary ? 'binary' : null}
      {added > 0 && <span className="added">+{added}</span>}{' '}
      {removed > 0 && <span className="removed">−{removed}</span>}
    </span>
  );
}
