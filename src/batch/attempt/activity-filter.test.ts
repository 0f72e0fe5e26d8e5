import { expect, it } from 'vitest';
import { createActivityFilter } from './activity-filter.js';

it("takes the last line of an agent's output, except blank lines and JSON", () => {
  const activityOf = createActivityFilter();
  expect(activityOf('stdout', 'looking at src/a.ts')).toBe('looking at src/a.ts');
  expect(activityOf('stderr', '  ')).toBeUndefined();
  expect(activityOf('stdout', '{"type":"init"}')).toBeUndefined();
});

it('uses only reported activities once an agent reports one', () => {
  const activityOf = createActivityFilter();
  expect(activityOf('activity', 'Edit src/a.ts')).toBe('Edit src/a.ts');
  expect(activityOf('stdout', 'something else')).toBeUndefined();
  expect(activityOf('activity', 'Bash npm test')).toBe('Bash npm test');
});
