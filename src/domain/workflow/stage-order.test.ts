import { expect, test } from 'vitest';
import { dependenciesOf, findReady } from './stage-order.js';

test('a plain list of stages runs from top to bottom', () => {
  const stages = [{ name: 'plan' }, { name: 'build' }, { name: 'review' }];
  expect(findReady(stages, new Set())).toEqual(['plan']);
  expect(findReady(stages, new Set(['plan']))).toEqual(['build']);
  expect(findReady(stages, new Set(['plan', 'build', 'review']))).toEqual([]);
});

test('stages that name the same dependency are ready at the same time', () => {
  const stages = [
    { name: 'plan' },
    { name: 'server', dependsOn: ['plan'] },
    { name: 'client', dependsOn: ['plan'] },
    { name: 'review', dependsOn: ['server', 'client'] },
  ];
  expect(findReady(stages, new Set(['plan']))).toEqual(['server', 'client']);
  expect(findReady(stages, new Set(['plan', 'client']))).toEqual(['server']);
  expect(findReady(stages, new Set(['plan', 'client', 'server']))).toEqual(['review']);
});

test('a stage with an empty list of dependencies starts at once', () => {
  expect(findReady([{ name: 'a' }, { name: 'b', dependsOn: [] }], new Set())).toEqual(['a', 'b']);
});

test('a stage that reads an input waits for the stage that produces it', () => {
  const stages = [
    { name: 'look', outputs: ['notes'] },
    { name: 'measure', dependsOn: [] },
    { name: 'write', dependsOn: ['measure'], inputs: ['notes'] },
  ];
  expect(dependenciesOf(stages).get('write')).toEqual(['measure', 'look']);
});
