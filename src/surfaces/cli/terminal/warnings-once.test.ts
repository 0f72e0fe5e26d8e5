import { expect, it } from 'vitest';
import { createOutput } from './output.js';
import { printWarningsOnce } from './warnings-once.js';

it('prints a warning once and every other line each time', () => {
  const lines: string[] = [];
  const sink = { write: (chunk: string | Buffer) => void lines.push(String(chunk)) };
  const { output, printed } = printWarningsOnce(createOutput(sink, sink, {}));
  for (const line of ['warning: no sandbox', 'started', 'warning: no sandbox', 'started'])
    output.narrate(line);
  expect(lines).toEqual(['warning: no sandbox\n', 'started\n', 'started\n']);
  expect([...printed]).toEqual(['no sandbox']);
});
