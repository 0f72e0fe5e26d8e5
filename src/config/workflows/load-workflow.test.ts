import { symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { tempDir } from '../../../test/helpers/temp.js';
import { CarrelError } from '../../domain/error/error.js';
import { loadWorkflow } from './load-workflow.js';

function write(text: string): string {
  const file = join(tempDir(), 'feature.yaml');
  writeFileSync(file, text);
  return file;
}

/** Code, message and hint, without the temporary directory. */
async function failure(text: string): Promise<string> {
  const file = write(text);
  const error = await loadWorkflow(file).then(
    () => 'it loaded',
    reason => reason,
  );
  if (error === 'it loaded') return error;
  if (!(error instanceof CarrelError)) throw error;
  return `${error.code}\n${error.message}\n${error.hint}`.replaceAll(file, 'feature.yaml');
}

const HEAD = 'name: feature\ndescription: x\nstages:\n';

test('the example of the isolation mode document loads unchanged', async () => {
  const file = write(`name: feature
description: Full feature implementation workflow
trigger:
  - manual
  - apex:feature

# Override isolation at workflow level
isolation: full

stages:
  - name: planning
    agent: planner
    description: Create implementation plan
    outputs:
      - implementation_plan
      - subtasks
  # ... rest of stages ...
`);
  expect(await loadWorkflow(file)).toEqual({
    name: 'feature',
    description: 'Full feature implementation workflow',
    trigger: ['manual', 'apex:feature'],
    isolation: 'full',
    stages: [
      {
        name: 'planning',
        agent: 'planner',
        description: 'Create implementation plan',
        outputs: ['implementation_plan', 'subtasks'],
      },
    ],
  });
});

test('a missing key points at its parent', async () => {
  expect(await failure('')).toMatchInlineSnapshot(`
    "CONFIG_INVALID
    feature.yaml:1:1: name is missing; expected text
    see \`carrel schema workflow\` for the values of each key"
  `);
  expect(await failure(`${HEAD}  - name: a\n    agent: x\n  - name: b\n`)).toMatchInlineSnapshot(`
    "CONFIG_INVALID
    feature.yaml:6:5: stages[1].agent is missing; expected text
    see \`carrel schema workflow\` for the values of each key"
  `);
  expect(await failure(`${HEAD}  - name: a\n    agent:\n`)).toMatchInlineSnapshot(`
    "CONFIG_INVALID
    feature.yaml:5:5: stages[0].agent is missing; expected text
    see \`carrel schema workflow\` for the values of each key"
  `);
});

test('mistakes are reported with their position', async () => {
  expect(await failure(`${HEAD}  - name: a\n    agnet: x\n`)).toMatchInlineSnapshot(`
    "CONFIG_UNKNOWN_KEY
    feature.yaml:5:5: unknown key "stages[0].agnet"; expected one of name, agent, description, inputs, outputs, dependsOn, retries, timeout, checks, isolation, approve
    did you mean "agent"?"
  `);
  expect(await failure(`isolation: fulll\n${HEAD}  - {name: a, agent: x}\n`)).toMatchInlineSnapshot(`
    "CONFIG_INVALID
    feature.yaml:1:12: isolation is "fulll"; expected one of full, worktree, shared
    did you mean "full"?"
  `);
  expect(await failure(`${HEAD}  - {name: a, agent: x, timeout: soon}\n`)).toMatchInlineSnapshot(`
    "CONFIG_INVALID
    feature.yaml:4:34: stages[0].timeout is "soon"; expected a duration such as 90s, 15m, 12h or 7d
    see \`carrel schema workflow\` for the values of each key"
  `);
  expect(await failure('name: feature\ndescription: x\nstages: []\n')).toMatchInlineSnapshot(`
    "CONFIG_INVALID
    feature.yaml:3:9: stages is an empty list; expected a list that is not empty
    see \`carrel schema workflow\` for the values of each key"
  `);
});

test('stages must have unique names, known dependencies and an order', async () => {
  expect(await failure(`${HEAD}  - {name: a, agent: x}\n  - {name: a, agent: y}\n`)).toMatchInlineSnapshot(`
    "CONFIG_INVALID
    feature.yaml:5:12: stages[1].name is "a"; expected a unique name
    see \`carrel schema workflow\` for the values of each key"
  `);
  expect(
    await failure(`${HEAD}  - {name: plan, agent: x}\n  - {name: b, agent: y, dependsOn: [plna]}\n`),
  ).toMatchInlineSnapshot(`
    "CONFIG_INVALID
    feature.yaml:5:37: stages[1].dependsOn[0] is "plna"; expected the name of another stage
    did you mean "plan"?"
  `);
  expect(await failure(`${HEAD}  - {name: a, agent: x, dependsOn: [a]}\n`)).toMatch(/^CONFIG_INVALID/);
  expect(
    await failure(
      `${HEAD}  - {name: a, agent: x, dependsOn: [b]}\n  - {name: b, agent: y, dependsOn: [a]}\n`,
    ),
  ).toMatchInlineSnapshot(`
    "CONFIG_INVALID
    feature.yaml:4:36: stages[0].dependsOn is a list; expected an order without a cycle; these stages could never start: a, b
    see \`carrel schema workflow\` for the values of each key"
  `);
});

test('the order implied by inputs and the list has no cycle either', async () => {
  const stages = [
    '  - {name: a, agent: x, inputs: [plan]}',
    '  - {name: b, agent: y, outputs: [plan]}',
    '  - {name: c, agent: y}',
  ];
  expect(await failure(`${HEAD}${stages.join('\n')}\n`)).toMatchInlineSnapshot(`
    "CONFIG_INVALID
    feature.yaml:4:33: stages[0].inputs is a list; expected an order without a cycle; these stages could never start: a, b, c
    see \`carrel schema workflow\` for the values of each key"
  `);
  const first = '  - {name: b, agent: y, outputs: [plan], dependsOn: []}';
  expect(await failure(`${HEAD}${stages[0]}\n${first}\n`)).toBe('it loaded');
});

test('outputs are produced once, and names of stages and outputs are valid file names', async () => {
  expect(
    await failure(`${HEAD}  - {name: a, agent: x, outputs: [p]}\n  - {name: b, agent: x, outputs: [q, p]}\n`),
  ).toMatchInlineSnapshot(`
    "CONFIG_INVALID
    feature.yaml:5:38: stages[1].outputs[1] is "p"; expected an output that only one stage produces
    see \`carrel schema workflow\` for the values of each key"
  `);
  expect(await failure(`${HEAD}  - {name: ../a, agent: x}\n`)).toMatchInlineSnapshot(`
    "CONFIG_INVALID
    feature.yaml:4:12: stages[0].name is "../a"; expected a file name: at most 100 characters, without "/" and not starting with "."
    see \`carrel schema workflow\` for the values of each key"
  `);
  for (const name of ['a/b', '.hidden', '..', '"a\\nb"', '""'])
    expect(await failure(`${HEAD}  - {name: a, agent: x, outputs: [${name}]}\n`)).toMatch(/outputs\[0\] is/);
});

test('mistakes in a validation name its keys and kinds', async () => {
  const stages = `${HEAD}  - {name: a, agent: x}\nvalidation:\n`;
  expect(await failure(`${stages}  - {kind: test, run: make}\n`)).toMatchInlineSnapshot(`
    "CONFIG_INVALID
    feature.yaml:6:12: validation[0].kind is "test"; expected one of build, tests, command, file-exists, file-contains, file-not-contains
    did you mean "tests"?"
  `);
  expect(await failure(`${stages}  - {kind: tests, rnu: make}\n`)).toMatchInlineSnapshot(`
    "CONFIG_UNKNOWN_KEY
    feature.yaml:6:19: unknown key "validation[0].rnu"; expected one of kind, run, timeout, name, path, text, pattern
    did you mean "run"?"
  `);
  expect(await failure(`${stages}  - {kind: file-contains, path: a}\n`)).toMatchInlineSnapshot(`
    "CONFIG_INVALID
    feature.yaml:6:5: validation[0] is a mapping; expected either text or pattern
    see \`carrel schema workflow\` for the values of each key"
  `);
});

test('a workflow that is missing, or is a link outside the repository, is refused', async () => {
  const root = tempDir();
  await expect(loadWorkflow(join(root, 'none.yaml'))).rejects.toMatchObject({ code: 'CONFIG_UNREADABLE' });
  const outside = write(`${HEAD}  - {name: a, agent: x}\n`);
  symlinkSync(outside, join(root, 'feature.yaml'));
  await expect(loadWorkflow(join(root, 'feature.yaml'), root)).rejects.toMatchObject({
    code: 'CONFIG_UNREADABLE',
  });
});
