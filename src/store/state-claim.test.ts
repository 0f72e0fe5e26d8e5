import { readdirSync, readFileSync, utimesSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, onTestFinished, test } from 'vitest';
import { tempDir } from '../../test/helpers/temp.js';
import { LONGEST_SILENCE_MS, type ProcessIdentity } from '../domain/process-identity.js';
import { identifyProcess } from '../exec/process/identify-process.js';
import { formatRealm, parseRealm } from '../exec/process/process-realm.js';
import { claimState } from './state-claim.js';

const self = identifyProcess(process.pid) as ProcessIdentity;
const realm = parseRealm(self.realm);
const far = { pid: 7, startedAt: '5', realm: 'another-boot pid:[1] another-machine', host: 'lab-a' };

function makeSite() {
  const stateDir = tempDir();
  const directory = join(stateDir, 'in-use');
  const claim = () => {
    const claimed = claimState(stateDir, self);
    onTestFinished(claimed.close);
    return claimed;
  };
  claim().close();
  const put = (name: string, text: string, silentMs = 0) => {
    writeFileSync(join(directory, name), text);
    const at = (Date.now() - silentMs) / 1000;
    utimesSync(join(directory, name), at, at);
  };
  return { stateDir, claim, put, list: () => readdirSync(directory) };
}

test('processes of one machine share a state directory, and leave nothing in it', () => {
  const { claim, list } = makeSite();
  const [one, two] = [claim(), claim()];
  expect(list()).toHaveLength(2);
  for (const each of [one, two]) each.require();
  for (const each of [one, two, two]) each.close();
  expect(list()).toEqual([]);
});

test('another machine with a recent heartbeat keeps the state directory', () => {
  const { stateDir, claim, put, list } = makeSite();
  put('far.json', JSON.stringify(far), LONGEST_SILENCE_MS - 60_000);
  expect(claim).toThrow(
    expect.objectContaining({
      code: 'STATE_IN_USE',
      message: `the state directory ${stateDir} is in use on lab-a (process 7, seen 540 s ago)`,
      hint: expect.stringContaining(
        `if lab-a no longer exists, release the directory with: rm ${stateDir}/in-use/far.json`,
      ),
    }),
  );
  expect(list()).toEqual(['far.json']);
});

test('another machine without a recent heartbeat loses it', () => {
  const { claim, put, list } = makeSite();
  put('far.json', JSON.stringify(far), LONGEST_SILENCE_MS + 1000);
  claim().require();
  expect(list()).not.toContain('far.json');
});

test('a process that lost its claim can do nothing more', () => {
  const { stateDir, claim, list } = makeSite();
  const lost = claim();
  const [name = ''] = list();
  const text = readFileSync(join(stateDir, 'in-use', name), 'utf8');
  expect(JSON.parse(text)).toMatchObject(self);
  writeFileSync(join(stateDir, 'in-use', name), '');
  expect(lost.require).toThrow(expect.objectContaining({ code: 'STATE_LOST', details: { path: stateDir } }));
});

test('claims of dead processes and earlier boots of this machine are removed, and others stay', () => {
  const { claim, put, list } = makeSite();
  const named = (name: string, change: object, silentMs?: number) =>
    put(name, JSON.stringify({ ...self, host: 'here', ...change }), silentMs);
  named('dead.json', { startedAt: '1' });
  named('rebooted.json', { realm: formatRealm({ ...realm, boot: 'an-earlier-boot' }) });
  named('beside.json', { realm: formatRealm({ ...realm, namespace: 'pid:[1]' }) }, 2 * LONGEST_SILENCE_MS);
  put('cut-short.json', '{"pi', 2 * LONGEST_SILENCE_MS);
  put('new.json.draft', '');
  claim().close();
  expect(list().sort()).toEqual(['beside.json', 'new.json.draft']);
});
