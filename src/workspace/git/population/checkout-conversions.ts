import { type BytePath, toBytes } from '../../../git/byte-path.js';
import type { Git, GitOptions } from '../../../git/git.js';

/**
 * Why files of another checkout may differ from what git would write, or undefined. With `core.autocrlf` or
 * `core.eol=crlf` any text file may be written differently than stored. A sparse checkout lacks files, a partial clone
 * would fetch them one by one, and without symbolic links some files have another type.
 */
export async function findObstacle(git: Git, place: GitOptions): Promise<string | undefined> {
  const settings = await git.records(['config', '--list', '-z'], place);
  const config = new Map(settings.map(splitSetting));
  if (isOn(config.get('core.sparsecheckout'))) return 'the checkout is sparse';
  if (isOn(config.get('core.autocrlf')) || config.get('core.autocrlf') === 'input')
    return 'core.autocrlf changes line endings';
  if (config.get('core.eol') === 'crlf') return 'core.eol changes line endings';
  if (config.has('core.symlinks') && !isOn(config.get('core.symlinks')))
    return 'symbolic links are off (core.symlinks)';
  const isPartial = [...config.keys()].some(key =>
    /^(extensions\.partialclone|remote\..*\.promisor)$/.test(key),
  );
  return isPartial ? 'the repository is a partial clone' : undefined;
}

/** `name LF value`, or the name alone, which means true. */
function splitSetting(setting: string): [string, string] {
  const end = setting.indexOf('\n');
  return end === -1 ? [setting, 'true'] : [setting.slice(0, end), setting.slice(end + 1).toLowerCase()];
}

const isOn = (value: string | undefined): boolean =>
  (value !== undefined && ['true', 'yes', 'on'].includes(value)) || Number(value) > 0;

/**
 * The paths among `paths` whose content git converts on checkout, by any attribute file that applies, those in the index at
 * `place` included: filters (large files), `$Id$`, another encoding, CR LF line endings. `text` alone changes nothing.
 */
export async function listConverted(
  git: Git,
  place: GitOptions,
  paths: readonly BytePath[],
): Promise<Set<BytePath>> {
  const stdin = toBytes(paths.map(path => `${path}\0`).join(''));
  const records = await git.records(['check-attr', '--cached', '--stdin', '-z', '--all'], {
    ...place,
    stdin,
  });
  const converted = new Set<BytePath>();
  for (let at = 0; at + 2 < records.length; at += 3) {
    const [path = '', name = '', value = ''] = records.slice(at, at + 3);
    if (converts(name, value)) converted.add(path);
  }
  return converted;
}

function converts(name: string, value: string): boolean {
  if (name === 'eol') return value !== 'lf';
  return ['filter', 'ident', 'working-tree-encoding'].includes(name) && value !== 'unset';
}
