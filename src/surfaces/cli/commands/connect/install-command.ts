import { homedir } from 'node:os';
import { Argument, type Command } from 'commander';
import type { InstallReport } from '../../../../domain/report/install-report.js';
import { findProgramIn } from '../../../../exec/find-program.js';
import {
  type InstallableName,
  installableAgents,
  installableNames,
} from '../../../../integrations/install/installable-agents.js';
import { answer, type CommonOptions, type Session, withApp } from '../../cli-session.js';
import { chooseOne } from '../../command.js';

interface InstallOptions extends CommonOptions {
  readonly write?: boolean;
  readonly remove?: boolean;
  readonly user?: boolean;
  readonly hooks: boolean;
}

export function define(command: Command, session: Session): void {
  command
    .addArgument(
      new Argument('[agent]', 'the agent to set up; lists all agents when omitted').choices(installableNames),
    )
    .option('--write', 'write the configuration files of the agent; without this, only show them')
    .option('--remove', 'remove it from the configuration files')
    .option(
      '--user',
      'set it up for all your projects, in your home directory, instead of in this repository',
    )
    .option('--no-hooks', "leave out the hooks for Claude Code's worktrees")
    .action(async (agent: InstallableName | undefined, options: InstallOptions) => {
      if (agent === undefined) return list(session, options);
      session.interruption.follow('finish');
      const report = await installFor(session, agent, options);
      if (options.write) warnOfMissing(session);
      if (options.json) return session.output.json(report);
      tell(session, report);
    });
}

function list(session: Session, options: InstallOptions): void {
  const agents = installableNames.map(name => ({ name, title: installableAgents[name].title }));
  const width = Math.max(...installableNames.map(name => name.length));
  answer(session, options, agents, known =>
    known.map(({ name, title }) => `${name.padEnd(width)}  ${title}`).join('\n'),
  );
}

async function installFor(
  session: Session,
  agent: InstallableName,
  options: InstallOptions,
): Promise<InstallReport> {
  const chosen = chooseOne(options, { write: '--write', remove: '--remove' });
  const { install } = await import('../../../../integrations/install/install-integration.js');
  const { locateRepository } = await import('../../../../operations/repository/locate-repository.js');
  return withApp(session, options, async (app, directory) =>
    install({
      agent,
      scope: options.user ? 'user' : 'project',
      action: chosen === 'write' ? 'add' : (chosen ?? 'show'),
      withHooks: options.hooks,
      project: options.user ? directory : (await locateRepository(app, directory)).root,
      home: session.environment.HOME || homedir(),
      environment: session.environment,
      stateDir: app.places.stateDir,
    }),
  );
}

/** The files name `carrel` without a path, because others share them. */
function warnOfMissing({ environment, output }: Session): void {
  if (findProgramIn(environment.PATH ?? '', 'carrel') === undefined)
    output.narrate('warning: carrel is not on your PATH, where agents look for it');
}

/** Content and status go to stdout, notes to stderr. */
function tell({ output }: Session, { files, commands, notes }: InstallReport): void {
  for (const { file, status, content, backup } of files) {
    if (status === 'shown') output.answer(`# ${file}\n${content}`);
    else output.answer(`${status}: ${file}`);
    if (backup !== null) output.narrate(`backup of the old file: ${backup}`);
  }
  for (const command of commands) output.answer(`# run\n${command}`);
  for (const note of notes) output.narrate(`warning: ${note}`);
}
