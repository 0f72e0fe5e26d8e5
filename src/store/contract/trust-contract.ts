import { describe, expect, test } from 'vitest';
import type { TrustGrant } from '../store.js';
import { eventTypes, moment, type OpenStore, sampleEvent } from './sample-records.js';

const grant: TrustGrant = {
  repositoryId: 'repository-1',
  repository: '/home/me/api',
  digest: 'd'.repeat(64),
  commands: ['npm ci', 'echo "a  b"\n'],
  grantedAt: moment(5),
};
const granted = [sampleEvent('trust.granted')];
const revoked = [sampleEvent('trust.revoked')];

export function describeTrust(open: OpenStore): void {
  describe('trust', () => {
    test('a grant holds for one text of one repository', async () => {
      const { store } = await open();
      await store.trust.grant(grant, granted);
      expect(await store.trust.find(grant.repositoryId, grant.digest)).toEqual(grant);
      expect(await store.trust.find('repository-2', grant.digest)).toBeUndefined();
      expect(await store.trust.find(grant.repositoryId, 'e'.repeat(64))).toBeUndefined();
      expect(await eventTypes(store)).toEqual(['trust.granted']);
    });

    test('granting the same text again renews it', async () => {
      const { store } = await open();
      const again = { ...grant, grantedAt: moment(8) };
      await store.trust.grant(grant, []);
      await store.trust.grant(again, []);
      expect(await store.trust.list()).toEqual([again]);
    });

    test('grants are listed oldest first, and revoked together with one event', async () => {
      const { store } = await open();
      const older = { ...grant, digest: 'e'.repeat(64), grantedAt: moment(2) };
      const elsewhere = { ...grant, repositoryId: 'repository-2', grantedAt: moment(3) };
      for (const each of [grant, older, elsewhere]) await store.trust.grant(each, []);
      expect(await store.trust.list()).toEqual([older, elsewhere, grant]);
      expect(await store.trust.list('repository-1')).toEqual([older, grant]);
      expect(await store.trust.revoke('repository-1', revoked)).toBe(2);
      expect(await store.trust.revoke('repository-1', revoked)).toBe(0);
      expect(await store.trust.list()).toEqual([elsewhere]);
      expect(await eventTypes(store)).toEqual(['trust.revoked']);
    });
  });
}
