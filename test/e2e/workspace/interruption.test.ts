import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { identifyProcess } from '../../../src/exec/process/identify-process.js';
import { type CrashSite, makeCrashSite } from '../../helpers/crash/crash-site.js';
import { fingerprint } from '../../helpers/fingerprint.js';
import { findLeftovers } from '../../helpers/leftovers.js';
import { commitFiles, git } from '../../helpers/repository.js';
import { createSeededRandom } from '../../helpers/seeded-random.js';
import { writeFile } from '../../helpers/task/config-files.js';
import { waitForPid } from '../../helpers/wait-for.js';

function configureSlowSetup(site: CrashSite): string {
  const pidFile = join(site.carrel.home, 'setup.pid');
  writeFile(
    join(site.carrel.home, 'config/carrel/config.yaml'),
    `workspace:\n  setup: ["echo $$ > ${pidFile}; exec sleep 600"]\n`,
  );
  return pidFile;
}

/** A checkout that stands still: a filter of the user's that takes ten minutes for a file. */
function configureSlowCheckout(site: CrashSite): string {
  const pidFile = join(site.carrel.home, 'smudge.pid');
  git(site.repository, 'config', 'filter.slow.smudge', `echo $$ > ${pidFile}; sleep 600; cat`);
  git(site.repository, 'config', 'filter.slow.clean', 'cat');
  commitFiles(site.repository, { '.gitattributes': '*.slow filter=slow\n', 'a.slow': 'slow\n' });
  return pidFile;
}

describe('Ctrl-C during up', () => {
  it.each([
    ['a setup command runs', configureSlowSetup],
    ['the files are checked out', configureSlowCheckout],
  ])('while %s takes everything back before it exits with 130', async (_, configure) => {
    const site = makeCrashSite();
    const pidFile = configure(site);
    const before = fingerprint(site.repository);
    const running = site.carrel.start(site.repository, 'up', 'a', '--json');
    const pid = await waitForPid(pidFile);

    running.child.kill('SIGINT');
    const outcome = await running;

    expect(outcome).toMatchObject({ status: 130, signal: null });
    expect(JSON.parse(outcome.stdout)).toMatchObject({ error: { code: 'INTERRUPTED' } });
    expect(identifyProcess(pid)).toBeUndefined();
    // Without another command: nothing was left to recover.
    expect(findLeftovers(site)).toEqual([]);
    expect(fingerprint(site.repository)).toEqual(before);
  });

  it('twice exits at once, and the next command undoes everything', async () => {
    const site = makeCrashSite();
    const pidFile = join(site.carrel.home, 'setup.pid');
    writeFile(
      join(site.carrel.home, 'config/carrel/config.yaml'),
      `workspace:\n  setup: ["trap '' TERM; echo $$ > ${pidFile}; while :; do sleep 1; done"]\n`,
    );
    const running = site.carrel.start(site.repository, 'up', 'a');
    const pid = await waitForPid(pidFile);
    running.child.kill('SIGINT');
    running.child.stderr?.once('data', () => running.child.kill('SIGINT'));
    expect(await running).toMatchObject({ status: 130 });
    expect(site.settle()).toEqual([]);
    expect(identifyProcess(pid)).toBeUndefined();
  });

  it('at any moment leaves a whole workspace or none', async () => {
    const site = makeCrashSite();
    const random = createSeededRandom(3);
    const start = performance.now();
    site.ok('up', 'first');
    const typical = performance.now() - start;
    for (let run = 1; run <= 10; run++) {
      const running = site.carrel.start(site.repository, 'up', `run-${run}`);
      const timer = setTimeout(() => running.child.kill('SIGINT'), random.next() * typical);
      const { status, signal, stderr } = await running;
      clearTimeout(timer);
      // Before Carrel listens, the signal ends Node as it would any program.
      expect(signal ?? status, stderr).toSatisfy(end => end === 130 || end === 0 || end === 'SIGINT');
      expect(findLeftovers(site)).toEqual([]);
    }
  });
});
