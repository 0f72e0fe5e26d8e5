import { expect, test } from 'vitest';
import { listRunByFile } from './find-referenced-scripts.js';

const runBy = (path: string, text: string, command = ''): string[] =>
  listRunByFile(path, text, command).flatMap(each => (each.isRun ? [each.path] : []));

test.each([
  ['./x', 'x'],
  ['. ./env', 'env'],
  ['source tools/env', 'tools/env'],
  ['bash "$here/lib"', 'tools/lib'],
  ['exec $(dirname "$0")/go.sh --fast', 'tools/go.sh'],
  ['FOO=1 node scripts/x', 'scripts/x'],
  ['if ../go; then', 'go'],
  ["import { a } from './a.js'", 'tools/a.js'],
  ["const b = require('../b')", 'b.js'],
  ['from helper import go', 'tools/helper.py'],
  ["require_relative 'more'", 'tools/more.rb'],
  ['-include rules.mk', 'rules.mk'],
  ['python3 -m x; python3 setup/x.py', 'setup/x.py'],
])('%s runs %s', (line, path) => {
  expect(runBy('tools/setup.sh', `true\n${line}\n`)).toContain(path);
});

test('comments, options and what is only read run nothing', () => {
  const text = '#!/bin/sh\n# ./never.sh\ncat README.md --file=-x\ncp config.example.json config.json\n';
  expect(runBy('setup.sh', text)).toEqual([]);
  expect(listRunByFile('setup.sh', text, '').map(({ path }) => path)).toContain('README.md');
});

test('nothing leads out of the tree', () => {
  const text = '. /etc/profile\nsh ../../x.sh\n./..\nsh .. \nnode .\n';
  expect(runBy('tools/setup.sh', text).filter(path => /^(\/|\.\.)/.test(path))).toEqual([]);
});

test('of package.json, scripts count that the command names, and those that they name', () => {
  const scripts = {
    build: 'npm run pack',
    prebuild: 'sh pre.sh',
    pack: 'node pack.js',
    test: 'node test.js',
  };
  expect(runBy('package.json', JSON.stringify({ main: './x.js', scripts }), 'npm run build')).toEqual([
    'pre.sh',
    'pack.js',
  ]);
  expect(runBy('package.json', 'no JSON', 'npm run build')).toEqual([]);
});
