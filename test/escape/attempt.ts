import type { EscapeBait } from '../helpers/escape-bait.js';
import type { Program } from './program.js';

/** One way out of the sandbox that somebody could try. */
export interface Attempt {
  /** What it tries, as a sentence without its subject. */
  readonly name: string;
  readonly program: (bait: EscapeBait) => Program;
  /**
   * Who succeeds with the same program where nothing protects: the user who owns the desk, root, or somebody in a
   * bubblewrap that lacks the protection in question. The user when left out.
   */
  readonly control?: 'user' | 'root' | 'weak sandbox';
  /** What the control needs that a machine may lack. */
  readonly controlNeeds?: string;
  /** Hardly any machine has that, so CI does not ask for it either; held it must be everywhere. */
  readonly isRare?: boolean;
  /** What can be seen of it on the host: nothing after the attempt, something after the control. */
  readonly traces?: (bait: EscapeBait) => readonly string[];
}
