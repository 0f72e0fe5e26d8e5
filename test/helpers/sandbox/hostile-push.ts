import { execFileSync, spawnSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import { mkdirSync, truncateSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { runProcess } from '../../../src/exec/run-process.js';
import type { Sandbox } from '../../../src/runtime/runtime.js';
import type { ImportResult } from '../../../src/sandbox/exchange/import-from-sandbox.js';
import { git, gitEnv } from '../repository.js';
import { tempDir } from '../temp.js';
import { BRANCH, type TwoFaces } from './two-faces.js';

/** A client that speaks git's protocol byte by byte, and makes objects that git itself would not make. */
export interface HostilePush {
  blob(content: string | Buffer): string;
  /** A blob of as many zeros. */
  zeros(bytes: number): string;
  /** Entries as they are given, sorted or not, proper or not. */
  tree(entries: readonly TreeLine[]): string;
  /** On top of the base, or of these. */
  commit(tree: string, parents?: readonly string[]): string;
  /** What a client would send for a commit. */
  pack(commit: string): Buffer;
  /** Sends commands and a pack to be imported, and nothing else. */
  send(bytes: Buffer, options?: Parameters<TwoFaces['importFromSandbox']>[0]): Promise<ImportResult>;
  /** The whole of an ordinary push of a commit. */
  push(commit: string, options?: Parameters<TwoFaces['importFromSandbox']>[0]): Promise<ImportResult>;
  /** The control: the same bytes to a receive-pack without protection; gives what the branch then holds there. */
  pushPlainly(commit: string): string;
  readonly gitDir: string;
}

export type TreeLine = readonly [mode: string, name: string | Buffer, id: string];

export function makeHostilePush(faces: TwoFaces): HostilePush {
  const gitDir = join(tempDir(), 'hostile.git');
  git('/', 'clone', '--quiet', '--bare', '--shared', faces.repository, gitDir);
  const store = (type: string, content: string | Buffer): string =>
    run(gitDir, ['hash-object', '--literally', '-w', '-t', type, '--stdin'], content).toString().trim();
  const pack = (commit: string): Buffer => {
    const objects = run(gitDir, ['rev-list', '--objects', commit, `^${faces.base}`]).toString();
    const ids = objects.replaceAll(/ .*$/gm, '');
    return run(gitDir, ['pack-objects', '--stdout', '--quiet'], ids);
  };
  const send: HostilePush['send'] = (bytes, options) =>
    faces.importFromSandbox({ run: sendBytes(bytes), ...options });
  return {
    gitDir,
    blob: content => store('blob', content),
    zeros: bytes => {
      const file = join(tempDir(), 'zeros');
      writeFileSync(file, '');
      truncateSync(file, bytes);
      return git(
        gitDir,
        '-c',
        'core.compression=1',
        '-c',
        'core.bigFileThreshold=1m',
        'hash-object',
        '-w',
        file,
      );
    },
    tree: entries => store('tree', Buffer.concat(entries.map(formatEntry))),
    commit: (tree, parents = [faces.base]) =>
      run(gitDir, ['commit-tree', tree, ...parents.flatMap(parent => ['-p', parent]), '-m', 'hostile'])
        .toString()
        .trim(),
    pack,
    send: (bytes, options) => {
      claimCommit(faces, '1'.repeat(faces.base.length));
      return send(bytes, options);
    },
    push: (commit, options) => {
      claimCommit(faces, commit);
      return send(formatPush([command(faces.base, commit)], pack(commit)), options);
    },
    pushPlainly: commit => receivePlainly(faces, formatPush([command(faces.base, commit)], pack(commit))),
  };
}

/** What the branch holds after these bytes were sent to a plain copy of the repository. */
export function receivePlainly(faces: TwoFaces, bytes: Buffer, ref = `refs/heads/${BRANCH}`): string {
  const copy = join(tempDir(), 'plain.git');
  git('/', 'clone', '--quiet', '--mirror', faces.repository, copy);
  spawnSync('git', ['receive-pack', copy], { env: gitEnv(), input: bytes });
  return git(copy, 'for-each-ref', '--format=%(objectname)', ref);
}

/** As if the agent had committed it: otherwise it would not be requested. */
export function claimCommit(faces: TwoFaces, commit: string): void {
  const file = join(faces.place.gitDir, 'refs', 'heads', BRANCH);
  mkdirSync(dirname(file), { recursive: true });
  writeFileSync(file, `${commit}\n`);
}

export const command = (from: string, to: string, ref = `refs/heads/${BRANCH}`): string =>
  `${from} ${to} ${ref}`;

export function formatPush(commands: readonly string[], pack: Buffer): Buffer {
  const lines = commands.map((line, at) => packetLine(at === 0 ? `${line}\0 report-status` : line));
  return Buffer.concat([...lines, Buffer.from('0000'), pack]);
}

function packetLine(line: string): Buffer {
  const bytes = Buffer.from(line, 'latin1');
  return Buffer.concat([Buffer.from((bytes.length + 4).toString(16).padStart(4, '0')), bytes]);
}

/** Instead of git inside. It waits for the answer, as a polite client would. */
function sendBytes(bytes: Buffer): Sandbox['run'] {
  const file = join(tempDir(), 'bytes');
  writeFileSync(file, bytes);
  return runInstead('cat "$1"; cat >/dev/null', file);
}

export function runInstead(script: string, ...args: string[]): Sandbox['run'] {
  return ({ command: _, environment: __, ...rest }) =>
    runProcess({ command: 'sh', args: ['-c', script, 'sh', ...args], cwd: '/', env: gitEnv(), ...rest });
}

/** A pack of these objects, each with the header that the format asks for, whatever is in it. */
export function formatPack(objects: readonly Buffer[], count = objects.length): Buffer {
  const head = Buffer.alloc(12);
  head.write('PACK', 'latin1');
  head.writeUInt32BE(2, 4);
  head.writeUInt32BE(count, 8);
  const content = Buffer.concat([head, ...objects]);
  return Buffer.concat([content, createHash('sha1').update(content).digest()]);
}

function formatEntry([mode, name, id]: TreeLine): Buffer {
  return Buffer.concat([
    Buffer.from(`${mode} `),
    Buffer.from(name),
    Buffer.from([0]),
    Buffer.from(id, 'hex'),
  ]);
}

function run(gitDir: string, args: readonly string[], input: string | Buffer = ''): Buffer {
  const options = { cwd: gitDir, env: gitEnv(), input, maxBuffer: 1024 ** 3 };
  return execFileSync('git', args, { ...options, stdio: ['pipe', 'pipe', 'pipe'] });
}
