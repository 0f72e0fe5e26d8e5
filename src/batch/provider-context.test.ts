import { join } from 'node:path';
import { expect, onTestFinished, test } from 'vitest';
import { createCarrel } from '../../test/helpers/carrel.js';
import { writeFiles } from '../../test/helpers/repository.js';
import { requireBubblewrap } from '../../test/helpers/sandboxed.js';
import { tempDir } from '../../test/helpers/temp.js';
import { openApp } from '../app.js';
import { TASK } from './provider-contract.js';
import { createSandboxProvider } from './sandbox-provider.js';

test("nothing that the user's configuration opens is open to an attempt in a sandbox", async context => {
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
  // It is read, so what is missing below is missing because of the batch.
  expect((await app.loadConfig(null)).config.sandbox).toMatchObject({ readable: [answers], network: 'full' });
  const provider = createSandboxProvider(app, { isolation: 'full', hosts: ['model.example'] });
  onTestFinished(() => provider.destroyAll());
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
