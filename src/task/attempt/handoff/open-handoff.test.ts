import { existsSync, readdirSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { beforeEach, describe, expect, test } from 'vitest';
import { thoroughTest } from '../../../../test/helpers/flavours.js';
import { makeWorkspaceSite } from '../../../../test/helpers/workspace/workspace-site.js';
import { requireBubblewrap } from '../../../../test/parts/bubblewrap.js';
import { openEnvironment } from '../../../operations/command/workspace-environment.js';
import { openHandoff } from './open-handoff.js';

const BINARY = Buffer.from([0, 0xff, 0x0a, 0x0d, 0x80, 0]);
const attempt = { taskId: 'task_1', stage: 'Plan: über/alles', attempt: 2 };

async function sitAt(isolation: 'worktree' | 'full') {
  const { app, record } = await makeWorkspaceSite(isolation);
  const handoff = await openHandoff(app, record, attempt);
  const sh = async (script: string): Promise<string> => {
    const { promptFile, inputDir, outputDir, filesDir } = handoff.seen;
    const environment = { PROMPT: promptFile, IN: inputDir, OUT: outputDir, FILES: filesDir };
    const result = await openEnvironment(app, record).run({ command: ['sh', '-c', script], environment });
    expect([result.exitCode, result.stderr.toString()]).toEqual([0, '']);
    return result.stdout.toString('latin1');
  };
  return { app, record, handoff, sh };
}

describe.each(['worktree', 'full'] as const)('with %s isolation', isolation => {
  beforeEach(context => (isolation === 'full' ? requireBubblewrap(context) : undefined));

  thoroughTest('an agent finds its files, and none of them is in the working tree', async () => {
    const { app, record, handoff, sh } = await sitAt(isolation);
    await handoff.place(
      new Map([
        ['prompt.md', Buffer.from('Do it.\n')],
        ['inputs/empty', Buffer.alloc(0)],
        ['inputs/a b/binary', BINARY],
        ['files/-n', Buffer.from('odd name')],
      ]),
    );
    expect(await sh('cat "$PROMPT" "$IN/empty" "$IN/a b/binary" "$FILES/-n"')).toBe(
      `Do it.\n${BINARY.toString('latin1')}odd name`,
    );
    expect(await sh('ls -A "$OUT"; ls -A "$OUT/.."; git status --porcelain --ignored')).toBe(
      'files\ninputs\noutputs\nprompt.md\n',
    );

    await handoff.place(new Map([['prompt.md', Buffer.from('Again.\n')]]));
    expect(await sh('cat "$PROMPT"; ls -A "$IN"')).toBe('Again.\n');
    await handoff.clear();
    await handoff.clear();
    expect(await sh('ls -A "$(dirname "$PROMPT")" 2>/dev/null || echo gone')).toBe('gone\n');
    if (isolation === 'full') {
      await sh('touch ~/.carrel-task');
      await expect(handoff.place(new Map())).rejects.toMatchObject({ code: 'SANDBOX_REFUSED' });
      await sh('rm ~/.carrel-task');
      const { home } = (await app.sandboxes()).placeOf(record.id);
      expect(readdirSync(home)).not.toContain('.carrel-task');
      expect(existsSync(join(app.places.stateDir, 'tasks'))).toBe(false);
    }
  });

  test('collects regular files within limits, and reports everything else', async () => {
    const { handoff, sh } = await sitAt(isolation);
    await handoff.place(new Map());
    await sh(`cd "$OUT"
      printf 'a plan\\n' > plan.md; printf '\\0\\377' > .hidden; : > empty
      mkdir -p 'deep er/x'; echo inner > 'deep er/x/..inner'
      ln -s /etc/passwd link; ln -s / directory; mkfifo pipe
      printf x > "$(printf 'two\\nlines')"
      mkdir -p 1/2/3/4/5/6/7/8; echo x > 1/2/3/4/5/6/7/8/file
      head -c 4194305 /dev/zero > large`);
    const { files, warnings } = await handoff.collect();
    expect(new Map(files.map(({ path, content }) => [path, content.toString('latin1')]))).toEqual(
      new Map([
        ['.hidden', '\0\xff'],
        ['deep er/x/..inner', 'inner\n'],
        ['empty', ''],
        ['plan.md', 'a plan\n'],
      ]),
    );
    const told = ['1/2/3/4/5/6/7/8', 'directory', 'large', 'link', 'pipe'];
    for (const name of told)
      expect(warnings).toContainEqual(expect.stringContaining(`"${name}" was left out`));
    expect(warnings).toHaveLength(told.length + 1);

    await sh('rm -r "$OUT"');
    expect(await handoff.collect()).toEqual({ files: [], warnings: [expect.stringContaining('removed')] });

    await handoff.place(new Map());
    await sh(`cd "$OUT"; for n in 1 2 3 4 5; do head -c 4194304 /dev/zero > "big$n"; done`);
    const big = await handoff.collect();
    expect(big.files.map(({ content }) => content.length)).toEqual([
      4_194_304, 4_194_304, 4_194_304, 4_194_304,
    ]);
    expect(big.warnings).toEqual([expect.stringContaining('big5')]);
    await sh(`cd "$OUT"; rm *; n=0; while [ $n -lt 90 ]; do : > "file$n"; n=$((n + 1)); done`);
    const many = await handoff.collect();
    expect(many.files).toHaveLength(64);
    expect(many.warnings).toHaveLength(17);
    expect(many.warnings.at(-1)).toBe('10 more outputs were left out');
  });
});

test('a handoff directory on the host is private to its owner, and a path outside it is refused', async () => {
  const { handoff } = await sitAt('worktree');
  await handoff.place(new Map([['files/deep/secret', Buffer.from('x')]]));
  const modeOf = (path: string) => statSync(path).mode & 0o777;
  expect(modeOf(join(handoff.seen.filesDir, '..'))).toBe(0o700);
  expect(modeOf(join(handoff.seen.filesDir, 'deep/secret'))).toBe(0o600);
  await expect(handoff.place(new Map([['../x', Buffer.alloc(0)]]))).rejects.toMatchObject({
    code: 'UNSAFE_PATH',
  });
});
