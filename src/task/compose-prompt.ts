import type { IsolationMode } from '../domain/isolation.js';

export interface PromptRequest {
  /** What the user asked for. */
  readonly description: string;
  readonly workflow: { readonly name: string; readonly description: string };
  readonly stage: { readonly name: string; readonly description?: string | undefined };
  readonly agent: { readonly name: string; readonly instructions: string | null };
  /** `index` counts from 1. */
  readonly position: { readonly index: number; readonly of: number };
  readonly inputs: readonly PromptInput[];
  readonly outputs: readonly { readonly name: string; readonly path: string }[];
  readonly isolation: IsolationMode;
  readonly branch: string | null;
  /** When the attempt is ended, as the agent's clock tells it. */
  readonly deadline?: string | undefined;
  /** Of the attempt before this one. */
  readonly previous?: { readonly message: string; readonly output: string | null } | undefined;
}

export interface PromptInput {
  readonly name: string;
  /** As the agent sees it. */
  readonly path: string;
  /** Null when it is no text. */
  readonly text: string | null;
}

/** What the agent of a stage reads. The same request gives the same text. */
export function composePrompt(request: PromptRequest): string {
  const { agent, description, previous } = request;
  const sections = [
    ...(agent.instructions?.trim() ? [section(`Your role: ${agent.name}`, agent.instructions)] : []),
    section('The task', description),
    describeStage(request),
    ...(request.inputs.length > 0 ? [section('What you are given', describeInputs(request.inputs))] : []),
    ...(request.outputs.length > 0 ? [section('What to leave', describeOutputs(request.outputs))] : []),
    section('Rules', describeRules(request)),
    ...(previous ? [section('What went wrong before', describeFailure(previous))] : []),
  ];
  return `${sections.join('\n\n')}\n`;
}

const section = (title: string, text: string): string => `# ${title}\n\n${text.trim()}`;

function describeStage({ workflow, stage, position }: PromptRequest): string {
  const purpose = workflow.description.trim();
  const whole = `the workflow "${workflow.name}"${purpose ? ` (${purpose})` : ''}`;
  if (position.of === 1 && !stage.description) return section('Your part', `All of it: this is ${whole}.`);
  const place = `This is stage ${position.index} of ${position.of} of ${whole}.`;
  const others = position.of > 1 ? ' Others do the other stages: do this one, and all of it.' : '';
  return section(
    `Your part: ${stage.name}`,
    [stage.description?.trim(), `${place}${others}`].filter(Boolean).join('\n\n'),
  );
}

/** Bytes of an input that are shown; a longer one is read by the agent itself, in the pieces that it likes. */
const MOST_SHOWN_BYTES = 24 * 1024;
/** Of all inputs: a prompt that is an argument has 128 KiB at most on Linux. */
const MOST_SHOWN_BYTES_IN_ALL = 64 * 1024;

function describeInputs(inputs: readonly PromptInput[]): string {
  let room = MOST_SHOWN_BYTES_IN_ALL;
  const described = inputs.map(({ name, path, text }) => {
    const bytes = Buffer.byteLength(text ?? '');
    const isShown = text !== null && bytes <= Math.min(room, MOST_SHOWN_BYTES);
    if (isShown) room -= bytes;
    return `## ${name}\n\n${isShown ? quote(path, text) : pointAt(path, text)}`;
  });
  return described.join('\n\n');
}

const quote = (path: string, text: string): string => `Also here: ${path}\n\n${fence(text)}`;

const pointAt = (path: string, text: string | null): string =>
  `It is ${text === null ? 'not text' : 'long'}. Read it here: ${path}`;

/** With more backticks than the text has in a row, so that the text can't end its own quotation. */
function fence(text: string): string {
  const longest = Math.max(0, ...[...text.matchAll(/`+/g)].map(([run]) => run.length));
  const line = '`'.repeat(Math.max(3, longest + 1));
  return `${line}\n${text.trimEnd()}\n${line}`;
}

function describeOutputs(outputs: PromptRequest['outputs']): string {
  const files = outputs.map(({ name, path }) => `- Write "${name}" to ${path}`);
  return `${files.join('\n')}\n\nThese files are not part of the work: leave them out of the current directory. For one that you can't write, your last words stand in.`;
}

function describeRules({ isolation, branch, deadline }: PromptRequest): string {
  const rules = [
    PLACE_RULES[isolation],
    ...(branch === null ? [] : [`Stay on the branch ${branch}: don't switch, rename or rebase it.`]),
    isolation === 'shared'
      ? 'Commit only when the task asks for it.'
      : 'Commit your changes or leave them uncommitted: Carrel commits what is left.',
    "Don't leave a merge or a rebase half done, and don't push anything.",
    'Nobody answers questions: decide what is reasonable, and say in your last words what you decided.',
    ...(deadline === undefined ? [] : [`Be done before ${deadline}: you are stopped then.`]),
  ];
  return rules.map(rule => `- ${rule}`).join('\n');
}

const PLACE_RULES: Record<IsolationMode, string> = {
  full: 'Work in the current directory. You are in a sandbox: most of the machine is not there, and the network may be closed.',
  worktree:
    'Work in the current directory, which is yours alone. Outside of it, write nothing but what is asked for here.',
  shared:
    "Work in the current directory. It is the user's own: change only what the task asks for, and nothing outside of it.",
};

function describeFailure({ message, output }: NonNullable<PromptRequest['previous']>): string {
  const begin = `This was tried before, and it failed: ${message.trim()}`;
  const left = 'What was changed then is still there. Look at it, and mend it rather than beginning anew.';
  const end = output?.trim() ? [`The end of what was printed:\n\n${fence(output)}`] : [];
  return [begin, left, ...end].join('\n\n');
}
