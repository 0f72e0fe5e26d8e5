import { commandGroups } from '../../../operations/operation.js';
import type { CommandEntry } from '../command-table.js';
import { alignColumns } from '../terminal/columns.js';

/** `carrel --help`, or the verbs of one noun: from the table alone, so that it loads nothing. */
export function formatHelp(table: readonly CommandEntry[], noun?: string): string {
  return noun === undefined ? formatRootHelp(table) : formatNounHelp(table, noun);
}

function formatRootHelp(table: readonly CommandEntry[]): string {
  const width = Math.max(...table.map(entry => title(entry).length));
  const groups = commandGroups.map(group => {
    const entries = table.filter(entry => entry.group === group);
    return `${group}:\n${formatEntries(entries, width)}`;
  });
  return [
    'Every coding agent gets its own workspace of the same repository.',
    'Usage: carrel COMMAND [options]',
    ...groups,
    `Options:\n${indent([
      '-R, --repository <path>  the repository to work on (default: the current directory)',
      '--json                   print the result as JSON',
      '-V, --version            print the version',
      '-h, --help               show this help, or that of a command: carrel COMMAND --help',
    ])}`,
  ].join('\n\n');
}

function formatNounHelp(table: readonly CommandEntry[], noun: string): string {
  const entries = table.filter(entry => entry.group && entry.name.startsWith(`${noun} `));
  return [`Usage: carrel ${noun} COMMAND [options]`, `Commands:\n${formatEntries(entries, 0)}`].join('\n\n');
}

function formatEntries(entries: readonly CommandEntry[], width: number): string {
  return indent(alignColumns(entries.map(entry => [title(entry).padEnd(width), entry.summary])));
}

const title = (entry: CommandEntry) => [entry.name, ...(entry.aliases ?? [])].join(', ');

const indent = (lines: readonly string[]) => lines.map(line => `  ${line}`).join('\n');
