import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import type { Task } from '../../../src/domain/task/task.js';
import { sampleOf, thoroughTest } from '../../helpers/flavours.js';
import { ALIASES } from '../../helpers/group/group-site.js';
import { type GroupTasks, makeGroupTasks } from '../../helpers/group/group-tasks.js';
import { git } from '../../helpers/repository.js';

/** Each stage says in the tally that it ran, and leaves a file in `app` and in `web`. */
const twoStages = (): GroupTasks => {
  const agent = (name: string) =>
    `echo ${name} >> "$TALLY"; echo ${name} > ${name}.txt; cd "$(at web)"; echo ${name} > ${name}.txt`;
  return makeGroupTasks({
    agents: { first: agent('first'), second: agent('second') },
    stages: [
      { name: 'one', agent: 'first' },
      { name: 'two', agent: 'second' },
    ],
    workflow: { validation: [{ kind: 'file-exists', path: 'second.txt' }] },
  });
};

function kill(site: GroupTasks, moment: string, ...args: string[]): Task {
  const variables = { CARREL_TEST_KILL_AT: moment };
  const killed = site.carrel.runWith(variables, site.repositories.app, 'run', 'Do it', ...args);
  expect(killed.signal, killed.stderr).toBe('SIGKILL');
  site.ok('ls');
  return site.latest();
}

const headOf = ({ repositories = [] }: Task, alias: string) =>
  repositories.find(each => each.alias === alias)?.head as string;

/** Moments of a run, and what the agents must have done when all is over. */
const BETWEEN = ['task:committed-part.app', ['first', 'first', 'second']] as const;
const moments: readonly (readonly [string, readonly string[]])[] = [
  ['up:populated#2', ['first', 'second']],
  ['up:done', ['first', 'second']],
  ['task:workspace-ready', ['first', 'second']],
  ['task:agent-ended.one', ['first', 'first', 'second']],
  BETWEEN,
  ['task:committed-part.web', ['first', 'first', 'second']],
  ['task:committed.one', ['first', 'first', 'second']],
  ['task:stage-ended.one', ['first', 'second']],
  ['task:validating', ['first', 'second']],
  ['down:captured#2', ['first', 'second']],
];

test.each(sampleOf(moments, BETWEEN))(
  'a task in two repositories that is killed at %s goes on after the last finished stage',
  (moment, ran) => {
    const site = twoStages();
    const before = site.fingerprints();
    const killed = kill(site, moment);
    // At the end the task itself is done; recovery removes its workspace, or leaves all of it.
    const isOver = moment.startsWith('down:');
    expect(killed.status).toBe(isOver ? 'succeeded' : 'interrupted');
    const done = isOver ? killed : site.retry(killed.id);
    expect(done).toMatchObject({ status: 'succeeded' });
    expect(site.tally()).toEqual(ran);
    for (const alias of ['app', 'web'] as const)
      expect(git(site.repositories[alias], 'show', `${headOf(done, alias)}:second.txt`)).toBe('second');
    expect(site.fingerprints()).toEqual(before);
    expect([0, 2]).toContain(site.settle().length);
  },
);

test.each(sampleOf(['land:merged', 'land:moved', 'land:checked-out#2', 'land:done', 'task:delivered']))(
  'a delivery that is killed at %s is completed in all repositories by a retry',
  moment => {
    const site = twoStages();
    const tips = site.tips();
    const { id, status } = kill(site, moment, '--land');
    expect(status).toBe('interrupted');
    const isLanded = ['land:done', 'task:delivered'].includes(moment);
    expect(site.tips().web === tips.web).toBe(!isLanded);
    expect(site.tips().app === tips.app).toBe(!isLanded);
    const done = site.retry(id);
    expect(done).toMatchObject({ status: 'succeeded', landed: { into: 'main' } });
    for (const alias of ALIASES) {
      expect(git(site.repositories[alias], 'status', '--porcelain')).toBe('');
      expect(existsSync(join(site.repositories[alias], 'second.txt'))).toBe(alias !== 'api');
    }
    expect(site.settle()).toEqual([]);
  },
);

thoroughTest(
  'landing the branches of a task, killed while its temporary workspace is made or removed, has landed all or none',
  () => {
    for (const moment of ['up:populated#2', 'down:captured#2'] as const) {
      const site = twoStages();
      const done = site.run();
      const tips = site.tips();
      site.killAt(moment, 'land', done.id);
      site.settle();
      if (moment.startsWith('down:')) {
        expect(site.carrel.error(site.repositories.app, 'land', done.id).code).toBe('LAND_NOTHING');
      } else {
        expect(site.tips()).toEqual(tips);
        site.ok('land', done.id);
      }
      expect(site.tips()).toEqual({ app: headOf(done, 'app'), web: headOf(done, 'web'), api: tips.api });
      expect(site.settle()).toEqual([]);
    }
  },
);
