import {
  type Document,
  isMap,
  isPair,
  isScalar,
  isSeq,
  Lexer,
  type Node,
  Parser,
  parseDocument,
  visit,
  type YAMLError,
} from 'yaml';
import { carrelError } from '../../domain/error/error.js';
import type { ConfigText } from './read-config-text.js';

/** `line` and `column` count from 1. */
export interface Position {
  readonly line: number;
  readonly column: number;
}

/** The content of a YAML file, with positions. */
export interface YamlFile {
  readonly file: string;
  /** Plain data; null for an empty file. */
  readonly value: unknown;
  /** The position of the value at a path, or of its nearest existing parent. */
  positionOf(path: readonly PropertyKey[]): Position;
  /** The position of the key of a path; in a list, of the entry. */
  keyPositionOf(path: readonly PropertyKey[]): Position;
}

/** CONFIG_SYNTAX for everything that is not one plain YAML document. */
export function parseYaml({ file, text }: ConfigText): YamlFile {
  const fail = (offset: number, problem: string, cause?: unknown) =>
    carrelError('CONFIG_SYNTAX', { file, ...toPosition(text, offset), problem }, cause);

  const tooDeep = findDeepNesting(text);
  if (tooDeep !== undefined) throw fail(tooDeep, 'the nesting is too deep');
  // Every key is text: no other kind is valid here, and the library would print warnings about some of them.
  const document = parseDocument(text, { prettyErrors: false, stringKeys: true, logLevel: 'error' });
  const problem = [...document.errors, ...document.warnings].sort((a, b) => a.pos[0] - b.pos[0])[0];
  if (problem) throw fail(problem.pos[0], describeYamlProblem(problem, text), problem);
  const loose = findLooseAlias(document);
  if (loose) throw fail(loose.offset, `*${loose.name} has no anchor above it`);

  return {
    file,
    value: toPlainData(document, error => fail(0, 'its aliases expand to too much data', error)),
    positionOf: path => toPosition(text, findOffsets(document, path).value),
    keyPositionOf: path => toPosition(text, findOffsets(document, path).key),
  };
}

/** Our messages for common YAML mistakes; the library's message for the rest. */
function describeYamlProblem(error: YAMLError, text: string): string {
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

/** Our own files need five levels. */
const MOST_LEVELS = 64;

/**
 * The offset at which a text nests deeper than any configuration does. The library composes documents by recursion, and
 * from about a thousand levels V8 aborts the whole process ("RegExpCompiler Allocation failed") instead of throwing, so
 * this check comes first. The parser below the composer keeps its own stack and does not recurse.
 */
function findDeepNesting(text: string): number | undefined {
  const parser = new Parser();
  for (const lexeme of new Lexer().lex(text)) {
    const offset = parser.offset;
    // A generator: it works while it is consumed.
    Array.from(parser.next(lexeme));
    if (parser.stack.length > MOST_LEVELS) return offset;
  }
  return undefined;
}

/** An alias without an anchor, or inside its own anchor, which would be infinite. */
function findLooseAlias(document: Document.Parsed): { name: string; offset: number } | undefined {
  let loose: { name: string; offset: number } | undefined;
  visit(document, {
    Alias(_key, alias, ancestors) {
      const target = alias.resolve(document);
      if (target && !ancestors.includes(target)) return undefined;
      loose = { name: alias.source, offset: alias.range?.[0] ?? 0 };
      return visit.BREAK;
    },
  });
  return loose;
}

/** The only way left for this to fail is the library's limit on aliases of aliases. */
function toPlainData(document: Document.Parsed, fail: (error: unknown) => Error): unknown {
  try {
    return document.toJS();
  } catch (error) {
    throw fail(error);
  }
}

interface Offsets {
  readonly key: number;
  readonly value: number;
}

function findOffsets(document: Document.Parsed, path: readonly PropertyKey[]): Offsets {
  let node: unknown = document.contents;
  let offsets: Offsets = { key: startOf(node) ?? 0, value: startOf(node) ?? 0 };
  for (const step of path) {
    const child = findChild(node, step);
    if (!child) break;
    // A key without a value has no position for the value.
    const value = isScalar(child.value) && child.value.source === '' ? undefined : startOf(child.value);
    offsets = { key: child.offset, value: value ?? child.offset };
    node = child.value;
  }
  return offsets;
}

function findChild(node: unknown, step: PropertyKey): { offset: number; value: unknown } | undefined {
  if (isSeq(node)) {
    const value = node.items[Number(step)];
    return value === undefined ? undefined : { offset: startOf(value) ?? 0, value };
  }
  if (!isMap(node)) return undefined;
  const pair = node.items.find(item => isPair(item) && isScalar(item.key) && item.key.value === String(step));
  return pair && { offset: startOf(pair.key) ?? 0, value: pair.value };
}

const startOf = (node: unknown): number | undefined => (node as Node | null | undefined)?.range?.[0];

function toPosition(text: string, offset: number): Position {
  const lines = text.slice(0, Math.max(0, offset)).split('\n');
  return { line: lines.length, column: (lines.at(-1) ?? '').length + 1 };
}
