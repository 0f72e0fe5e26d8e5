import { setTimeout as sleep } from 'node:timers/promises';

const PATIENCE_MS = 180_000;

/** The pool of a scene's repository, through the library. Opened at its first use, so that a build without one only misses figures. */
export function createPoolClient(scene) {
  let opened;
  const open = () => {
    opened ??= openPool(scene);
    return opened;
  };
  const client = {
    scene,
    acquire: async (kind, commit) => (await open()).pool.acquire({ commit, kind, holder: 'bench' }),
    reset: async (lease, work) => (await open()).pool.reset(lease.id, { work }),
    release: async (lease, work) => (await open()).pool.release(lease.id, { work }),
    /** Makes sure that a slot of the kind is there. The first acquire of a kind makes one, which is not timed. */
    makeSlot: async (kind, commit) => {
      const outcome = await client.release(await client.acquire(kind, commit));
      if (outcome.status !== 'free') throw new Error(`the slot was ${outcome.status}: ${outcome.reason}`);
    },
    settle: async () => {
      await waitForRemains((await open()).app);
      await scene.settle();
    },
    close: async () => {
      const { pool, app } = (await opened?.catch(() => undefined)) ?? {};
      await pool?.drain();
      await pool?.close();
      await app?.close();
    },
  };
  return client;
}

async function openPool(scene) {
  const { library, app } = await scene.openLibrary();
  if (!library.openWorkspacePool) {
    await app.close();
    throw new Error('this build has no workspace pool');
  }
  const pool = await library.openWorkspacePool(app, { repository: scene.repository.directory });
  return { app, pool };
}

/** What was set aside is captured and deleted behind the caller's back; that must not run beside the next figure. */
async function waitForRemains(app) {
  const end = performance.now() + PATIENCE_MS;
  while ((await app.store.remains.list()).length > 0) {
    if (performance.now() > end) throw new Error(`remains are not settled after ${PATIENCE_MS / 1000} s`);
    await sleep(20);
  }
}
