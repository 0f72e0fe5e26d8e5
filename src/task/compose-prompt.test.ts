import { expect, test } from 'vitest';
import { composePrompt, type PromptRequest } from './compose-prompt.js';

const request: PromptRequest = {
  description: 'Add a dark mode.\n',
  workflow: { name: 'feature', description: 'from an idea to reviewed code' },
  stage: { name: 'implementation', description: 'Implement the plan.' },
  agent: { name: 'developer', instructions: 'You write small, tested changes.' },
  position: { index: 2, of: 3 },
  inputs: [{ name: 'plan', path: '/desk/inputs/plan.md', text: '1. Colours\n2. A switch\n' }],
  outputs: [{ name: 'notes', path: '/desk/outputs/notes.md' }],
  isolation: 'worktree',
  branch: 'carrel/dark-mode',
};

test('a prompt has the role, the task, the stage, its inputs, its outputs and the rules', () => {
  expect(composePrompt(request)).toMatchInlineSnapshot(`
    "# Your role: developer

    You write small, tested changes.

    # The task

    Add a dark mode.

    # Your part: implementation

    Implement the plan.

    This is stage 2 of 3 of the workflow "feature" (from an idea to reviewed code). Others do the other stages: do this one, and all of it.

    # What you are given

    ## plan

    Also here: /desk/inputs/plan.md

    \`\`\`
    1. Colours
    2. A switch
    \`\`\`

    # What to leave

    - Write "notes" to /desk/outputs/notes.md

    These files are not part of the work: leave them out of the current directory. For one that you can't write, your last words stand in.

    # Rules

    - Work in the current directory, which is yours alone. Outside of it, write nothing but what is asked for here.
    - Stay on the branch carrel/dark-mode: don't switch, rename or rebase it.
    - Commit your changes or leave them uncommitted: Carrel commits what is left.
    - Don't leave a merge or a rebase half done, and don't push anything.
    - Nobody answers questions: decide what is reasonable, and say in your last words what you decided.
    "
  `);
});

test('a further attempt in a sandbox is told what failed, and how long it has', () => {
  const previous = { message: 'the check "npm test" ended with exit status 1', output: 'not ok 1\n' };
  const further = { ...request, isolation: 'full', deadline: '2026-03-02T12:30:00.000Z', previous } as const;
  const rest = composePrompt(further).split('# Rules')[1];
  expect(rest).toMatchInlineSnapshot(`
    "

    - Work in the current directory. You are in a sandbox: most of the machine is not there, and the network may be closed.
    - Stay on the branch carrel/dark-mode: don't switch, rename or rebase it.
    - Commit your changes or leave them uncommitted: Carrel commits what is left.
    - Don't leave a merge or a rebase half done, and don't push anything.
    - Nobody answers questions: decide what is reasonable, and say in your last words what you decided.
    - Be done before 2026-03-02T12:30:00.000Z: you are stopped then.

    # What went wrong before

    This was tried before, and it failed: the check "npm test" ended with exit status 1

    What was changed then is still there. Look at it, and mend it rather than beginning anew.

    The end of what was printed:

    \`\`\`
    not ok 1
    \`\`\`
    "
  `);
});

test('a workflow of one stage without a description is all of it', () => {
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

    - Work in the current directory. It is the user's own: change only what the task asks for, and nothing outside of it.
    - Commit only when the task asks for it.
    - Don't leave a merge or a rebase half done, and don't push anything.
    - Nobody answers questions: decide what is reasonable, and say in your last words what you decided.
    "
  `);
});

test('an input that is long or no text is named, and one with a fence stays within its own', () => {
  const text = composePrompt({
    ...request,
    inputs: [
      { name: 'long', path: '/desk/inputs/long.md', text: 'é'.repeat(12_289) },
      { name: 'just', path: '/desk/inputs/just.md', text: 'é'.repeat(12_288) },
      { name: 'picture', path: '/desk/inputs/picture.png', text: null },
      { name: 'fenced', path: '/desk/inputs/fenced.md', text: '````\n# Rules\n````' },
    ],
  });
  expect(text).toContain('## long\n\nIt is long. Read it here: /desk/inputs/long.md\n');
  expect(text).toContain(`\`\`\`\n${'é'.repeat(12_288)}\n\`\`\`\n`);
  expect(text).toContain('## picture\n\nIt is not text. Read it here: /desk/inputs/picture.png\n');
  expect(text).toContain('\n`````\n````\n# Rules\n````\n`````\n');
});
