import { entry } from './catalog-entry.js';

export const sandboxErrors = {
  RUNTIME_UNAVAILABLE: entry<{ runtime: string; obstacle: string; problem: string; advice: string | null }>({
    kind: 'environment',
    summary: 'The sandbox runtime does not work on this machine. Nothing was run.',
    message: d => `${d.runtime} can't be used: ${d.problem}`,
    hint: d => `${d.advice ?? 'install another runtime'}; see what works here with: carrel doctor`,
  }),
  SANDBOX_REFUSED: entry<{ runtime: string; problem: string }>({
    kind: 'environment',
    summary: 'The runtime works, but the sandbox did not start. Nothing was run.',
    message: d => `${d.runtime} could not start the sandbox: ${d.problem}`,
    hint: () => 'find out what is missing with: carrel doctor',
  }),
  UNSAFE_DIRECTORY: entry<{ path: string; problem: string }>({
    kind: 'user',
    summary: 'The directory must not be writable in a sandbox. Nothing was created.',
    message: d => `${d.path} can't be used in a sandbox: it ${d.problem}`,
    hint: () => 'choose the directory of one project, or copy it into a sandbox with --copy DIRECTORY',
  }),
  SANDBOX_DAMAGED: entry<{ workspace: string; path: string }>({
    kind: 'conflict',
    summary: 'A part of the sandbox that was created with the workspace is missing. Nothing was run.',
    message: d => `the sandbox of ${d.workspace} is incomplete: ${d.path} is missing`,
    hint: d =>
      `its files are intact; keep them and recreate the sandbox with: carrel down ${d.workspace} --discard-changes && carrel restore ${d.workspace}`,
  }),
  SANDBOX_NOT_PAUSED: entry<{ workspace: string; problem: string }>({
    kind: 'conflict',
    summary:
      'The processes in a sandbox could not be paused, and Carrel does not read files that may change.',
    message: d => `the sandbox of ${d.workspace} could not be paused: ${d.problem}`,
    hint: () => 'wait until its commands have finished, then try again',
  }),
  LIMIT_NOT_ENFORCEABLE: entry<{ runtime: string; limits: readonly string[]; problem: string }>({
    kind: 'environment',
    summary: 'The requested limit cannot be enforced on this machine. Nothing was run.',
    message: d => `${d.runtime} can't enforce ${d.limits.join(', ')} here: ${d.problem}`,
    hint: () => 'leave the limit out, or set sandbox.limits: best-effort in your user configuration',
  }),
  IMAGE_MISSING: entry<{ image: string; problem: string }>({
    kind: 'environment',
    summary: 'The image of a container is not on this machine and could not be fetched.',
    message: d => `the image ${d.image} is not available: ${d.problem}`,
    hint: () => 'build it, or one from this machine, with: carrel image build',
  }),
  NETWORK_UNAVAILABLE: entry<{ problem: string }>({
    kind: 'environment',
    summary: 'The network allowlist is not available in this sandbox. Nothing was run.',
    message: d => `the network allowlist is not available here: ${d.problem}`,
    hint: () => 'choose an image that has perl, python3, node or socat, or set sandbox.network: none',
  }),
  NO_ALLOW_LIST: entry<{ name: string; network: string }>({
    kind: 'user',
    summary: 'The workspace has no allowlist: it has no sandbox, or its sandbox has another kind of network.',
    message: d => `${d.name} has ${d.network}; expected a sandbox with the network allowlist`,
    hint: () =>
      'set sandbox.network: allowlist in your own file, then create a workspace with: carrel up NAME --isolation full',
  }),
  OWN_NETWORK_UNAVAILABLE: entry<{ problem: string; advice: string }>({
    kind: 'environment',
    summary:
      "`sandbox.network: full` needs a network separate from this machine's, and none is available. Nothing was run.",
    message: d => `the sandbox can't have its own network: ${d.problem}`,
    hint: d =>
      `${d.advice}; or set sandbox.network: allowlist, or host, which is weaker because it shares this machine's network`,
  }),
  TAKE_BACK_REFUSED: entry<{ workspace: string; problems: readonly string[]; unmerged: string | null }>({
    kind: 'conflict',
    summary:
      'Commits from a sandbox were not imported into the repository. They stay in the workspace and its snapshots.',
    message: d => `the commits of ${d.workspace} were not imported: ${d.problems.join('; ')}`,
    hint: d =>
      d.unmerged === null
        ? `see them in the sandbox with: carrel exec ${d.workspace} -- git log`
        : `merge both in the sandbox with: carrel exec ${d.workspace} -- git merge ${d.unmerged}`,
  }),
} as const;
