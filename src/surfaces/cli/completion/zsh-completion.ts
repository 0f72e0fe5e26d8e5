import type {
  ArgumentDescription,
  CommandDescription,
  OptionDescription,
  ValueDescription,
} from '../help/describe-commands.js';
import { firstWords, namesOf, nouns, verbOf, verbsOf } from './completion-words.js';

/** One `_arguments` specification per command; zsh does the rest. */
export function writeZshCompletion(commands: readonly CommandDescription[]): string {
  return `#compdef carrel
# zsh completion for carrel. Made by: carrel completion zsh
_carrel() {
  local curcontext="$curcontext" state line
  local -a carrel_repository
  typeset -A opt_args
  _arguments -C -A '-*' \\
    '(-R --repository)'{-R,--repository}'[the repository to work on]:path:_files -/' \\
    '--json[print the result as JSON]' \\
    '(-)'{-V,--version}'[print the version]' \\
    '(-)'{-h,--help}'[show help]' \\
    '1:command:->command' \\
    '*::argument:->arguments'
  _carrel_note_repository
  case $state in
    command)
      local -a offers=(
${offers(firstWords(commands), 8)}
      )
      _describe -t commands 'carrel command' offers ;;
    arguments)
      case $words[1] in
${nouns(commands)
  .map(noun => nounCase(noun, commands))
  .join('\n')}
${commands
  .filter(({ name }) => !name.includes(' '))
  .map(command => commandCase(command, 8))
  .join('\n')}
      esac ;;
  esac
}

_carrel_note_repository() {
  local chosen=\${opt_args[-R]:-$opt_args[--repository]}
  [[ -n $chosen ]] && carrel_repository=(-R "$chosen")
}

_carrel_workspaces() {
  _carrel_note_repository
  local -a names=(\${(f)"$(command carrel completion-names $carrel_repository 2>/dev/null)"})
  _describe -t workspaces 'workspace' names
}

_carrel_tasks() {
  _carrel_note_repository
  local -a ids=(\${(f)"$(command carrel completion-names --tasks $carrel_repository 2>/dev/null)"})
  _describe -t tasks 'task' ids
}

_carrel_runs() {
  local -a ids=(\${(f)"$(command carrel completion-names --runs 2>/dev/null)"})
  _describe -t runs 'run' ids
}

# Loaded by the completion system this file is the function itself; sourced from a start file it has to register it.
if [[ $funcstack[1] == _carrel ]]; then _carrel "$@"; else compdef _carrel carrel; fi
`;
}

function nounCase(noun: string, commands: readonly CommandDescription[]): string {
  const verbs = verbsOf(noun, commands);
  return `        ${noun})
          if (( CURRENT == 2 )); then
            local -a offers=(
${offers(new Map(verbs.map(({ name, summary }) => [verbOf(name), summary])), 14)}
            )
            _describe -t commands '${noun} command' offers
          else
            shift words; (( CURRENT-- ))
            case $words[1] in
${verbs.map(verb => commandCase({ ...verb, name: verbOf(verb.name) }, 14)).join('\n')}
            esac
          fi ;;`;
}

function commandCase(command: CommandDescription, indent: number): string {
  const specifications = [
    ...command.options.map(optionSpecification),
    ...command.arguments.map((argument, index) =>
      argumentSpecification(argument, index, command.takesCommandWords),
    ),
  ];
  const margin = ' '.repeat(indent);
  const lines = specifications.map(specification => `\n${margin}    ${specification}`).join(' \\');
  return `${margin}${namesOf(command).join('|')})\n${margin}  _arguments -S : \\${lines} ;;`;
}

/** `'(-R --repository)'{-R,--repository=}'[what it does]:value:_files -/'`; the `=` allows a value after it, too. */
function optionSpecification({ names, description, value }: OptionDescription): string {
  const text = `[${escapeText(description)}]${value ? `:value:${completer(value)}` : ''}`;
  const spelled = names.map(name => (value && name.startsWith('--') ? `${name}=` : name));
  if (spelled.length === 1) return quote(`${spelled[0]}${text}`);
  return `${quote(`(${names.join(' ')})`)}{${spelled.join(',')}}${quote(text)}`;
}

function argumentSpecification(
  argument: ArgumentDescription,
  index: number,
  takesCommandWords: boolean,
): string {
  if (argument.variadic && takesCommandWords) return quote('*:::command:_normal');
  const position = argument.variadic ? '*' : String(index + 1);
  return quote(`${position}:${escapeText(argument.name)}:${completer(argument.value)}`);
}

function completer(value: ValueDescription): string {
  switch (value.kind) {
    case 'choice':
      return `(${value.choices.join(' ')})`;
    case 'directory':
      return '_files -/';
    case 'workspace':
      return '_carrel_workspaces';
    case 'task':
      return '_carrel_tasks';
    case 'run':
      return '_carrel_runs';
    case 'text':
      return ' ';
  }
}

function offers(words: ReadonlyMap<string, string>, indent: number): string {
  return [...words]
    .map(([word, text]) => `${' '.repeat(indent)}${quote(`${word}:${text.replaceAll(':', '\\:')}`)}`)
    .join('\n');
}

const escapeText = (text: string) => text.replaceAll(/[[\]:\\]/g, character => `\\${character}`);

const quote = (text: string) => `'${text.replaceAll("'", "'\\''")}'`;
