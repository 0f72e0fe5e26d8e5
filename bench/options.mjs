import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { parseArgs } from 'node:util';
import { measures } from './measures.mjs';

export const help = `npm run bench -- [options]
  --quick        fewer repeats; a few minutes
  --sizes S,M,L  repositories (default: all)
  --repeats N    turns of each contestant (default: 7; with --quick 3, and 1 on L)
  --only NAME    one measure, or several with commas: ${Object.keys(measures).join(', ')}
  --strict       exit with status 1 when a target is missed
  --json FILE    write the figures there too
Repositories are kept in $CARREL_BENCH_DIR (default: carrel-bench in the temporary directory; about 3 GB, and more while it runs).`;

export function readOptions(args) {
  const { values } = parseArgs({
    args,
    options: {
      quick: { type: 'boolean', default: false },
      sizes: { type: 'string', default: 'S,M,L' },
      repeats: { type: 'string' },
      only: { type: 'string' },
      strict: { type: 'boolean', default: false },
      json: { type: 'string' },
      help: { type: 'boolean', default: false },
    },
  });
  return {
    ...values,
    sizes: requireKnown('--sizes', values.sizes.split(','), ['S', 'M', 'L']),
    only: requireKnown('--only', values.only?.split(',') ?? Object.keys(measures), Object.keys(measures)),
    repeatsOf: size => requireRepeats(values.repeats) ?? (values.quick ? (size === 'L' ? 1 : 3) : 7),
    json: values.json && resolve(values.json),
    cache: resolve(process.env.CARREL_BENCH_DIR || join(tmpdir(), 'carrel-bench')),
  };
}

function requireKnown(option, given, known) {
  const unknown = given.filter(value => !known.includes(value));
  if (unknown.length > 0)
    throw new Error(`${option}: ${unknown.join(', ')} is unknown; expected one of ${known.join(', ')}`);
  return given;
}

function requireRepeats(text) {
  if (text === undefined) return undefined;
  const repeats = Number(text);
  if (Number.isInteger(repeats) && repeats > 0) return repeats;
  throw new Error(`--repeats: ${text}; expected a whole number above 0`);
}
