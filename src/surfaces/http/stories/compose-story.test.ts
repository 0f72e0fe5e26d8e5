import { expect, test } from 'vitest';
import { composeStory } from './compose-story.js';
import { readWait } from './prefer-wait.js';

test('a story is text in every form', () => {
  for (const form of [
    { story: ' Add a switch ' },
    { content: 'Add a switch' },
    { description: 'Add a switch' },
  ])
    expect(composeStory(form)).toBe('Add a switch');
  expect(composeStory({ title: 'Dark mode', story: 'Add a switch' })).toBe('Dark mode\n\nAdd a switch');
  const story = {
    title: 'Dark mode',
    description: 'Add a switch',
    acceptanceCriteria: ['it is kept'],
    files: ['a.ts', 'b.ts'],
    points: 3,
  };
  expect(composeStory({ title: 'Dark mode', story })).toMatchInlineSnapshot(`
    "Dark mode

    Add a switch

    Acceptance criteria:
    - it is kept

    files:
    - a.ts
    - b.ts

    points: 3"
  `);
});

test('refuses an empty story', () => {
  for (const nothing of [{}, { story: {} }, { story: { title: ' ' } }])
    expect(() => composeStory(nothing)).toThrowError(expect.objectContaining({ code: 'INVALID_INPUT' }));
});

test('reads the preferred wait, up to ten minutes', () => {
  expect(readWait({})).toBeUndefined();
  expect(readWait({ prefer: 'respond-async, wait=10' })).toBe(10);
  expect(readWait({ prefer: 'WAIT="7"' })).toBe(7);
  expect(readWait({ prefer: 'wait=99999' })).toBe(600);
  expect(readWait({ prefer: 'wait=soon' })).toBeUndefined();
});
