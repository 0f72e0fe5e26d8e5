import { describe, expect, test } from 'vitest';
import type { RunningCommand } from '../store.js';
import { moment, type OpenStore, someProcess } from './sample-records.js';

const command: RunningCommand = {
  id: 'command_1',
  workspaceId: 'ws_1',
  process: someProcess,
  command: 'npm test',
  startedAt: moment(2),
};

export function describeCommands(open: OpenStore): void {
  describe('running commands', () => {
    test('they are listed by workspace, oldest first, until they are removed', async () => {
      const { store, other } = await open();
      const older = { ...command, id: 'command_2', startedAt: moment(1) };
      await store.commands.insert(command);
      await store.commands.insert(older);
      await store.commands.insert({ ...command, id: 'command_3', workspaceId: 'ws_2' });
      expect(await other.commands.list('ws_1')).toEqual([older, command]);
      expect((await other.commands.list()).map(({ id }) => id)).toEqual([
        'command_2',
        'command_1',
        'command_3',
      ]);
      await store.commands.remove(older.id);
      await store.commands.remove(older.id);
      expect(await other.commands.list('ws_1')).toEqual([command]);
      expect(await other.commands.list('ws_3')).toEqual([]);
    });
  });
}
