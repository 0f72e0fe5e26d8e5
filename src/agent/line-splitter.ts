import { StringDecoder } from 'node:string_decoder';

/** Of a longer line the beginning counts; the rest up to its end is dropped. */
export const MOST_LINE_CHARACTERS = 1024 * 1024;

export interface LineSplitter {
  add(chunk: Buffer): void;
  /** Gives a last line that has no end. */
  end(): void;
}

/**
 * Cuts what a program prints into lines, without their ends (`\n` or `\r\n`). What is not UTF-8 becomes U+FFFD. Holds
 * one line at most, however much is printed.
 */
export function createLineSplitter(onLine: (line: string) => void): LineSplitter {
  const decoder = new StringDecoder('utf8');
  let pieces: string[] = [];
  let length = 0;
  const keep = (text: string): void => {
    const room = MOST_LINE_CHARACTERS - length;
    if (room <= 0 || text === '') return;
    pieces.push(text.length > room ? text.slice(0, room) : text);
    length += Math.min(text.length, room);
  };
  const finish = (): void => {
    const line = pieces.join('');
    pieces = [];
    length = 0;
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
