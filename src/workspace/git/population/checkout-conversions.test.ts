import { expect, test } from 'vitest';
import { testGit } from '../../../../test/helpers/git/test-git.js';
import { makeRepository, git as plainGit } from '../../../../test/helpers/repository.js';
import { findObstacle, listConverted } from './checkout-conversions.js';

const placeOf = (workTree: string) => ({ gitDir: `${workTree}/.git`, workTree });

const OBSTACLES: Record<string, string> = {
  'core.autocrlf=true': 'core.autocrlf changes line endings',
  'core.autocrlf=Input': 'core.autocrlf changes line endings',
  'core.autocrlf=1': 'core.autocrlf changes line endings',
  'core.eol=crlf': 'core.eol changes line endings',
  'core.symlinks=false': 'symbolic links are off (core.symlinks)',
  'core.symlinks=0': 'symbolic links are off (core.symlinks)',
  'core.sparseCheckout=true': 'the checkout is sparse',
  'remote.origin.promisor=true': 'the repository is a partial clone',
  'extensions.partialClone=origin': 'the repository is a partial clone',
};

test.each(Object.entries(OBSTACLES))('%s prevents cloning: %s', async (setting, reason) => {
  const repository = makeRepository();
  plainGit(repository, 'config', ...(setting.split('=') as [string, string]));
  expect(await findObstacle(testGit(), placeOf(repository))).toBe(reason);
});

test.each([
  'core.autocrlf=false',
  'core.autocrlf=off',
  'core.eol=lf',
  'core.symlinks=true',
  'core.sparseCheckout=no',
])('%s does not prevent cloning', async setting => {
  const repository = makeRepository();
  plainGit(repository, 'config', ...(setting.split('=') as [string, string]));
  expect(await findObstacle(testGit(), placeOf(repository))).toBeUndefined();
});

test('finds files converted by attributes from any source, and ignores attributes that change nothing', async () => {
  const repository = makeRepository({
    '.gitattributes':
      '* text=auto\n*.bat eol=crlf\n*.sh eol=lf\n*.bin binary\n*.psd filter=lfs\n*.raw filter=lfs -filter\n',
    'deep/.gitattributes': '*.id ident\n*.u working-tree-encoding=UTF-16\n',
    '.git/info/attributes': 'named.txt filter=x\n',
  });
  const plain = ['a.txt', 'x.sh', 'x.bin', 'x.raw', 'x.id', 'deep/x.txt'];
  const converted = ['x.bat', 'x.psd', 'deep/x.id', 'deep/x.u', 'named.txt', 'odd/new\nline.bat', '\xff.bat'];
  const found = await listConverted(testGit(), placeOf(repository), [...plain, ...converted]);
  expect([...found].sort()).toEqual(converted.sort());
});
