import { requireFiles, requireGone } from '../../repository/proof.mjs';
import { toFigures } from '../../timing/figure.mjs';
import { interleave } from '../../timing/interleave.mjs';

const MODES = ['worktree', 'full'];
const upOf = mode => `carrel up --isolation ${mode}`;
const downOf = mode => `carrel down, ${mode}`;

const rows = [upOf, downOf].flatMap(nameOf =>
  MODES.map(mode => ({
    group: 'full',
    name: nameOf(mode),
    by: upOf(mode),
    reference: mode === 'full' ? nameOf('worktree') : null,
  })),
);

/** What a sandbox adds to getting a workspace and to removing it. */
export async function measureCreation({ size, repeats, bubblewrap }) {
  const contestants = MODES.map(mode => upAndDown(bubblewrap.scene, size, mode));
  return toFigures(rows, size, await interleave(contestants, repeats));
}

function upAndDown(scene, size, mode) {
  const turn = async (round, watch) => {
    const name = `${mode}-${round}`;
    await watch.time(upOf(mode), scene.settle, () =>
      scene.carrel('up', name, '--isolation', mode, '--strict'),
    );
    const { path } = await scene.askCarrel('path', name);
    requireFiles(path, size);
    await watch.time(
      downOf(mode),
      scene.settle,
      () => scene.carrel('down', name),
      () => requireGone(path),
    );
  };
  return { name: upOf(mode), turn };
}
