import type { z } from 'zod';
import { nearest } from '../text/nearest-word.js';
import { dependenciesOf } from './stage-order.js';
import type { WorkflowStage } from './workflow.js';

type StageIssue = z.core.$ZodRawIssue<z.core.$ZodIssueCustom>;

/** Duplicate names and outputs, unknown dependencies, and stages that wait for each other in a cycle. */
export function findStageIssues(stages: readonly WorkflowStage[]): StageIssue[] {
  const names = stages.map(stage => stage.name);
  const wrong = stages.flatMap((stage, index) => [
    ...(names.indexOf(stage.name) < index
      ? [issue(['stages', index, 'name'], stage.name, 'a unique name')]
      : []),
    ...findUnknownDependencies(stage, index, names),
    ...findRepeatedOutputs(stages, index),
  ]);
  return wrong.length > 0 ? wrong : findCircles(stages);
}

function findUnknownDependencies(
  stage: WorkflowStage,
  index: number,
  names: readonly string[],
): StageIssue[] {
  const others = names.filter(name => name !== stage.name);
  return (stage.dependsOn ?? []).flatMap((dependency, position) => {
    if (others.includes(dependency)) return [];
    const path = ['stages', index, 'dependsOn', position];
    return [issue(path, dependency, 'the name of another stage', nearest(dependency, others))];
  });
}

/** Each output must come from exactly one stage. */
function findRepeatedOutputs(stages: readonly WorkflowStage[], index: number): StageIssue[] {
  const above = new Set(stages.slice(0, index).flatMap(stage => stage.outputs ?? []));
  const own = stages[index]?.outputs ?? [];
  return own.flatMap((output, position) => {
    const isNew = !above.has(output) && own.indexOf(output) === position;
    const path = ['stages', index, 'outputs', position];
    return isNew ? [] : [issue(path, output, 'an output that only one stage produces')];
  });
}

/** Removes stages whose dependencies are gone until none is left to remove; the rest form a cycle. */
function findCircles(stages: readonly WorkflowStage[]): StageIssue[] {
  const dependencies = dependenciesOf(stages);
  let waiting = new Set(stages.map(stage => stage.name));
  for (;;) {
    const blocked = [...waiting].filter(name => dependencies.get(name)?.some(other => waiting.has(other)));
    if (blocked.length === waiting.size) break;
    waiting = new Set(blocked);
  }
  const index = stages.findIndex(stage => waiting.has(stage.name));
  const first = stages[index];
  if (!first) return [];
  // A stage that waits only for the one above it is never the first of the stuck ones.
  const key = first.dependsOn?.some(name => waiting.has(name)) ? 'dependsOn' : 'inputs';
  const expected = `an order without a cycle; these stages could never start: ${[...waiting].join(', ')}`;
  return [issue(['stages', index, key], first[key], expected)];
}

function issue(path: (string | number)[], input: unknown, expected: string, near?: string): StageIssue {
  return { code: 'custom', path, input, message: expected, params: { nearest: near } };
}
