import { afterAll, beforeAll, describe, type TestContext, test } from 'vitest';
import { type EscapeDesk, makeEscapeDesk } from '../helpers/escape-desk.js';
import type { Flavour } from '../helpers/escape-flavour.js';
import { requirePart } from '../helpers/required-part.js';

/** Defines a test on the desk of its area. */
export type Tell = (name: string, story: (desk: EscapeDesk, context: TestContext) => Promise<void>) => void;

/** An area whose attempts need more than a program: they share one desk, which `define` gets tests for. */
export function testStories(flavour: Flavour, area: string, define: (tell: Tell) => void): void {
  describe(area, () => {
    const missing = flavour.findMissing();
    let desk: EscapeDesk;
    beforeAll(async () => {
      if (!missing) desk = await makeEscapeDesk(flavour);
    });
    afterAll(() => desk?.close());
    define((name, story) => {
      test(name, async context => {
        requirePart(context, !missing, missing ?? '');
        await story(desk, context);
      });
    });
  });
}
