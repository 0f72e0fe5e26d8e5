import { expect, test } from 'vitest';
import { sandboxSettings } from '../../test/helpers/sandbox-settings.js';
import type { WorkspaceRecord } from '../domain/workspace.js';
import { buildPolicy, type PolicyFacts } from './build-policy.js';
import { sandboxPlace } from './place.js';

const record = { path: '/work/a', commonDir: '/repo/.git', repository: '/repo' } as WorkspaceRecord;

const facts = (changes: Partial<PolicyFacts> = {}): PolicyFacts => ({
  place: sandboxPlace('/state', 'ws_a'),
  settings: sandboxSettings(),
  root: { kind: 'machine' },
  user: { uid: 1000, gid: 1000 },
  objectStores: ['/repo/.git/objects', '/other/objects'],
  borrowers: [0],
  environment: { HOME: '/home/agent' },
  jjDir: null,
  engineSockets: [],
  surgical: null,
  ...changes,
});

const listMounts = (changes: Partial<PolicyFacts>, of: WorkspaceRecord = record) =>
  buildPolicy(of, facts(changes)).mounts.map(mount =>
    mount.kind === 'bind' ? `${mount.writable ? 'rw' : 'ro'} ${mount.from} ${mount.to}` : mount.kind,
  );

test('the repository shows its objects, read-only, and the workspace a git directory of its own', () => {
  expect(listMounts({})).toEqual([
    'rw /state/sandboxes/ws_a/home /home/agent',
    'ro /repo/.git/objects /run/carrel/parent/objects',
    'ro /other/objects /run/carrel/parent/alternates/0',
    'ro /state/sandboxes/ws_a/empty /run/carrel/parent/objects/info/alternates',
    'rw /work/a /work/a',
    'rw /state/sandboxes/ws_a/git /run/carrel/git',
    'ro /state/sandboxes/ws_a/pointer /work/a/.git',
    'ro /state/sandboxes/ws_a/proxy /run/carrel/proxy',
  ]);
});

test('a jj inside has its own data over that of the workspace', () => {
  const jjDir = '/state/sandboxes/ws_a/jj';
  expect(listMounts({ jjDir })).toContain(`rw ${jjDir} /work/a/.jj`);
});

test('surgical shows the repository as it is told, and the stores that it borrows from', () => {
  const surgical = {
    ofRepository: [
      { path: '/repo', isWritable: false },
      { path: '/repo/.git/refs', isWritable: true },
    ],
    ofWorkspace: [{ path: '/work/a/.git', isWritable: false }],
  };
  expect(listMounts({ surgical, settings: sandboxSettings({ git: 'surgical', network: 'none' }) })).toEqual([
    'rw /state/sandboxes/ws_a/home /home/agent',
    'ro /other/objects /other/objects',
    'ro /repo /repo',
    'rw /repo/.git/refs /repo/.git/refs',
    'rw /work/a /work/a',
    'ro /work/a/.git /work/a/.git',
  ]);
});

test('a workspace without git has its files alone', () => {
  const plain = { path: '/work/a', commonDir: null } as WorkspaceRecord;
  expect(
    listMounts({ objectStores: [], borrowers: [], settings: sandboxSettings({ network: 'none' }) }, plain),
  ).toEqual(['rw /state/sandboxes/ws_a/home /home/agent', 'rw /work/a /work/a']);
});

test('what the user hands over is there, and nothing else', () => {
  const settings = sandboxSettings({
    network: 'none',
    readable: ['/opt/tools'],
    volumes: [{ from: '/data', to: '/mnt' }],
  });
  const mounts = listMounts({ settings, engineSockets: ['/run/docker.sock'] });
  expect(mounts).toContain('ro /opt/tools /opt/tools');
  expect(mounts.slice(-2)).toEqual(['rw /data /mnt', 'rw /run/docker.sock /run/docker.sock']);
});

test('only the network that was asked for is there', () => {
  const networkOf = (network: 'none' | 'allowlist' | 'full') =>
    buildPolicy(record, facts({ settings: sandboxSettings({ network }) })).network;
  expect([networkOf('none'), networkOf('allowlist'), networkOf('full')]).toEqual(['none', 'none', 'full']);
});
