/** Keeps the start and the end of the output: the start shows what was done, the end the result. */
export function createBoundedOutput(mostBytes: number) {
  const half = Math.floor(mostBytes / 2);
  let begin: Buffer = Buffer.alloc(0);
  let end: Buffer = Buffer.alloc(0);
  let bytes = 0;
  return {
    add: (chunk: Buffer): void => {
      bytes += chunk.length;
      const room = half - begin.length;
      if (room > 0) begin = Buffer.concat([begin, chunk.subarray(0, room)]);
      if (chunk.length > room) end = Buffer.concat([end, chunk.subarray(Math.max(0, room))]).subarray(-half);
    },
    text: (): string => {
      const left = bytes - begin.length - end.length;
      const gap = left > 0 ? `\n[${left} bytes left out]\n` : '';
      return gap ? `${begin}${gap}${end}` : Buffer.concat([begin, end]).toString();
    },
  };
}
