import { expect, test } from 'vitest';
import { explainRefusal } from './explain-refusal.js';

const explain = (uid: number, files: Record<string, string>) =>
  explainRefusal(uid, 'bwrap: no', path => files[path]).message;

test('names the setting that blocks it', () => {
  const none = { '/proc/sys/user/max_user_namespaces': '0' };
  const debian = { '/proc/sys/kernel/unprivileged_userns_clone': '0' };
  const ubuntu = { '/proc/sys/kernel/apparmor_restrict_unprivileged_userns': '1' };
  expect(explain(1000, none)).toContain('user.max_user_namespaces is 0');
  expect(explain(1000, debian)).toContain('kernel.unprivileged_userns_clone is 0');
  expect(explain(1000, ubuntu)).toContain('kernel.apparmor_restrict_unprivileged_userns is 1');
});

test("settings for ordinary users don't block root", () => {
  const settings = {
    '/proc/sys/kernel/unprivileged_userns_clone': '0',
    '/proc/sys/kernel/apparmor_restrict_unprivileged_userns': '1',
  };
  expect(explain(0, settings)).toBe('the kernel refuses it: bwrap: no');
  expect(explain(0, { '/proc/sys/user/max_user_namespaces': '0' })).toContain('is 0');
});

test('names a container or a sandbox around Carrel', () => {
  expect(explain(0, { '/.dockerenv': '' })).toContain('a container');
  expect(explain(1000, { '/run/.containerenv': '' })).toContain('a container');
  expect(explain(1000, { '/proc/self/status': 'NoNewPrivs:\t1\nSeccomp:\t2\n' })).toContain('in a sandbox');
});

test('without a known cause it quotes bubblewrap', () => {
  const settings = { '/proc/sys/user/max_user_namespaces': '9', '/proc/self/status': 'Seccomp:\t0\n' };
  expect(explain(1000, settings)).toBe('the kernel refuses it: bwrap: no');
});
