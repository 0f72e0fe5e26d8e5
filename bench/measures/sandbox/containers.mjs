import { requireSuccess } from '../../scene/sandbox.mjs';
import { readOutput } from '../../system/process.mjs';
import { toFigures } from '../../timing/figure.mjs';
import { interleave } from '../../timing/interleave.mjs';

const TURNS_PER_REPEAT = 3;

/** A command in a container that runs: what Carrel adds to the engine's own exec. */
export async function measureContainers(request, engine) {
  const { size, repeats, [engine]: client } = request;
  const [plain, ours] = [`${engine} exec, true`, `${engine} runtime, true`];
  const rows = [
    { group: 'container', name: plain },
    { group: 'container', name: ours, reference: plain },
  ];
  try {
    const warm = await openWarm(client, engine);
    const contestants = [
      contestant(plain, () => client.scene.run(engine, 'exec', warm.container, 'true')),
      contestant(ours, async () => requireSuccess(await warm.sandbox.run({ command: ['true'] }))),
    ];
    return toFigures(rows, size, await interleave(contestants, repeats * TURNS_PER_REPEAT));
  } catch (error) {
    process.stderr.write(`${engine} skipped: ${error.message} `);
    const failures = new Map(rows.map(({ name }) => [name, error.message]));
    return toFigures(rows, size, { samples: new Map(), failures });
  } finally {
    // Its processes would keep the scene from ever becoming idle.
    await client.close();
  }
}

async function openWarm(client, engine) {
  const record = await client.workspace(`in-${engine}`);
  const sandbox = await client.openSandbox(record);
  const filter = `label=carrel.workspace=${record.id}`;
  const container = await readOutput(engine, ['ps', '--quiet', '--filter', filter], {
    env: client.scene.env,
  });
  if (!container) throw new Error(`no container of ${engine} has the ${filter}`);
  return { sandbox, container };
}

const contestant = (name, action) => ({
  name,
  turn: (_round, watch) => watch.time(name, () => undefined, action),
});
