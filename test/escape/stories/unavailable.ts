import { chmodSync, existsSync, mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect } from 'vitest';
import type { EscapeDesk } from '../../helpers/escape-desk.js';
import type { Flavour } from '../../helpers/escape-flavour.js';
import { linkPrograms } from '../../helpers/sandboxed.js';
import { testStories } from '../test-story.js';

/** When the sandbox can't be had, nothing runs at all: neither in a new workspace nor in one that was sandboxed. */
export function testUnavailable(flavour: Flavour): void {
  testStories(flavour, 'unavailable', tell => {
    const findings: string[] = [];

    tell('without the runtime nothing is run', async desk => {
      const PATH = makePathWithout(desk, ['bwrap', 'podman', 'docker']);
      findings.push(await expectRefused(desk, { env: { ...desk.env, PATH } }));
    });

    tell('with a runtime that is too old nothing is run', async desk => {
      const PATH = `${makeOldRuntime(desk)}:${desk.env.PATH}`;
      findings.push(await expectRefused(desk, { env: { ...desk.env, PATH } }));
    });

    if (flavour.runtime === 'bubblewrap') {
      tell('when the kernel refuses nothing is run', async desk => {
        findings.push(await expectRefused(desk, { before: withoutNamespaces() }));
      });
    }

    tell('each of these is told apart from the others', async () => {
      expect(findings.length).toBeGreaterThan(1);
      expect(new Set(findings).size).toBe(findings.length);
    });
  });
}

interface Surroundings {
  readonly env?: Readonly<Record<string, string>>;
  /** Words that go before the command. */
  readonly before?: readonly string[];
}

/** Gives what the doctor says of it. */
async function expectRefused(
  desk: EscapeDesk,
  { env = desk.env, before = [] }: Surroundings,
): Promise<string> {
  const carrel = (...args: string[]) =>
    desk.host([...before, ...desk.carrelWords(...args, '--json')], { env });
  const up = await carrel('up', 'b', '--isolation', 'full', '--strict');
  expect(up.status, up.stdout).toBe(4);
  const mark = join(desk.path, 'mark');
  const exec = await desk.host([...before, ...desk.carrelWords('exec', '--json', 'a', '--', 'touch', mark)], {
    env,
  });
  expect(JSON.parse(exec.stdout).error.code).toMatch(/^(RUNTIME_UNAVAILABLE|SANDBOX_REFUSED)$/);
  expect(existsSync(mark)).toBe(false);
  const { checks } = JSON.parse((await carrel('doctor')).stdout);
  const check = checks.find(({ name }: { name: string }) => name === desk.flavour.runtime);
  expect(check).toMatchObject({ status: 'absent' });
  expect((await desk.carrel('exec', 'a', '--', 'touch', mark)).status).toBe(0);
  expect(existsSync(mark), 'the control').toBe(true);
  await desk.carrel('exec', 'a', '--', 'rm', mark);
  return check.message;
}

/** Every program of the machine but some. */
function makePathWithout(desk: EscapeDesk, names: readonly string[]): string {
  const place = join(desk.home, 'programs');
  linkPrograms(place, desk.env.PATH ?? '', names);
  return place;
}

/** Tells an old version, and would run anything that it is given. */
function makeOldRuntime(desk: EscapeDesk): string {
  const place = join(desk.home, 'old');
  mkdirSync(place);
  for (const [name, version] of [
    ['bwrap', 'bubblewrap 0.2.1'],
    ['podman', 'podman version 1.6.4'],
  ] as const) {
    const script = `#!/bin/sh
case "$1" in --version|version) echo '${version}'; exit 0;; esac
while [ $# -gt 0 ] && [ "$1" != -- ]; do shift; done
shift; exec "$@"
`;
    writeFileSync(join(place, name), script);
    chmodSync(join(place, name), 0o755);
  }
  return place;
}

/** In a user namespace that may have none below it. */
function withoutNamespaces(): string[] {
  const forbid =
    'echo 0 >/proc/sys/user/max_user_namespaces; exec setpriv --ambient-caps=-all --inh-caps=-all "$@"';
  return ['unshare', '--user', '--map-current-user', '--keep-caps', 'sh', '-c', forbid, 'sh'];
}
