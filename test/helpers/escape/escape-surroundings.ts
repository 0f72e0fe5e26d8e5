import { randomBytes } from 'node:crypto';
import { lchownSync, lstatSync, mkdirSync, mkdtempSync, readdirSync, realpathSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createCarrel } from '../carrel.js';
import { commitFiles, git, makeRepository, writeFiles } from '../repository.js';
import { openTestEngine } from '../sandbox/container-engine.js';
import { removeTree } from '../temp.js';
import { DESK_FILES } from '../workspace/test-workspace.js';
import type { Flavour } from './escape-flavour.js';
import { bringPerl } from './escape-tools.js';

/** A home with secrets in it and a repository, owned by the flavour's user, before there is any workspace. */
export interface EscapeSurroundings {
  readonly flavour: Flavour;
  readonly uid: number | undefined;
  /** Holds `.ssh/id_ed25519` and `diary.txt` with the secret in them. */
  readonly home: string;
  readonly secret: string;
  readonly repository: string;
  readonly commonDir: string;
  readonly stateDir: string;
  readonly cacheDir: string;
  /** The user's; the secret is in it too. */
  readonly env: Readonly<Record<string, string>>;
  /** What starts perl inside. */
  readonly perl: readonly string[];
  /** Replaces the user's own file: the rest of its section `sandbox`, and what comes after that. */
  configure(sandbox: string, rest?: string): void;
  /** A new directory of the user's. */
  scratch(): string;
  remove(): Promise<void>;
}

export async function makeSurroundings(flavour: Flavour): Promise<EscapeSurroundings> {
  const { uid, runtime } = flavour;
  const home = realpathSync(mkdtempSync(join(tmpdir(), 'carrel-escape-')));
  const secret = randomBytes(12).toString('hex');
  const repository = makeRepository(DESK_FILES, join(home, 'repo'));
  addHistory(repository);
  mkdirSync(join(home, 'tmp'));
  writeFiles(home, { '.ssh/id_ed25519': secret, 'diary.txt': secret });
  const tools = join(home, 'tools');
  const perl = runtime === 'podman' ? bringPerl(tools) : ['perl'];
  const configure = (sandbox: string, rest = '') => {
    const readable = runtime === 'podman' ? `  readable: [${tools}]\n` : '';
    const text = `sandbox:\n  runtime: ${runtime}\n${readable}${sandbox}${rest}`;
    writeFiles(home, { 'config/carrel/config.yaml': text });
    giveTo(join(home, 'config'), uid);
  };
  configure('');
  giveTo(home, uid);
  const engine = runtime === 'podman' ? await openTestEngine(runtime) : undefined;
  const { stateDir, cacheDir, env } = createCarrel(home, {
    ...engine?.environment,
    HOME: home,
    TMPDIR: join(home, 'tmp'),
    XDG_CACHE_HOME: join(home, '.cache'),
    AWS_SECRET_ACCESS_KEY: secret,
  });
  return {
    flavour,
    uid,
    home,
    secret,
    repository,
    commonDir: join(repository, '.git'),
    stateDir,
    cacheDir,
    env,
    perl,
    configure,
    scratch: () => {
      const place = mkdtempSync(join(home, 'scratch-'));
      giveTo(place, uid);
      return place;
    },
    remove: async () => {
      await engine?.close();
      removeTree(home);
    },
  };
}

/** What a careless collection of garbage, or a hostile push, would change. */
export function addHistory(repository: string): void {
  git(repository, 'tag', 'v1');
  git(repository, 'branch', 'other');
  commitFiles(repository, { 'forgotten.txt': 'only the log of HEAD leads to it\n' });
  git(repository, 'reset', '--quiet', '--hard', 'v1');
}

/** Everything below a path, without following links. */
export function giveTo(path: string, uid: number | undefined): void {
  if (uid === undefined) return;
  lchownSync(path, uid, uid);
  if (lstatSync(path).isDirectory()) for (const name of readdirSync(path)) giveTo(join(path, name), uid);
}
