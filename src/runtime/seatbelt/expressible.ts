import { carrelError } from '../../domain/error/error.js';
import type { Mount, Policy } from '../policy.js';

/**
 * Seatbelt decides about paths as they are; it can't show files at other paths or cover them. A policy that needs more
 * is refused, never rendered without the part that it can't express. SANDBOX_REFUSED.
 */
export function requireExpressible(policy: Policy, uid: number): void {
  const problem = findProblem(policy, uid);
  if (problem !== undefined) throw refused(problem);
}

export const refused = (problem: string): Error =>
  carrelError('SANDBOX_REFUSED', { runtime: 'seatbelt', problem });

function findProblem(policy: Policy, uid: number): string | undefined {
  if (policy.root.kind === 'image') return "it uses this machine's files and does not support images";
  if (policy.privileged) return 'sandbox.privileged is for containers only';
  if (policy.network === 'full')
    return 'macOS has no separate networks for programs; set sandbox.network to allowlist, or to host, which is weaker';
  if (policy.nested) return 'sandbox.nested is not possible: macOS refuses a sandbox inside a sandbox';
  if (policy.user.uid !== uid) return `commands run as your user (${uid}) and not as user ${policy.user.uid}`;
  return policy.mounts.map(findMountProblem).find(problem => problem !== undefined);
}

function findMountProblem(mount: Mount): string | undefined {
  if (mount.kind === 'tmpfs') return `it does not support memory file systems, which ${mount.to} needs`;
  if (mount.kind === 'overlay') return `it does not support overlays, which ${mount.to} needs`;
  const { from, to } = mount;
  if (from !== to) return `it shows files only at their own path, not ${from} as ${to}`;
  if (!from.startsWith('/')) return `${from} is not an absolute path`;
  if (from === '/') return 'it cannot show the whole machine';
  return from.includes('\0') ? 'a path contains a NUL character' : undefined;
}
