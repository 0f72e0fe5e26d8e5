import type { Command } from 'commander';
import type { CommonOptions, Session } from '../session.js';

export function define(command: Command, session: Session): void {
  command
    .argument('[name]', 'whose schema to print; the names of all are listed when left out')
    .action(async (name: string | undefined, options: CommonOptions) => {
      const { jsonSchema, schemaNames } = await import('../../operations/schema.js');
      if (name !== undefined) session.output.json(jsonSchema(name));
      else if (options.json) session.output.json(schemaNames());
      else session.output.answer(schemaNames().join('\n'));
    });
}
