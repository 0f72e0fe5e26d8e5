import {
  mkdirSync,
  mkdtempSync,
  readdirSync,
  realpathSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join, relative } from 'node:path';
import fc from 'fast-check';
import { expect, test } from 'vitest';
import { tempDir } from '../../../test/helpers/temp.js';
import { chooseFolder } from './choose-folder.js';

const free = () => false;

test('a workspace goes to root/project/name, and nothing is created', async () => {
  const root = tempDir();
  expect(await chooseFolder({ root, project: 'api', name: 'feat/ui', isTaken: free })).toBe(
    join(root, 'api/feat-ui'),
  );
  expect(readdirSync(root)).toEqual([]);
});

test('a root that does not exist yet is resolved as far as it does', async () => {
  const root = tempDir();
  mkdirSync(join(root, 'real'));
  symlinkSync('real', join(root, 'link'));
  const chosen = await chooseFolder({
    root: join(root, 'link/deep/er'),
    project: 'p',
    name: 'n',
    isTaken: free,
  });
  expect(chosen).toBe(join(root, 'real/deep/er/p/n'));
});

test('an existing path gets a hash of the real name, even when it is a dangling symbolic link', async () => {
  const root = tempDir();
  mkdirSync(join(root, 'api/feat-ui'), { recursive: true });
  symlinkSync('/nonexistent', join(root, 'api/dangling'));
  const chosen = await chooseFolder({ root, project: 'api', name: 'feat/ui', isTaken: free });
  expect(chosen).toMatch(/\/api\/feat-ui-[0-9a-f]{6}$/);
  expect(await chooseFolder({ root, project: 'api', name: 'dangling', isTaken: free })).toMatch(
    /dangling-[0-9a-f]{6}$/,
  );
});

test('a name that differs only in case from one on disk gets a hash', async () => {
  const root = tempDir();
  mkdirSync(join(root, 'api/Feature'), { recursive: true });
  expect(await chooseFolder({ root, project: 'api', name: 'feature', isTaken: free })).toMatch(
    /feature-[0-9a-f]{6}$/,
  );
});

test('names that give the same folder get different hashes, and a taken hash another one', async () => {
  const root = tempDir();
  const taken = new Set<string>();
  for (const name of ['a/b', 'a-b', 'a//b', 'a b', 'a/b']) {
    const path = await chooseFolder({ root, project: 'p', name, isTaken: async path => taken.has(path) });
    expect(taken).not.toContain(path);
    taken.add(path);
  }
  expect(taken.size).toBe(5);
});

test('when every path is taken the error names the path', async () => {
  const request = { root: tempDir(), project: 'p', name: 'n', isTaken: () => true };
  await expect(chooseFolder(request)).rejects.toMatchObject({ code: 'PATH_EXISTS' });
});

test('a project that is a symbolic link is refused', async () => {
  const root = tempDir();
  symlinkSync(tempDir(), join(root, 'api'));
  const chosen = chooseFolder({ root, project: 'api', name: 'n', isTaken: free });
  await expect(chosen).rejects.toMatchObject({
    code: 'UNSAFE_PATH',
    details: { path: join(root, 'api'), root },
  });
});

test('a project that is a file and a root that is a dangling link are refused', async () => {
  const root = tempDir();
  writeFileSync(join(root, 'api'), '');
  symlinkSync('/nonexistent/x', join(root, 'lost'));
  await expect(chooseFolder({ root, project: 'api', name: 'n', isTaken: free })).rejects.toMatchObject({
    code: 'PATH_EXISTS',
  });
  const lost = { root: join(root, 'lost'), project: 'p', name: 'n', isTaken: free };
  await expect(chooseFolder(lost)).rejects.toMatchObject({ code: 'UNSAFE_PATH' });
});

const oddName = fc.oneof(
  fc.string({ unit: 'binary', maxLength: 300 }),
  fc.string({
    unit: fc.constantFrom('.', '/', '-', '\\', '\n', '\0', 'a', 'é', ' ', '~', '%'),
    maxLength: 40,
  }),
  fc.constantFrom(
    '..',
    '../x',
    '-rf',
    '.lock',
    'a//b',
    '/etc/passwd',
    'e\u0301',
    '\u00e9',
    'x'.repeat(300),
    'a\nb',
  ),
);

test('for all names the folder is two levels below the root', async () => {
  const root = realpathSync(mkdtempSync(join(tmpdir(), 'carrel-test-')));
  try {
    await fc.assert(
      fc.asyncProperty(oddName, oddName, fc.boolean(), async (project, name, isOccupied) => {
        const first = await chooseFolder({ root, project, name, isTaken: free });
        const path = await chooseFolder({
          root,
          project,
          name,
          isTaken: path => isOccupied && path === first,
        });
        const parts = relative(root, path).split('/');
        expect(parts).toHaveLength(2);
        for (const part of parts) expect(part).toMatch(/^[A-Za-z0-9_][A-Za-z0-9._-]{0,120}$/);
        expect(path === first).toBe(!isOccupied);
      }),
    );
  } finally {
    rmSync(root, { recursive: true });
  }
});
