import { basename } from 'node:path';
import type { Command } from 'commander';
import { carrelError } from '../../../../domain/error/error.js';
import { sanitizeForFolder } from '../../../../domain/name.js';
import type { UpInput } from '../../../../operations/creation/plan-up.js';
import { absolutePath, answer, type CommonOptions, type Session, withApp } from '../../cli-session.js';
import { chooseOne } from '../../command.js';
import { addFields, readFields } from '../../derive-command.js';
import { fieldsOf } from '../../derived-fields.js';

interface UpOptions extends CommonOptions {
  readonly workspace?: string;
  readonly repo?: string;
  readonly gitWorktree?: string;
  readonly copy?: string;
  readonly withRepository?: readonly string[];
}

export function define(command: Command, session: Session): void {
  const fields = fieldsOf('up');
  addFields(command, fields)
    .option('--workspace <directory>', 'use this directory itself as the workspace')
    .option(
      '--repo <directory>',
      'create the workspace from this repository, with its version control (git or jj)',
    )
    .option('--git-worktree <directory>', 'create a git worktree of this repository, even if it uses jj')
    .option('--copy <directory>', 'create the workspace as a plain copy of this directory')
    .option(
      '--with-repository <path>',
      'also create the workspace in this repository, with the same name and branch: PATH or ALIAS=PATH; repeatable',
      (path: string, earlier: readonly string[] = []) => [...earlier, path],
    )
    .action(async (name: string | undefined, options: UpOptions & Record<string, unknown>) => {
      session.interruption.follow('finish');
      const request = {
        ...readFields(fields, [name], options),
        form: chooseForm(options, session),
        repositories: chooseRepositories(options, session),
      };
      const { up } = await import('../../../../operations/workspace/up.js');
      const workspace = await withApp(session, options, (app, repository) =>
        up(app, { repository, ...request, signal: session.interruption.signal }),
      );
      answer(session, options, workspace, ({ path }) => path);
    });
}

const formFlags = {
  workspace: '--workspace',
  repo: '--repo',
  gitWorktree: '--git-worktree',
  copy: '--copy',
} as const;

const formKinds = { workspace: 'direct', repo: 'auto', gitWorktree: 'git', copy: 'copy' } as const;

function chooseForm(options: UpOptions, session: Session): UpInput['form'] {
  const chosen = chooseOne(options, formFlags);
  if (chosen === undefined) return undefined;
  return { kind: formKinds[chosen], directory: absolutePath(session, options[chosen] ?? '.') };
}

/** `ALIAS=PATH`, or a path whose last part is the alias. */
function chooseRepositories({ withRepository }: UpOptions, session: Session): UpInput['repositories'] {
  if (!withRepository) return undefined;
  const named = withRepository.map(text => /^([A-Za-z0-9][A-Za-z0-9._-]*)=(.+)$/s.exec(text));
  const paths = withRepository.map((text, index) => absolutePath(session, named[index]?.[2] ?? text));
  if (named.every(match => match === null)) return paths;
  const aliases = paths.map((path, index) => named[index]?.[1] ?? sanitizeForFolder(basename(path)));
  const twice = aliases.find((alias, index) => aliases.indexOf(alias) !== index);
  if (twice !== undefined)
    throw carrelError('INVALID_INPUT', {
      what: '--with-repository',
      found: `the alias ${twice} for two repositories`,
      expected: 'another alias for one of them: ALIAS=PATH',
    });
  return Object.fromEntries(paths.map((path, index) => [aliases[index], path]));
}
