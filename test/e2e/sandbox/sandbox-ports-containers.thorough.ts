import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import type { WorkspaceDetails } from '../../../src/domain/workspace/workspace.js';
import { waitForPort } from '../../helpers/network/open-test-ports.js';
import { openTestEngine, type TestEngine } from '../../helpers/sandbox/container-engine.js';
import { ask, startServer } from '../../helpers/sandbox/port-server.js';
import { createTidyCarrel, makeFixture } from '../../helpers/workspace/test-workspace.js';
import { requirePart } from '../../parts/required-part.js';

describe.each(['podman', 'docker'] as const)('ports with %s', name => {
  let engine: TestEngine | undefined;
  beforeAll(async () => {
    engine = await openTestEngine(name);
  });
  afterAll(() => engine?.close());
  beforeEach(context => requirePart(context, engine !== undefined, name));

  test.for(['none', 'allowlist', 'full'])(
    'servers of two commands answer on this machine, with network %s',
    async network => {
      const fixture = makeFixture({
        carrel: createTidyCarrel(engine?.environment),
        up: ['--isolation', 'full', '--strict'],
        config: `sandbox:\n  runtime: ${name}\n  network: ${network}\n  allow: [good.test]\n`,
      });
      const [listed] = fixture.carrel.json<WorkspaceDetails[]>(fixture.repository, 'ls');
      const [port = 0, next = 0, third = 0] = listed?.ports ?? [];
      const first = await startServer(fixture, 'node', { says: 'first' });
      const second = await startServer(fixture, 'node', { offset: 1, says: 'second' });
      await waitForPort(port);
      await waitForPort(next);
      expect([await ask(port), await ask(next), await ask(third)]).toEqual([
        'first',
        'second',
        'ECONNREFUSED',
      ]);
      expect(await first.stop()).toBe(0);
      // If the first command forwarded it, the other one does now.
      await waitForPort(next);
      expect(await ask(next)).toBe('second');
      expect(await second.stop()).toBe(0);
      expect(first.stderr() + second.stderr()).not.toContain('another program');
      expect([await ask(port), await ask(next)]).toEqual(['ECONNREFUSED', 'ECONNREFUSED']);
      fixture.ok('down', 'a');
    },
  );
});
