import type { FileDiff } from './file-diff.js';

const MARKS: Readonly<Record<FileDiff['change'], string>> = {
  changed: 'M',
  added: 'A',
  deleted: 'D',
  renamed: 'R',
  copied: 'C',
};

/** The files of a patch; each leads to its place. */
export function FileList({
  files,
  onChoose,
}: {
  readonly files: readonly FileDiff[];
  readonly onChoose: (path: string) => void;
}) {
  return (
    <details className="diff-files" open={files.length <= 12}>
      <summary>Files</summary>
      <ul>
        {files.map(file => (
          <li key={`${file.change} ${file.path}`}>
            <span className={`diff-mark ${file.change}`} title={file.change} aria-hidden="true">
              {MARKS[file.change]}
            </span>
            <button type="button" className="link" onClick={() => onChoose(file.path)}>
              {file.path}
            </button>
            <Counts file={file} />
          </li>
        ))}
      </ul>
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
