import { toFigures } from '../timing/figure.mjs';
import { interleave } from '../timing/interleave.mjs';

const NODE = 'node -e 0';

const rows = [
  { group: 'start', name: NODE },
  ...['carrel --version', 'carrel --help', 'carrel path'].map(name => ({
    group: 'start',
    name,
    reference: NODE,
  })),
];

/** The floor of any command is an empty Node process. */
export async function measureCommandStart({ size, repeats, cold }) {
  await cold.carrel('up', 'start');
  const contestant = (name, action) => ({
    name,
    // No writing goes on here, so there is nothing to settle between the runs.
    turn: (_round, watch) => watch.time(name, () => undefined, action),
  });
  const contest = await interleave(
    [
      contestant(NODE, () => cold.node('-e', '0')),
      contestant('carrel --version', () => cold.carrel('--version')),
      contestant('carrel --help', () => cold.carrel('--help')),
      contestant('carrel path', () => cold.carrel('path', 'start')),
    ],
    repeats * 5,
  );
  await cold.carrel('down', 'start');
  return toFigures(rows, size, contest);
}
