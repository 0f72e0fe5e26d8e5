import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, onTestFinished, test } from 'vitest';
import { createCarrel } from '../../../test/helpers/carrel.js';
import { tempDir } from '../../../test/helpers/temp.js';
import { requireBubblewrap } from '../../../test/parts/bubblewrap.js';
import { openApp } from '../../app.js';
import { chooseOnce } from './choose-runtime-once.js';

/** A bwrap that fails until there is a file `works`, and counts the sandboxes that it starts. */
const BUBBLEWRAP = `#!/bin/sh
here=\${0%/*}
[ "$1" = --version ] && exec /usr/bin/bwrap "$@"
[ -e "$here/works" ] || exit 1
echo started >> "$here/started"
exec /usr/bin/bwrap "$@"
`;

test('a working runtime is probed once, a failing one every time', async context => {
  requireBubblewrap(context);
  const bin = tempDir();
  writeFileSync(join(bin, 'bwrap'), BUBBLEWRAP, { mode: 0o755 });
  const { env, home } = createCarrel(tempDir(), { PATH: `${bin}:${process.env.PATH}` });
  const app = await openApp({ environment: env, cwd: home });
  onTestFinished(() => app.close());
  const { probe } = await chooseOnce(app).sandboxes();
  expect(await probe('bubblewrap')).toMatchObject({ obstacle: 'refused' });
  writeFileSync(join(bin, 'works'), '');
  for (const finding of await Promise.all([probe('bubblewrap'), probe('bubblewrap')]))
    expect(finding).toMatchObject({ runtime: 'bubblewrap', obstacle: null });
  expect(await probe('bubblewrap')).toMatchObject({ obstacle: null });
  expect(readFileSync(join(bin, 'started'), 'utf8')).toBe('started\n');
});
