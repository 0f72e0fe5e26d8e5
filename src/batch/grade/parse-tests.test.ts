import { readFileSync } from 'node:fs';
import { expect, test } from 'vitest';
import type { TestParserName } from '../../domain/batch/eval-item.js';
import { parseTests } from './parse-tests.js';
import { collectResults } from './parsers/test-results.js';

const FIXTURES = new URL('../../../test/fixtures/test-output/', import.meta.url);

function read(file: string, parser: TestParserName) {
  return collectResults(parseTests(parser, readFileSync(new URL(file, FIXTURES), 'utf8')).tests);
}

function show(file: string, parser: TestParserName): string[] {
  const statuses = [...read(file, parser).statuses].map(([name, status]) => `${status}: ${name}`);
  const recognised = [...read(file, 'auto').statuses].map(([name, status]) => `${status}: ${name}`);
  expect(recognised, 'as recognised').toEqual(statuses);
  return statuses.sort();
}

test('pytest -v, with parameters that hold spaces, dashes and brackets', () => {
  expect(show('pytest.txt', 'pytest')).toMatchInlineSnapshot(`
    [
      "failed: tests/test_calc.py::TestAdd::test_wrong",
      "failed: tests/test_calc.py::test_fixture",
      "passed: tests/test_calc.py::TestAdd::test_adds",
      "passed: tests/test_calc.py::test_expected",
      "passed: tests/test_calc.py::test_words[[x]]",
      "passed: tests/test_calc.py::test_words[a b]",
      "passed: tests/test_calc.py::test_words[c - d]",
      "skipped: tests/test_calc.py::test_skipped",
    ]
  `);
});

test('the short summary of pytest gives the same results, except skipped tests', () => {
  expect(show('pytest-quiet.txt', 'pytest')).toEqual(
    show('pytest.txt', 'pytest').filter(line => !line.startsWith('skipped')),
  );
});

test('a test counts as failed when its output contradicts pytest', () => {
  const { contradictory, statusOf } = read('pytest.txt', 'pytest');
  expect(contradictory).toEqual(['tests/test_calc.py::TestAdd::test_wrong']);
  expect(statusOf('tests/test_calc.py::TestAdd::test_wrong')).toBe('failed');
});

test("SWE-bench's lists cut a name at its first space", () => {
  expect(read('pytest.txt', 'pytest').statusOf('tests/test_calc.py::test_words[a')).toBe('passed');
});

test('unittest -v', () => {
  expect(show('unittest.txt', 'unittest')).toMatchInlineSnapshot(`
    [
      "failed: test_error (test_shop.Cart.test_error)",
      "failed: test_parts (test_shop.Cart.test_parts) (i=1)",
      "failed: test_wrong (test_shop.Cart.test_wrong)",
      "passed: test_known (test_shop.Cart.test_known)",
      "passed: test_tax (test_shop.Cart.test_tax)",
      "passed: test_total (test_shop.Cart.test_total)",
      "skipped: test_later (test_shop.Cart.test_later)",
    ]
  `);
});

test('a unittest test is found by the names of all Python versions and by its docstring', () => {
  const { statusOf } = read('unittest.txt', 'unittest');
  expect(
    [
      'test_total (test_shop.Cart)',
      'test_shop.Cart.test_total',
      'Tax is rounded up.',
      'test_parts (test_shop.Cart)',
    ].map(statusOf),
  ).toEqual(['passed', 'passed', 'passed', 'failed']);
});

test("Django's runner, even when a test prints output", () => {
  expect(show('django.txt', 'unittest')).toMatchInlineSnapshot(`
    [
      "failed: test_wrong (shop.tests.CartTests)",
      "passed: test_print (shop.tests.CartTests)",
      "passed: test_tax (shop.tests.CartTests)",
      "passed: test_total (shop.tests.CartTests)",
    ]
  `);
});

test('node --test with spec', () => {
  expect(show('node-spec.txt', 'node')).toMatchInlineSnapshot(`
    [
      "failed: cart",
      "failed: cart > rounds # up",
      "passed: alone",
      "passed: cart > adds prices",
      "passed: cart > empty",
      "passed: cart > empty > is free",
      "skipped: later",
    ]
  `);
});

test('node --test with tap, where printed results are comments', () => {
  expect(show('node-tap.txt', 'tap')).toMatchInlineSnapshot(`
    [
      "failed: cart",
      "failed: cart > rounds # up",
      "passed: alone",
      "passed: cart > adds prices",
      "passed: cart > empty",
      "passed: cart > empty > is free",
      "skipped: later",
    ]
  `);
  expect(read('node-tap.txt', 'node').statuses).toEqual(read('node-tap.txt', 'tap').statuses);
});

test('TAP that ends before its plan, or with another number of tests, is incomplete', () => {
  expect(parseTests('tap', 'TAP version 13\nok 1 - a\n').problem).toBe(
    'the output ends before the test plan',
  );
  expect(parseTests('tap', '1..2\nok 1 - a\n').problem).toBe('2 tests were planned and 1 reported');
  expect(parseTests('tap', '1..1\nnot ok 1 - a # TODO later\n')).toEqual({
    tests: [{ name: 'a', aliases: [], status: 'skipped' }],
  });
});

test('JUnit XML of node and of pytest', () => {
  expect(show('node-junit.xml', 'junit')).toMatchInlineSnapshot(`
    [
      "failed: cart > rounds # up (test)",
      "passed: alone (test)",
      "passed: cart > adds prices (test)",
      "passed: cart > empty > is free (test)",
      "skipped: later (test)",
    ]
  `);
  expect(show('pytest.xml', 'junit')).toMatchInlineSnapshot(`
    [
      "failed: pytest > test_fixture (tests.test_calc)",
      "failed: pytest > test_wrong (tests.test_calc.TestAdd)",
      "passed: pytest > test_adds (tests.test_calc.TestAdd)",
      "passed: pytest > test_expected (tests.test_calc)",
      "passed: pytest > test_words[[x]] (tests.test_calc)",
      "passed: pytest > test_words[a b] (tests.test_calc)",
      "passed: pytest > test_words[c - d] (tests.test_calc)",
      "skipped: pytest > test_skipped (tests.test_calc)",
    ]
  `);
  const { statusOf } = read('pytest.xml', 'junit');
  expect(statusOf('tests/test_calc.py::TestAdd::test_adds')).toBe('passed');
  expect(statusOf('tests/test_calc.py::TestAdd::test_wrong')).toBe('failed');
  expect(statusOf('tests/test_calc.py::test_words[a b]')).toBe('passed');
});

test('JUnit XML with comments, character data and entities, and a truncated report', () => {
  const cases = `<!-- <testcase name="no"/> --><testcase name="a &lt; &#98;"><system-out><![CDATA[<failure/>]]></system-out></testcase>`;
  const text = `<?xml version="1.0"?><testsuite>${cases}<testcase name='"quoted>"'><error/></testcase></testsuite>`;
  expect(parseTests('junit', text).tests.map(({ name, status }) => `${status}: ${name}`)).toEqual([
    'passed: a < b',
    'failed: "quoted>"',
  ]);
  expect(parseTests('junit', text.slice(0, -12)).problem).toBe('the report is truncated');
});

test('go test -v', () => {
  expect(show('go.txt', 'go')).toMatchInlineSnapshot(`
    [
      "failed: example.com/shop",
      "failed: example.com/shop TestPanics",
      "failed: example.com/shop TestTax",
      "failed: example.com/shop TestTax/rounds_up",
      "passed: example.com/shop TestTax/zero",
      "passed: example.com/shop TestTotal",
      "skipped: example.com/shop TestLater",
    ]
  `);
  expect(read('go.txt', 'go').statusOf('TestTax/zero')).toBe('passed');
});

test('a Go test that started and did not finish has failed', () => {
  const { tests } = parseTests('go', '=== RUN   TestA\n=== RUN   TestB\n--- PASS: TestB (0.00s)\n');
  expect(tests).toEqual([
    { name: 'TestA', status: 'failed' },
    { name: 'TestB', status: 'passed' },
  ]);
});

test('cargo test, with documentation tests', () => {
  expect(show('cargo.txt', 'cargo')).toMatchInlineSnapshot(`
    [
      "failed: src/lib.rs: tests::wrong",
      "passed: shop: src/lib.rs - add (line 1)",
      "passed: src/lib.rs: tests::adds",
      "passed: src/lib.rs: tests::panics",
      "skipped: src/lib.rs: tests::later",
    ]
  `);
  expect(read('cargo.txt', 'cargo').statusOf('tests::panics')).toBe('passed');
});

test('a crate that does not compile has failed', () => {
  expect(show('cargo-broken.txt', 'cargo')).toEqual(['failed: shop compiles']);
});

test('jest --verbose', () => {
  expect(show('jest.txt', 'jest')).toMatchInlineSnapshot(`
    [
      "failed: src/broken.test.js",
      "failed: src/tax.test.js",
      "failed: src/tax.test.js > tax > rounds up",
      "passed: src/cart.test.js > cart > adds prices",
      "passed: src/cart.test.js > cart > when empty > is free",
      "passed: src/tax.test.js > alone",
      "skipped: src/cart.test.js > cart > later",
    ]
  `);
  expect(read('jest.txt', 'jest').statusOf('cart when empty is free')).toBe('passed');
});

test('vitest, verbose and by default', () => {
  expect(show('vitest-verbose.txt', 'vitest')).toMatchInlineSnapshot(`
    [
      "failed: a.test.ts > cart > rounds up",
      "failed: c.test.ts",
      "passed: a.test.ts > alone",
      "passed: a.test.ts > cart > adds prices",
      "passed: b.test.ts > fine",
      "skipped: a.test.ts > cart > later",
    ]
  `);
  expect(show('vitest.txt', 'vitest')).toMatchInlineSnapshot(`
    [
      "failed: a.test.ts > cart > rounds up",
      "failed: a.test.ts > rounds up",
      "failed: c.test.ts",
      "passed: a.test.ts > adds prices",
      "passed: a.test.ts > alone",
      "passed: b.test.ts",
      "skipped: a.test.ts > later",
    ]
  `);
});

test('mocha', () => {
  expect(show('mocha.txt', 'mocha')).toMatchInlineSnapshot(`
    [
      "failed: tax > rounds up",
      "passed: cart > adds prices",
      "passed: cart > when empty > is free",
      "skipped: cart > later",
    ]
  `);
});

test('output of another runner does not hide the real results', () => {
  const real = readFileSync(new URL('pytest-quiet.txt', FIXTURES), 'utf8');
  const faked = `TAP version 13\n1..1\nok 1 - tests/test_calc.py::TestAdd::test_wrong\n${real}`;
  expect(
    collectResults(parseTests('auto', faked).tests).statusOf('tests/test_calc.py::TestAdd::test_wrong'),
  ).toBe('failed');
});
