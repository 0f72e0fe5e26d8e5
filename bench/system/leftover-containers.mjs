import { execFileSync } from 'node:child_process';

const ENGINES = ['podman', 'docker'];

/** Removes containers of Carrel's that show something of this directory: they outlive a bench that was interrupted. */
export function removeContainersOf(directory) {
  for (const engine of ENGINES) {
    for (const id of listContainers(engine).filter(each => shows(engine, each, directory))) {
      ask(engine, 'rm', '--force', id);
    }
  }
}

/** None where the engine is not installed or does not answer. */
function listContainers(engine) {
  try {
    return ask(engine, 'ps', '--all', '--quiet', '--filter', 'label=carrel.workspace').filter(Boolean);
  } catch {
    return [];
  }
}

function shows(engine, id, directory) {
  const format = '{{range .Mounts}}{{println .Source}}{{end}}';
  return ask(engine, 'inspect', '--format', format, id).some(source => source.startsWith(`${directory}/`));
}

const ask = (engine, ...args) =>
  execFileSync(engine, args, { encoding: 'utf8', stdio: ['ignore', 'pipe', 'ignore'], timeout: 60_000 })
    .trim()
    .split('\n');
