import { spawnSync } from 'node:child_process';
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { useContainers } from '../../../test/helpers/sandbox/container.js';
import { tempDir } from '../../../test/helpers/temp.js';
import { isRoot, requirePart } from '../../../test/parts/required-part.js';
import type { Policy } from '../policy.js';
import { ociSeccompProfile } from '../seccomp/oci-profile.js';
import { containerArguments } from './arguments.js';

describe.each(['podman', 'docker'] as const)('with %s', engine => {
  const containers = useContainers(engine);

  it('mounts paths with spaces, commas, quotes, colons, equals signs and line breaks', () => {
    const root = tempDir();
    const odd = [' a b ', 'a,b', 'a"b', 'a:b', 'a=b', 'a\nb', 'readonly', "a'b\\c"].map(name =>
      join(root, name),
    );
    for (const path of odd) {
      mkdirSync(path);
      writeFileSync(join(path, 'from'), path);
    }
    const policy = containers.policy(root, {
      mounts: odd.map(path => ({ kind: 'bind', from: path, to: path, writable: path.endsWith('b') })),
    });
    const script = 'for at; do cat "$at/from" > "$at/to"; done 2>/dev/null; for at; do cat "$at/from"; done';
    const { stdout } = run(policy, script, ...odd);
    expect(stdout).toBe(odd.join(''));
    for (const path of odd.filter(path => path.endsWith('b')))
      expect(readFileSync(join(path, 'to'), 'utf8')).toBe(path);
    expect(() => readFileSync(join(root, 'readonly', 'to'))).toThrow();
  });

  it('applies limits, and makes only a few paths writable', () => {
    const root = tempDir();
    const policy = containers.policy(root, {
      limits: { cpu: 1, memory: 50_000_000, pids: 50, fileSize: 2_048_000 },
    });
    const script = `cd "$1"; ulimit -f; head -c 3000000 /dev/zero > large || echo limited
      for at in / /usr /etc /home /sys /proc/sys; do touch $at/x 2>/dev/null && echo $at; done
      for at in /tmp /var/tmp /dev/shm /run; do touch $at/x && echo $at; done
      grep -E '^(CapEff|NoNewPrivs|Seccomp):' /proc/self/status; env | grep -c SECRET`;
    const { stdout } = run({ ...policy, environment: { SECRET: 'x' } }, script, root);
    expect(stdout.replaceAll('\t', ' ')).toMatch(
      /^\d+\nlimited\n\/tmp\n\/var\/tmp\n\/dev\/shm\n\/run\nCapEff: 0+\nNoNewPrivs: 1\nSeccomp: 2\n0\n$/,
    );
  });

  it.runIf(engine === 'podman')('writes of an overlay go to its upper directory', context => {
    requirePart(context, isRoot, 'root');
    const root = tempDir();
    const [lower, upper, work, to] = ['lower', 'upper', 'work', 'to'].map(name => join(root, name)) as [
      string,
      string,
      string,
      string,
    ];
    for (const path of [lower, upper, work, to]) mkdirSync(path);
    writeFileSync(join(lower, 'file'), 'below\n');
    const policy = containers.policy(root, { mounts: [{ kind: 'overlay', lower, upper, work, to }] });
    const { stdout } = run(policy, 'cat "$1/file"; echo above > "$1/file"; cat "$1/file"', to);
    expect(stdout).toBe('below\nabove\n');
    expect(readFileSync(join(lower, 'file'), 'utf8')).toBe('below\n');
    expect(readFileSync(join(upper, 'file'), 'utf8')).toBe('above\n');
  });

  function run(policy: Policy, script: string, ...args: string[]) {
    const seccompFile = join(tempDir(), 'profile.json');
    writeFileSync(seccompFile, JSON.stringify(ociSeccompProfile(process.arch, { nested: false }, engine)));
    const rendered = containerArguments(policy, {
      engine,
      image: containers.image,
      name: `carrel-test-${process.pid}`,
      labels: {},
      seccompFile,
      isRootless: engine === 'podman' && !isRoot,
      scratchBytes: 4_000_000,
      hardLimits: { openFiles: 4096, processes: 4096 },
      command: ['sh', '-c', script, 'sh', ...args],
    });
    const env = containers.engine.environment;
    return spawnSync(engine, ['run', '--rm', ...rendered], { env, encoding: 'utf8' });
  }
});
