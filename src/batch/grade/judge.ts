import type { Grader } from '../../domain/eval-item.js';
import { gradeByCommand } from './command-grader.js';
import { gradeByDiff } from './diff-grader.js';
import { gradeByFiles } from './files-grader.js';
import type { GradingBench } from './grading-bench.js';
import { gradeByReward } from './reward-grader.js';
import { gradeByTests } from './tests-grader.js';
import type { Verdict } from './verdict.js';

/** Asks one grader. */
export async function judge(bench: GradingBench, grader: Grader): Promise<Verdict> {
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
