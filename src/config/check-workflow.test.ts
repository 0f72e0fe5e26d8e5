import { expect, test } from 'vitest';
import { loadDefinitions } from '../../test/helpers/definitions.js';
import type { IsolationMode } from '../domain/isolation.js';
import type { WorkflowStage } from '../domain/workflow.js';
import { checkWorkflow } from './check-workflow.js';
import { loadWorkflows } from './load-workflows.js';

async function check(stages: WorkflowStage[], mode: IsolationMode = 'worktree', missing: string[] = []) {
  const { known } = await loadDefinitions({});
  const { problems, warnings } = checkWorkflow({
    request: { workflow: { name: 'w', description: '', stages }, known, usual: 'claude' },
    mode,
    findMissingProgram: ({ program }) =>
      program.kind === 'preset' && missing.includes(program.preset) ? program.preset : undefined,
  });
  return { problems: problems.map(({ code, message }) => `${code} ${message}`), warnings };
}

test('what Carrel brings is sound', async () => {
  for (const workflow of await loadWorkflows(null)) {
    const stages = 'definition' in workflow ? workflow.definition.stages : [];
    expect([workflow.name, await check(stages, 'shared')]).toEqual([
      workflow.name,
      { problems: [], warnings: [] },
    ]);
  }
});

test('every unknown agent and every input that nobody makes before is told', async () => {
  const { problems } = await check([
    { name: 'a', agent: 'planer', outputs: ['plan'] },
    { name: 'b', agent: 'developer', inputs: ['plan', 'notes'], outputs: ['more'] },
    { name: 'c', agent: 'amp', inputs: ['own', 'plan'], outputs: ['own'] },
    { name: 'd', agent: 'nobody' },
  ]);
  expect(problems.map(problem => problem.replace(/; known: .*/, ''))).toEqual([
    'UNKNOWN_AGENT stage a of workflow w names the agent "planer"',
    'UNKNOWN_AGENT stage d of workflow w names the agent "nobody"',
    'MISSING_INPUT stage b of w reads "notes", which no stage before it makes; made are: plan',
    'MISSING_INPUT stage c of w reads "own", which no stage before it makes; made are: plan, more',
  ]);
});

test('stages without an order share no directory, and a missing program is told once', async () => {
  const stages = [
    { name: 'a', agent: 'planner' },
    { name: 'b', agent: 'developer', dependsOn: ['a'] },
    { name: 'c', agent: 'tester', dependsOn: ['a'] },
    { name: 'd', agent: 'codex', dependsOn: ['b', 'c'] },
  ];
  expect((await check(stages, 'worktree')).warnings).toEqual([]);
  expect((await check(stages, 'shared', ['claude', 'codex'])).warnings).toEqual([
    'the program claude is not in PATH; needed by the agents planner, developer, tester',
    'the program codex is not in PATH; needed by the agent codex',
    'the stages b, c have no order between them, but isolation shared has one directory for all; they run one after the other',
  ]);
});
