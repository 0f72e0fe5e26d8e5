import type { Command } from 'commander';
import type { DiffReport } from '../../operations/schema.js';
import { chooseOne, WorkspaceArgument } from '../command.js';
import { type CommonOptions, type Session, withApp } from '../session.js';

interface DiffOptions extends CommonOptions {
  readonly stat?: boolean;
  readonly nameOnly?: boolean;
}

export function define(command: Command, session: Session): void {
  command
    .addArgument(new WorkspaceArgument('<name>'))
    .option('--stat', 'how much changed in each file instead of the patch')
    .option('--name-only', 'the names of the changed files instead of the patch')
    .action(async (name: string, options: DiffOptions) => {
      const format = chooseFormat(options);
      const { diffWorkspace } = await import('../../operations/diff.js');
      const chunks: Buffer[] = [];
      const write = options.json ? (chunk: Buffer) => void chunks.push(chunk) : session.output.bytes;
      const { skipped } = await withApp(session, options, (app, repository) =>
        diffWorkspace(app, { repository, name, format }, write),
      );
      if (options.json) session.output.json(describeDiff(format, Buffer.concat(chunks), skipped));
      else for (const path of skipped) session.output.narrate(`warning: left out of the diff: ${path}`);
    });
}

function chooseFormat(options: DiffOptions): DiffReport['format'] {
  const chosen = chooseOne(options, { stat: '--stat', nameOnly: '--name-only' });
  return chosen === undefined ? 'patch' : ({ stat: 'stat', nameOnly: 'name-only' } as const)[chosen];
}

/** JSON holds text only, and a patch of files in another encoding than UTF-8 is not text. */
export function describeDiff(
  format: DiffReport['format'],
  bytes: Buffer,
  skipped: readonly string[],
): DiffReport {
  const text = bytes.toString('utf8');
  const isText = Buffer.from(text, 'utf8').equals(bytes);
  const content = isText
    ? ({ encoding: 'utf-8', diff: text } as const)
    : ({ encoding: 'base64', diff: bytes.toString('base64') } as const);
  return { format, ...content, skipped: [...skipped] };
}
