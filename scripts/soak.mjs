// The lease soak: several processes share one pool, mess up every slot they get, and are killed now and then.
// npm run soak -- [--leases 1000] [--minutes 10] [--slots 16] [--kills 40] [--seed N] [--overlay off]
import { parseArgs } from 'node:util';
import { runSoak } from '../test/soak/leases/run-soak.mjs';

const MOST_LINES = 20;
const { values } = parseArgs({
  options: {
    leases: { type: 'string', default: '1000' },
    minutes: { type: 'string', default: '10' },
    slots: { type: 'string', default: '16' },
    kills: { type: 'string' },
    seed: { type: 'string', default: String(Date.now() % 1_000_000) },
    overlay: { type: 'string', default: 'auto' },
  },
});
const leases = readNumber('leases', values.leases);
const options = {
  leases,
  minutes: readNumber('minutes', values.minutes),
  slots: readNumber('slots', values.slots),
  kills: values.kills === undefined ? Math.round(leases / 25) : readNumber('kills', values.kills),
  seed: readNumber('seed', values.seed),
  overlay: values.overlay,
};
console.error(`seed ${options.seed}`);
const { findings, line, hasPassed, home } = await runSoak({ ...options, say: text => console.error(text) });
for (const finding of findings.slice(0, MOST_LINES)) console.error(finding);
if (findings.length > MOST_LINES) console.error(`and ${findings.length - MOST_LINES} more`);
if (home) console.error(`the journal and all else is in ${home}`);
console.log(line);
process.exitCode = hasPassed ? 0 : 1;

function readNumber(name, text) {
  const number = Number(text);
  if (text.trim() !== '' && number >= 0 && Number.isFinite(number)) return number;
  console.error(`--${name} is ${JSON.stringify(text)}; expected a number`);
  process.exit(2);
}
