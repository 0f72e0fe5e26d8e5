import { carrelError, errnoOf } from '../../domain/error.js';
import type { RunRequest, RunResult } from '../../exec/run.js';
import { MACHINE_PROGRAMS } from '../machine-programs.js';
import type { HostImageOptions } from './host-image.js';
import { HOST_IMAGE_NAME, PROBE_IMAGE_NAME } from './image.js';

export interface HostPartsOptions {
  readonly run: (request: RunRequest) => Promise<RunResult>;
  readonly node: string;
}

/** Of the system's own programs, which are at the same places inside; not of what somebody has in a home. */
const searchPath = '/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin';

/** What the image of this machine is made of. IMAGE_MISSING without git. */
export async function listHostParts({ run, node }: HostPartsOptions): Promise<HostImageOptions> {
  const env = { PATH: searchPath };
  const found = await run({ command: 'git', args: ['--exec-path'], cwd: '/', env }).catch(explain);
  const gitPrograms = found.stdout.toString('utf8').trim();
  const paths = [gitPrograms, ...PATHS];
  return { run, name: HOST_IMAGE_NAME, programs: MACHINE_PROGRAMS, paths, node, searchPath };
}

/** The least that a container can run. */
export function listShellParts({ run }: HostPartsOptions): HostImageOptions {
  return { run, name: PROBE_IMAGE_NAME, programs: ['sh'], paths: [], searchPath };
}

function explain(error: unknown): never {
  if (errnoOf(error) !== 'ENOENT') throw error;
  throw carrelError('IMAGE_MISSING', { image: HOST_IMAGE_NAME, problem: 'git is not installed' }, error);
}

/** Certificates, and how terminals and libraries are found; each where some distribution has it. */
const PATHS: readonly string[] = [
  '/etc/ssl/certs/ca-certificates.crt',
  '/etc/ssl/cert.pem',
  '/etc/pki/tls/certs/ca-bundle.crt',
  '/etc/ld.so.cache',
  '/usr/share/git-core/templates',
  ...['/usr/share/terminfo', '/lib/terminfo'].flatMap(root => [
    `${root}/x/xterm-256color`,
    `${root}/x/xterm`,
    `${root}/s/screen`,
    `${root}/t/tmux-256color`,
    `${root}/d/dumb`,
    `${root}/l/linux`,
  ]),
];
