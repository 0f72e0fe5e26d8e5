import { Argument, type Command } from 'commander';
import { TEMPLATES, type TemplateName } from '../../../../fleet/open/worker-templates.js';
import { answer, type CommonOptions, type Session, withApp } from '../../cli-session.js';
import { countFor } from '../../options/number-option.js';

interface TemplateOptions extends CommonOptions {
  readonly slots: number;
}

export function define(command: Command, session: Session): void {
  command
    .addArgument(new Argument('<kind>', 'what starts the workers').choices(TEMPLATES))
    .option('--slots <number>', 'number of attempts that each worker runs at once', countFor('--slots'), 4)
    .action(async (kind: TemplateName, options: TemplateOptions) => {
      const [{ formatTemplate }, { loadSubmitterKey }] = await Promise.all([
        import('../../../../fleet/open/worker-templates.js'),
        import('../../../../fleet/travel/trust/submitter-key.js'),
      ]);
      const { publicKey: key } = await withApp(session, options, app => loadSubmitterKey(app));
      const text = formatTemplate(kind, { key, slots: options.slots });
      answer(session, options, { kind, text }, value => value.text.trimEnd());
    });
}
