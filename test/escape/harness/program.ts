import { syscallNumbers } from './syscall-numbers.js';

/**
 * What an agent would run. It ends with one line: `ESCAPED` when it got what it wanted, `HELD` when something stopped
 * it, each with a reason. The same text runs inside a sandbox and, as the control, outside of one.
 */
export interface Program {
  readonly language: 'perl' | 'sh';
  readonly text: string;
  readonly args: readonly string[];
}

/** Perl, because it can make any system call; without modules, because an image may have none. */
export function perl(text: string, ...args: string[]): Program {
  return { language: 'perl', text: `${perlOpening()}${text}`, args };
}

/** For a shell; `escaped` and `held` end it. */
export function shell(text: string, ...args: string[]): Program {
  return { language: 'sh', text: `${SHELL_OPENING}${text}`, args };
}

/**
 * `sys('unshare', ...)` makes a call and gives -1 when it is refused; texts are copied, since perl refuses to hand
 * constants to the kernel.
 */
function perlOpening(): string {
  const numbers = Object.entries(syscallNumbers()).map(([name, number]) => `${name} => ${number}`);
  return String.raw`
$| = 1;
my %NUMBERS = (${numbers.join(', ')});
sub escaped { print "ESCAPED @_\n"; exit 0 }
sub held { print "HELD @_\n"; exit 0 }
sub sys { my ($name, @rest) = @_; return syscall($NUMBERS{$name}, @rest) }
`;
}

const SHELL_OPENING = `
escaped() { echo "ESCAPED $*"; exit 0; }
held() { echo "HELD $*"; exit 0; }
`;

export type Verdict = 'escaped' | 'held';

/** The last verdict in what a program printed; undefined when it never came to one. */
export function readVerdict(output: string): Verdict | undefined {
  const last = output
    .split('\n')
    // A terminal may echo something before it.
    .map(line => line.trim())
    .filter(line => /^(ESCAPED|HELD)\b/.test(line))
    .at(-1);
  if (last === undefined) return undefined;
  return last.startsWith('ESCAPED') ? 'escaped' : 'held';
}
