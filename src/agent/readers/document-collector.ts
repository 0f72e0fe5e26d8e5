import { type JsonObject, parseObject } from './json-value.js';

const MOST_DOCUMENT_CHARACTERS = 1024 * 1024;

/**
 * Finds JSON objects that are printed over several lines: from a line that begins with `{` to one that begins with `}`,
 * as every printer of indented JSON writes them. A larger one than a MiB is not read.
 */
export function createDocumentCollector(onObject: (object: JsonObject) => void): { add(line: string): void } {
  let lines: string[] = [];
  let length = 0;
  const forget = (): void => {
    lines = [];
    length = 0;
  };
  return {
    add: line => {
      if (line.startsWith('{')) forget();
      else if (lines.length === 0) return;
      length += line.length + 1;
      if (length > MOST_DOCUMENT_CHARACTERS) return forget();
      lines.push(line);
      if (!line.startsWith('}')) return;
      const object = parseObject(lines.join('\n'));
      if (!object) return;
      forget();
      onObject(object);
    },
  };
}
