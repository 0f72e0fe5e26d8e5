import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { describe, expect, test } from 'vitest';
import { stringify } from 'yaml';
import type { Workspace } from '../../../src/domain/workspace/workspace.js';
import type { Carrel } from '../../helpers/carrel.js';
import { flavours, thoroughTest } from '../../helpers/flavours.js';
import { git, makeRepository, writeFiles } from '../../helpers/repository.js';
import { serveCarrel } from '../../helpers/server/served-carrel.js';
import { createTidyCarrel } from '../../helpers/workspace/test-workspace.js';
import { parsePage, type TestedRow } from './coming-from-page.js';

const PAGES = fileURLToPath(new URL('../../../docs/coming-from', import.meta.url));
const EXPORTS = readFileSync(new URL('../../../src/index.ts', import.meta.url), 'utf8');

const load = (name: string): TestedRow[] => parsePage(readFileSync(join(PAGES, name), 'utf8'));

const FILES = {
  'README.md': 'hello\n',
  '.apex/config.yaml': 'version: "1.0"\nisolation:\n  overrides:\n    feature: full\n    bugfix: worktree\n',
  '.apex/workflows/feature.yaml': stringify({
    name: 'feature',
    description: 'Full feature implementation workflow',
    trigger: ['manual', 'apex:feature'],
    isolation: 'full',
    stages: [{ name: 'planning', agent: 'planner', description: 'Create implementation plan' }],
  }),
  'appsettings.json': JSON.stringify({ Anvil: { PreserveFailedWorkspaces: true, WorkspaceCleanupDays: 7 } }),
};

/** A home with `projects/myrepo`, agents that are shell scripts, a server, and stories for it. */
async function makeReader() {
  const carrel = createTidyCarrel();
  const repository = makeRepository(FILES);
  git(repository, 'branch', 'feature');
  const command = 'cat > /dev/null; echo "I did it."; echo "$CARREL_STAGE" >> done.txt';
  const agents = Object.fromEntries(
    ['planner', 'developer', 'reviewer', 'tester'].map(role => [role, { command }]),
  );
  const settings = { agents, tasks: { workflow: 'bugfix', agent: 'developer' } };
  writeFiles(carrel.home, { 'config/carrel/config.yaml': stringify(settings) });
  const myrepo = makeRepository();
  writeFiles(repository, {
    'stories/good.yaml': stringify({ name: 'good', repository, story: 'Write done.txt' }),
  });
  return { carrel, repository, myrepo };
}

/** The words of a command; quotes keep words together, `~/projects/myrepo` and words in capitals stand for real ones. */
function wordsOf(command: string, names: Readonly<Record<string, string>>): string[] {
  const words = [...command.matchAll(/"([^"]*)"|(\S+)/g)].map(([, quoted, plain]) => quoted ?? plain ?? '');
  return words.slice(1).map(word => names[word] ?? word);
}

function runAll(
  { carrel, repository, myrepo }: { carrel: Carrel; repository: string; myrepo: string },
  rows: readonly TestedRow[],
  environment: Readonly<Record<string, string>> = {},
): void {
  for (const { command, status } of rows.flatMap(row => row.commands)) {
    const names = {
      '~/projects/myrepo': myrepo,
      ...(command.includes('WORKFLOW') && { WORKFLOW: keptWorkflow(carrel, repository) }),
      ...(command.includes('WORKTREE') && { WORKTREE: workspacesOf(carrel, repository)[0]?.path as string }),
    };
    const outcome = carrel.runWith(environment, repository, ...wordsOf(command, names));
    expect(`${command}: ${outcome.status}`, outcome.stderr).toBe(`${command}: ${status}`);
  }
}

const workspacesOf = (carrel: Carrel, repository: string): (Workspace & { workflowId?: string })[] =>
  carrel.json(repository, 'worktrees', 'list');

/** A story whose worktree was kept. */
const keptWorkflow = (carrel: Carrel, repository: string): string =>
  workspacesOf(carrel, repository).findLast(({ workflowId }) => workflowId)?.workflowId as string;

describe('every command of the page works as it is typed', () => {
  test.each(flavours('gemini-toolbox.md', 'apex.md', 'forage.md', 'attocode.md'))('%s', async page => {
    const rows = load(page);
    expect(rows.flatMap(({ commands }) => commands).length).toBeGreaterThan(5);
    runAll(await makeReader(), rows);
  });

  thoroughTest('anvil-aura.md, with the endpoints of its server', async () => {
    const reader = await makeReader();
    const server = await serveCarrel(reader.carrel, reader.repository, '--port', '0');
    const rows = load('anvil-aura.md');
    runAll(reader, rows, { CARREL_SERVER: server.url });
    const headers = { authorization: `Bearer ${server.token}` };
    const document = (await (await fetch(`${server.url}/openapi.json`, { headers })).json()) as {
      paths: Record<string, Record<string, unknown>>;
    };
    const endpoints = rows.flatMap(row => row.endpoints);
    expect(endpoints).toHaveLength(4);
    for (const { method, path } of endpoints)
      expect(Object.keys(document.paths[path] ?? {}), path).toContain(method.toLowerCase());
    await server.stop();
  });
});

test('every page is in the list, and every row of its tables names something that is tested', () => {
  const pages = readdirSync(PAGES);
  expect(pages.toSorted()).toEqual([
    'anvil-aura.md',
    'apex.md',
    'attocode.md',
    'forage.md',
    'gemini-toolbox.md',
  ]);
  for (const page of pages)
    for (const { text, commands, settings, names, endpoints } of load(page))
      expect([text, commands.length + settings.length + names.length + endpoints.length]).not.toEqual([
        text,
        0,
      ]);
});

test('every setting of the pages is accepted', () => {
  const repository = makeRepository();
  for (const page of readdirSync(PAGES))
    for (const { key, value } of load(page).flatMap(row => row.settings)) {
      const carrel = createTidyCarrel();
      const nested = key.split('.').reduceRight<unknown>((inner, name) => ({ [name]: inner }), value);
      writeFiles(carrel.home, { 'config/carrel/config.yaml': stringify(nested) });
      const { status, stderr } = carrel.run(repository, 'config', 'show');
      expect(`${page} ${key}: ${status}`, stderr).toBe(`${page} ${key}: 0`);
    }
});

test('every name of the pages is exported', () => {
  const exported = new Set(EXPORTS.match(/\b[A-Za-z]\w+\b/g));
  const names = readdirSync(PAGES).flatMap(page => load(page).flatMap(row => row.names));
  expect(names.length).toBeGreaterThan(30);
  expect(names.filter(name => !exported.has(name))).toEqual([]);
});
