import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, beforeEach, describe, expect, onTestFinished, test } from 'vitest';
import { z } from 'zod';
import { type Carrel, createCarrel } from '../../helpers/carrel.js';
import { git, makeRepository } from '../../helpers/repository.js';
import { openTestEngine, type TestEngine } from '../../helpers/sandbox/container-engine.js';
import { tempDir } from '../../helpers/temp.js';
import { requirePart } from '../../parts/required-part.js';

describe('carrel image build', () => {
  let engine: TestEngine | undefined;
  beforeAll(async () => {
    engine = await openTestEngine('podman');
  });
  afterAll(() => engine?.close());
  beforeEach(context => requirePart(context, engine !== undefined, 'podman'));
  const open = (): Carrel => createCarrel(tempDir(), { ...engine?.environment });

  test("makes an image of this machine's programs, once, and prints its name", () => {
    const [carrel, directory] = [open(), tempDir()];
    const first = carrel.run(directory, 'image', 'build', '--engine', 'podman');
    expect(first.stderr).toMatch(/(built|already built) from this machine's programs, .*, for podman/);
    expect(first.stdout).toMatch(/^localhost\/carrel-host:[0-9a-f]{16}\n$/);
    const again = carrel.run(directory, 'image', 'build');
    expect(again.stderr).toContain('already built');
    expect(again.stdout).toBe(first.stdout);
  });

  test('builds the Dockerfile of a repository, and answers with the published shape', () => {
    const [carrel, repository] = [open(), makeRepository()];
    mkdirSync(join(repository, '.carrel'));
    const { stdout: base } = carrel.run(repository, 'image', 'build', '--machine');
    writeFileSync(join(repository, '.carrel/Dockerfile'), `FROM ${base}LABEL test=${process.pid}\n`);
    const { stdout, stderr } = carrel.run(repository, 'image', 'build', '--json');
    const report = JSON.parse(stdout);
    onTestFinished(() => void engine?.cli('image', 'rm', '--force', report.image));
    expect(report, stderr).toMatchObject({ engine: 'podman', from: 'dockerfile', isNew: true });
    const schema = carrel.json<z.core.JSONSchema.JSONSchema>(repository, 'schema', 'image');
    expect(z.fromJSONSchema(schema).safeParse(report).error?.issues ?? []).toEqual([]);
  });

  test('a strategy container prefers the engine to another sandbox', () => {
    const [carrel, repository] = [open(), makeRepository()];
    mkdirSync(join(repository, '.carrel'));
    writeFileSync(join(repository, '.carrel/config.yaml'), 'workspace:\n  defaultStrategy: container\n');
    expect(carrel.json(repository, 'up', 'x')).toMatchObject({
      runtime: 'podman',
      isolation: { requested: 'full', effective: 'full' },
    });
    const script = 'cd /workspace; git commit -q --allow-empty -m there; echo $HOME; git status --short';
    expect(carrel.ok(repository, 'exec', 'x', '--', 'sh', '-ec', script)).toBe('/home/agent');
    expect(git(repository, 'log', '-1', '--format=%s', 'carrel/x')).toBe('there');
    carrel.ok(repository, 'down', 'x', '--discard-commits');
  });

  test('reports what is missing when there is no engine', () => {
    const carrel = createCarrel(tempDir(), { PATH: tempDir() });
    const { status, stderr, stdout } = carrel.run(tempDir(), 'image', 'build');
    expect(stdout).toBe('');
    expect(stderr).toContain('podman is not installed');
    expect(status).toBe(4);
  });
});
