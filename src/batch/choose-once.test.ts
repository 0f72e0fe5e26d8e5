import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, onTestFinished, test } from 'vitest';
import { createCarrel } from '../../test/helpers/carrel.js';
import { requireBubblewrap } from '../../test/helpers/sandboxed.js';
import { tempDir } from '../../test/helpers/temp.js';
import { openApp } from '../app.js';
import { chooseOnce } from './choose-once.js';

/** A bwrap that starts no sandbox before there is a file `works`, and counts those that it starts. */
const BUBBLEWRAP = `#!/bin/sh
here=\${0%/*}
[ "$1" = --version ] && exec /usr/bin/bwrap "$@"
[ -e "$here/works" ] || exit 1
echo started >> "$here/started"
exec /usr/bin/bwrap "$@"
`;

test('a runtime that works is tried once, and one that does not is tried again', async context => {
  requireBubblewrap(context);
  const bin = tempDir();
  writeFileSync(join(bin, 'bwrap'), BUBBLEWRAP, { mode: 0o755 });
  const { env, home } = createCarrel(tempDir(), { PATH: `${bin}:${process.env.PATH}` });
  const app = await openApp({ environment: env, cwd: home });
  onTestFinished(() => app.close());
  const { choose } = await chooseOnce(app).sandboxes();
  const wish = { runtime: 'bubblewrap', wantsImage: false } as const;
  expect(await choose(wish)).toMatchObject({ runtime: null });
  writeFileSync(join(bin, 'works'), '');
  for (const choice of await Promise.all([choose(wish), choose(wish)]))
    expect(choice).toMatchObject({ runtime: 'bubblewrap', finding: { obstacle: null } });
  expect(await choose(wish)).toMatchObject({ runtime: 'bubblewrap' });
  expect(readFileSync(join(bin, 'started'), 'utf8')).toBe('started\n');
});
