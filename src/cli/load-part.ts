import { importModule } from '../batch/agents/import-module.js';

/** Parts of Carrel that few commands need and that are large; each is a bundle beside the command line's. */
interface Parts {
  readonly server: typeof import('../server/serve.js');
  readonly mcp: typeof import('../mcp/serve-mcp.js');
}

export const loadPart = async <Name extends keyof Parts>(name: Name): Promise<Parts[Name]> =>
  (await importModule(new URL(`./${name}.js`, import.meta.url).href)) as Parts[Name];

/** Where the dashboard's files are. */
export const dashboardDirectory = (): URL => new URL('./dashboard/', import.meta.url);
