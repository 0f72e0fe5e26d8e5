import { join } from 'node:path';

/** What a workspace has of its own besides its files, below Carrel's state directory. Seen by its sandbox in parts. */
export interface SandboxPlace {
  readonly root: string;
  /** The private git directory: the agent writes it, so the host never runs git on it. */
  readonly gitDir: string;
  /** What jj keeps inside, where there is a jj; the host never runs jj on it. */
  readonly jjDir: string;
  readonly home: string;
  /** Covers the workspace's `.git` inside. */
  readonly pointerFile: string;
  /** Sockets of the proxy, one for each command that runs. */
  readonly proxyDir: string;
  /** What the proxy refused, one line of JSON each. */
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
