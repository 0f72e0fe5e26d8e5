#!/usr/bin/env node
// The way in. CommonJS and next to nothing in it, so that `carrel --version` costs hardly more than starting Node.
'use strict';

const [major, minor] = process.versions.node.split('.').map(Number);
const asked = process.argv[2];

if (asked === '--version' || asked === '-V') {
  const { readFileSync } = require('node:fs');
  process.stdout.write(`${JSON.parse(readFileSync(`${__dirname}/../package.json`, 'utf8')).version}\n`);
} else if (major < 20 || (major === 20 && minor < 19)) {
  process.stderr.write(`carrel: Node.js ${process.versions.node} is too old; expected 20.19 or newer\n`);
  process.exitCode = 4;
} else {
  require('../dist/start.cjs');
}
