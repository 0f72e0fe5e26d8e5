import { chmodSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { flavours } from '../../../test/helpers/flavours.js';
import { useContainers } from '../../../test/helpers/sandbox/container.js';
import type { EngineName } from '../../../test/helpers/sandbox/container-engine.js';
import { tempDir } from '../../../test/helpers/temp.js';

/** A program with this name that prints what an engine of that version prints. */
function fakeEngine(name: string, version: string): string {
  const directory = tempDir();
  const answer = JSON.stringify({ Client: { Version: version }, Server: { Version: version } });
  writeFileSync(join(directory, name), `#!/bin/sh\n[ "$1" = version ] && echo '${answer}'\n`);
  chmodSync(join(directory, name), 0o755);
  return directory;
}

describe.each(flavours<EngineName>('docker', 'podman'))('the probe of %s', name => {
  const containers = useContainers(name);
  const probe = (environment: Record<string, string>) =>
    containers.createRuntime({ environment: { ...containers.engine.environment, ...environment } }).probe();

  it('works if it can run a container', async () => {
    const finding = await probe({});
    expect(finding).toMatchObject({ runtime: name, obstacle: null, hint: null });
    expect(finding.version).toMatch(/^\d+\.\d+/);
    expect(finding.limits).toEqual(expect.arrayContaining(['fileSize', 'disk', 'time']));
  });

  it('reports that it is not installed', async () => {
    const finding = await probe({ PATH: tempDir() });
    expect(finding).toMatchObject({ obstacle: 'not-installed', version: null, limits: [] });
    expect(finding.hint).toContain('install');
  });

  it('ignores an engine in a relative PATH directory', async () => {
    expect(await probe({ PATH: `.:bin:${tempDir()}` })).toMatchObject({ obstacle: 'not-installed' });
  });

  it('reports that it is too old', async () => {
    const version = name === 'podman' ? '3.4.4' : '19.03.15';
    expect(await probe({ PATH: `${fakeEngine(name, version)}:/usr/bin:/bin` })).toMatchObject({
      obstacle: 'too-old',
      version,
    });
  });

  it('reports that it answers but starts nothing', async () => {
    const version = '99.1.0';
    const finding = await probe({ PATH: `${fakeEngine(name, version)}:/usr/bin:/bin` });
    expect(finding.obstacle).toBe('refused');
  });
});

describe('the probe of docker without its daemon', () => {
  const containers = useContainers('docker');

  it('reports that the daemon does not run', async () => {
    const environment = { ...containers.engine.environment, DOCKER_HOST: `unix://${tempDir()}/socket` };
    const finding = await containers.createRuntime({ environment }).probe();
    expect(finding).toMatchObject({ obstacle: 'daemon-not-running' });
    expect(finding.version).toMatch(/^\d+\./);
    expect(finding.hint).toContain('systemctl start docker');
  });
});
