import pc from 'picocolors';
import { expect, it } from 'vitest';
import { sampleAttempt, sampleRun } from '../../../../test/helpers/batch/sample-run.js';
import { createBatchPicture } from './batch-view.js';

/** A terminal and a clock that the test controls. */
function makePicture() {
  const seen = { text: '', columns: 80, now: 0 };
  const picture = createBatchPicture(sampleRun(), {
    terminal: {
      write: text => {
        seen.text += text;
      },
      columns: () => seen.columns,
      rows: () => 24,
    },
    paint: pc.createColors(false),
    now: () => seen.now,
  });
  const tick = () => {
    seen.text = '';
    picture.tick();
    return seen.text;
  };
  return { picture, seen, tick };
}

const progress = {
  ...{ total: 3, done: 1, doneBefore: 0, costUsd: null, slots: [], startedAt: 0, draining: null },
  totals: { passed: 1, failed: 0, errors: 0, cancelled: 0 },
};

it('paints on a change, when the clock must advance, and when the width changes', () => {
  const { picture, seen, tick } = makePicture();
  expect(tick()).toBe('');
  picture.observer.onChange?.(progress);
  expect(tick()).toContain('[========                ] 1/3  100% passed');
  expect(tick()).toBe('');
  seen.now = 1000;
  expect(tick()).toContain('1s, about 2s left');
  seen.columns = 50;
  expect(tick()).toContain('?7l1/3  100% passed');
});

it('prints finished attempts and other lines above the block, and restores the cursor', () => {
  const { picture, seen, tick } = makePicture();
  picture.print('a warning\n');
  picture.observer.onAttempt?.(sampleAttempt());
  expect(tick()).toContain('a warning\n✓ fix-typo-001 #1  passed  1.00  42s  $0.04\n');
  seen.text = '';
  picture.print('the last\n');
  picture.close();
  expect(seen.text).toContain('the last\n');
  expect(seen.text.endsWith('\u001b[?25h')).toBe(true);
});
