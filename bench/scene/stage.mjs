import { mkdirSync } from 'node:fs';
import { join } from 'node:path';
import { createPoolClient } from './pool.mjs';
import { createSandboxClient } from './sandbox.mjs';
import { createScene } from './scene.mjs';

const noSpare = 'pool:\n  spare: "off"\n';
const sandboxedBy = runtime => `${noSpare}sandbox:\n  runtime: ${runtime}\n`;
const configs = {
  cold: noSpare,
  spare: 'pool:\n  spare: 1\n',
  pool: 'pool:\n  spare: "off"\n  size: 6\n',
  counted: 'pool:\n  spare: 1\n  size: 6\n',
  crowded: noSpare,
  including: `${noSpare}workspace:\n  include: [node_modules]\n`,
  bubblewrap: sandboxedBy('bubblewrap'),
  podman: sandboxedBy('podman'),
  docker: sandboxedBy('docker'),
};

/** The scenes of one repository. Each is set up when a measure first asks for it, and all are taken down together. */
export function createStage(runs, repository) {
  mkdirSync(runs, { recursive: true });
  const scenes = new Map();
  const sceneOf = name => {
    if (!scenes.has(name)) {
      scenes.set(
        name,
        createScene({ runs, repository, name: join(repository.sizeName, name), config: configs[name] }),
      );
    }
    return scenes.get(name);
  };
  const sandboxes = new Map();
  const sandboxOf = name => {
    if (!sandboxes.has(name)) sandboxes.set(name, createSandboxClient(sceneOf(name)));
    return sandboxes.get(name);
  };
  let pool;
  let fresh = 0;
  return {
    get cold() {
      return sceneOf('cold');
    },
    get spare() {
      return sceneOf('spare');
    },
    get counted() {
      return sceneOf('counted');
    },
    get crowded() {
      return sceneOf('crowded');
    },
    get including() {
      return sceneOf('including');
    },
    get pool() {
      pool ??= createPoolClient(sceneOf('pool'));
      return pool;
    },
    get bubblewrap() {
      return sandboxOf('bubblewrap');
    },
    get podman() {
      return sandboxOf('podman');
    },
    get docker() {
      return sandboxOf('docker');
    },
    /** An unused one; the caller removes it. */
    freshScene: () => {
      const name = join(repository.sizeName, `fresh-${fresh++}`);
      return createScene({ runs, repository, name, config: noSpare });
    },
    async close() {
      await pool?.close();
      for (const sandbox of sandboxes.values()) await sandbox.close();
      for (const scene of scenes.values()) await scene.remove();
    },
  };
}
