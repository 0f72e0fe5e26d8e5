import { CONTROL, isGitName } from './path-rules.js';

/** The settings of one submodule in `.gitmodules`; keys in lower case. */
export type Submodule = Readonly<Record<string, string>>;

/** `submodule.<name>.<key>` and a value, as `git config --list -z` gives them. */
export function parseSubmodules(records: readonly string[]): Map<string, Submodule> {
  const modules = new Map<string, Submodule>();
  for (const record of records) {
    const end = record.indexOf('\n');
    const [, name, key] = /^submodule\.(.*)\.([^.]*)$/.exec(end === -1 ? record : record.slice(0, end)) ?? [];
    const value = end === -1 ? 'true' : record.slice(end + 1);
    if (name !== undefined && key !== undefined) modules.set(name, { ...modules.get(name), [key]: value });
  }
  return modules;
}

/** What is wrong with a submodule that is new or was changed, as a phrase that follows its name. */
export function checkSubmodule(name: string, { path, url, update }: Submodule): string | undefined {
  if (isOddPlace(name)) return 'has a name that leads elsewhere';
  if (path !== undefined && isOddPlace(path)) return 'has a path that leads elsewhere';
  if (url !== undefined && isOddUrl(url)) return 'has a url that is not a remote repository';
  if (update?.startsWith('!')) return 'runs a command when it is updated';
  return undefined;
}

function isOddPlace(place: string): boolean {
  const parts = place.split(/[/\\]/);
  return (
    /^(-|[/\\]|[a-z]:)/i.test(place) ||
    CONTROL.test(place) ||
    parts.some(part => part === '' || part === '..' || isGitName(part))
  );
}

/** `ext::` and similar run programs; local paths belong to the user; relative urls stay next to the repository's. */
const isOddUrl = (url: string): boolean =>
  /^(-|[/\\~]|[a-z]:[/\\]|file:|[\w+.-]*::)/i.test(url) || CONTROL.test(url);
