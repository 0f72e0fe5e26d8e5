import type { AgentRequest } from '../eval-agent.js';

/** What a program that works on a task reads. */
export function composeEvalPrompt(
  { item, environment, deadline, budgetUsd }: AgentRequest,
  instructions: string | null,
): string {
  const rules = [
    `Work in ${environment.workingDirectory}, the current directory. Outside of it nothing that you change counts.`,
    'All that is in it when you end is your answer, whether you commit it or not.',
    ...(environment.isSandboxed
      ? ['You are in a sandbox: most of the machine is not there, and the network may be closed.']
      : []),
    'Nobody answers questions: decide what is reasonable.',
    `Be done before ${new Date(deadline).toISOString()}: you are stopped then.`,
    ...(budgetUsd === undefined ? [] : [`Use less than ${budgetUsd} US dollars: you are stopped then.`]),
  ];
  return [
    ...(instructions?.trim() ? [`# Your role\n\n${instructions.trim()}\n`] : []),
    `# The task\n\n${item.description.trim()}\n`,
    `# Rules\n\n${rules.map(rule => `- ${rule}`).join('\n')}\n`,
  ].join('\n');
}
