import { once } from 'node:events';
import { readFileSync } from 'node:fs';
import { createServer, type IncomingMessage } from 'node:http';
import { describe, expect, onTestFinished, test } from 'vitest';
import { createCarrel } from '../helpers/carrel.js';
import { makeRepository } from '../helpers/repository.js';
import { DASHBOARD, visit } from '../helpers/server/browser.js';
import { sendRequest } from '../helpers/server/send-request.js';
import { startTestServer } from '../helpers/server/test-server.js';
import { waitFor } from '../helpers/wait-for.js';

describe('adversary, the server', () => {
  test("a server on another port gets the dashboard's cookie and can do nothing with it", async context => {
    const server = await startTestServer({ settings: { dashboardDirectory: DASHBOARD } });
    const port = new URL(server.url).port;
    const thief = await startThief(port);
    await visit(context, server, async ({ page, expectComplaint }) => {
      expectComplaint(`:${thief.port}/`);
      expectComplaint(`:${port}/`);
      expectComplaint('CORS');
      await page.getByRole('link', { name: 'Workspaces', exact: true }).waitFor();
      await page.goto(`http://carrel.localhost:${thief.port}/`);
      await page.getByText('done').waitFor();
    });
    const cookie = thief.seen[0]?.headers.cookie ?? '';
    expect(cookie, 'the control: browsers send it to every port').not.toBe('');
    for (const headers of [
      { cookie },
      { cookie, origin: server.url },
      { cookie, 'x-carrel-session': 'guess' },
    ]) {
      expect(await sendRequest(server.url, '/api/workspaces', { headers })).toMatchObject({ status: 401 });
      const made = await sendRequest(server.url, '/api/workspaces', {
        method: 'POST',
        headers: { ...headers, 'content-type': 'application/json' },
        body: '{"name":"stolen"}',
      });
      expect([401, 403]).toContain(made.status);
    }
    expect(await server.client.workspaces.list()).toEqual([]);
    expect(thief.seen.flatMap(({ url }) => (url?.startsWith('/took') ? [url] : []))).toEqual([
      '/took?refused',
    ]);
  });

  test('neither the token nor a login code is printed to what is not a terminal', async () => {
    const carrel = createCarrel();
    const serving = carrel.start(makeRepository(), 'serve', '--port', '0');
    let said = '';
    serving.child.stdout?.on('data', chunk => (said += chunk));
    serving.child.stderr?.on('data', chunk => (said += chunk));
    await waitFor('the server', () => (said.includes('token: in ') ? true : undefined));
    serving.child.kill('SIGKILL');
    await serving;
    const token = readFileSync(/token: in (.*)/.exec(said)?.[1] ?? '', 'utf8').trim();
    expect(token.length, 'the control').toBeGreaterThan(20);
    expect(said).not.toContain(token);
    expect(said).not.toMatch(/code=/);
  });
});

/** A page that sends on what it gets, and asks the other server with the cookies of the browser. */
async function startThief(port: string) {
  const seen: IncomingMessage[] = [];
  const page = `<link rel="icon" href="data:,"><p id="p">here</p><script>
    fetch('http://carrel.localhost:${port}/api/workspaces', { credentials: 'include' })
      .then(answer => answer.status, () => 'refused')
      .then(took => fetch('/took?' + took)).then(() => { p.textContent = 'done' })
  </script>`;
  const server = createServer((request, answer) => {
    seen.push(request);
    answer.setHeader('content-type', 'text/html').end(page);
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  onTestFinished(() => {
    server.closeAllConnections();
    server.close();
  });
  return { seen, port: (server.address() as { port: number }).port };
}
