import { mkdirSync, symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it, onTestFinished } from 'vitest';
import { flavours } from '../../../../test/helpers/flavours.js';
import { useContainers } from '../../../../test/helpers/sandbox/container.js';
import type { EngineName } from '../../../../test/helpers/sandbox/container-engine.js';
import { tempDir } from '../../../../test/helpers/temp.js';
import { createWorkspaceId } from '../../contract/subject.js';
import { readDockerfile } from '../../dockerfile-image.js';
import type { ImageBuilder } from '../../image-builder.js';

describe.each(flavours<EngineName>('podman', 'docker'))('images of %s', name => {
  const containers = useContainers(name);

  it("are built once from a repository's Dockerfile and the files next to it", async () => {
    const root = tempDir();
    mkdirSync(join(root, '.carrel/files'), { recursive: true });
    writeFileSync(
      join(root, '.carrel/Dockerfile'),
      `FROM ${containers.image}\nCOPY files/greeting /greeting\n`,
    );
    writeFileSync(join(root, '.carrel/files/greeting'), `hello ${process.pid}`);
    const dockerfile = await requireDockerfile(root);
    const runtime = containers.createRuntime();
    const builder = runtime.images as ImageBuilder;
    onTestFinished(() => void containers.engine.cli('image', 'rm', '--force', dockerfile.image));

    expect(await builder.buildFromDockerfile(dockerfile)).toMatchObject({
      image: dockerfile.image,
      isNew: true,
    });
    expect(await builder.buildFromDockerfile(dockerfile)).toMatchObject({ isNew: false });
    const policy = containers.policy(tempDir(), { root: { kind: 'image', image: dockerfile.image } });
    const sandbox = await runtime.open(createWorkspaceId(), policy);
    const result = await sandbox.run({ command: ['cat', '/greeting'] });
    expect(result.stdout.toString()).toBe(`hello ${process.pid}`);
  });

  it('are announced before they are fetched', async () => {
    const said: string[] = [];
    const runtime = containers.createRuntime({ announce: line => said.push(line) });
    const image = '127.0.0.1:1/nothing:here';
    const sandbox = await runtime.open(
      createWorkspaceId(),
      containers.policy(tempDir(), { root: { kind: 'image', image } }),
    );
    await expect(sandbox.run({ command: ['true'] })).rejects.toMatchObject({ code: 'IMAGE_MISSING' });
    expect(said).toEqual([`fetching the image ${image}`]);
  });

  it('of a failing Dockerfile are reported with the build output', async () => {
    const root = tempDir();
    mkdirSync(join(root, '.carrel'));
    writeFileSync(join(root, '.carrel/Dockerfile'), `FROM ${containers.image}\nCOPY nothing /there\n`);
    const builder = containers.createRuntime().images as ImageBuilder;
    const failing = builder.buildFromDockerfile(await requireDockerfile(root));
    await expect(failing).rejects.toMatchObject({ code: 'IMAGE_MISSING' });
  });
});

describe('the image of this machine', () => {
  const containers = useContainers('podman');

  it('has a git, a node and a shell that work, also for an ordinary user', async () => {
    const runtime = containers.createRuntime();
    const policy = containers.policy(tempDir(), { root: { kind: 'machine' }, workingDirectory: '/tmp' });
    const sandbox = await runtime.open(createWorkspaceId(), {
      ...policy,
      user: { uid: 65_534, gid: 65_534 },
    });
    const words =
      'git init -q r && cd r && git -c user.name=a -c user.email=a@b commit -q --allow-empty -m one';
    const script = `${words} && git log --format=%s && node -p '6*7' && printf 'a\\nb\\n' | sort -r | awk '{print NR $1}'`;
    const result = await sandbox.run({ command: ['bash', '-c', script], environment: { HOME: '/tmp' } });
    expect(result.stderr.toString()).toBe('');
    expect(result.stdout.toString()).toBe('one\n42\n1b\n2a\n');
  });
});

describe('a Dockerfile', () => {
  it('is another image when a file next to it changes, but not when the configuration does', async () => {
    const root = tempDir();
    mkdirSync(join(root, '.carrel/workflows'), { recursive: true });
    expect(await readDockerfile(root)).toBeUndefined();
    writeFileSync(join(root, '.carrel/Dockerfile'), 'FROM scratch\n');
    symlinkSync('/etc/passwd', join(root, '.carrel/link'));
    const first = await requireDockerfile(root);
    expect(first.entries.map(entry => entry.path)).toEqual(['Dockerfile', 'link']);
    writeFileSync(join(root, '.carrel/config.yaml'), 'version: 1\n');
    expect((await requireDockerfile(root)).image).toBe(first.image);
    writeFileSync(join(root, '.carrel/tool'), 'x');
    expect((await requireDockerfile(root)).image).not.toBe(first.image);
  });
});

async function requireDockerfile(root: string) {
  const dockerfile = await readDockerfile(root);
  if (!dockerfile) throw new Error('no Dockerfile was found');
  return dockerfile;
}
