import { join } from 'node:path';

/** Private directories of a workspace besides its files, in Carrel's state directory. Its sandbox sees some of them. */
export interface SandboxPlace {
  readonly root: string;
  /** The private git directory: the agent writes it, so the host never runs git on it. */
  readonly gitDir: string;
  /** jj's data inside, if there is a jj; the host never runs jj on it. */
  readonly jjDir: string;
  readonly home: string;
  /** Covers the workspace's `.git` inside. */
  readonly pointerFile: string;
  /** Sockets of the proxy, one for each command that runs. */
  readonly proxyDir: string;
  /** Refused connections, one line of JSON each. */
  readonly refusedFile: string;
}

export function sandboxPlace(stateDir: string, workspaceId: string): SandboxPlace {
  const root = join(stateDir, 'sandboxes', workspaceId);
  return {
    root,
    gitDir: join(root, 'git'),
    jjDir: join(root, 'jj'),
    home: join(root, 'home'),
    pointerFile: join(root, 'pointer'),
    proxyDir: join(root, 'proxy'),
    refusedFile: join(root, 'refused.jsonl'),
  };
}
