/**
 * Whether a repository is named by a URL, including `git@host:path`, and not by a directory: a colon before the first
 * slash, as git distinguishes them. A directory with such a name is written `./host:path`.
 */
export const isRepositoryUrl = (text: string): boolean => /^[^/]+:/.test(text);
