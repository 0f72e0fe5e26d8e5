import { join } from 'node:path';
import { expect, onTestFinished, test } from 'vitest';
import { createCarrel } from '../../../test/helpers/carrel.js';
import { writeFiles } from '../../../test/helpers/repository.js';
import { tempDir } from '../../../test/helpers/temp.js';
import { requireBubblewrap } from '../../../test/parts/bubblewrap.js';
import { openApp } from '../../app.js';
import { createBatchProvider } from '../create-provider.js';
import { TASK } from '../provider-contract.js';

test("an attempt in a sandbox does not get access that the user's configuration grants", async context => {
  requireBubblewrap(context);
  const home = tempDir();
  const answers = tempDir();
  writeFiles(answers, { 'answer.txt': 'the answer' });
  const sandbox = `sandbox:
  readable: [${answers}]
  passEnvironment: [MY_TOKEN]
  network: full
  allow: [localhost]
  nested: allow
workspace:
  container: { networkMode: bridge }
`;
  writeFiles(join(home, 'config'), { 'carrel/config.yaml': sandbox });
  const { env } = createCarrel(home);
  const app = await openApp({ environment: { ...env, HOME: home, MY_TOKEN: 'secret' }, cwd: home });
  onTestFinished(() => app.close());
  // The configuration is read, so what is missing below is removed by the batch.
  expect((await app.loadConfig(null)).config.sandbox).toMatchObject({ readable: [answers], network: 'full' });
  const provider = createBatchProvider(app, {
    isolation: 'full',
    parallelism: 1,
    hosts: ['model.example'],
  });
  onTestFinished(() => provider.destroyAll());
  await provider.init([TASK]);
  const environment = await provider.acquire(TASK);
  const look = `cat ${answers}/answer.txt; echo "token:$MY_TOKEN"`;
  const { stdout } = await environment.run({ command: ['sh', '-c', look] });
  expect(stdout.toString()).not.toContain('the answer');
  expect(stdout.toString()).toContain('token:\n');
  expect((await app.store.workspaces.find(environment.id))?.sandbox).toMatchObject({
    network: 'allowlist',
    allow: ['model.example'],
    nested: false,
    readable: [],
    passEnvironment: [],
  });
});
