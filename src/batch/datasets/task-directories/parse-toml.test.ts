import { expect, test } from 'vitest';
import { parseToml } from './parse-toml.js';

test('reads the TOML of task files', () => {
  const reading = parseToml(`# head
title = "a \\"b\\" \\u00e9" # tail
'literal' = 'C:\\x'
long = """
one \\
   two
"three\\""""
dotted.key.name = 1_000
float = -1.5e3
hex = 0xff
yes = true
day = 2024-05-06T07:08:09Z
list = [1, 2, # comment
  3,
]
inline = { a = "x", b.c = [ { d = false } ] }

[one.two]
x = 1
[[steps]]
name = "first"
[steps.agent]
timeout = 5
[[steps]]
name = "second"
`);
  expect(JSON.parse(JSON.stringify('value' in reading ? reading.value : reading))).toEqual({
    title: 'a "b" é',
    literal: 'C:\\x',
    long: 'one two\n"three"',
    dotted: { key: { name: 1000 } },
    float: -1500,
    hex: 255,
    yes: true,
    day: '2024-05-06T07:08:09.000Z',
    list: [1, 2, 3],
    inline: { a: 'x', b: { c: [{ d: false }] } },
    one: { two: { x: 1 } },
    steps: [{ name: 'first', agent: { timeout: 5 } }, { name: 'second' }],
  });
});

test.each([
  ['a = 1\nb = \n', { line: 2, problem: 'invalid value' }],
  ['a = 1\na = 2\n', { line: 2, problem: 'trying to redefine an already defined table or value' }],
  ['a = 1 b = 2\n', { line: 1, problem: 'each key-value declaration must be followed by an end-of-line' }],
  ['a = 99999999999999999999\n', { line: 1, problem: 'integer value cannot be represented losslessly' }],
])('reports the problem in %j', (text, expected) => {
  expect(parseToml(text)).toEqual(expected);
});
