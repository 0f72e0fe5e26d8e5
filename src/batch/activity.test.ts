import { expect, it } from 'vitest';
import { createActivityFilter } from './activity.js';

it('takes the last line of what an agent prints, but for what is blank or made for programs', () => {
  const activityOf = createActivityFilter();
  expect(activityOf('stdout', 'looking at src/a.ts')).toBe('looking at src/a.ts');
  expect(activityOf('stderr', '  ')).toBeUndefined();
  expect(activityOf('stdout', '{"type":"init"}')).toBeUndefined();
});

it('hears only what an agent says that it does, once it says so', () => {
  const activityOf = createActivityFilter();
  expect(activityOf('activity', 'Edit src/a.ts')).toBe('Edit src/a.ts');
  expect(activityOf('stdout', 'something else')).toBeUndefined();
  expect(activityOf('activity', 'Bash npm test')).toBe('Bash npm test');
});
