import { expect, test } from 'vitest';
import { streamOutput } from './stream-output.js';

test('a failure before the first byte is reported, and one after it breaks the answer off', async () => {
  const problem = new Error('no disk');
  await expect(streamOutput(() => Promise.reject(problem))).rejects.toBe(problem);
  const stream = await streamOutput(async write => {
    write(Buffer.from('half'));
    throw problem;
  });
  await expect(new Response(stream).text()).rejects.toBe(problem);
});

test('no output is an empty answer', async () => {
  expect(await new Response(await streamOutput(async () => undefined)).text()).toBe('');
});

test('the writer waits for the reader, and stops when the reader is gone', async () => {
  const piece = Buffer.alloc(1024 ** 2);
  let written = 0;
  const writing: { end?: Promise<void> } = {};
  const stream = await streamOutput(write => {
    const writeAll = async () => {
      for (; written < 8; written++) await write(piece);
    };
    writing.end = writeAll();
    return writing.end;
  });
  const reader = stream.getReader();
  for (let read = 1; read <= 3; read++) {
    await reader.read();
    await expect.poll(() => written).toBe(read);
  }
  await reader.cancel();
  await expect(writing.end).rejects.toMatchObject({ code: 'INTERNAL' });
  expect(written).toBe(3);
});
