import { execFileSync } from 'node:child_process';
import { chownSync, existsSync, mkdirSync, mkdtempSync, readdirSync, realpathSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll } from 'vitest';
import { initPostgres } from '../../../src/fleet/postgres/init-postgres.js';
import { needPart } from '../../parts/required-part.js';
import { removeTree } from '../temp.js';

export interface TestPostgres {
  /** The URL of a new database without tables. Skips the test where PostgreSQL is not installed. */
  createDatabase(): Promise<string>;
  /** The same, with the tables of a fleet. */
  createFleet(): Promise<string>;
  /** Kills the server, as a power cut does. */
  kill(): Promise<void>;
  /** Starts it again, and returns when it answers. */
  start(): Promise<void>;
}

/** A PostgreSQL server for the tests of one file: on a socket in a temporary directory, as an ordinary user. */
export function usePostgres(): TestPostgres {
  const programs = findPrograms();
  let server: Server | undefined;
  let template: Promise<string> | undefined;
  let databases = 0;
  beforeAll(async () => {
    if (programs) server = await createServer(programs);
  }, 120_000);
  afterAll(() => server?.remove(), 60_000);

  const requireServer = (): Server => {
    needPart(server !== undefined, 'PostgreSQL');
    return server as Server;
  };
  const create = (from: string): string => {
    const name = `test_${++databases}`;
    requireServer().execute(`create database ${name} template ${from}`);
    return requireServer().urlOf(name);
  };
  return {
    createDatabase: async () => create('template0'),
    createFleet: async () => {
      requireServer();
      template ??= makeTemplate(requireServer());
      return create(await template);
    },
    kill: () => requireServer().kill(),
    start: () => requireServer().start(),
  };
}

/** A copy of a database is faster than creating its tables. */
async function makeTemplate(server: Server): Promise<string> {
  server.execute('create database fleet_template');
  await initPostgres(server.urlOf('fleet_template'));
  return 'fleet_template';
}

interface Server {
  urlOf(database: string): string;
  execute(sql: string): void;
  kill(): Promise<void>;
  start(): Promise<void>;
  remove(): Promise<void>;
}

async function createServer(programs: string): Promise<Server> {
  const directory = realpathSync(mkdtempSync(join(tmpdir(), 'carrel-pg-')));
  const data = join(directory, 'data');
  mkdirSync(data, { mode: 0o700 });
  const user = ordinaryUser();
  if (user) for (const path of [directory, data]) chownSync(path, user.uid, user.gid);
  const options = { cwd: directory, ...user, stdio: 'ignore' as const };
  const initdb = ['-D', data, '-U', 'carrel', '-A', 'trust', '-E', 'UTF8', '--locale=C', '--no-sync'];
  execFileSync(join(programs, 'initdb'), initdb, options);
  const settings = [
    'fsync=off',
    'listen_addresses=',
    'max_connections=60',
    `unix_socket_directories=${directory}`,
  ];
  // Not a child of this process: a test fails when it leaves one behind, and the server outlives the test.
  const control = (...args: string[]) =>
    execFileSync(join(programs, 'pg_ctl'), ['-D', data, '-s', '-w', '-t', '60', ...args], options);
  const start = async (): Promise<void> => {
    const text = settings.map(setting => `-c ${setting}`).join(' ');
    control('-l', join(directory, 'log'), '-o', text, 'start');
  };
  const kill = async (): Promise<void> => {
    if (existsSync(join(data, 'postmaster.pid'))) control('-m', 'immediate', 'stop');
  };
  await start();
  return {
    urlOf: database => `postgres://carrel@localhost/${database}?host=${directory}`,
    execute: sql => {
      const args = ['-h', directory, '-U', 'carrel', '-d', 'postgres', '-qc', sql];
      execFileSync(join(programs, 'psql'), args, { stdio: 'ignore' });
    },
    kill,
    start,
    remove: async () => {
      await kill();
      removeTree(directory);
    },
  };
}

/** PostgreSQL refuses to run as root. */
function ordinaryUser(): { uid: number; gid: number } | undefined {
  if (process.getuid?.() !== 0) return undefined;
  const idOf = (option: string) => Number(execFileSync('id', [option, 'nobody'], { encoding: 'utf8' }));
  return { uid: idOf('-u'), gid: idOf('-g') };
}

/** Debian keeps the server's programs outside PATH. */
function findPrograms(): string | undefined {
  const root = '/usr/lib/postgresql';
  const versions = existsSync(root) ? readdirSync(root).map(version => join(root, version, 'bin')) : [];
  const folders = [...versions, ...(process.env.PATH ?? '').split(':')];
  return folders.find(folder => ['initdb', 'pg_ctl', 'psql'].every(name => existsSync(join(folder, name))));
}
