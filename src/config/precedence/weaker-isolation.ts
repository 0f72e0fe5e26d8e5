import { CHAIN } from '../../domain/isolation/degrade-isolation.js';
import type { OnUnavailable } from '../../domain/isolation.js';
import { findValue, isMapping } from '../files/merge-values.js';
import type { YamlFile } from '../files/parse-yaml.js';
import { expandPattern } from './key-pattern.js';

/** From strong to weak. */
const REFUSALS: readonly OnUnavailable[] = ['fail', 'degrade'];

/** Settings that a repository may only strengthen. Without a user setting for a name, the user's default applies. */
const RULES = [
  { pattern: 'isolation.default', order: CHAIN },
  { pattern: 'isolation.onUnavailable', order: REFUSALS },
  { pattern: 'isolation.overrides.*', order: CHAIN, otherwise: ['isolation', 'default'] },
  { pattern: 'templates.*.isolation', order: CHAIN, otherwise: ['isolation', 'default'] },
] as const;

/**
 * The repository's file without the values that would weaken the isolation that the user chose: an agent can write that
 * file, and must not be able to disable its own sandbox.
 */
export function withoutWeakerIsolation(repository: YamlFile, user: YamlFile): YamlFile {
  const weaker = RULES.flatMap(rule =>
    expandPattern(repository.value, rule.pattern).filter(path => isWeaker(rule, path, repository, user)),
  );
  return { ...repository, value: weaker.reduce(withoutPath, repository.value) };
}

function isWeaker(
  rule: (typeof RULES)[number],
  path: readonly string[],
  repository: YamlFile,
  user: YamlFile,
): boolean {
  const order: readonly unknown[] = rule.order;
  const otherwise = 'otherwise' in rule ? findValue(user.value, rule.otherwise) : undefined;
  const wanted = findValue(user.value, path) ?? otherwise ?? undefined;
  return wanted !== undefined && order.indexOf(findValue(repository.value, path)) > order.indexOf(wanted);
}

function withoutPath(value: unknown, [step, ...rest]: readonly string[]): unknown {
  if (!isMapping(value)) return value;
  const entries = Object.entries(value);
  if (rest.length === 0) return Object.fromEntries(entries.filter(([key]) => key !== step));
  return Object.fromEntries(
    entries.map(([key, child]) => [key, key === step ? withoutPath(child, rest) : child]),
  );
}
