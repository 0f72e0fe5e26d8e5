import { expect, test } from 'vitest';
import { loadDefinitions } from '../../../test/helpers/task/definitions.js';
import type { IsolationMode } from '../../domain/isolation.js';
import type { WorkflowStage } from '../../domain/workflow/workflow.js';
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

test('the built-in workflows have no problems', async () => {
  for (const workflow of await loadWorkflows(null)) {
    const stages = 'definition' in workflow ? workflow.definition.stages : [];
    expect([workflow.name, await check(stages, 'shared')]).toEqual([
      workflow.name,
      { problems: [], warnings: [] },
    ]);
  }
});

test('reports every unknown agent and every input that no earlier stage produces', async () => {
  const { problems } = await check([
    { name: 'a', agent: 'planer', outputs: ['plan'] },
    { name: 'b', agent: 'developer', inputs: ['plan', 'notes'], outputs: ['more'] },
    { name: 'c', agent: 'amp', inputs: ['own', 'plan'], outputs: ['own'] },
    { name: 'd', agent: 'absent' },
  ]);
  expect(problems.map(problem => problem.replace(/; known: .*/, ''))).toEqual([
    'UNKNOWN_AGENT stage a of workflow w names the unknown agent "planer"',
    'UNKNOWN_AGENT stage d of workflow w names the unknown agent "absent"',
    'MISSING_INPUT stage b of w reads "notes", which no earlier stage produces; available: plan',
    'MISSING_INPUT stage c of w reads "own", which no earlier stage produces; available: plan, more',
  ]);
});

test('warns about parallel stages in a shared directory, and reports a missing program once', async () => {
  const stages = [
    { name: 'a', agent: 'planner' },
    { name: 'b', agent: 'developer', dependsOn: ['a'] },
    { name: 'c', agent: 'tester', dependsOn: ['a'] },
    { name: 'd', agent: 'codex', dependsOn: ['b', 'c'] },
  ];
  expect((await check(stages, 'worktree')).warnings).toEqual([]);
  expect((await check(stages, 'shared', ['claude', 'codex'])).warnings).toEqual([
    'the program claude is not on PATH; needed by the agents planner, developer, tester',
    'the program codex is not on PATH; needed by the agent codex',
    'the stages b, c have no order between them, but share one directory with isolation shared; they run one after another',
  ]);
});
