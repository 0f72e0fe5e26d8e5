import { CHAIN } from '../domain/degrade-isolation.js';
import type { OnUnavailable } from '../domain/isolation.js';
import { expandPattern } from './key-pattern.js';
import { findValue, isMapping } from './merge-values.js';
import type { YamlFile } from './parse-yaml.js';

/** From strong to weak. */
const REFUSALS: readonly OnUnavailable[] = ['fail', 'degrade'];

/** What a repository may strengthen only. Where the user has no word for one name, the user's word for all names holds. */
const RULES = [
  { pattern: 'isolation.default', order: CHAIN },
  { pattern: 'isolation.onUnavailable', order: REFUSALS },
  { pattern: 'isolation.overrides.*', order: CHAIN, otherwise: ['isolation', 'default'] },
  { pattern: 'templates.*.isolation', order: CHAIN, otherwise: ['isolation', 'default'] },
] as const;

/**
 * The repository's file, valid by itself, without what would weaken the isolation that the user chose: an agent can write
 * that file, and must not talk itself out of its sandbox.
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
