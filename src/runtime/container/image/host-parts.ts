import { carrelError, errnoOf } from '../../../domain/error/error.js';
import type { RunProcess } from '../../../exec/run-process.js';
import { MACHINE_PROGRAMS } from '../../machine-programs.js';
import { HOST_IMAGE_NAME, PROBE_IMAGE_NAME } from './container-image.js';
import type { HostImageOptions } from './host-image.js';

export interface HostPartsOptions {
  readonly run: RunProcess;
  readonly node: string;
}

/** Of the system's own programs, which have the same paths inside; not of programs in a home directory. */
const searchPath = '/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin';

/** The parts of this machine's image. IMAGE_MISSING without git. */
export async function listHostParts({ run, node }: HostPartsOptions): Promise<HostImageOptions> {
  const env = { PATH: searchPath };
  const found = await run({ command: 'git', args: ['--exec-path'], cwd: '/', env }).catch(explain);
  const gitPrograms = found.stdout.toString('utf8').trim();
  const paths = [gitPrograms, ...PATHS];
  return { run, name: HOST_IMAGE_NAME, programs: MACHINE_PROGRAMS, paths, node, searchPath };
}

/** The minimum that a container can run. */
export function listShellParts({ run }: HostPartsOptions): HostImageOptions {
  return { run, name: PROBE_IMAGE_NAME, programs: ['sh'], paths: [], searchPath };
}

function explain(error: unknown): never {
  if (errnoOf(error) !== 'ENOENT') throw error;
  throw carrelError('IMAGE_MISSING', { image: HOST_IMAGE_NAME, problem: 'git is not installed' }, error);
}

/** Certificates, terminal descriptions and library settings, at the paths that distributions use. */
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
