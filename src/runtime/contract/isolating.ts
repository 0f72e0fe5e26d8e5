import { existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { runProcess } from '../../exec/run-process.js';
import type { Mount } from '../policy.js';
import { openSandbox, type RuntimeSetup, textOf } from './subject.js';
import { createNap, eventually, findNapping } from './traces.js';

export function isolatingContract(setup: RuntimeSetup): void {
  test('what is not in the policy is not visible', async () => {
    const { script } = await openSandbox(setup, (policy, { directory }) => {
      const shown = join(directory, 'shown');
      mkdirSync(shown);
      writeFileSync(join(directory, 'hidden'), 'a secret');
      const others = policy.mounts.filter(mount => mount.to !== directory);
      return {
        mounts: [...others, { kind: 'bind', from: shown, to: shown, writable: true }],
        workingDirectory: shown,
      };
    });
    expect(textOf(await script('ls -A ..'))).toBe('shown\n');
    const result = await script('cat ../hidden');
    expect(result.exitCode).not.toBe(0);
    expect(textOf(result)).toBe('');
  });

  test('a read-only mount can be read but not written', async () => {
    const { directory, script } = await openSandbox(setup, (policy, { directory }) => {
      mkdirSync(join(directory, 'fixed'));
      writeFileSync(join(directory, 'fixed/file'), 'as it was');
      const fixed = join(directory, 'fixed');
      return { mounts: [...policy.mounts, { kind: 'bind', from: fixed, to: fixed, writable: false }] };
    });
    const result = await script(
      'cat fixed/file; echo x > fixed/file; echo x > fixed/new; rm -f fixed/file; mv fixed away',
    );
    expect(textOf(result)).toBe('as it was');
    expect(result.exitCode).not.toBe(0);
    expect(readFileSync(join(directory, 'fixed/file'), 'utf8')).toBe('as it was');
    expect(existsSync(join(directory, 'fixed/new'))).toBe(false);
  });

  test('a later mount covers what an earlier one shows', async () => {
    const { directory, script } = await openSandbox(setup, (policy, { directory }) => {
      writeFileSync(join(directory, 'pointer'), 'outside');
      writeFileSync(join(directory, 'cover'), 'inside');
      const mount: Mount = {
        kind: 'bind',
        from: join(directory, 'cover'),
        to: join(directory, 'pointer'),
        writable: false,
      };
      return { mounts: [...policy.mounts, mount] };
    });
    expect(textOf(await script('cat pointer; rm -f pointer; echo x > pointer; mv pointer p'))).toBe('inside');
    expect(readFileSync(join(directory, 'pointer'), 'utf8')).toBe('outside');
  });

  test('the system is read-only, and temporary files stay inside', async () => {
    const { script } = await openSandbox(setup);
    const name = `carrel-contract-${process.pid}`;
    const result = await script(
      `echo x > /tmp/${name} && cat /tmp/${name}; echo x > /usr/${name}; echo x > /etc/${name}; echo x > /${name}`,
    );
    expect(textOf(result)).toBe('x\n');
    expect(result.exitCode).not.toBe(0);
    for (const folder of ['/tmp', '/usr', '/etc', '/']) expect(existsSync(join(folder, name))).toBe(false);
  });

  test('a memory file system is no larger than the policy says', async () => {
    const { script } = await openSandbox(setup, ({ mounts }) => ({
      mounts: [...mounts, { kind: 'tmpfs', to: '/run/small', bytes: 1024 ** 2 }],
    }));
    const result = await script(
      'head -c 500000 /dev/zero > /run/small/a && echo fits; head -c 2000000 /dev/zero > /run/small/b',
    );
    expect(textOf(result)).toBe('fits\n');
    expect(result.exitCode).not.toBe(0);
  });

  test('processes of the host are not visible', async () => {
    const { script } = await openSandbox(setup);
    const nap = createNap();
    const over = new AbortController();
    const env = { PATH: '/usr/bin:/bin' };
    const neighbour = runProcess({ command: 'sleep', args: [nap], cwd: '/', env, signal: over.signal });
    await eventually('the neighbour', () => findNapping(nap).length > 0);
    const result = await script('cat /proc/[0-9]*/cmdline');
    over.abort();
    await neighbour;
    expect(textOf(result)).toContain('cat');
    expect(textOf(result)).not.toContain(nap);
  });

  test('without network there is a loopback device and no way out', async () => {
    const { script } = await openSandbox(setup);
    const devices = textOf(await script('tail -n +3 /proc/net/dev'))
      .split('\n')
      .filter(Boolean);
    expect(devices.map(line => line.split(':')[0]?.trim())).toEqual(['lo']);
    expect(textOf(await script('tail -n +2 /proc/net/route'))).toBe('');
  });

  test('the machine has another host name inside', async () => {
    const { policy, script } = await openSandbox(setup);
    expect(textOf(await script('cat /proc/sys/kernel/hostname'))).toBe(`${policy.hostname}\n`);
  });
}
