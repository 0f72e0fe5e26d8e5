import { type JsonObject, parseObject } from './json-value.js';
import { MOST_JSON_CHARACTERS } from './line-splitter.js';

const MOST_DOCUMENT_CHARACTERS = MOST_JSON_CHARACTERS;

/**
 * Finds JSON objects that span several lines: from a line that starts with `{` to one that starts with `}`, as indented
 * JSON is printed. Objects larger than 32 MiB are not read.
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
