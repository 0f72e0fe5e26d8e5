import { stripVTControlCharacters } from 'node:util';

const MOST_LINES = 20;
const MOST_BYTES = 64 * 1024;

/** The end of a program's output, for messages. Standard output and error are in order of arrival. */
export function createOutputTail(mostLines = MOST_LINES) {
  let tail: Buffer = Buffer.alloc(0);
  return {
    add: (chunk: Buffer): void => {
      tail = Buffer.concat([tail, chunk]).subarray(-MOST_BYTES);
    },
    text: (): string => lastLines(tail.toString('utf8'), mostLines),
  };
}

function lastLines(output: string, mostLines: number): string {
  const lines = output.split('\n').map(cleanLine);
  while (lines.at(-1) === '') lines.pop();
  return lines.slice(-mostLines).join('\n');
}

/** As a terminal would show it: without control sequences, and an overwritten line shows its last state. */
function cleanLine(line: string): string {
  const shown = stripVTControlCharacters(line).trimEnd().split('\r').at(-1) ?? '';
  // biome-ignore lint/suspicious/noControlCharactersInRegex: the pattern matches control characters.
  return shown.replaceAll(/[\u0000-\u0008\u000b-\u001f\u007f-\u009f]/g, '');
}
