import { execFileSync } from 'node:child_process';
import { expect, test } from 'vitest';
import { git, makeRepository, writeFiles } from '../../../test/helpers/repository.js';
import { diffArguments, rawAndOutput } from './diff-arguments.js';
import { separateRaw } from './raw-and-output.js';

function makeChanges(): string {
  const repository = makeRepository({ 'old name': 'same\n', 'gone.txt': 'x\n', edited: 'a\n' });
  git(repository, 'mv', 'old name', 'new "name"\n\tü\x01');
  git(repository, 'rm', '--quiet', 'gone.txt');
  writeFiles(repository, { edited: 'b\n', ':colon': ':100644\n' });
  git(repository, 'add', '--all');
  return repository;
}

const run = (repository: string, args: readonly string[]): Buffer =>
  execFileSync('git', ['-c', 'core.quotePath=false', 'diff-index', '--cached', ...args, 'HEAD', '--'], {
    cwd: repository,
  });

test.each(['patch', 'stat', 'name-only'] as const)(
  'the output of a %s is the same as without the list, in chunks of any size',
  async format => {
    const repository = makeChanges();
    const plain = run(repository, diffArguments(format)).toString('latin1');
    const both = run(repository, rawAndOutput(format));
    for (const size of [1, 7, both.length]) {
      const written: Buffer[] = [];
      const { read, changed } = separateRaw(format, chunk => void written.push(chunk));
      for (let at = 0; at < both.length; at += size) await read(both.subarray(at, at + size));
      expect(Buffer.concat(written).toString('latin1')).toBe(plain);
      expect(changed).toEqual([':colon', 'edited', Buffer.from('new "name"\n\tü\x01').toString('latin1')]);
    }
  },
);

test('a diff without changes has neither', async () => {
  const { read, changed } = separateRaw('patch', () => expect.unreachable());
  await read(Buffer.alloc(0));
  expect(changed).toEqual([]);
});
