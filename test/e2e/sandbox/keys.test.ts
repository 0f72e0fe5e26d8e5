import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, type TestContext, test } from 'vitest';
import { stringify } from 'yaml';
import type { PresetName } from '../../../src/domain/agent/agent.js';
import type { Task } from '../../../src/domain/task/task.js';
import { createAuthority } from '../../../src/sandbox/keys/authority.js';
import { requireAgentProgram } from '../../helpers/agent/agent-programs.js';
import { codexProvider } from '../../helpers/agent/codex-provider.js';
import { createCarrel } from '../../helpers/carrel.js';
import { flavours, thoroughTest } from '../../helpers/flavours.js';
import type { Turn } from '../../helpers/model-server/script.js';
import { startModelServer } from '../../helpers/model-server/server.js';
import { serveTls } from '../../helpers/network/keyed-proxy.js';
import { git, makeRepository, writeFiles } from '../../helpers/repository.js';
import { tempDir } from '../../helpers/temp.js';
import { requireBubblewrap } from '../../parts/bubblewrap.js';

// `sandbox.keys: proxy` with real programs: the key is outside, and what they ask for has it.

const KEY = 'sk-ant-api03-WhatNobodyInsideMayEverSee-7f3a';

/**
 * Counts where the key is inside: variables and arguments of every process, and files. The pattern does not match
 * itself.
 */
const SEARCH = `{ env; cat /proc/*/environ /proc/*/cmdline; cat /run/carrel/proxy/*.pem
  find "$HOME" /tmp . -type f -size -4096k -exec cat {} +; } 2>/dev/null | grep -ac "[W]hatNobodyInside" > found.txt
printenv ANTHROPIC_API_KEY CODEX_API_KEY > seen.txt
git add found.txt seen.txt && git commit -qm "look for the key"`;

const READABLE = process.env.CARREL_AGENT_PROGRAMS ? [process.env.CARREL_AGENT_PROGRAMS] : [];

interface Scene {
  readonly preset: PresetName;
  readonly header: string;
  readonly sent: string;
  readonly tool: Turn;
  readonly agent: (url: string) => Readonly<Record<string, unknown>>;
}

const CLAUDE: Scene = {
  preset: 'claude',
  header: 'x-api-key',
  sent: KEY,
  tool: { tool: 'Bash', input: { command: SEARCH } },
  agent: () => ({}),
};

const CODEX: Scene = {
  preset: 'codex',
  header: 'authorization',
  sent: `Bearer ${KEY}`,
  tool: { tool: 'exec_command', input: { cmd: SEARCH } },
  agent: url => ({ model: 'gpt-5.1', arguments: codexProvider(url) }),
};

async function runTask(context: TestContext, scene: Scene) {
  const { preset, tool, agent } = scene;
  const path = requireAgentProgram(context, preset);
  const world = createAuthority(Date.now());
  const server = await startModelServer({ script: [tool, { say: 'I have looked.' }], vouching: world });
  const home = tempDir();
  const trusted = join(home, 'world.pem');
  writeFileSync(trusted, world.certificate);
  const carrel = createCarrel(home, {
    PATH: path,
    NODE_EXTRA_CA_CERTS: trusted,
    ANTHROPIC_BASE_URL: server.url,
    ANTHROPIC_API_KEY: KEY,
    CODEX_API_KEY: KEY,
  });
  const host = `localhost:${server.port}`;
  const config = {
    agents: { scripted: { preset, ...agent(server.url) } },
    sandbox: {
      runtime: 'bubblewrap',
      allow: [host],
      readable: READABLE,
      keys: 'proxy',
      keyHosts: { CODEX_API_KEY: { hosts: [host] } },
    },
  };
  writeFiles(carrel.home, { 'config/carrel/config.yaml': stringify(config) });
  const repository = makeRepository();
  const words = ['--workflow', 'quick', '--agent', 'scripted', '--isolation', 'full', '--strict'];
  const { stderr } = await carrel.start(repository, 'run', 'look', ...words);
  const [task] = carrel.json<Task[]>(repository, 'task', 'ls', '--all');
  if (!task) throw new Error(`there is no task: ${stderr}`);
  return { task, stderr, repository, requests: server.requests };
}

for (const scene of flavours(CLAUDE, CODEX))
  test(`${scene.preset} works with a key that it never has`, async context => {
    requireBubblewrap(context);
    const { task, stderr, repository, requests } = await runTask(context, scene);
    expect([task.failure, task.status], stderr).toEqual([undefined, 'succeeded']);
    const turns = requests.filter(({ headers }) => headers[scene.header] !== undefined);
    expect(turns.length).toBeGreaterThan(1);
    for (const { headers } of turns) expect(headers[scene.header]).toBe(scene.sent);
    for (const { body } of requests) expect(JSON.stringify(body)).not.toContain('WhatNobodyInsideMayEverSee');
    const inside = (file: string) => git(repository, 'show', `${task.branch}:${file}`);
    expect(inside('found.txt')).toBe('0');
    expect(inside('seen.txt')).toMatch(/^sk-ant-api03-carrel-placeholder-[0-9a-f]{40}$/);
  });

thoroughTest(
  'programs of every kind trust the proxy, and a variable of the user is bound as configured',
  async context => {
    requireBubblewrap(context);
    const world = createAuthority(Date.now());
    const seen: string[] = [];
    const port = await serveTls(world, 'localhost', (request, answer) => {
      seen.push(`${request.headers['user-agent']?.split('/')[0]} ${request.headers.authorization}`);
      // Git shows its login only when it is asked to.
      const status = request.headers.authorization === undefined ? 401 : 404;
      answer.writeHead(status, { 'www-authenticate': 'Basic' }).end(`no: ${request.headers.authorization}`);
    });
    const home = tempDir();
    writeFileSync(join(home, 'world.pem'), world.certificate);
    const carrel = createCarrel(home, {
      PATH: process.env.PATH ?? '',
      SSL_CERT_FILE: join(home, 'world.pem'),
      MY_TOKEN: KEY,
    });
    const config = {
      sandbox: {
        runtime: 'bubblewrap',
        allow: [`localhost:${port}`],
        passEnvironment: ['MY_TOKEN'],
        keys: 'proxy',
        keyHosts: { MY_TOKEN: { hosts: [`localhost:${port}`], headers: ['Authorization'] } },
      },
    };
    writeFiles(home, { 'config/carrel/config.yaml': stringify(config) });
    const repository = makeRepository();
    await carrel.start(repository, 'up', 'a', '--isolation', 'full', '--strict');
    const script = `
    u=localhost:${port}
    curl -sS -H "Authorization: Bearer $MY_TOKEN" https://$u/
    git ls-remote "https://me:$MY_TOKEN@$u/a.git"
    python3 -c 'import os,sys,urllib.request as r
q = r.Request(sys.argv[1], headers={"Authorization": "Bearer " + os.environ["MY_TOKEN"]})
try: r.urlopen(q)
except r.HTTPError as e: print(e.read().decode())' https://$u/`;
    const { stdout, stderr } = await carrel.start(repository, 'exec', 'a', '--', 'sh', '-c', script);
    const basic = `Basic ${Buffer.from(`me:${KEY}`).toString('base64')}`;
    expect(seen, stderr).toContain(`curl Bearer ${KEY}`);
    expect(seen, stderr).toContain(`git ${basic}`);
    expect(seen, stderr).toContain(`Python-urllib Bearer ${KEY}`);
    expect(stdout).toContain('no: Bearer [redacted]');
    expect(stdout + stderr).not.toContain('WhatNobodyInside');
  },
);
