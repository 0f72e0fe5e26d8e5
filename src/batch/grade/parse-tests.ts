import { stripVTControlCharacters } from 'node:util';
import type { TestParserName } from '../../domain/batch/eval-item.js';
import { cargoParser } from './parsers/cargo.js';
import { goParser } from './parsers/go.js';
import { jestParser } from './parsers/jest.js';
import { junitParser } from './parsers/junit.js';
import { mochaParser } from './parsers/mocha.js';
import { nodeParser } from './parsers/node.js';
import { pytestParser } from './parsers/pytest.js';
import { tapParser } from './parsers/tap.js';
import type { ParsedTests, TestParser } from './parsers/test-parser.js';
import { unittestParser } from './parsers/unittest.js';
import { vitestParser } from './parsers/vitest.js';

const PARSERS: Readonly<Record<Exclude<TestParserName, 'auto'>, TestParser>> = {
  pytest: pytestParser,
  unittest: unittestParser,
  jest: jestParser,
  vitest: vitestParser,
  mocha: mochaParser,
  node: nodeParser,
  tap: tapParser,
  go: goParser,
  cargo: cargoParser,
  junit: junitParser,
};

/** Reads which tests passed from the output or the report of a test runner. */
export function parseTests(parser: TestParserName, output: string): ParsedTests {
  const text = isXml(output) ? output : toPlainLines(output);
  return parser === 'auto' ? parseRecognised(text) : PARSERS[parser].parse(text);
}

const isXml = (output: string): boolean => output.trimStart().startsWith('<');

/** No test name is longer, and the regular expressions take more than linear time. */
const MOST_LINE_CHARACTERS = 2000;

const toPlainLines = (output: string): string =>
  output
    .split('\n')
    .filter(line => line.length <= MOST_LINE_CHARACTERS)
    .map(line => stripVTControlCharacters(line).replace(/\r+$/, ''))
    .join('\n');

/**
 * Uses every runner that is recognised, not only the first: otherwise code that prints another runner's output could hide
 * the real results. Contradictions count as failures. Of the runners that print trees with ticks only one is used.
 */
function parseRecognised(text: string): ParsedTests {
  const recognised = Object.values(PARSERS).filter(parser => parser.recognises(text));
  const [tree] = recognised.filter(parser => TREES.includes(parser));
  const parsed = recognised
    .filter(parser => parser === tree || !TREES.includes(parser))
    .map(parser => parser.parse(text));
  return {
    tests: parsed.flatMap(({ tests }) => tests),
    problem: parsed.find(({ problem }) => problem !== undefined)?.problem,
  };
}

const TREES: readonly TestParser[] = [jestParser, vitestParser, mochaParser, nodeParser];
