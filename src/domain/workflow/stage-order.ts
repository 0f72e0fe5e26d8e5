import type { WorkflowStage } from './workflow.js';

// Separate from workflow.ts so that running a workflow does not load zod.

type Ordered = Pick<WorkflowStage, 'name' | 'dependsOn' | 'inputs' | 'outputs'>;

/**
 * What each stage waits for: the stages that it names, or the one above it when it names none, and those that produce its
 * inputs. So a plain list runs from top to bottom, and stages with the same dependency run at the same time.
 */
export function dependenciesOf(stages: readonly Ordered[]): ReadonlyMap<string, readonly string[]> {
  return new Map(
    stages.map((stage, index) => {
      const above = stages[index - 1];
      const named = stage.dependsOn ?? (above ? [above.name] : []);
      const makers = (stage.inputs ?? []).flatMap(input => findMakers(stages, input, stage.name));
      return [stage.name, [...new Set([...named, ...makers])]];
    }),
  );
}

const findMakers = (stages: readonly Ordered[], input: string, self: string): string[] =>
  stages.filter(stage => stage.name !== self && stage.outputs?.includes(input)).map(stage => stage.name);

/** The stages that could start now, in the order of the workflow. */
export function findReady(stages: readonly Ordered[], done: ReadonlySet<string>): string[] {
  const dependencies = dependenciesOf(stages);
  return stages
    .map(stage => stage.name)
    .filter(name => !done.has(name) && dependencies.get(name)?.every(dependency => done.has(dependency)));
}
