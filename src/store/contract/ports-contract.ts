import { describe, expect, test } from 'vitest';
import type { OpenStore } from './sample-records.js';

export function describePorts(open: OpenStore): void {
  describe('ports', () => {
    test('a block is claimed once and free again after its release', async () => {
      const { store, other } = await open();
      expect(await store.ports.claim(4010, 'ws_1')).toBe(true);
      expect(await store.ports.claim(4000, 'ws_1')).toBe(true);
      expect(await other.ports.claim(4010, 'ws_2')).toBe(false);
      expect(await other.ports.claim(4020, 'ws_2')).toBe(true);
      expect(await store.ports.list()).toEqual([4000, 4010, 4020]);
      await store.ports.release('ws_1');
      await store.ports.release('ws_1');
      expect(await store.ports.list()).toEqual([4020]);
      expect(await store.ports.claim(4010, 'ws_2')).toBe(true);
    });

    test('of many that claim a block, one wins', async () => {
      const { store, other } = await open();
      const claim = (i: number) => (i % 2 ? store : other).ports.claim(4000, `ws_${i}`);
      const results = await Promise.all(Array.from({ length: 20 }, (_, i) => claim(i)));
      expect(results.filter(Boolean)).toHaveLength(1);
    });
  });
}
