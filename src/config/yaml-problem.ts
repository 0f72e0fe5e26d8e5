import type { YAMLError } from 'yaml';

/** Says in our words what is wrong with a YAML text, for the mistakes that people make; the library's for the rest. */
export function describeYamlProblem(error: YAMLError, text: string): string {
  const [start, end] = error.pos;
  switch (error.code) {
    case 'DUPLICATE_KEY':
      return `the key ${JSON.stringify(keyAt(text, start))} is there twice; expected it once`;
    case 'TAB_AS_INDENT':
      return 'the line begins with a tab; expected spaces';
    case 'MULTIPLE_DOCS':
      return 'a second document begins here; expected one document';
    case 'TAG_RESOLVE_FAILED':
      return `the tag ${text.slice(start, end)} means nothing here; expected plain data`;
    case 'NON_STRING_KEY':
      return 'a key is not text; expected a word';
    default:
      return error.message;
  }
}

const keyAt = (text: string, offset: number): string =>
  /^["']?([^:"'\s]*)/.exec(text.slice(offset, offset + 100))?.[1] ?? '';
