import pc from 'picocolors';
import { expect, it } from 'vitest';
import { SAMPLE_NOW, sampleTask } from '../../../../test/helpers/task/sample-task.js';
import { createLiveView } from './live-view.js';

/** A live view with a clock and a terminal that the test controls; `taken` returns what was written since its last call. */
function openView({ verbose = false } = {}) {
  const clock = { now: SAMPLE_NOW };
  const size = { columns: 80, rows: 24 };
  let written = '';
  const view = createLiveView(sampleTask(), {
    terminal: {
      write: text => {
        written += text;
      },
      columns: () => size.columns,
      rows: () => size.rows,
    },
    paint: pc.createColors(false),
    now: () => clock.now,
    verbose,
  });
  const taken = () => {
    const text = written;
    written = '';
    return text;
  };
  return { view, clock, size, taken };
}

const UPWARDS = /\[\d+A/;
const output = {
  at: '2026-03-02T12:10:00.000Z',
  stage: 'implementation',
  attempt: 1,
  stream: 'stdout',
} as const;

it('paints on a change and once a second for the clocks, and otherwise writes nothing', () => {
  const { view, clock, taken } = openView();
  view.tick();
  expect(taken()).toContain('add a dark mode');
  clock.now += 999;
  view.tick();
  expect(taken()).toBe('');
  clock.now += 1;
  view.tick();
  expect(taken()).toContain('10m 01s');
  view.observer.onChange?.(sampleTask({ description: 'something else' }));
  expect(taken()).toBe('');
  view.tick();
  expect(taken()).toContain('something else');
});

it('repaints when the width of the terminal changes', () => {
  const { view, size, taken } = openView();
  view.tick();
  taken();
  size.columns = 40;
  view.tick();
  expect(taken()).toContain('implementation');
});

it('shows the last line of output until the agent reports an activity', () => {
  const { view, taken } = openView();
  const show = () => {
    view.tick();
    return taken();
  };
  view.observer.onLine?.({ ...output, text: 'compiling' });
  view.observer.onLine?.({ ...output, text: ' ' });
  expect(show()).toContain('      compiling');
  view.observer.onActivity?.('implementation', 'Edit src/theme.ts');
  view.observer.onLine?.({ ...output, text: '{"type":"tool"}' });
  expect(show()).toContain('      Edit src/theme.ts');
});

it('prints narration above the block, and output only with verbose', () => {
  const quiet = openView();
  quiet.view.observer.onLine?.({ ...output, text: 'of the agent' });
  quiet.view.observer.onLine?.({ ...output, stream: 'carrel', text: 'trying again in 5s' });
  quiet.view.print('setup: npm ci\n');
  quiet.view.tick();
  const written = quiet.taken();
  expect(written).toContain('trying again in 5s\n');
  expect(written).toContain('setup: npm ci\n');
  expect(written).not.toContain('| of the agent');
  const verbose = openView({ verbose: true });
  verbose.view.observer.onLine?.({ ...output, text: 'of the agent' });
  verbose.view.close();
  expect(verbose.taken()).toContain('| of the agent\n');
});

it('restores the cursor when another program has the terminal, and at the end with the last frame', () => {
  const { view, taken } = openView();
  view.tick();
  taken();
  view.pause();
  expect(taken()).toBe('\u001b[?25h');
  view.print('after Ctrl-Z\n');
  view.tick();
  const resumed = taken();
  expect(resumed).toContain('\u001b[?25l');
  expect(resumed).not.toMatch(UPWARDS);
  view.observer.onChange?.(sampleTask({ description: 'the end' }));
  view.close();
  const last = taken();
  expect(last).toContain('the end');
  expect(last.endsWith('\u001b[?25h')).toBe(true);
});
