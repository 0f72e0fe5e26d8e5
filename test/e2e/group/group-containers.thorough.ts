import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import type { RemovalResult } from '../../../src/domain/report/result.js';
import type { Workspace } from '../../../src/domain/workspace/workspace.js';
import { makeGroupSite } from '../../helpers/group/group-site.js';
import { git, writeFiles } from '../../helpers/repository.js';
import { openTestEngine, type TestEngine } from '../../helpers/sandbox/container-engine.js';
import { requirePart } from '../../parts/required-part.js';

describe.each(['podman', 'docker'] as const)('with %s', name => {
  let engine: TestEngine | undefined;
  beforeAll(async () => {
    engine = await openTestEngine(name);
  });
  afterAll(() => engine?.close());
  beforeEach(context => requirePart(context, engine !== undefined, name));

  test('one container holds all repositories, also after they were restored', () => {
    const site = makeGroupSite(engine?.environment);
    const { carrel, repositories } = site;
    writeFiles(carrel.home, { 'config/carrel/config.yaml': `sandbox: {runtime: ${name}}\n` });
    const full = ['--isolation', 'full', '--strict', '--with-repository', '../web'];
    const made = carrel.json<Workspace>(repositories.app, 'up', 'login', ...full);
    expect(made.runtime).toBe(name);
    const ids = [repositories.app, repositories.web].map(
      repository => carrel.json<Workspace>(repository, 'show', 'login').id,
    );
    // Other tests have containers, too.
    const running = () =>
      engine
        ?.cli('ps', '--format', '{{.Names}}')
        .stdout.split('\n')
        .filter(line => ids.some(id => line.includes(id))).length;
    const web = made.repositories?.[1]?.path as string;
    const inside = (script: string, repository = repositories.app) =>
      carrel.ok(repository, 'exec', 'login', '--', 'sh', '-ec', script);
    const commit = (text: string) => `cd ${web}; echo ${text} > new.txt; git add .; git commit -qm ${text}`;
    inside(commit('two'));
    inside(`${commit('three')}; echo x > ~/kept`, repositories.web);
    expect(running()).toBe(1);
    expect(git(repositories.web, 'log', '--format=%s', 'carrel/login')).toBe('three\ntwo\nfirst');
    const down = ['down', 'login', '--discard-changes', '--discard-commits'];
    const { snapshot } = carrel.json<RemovalResult>(repositories.app, ...down);
    expect([running(), site.settle()]).toEqual([0, []]);
    carrel.json<Workspace>(repositories.app, 'restore', String(snapshot));
    expect(inside(`cat ~/kept; git -C ${web} log -1 --format=%s`)).toBe('x\nthree');
    site.ok(...down);
    expect([running(), site.settle()]).toEqual([0, []]);
  });
});
