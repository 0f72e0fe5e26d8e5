import type { DiffLine, FileDiff, Hunk } from './file-diff.js';
import { tokensOf } from './syntax/colour-hunk.js';
import { findLanguage } from './syntax/languages.js';

interface Place {
  readonly file: FileDiff;
  readonly hunk: Hunk;
}

/** A line of the unified layout. */
export function LineCells({ line, ...place }: Place & { readonly line: DiffLine }) {
  return (
    <>
      <td className={`diff-number ${line.kind}`}>{line.oldNumber}</td>
      <td className={`diff-number ${line.kind}`}>{line.newNumber}</td>
      <Text line={line} {...place} />
    </>
  );
}

/** What was there and what is there now, side by side. */
export function PairCells({
  left,
  right,
  ...place
}: Place & { readonly left: DiffLine | undefined; readonly right: DiffLine | undefined }) {
  return (
    <>
      <td className={`diff-number ${left?.kind ?? 'none'}`}>{left?.oldNumber}</td>
      <Text line={left} {...place} />
      <td className={`diff-number ${right?.kind ?? 'none'}`}>{right?.newNumber}</td>
      <Text line={right} {...place} />
    </>
  );
}

const SIGNS: Readonly<Record<DiffLine['kind'], string>> = {
  context: ' ',
  added: '+',
  removed: '-',
  note: '\\',
};

function Text({ line, file, hunk }: Place & { readonly line: DiffLine | undefined }) {
  if (!line) return <td className="diff-text none" />;
  return (
    <td className={`diff-text ${line.kind}`}>
      {SIGNS[line.kind]}
      <Coloured line={line} file={file} hunk={hunk} />
    </td>
  );
}

function Coloured({ line, file, hunk }: Place & { readonly line: DiffLine }) {
  const language = findLanguage(file.path);
  const tokens = language && tokensOf(line, hunk, language);
  if (!tokens) return line.text;
  return tokens.map(({ kind, text }, index) =>
    kind === null ? (
      text
    ) : (
      // biome-ignore lint/suspicious/noArrayIndexKey: a token is its place in the line.
      <span key={index} className={`token-${kind}`}>
        {text}
      </span>
    ),
  );
}
