import type { ArgumentDescription, CommandDescription, ValueDescription } from '../help/describe-commands.js';
import { firstWords, namesOf, nouns, valueOptions, verbOf, verbsOf } from './completion-words.js';

/**
 * Works with bash 3.2, which macOS ships: no mapfile, no associative arrays. The function reads the words before the
 * cursor to find the command and its number of operands, then offers what fits.
 */
export function writeBashCompletion(commands: readonly CommandDescription[]): string {
  return `# bash completion for carrel. Made by: carrel completion bash
_carrel() {
  local current="\${COMP_WORDS[COMP_CWORD]}" previous="\${COMP_WORDS[COMP_CWORD-1]}"
  local command="" operands=0 after_dashes="" repository=() word i
  # Bash splits --option=value in three.
  if [[ $current == "=" ]]; then current=""; elif [[ $previous == "=" ]]; then previous="\${COMP_WORDS[COMP_CWORD-2]}"; fi
  for ((i = 1; i < COMP_CWORD; i++)); do
    word="\${COMP_WORDS[i]}"
    if [[ -z $after_dashes ]]; then
      case $word in
        --) after_dashes=1; continue ;;
        =) i=$((i + 1)); continue ;;
        ${valueOptions(commands).join('|')})
          [[ \${COMP_WORDS[i+1]} == "=" ]] && i=$((i + 1))
          i=$((i + 1))
          [[ $word == -R || $word == --repository ]] && repository=(-R "\${COMP_WORDS[i]}")
          continue ;;
        -*) continue ;;
      esac
    fi
    case $command in
      "") command=$word ;;
      ${nouns(commands).join('|')}) command="$command $word" ;;
      *) operands=$((operands + 1)) ;;
    esac
  done

  COMPREPLY=()
  local IFS=$'\\n'
  if [[ -z $after_dashes ]]; then
    case "$command $previous" in
      " -R"|" --repository") _carrel_directories; return ;;
${optionCases(commands)}
    esac
    if [[ $current == -* ]]; then
      case $command in
${flagCases(commands)}
        *) _carrel_offer --repository --json --help --version ;;
      esac
      return
    fi
  fi
  case "$command/$operands" in
    /0) _carrel_offer ${[...firstWords(commands).keys()].join(' ')} ;;
${nounCases(commands)}
${operandCases(commands)}
  esac
}

_carrel_offer() {
  COMPREPLY=($(compgen -W "$*" -- "$current"))
}

_carrel_directories() {
  compopt -o filenames 2>/dev/null
  COMPREPLY=($(compgen -d -- "$current"))
}

_carrel_workspaces() {
  _carrel_offer $("\${COMP_WORDS[0]}" completion-names \${repository[@]+"\${repository[@]}"} 2>/dev/null)
}

_carrel_tasks() {
  _carrel_offer $("\${COMP_WORDS[0]}" completion-names --tasks \${repository[@]+"\${repository[@]}"} 2>/dev/null)
}

_carrel_runs() {
  _carrel_offer $("\${COMP_WORDS[0]}" completion-names --runs 2>/dev/null)
}

_carrel_command_words() {
  compopt -o filenames 2>/dev/null
  if [[ $operands -eq 1 ]]; then COMPREPLY=($(compgen -c -f -- "$current")); else COMPREPLY=($(compgen -f -- "$current")); fi
}

complete -F _carrel carrel
`;
}

function optionCases(commands: readonly CommandDescription[]): string {
  return cases(
    commands.flatMap(command =>
      command.options.flatMap(({ names, value }) => {
        const patterns = namesOf(command).flatMap(word => names.map(name => quote(`${word} ${name}`)));
        return value ? [[patterns.join('|'), `${offerValue(value)}; return`] as const] : [];
      }),
    ),
    6,
  );
}

function flagCases(commands: readonly CommandDescription[]): string {
  return cases(
    commands.map(command => [
      namesOf(command).map(quote).join('|'),
      `_carrel_offer ${command.options.flatMap(option => option.names.filter(name => name.startsWith('--'))).join(' ')}`,
    ]),
    8,
  );
}

function nounCases(commands: readonly CommandDescription[]): string {
  const rows = nouns(commands).map(noun => {
    const verbs = verbsOf(noun, commands).map(({ name }) => verbOf(name));
    return [`${noun}/0`, `_carrel_offer ${verbs.join(' ')}`] as const;
  });
  return cases(rows, 4);
}

function operandCases(commands: readonly CommandDescription[]): string {
  const rows = commands.flatMap(command =>
    command.arguments.flatMap((argument, position) => {
      const patterns = namesOf(command).map(
        name => `${quote(`${name}/`)}${argument.variadic ? '*' : position}`,
      );
      const action =
        command.takesCommandWords && argument.variadic ? '_carrel_command_words' : offerArgument(argument);
      return action ? [[patterns.join('|'), action] as const] : [];
    }),
  );
  return cases(rows, 4);
}

const offerArgument = ({ value }: ArgumentDescription) =>
  value.kind === 'text' ? undefined : offerValue(value);

function offerValue(value: ValueDescription): string {
  switch (value.kind) {
    case 'choice':
      return `_carrel_offer ${value.choices.join(' ')}`;
    case 'directory':
      return '_carrel_directories';
    case 'workspace':
      return '_carrel_workspaces';
    case 'task':
      return '_carrel_tasks';
    case 'run':
      return '_carrel_runs';
    case 'text':
      return ':';
  }
}

function cases(rows: readonly (readonly [pattern: string, action: string])[], indent: number): string {
  return rows.map(([pattern, action]) => `${' '.repeat(indent)}${pattern}) ${action} ;;`).join('\n');
}

const quote = (text: string) => `"${text}"`;
