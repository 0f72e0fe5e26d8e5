import { readFile } from 'node:fs/promises';
import { ignoreMissing } from '../../../domain/error/error.js';
import { displayPath } from '../../../git/byte-path.js';
import type { CheckoutChange } from '../../../git/checkout/observe-checkout.js';

/** Evidence that an agent changed the user's checkout. */
export interface CheckoutEvidence {
  /** A line that the agent printed just now. */
  readOutput(text: string): void;
  /** Why the agent is assumed to have made one of these changes, as text; undefined without evidence. */
  find(changes: readonly CheckoutChange[]): Promise<string | undefined>;
}

/** A tool call is printed when it starts or ends: a file written by it changes within this time. */
const NEAR_MS = 5_000;
const MOST_HEARD = 10_000;

/** `events` is where git processes of the agent write their trace (GIT_TRACE2_EVENT). */
export function createEvidence(workTree: string, events: string, now: () => number): CheckoutEvidence {
  const heard: { readonly at: number; readonly text: string }[] = [];
  return {
    readOutput: text => {
      if (heard.length < MOST_HEARD && text.includes(`${workTree}/`)) heard.push({ at: now(), text });
    },
    find: async changes => {
      const written = changes.find(({ kind, what, at }) => {
        const path = `${workTree}/${displayPath(what)}`;
        return (
          kind === 'file' &&
          at !== undefined &&
          heard.some(line => Math.abs(line.at - at) < NEAR_MS && namesPath(line.text, path))
        );
      });
      if (written) return `it printed that it works on ${workTree}/${written.text}`;
      return findCommand(await readCommands(events), changes, workTree);
    },
  };
}

/** Not as the start of a longer name. */
const namesPath = (text: string, path: string): boolean => {
  const at = text.indexOf(path);
  return at >= 0 && !/[\w.-]/.test(text[at + path.length] ?? '');
};

interface GitCommand {
  readonly words: readonly string[];
  readonly name?: string | undefined;
  readonly workTree?: string | undefined;
}

/** Each changes the files, the index or HEAD of the checkout that it runs in. Commands that only read are not evidence. */
const WRITES_FILES = new Set(
  'add am apply checkout checkout-index cherry-pick clean commit merge mv pull read-tree rebase reset restore revert rm stash switch symbolic-ref update-index'.split(
    ' ',
  ),
);
const WRITES_REFS = new Set(['branch', 'push', 'fetch', 'tag', 'update-ref', 'symbolic-ref']);

function findCommand(
  commands: readonly GitCommand[],
  changes: readonly CheckoutChange[],
  workTree: string,
): string | undefined {
  const found = commands.find(({ name = '', words, workTree: place }) => {
    if (place === workTree && WRITES_FILES.has(name)) return true;
    // Refs belong to the repository: every worktree can move them.
    return (
      WRITES_REFS.has(name) && changes.some(change => change.kind === 'ref' && namesRef(words, change.what))
    );
  });
  return found && `it ran: ${found.words.join(' ').slice(0, 200)}`;
}

const namesRef = (words: readonly string[], ref: string): boolean => {
  const short = ref.replace(/^refs\/(heads|tags)\//, '');
  return words.some(word => [ref, short].includes(word.replace(/^\+?([^:]*:)?/, '')));
};

const MOST_BYTES = 64 * 1024 ** 2;

async function readCommands(events: string): Promise<GitCommand[]> {
  const bytes = await readFile(events).catch(ignoreMissing);
  if (!bytes) return [];
  const commands = new Map<string, GitCommand>();
  for (const line of bytes.subarray(0, MOST_BYTES).toString('utf8').split('\n')) {
    const event = parseEvent(line);
    if (event) commands.set(event.sid, { words: [], ...commands.get(event.sid), ...event.fact });
  }
  return [...commands.values()];
}

/** https://git-scm.com/docs/api-trace2: the arguments, command name and work tree of each process. */
function parseEvent(line: string): { sid: string; fact: Partial<GitCommand> } | undefined {
  if (!/"event":"(start|cmd_name|def_repo)"/.test(line)) return undefined;
  try {
    const { event, sid, argv, name, worktree } = JSON.parse(line) as Record<string, unknown>;
    if (event === 'start') return { sid: String(sid), fact: { words: (argv as unknown[]).map(String) } };
    if (event === 'cmd_name') return { sid: String(sid), fact: { name: String(name) } };
    return { sid: String(sid), fact: { workTree: String(worktree) } };
  } catch {
    // The agent can write there, too.
    return undefined;
  }
}
