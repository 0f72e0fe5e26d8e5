import { resolve } from 'node:path';
import type { Git } from '../git.js';

export interface GitSetting {
  /** The file that has it; empty for another source, such as our own command line. */
  readonly origin: string;
  /** In lower case, except for a part in the middle. */
  readonly key: string;
  readonly value: string;
}

/** The configuration of a repository with the user's and the system's, in the order of precedence: the last one counts. */
export async function listSettings(git: Git, gitDir: string): Promise<GitSetting[]> {
  const records = await git.records(['config', '--list', '--show-origin', '-z'], { gitDir });
  const settings: GitSetting[] = [];
  for (let at = 0; at + 1 < records.length; at += 2) {
    const origin = /^file:(.*)$/s.exec(records[at] ?? '')?.[1] ?? '';
    const [key = '', ...lines] = (records[at + 1] ?? '').split('\n');
    settings.push({ origin: origin === '' ? '' : resolve(gitDir, origin), key, value: lines.join('\n') });
  }
  return settings;
}
