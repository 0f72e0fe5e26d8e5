/**
 * Whether a repository is named by a url, `git@host:path` among them, and not by a directory: a colon before the first
 * slash, as git tells them apart. A directory of such a name is written `./host:path`.
 */
export const isRepositoryUrl = (text: string): boolean => /^[^/]+:/.test(text);
