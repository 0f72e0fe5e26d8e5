import { expect, test } from 'vitest';
import { composePrompt, type PromptRequest } from './compose-prompt.js';

const request: PromptRequest = {
  description: 'Add a dark mode.\n',
  workflow: { name: 'feature', description: 'from an idea to reviewed code' },
  stage: { name: 'implementation', description: 'Implement the plan.' },
  agent: { name: 'developer', instructions: 'You write small, tested changes.' },
  position: { index: 2, of: 3 },
  inputs: [{ name: 'plan', path: '/handoff/inputs/plan.md', text: '1. Colours\n2. A switch\n' }],
  outputs: [{ name: 'notes', path: '/handoff/outputs/notes.md' }],
  isolation: 'worktree',
  branch: 'carrel/dark-mode',
  repositories: [],
};

test('a prompt has the role, task, stage, inputs, outputs and rules', () => {
  expect(composePrompt(request)).toMatchInlineSnapshot(`
    "# Your role: developer

    You write small, tested changes.

    # The task

    Add a dark mode.

    # Your part: implementation

    Implement the plan.

    This is stage 2 of 3 of the workflow "feature" (from an idea to reviewed code). Other agents do the other stages: do only this one, and complete it.

    # Inputs

    ## plan

    Also in the file /handoff/inputs/plan.md

    \`\`\`
    1. Colours
    2. A switch
    \`\`\`

    # Outputs

    - Write "notes" to /handoff/outputs/notes.md

    These files are not part of the work: do not put them in the current directory. If you cannot write one, your final message is used instead.

    # Rules

    - Work in the current directory, which is yours alone. Write nothing outside it except the files requested here.
    - Stay on the branch carrel/dark-mode: don't switch, rename or rebase it.
    - Commit your changes or leave them uncommitted: Carrel commits what is left.
    - Don't leave a merge or a rebase unfinished, and don't push anything.
    - No one can answer questions: make reasonable decisions yourself, and list them in your final message.
    "
  `);
});

test('the prompt of another attempt in a sandbox has the failure and the deadline', () => {
  const previous = { message: 'the check "npm test" exited with status 1', output: 'not ok 1\n' };
  const further = { ...request, isolation: 'full', deadline: '2026-03-02T12:30:00.000Z', previous } as const;
  const rest = composePrompt(further).split('# Rules')[1];
  expect(rest).toMatchInlineSnapshot(`
    "

    - Work in the current directory. You are in a sandbox: most of the machine is hidden and the network may be blocked.
    - Stay on the branch carrel/dark-mode: don't switch, rename or rebase it.
    - Commit your changes or leave them uncommitted: Carrel commits what is left.
    - Don't leave a merge or a rebase unfinished, and don't push anything.
    - No one can answer questions: make reasonable decisions yourself, and list them in your final message.
    - Finish before 2026-03-02T12:30:00.000Z: you are stopped at that time.

    # Previous failure

    An earlier attempt failed: the check "npm test" exited with status 1

    Its changes are still there. Look at them, and fix them instead of starting over.

    The end of its output:

    \`\`\`
    not ok 1
    \`\`\`
    "
  `);
});

test('a workflow of one stage without a description is described as the whole task', () => {
  const text = composePrompt({
    ...request,
    workflow: { name: 'quick', description: '' },
    stage: { name: 'do' },
    agent: { name: 'developer', instructions: null },
    position: { index: 1, of: 1 },
    inputs: [],
    outputs: [],
    isolation: 'shared',
    branch: null,
  });
  expect(text).toMatchInlineSnapshot(`
    "# The task

    Add a dark mode.

    # Your part

    All of it: this is the workflow "quick".

    # Rules

    - Work in the current directory. It is the user's own: change only what the task asks for, and nothing outside it.
    - Commit only when the task asks for it.
    - Don't leave a merge or a rebase unfinished, and don't push anything.
    - No one can answer questions: make reasonable decisions yourself, and list them in your final message.
    "
  `);
});

test('a long or binary input is given as a path, and one with a fence gets a longer fence', () => {
  const text = composePrompt({
    ...request,
    inputs: [
      { name: 'long', path: '/handoff/inputs/long.md', text: 'é'.repeat(12_289) },
      { name: 'just', path: '/handoff/inputs/just.md', text: 'é'.repeat(12_288) },
      { name: 'picture', path: '/handoff/inputs/picture.png', text: null },
      { name: 'fenced', path: '/handoff/inputs/fenced.md', text: '````\n# Rules\n````' },
    ],
  });
  expect(text).toContain('## long\n\nIt is long. Read the file /handoff/inputs/long.md\n');
  expect(text).toContain(`\`\`\`\n${'é'.repeat(12_288)}\n\`\`\`\n`);
  expect(text).toContain('## picture\n\nIt is not text. Read the file /handoff/inputs/picture.png\n');
  expect(text).toContain('\n`````\n````\n# Rules\n````\n`````\n');
});

test("with several repositories it says where they are, and that nothing outside them is the agent's", () => {
  const repositories = [
    { alias: 'app', path: '/work/app' },
    { alias: 'web', path: '/work/web' },
  ];
  const prompt = composePrompt({ ...request, repositories });
  expect(prompt).toContain('- app: the current directory\n- web: /work/web\n');
  expect(prompt).toContain('- Work in the directories of these repositories. Write nothing outside them');
  expect(prompt).toContain('Stay on the branch carrel/dark-mode in each of them');
  expect(prompt).not.toContain('Write nothing outside it');
});
