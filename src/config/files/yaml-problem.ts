import type { YAMLError } from 'yaml';

/** Our messages for common YAML mistakes; the library's message for the rest. */
export function describeYamlProblem(error: YAMLError, text: string): string {
  const [start, end] = error.pos;
  switch (error.code) {
    case 'DUPLICATE_KEY':
      return `the key ${JSON.stringify(keyAt(text, start))} appears twice; expected it once`;
    case 'TAB_AS_INDENT':
      return 'the line starts with a tab; expected spaces';
    case 'MULTIPLE_DOCS':
      return 'a second document starts here; expected one document';
    case 'TAG_RESOLVE_FAILED':
      return `the tag ${text.slice(start, end)} is not supported here; expected plain data`;
    case 'NON_STRING_KEY':
      return 'a key is not text; expected a word';
    default:
      return error.message;
  }
}

const keyAt = (text: string, offset: number): string =>
  /^["']?([^:"'\s]*)/.exec(text.slice(offset, offset + 100))?.[1] ?? '';
