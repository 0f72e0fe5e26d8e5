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

test('who writes waits for who reads, and ends when nobody does', async () => {
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
