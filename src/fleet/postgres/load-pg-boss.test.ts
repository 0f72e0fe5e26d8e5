import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { tempDir } from '../../../test/helpers/temp.js';
import { loadPgBoss } from './load-pg-boss.js';

test('without pg-boss the error names the command that installs it', async () => {
  await expect(loadPgBoss(join(tempDir(), 'program.js'))).rejects.toMatchObject({
    code: 'FLEET_ENGINE_MISSING',
    message: "can't use PostgreSQL: pg-boss is not installed",
    hint: 'install it beside carrel with: npm install pg-boss@12.35.0',
  });
});

test('a version without a fence is refused', async () => {
  const directory = tempDir();
  const module = join(directory, 'node_modules', 'pg-boss');
  mkdirSync(module, { recursive: true });
  writeFileSync(join(module, 'package.json'), '{"name":"pg-boss","version":"10.4.2","main":"index.js"}');
  writeFileSync(join(module, 'index.js'), '');
  await expect(loadPgBoss(join(directory, 'program.js'))).rejects.toMatchObject({
    code: 'FLEET_ENGINE_MISSING',
    message: "can't use PostgreSQL: pg-boss 10.4.2 is installed; expected 12 or newer",
  });
});

test('the version that the hint names is the one that the package pins', async () => {
  const { default: manifest } = await import('../../../package.json', { with: { type: 'json' } });
  expect(manifest.peerDependencies['pg-boss']).toBe('12.35.0');
  expect(manifest.devDependencies['pg-boss']).toBe('12.35.0');
});
