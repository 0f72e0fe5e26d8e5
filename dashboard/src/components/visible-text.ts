/** More of one line than anybody reads; a file without line ends would take the page down. */
const MOST_CHARACTERS = 2_000;

/** Other than a tab: control characters, and those that turn the direction of text around or have no width. */
// biome-ignore lint/suspicious/noControlCharactersInRegex: they are what is looked for.
const UNSEEN = /[\0-\x08\x0a-\x1f\x7f-\x9f\u200b-\u200f\u2028-\u202e\u2060-\u2069\ufeff]/g;

/** Text as it is, with characters that could hide something made visible: ⟨202E⟩. */
export const visibleText = (text: string): string => showUnseen(cutText(text));

/** The same for a text of many lines, which is shown whole. */
export const visibleProse = (text: string): string => text.split(/\r?\n/).map(showUnseen).join('\n');

const showUnseen = (text: string): string =>
  text.replaceAll(UNSEEN, unit => {
    const code = unit.charCodeAt(0);
    return code < 0x20 ? String.fromCharCode(0x2400 + code) : `⟨${code.toString(16).toUpperCase()}⟩`;
  });

/** Escape sequences of terminals: colours, titles of windows, movements. */
// biome-ignore lint/suspicious/noControlCharactersInRegex: they are what is looked for.
const SEQUENCES = /\x1b(?:\[[0-?]*[ -/]*[@-~]|[\]PX^_][^\x07\x1b]*(?:\x07|\x1b\\|$)|[ -/]*[0-~])/g;

/** What a program printed for a terminal, without what only a terminal understands. */
export function plainText(text: string): string {
  // A progress bar is written over and over on one line: the last state is what is seen.
  const line = text.replace(/\r+$/, '').split('\r').at(-1) ?? '';
  return cutText(line.replaceAll(SEQUENCES, '').replaceAll(UNSEEN, ''));
}

const cutText = (text: string): string =>
  text.length <= MOST_CHARACTERS
    ? text
    : `${text.slice(0, MOST_CHARACTERS)} … ${text.length - MOST_CHARACTERS} more characters`;
