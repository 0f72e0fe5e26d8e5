import { expect, test } from 'vitest';
import { createRedactor } from '../../../domain/secret/redactor.js';
import { createLogger } from './logger.js';

test('a line has control and direction characters escaped, and is the same JSON value', () => {
  const lines: string[] = [];
  const destination = { write: (line: string) => void lines.push(line) };
  const logger = createLogger({ level: 'info', destination, redactor: createRedactor() });
  const name = '\u001b[2J\u009b6n\u009d52;c;eA==\u009c\u007f\u202eexe.\u2066\u200b\u2028\ufeff';
  logger.warn({ path: name }, `left ${name}`);
  expect(lines).toHaveLength(1);
  expect(lines[0]).toMatch(/^[\x20-\x7e]+\n$/);
  expect(JSON.parse(lines[0] ?? '')).toMatchObject({ path: name, msg: `left ${name}` });
});
