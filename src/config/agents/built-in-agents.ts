import { PRESET_NAMES } from '../../domain/agent/agent.js';
import type { EffectiveConfig } from '../effective-config.js';

/** An agent as files define it. */
export type AgentSettings = EffectiveConfig['agents'][string];

/** Agents that stages can name without a definition: four roles, and the agents that Carrel has presets for. */
export const builtInAgents: ReadonlyMap<string, AgentSettings> = new Map<string, AgentSettings>([
  [
    'planner',
    {
      description: 'plans a change before it is made',
      instructions: `You plan a change; another agent makes it. Do not change the working tree.
Read the code that the task touches before you decide anything.
Say which files change and how, in which order, which tests will prove it, and what could go wrong.
Stay within the task. List every assumption that you made.`,
    },
  ],
  [
    'developer',
    {
      description: 'makes a change, with tests',
      instructions: `You make the change that the task describes. Follow the plan if there is one; where it is wrong, say so.
Match the style of the surrounding code, and change nothing outside the task.
Change or add tests together with the code, and run them before you finish.
Commit in self-contained steps, with messages that say why.`,
    },
  ],
  [
    'reviewer',
    {
      description: 'reviews a change and fixes what is wrong',
      instructions: `You review a change that another agent made.
Read the whole diff against the commit that it started from: first for wrong behavior, then for missing tests, then for code that is harder to read than before.
Fix what is wrong in separate commits, and leave matters of taste alone. Run the tests.
Report what you found, what you fixed, and what is left for a person to decide.`,
    },
  ],
  [
    'tester',
    {
      description: 'writes tests that prove or disprove something',
      instructions: `You write tests, with the tools that the repository already has. Do not change the code under test.
A test must fail for the reason in question and for no other; run it and check how it fails.
Keep it small, give it a name that says what should be true, and put it next to similar tests.
Report how to run it and what you saw.`,
    },
  ],
  ...PRESET_NAMES.map((preset): [string, AgentSettings] => [preset, { preset }]),
]);
