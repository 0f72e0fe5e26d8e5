import type { EscapeBait } from '../../helpers/escape/escape-bait.js';
import type { PartName } from '../../parts/parts.js';
import type { Program } from './program.js';

/** One way to try to escape from the sandbox. */
export interface Attempt {
  /** What it tries, as a sentence without its subject. */
  readonly name: string;
  readonly program: (bait: EscapeBait) => Program;
  /**
   * Who succeeds with the same program without protection: the user who owns the site, root, or a process in a
   * bubblewrap that lacks the protection in question. The user when left out.
   */
  readonly control?: 'user' | 'root' | 'weak sandbox';
  /** What the control needs that a machine may lack. */
  readonly controlNeeds?: PartName;
  /** What can be seen of it on the host: nothing after the attempt, something after the control. */
  readonly traces?: (bait: EscapeBait) => readonly string[];
}
