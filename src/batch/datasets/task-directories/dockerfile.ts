/** What a task's Dockerfile defines for its working directory. */
export interface DockerfileFacts {
  /** Of the last stage. */
  readonly workdir: string | undefined;
  readonly copies: readonly DockerfileCopy[];
  readonly environment: Readonly<Record<string, string>>;
  /** Commands of RUN, unchanged. */
  readonly commands: readonly string[];
  /** Instructions that cannot be followed without building the image. */
  readonly other: readonly string[];
}

export interface DockerfileCopy {
  readonly sources: readonly string[];
  /** Absolute. */
  readonly target: string;
  /** Whether the target is a directory. */
  readonly isInto: boolean;
}

/** Reads the last stage of a Dockerfile. Nothing is run. */
export function readDockerfileFacts(text: string): DockerfileFacts {
  const facts = newFacts();
  for (const instruction of listInstructions(text)) {
    const [, name = '', rest = ''] = /^\s*(\w+)\s+([\s\S]*)$/.exec(instruction) ?? [];
    follow(facts, name.toUpperCase(), rest.trim());
  }
  return facts;
}

interface OpenFacts {
  workdir: string | undefined;
  copies: DockerfileCopy[];
  environment: Record<string, string>;
  commands: string[];
  other: string[];
}

const newFacts = (): OpenFacts => ({
  workdir: undefined,
  copies: [],
  environment: {},
  commands: [],
  other: [],
});

/** Instructions that change neither files nor how commands run. */
const HARMLESS = new Set([
  'LABEL',
  'EXPOSE',
  'CMD',
  'ENTRYPOINT',
  'STOPSIGNAL',
  'MAINTAINER',
  'SHELL',
  'HEALTHCHECK',
]);

function follow(facts: OpenFacts, name: string, rest: string): void {
  switch (name) {
    case 'FROM':
      Object.assign(facts, newFacts());
      break;
    case 'WORKDIR':
      facts.workdir = absolute(unquote(rest), facts.workdir);
      break;
    case 'COPY':
    case 'ADD':
      copy(facts, `${name} ${rest}`, rest);
      break;
    case 'ENV':
      Object.assign(facts.environment, readVariables(rest));
      break;
    case 'RUN':
      facts.commands.push(rest);
      break;
    default:
      if (name !== '' && !HARMLESS.has(name)) facts.other.push(`${name} ${rest}`);
  }
}

function copy(facts: OpenFacts, whole: string, rest: string): void {
  const words = rest.startsWith('[') ? readJsonWords(rest) : rest.split(/\s+/).map(unquote);
  const flags = words.filter(word => word.startsWith('--'));
  const paths = words.filter(word => !word.startsWith('--'));
  const target = paths.pop();
  const isPlain =
    flags.every(flag => flag.startsWith('--chown=') || flag.startsWith('--chmod=')) &&
    !paths.some(path => path.includes('://') || /[*?$<[]/.test(path));
  if (!isPlain || target === undefined || paths.length === 0) {
    facts.other.push(whole);
    return;
  }
  const isInto = paths.length > 1 || target.endsWith('/') || target === '.' || target.endsWith('/.');
  facts.copies.push({ sources: paths, target: absolute(target, facts.workdir), isInto });
}

function readJsonWords(text: string): string[] {
  try {
    return (JSON.parse(text) as unknown[]).map(String);
  } catch {
    return [];
  }
}

/** `A=1 B="two words"`, or `A the rest of the line`. */
function readVariables(text: string): Record<string, string> {
  if (!/^\w+=/.test(text)) {
    const [, name = '', value = ''] = /^(\w+)\s+(.*)$/s.exec(text) ?? [];
    return name === '' ? {} : { [name]: unquote(value) };
  }
  const pairs = text.matchAll(/(\w+)=("(?:[^"\\]|\\.)*"|'[^']*'|\S*)/g);
  return Object.fromEntries([...pairs].map(([, name = '', value = '']) => [name, unquote(value)]));
}

const unquote = (word: string): string => word.replace(/^(["'])([\s\S]*)\1$/, '$2');

function absolute(path: string, workdir = '/'): string {
  const whole = path.startsWith('/') ? path : `${workdir}/${path}`;
  return `/${whole
    .split('/')
    .filter(part => part !== '' && part !== '.')
    .join('/')}`;
}

/** One instruction per entry, with continued lines joined and comments removed. */
function listInstructions(text: string): string[] {
  const lines = text.split(/\r?\n/).filter(line => !/^\s*#/.test(line));
  return lines
    .join('\n')
    .replace(/\\[ \t]*\n/g, ' ')
    .split('\n')
    .filter(line => line.trim() !== '');
}
