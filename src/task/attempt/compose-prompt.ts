import type { IsolationMode } from '../../domain/isolation.js';

export interface PromptRequest {
  /** The description of the task. */
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
  /** Where the files of several repositories are; the first is the current directory. Empty for one repository. */
  readonly repositories: readonly { readonly alias: string; readonly path: string }[];
  /** When the attempt is stopped, by the agent's clock. */
  readonly deadline?: string | undefined;
  /** The failure of the previous attempt. */
  readonly previous?: { readonly message: string; readonly output: string | null } | undefined;
}

export interface PromptInput {
  readonly name: string;
  /** Path as the agent sees it. */
  readonly path: string;
  /** Null when it is not text. */
  readonly text: string | null;
}

/** The prompt for the agent of a stage. The same request gives the same text. */
export function composePrompt(request: PromptRequest): string {
  const { agent, description, previous } = request;
  const sections = [
    ...(agent.instructions?.trim() ? [section(`Your role: ${agent.name}`, agent.instructions)] : []),
    section('The task', description),
    describeStage(request),
    ...(request.inputs.length > 0 ? [section('Inputs', describeInputs(request.inputs))] : []),
    ...(request.outputs.length > 0 ? [section('Outputs', describeOutputs(request.outputs))] : []),
    ...(request.repositories.length > 0
      ? [section('Repositories', describeRepositories(request.repositories))]
      : []),
    section('Rules', describeRules(request)),
    ...(previous ? [section('Previous failure', describeFailure(previous))] : []),
  ];
  return `${sections.join('\n\n')}\n`;
}

const section = (title: string, text: string): string => `# ${title}\n\n${text.trim()}`;

function describeStage({ workflow, stage, position }: PromptRequest): string {
  const purpose = workflow.description.trim();
  const whole = `the workflow "${workflow.name}"${purpose ? ` (${purpose})` : ''}`;
  if (position.of === 1 && !stage.description) return section('Your part', `All of it: this is ${whole}.`);
  const place = `This is stage ${position.index} of ${position.of} of ${whole}.`;
  const others =
    position.of > 1 ? ' Other agents do the other stages: do only this one, and complete it.' : '';
  return section(
    `Your part: ${stage.name}`,
    [stage.description?.trim(), `${place}${others}`].filter(Boolean).join('\n\n'),
  );
}

/** Bytes of an input that are shown; the agent reads a longer one itself. */
const MOST_SHOWN_BYTES = 24 * 1024;
/** Bytes of all inputs: a prompt passed as an argument has at most 128 KiB on Linux. */
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

const quote = (path: string, text: string): string => `Also in the file ${path}\n\n${fence(text)}`;

const pointAt = (path: string, text: string | null): string =>
  `It is ${text === null ? 'not text' : 'long'}. Read the file ${path}`;

/** With more backticks than the text has in a row, so that the text cannot close its own fence. */
function fence(text: string): string {
  const longest = Math.max(0, ...[...text.matchAll(/`+/g)].map(([run]) => run.length));
  const line = '`'.repeat(Math.max(3, longest + 1));
  return `${line}\n${text.trimEnd()}\n${line}`;
}

function describeOutputs(outputs: PromptRequest['outputs']): string {
  const files = outputs.map(({ name, path }) => `- Write "${name}" to ${path}`);
  return `${files.join('\n')}\n\nThese files are not part of the work: do not put them in the current directory. If you cannot write one, your final message is used instead.`;
}

function describeRepositories([first, ...others]: PromptRequest['repositories']): string {
  const lines = others.map(({ alias, path }) => `- ${alias}: ${path}`);
  return `The work is in several repositories, all of them yours alone:\n\n- ${first?.alias}: the current directory\n${lines.join('\n')}`;
}

function describeRules({ isolation, branch, repositories, deadline }: PromptRequest): string {
  const isGroup = repositories.length > 0;
  const rules = [
    isGroup ? GROUP_RULE : PLACE_RULES[isolation],
    ...(branch === null
      ? []
      : [
          `Stay on the branch ${branch}${isGroup ? ' in each of them' : ''}: don't switch, rename or rebase it.`,
        ]),
    isolation === 'shared'
      ? 'Commit only when the task asks for it.'
      : 'Commit your changes or leave them uncommitted: Carrel commits what is left.',
    "Don't leave a merge or a rebase unfinished, and don't push anything.",
    'No one can answer questions: make reasonable decisions yourself, and list them in your final message.',
    ...(deadline === undefined ? [] : [`Finish before ${deadline}: you are stopped at that time.`]),
  ];
  return rules.map(rule => `- ${rule}`).join('\n');
}

const PLACE_RULES: Record<IsolationMode, string> = {
  full: 'Work in the current directory. You are in a sandbox: most of the machine is hidden and the network may be blocked.',
  worktree:
    'Work in the current directory, which is yours alone. Write nothing outside it except the files requested here.',
  shared:
    "Work in the current directory. It is the user's own: change only what the task asks for, and nothing outside it.",
};

const GROUP_RULE =
  'Work in the directories of these repositories. Write nothing outside them except the files requested here.';

function describeFailure({ message, output }: NonNullable<PromptRequest['previous']>): string {
  const begin = `An earlier attempt failed: ${message.trim()}`;
  const left = 'Its changes are still there. Look at them, and fix them instead of starting over.';
  const end = output?.trim() ? [`The end of its output:\n\n${fence(output)}`] : [];
  return [begin, left, ...end].join('\n\n');
}
