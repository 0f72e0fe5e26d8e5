// The torture tester: random sequences of everything, with faults, against a model of every byte.
// npm run torture -- [--minutes 2] [--seed N] [--steps N] [--replay FILE] [--shrink-minutes 3]
import { spawnSync } from 'node:child_process';
import { parseArgs } from 'node:util';

const { values } = parseArgs({
  options: {
    minutes: { type: 'string', default: '2' },
    seed: { type: 'string', default: String(Date.now() % 1_000_000) },
    steps: { type: 'string' },
    replay: { type: 'string' },
    'shrink-minutes': { type: 'string', default: '3' },
  },
});
const options = {
  minutes: readNumber('minutes', values.minutes),
  seed: readNumber('seed', values.seed),
  steps: values.steps === undefined ? undefined : readNumber('steps', values.steps),
  replay: values.replay,
  shrinkMinutes: readNumber('shrink-minutes', values['shrink-minutes']),
};
const env = { ...process.env, CARREL_TORTURE: JSON.stringify(options) };
const args = ['node_modules/vitest/vitest.mjs', 'run', '--config', 'vitest.torture.config.ts'];
const { status } = spawnSync(process.execPath, args, { env, stdio: 'inherit' });
process.exitCode = status ?? 1;

function readNumber(name, text) {
  const number = Number(text);
  if (text.trim() !== '' && number >= 0 && Number.isFinite(number)) return number;
  console.error(`--${name} is ${JSON.stringify(text)}; expected a number`);
  process.exit(2);
}
