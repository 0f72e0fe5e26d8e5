import { importModule } from '../../../exec/import-module.js';

/** Large parts of Carrel that few commands need; each is a separate bundle. */
interface Parts {
  readonly server: typeof import('../../http/serve.js');
  readonly mcp: typeof import('../../mcp/serve-mcp.js');
}

export const loadPart = async <Name extends keyof Parts>(name: Name): Promise<Parts[Name]> =>
  (await importModule(new URL(`./${name}.js`, import.meta.url).href)) as Parts[Name];

/** Where the dashboard's files are. */
export const dashboardDirectory = (): URL => new URL('./dashboard/', import.meta.url);
