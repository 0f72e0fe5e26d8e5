import { expect, test } from 'vitest';
import { streamOutput } from './stream-output.js';

test('what fails before the first byte is told as a failure, and after it the answer breaks off', async () => {
  const problem = new Error('no disk');
  await expect(streamOutput(() => Promise.reject(problem))).rejects.toBe(problem);
  const stream = await streamOutput(async write => {
    write(Buffer.from('half'));
    throw problem;
  });
  await expect(new Response(stream).text()).rejects.toBe(problem);
});

test('nothing at all is an empty answer', async () => {
  expect(await new Response(await streamOutput(async () => undefined)).text()).toBe('');
});

test('whoever reads nothing is cut off before memory is full, and whoever hangs up is forgotten', async () => {
  const piece = Buffer.alloc(16 * 1024 ** 2);
  const stream = await streamOutput(async write => {
    for (let count = 0; count < 8; count++) write(piece);
  });
  await expect(new Response(stream).arrayBuffer()).rejects.toMatchObject({ code: 'INTERNAL' });
  let written = 0;
  const left = await streamOutput(async write => {
    for (let count = 0; count < 8; count++) {
      write(piece);
      written++;
      await new Promise(setImmediate);
    }
  });
  await left.cancel();
  await expect.poll(() => written).toBe(8);
});
