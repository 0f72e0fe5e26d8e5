import { existsSync, readFileSync } from 'node:fs';
import { getPriority } from 'node:os';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { tempDir } from '../../test/helpers/temp.js';
import { waitFor } from '../../test/helpers/wait-for.js';
import { startBackground } from './background-process.js';
import { isAlive } from './process/identify-process.js';

const environment = { PATH: process.env.PATH ?? '' };

describe('startBackground', () => {
  it('starts a process with low priority that is identified by its identity and exits on its own', async () => {
    const directory = tempDir();
    const script = 'while [ ! -e go ]; do sleep 0.01; done; echo "$$ $ONLY" > done.tmp; mv done.tmp done';
    const identity = startBackground({
      command: ['/bin/sh', '-c', script],
      environment: { ...environment, ONLY: 'this' },
      cwd: directory,
    });
    expect(identity && isAlive(identity)).toBe('alive');
    expect(getPriority(identity?.pid ?? 0)).toBeGreaterThan(0);
    startBackground({ command: ['/bin/sh', '-c', 'touch go'], environment, cwd: directory });
    await waitFor('its file', () => existsSync(join(directory, 'done')) || undefined);
    expect(readFileSync(join(directory, 'done'), 'utf8')).toBe(`${identity?.pid} this\n`);
    await waitFor('its end', () => (identity && isAlive(identity) === 'dead') || undefined);
  });

  it('keeps the normal priority when a caller waits for it', () => {
    const identity = startBackground({
      command: ['/bin/sleep', '60'],
      environment,
      cwd: '/',
      priority: 'normal',
    });
    const pid = identity?.pid ?? 0;
    try {
      expect(getPriority(pid)).toBe(getPriority());
    } finally {
      process.kill(pid, 'SIGKILL');
    }
  });

  it('returns undefined when there is no such program', () => {
    const command = ['/no/such/program'] as const;
    expect(startBackground({ command: [...command], environment, cwd: '/' })).toBeUndefined();
  });
});
