import type { Git } from '../../git/git.js';
import { findAuthor } from '../../git/history/commit-identity.js';

/**
 * The configuration of a private git directory. Of the user's, only what affects the bytes of files and commits, and the
 * committer. Filters are programs of the host: without them, files that they would convert stay as they are, so an LFS file that is
 * not touched inside is not changed either.
 */
export async function describePrivateConfig(git: Git, adminDir: string, commit: string): Promise<string> {
  const [settings, { name, email }] = await Promise.all([
    readSettings(git, adminDir),
    findAuthor(git, { gitDir: adminDir }),
  ]);
  const isPartial = settings.has('extensions.partialclone');
  const isSha256 = commit.length === 64;
  return [
    '[core]',
    `\trepositoryFormatVersion = ${isSha256 || isPartial ? 1 : 0}`,
    ...(isSha256 ? ['[extensions]', '\tobjectFormat = sha256'] : []),
    ...(isPartial ? PARTIAL : []),
    ...COPIED.flatMap(key => formatSetting(key, settings.get(key.toLowerCase()))),
    '[core]',
    '\tbare = false',
    '\tlogAllRefUpdates = true',
    // Not as deltas: the host would have to hold both sides in its memory when they come back.
    '\tbigFileThreshold = 1m',
    '[user]',
    `\tname = ${quoteValue(name)}`,
    `\temail = ${quoteValue(email)}`,
    // Neither side may drop borrowed objects on its own.
    '[gc]',
    '\tauto = 0',
    '[maintenance]',
    '\tauto = false',
    '',
  ].join('\n');
}

const COPIED = [
  'core.autocrlf',
  'core.eol',
  'core.safecrlf',
  'core.fileMode',
  'core.ignoreCase',
  'core.symlinks',
  'core.precomposeUnicode',
  'core.sparseCheckout',
  'core.sparseCheckoutCone',
  'i18n.commitEncoding',
];

/** Objects of a partial clone are missing here too, and can't be fetched from inside. */
const PARTIAL = ['[extensions]', '\tpartialClone = origin', '[remote "origin"]', '\tpromisor = true'];

/** Of all files that git reads, the last value of each key; git gives keys in lower case. */
async function readSettings(git: Git, adminDir: string): Promise<Map<string, string>> {
  const records = await git.records(['config', '--list', '-z'], { gitDir: adminDir });
  return new Map(
    records.map(record => {
      const end = record.indexOf('\n');
      // A key without a value means true.
      return end === -1 ? [record, 'true'] : [record.slice(0, end), record.slice(end + 1)];
    }),
  );
}

function formatSetting(key: string, value: string | undefined): string[] {
  const [section, name] = key.split('.');
  return value === undefined ? [] : [`[${section}]`, `\t${name} = ${quoteValue(value)}`];
}

/** As a value in a configuration file. */
export function quoteValue(value: string): string {
  const escaped = value.replaceAll(/["\\]/g, '\\$&').replaceAll('\n', '\\n').replaceAll('\t', '\\t');
  return `"${escaped}"`;
}
