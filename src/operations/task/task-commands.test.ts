import { expect, onTestFinished, test } from 'vitest';
import { createCarrel } from '../../../test/helpers/carrel.js';
import { makeRepository, writeFiles } from '../../../test/helpers/repository.js';
import { openApp } from '../../app.js';
import { locateRepository } from '../repository/locate-repository.js';
import { applyTemplate } from '../settings/workspace-settings.js';
import { grantTrust, reportTrust, requireTaskTrust, requireTrust, revokeTrust } from '../trust/trust.js';
import { defineTask, type TaskOptions } from './define-task.js';
import { listTaskCommands } from './task-commands.js';

const CONFIG = `workspace: {setup: [make prepare]}
tasks: {validation: [{kind: file-exists, path: a}, {kind: tests, run: npm test}]}
agents:
  developer: {command: ./agent.sh, arguments: [-x], files: {a.json: "{}"}}
  other: {command: [./other.sh, "a b"]}
  reviewer: {arguments: [--slow]}
`;

const FEATURE = `name: feature
description: x
stages:
  - {name: plan, agent: planner}
  - {name: make, agent: developer, checks: [npm run lint]}
  - {name: "look: at", agent: reviewer, checks: ["true"]}
validation:
  - {kind: build, run: npm run build}
`;

async function makeSite(files: Record<string, string>) {
  const root = makeRepository({ 'README.md': 'hello\n', ...files });
  const carrel = createCarrel();
  const app = await openApp({ environment: carrel.env, cwd: root });
  onTestFinished(() => app.close());
  const repository = await locateRepository(app, root);
  const linesOf = async (options: TaskOptions) => listTaskCommands(await defineTask(app, root, options));
  return { app, root, repository, linesOf };
}

const files = { '.carrel/config.yaml': CONFIG, '.carrel/workflows/feature.yaml': FEATURE };

const AGENT = [
  'agents.developer.command: ./agent.sh',
  'agents.developer.arguments as a list: ["-x"]',
  'agents.developer.files "a.json": {}',
];
const WORKFLOW = [
  'workflow feature, check of make: npm run lint',
  'workflow feature, check of "look: at": true',
  'workflow feature, validation: npm run build',
];
const VALIDATION = 'tasks.validation: npm test';

const HERE = { ref: undefined, commit: null, isSandboxed: false };

test('a task lists what it would run of the repository, and nothing else', async () => {
  const { linesOf } = await makeSite(files);
  expect(await linesOf({ workflow: 'feature' })).toEqual([
    ...AGENT,
    'agents.reviewer.arguments as a list: ["--slow"]',
    ...WORKFLOW,
    VALIDATION,
  ]);
  expect(await linesOf({ workflow: 'feature', agent: 'other' })).toEqual([
    'agents.other.command as a list: ["./other.sh","a b"]',
    AGENT[2],
    ...WORKFLOW,
    VALIDATION,
  ]);
  expect(await linesOf({ workflow: 'quick', agent: 'claude' })).toEqual([AGENT[2], VALIDATION]);
});

test('commands from Carrel and the user are not commands of the repository', async () => {
  const { linesOf } = await makeSite({ '.carrel/agents/planner.md': 'Plan briefly.\n' });
  expect(await linesOf({ workflow: 'feature' })).toEqual([]);
});

test('one approval covers the setup and every task, exactly as written', async () => {
  const { app, root, repository, linesOf } = await makeSite(files);
  const report = await reportTrust(app, { repository: root });
  expect(report).toMatchObject({ trusted: false, grants: [] });
  expect(report.commands.slice(0, 2)).toEqual(['make prepare', AGENT[0]]);
  const lines = await linesOf({ workflow: 'feature' });
  await expect(requireTaskTrust(app, repository, lines)).rejects.toMatchObject({
    code: 'TASK_COMMANDS_NOT_TRUSTED',
    details: { commands: lines },
  });

  const granted = await grantTrust(app, { repository: root, commands: report.commands });
  expect(granted).toMatchObject({ trusted: true });
  await requireTaskTrust(app, repository, lines);
  await requireTaskTrust(app, repository, await linesOf({ workflow: 'quick', agent: 'other' }));
  await requireTrust(app, repository, await applyTemplate(app, repository, undefined), HERE);

  writeFiles(root, { '.carrel/workflows/feature.yaml': FEATURE.replace('lint', 'pwn') });
  expect(await reportTrust(app, { repository: root })).toMatchObject({ trusted: false });
  const changed = await linesOf({ workflow: 'feature' });
  await expect(requireTaskTrust(app, repository, changed)).rejects.toMatchObject({
    code: 'TASK_COMMANDS_NOT_TRUSTED',
  });
  // New workspaces run none of it.
  await requireTrust(app, repository, await applyTemplate(app, repository, undefined), HERE);
  expect(await revokeTrust(app, { repository: root })).toMatchObject({ revoked: 2, trusted: false });
});

test('approving a setup command does not approve the same text elsewhere', async () => {
  const words = 'workflow feature, validation: make';
  const { app, root, repository } = await makeSite({
    '.carrel/config.yaml': `workspace: {setup: ["${words}"]}\n`,
  });
  await grantTrust(app, { repository: root, commands: [words] });
  await expect(requireTaskTrust(app, repository, [words])).rejects.toMatchObject({
    code: 'TASK_COMMANDS_NOT_TRUSTED',
  });
});
