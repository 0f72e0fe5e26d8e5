import { spawnSync } from 'node:child_process';
import { closeSync, lchownSync, mkdirSync, openSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { beforeEach, describe, expect, it, type TestContext } from 'vitest';
import { tempDir } from '../../../test/helpers/temp.js';
import { canUseBubblewrap } from '../../../test/parts/bubblewrap.js';
import { isRoot, requirePart } from '../../../test/parts/required-part.js';
import type { Policy } from '../policy.js';
import { buildSeccompFilter } from '../seccomp/seccomp-filter.js';
import { bubblewrapArguments, hideArguments } from './arguments.js';
import { type OwnEtc, renderOwnEtc } from './layout/own-etc.js';
import { readSystemLayout } from './layout/system-layout.js';

const NOBODY = 65_534;
const version = spawnSync('bwrap', ['--version'], { encoding: 'utf8' }).stdout?.match(/\d+\.(\d+)/)?.[1];
const hasVersion = (minor: number): boolean => Number(version) >= minor;

describe.each(isRoot ? ['root', 'an ordinary user'] : ['an ordinary user'])('as %s', who => {
  const isOrdinary = who !== 'root';
  beforeEach((context: TestContext) =>
    requirePart(context, hasVersion(8) && canUseBubblewrap(), 'bubblewrap'),
  );

  it('shows the workspace and a private home, and nothing else', async () => {
    const place = makePlace(isOrdinary);
    const inside = await run(
      place,
      {},
      `echo a > made; echo b > ~/made; ls .. ; cat .git; rm -f .git 2>&- || echo kept
       ls -A ~ /home /root 2>&1; ls -d /etc/shadow /etc/ssh /etc/gitconfig /boot /srv 2>&-; ls /run`,
    );
    expect(inside.stderr).toBe('');
    expect(inside.stdout.replaceAll(/ls: [^\n]*\n/g, '')).toBe(
      'workspace\npointer\nkept\n/home:\nagent\n\n/home/agent:\nmade\ncarrel\n',
    );
    expect(readFileSync(join(place.workspace, 'made'), 'utf8')).toBe('a\n');
    expect(readFileSync(join(place.home, 'made'), 'utf8')).toBe('b\n');
  });

  it('sets user name, host name and environment, with nothing of the caller', async () => {
    const place = makePlace(isOrdinary);
    const shown = `id -un; hostname; env | grep -Ev '^(_|PWD|SHLVL)=' | sort`;
    const me = place.user.uid === 0 ? 'root' : 'agent';
    expect((await run(place, {}, shown)).stdout).toBe(
      `${me}\ncarrel\nHOME=/home/agent\nPATH=/usr/bin:/bin\n`,
    );
  });

  it('knows localhost and has no other network', async () => {
    const place = makePlace(isOrdinary);
    const look = `getent ahosts localhost | head -1 | cut -d' ' -f1; ls /sys/class/net 2>&-; sed -n 's/^ *\\([a-z0-9]*\\):.*/\\1/p' /proc/net/dev`;
    expect((await run(place, {}, look)).stdout).toMatch(/^(127\.0\.0\.1|::1)\nlo\n$/);
    const host = spawnSync('sed', ['-n', 's/^ *\\([a-z0-9]*\\):.*/\\1/p', '/proc/net/dev'], {
      encoding: 'utf8',
    });
    expect((await run(place, { network: 'host' }, look)).stdout.split('\n').slice(1).join('\n')).toBe(
      host.stdout,
    );
    expect((await run(place, { network: 'host' }, 'cat /etc/resolv.conf')).stdout).toBe(
      readFileSync('/etc/resolv.conf', 'utf8'),
    );
  });

  it('memory can be written only where programs expect it and only up to its size; bubblewrap keeps its descriptors', async () => {
    const place = makePlace(isOrdinary);
    const script = `for at in / /dev /usr /etc /home /proc/sys/kernel/core_pattern; do
        { [ -d $at ] && touch $at/x || echo x > $at; } 2>&- && echo $at; done
      for at in /tmp /var/tmp /dev/shm /run; do touch $at/x && echo $at; done
      head -c 5000000 /dev/zero > /tmp/large 2>&- || echo full; stat -c %a /tmp; echo > /dev/null
      rm /tmp/large; ls /proc/$$/fd > /tmp/open; grep -cx '[345]' /tmp/open`;
    // Not through a pipe: while it starts the second program, the shell itself holds an end of it.
    const { stdout } = await run(place, {}, script);
    expect(stdout).toBe('/tmp\n/var/tmp\n/dev/shm\n/run\nfull\n1777\n0\n');
  });

  it('lets an ordinary user make a sandbox inside only when the policy says so', async () => {
    const place = makePlace(isOrdinary);
    const nested = 'bwrap --unshare-all --ro-bind / / --proc /proc --dev /dev echo made 2>&1 || true';
    expect((await run(place, { nested: false }, nested)).stdout).not.toContain('made');
    const made = (await run(place, { nested: true }, nested)).stdout;
    // The kernel maps root to root only for those who have a capability that was dropped.
    expect(made.includes('made')).toBe(isOrdinary || !isRoot);
  });
});

interface Place {
  readonly root: string;
  readonly workspace: string;
  readonly home: string;
  readonly user: Policy['user'];
}

function makePlace(isOrdinary: boolean): Place {
  const root = tempDir();
  const place = { root, workspace: join(root, 'cache', 'workspace'), home: join(root, 'home') };
  for (const path of [place.workspace, join(root, 'cache', 'sibling'), place.home])
    mkdirSync(path, { recursive: true });
  writeFileSync(join(place.workspace, '.git'), 'outside\n');
  writeFileSync(join(root, 'pointer'), 'pointer\n');
  const user =
    isRoot && isOrdinary
      ? { uid: NOBODY, gid: NOBODY }
      : { uid: process.getuid?.() ?? 0, gid: process.getgid?.() ?? 0 };
  for (const path of [root, place.workspace, place.home]) if (isRoot) lchownSync(path, user.uid, user.gid);
  return { ...place, user };
}

function makePolicy({ root, workspace, home, user }: Place, changes: Partial<Policy>): Policy {
  return {
    root: { kind: 'machine' },
    mounts: [
      { kind: 'bind', from: home, to: '/home/agent', writable: true },
      { kind: 'bind', from: home, to: '/run/carrel/git', writable: true },
      { kind: 'bind', from: workspace, to: workspace, writable: true },
      { kind: 'bind', from: join(root, 'pointer'), to: join(workspace, '.git'), writable: false },
    ],
    environment: { HOME: '/home/agent', PATH: '/usr/bin:/bin' },
    workingDirectory: workspace,
    hostname: 'carrel',
    user,
    network: 'none',
    limits: {},
    enforcement: 'enforce',
    nested: false,
    privileged: false,
    ...changes,
  };
}

async function run(place: Place, changes: Partial<Policy>, script: string) {
  const policy = makePolicy(place, changes);
  const command = ['sh', '-c', script];
  const all = bubblewrapArguments(policy, {
    layout: await readSystemLayout(),
    ownEtc: writeOwnEtc(place),
    seccompDescriptor: 3,
    statusDescriptor: 4,
    disableUserns: true,
    canSize: true,
    canOverlay: false,
    callerIsRoot: place.user.uid === 0,
    scratchBytes: 4_000_000,
    command,
  });
  const { args, data } = hideArguments(all, command, 5);
  const open = [buildSeccompFilter(process.arch, { nested: policy.nested }), '', data].map((content, at) => {
    writeFileSync(join(place.root, `descriptor-${at}`), content);
    return openSync(join(place.root, `descriptor-${at}`), 'r+');
  });
  const result = spawnSync('bwrap', args, {
    env: { SECRET: 'of the caller', PATH: '/usr/bin:/bin' },
    encoding: 'utf8',
    stdio: ['ignore', 'pipe', 'pipe', ...open],
    ...(isRoot ? place.user : {}),
  });
  for (const descriptor of open) closeSync(descriptor);
  // The proof that the sandbox had started.
  expect(readFileSync(join(place.root, 'descriptor-1'), 'utf8'), result.stderr).toContain('child-pid');
  return result;
}

function writeOwnEtc({ root, user }: Place): OwnEtc {
  const contents = Object.entries(renderOwnEtc(user, 'carrel'));
  return Object.fromEntries(
    contents.map(([path, content]) => {
      const file = join(root, path.replaceAll('/', '-'));
      writeFileSync(file, content);
      return [path, file];
    }),
  ) as OwnEtc;
}
