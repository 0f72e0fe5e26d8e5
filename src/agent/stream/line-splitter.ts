import { StringDecoder } from 'node:string_decoder';

/** Only the start of a longer line is kept. */
export const MOST_LINE_CHARACTERS = 1024 * 1024;

/** The same for a line that starts with `{`: half an object is useless, and some contain tokens and cost. */
export const MOST_JSON_CHARACTERS = 32 * MOST_LINE_CHARACTERS;

export interface LineSplitter {
  add(chunk: Buffer): void;
  /** Emits a last line without a line break. */
  end(): void;
}

/**
 * Splits output into lines, without their line breaks (`\n` or `\r\n`). Invalid UTF-8 becomes U+FFFD. Keeps at most one
 * line in memory. `onCut` gets the start of a line that is too long, before `onLine`.
 */
export function createLineSplitter(
  onLine: (line: string) => void,
  onCut?: (line: string) => void,
): LineSplitter {
  const decoder = new StringDecoder('utf8');
  let pieces: string[] = [];
  let length = 0;
  let most = MOST_LINE_CHARACTERS;
  let isCut = false;
  const keep = (text: string): void => {
    if (text === '') return;
    if (length === 0) most = text.startsWith('{') ? MOST_JSON_CHARACTERS : MOST_LINE_CHARACTERS;
    const room = most - length;
    isCut ||= text.length > room;
    if (room <= 0) return;
    pieces.push(text.length > room ? text.slice(0, room) : text);
    length += Math.min(text.length, room);
  };
  const finish = (): void => {
    const line = pieces.join('');
    pieces = [];
    length = 0;
    if (isCut) onCut?.(line);
    isCut = false;
    onLine(line.endsWith('\r') ? line.slice(0, -1) : line);
  };
  const addText = (text: string): void => {
    let start = 0;
    for (let end = text.indexOf('\n'); end >= 0; end = text.indexOf('\n', start)) {
      keep(text.slice(start, end));
      finish();
      start = end + 1;
    }
    keep(text.slice(start));
  };
  return {
    add: chunk => addText(decoder.write(chunk)),
    end: () => {
      addText(decoder.end());
      if (length > 0) finish();
    },
  };
}
