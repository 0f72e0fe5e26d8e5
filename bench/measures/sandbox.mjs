import { measureContainers } from './sandbox/containers.mjs';
import { measureCreation } from './sandbox/creation.mjs';
import { measureExec } from './sandbox/exec.mjs';
import { measurePrivateGit } from './sandbox/private-git.mjs';
import { measureTakeBack } from './sandbox/take-back.mjs';

/** What does not depend on the size of the repository is measured on the small one only. */
const parts = [
  { sizes: ['S'], measure: measureExec },
  { sizes: ['S'], measure: request => measureContainers(request, 'podman') },
  { sizes: ['S'], measure: request => measureContainers(request, 'docker') },
  { sizes: ['S', 'M'], measure: measureTakeBack },
  { sizes: ['S', 'M'], measure: measureCreation },
  { sizes: ['S', 'M', 'L'], measure: measurePrivateGit },
];

/** The runtimes of isolation `full`, each beside the plain tool that it is made of. */
export async function measureSandbox(request) {
  const figures = [];
  for (const { sizes, measure } of parts) {
    if (sizes.includes(request.size)) figures.push(...(await measure(request)));
  }
  return figures;
}
