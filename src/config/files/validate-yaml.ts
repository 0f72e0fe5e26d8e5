import type { z } from 'zod';
import { type CarrelError, carrelError } from '../../domain/error/error.js';
import { nearest } from '../../domain/text/nearest-word.js';
import { describeExpectation, describeIssue } from './describe-issue.js';
import { listKnownKeys } from './known-keys.js';
import { findValue, mergeValues } from './merge-values.js';
import type { Position, YamlFile } from './parse-yaml.js';

/**
 * Checks a file merged over weaker files (strongest first, each valid on its own) and returns the merged value.
 * CONFIG_UNKNOWN_KEY or CONFIG_INVALID for the first mistake in the file.
 */
export function requireValid(schema: z.ZodType, top: YamlFile, below: readonly YamlFile[] = []): unknown {
  const files = [top, ...below];
  const together = files.map(file => file.value).reduceRight(mergeValues, {});
  // A key without a value is ignored, so it is not in `together`; an unknown one is still a mistake.
  const problems = [
    ...listIssues(schema, top.value)
      .filter(isUnknownKey)
      .flatMap(issue => describeUnknownKeys(schema, issue, top)),
    ...listIssues(schema, together)
      .filter(issue => !isUnknownKey(issue))
      .map(issue => describeInvalid(schema, issue, together, files)),
  ];
  const first = problems.sort(byWeight)[0];
  if (first) throw first.error;
  return together;
}

interface Problem {
  readonly error: CarrelError;
  readonly position: Position;
  /** A missing key may be misspelled, so unknown keys are reported first. */
  readonly isMissing: boolean;
}

type UnknownKeyIssue = z.core.$ZodIssueUnrecognizedKeys;

const isUnknownKey = (issue: z.core.$ZodIssue): issue is UnknownKeyIssue =>
  issue.code === 'unrecognized_keys';

const listIssues = (schema: z.ZodType, value: unknown): z.core.$ZodIssue[] =>
  schema.safeParse(value ?? {}, { error: describeExpectation }).error?.issues ?? [];

function describeUnknownKeys(
  schema: z.ZodType,
  issue: UnknownKeyIssue,
  { file, keyPositionOf }: YamlFile,
): Problem[] {
  const expected = listKnownKeys(schema, issue.path);
  return issue.keys.map(key => {
    const position = keyPositionOf([...issue.path, key]);
    const details = {
      file,
      ...position,
      key: formatPath([...issue.path, key]),
      expected,
      nearest: nearest(key, expected),
      schema: schema.meta()?.id,
    };
    return { position, isMissing: false, error: carrelError('CONFIG_UNKNOWN_KEY', details) };
  });
}

function describeInvalid(
  schema: z.ZodType,
  issue: z.core.$ZodIssue,
  together: unknown,
  files: readonly YamlFile[],
): Problem {
  const source = files.find(file => isSetIn(file, issue.path)) ?? (files[0] as YamlFile);
  const position =
    issue.code === 'invalid_key' ? source.keyPositionOf(issue.path) : source.positionOf(issue.path);
  const value = findValue(together, issue.path);
  const details = {
    file: source.file,
    ...position,
    key: formatPath(issue.path),
    ...describeIssue(issue, value),
    schema: schema.meta()?.id,
  };
  return { position, isMissing: value === undefined, error: carrelError('CONFIG_INVALID', details) };
}

function isSetIn(file: YamlFile, path: readonly PropertyKey[]): boolean {
  return path.length > 0 && findValue(file.value, path) !== undefined;
}

/** `stages[1].agent` */
function formatPath(path: readonly PropertyKey[]): string {
  const text = path.map(step => (typeof step === 'number' ? `[${step}]` : `.${String(step)}`)).join('');
  return text.replace(/^\./, '') || 'the file';
}

const byWeight = (a: Problem, b: Problem): number =>
  Number(a.isMissing) - Number(b.isMissing) ||
  a.position.line - b.position.line ||
  a.position.column - b.position.column;
