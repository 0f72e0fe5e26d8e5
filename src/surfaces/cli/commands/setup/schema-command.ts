import type { Command } from 'commander';
import type { CommonOptions, Session } from '../../cli-session.js';

export function define(command: Command, session: Session): void {
  command
    .argument('[name]', 'the schema to print; lists all schemas when omitted')
    .action(async (name: string | undefined, options: CommonOptions) => {
      const { jsonSchema, schemaNames } = await import('../../../../operations/json-schema.js');
      if (name !== undefined) session.output.json(jsonSchema(name));
      else if (options.json) session.output.json(schemaNames());
      else session.output.answer(schemaNames().join('\n'));
    });
}
