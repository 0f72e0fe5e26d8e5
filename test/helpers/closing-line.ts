import type { Reporter, TestModule } from 'vitest/node';

/** Ends the output with one plain line that any reader of a log can count on. */
export default class ClosingLine implements Reporter {
  onTestRunEnd(modules: readonly TestModule[]): void {
    const states = modules.flatMap(module =>
      [...module.children.allTests()].map(test => test.result().state),
    );
    const count = (state: string) => states.filter(candidate => candidate === state).length;
    const broken = modules.filter(module => module.errors().length > 0).length;
    process.stdout.write(
      `\n${count('passed')} passed, ${count('failed') + broken} failed, ${count('skipped')} skipped\n`,
    );
  }
}
