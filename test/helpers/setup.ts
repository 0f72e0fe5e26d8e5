import { readdirSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { afterEach, beforeEach, expect } from 'vitest';
import { ownChildren } from './machine/processes.js';

/** A test that leaves a process or a temporary directory behind fails. */
let before: ReadonlySet<string>;

beforeEach(() => {
  before = new Set(leftovers());
});

afterEach(async () => {
  // Cleanup registered by the test itself (onTestFinished) runs after this hook, so its directories are not looked at;
  // what Carrel itself puts into the temporary directory is.
  const deadline = Date.now() + 2000;
  // A server in this process may be at the end of a request whose browser has left.
  while (ownChildren().length + newLeftovers().length > 0 && Date.now() < deadline)
    await new Promise(resolve => setTimeout(resolve, 20));
  expect(ownChildren(), 'processes left behind').toEqual([]);
  expect(newLeftovers(), 'temporary directories left behind').toEqual([]);
});

const newLeftovers = (): string[] => leftovers().filter(name => !before.has(name));

function leftovers(): string[] {
  return readdirSync(tmpdir()).filter(name => name.startsWith(`carrel-${process.pid}-`));
}
