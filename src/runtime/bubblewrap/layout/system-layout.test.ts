import { lstatSync, statSync } from 'node:fs';
import { expect, it } from 'vitest';
import { readSystemLayout } from './system-layout.js';

it('finds the directories of the system and the links to them as they are', async () => {
  const { directories, links } = await readSystemLayout();
  expect(directories).toContain('/usr');
  for (const path of directories) expect(lstatSync(path).isDirectory()).toBe(true);
  for (const { path } of links) expect(lstatSync(path).isSymbolicLink()).toBe(true);
  const places = [...directories, ...links.map(({ path }) => path)];
  expect(places).toEqual(expect.arrayContaining(['/bin', '/lib']));
});

it('shows only world-readable files of /etc', async () => {
  const { settings, networkSettings } = await readSystemLayout();
  const shown = [...settings, ...networkSettings];
  expect(shown).toContain('/etc/nsswitch.conf');
  for (const path of shown) expect([path, statSync(path).mode & 0o004]).toEqual([path, 0o004]);
  const secret =
    /shadow|gshadow|private|ssh|sudoers|gitconfig|npmrc|pip\.conf|^\/etc\/(ssl|pki|passwd|group)$/;
  expect(shown.filter(path => secret.test(path))).toEqual([]);
});
