/** What tests need beside Node, npm, git, a shell and coreutils, and how a machine gets it. */
const INSTALLABLE = {
  root: 'run the tests as root',
  bubblewrap:
    'install bubblewrap 0.8 or newer, and let this user make namespaces (kernel.unprivileged_userns_clone)',
  'bubblewrap as root': 'install bubblewrap and run the tests as root, with the right to make namespaces',
  'pid namespaces': 'install util-linux (unshare), and let this user make namespaces',
  'mount namespaces': 'install util-linux (unshare), and let this user make namespaces',
  'overlay mounts': 'run the tests as root, with the right to mount',
  'small file systems': 'run the tests as root, with the right to mount',
  btrfs: 'install btrfs-progs and run the tests as root, with the right to mount',
  xfs: 'install xfsprogs and run the tests as root, with the right to mount',
  podman: 'install podman, and check it with: podman info',
  docker: 'install docker, start its daemon, and check it with: docker info',
  PostgreSQL: 'install PostgreSQL 13 or newer, with its server programs (initdb, postgres)',
  jj: 'install jj 0.46 or newer',
  Chromium: 'install chromium, or name the program in CARREL_CHROMIUM',
  claude: 'npm install --prefix DIR @anthropic-ai/claude-code, with DIR in CARREL_AGENT_PROGRAMS',
  codex: 'npm install --prefix DIR @openai/codex, with DIR in CARREL_AGENT_PROGRAMS',
  bash: 'install bash',
  zsh: 'install zsh',
  fish: 'install fish',
  perl: 'install perl',
  python3: 'install python3',
  slirp4netns: 'install slirp4netns, with /dev/net/tun',
  socat: 'install socat',
  curl: 'install curl 7.82 or newer',
  jq: 'install jq',
  busybox: 'install busybox-static',
  'script(1)': 'install bsdutils (script makes a terminal)',
  setsid: 'install util-linux (setsid)',
  cmp: 'install diffutils (cmp)',
  prlimit: 'install util-linux (prlimit)',
  ps: 'install procps (ps)',
  openssl: 'install openssl',
  tar: 'install tar',
  sed: 'install sed (git submodule needs it)',
  grep: 'install grep',
  find: 'install findutils (find)',
  'a name of this machine': 'give this machine a name besides localhost in /etc/hosts',
  'user namespaces': 'let this user make namespaces (kernel.unprivileged_userns_clone)',
  'kernel with mount_setattr': 'Linux 5.12 or newer',
  'kernel with keyrings': 'a kernel with CONFIG_KEYS',
  'kernel with io_uring': 'a kernel with CONFIG_IO_URING, and kernel.io_uring_disabled=0',
  'kernel with bpf': 'a kernel with CONFIG_BPF_SYSCALL',
  'tracing of processes': 'kernel.yama.ptrace_scope of 1 or less',
  'a registry': 'let npm reach a registry, or fill its cache: npm ci',
} as const;

/** What a kernel, a processor or an administrator decides. Never required, not even where everything is installed. */
const GIVEN = {
  'control groups': 'a user or a root that may make control groups',
  'no control groups': 'a user that may not make control groups',
  'x64 processor': 'an x64 machine',
  '32-bit system calls': 'a kernel that runs 32-bit programs',
  'x32 system calls': 'a kernel with the x32 calls',
  'typing into terminals': 'a kernel with dev.tty.legacy_tiocsti=1',
  'sandbox of codex': 'a machine on which `codex sandbox` works',
  opencode: 'npm install --prefix DIR opencode-ai, with DIR in CARREL_AGENT_PROGRAMS',
  gemini: 'npm install --prefix DIR @google/gemini-cli, with DIR in CARREL_AGENT_PROGRAMS',
  qwen: 'npm install --prefix DIR @qwen-code/qwen-code, with DIR in CARREL_AGENT_PROGRAMS',
  aider: 'install aider',
  copilot: 'npm install --prefix DIR @github/copilot, with DIR in CARREL_AGENT_PROGRAMS',
  amp: 'npm install --prefix DIR @sourcegraph/amp, with DIR in CARREL_AGENT_PROGRAMS',
  Seatbelt: 'run the tests on macOS',
  lsof: 'install lsof',
  'S3 server': 'go install github.com/versity/versitygw/cmd/versitygw@v1.8.0',
} as const;

export type PartName = keyof typeof INSTALLABLE | keyof typeof GIVEN;

export const howToGet = (name: string): string | undefined =>
  ({ ...INSTALLABLE, ...GIVEN })[name as PartName];

/**
 * `.ci/run` says which parts it has installed: CARREL_REQUIRE_PARTS is `all`, or `all` without some, such as
 * `all -jj -claude`. A test that misses one of them fails instead of being skipped.
 */
export function isRequired(name: PartName, wanted = process.env.CARREL_REQUIRE_PARTS ?? ''): boolean {
  const words = wanted.split(' ');
  return words.includes('all') && name in INSTALLABLE && !words.includes(`-${name}`);
}
