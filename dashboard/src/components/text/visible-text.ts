/** The maximum length of a line; a file without line breaks would freeze the page. */
const MOST_CHARACTERS = 2_000;

/** Other than a tab: control characters, and those that turn the direction of text around or have no width. */
// biome-ignore lint/suspicious/noControlCharactersInRegex: they are what the pattern matches.
const UNSEEN = /[\0-\x08\x0a-\x1f\x7f-\x9f\u200b-\u200f\u2028-\u202e\u2060-\u2069\ufeff]/g;

/** The text with hidden characters made visible: ⟨202E⟩. */
export const visibleText = (text: string): string => showUnseen(cutText(text));

/** The same for a text of many lines, which is shown whole. */
export const visibleProse = (text: string): string => text.split(/\r?\n/).map(showUnseen).join('\n');

const showUnseen = (text: string): string =>
  text.replaceAll(UNSEEN, unit => {
    const code = unit.charCodeAt(0);
    return code < 0x20 ? String.fromCharCode(0x2400 + code) : `⟨${code.toString(16).toUpperCase()}⟩`;
  });

/** Escape sequences of terminals: colours, titles of windows, movements. */
// biome-ignore lint/suspicious/noControlCharactersInRegex: they are what the pattern matches.
const SEQUENCES = /\x1b(?:\[[0-?]*[ -/]*[@-~]|[\]PX^_][^\x07\x1b]*(?:\x07|\x1b\\|$)|[ -/]*[0-~])/g;

/** Terminal output without control sequences. */
export function plainText(text: string): string {
  // A progress bar overwrites one line: only the last state is shown.
  const line = text.replace(/\r+$/, '').split('\r').at(-1) ?? '';
  return cutText(line.replaceAll(SEQUENCES, '').replaceAll(UNSEEN, ''));
}

const cutText = (text: string): string =>
  text.length <= MOST_CHARACTERS
    ? text
    : `${text.slice(0, MOST_CHARACTERS)} … ${text.length - MOST_CHARACTERS} more characters`;
