import { entry } from './entry.js';

export const sandboxErrors = {
  RUNTIME_UNAVAILABLE: entry<{ runtime: string; obstacle: string; problem: string; advice: string | null }>({
    kind: 'environment',
    summary: 'The runtime that is to make the sandbox can not be used on this machine. Nothing was run.',
    message: d => `${d.runtime} can't be used: ${d.problem}`,
    hint: d => `${d.advice ?? 'install another runtime'}; what works here is shown by: carrel doctor`,
  }),
  SANDBOX_REFUSED: entry<{ runtime: string; problem: string }>({
    kind: 'environment',
    summary: 'The sandbox could not be started, although the runtime works. Nothing was run.',
    message: d => `${d.runtime} could not start the sandbox: ${d.problem}`,
    hint: () => 'look for what is missing with: carrel doctor',
  }),
  SANDBOX_DAMAGED: entry<{ workspace: string; path: string }>({
    kind: 'conflict',
    summary: 'A part of the sandbox that was made with the workspace is not there any more. Nothing was run.',
    message: d => `the sandbox of ${d.workspace} is not whole: ${d.path} is not there`,
    hint: d =>
      `its files are in place; keep them and make it anew with: carrel down ${d.workspace} --discard-changes && carrel restore ${d.workspace}`,
  }),
  SANDBOX_NOT_PAUSED: entry<{ workspace: string; problem: string }>({
    kind: 'conflict',
    summary: 'What runs in a sandbox could not be halted, and its files are not read while it writes them.',
    message: d => `the sandbox of ${d.workspace} could not be halted: ${d.problem}`,
    hint: () => 'wait until its commands have ended, and try again',
  }),
  LIMIT_NOT_ENFORCEABLE: entry<{ runtime: string; limits: readonly string[]; problem: string }>({
    kind: 'environment',
    summary: 'A limit was asked for that can not be enforced on this machine. Nothing was run.',
    message: d => `${d.runtime} can't enforce ${d.limits.join(', ')} here: ${d.problem}`,
    hint: () => 'leave the limit out, or set sandbox.limits to best-effort in your own configuration file',
  }),
  IMAGE_MISSING: entry<{ image: string; problem: string }>({
    kind: 'environment',
    summary: 'The image of a container is not on this machine and could not be fetched.',
    message: d => `there is no image ${d.image}: ${d.problem}`,
    hint: () => 'make it, or one from this machine, with: carrel image build',
  }),
  NETWORK_UNAVAILABLE: entry<{ problem: string }>({
    kind: 'environment',
    summary: 'The allow-list of the network can not be had in this sandbox. Nothing was run.',
    message: d => `the network's allow-list can't be had here: ${d.problem}`,
    hint: () => 'choose an image that has perl, python3, node or socat, or sandbox.network: none',
  }),
  TAKE_BACK_REFUSED: entry<{ workspace: string; problems: readonly string[]; unmerged: string | null }>({
    kind: 'conflict',
    summary:
      'Commits made inside a sandbox were not taken into the repository. They stay in the workspace, and snapshots hold them.',
    message: d => `the commits of ${d.workspace} were not taken back: ${d.problems.join('; ')}`,
    hint: d =>
      d.unmerged === null
        ? `look at them inside, with: carrel exec ${d.workspace} -- git log`
        : `bring both together inside, with: carrel exec ${d.workspace} -- git merge ${d.unmerged}`,
  }),
} as const;
