import { errnoOf } from '../../domain/error/error.js';
import type { ProcessIdentity } from '../../domain/process-identity.js';
import { currentRealm, toIdentity } from '../process/identify-process.js';
import { systemProcesses } from '../process/process-table.js';
import { runProcess } from '../run-process.js';
import type { ProcessInside } from './processes-inside.js';

/** With `lsof`, for systems without Linux's /proc; finds nothing if it is not installed. */
export async function findWithLsof(directory: string, source = systemProcesses()): Promise<ProcessInside[]> {
  const holds = parseLsof(await listOpenFiles(), directory);
  const realm = currentRealm(source);
  const identities = new Map<number, ProcessIdentity>(
    source.list().map(entry => [entry.pid, toIdentity(entry, realm)]),
  );
  return [...holds].flatMap(([pid, { command, how }]) => {
    const identity = pid === process.pid ? undefined : identities.get(pid);
    return identity ? [{ identity, command, how }] : [];
  });
}

type Hold = Pick<ProcessInside, 'command' | 'how'>;

/** Options: no warnings (-w), no look-up of hosts (-n) or ports (-P), fields instead of a table (-F). */
async function listOpenFiles(): Promise<string> {
  try {
    const result = await runProcess({
      command: 'lsof',
      args: ['-w', '-n', '-P', '-F', 'pcfn'],
      cwd: '/',
      env: { PATH: '/usr/sbin:/usr/bin:/sbin:/bin', LC_ALL: 'C' },
      timeoutMs: 30_000,
    });
    return result.stdout.toString('latin1');
  } catch (error) {
    if (errnoOf(error) === 'ENOENT') return '';
    throw error;
  }
}

/** One field per line, its kind in the first letter: p(id), c(ommand), f(ile descriptor), n(ame). */
function parseLsof(output: string, directory: string): Map<number, Hold> {
  const path = escapeName(directory);
  const holds = new Map<number, Hold>();
  let [pid, command, descriptor] = [0, '', ''];
  for (const line of output.split('\n')) {
    const value = line.slice(1);
    if (line[0] === 'p') pid = Number(value);
    else if (line[0] === 'c') command = value;
    else if (line[0] === 'f') descriptor = value;
    else if (line[0] === 'n' && !holds.has(pid) && (value === path || value.startsWith(`${path}/`))) {
      holds.set(pid, { command, how: describeDescriptor(descriptor) });
    }
  }
  return holds;
}

function describeDescriptor(descriptor: string): ProcessInside['how'] {
  if (descriptor === 'cwd') return 'cwd';
  return descriptor === 'rtd' ? 'root' : 'open-file';
}

/** As lsof writes names in the C locale: bytes that are not printable ASCII as `\n`, `^A` or `\xc3`. */
function escapeName(path: string): string {
  const short: Record<string, string> = {
    '\\': '\\\\',
    '\b': '\\b',
    '\f': '\\f',
    '\n': '\\n',
    '\r': '\\r',
    '\t': '\\t',
  };
  return Buffer.from(path)
    .toString('latin1')
    .replaceAll(/[^\x20-\x7e]|\\/g, byte => {
      const code = byte.charCodeAt(0);
      return (
        short[byte] ??
        (code < 0x20 ? `^${String.fromCharCode(code + 64)}` : `\\x${code.toString(16).padStart(2, '0')}`)
      );
    });
}
