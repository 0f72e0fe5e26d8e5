import { type Document, isMap, isPair, isScalar, isSeq, type Node, parseDocument, visit } from 'yaml';
import { carrelError } from '../../domain/error/error.js';
import type { ConfigText } from './read-config-text.js';
import { findDeepNesting } from './yaml-nesting.js';
import { describeYamlProblem } from './yaml-problem.js';

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
