import { join } from 'node:path';
import { interleave, report, time } from './figures.mjs';
import { withScene } from './scene.mjs';

/**
 * Creating and removing one workspace. The floor of `carrel up` is the checkout that git does plus one Node process;
 * that of `carrel down` is the deletion of the files plus one Node process.
 */
export async function measureWorkspace(files, repeats) {
  await withScene(files, async ({ home, git, carrel, countGitProcesses }) => {
    const worktree = round => join(home, `plain-${round}`);
    const create = await interleave(
      {
        'git worktree add': round =>
          time(() => git('worktree', 'add', '--quiet', '-b', `plain-${round}`, worktree(round))),
        'carrel up': round => time(() => carrel('up', `w${round}`)),
      },
      repeats,
    );
    report(`Create, ${files} files`, create);
    report(
      `Look, ${files} files`,
      await interleave(
        {
          'git status': round => time(() => git('-C', worktree(round), 'status', '--porcelain')),
          'carrel show': round => time(() => carrel('show', `w${round}`)),
          'carrel diff': round => time(() => carrel('diff', `w${round}`)),
          'carrel path': round => time(() => carrel('path', `w${round}`)),
        },
        repeats,
      ),
    );
    const processes = { up: await countGitProcesses(() => carrel('up', 'counted')) };
    processes.down = await countGitProcesses(() => carrel('down', 'counted'));
    const remove = await interleave(
      {
        'git worktree remove --force': round =>
          time(() => git('worktree', 'remove', '--force', worktree(round))),
        'carrel down (snapshot included)': round => time(() => carrel('down', `w${round}`)),
      },
      repeats,
    );
    report(`Remove, ${files} files`, remove);
    console.log(`  git processes: up ${processes.up}, down ${processes.down}`);
  });
}
