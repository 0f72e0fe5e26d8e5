import { spawnSync } from 'node:child_process';
import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, onTestFinished, type TestContext, test } from 'vitest';
import { operationSteps } from '../../src/domain/journal.js';
import { type CrashSite, hashFiles, makeCrashSite } from '../helpers/crash/crash-site.js';
import { bubblewrapAsRoot, type Flavour, podman, requireFlavour } from '../helpers/escape/escape-flavour.js';
import { findByArgument } from '../helpers/escape/escape-processes.js';
import { fingerprint } from '../helpers/fingerprint.js';
import { git, writeFiles } from '../helpers/repository.js';
import { openTestEngine } from '../helpers/sandbox/container-engine.js';

// Carrel is killed at every step of making, capturing and removing a sandboxed workspace. As the user who runs the tests:
// which user that is makes no difference to what is left.
for (const flavour of [bubblewrapAsRoot, podman]) {
  describe(`${flavour.name}: Carrel, killed`, () => {
    for (const step of stepsOf('up', flavour).filter(name => name !== 'done')) {
      test(`at "${step}" of up, leaves nothing`, async context => {
        const site = await makeSite(flavour, context);
        const before = fingerprint(site.repository);
        site.killAt(`up:${step}`, ...UP);
        expect(site.settle()).toEqual([]);
        expectNothingElse(site, before);
      });
    }

    for (const step of stepsOf('snapshot', flavour)) {
      test(`at "${step}" of snapshot, leaves a workspace that works`, async context => {
        const site = await makeSite(flavour, context);
        const { path, commit, hash } = workInside(site);
        site.killAt(`snapshot:${step}`, 'snapshot', 'a');
        expect(site.settle()).toMatchObject([{ name: 'a', status: 'ready' }]);
        expect(hashFiles(path)).toBe(hash);
        expect(site.ok('exec', 'a', '--', 'git', 'rev-parse', 'HEAD')).toBe(commit);
        site.ok('down', 'a', ...ACCEPTED);
        expect(site.settle()).toEqual([]);
      });
    }

    for (const step of stepsOf('down', flavour)) {
      test(`at "${step}" of down, leaves the work in a workspace or in a snapshot`, async context => {
        const site = await makeSite(flavour, context);
        const before = fingerprint(site.repository);
        const { path, commit, hash } = workInside(site);
        site.killAt(`down:${step}`, 'down', 'a', ...ACCEPTED);
        const isUp = site.settle().length > 0;
        if (!isUp) site.ok('restore', 'a');
        expect(hashFiles(path)).toBe(hash);
        expect(git(site.repository, 'rev-parse', 'carrel/a')).toBe(commit);
        site.ok('down', 'a', ...ACCEPTED);
        expect(site.settle()).toEqual([]);
        expectNothingElse(site, before);
      });
    }
  });
}

/** What is done to files is the same for all: with containers it is the moments around their start and end that count. */
function stepsOf<Kind extends 'up' | 'snapshot' | 'down'>(kind: Kind, { runtime }: Flavour) {
  const steps: readonly string[] = operationSteps[kind];
  const aroundContainers = ['prepared', 'captured', 'set-aside', 'unregistered'];
  return runtime === 'podman' ? steps.filter(step => aroundContainers.includes(step)) : steps;
}

const UP = ['up', 'a', '--isolation', 'full', '--strict'];
const ACCEPTED = ['--discard-changes', '--discard-commits'];

async function makeSite(flavour: Flavour, context: TestContext): Promise<CrashSite> {
  const _missing = flavour.findMissing();
  requireFlavour(context, flavour);
  const engine = flavour.runtime === 'podman' ? await openTestEngine(flavour.runtime) : undefined;
  onTestFinished(() => engine?.close());
  const site = makeCrashSite(engine?.environment);
  writeFiles(site.carrel.home, { 'config/carrel/config.yaml': `sandbox:\n  runtime: ${flavour.runtime}\n` });
  return site;
}

/** Committed, changed and untracked, all from inside. */
function workInside(site: CrashSite) {
  const path = site.ok(...UP);
  const script =
    'echo one >one; git add one; git commit --quiet -m inside; echo two >one; echo three >three; git rev-parse HEAD';
  const commit = site.ok('exec', 'a', '--', 'sh', '-c', script);
  expect(git(site.repository, 'rev-parse', 'carrel/a')).toBe(commit);
  return { path, commit, hash: hashFiles(path) };
}

/** No process, mount, container or private directory of a workspace that is gone. */
function expectNothingElse(site: CrashSite, before: Record<string, string>): void {
  const sandboxes = join(site.carrel.stateDir, 'sandboxes');
  const left = existsSync(sandboxes) ? readdirSync(sandboxes).filter(name => name.startsWith('ws_')) : [];
  expect(left).toEqual([]);
  expect(findByArgument('bwrap').filter(pid => usesDirectory(pid, site.carrel.home))).toEqual([]);
  expect(readFileSync('/proc/self/mountinfo', 'utf8')).not.toContain(site.carrel.home);
  const containers = spawnSync('podman', ['ps', '--all', '--format', 'json'], { encoding: 'utf8' });
  expect(containers.stdout ?? '').not.toContain(site.carrel.home);
  expect(fingerprint(site.repository)).toEqual(before);
}

function usesDirectory(pid: number, directory: string): boolean {
  return existsSync(`/proc/${pid}`) && readFileSync(`/proc/${pid}/cmdline`, 'utf8').includes(directory);
}
