import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect } from 'vitest';
import { stringify } from 'yaml';
import { type StoryReport, StoryReportSchema } from '../../../src/domain/story/story-report.js';
import { writeFiles } from '../repository.js';
import { serveCarrel } from '../server/served-carrel.js';
import { tempDir } from '../temp.js';
import { makeScriptedTasks } from './scripted-tasks.js';

/** Runs the lines of its prompt that begin with `do: `. */
const DO_AS_TOLD = `while IFS= read -r line; do case $line in "do: "*) printf '%s\\n' "\${line#do: }" ;; esac; done < "$CARREL_PROMPT_FILE" | sh -e`;

/** Story files, and a server whose agent does what they say. */
export async function makeServedStories(stories: Readonly<Record<string, object>>) {
  const site = makeScriptedTasks({
    agents: { worker: DO_AS_TOLD },
    stages: [{ name: 'only', agent: 'worker' }],
    workflow: { isolation: 'worktree' },
  });
  const directory = tempDir();
  writeFiles(
    directory,
    Object.fromEntries(
      Object.entries(stories).map(([name, story]) => [
        `${name}.yaml`,
        stringify({ name, repository: site.repository, ...story }),
      ]),
    ),
  );
  const server = await serveCarrel(site.carrel, site.repository, '--port', '0');
  const report = join(directory, 'out', 'report.json');
  const args = ['story', 'run', directory, '--server', server.url, '--report', report];
  return {
    ...site,
    server,
    directory,
    args,
    run: (...more: string[]) => {
      const { status, stdout, stderr } = site.carrel.run(directory, ...args, '--json', ...more);
      expect(stdout, stderr).not.toBe('');
      return { status, report: StoryReportSchema.parse(JSON.parse(stdout)) };
    },
    kept: () => JSON.parse(readFileSync(report, 'utf8')) as StoryReport,
  };
}
