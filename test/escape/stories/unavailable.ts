import { chmodSync, existsSync, mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect } from 'vitest';
import type { Flavour } from '../../helpers/escape/escape-flavour.js';
import type { EscapeFixture } from '../../helpers/escape/escape-workspace.js';
import { linkPrograms } from '../../helpers/sandbox/sandboxed.js';
import { testStories } from '../harness/test-story.js';

/** When the sandbox is not available, nothing runs at all: neither in a new workspace nor in one that was sandboxed. */
export function testUnavailable(flavour: Flavour): void {
  testStories(flavour, 'unavailable', tell => {
    const findings: string[] = [];

    tell('without the runtime nothing is run', async fixture => {
      const PATH = makePathWithout(fixture, ['bwrap', 'podman', 'docker']);
      findings.push(await expectRefused(fixture, { env: { ...fixture.env, PATH } }));
    });

    tell('with a runtime that is too old nothing is run', async fixture => {
      const PATH = `${makeOldRuntime(fixture)}:${fixture.env.PATH}`;
      findings.push(await expectRefused(fixture, { env: { ...fixture.env, PATH } }));
    });

    if (flavour.runtime === 'bubblewrap') {
      tell('when the kernel refuses nothing is run', async fixture => {
        findings.push(await expectRefused(fixture, { before: withoutNamespaces() }));
      });
    }

    tell('each of these is reported differently', async () => {
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
  fixture: EscapeFixture,
  { env = fixture.env, before = [] }: Surroundings,
): Promise<string> {
  const carrel = (...args: string[]) =>
    fixture.host([...before, ...fixture.carrelWords(...args, '--json')], { env });
  const up = await carrel('up', 'b', '--isolation', 'full', '--strict');
  expect(up.status, up.stdout).toBe(4);
  const mark = join(fixture.path, 'mark');
  const exec = await fixture.host(
    [...before, ...fixture.carrelWords('exec', '--json', 'a', '--', 'touch', mark)],
    {
      env,
    },
  );
  expect(JSON.parse(exec.stdout).error.code).toMatch(/^(RUNTIME_UNAVAILABLE|SANDBOX_REFUSED)$/);
  expect(existsSync(mark)).toBe(false);
  const { checks } = JSON.parse((await carrel('doctor')).stdout);
  const check = checks.find(({ name }: { name: string }) => name === fixture.flavour.runtime);
  expect(check).toMatchObject({ status: 'absent' });
  expect((await fixture.carrel('exec', 'a', '--', 'touch', mark)).status).toBe(0);
  expect(existsSync(mark), 'the control').toBe(true);
  await fixture.carrel('exec', 'a', '--', 'rm', mark);
  return check.message;
}

/** Every program of the machine but some. */
function makePathWithout(fixture: EscapeFixture, names: readonly string[]): string {
  const place = join(fixture.home, 'programs');
  linkPrograms(place, fixture.env.PATH ?? '', names);
  return place;
}

/** Reports an old version, and would run anything. */
function makeOldRuntime(fixture: EscapeFixture): string {
  const place = join(fixture.home, 'old');
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
