import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { expect, it } from 'vitest';
import type { ProcessIdentity } from '../../domain/process-identity.js';
import { identifyProcess } from '../process/identify-process.js';
import { hasProc } from '../process/process-table.js';
import { findOrphans, killCommandsOf, parentVariables } from './orphans.js';

const self = identifyProcess(process.pid) as ProcessIdentity;
const otherBoot = { ...self, realm: 'another boot' };
const otherStart = { ...self, startedAt: `${self.startedAt}0` };

/** The orphans that are found while processes with these variables run, as the numbers of those. */
async function findAmong(variables: readonly Record<string, string>[], parent: ProcessIdentity) {
  const children = variables.map(more =>
    spawn('/bin/sh', ['-c', 'echo started; exec sleep 600'], { env: { PATH: process.env.PATH, ...more } }),
  );
  try {
    await Promise.all(children.map(child => once(child.stdout, 'data')));
    const found = findOrphans(parent).map(({ pid }) => pid);
    return children.flatMap((child, index) => (found.includes(child.pid ?? 0) ? [index] : []));
  } finally {
    for (const child of children) child.kill('SIGKILL');
    await Promise.all(children.map(child => once(child, 'close')));
  }
}

it.runIf(hasProc())('finds what carries the variable of exactly that parent', async () => {
  expect(await findAmong([{}, parentVariables(self), parentVariables(otherStart)], self)).toEqual([1]);
});

it('finds nothing of a process of another boot or pid namespace', async () => {
  expect(await findAmong([parentVariables(self)], otherBoot)).toEqual([]);
});

it.runIf(hasProc())(
  'kills the commands of a parent, but not its git processes or those of another parent',
  async () => {
    const command = { CARREL_COMMAND_ID: 'op_1' };
    const variables = [
      { ...command, ...parentVariables(self) },
      parentVariables(self),
      { ...command, ...parentVariables(otherStart) },
    ];
    const children = variables.map(more =>
      spawn('/bin/sh', ['-c', 'echo started; exec sleep 600'], { env: { PATH: process.env.PATH, ...more } }),
    );
    const [first, ...others] = children as [(typeof children)[number], ...typeof children];
    try {
      await Promise.all(children.map(child => once(child.stdout, 'data')));
      const ended = once(first, 'close');
      killCommandsOf(self);
      expect(await ended).toEqual([null, 'SIGKILL']);
      expect(others.map(child => child.signalCode)).toEqual([null, null]);
    } finally {
      const closed = others.map(child => once(child, 'close'));
      for (const child of children) child.kill('SIGKILL');
      await Promise.all(closed);
    }
  },
);
