import { expect, test } from 'vitest';
import { sandboxSettings } from '../../../test/helpers/sandbox/sandbox-settings.js';
import type { WorkspaceRecord } from '../../domain/workspace/workspace.js';
import { sandboxPlace } from '../sandbox-place.js';
import { buildPolicy, type PolicyFacts } from './build-policy.js';

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

test("the repository's objects are visible, read-only, and the workspace has a private git directory", () => {
  expect(listMounts({})).toEqual([
    'rw /state/sandboxes/ws_a/home /home/agent',
    'ro /repo/.git/objects /run/carrel/parent/objects',
    'ro /other/objects /run/carrel/parent/alternates/0',
    'ro /state/sandboxes/ws_a/empty /run/carrel/parent/objects/info/alternates',
    'rw /work/a /work/a',
    'rw /state/sandboxes/ws_a/git /run/carrel/git',
    'ro /state/sandboxes/ws_a/pointer /work/a/.git',
    'ro /state/sandboxes/ws_a/proxy /run/carrel/proxy',
    'rw /work/a /workspace',
    'ro /state/sandboxes/ws_a/pointer /workspace/.git',
  ]);
});

test("jj inside has its data bound over the workspace's", () => {
  const jjDir = '/state/sandboxes/ws_a/jj';
  expect(listMounts({ jjDir })).toEqual(
    expect.arrayContaining([`rw ${jjDir} /work/a/.jj`, `rw ${jjDir} /workspace/.jj`]),
  );
});

test('surgical shows the given parts of the repository and the stores that it borrows from', () => {
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
    'ro /state/sandboxes/ws_a/proxy /run/carrel/proxy',
    'rw /work/a /workspace',
    'ro /work/a/.git /workspace/.git',
  ]);
});

test("a workspace without git has only its files, and on this machine's network no sockets", () => {
  const plain = { path: '/work/a', commonDir: null } as WorkspaceRecord;
  expect(
    listMounts({ objectStores: [], borrowers: [], settings: sandboxSettings({ network: 'host' }) }, plain),
  ).toEqual(['rw /state/sandboxes/ws_a/home /home/agent', 'rw /work/a /work/a', 'rw /work/a /workspace']);
});

test('what the user shares is visible, and nothing else', () => {
  const settings = sandboxSettings({
    network: 'none',
    readable: ['/opt/tools'],
    volumes: [{ from: '/data', to: '/mnt' }],
  });
  const mounts = listMounts({ settings, engineSockets: ['/run/docker.sock'] });
  expect(mounts).toContain('ro /opt/tools /opt/tools');
  expect(mounts.filter(mount => !mount.includes('/workspace')).slice(-2)).toEqual([
    'rw /data /mnt',
    'rw /run/docker.sock /run/docker.sock',
  ]);
});

test('/workspace is left alone where the user mounts something there, and for a workspace that is there', () => {
  const settings = sandboxSettings({ network: 'none', volumes: [{ from: '/data', to: '/workspace/data' }] });
  expect(listMounts({ settings })).not.toContain('rw /work/a /workspace');
  const there = { path: '/workspace/a', commonDir: null } as WorkspaceRecord;
  expect(listMounts({ objectStores: [], borrowers: [] }, there)).toContain('rw /workspace/a /workspace/a');
  expect(listMounts({ objectStores: [], borrowers: [] }, there)).not.toContain('rw /workspace/a /workspace');
});

test('only the requested network is available', () => {
  const networkOf = (network: 'none' | 'allowlist' | 'full' | 'host') =>
    buildPolicy(record, facts({ settings: sandboxSettings({ network }) })).network;
  const all = ['none', 'allowlist', 'full', 'host'] as const;
  expect(all.map(networkOf)).toEqual(['none', 'none', 'full', 'host']);
});
