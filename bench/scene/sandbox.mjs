/**
 * Workspaces with isolation `full` of one scene, through the library. Everything is opened at its first use, so that a
 * machine without the runtime only misses figures.
 */
export function createSandboxClient(scene) {
  const workspaces = new Map();
  let opened;
  const open = () => {
    opened ??= openSandboxes(scene);
    return opened;
  };
  return {
    scene,
    open,
    /** The record of the workspace of this name, which is created on first use. */
    workspace: name => {
      if (!workspaces.has(name)) workspaces.set(name, makeWorkspace(open, scene, name));
      return workspaces.get(name);
    },
    /** Runs a command as Carrel does, with everything around it. */
    run: async (record, command) => requireSuccess(await runInside(await open(), record, command)),
    /** The sandbox itself, as the runtime makes it. */
    openSandbox: async record => findSandbox(await open(), record),
    /** Idempotent. */
    close: async () => {
      const [made, { app }] = [[...workspaces.values()], (await opened?.catch(() => undefined)) ?? {}];
      workspaces.clear();
      for (const workspace of made) await removeWorkspace(scene, await workspace.catch(() => undefined));
      await app?.close();
    },
  };
}

export function requireSuccess(result) {
  if (result.exitCode === 0) return result;
  throw new Error(`the command ended with ${result.exitCode ?? result.signal}: ${result.stderr}`);
}

async function openSandboxes(scene) {
  const { library, app } = await scene.openLibrary();
  return { library, app, sandboxes: await app.sandboxes() };
}

async function makeWorkspace(open, scene, name) {
  const { library, app } = await open();
  const request = { repository: scene.repository.directory, name, isolation: 'full', strict: true };
  const { id } = await library.up(app, request);
  return app.store.workspaces.find(id);
}

let commands = 0;

async function runInside({ sandboxes }, record, command) {
  const { result } = await sandboxes.run(record, { id: `op_bench${commands++}`, command });
  return result;
}

/** The policy of a workspace is internal, so its sandbox is intercepted as Carrel itself opens it. */
async function findSandbox(opened, record) {
  const runtime = opened.sandboxes.runtimes[record.runtime];
  const { open } = runtime;
  let sandbox;
  runtime.open = async (...request) => {
    sandbox = await open.apply(runtime, request);
    return sandbox;
  };
  try {
    requireSuccess(await runInside(opened, record, ['true']));
  } finally {
    runtime.open = open;
  }
  return sandbox;
}

async function removeWorkspace(scene, record) {
  if (!record) return;
  await scene.carrel('down', record.name, '--discard-changes', '--discard-commits', '--stop-processes');
}
