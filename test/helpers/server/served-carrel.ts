import type { ChildProcess } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { onTestFinished } from 'vitest';
import type { CarrelClient } from '../../../src/surfaces/client/carrel-client.js';
import { createClient } from '../../../src/surfaces/client/create-client.js';
import type { Carrel, Outcome } from '../carrel.js';

/** `carrel serve` of the built command, as a separate process; stopped when the test ends. */
export interface ServedCarrel {
  readonly url: string;
  readonly port: number;
  readonly token: string;
  readonly client: CarrelClient;
  readonly child: ChildProcess;
  /** Without a chance to do anything. */
  kill(): Promise<Outcome>;
  /** As Ctrl-C does. */
  stop(): Promise<Outcome>;
}

export async function serveCarrel(carrel: Carrel, cwd: string, ...args: string[]): Promise<ServedCarrel> {
  const ended = carrel.start(cwd, 'serve', '--json', ...args);
  const { child } = ended;
  const end = (signal: NodeJS.Signals) => {
    child.kill(signal);
    return ended;
  };
  onTestFinished(async () => void (await end('SIGKILL')));
  const { url, port, tokenFile } = await readAnnouncement(child, ended);
  const token = readFileSync(tokenFile, 'utf8').trim();
  const client = createClient({ baseUrl: url, token });
  return { url, port, token, client, child, kill: () => end('SIGKILL'), stop: () => end('SIGINT') };
}

interface Announcement {
  readonly url: string;
  readonly port: number;
  readonly tokenFile: string;
}

/** What it prints when it listens; a Carrel that fails prints JSON, too, and ends. */
function readAnnouncement(child: ChildProcess, ended: Promise<Outcome>): Promise<Announcement> {
  return new Promise((resolve, reject) => {
    let text = '';
    child.stdout?.on('data', chunk => {
      text += chunk;
      if (text.includes('"tokenFile"') && text.endsWith('}\n')) resolve(JSON.parse(text) as Announcement);
    });
    void ended.then(({ status, stdout, stderr }) =>
      reject(new Error(`carrel serve ended: ${status}\n${stdout}${stderr}`)),
    );
  });
}
