import type { Grader } from '../../domain/batch/eval-item.js';
import { gradeByCommand } from './graders/command-grader.js';
import { gradeByDiff } from './graders/diff-grader.js';
import { gradeByFiles } from './graders/files-grader.js';
import { gradeByReward } from './graders/reward-grader.js';
import { gradeByTests } from './graders/tests-grader.js';
import type { GradingBench } from './grading-context.js';
import type { Verdict } from './verdict.js';

/** Runs one grader. */
export async function runGrader(bench: GradingBench, grader: Grader): Promise<Verdict> {
  switch (grader.kind) {
    case 'command':
      return await gradeByCommand(bench, grader);
    case 'tests':
      return await gradeByTests(bench, grader);
    case 'files':
      return await gradeByFiles(bench, grader);
    case 'reward':
      return await gradeByReward(bench, grader);
    case 'diff':
      return gradeByDiff(bench, grader);
  }
}
