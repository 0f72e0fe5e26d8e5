import type { CommandDescription, OptionDescription, ValueDescription } from '../help/describe-commands.js';
import { firstWords, namesOf, nouns, valueOptions, verbOf, verbsOf } from './completion-words.js';

/** One `complete` line per word, option and argument. A function finds the command of the line. */
export function writeFishCompletion(commands: readonly CommandDescription[]): string {
  return `# fish completion for carrel. Made by: carrel completion fish
function __carrel_at --description 'Whether the line is at this command, with this many operands when that is given'
    set -l words (commandline -opc)[2..]
    set -l command
    set -l operands 0
    set -l options yes
    while set -q words[1]
        set -l word $words[1]
        set -e words[1]
        if test $options = yes
            if test "$word" = --
                set options no
                continue
            else if contains -- "$word" ${valueOptions(commands).join(' ')}
                set -e words[1]
                continue
            else if string match -q -- '-*' "$word"
                continue
            end
        end
        if test -z "$command"; or contains -- "$command" ${nouns(commands).join(' ')}
            set command (string trim "$command $word")
        else
            set operands (math $operands + 1)
        end
    end
    test "$command" = "$argv[1]"; or return 1
    test (count $argv) -lt 2; or test "$argv[2]" = "$operands"; or begin
        test "$argv[2]" = rest; and test $operands -ge 1
    end
end

function __carrel_names --description 'Names of the workspaces, or of what the arguments select'
    set -l words (commandline -opc)
    set -l repository
    for index in (seq 1 (count $words))
        if contains -- "$words[$index]" -R --repository; and set -q words[(math $index + 1)]
            set repository -R $words[(math $index + 1)]
        end
    end
    command carrel completion-names $argv $repository 2>/dev/null
end

complete -c carrel -f
${wordLines('', [...firstWords(commands)])}
complete -c carrel -n '__carrel_at ""' -s R -l repository -r -a '(__fish_complete_directories)' -d 'the repository to work on'
complete -c carrel -n '__carrel_at ""' -l json -d 'print the result as JSON'
complete -c carrel -n '__carrel_at ""' -s V -l version -d 'print the version'
complete -c carrel -n '__carrel_at ""' -s h -l help -d 'show help'
${nouns(commands)
  .map(noun =>
    wordLines(
      noun,
      verbsOf(noun, commands).map(({ name, summary }) => [verbOf(name), summary]),
    ),
  )
  .join('\n')}
${commands.flatMap(command => namesOf(command).flatMap(name => commandLines(name, command))).join('\n')}
`;
}

function wordLines(at: string, words: readonly (readonly [word: string, text: string])[]): string {
  return words.map(([word, text]) => line(at, '', `-a ${quote(word)} -d ${quote(text)}`)).join('\n');
}

function commandLines(name: string, command: CommandDescription): string[] {
  const operands = command.arguments.flatMap((argument, index) => {
    if (command.takesCommandWords && argument.variadic) return commandWordLines(name, index);
    const source = candidates(argument.value);
    const position = argument.variadic ? '' : String(index);
    return source ? [line(name, position, `-a ${quote(source)}`)] : [];
  });
  return [...command.options.map(option => optionLine(name, option)), ...operands];
}

/** Programs for the first word, files for the others. */
function commandWordLines(name: string, index: number): string[] {
  return [line(name, String(index), "-a '(__fish_complete_command)'"), line(name, 'rest', '-F')];
}

function optionLine(name: string, { names, description, value }: OptionDescription): string {
  const flags = names.map(flag => (flag.startsWith('--') ? `-l ${flag.slice(2)}` : `-s ${flag.slice(1)}`));
  const source = value && candidates(value);
  const parts = [
    ...flags,
    ...(value ? ['-x'] : []),
    ...(source ? [`-a ${quote(source)}`] : []),
    `-d ${quote(description)}`,
  ];
  return line(name, '', parts.join(' '));
}

function candidates(value: ValueDescription): string | undefined {
  switch (value.kind) {
    case 'choice':
      return value.choices.join(' ');
    case 'directory':
      return '(__fish_complete_directories)';
    case 'workspace':
      return '(__carrel_names)';
    case 'task':
      return '(__carrel_names --tasks)';
    case 'run':
      return '(__carrel_names --runs)';
    case 'text':
      return undefined;
  }
}

function line(at: string, operands: string, rest: string): string {
  const condition = `__carrel_at "${at}"${operands ? ` ${operands}` : ''}`;
  return `complete -c carrel -n ${quote(condition)} ${rest}`;
}

const quote = (text: string) => `'${text.replaceAll(/['\\]/g, character => `\\${character}`)}'`;
