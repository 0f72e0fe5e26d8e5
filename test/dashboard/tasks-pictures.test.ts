import { join } from 'node:path';
import type { Page } from 'playwright-core';
import { it, onTestFinished } from 'vitest';
import { stringify } from 'yaml';
import type { EvalItem } from '../../src/domain/batch/eval-item.js';
import type { CarrelClient } from '../../src/surfaces/client/carrel-client.js';
import { dashboardUrlOf } from '../../src/surfaces/http/security/own-url.js';
import { createCarrel } from '../helpers/carrel.js';
import { findByWord } from '../helpers/machine/processes.js';
import { makeRepository, writeFiles } from '../helpers/repository.js';
import { DASHBOARD, visit } from '../helpers/server/browser.js';
import { takePictures } from '../helpers/server/pictures.js';
import { startTestServer } from '../helpers/server/test-server.js';
import { removeTree } from '../helpers/temp.js';
import { waitFor } from '../helpers/wait-for.js';

/** The pictures show paths: the same readable ones each time. */
const HOME = '/tmp/noor';

const CART = `import { tax } from './tax.js';

/** What is to be paid, in cents. */
export function total(items: Item[]): number {
  const sum = items.reduce((all, { price, count }) => all + price * count, 0);
  return Math.floor(sum + tax(sum));
}
`;
const ROUNDED = CART.replace('Math.floor(sum + tax(sum))', 'roundHalfToEven(sum + tax(sum))').replace(
  "tax.js';",
  "tax.js';\nimport { roundHalfToEven } from './round.js';",
);
const ROUND = `/** As the ledger does it: 2.5 becomes 2, and 3.5 becomes 4. */
export function roundHalfToEven(value: number): number {
  const floor = Math.floor(value);
  if (value - floor !== 0.5) return Math.round(value);
  return floor % 2 === 0 ? floor : floor + 1;
}
`;

const say = (costUsd: number, result: string) =>
  `echo '${JSON.stringify({ usage: { inputTokens: 48_200 * costUsd, outputTokens: 9_000 * costUsd, costUsd }, result })}'`;

const BUILD = `cat > src/round.ts <<'END'
${ROUND}END
cat > src/cart.ts <<'END'
${ROUNDED}END
echo "tests: 14 passed, 0 failed" >&2; sleep 1.5
git add --all; git commit --quiet --message 'Round half cents to even'
${say(0.42, 'Rounding is in one place now, and the cart uses it.')}`;

const CONFIG = {
  tasks: {
    workflow: 'feature',
    validation: [
      { kind: 'tests', name: 'unit tests', run: 'true' },
      { kind: 'file-contains', name: 'the cart rounds', path: 'src/cart.ts', text: 'roundHalfToEven' },
    ],
  },
  workspace: { cleanupOnComplete: false },
  agents: {
    planner: { command: `sleep 0.6; ${say(0.05, 'Two steps: a function, and its use.')}`, result: 'json' },
    builder: { command: BUILD, result: 'json' },
    steady: { command: `${lucky(35)}; ${say(0.11, 'Done.')}`, result: 'json' },
    swift: { command: `${lucky(60)}; ${say(0.04, 'Done.')}`, result: 'json' },
  },
};

/** Does the task, unless the checksum of the task and of the number of tries says otherwise. */
function lucky(percent: number): string {
  return `echo tried >> "${HOME}/tries-$CARREL_TASK_ID"
luck=$(printf '%s' "$CARREL_TASK_ID" | cat - "${HOME}/tries-$CARREL_TASK_ID" | cksum | cut -d ' ' -f 1)
sleep 0.$((luck % 10)); test $((luck % 100)) -lt ${percent} || printf 'yes\\n' > done.txt`;
}

const WORKFLOW = {
  name: 'feature',
  description: 'Plan, build, review',
  isolation: 'worktree',
  stages: [
    { name: 'plan', agent: 'planner' },
    { name: 'build', agent: 'builder' },
    { name: 'review', agent: 'planner' },
  ],
};

const DIFFICULTIES = ['easy', 'medium', 'hard'] as const;
const LANGUAGES = ['typescript', 'python', 'go'];
const NAMES = [
  'parse-dates',
  'retry-uploads',
  'fix-leak',
  'sort-stable',
  'escape-html',
  'cache-keys',
  'time-zones',
];

const item = (name: string, index: number): EvalItem => ({
  id: `${name}-${index + 1}`,
  description: 'Write yes to done.txt',
  base: { kind: 'files', files: { 'README.md': 'hello\n' } },
  difficulty: DIFFICULTIES[index % 3] ?? 'easy',
  language: LANGUAGES[(index * 2) % 3] ?? 'go',
  graders: [{ kind: 'command', name: 'check', run: 'test "$(cat done.txt)" = yes' }],
});

async function makeSite() {
  onTestFinished(() => removeTree(HOME));
  const repository = makeRepository(
    { 'src/cart.ts': CART, '.carrel/workflows/feature.yaml': stringify(WORKFLOW) },
    join(HOME, 'shop'),
  );
  const dataset = join(HOME, 'chores.yaml');
  writeFiles(HOME, {
    'config/carrel/config.yaml': stringify(CONFIG),
    'chores.yaml': stringify({ name: 'chores', items: NAMES.map(item) }),
  });
  const settings = { dashboardDirectory: DASHBOARD, allowedRoots: [HOME] };
  return { server: await startTestServer({ repository, carrel: createCarrel(HOME), settings }), dataset };
}

/** For docs/images; only on request, because they depend on the fonts of the machine. */
it.runIf(process.env.CARREL_PICTURES)(
  'takes the pictures of tasks and batches',
  { timeout: 240_000 },
  async context => {
    const { server, dataset } = await makeSite();
    const { client, url } = server;
    const { id } = await client.tasks.create({ description: 'Round half cents to even in the cart' });
    for await (const _ of client.events({ taskId: id, after: 0 }));
    const runs = [await runBatch(client, dataset, 'swift'), await runBatch(client, dataset, 'steady')];
    await visit(context, server, async ({ page }) => {
      await page.goto(`${dashboardUrlOf(url)}/tasks`);
      await page.getByRole('link', { name: /^Round/ }).waitFor();
      await takePictures(page, 'tasks');
      await page.goto(`${dashboardUrlOf(url)}/tasks/${id}`);
      await page.getByText('2 of 2 passed').waitFor();
      await takePictures(page, 'task');
      await takeAt(page, '#log', 'log');
      await takeAt(page, '#diff', 'diff');
      await page.getByText('Split').click();
      await takePictures(page, 'split');
      await page.goto(`${dashboardUrlOf(url)}/batches`);
      await page.getByText('2 runs').waitFor();
      await takePictures(page, 'batches');
      await page.goto(`${dashboardUrlOf(url)}/batches/${runs[1]}`);
      await page
        .getByRole('link', { name: /attempt 3/ })
        .first()
        .waitFor();
      await takePictures(page, 'batch');
      await takeAt(page, '#charts', 'charts');
      await page
        .getByRole('link', { name: /attempt 3/ })
        .first()
        .click();
      await page.getByText('score').first().waitFor();
      await takePictures(page, 'attempt');
      await page.goto(`${dashboardUrlOf(url)}/batches/compare?runs=${runs.join(',')}`);
      await page.getByText('with different outcomes').waitFor();
      await takePictures(page, 'comparison');
    });
  },
);

async function takeAt(page: Page, place: string, name: string): Promise<void> {
  await page.locator(place).evaluate(element => element.scrollIntoView());
  await takePictures(page, name);
}

async function runBatch({ batches }: CarrelClient, dataset: string, agent: string): Promise<string> {
  const { id } = await batches.start({ dataset, agent, attempts: 3, parallelism: 3, isolation: 'worktree' });
  await waitFor(`the end of ${id}`, () => (findByWord(id).length === 0 ? true : undefined), 90_000);
  return id;
}
