import { afterAll, beforeAll, describe, type TestContext, test } from 'vitest';
import { type Flavour, requireFlavour } from '../../helpers/escape/escape-flavour.js';
import { type EscapeFixture, makeEscapeFixture } from '../../helpers/escape/escape-workspace.js';

/** Defines a test on the site of its area. */
export type Tell = (
  name: string,
  story: (fixture: EscapeFixture, context: TestContext) => Promise<void>,
) => void;

/**
 * An area whose attempts need more than a program: they share one site, on which `define` adds tests. With its
 * own where each has many commands.
 */
export function testStories(
  flavour: Flavour,
  area: string,
  define: (tell: Tell) => void,
  timeoutMs?: number,
): void {
  describe(area, () => {
    const missing = flavour.findMissing();
    let fixture: EscapeFixture;
    beforeAll(async () => {
      if (!missing) fixture = await makeEscapeFixture(flavour);
    });
    afterAll(() => fixture?.close());
    define((name, story) => {
      test(name, { ...(timeoutMs && { timeout: timeoutMs }) }, async context => {
        requireFlavour(context, flavour);
        await story(fixture, context);
      });
    });
  });
}
