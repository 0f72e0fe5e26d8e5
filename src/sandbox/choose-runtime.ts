import type { RuntimeFinding, RuntimeName } from '../domain/runtime.js';
import type { RuntimeRegistry } from '../runtime/registry.js';

export type SandboxedRuntime = Exclude<RuntimeName, 'host' | 'dummy'>;

export interface RuntimeWish {
  readonly runtime: 'auto' | SandboxedRuntime;
  /** Whether an image was named, or the repository has a Dockerfile for one: only containers have images. */
  readonly wantsImage: boolean;
}

export type RuntimeChoice =
  | { readonly runtime: SandboxedRuntime; readonly finding: RuntimeFinding }
  /** Why none can be had. */
  | { readonly runtime: null; readonly reason: string };

/** The first runtime of those that fit which works on this machine, found out by trying it. */
export async function chooseRuntime(runtimes: RuntimeRegistry, wish: RuntimeWish): Promise<RuntimeChoice> {
  const reasons: string[] = [];
  for (const name of candidatesFor(wish)) {
    const finding = await runtimes[name].probe();
    if (finding.obstacle === null) return { runtime: name, finding };
    reasons.push(finding.message);
  }
  return { runtime: null, reason: reasons.join('; ') };
}

/** Without an image bubblewrap comes first: it starts in milliseconds and needs no image. */
function candidatesFor({ runtime, wantsImage }: RuntimeWish): readonly SandboxedRuntime[] {
  if (runtime !== 'auto') return [runtime];
  return wantsImage ? ['podman', 'docker'] : ['bubblewrap', 'podman', 'docker'];
}
