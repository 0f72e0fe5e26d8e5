import { type Document, isMap, parseDocument } from 'yaml';
import type { z } from 'zod';
import { describeExpectation, describeIssue } from '../files/describe-issue.js';
import { findValue } from '../files/merge-values.js';
import { parseYaml } from '../files/parse-yaml.js';
import type { ConfigText } from '../files/read-config-text.js';
import { expandPattern } from '../precedence/key-pattern.js';
import type { Untranslated } from './foreign-tools.js';

/** Comments and order stay; undefined when nothing usable is left. */
export interface KnownPart {
  readonly text: string | undefined;
  readonly value: unknown;
  readonly untranslated: readonly Untranslated[];
}

/**
 * The part of a YAML file that a schema accepts: what it refuses is taken out, key by key, and so is what only the user's
 * own file may set. CONFIG_SYNTAX.
 */
export function keepKnownKeys(
  schema: z.ZodType,
  source: ConfigText,
  userOnly: readonly string[] = [],
): KnownPart {
  const { value: whole } = parseYaml(source);
  const document = parseDocument(source.text, { prettyErrors: false, stringKeys: true, logLevel: 'error' });
  const untranslated: Untranslated[] = [];
  for (let value = whole; ; value = document.toJS()) {
    const issues = schema.safeParse(value ?? {}, { error: describeExpectation }).error?.issues ?? [];
    const refused = [...issues.flatMap(issue => listRefused(issue, value)), ...listUserOnly(value, userOnly)];
    if (refused.length === 0)
      return { text: untranslated.length === 0 ? source.text : String(document), value, untranslated };
    const isUsable = refused.every(({ path }) => remove(document, path));
    const end = isUsable ? '' : '; nothing of the file is used';
    untranslated.push(
      ...refused.map(({ path, reason }) => ({
        file: source.file,
        key: path.join('.'),
        reason: `${reason}${end}`,
      })),
    );
    if (!isUsable) return { text: undefined, value: undefined, untranslated };
  }
}

interface Refused {
  readonly path: readonly PropertyKey[];
  readonly reason: string;
}

function listRefused(issue: z.core.$ZodIssue, value: unknown): Refused[] {
  if (issue.code === 'unrecognized_keys')
    return issue.keys.map(key => ({ path: [...issue.path, key], reason: 'Carrel has no such setting' }));
  const { found, expected } = describeIssue(issue, findValue(value, issue.path));
  return [{ path: issue.path, reason: `found ${found}; expected ${expected}` }];
}

const listUserOnly = (value: unknown, patterns: readonly string[]): Refused[] =>
  patterns
    .flatMap(pattern => expandPattern(value, pattern))
    .filter(path => findValue(value, path) !== undefined)
    .map(path => ({ path, reason: 'only your own configuration file may set it' }));

/** False when there is nothing to take out: the key is missing, or it is the whole file. */
function remove(document: Document, path: readonly PropertyKey[]): boolean {
  return path.length > 0 && isMap(document.contents) && document.deleteIn(path);
}
