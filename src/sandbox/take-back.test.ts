import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { fingerprint } from '../../test/helpers/fingerprint.js';
import { git } from '../../test/helpers/repository.js';
import { makeTwoFaces } from '../../test/helpers/two-faces.js';

test('what was committed inside is on the branch outside, and nothing else of the repository has changed', async context => {
  const faces = await makeTwoFaces(context);
  const before = fingerprint(faces.repository);
  await faces.inside(
    'echo new >new.txt; git add .; git commit -qm one; echo more >>new.txt; git commit -qam two',
  );
  const taken = await faces.takeBack();
  expect(taken).toEqual({ outcome: 'taken', from: faces.base, to: faces.tip(), commits: 2 });
  expect(git(faces.repository, 'log', '--format=%s', 'carrel/a')).toBe('two\none\nfirst');
  expect(fingerprint(faces.repository)).toEqual(before);
  expect(git(faces.repository, 'fsck', '--strict')).toBe('');
  expect(existsSync(join(faces.commonDir, 'carrel'))).toBe(false);
});

test('without a new commit nothing is run', async context => {
  const faces = await makeTwoFaces(context);
  const exec = () => Promise.reject(new Error('it was run'));
  expect(await faces.takeBack({ exec })).toEqual({ outcome: 'unchanged', tip: faces.base });
});
