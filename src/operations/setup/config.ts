import { findValue } from '../../config/files/merge-values.js';
import type { Origin } from '../../config/precedence/value-origins.js';
import type { ConfigReport } from '../../domain/report/result.js';
import type { Context } from '../context.js';
import { findRepository } from '../workspace/find-workspace.js';

/** Every setting in force, with where it comes from. */
export async function reportConfig(
  context: Context,
  input: { readonly repository: string },
): Promise<ConfigReport> {
  const repository = await findRepository(context, input.repository);
  const { config, origins, files } = await context.loadConfig(repository?.root ?? null);
  const values = Object.entries(origins).map(([key, origin]) => ({
    key,
    value: findValue(config, origin.path),
    origin: describeOrigin(origin),
  }));
  return { files: [...files], values };
}

const describeOrigin = ({ file, line }: Origin): string => (line === undefined ? file : `${file}:${line}`);
