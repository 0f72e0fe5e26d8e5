import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { makeWorkspaceSite } from '../../../test/helpers/workspace/workspace-site.js';
import type { WorkspaceRecord } from '../../domain/workspace/workspace.js';
import { openEnvironment } from '../../operations/command/workspace-environment.js';
import type { Context } from '../../operations/context.js';
import { runChecks } from './finish-attempt.js';

test('checks run in order until one fails, which is reported with the end of its output', async () => {
  const { app, record } = await makeWorkspaceSite('worktree');
  const lines: string[] = [];
  const red = 'seq 1 9999; printf "\\033[31mred\\033[0m\\n"; printf "end\\377"; exit 3';
  const checks = ['echo fine >&2; test -f README.md', red, 'touch never'];
  const { failed } = await runChecks(placeOf(app, record), checks, {
    onLine: (stream, text) => lines.push(`${stream} ${text}`),
  });
  expect(failed).toMatchObject({ command: red, exitCode: 3, timedOut: false });
  expect(failed?.output).toMatch(/^9\d{3}\n.*9999\nred\nend\uFFFD$/s);
  expect(failed?.output.length).toBeLessThanOrEqual(4096);
  expect(lines).toContain('stdout 1');
  expect(lines).toContain('stdout \u001b[31mred\u001b[0m');
  expect(lines).toContain('stderr fine');
  expect(existsSync(join(record.path, 'never'))).toBe(false);
  expect(await runChecks(placeOf(app, record), ['true', 'test -f README.md'], {})).toEqual({});
});

test('a check that hangs is killed and reported, and a cancel is not a failure', async () => {
  const { app, record } = await makeWorkspaceSite('worktree');
  const { failed } = await runChecks(placeOf(app, record), ['echo before; sleep 600'], { timeoutMs: 300 });
  expect(failed).toMatchObject({
    timedOut: true,
    exitCode: null,
    output: 'before\nIt did not finish within 300ms.',
  });
  const controller = new AbortController();
  const running = runChecks(placeOf(app, record), ['echo started; sleep 600', 'touch never'], {
    signal: controller.signal,
    onLine: () => controller.abort(),
  });
  expect(await running).toEqual({});
  expect(existsSync(join(record.path, 'never'))).toBe(false);
});

const placeOf = (app: Context, record: WorkspaceRecord) => ({
  environment: openEnvironment(app, record),
  redactor: app.redactor,
});
