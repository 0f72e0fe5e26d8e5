import { Argument, type Command } from 'commander';
import { answer, type CommonOptions, type Session } from '../../cli-session.js';

const shells = ['bash', 'zsh', 'fish'] as const;

const INSTALL_HELP = `
Load it in every shell with one of:
  bash  echo 'source <(carrel completion bash)' >> ~/.bashrc
  zsh   echo 'source <(carrel completion zsh)' >> ~/.zshrc      (after compinit)
  fish  carrel completion fish > ~/.config/fish/completions/carrel.fish`;

export function define(command: Command, session: Session): void {
  command
    .addArgument(new Argument('<shell>', 'the shell to complete for').choices(shells))
    .addHelpText('after', INSTALL_HELP)
    .action(async (shell: (typeof shells)[number], options: CommonOptions) => {
      const { describeCommands } = await import('../../help/describe-commands.js');
      const { writeCompletion } = await import('../../completion/write-completion.js');
      const script = writeCompletion(shell, await describeCommands());
      answer(session, options, { shell, script }, value => value.script.trimEnd());
    });
}
