// Measures Carrel and plain git in the same run, interleaved, and prints medians, ratios and growth with size.
//   npm run bench                    small (150 files) and middle (10,000 files)
//   npm run bench -- --large         and 80,000 files
//   npm run bench -- --workspaces N  how many for `ls` (default 200)
import { parseArgs } from 'node:util';
import { measureCommandStart } from './command-start.mjs';
import { measureListing } from './listing.mjs';
import { measureParallel } from './parallel.mjs';
import { measureWorkspace } from './workspace.mjs';

const { values } = parseArgs({
  options: {
    large: { type: 'boolean', default: false },
    workspaces: { type: 'string', default: '200' },
    repeats: { type: 'string', default: '7' },
  },
});
const repeats = Number(values.repeats);

await measureCommandStart(repeats * 3);
for (const files of [150, 10_000, ...(values.large ? [80_000] : [])]) await measureWorkspace(files, repeats);
await measureParallel(16);
await measureListing(Number(values.workspaces));
