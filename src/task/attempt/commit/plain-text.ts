const [BELL, ESC] = [String.fromCharCode(7), String.fromCharCode(27)];
/** Colours, cursor movements and titles: CSI and OSC sequences, and everything else that starts with ESC. */
const ESCAPE = new RegExp(
  `${ESC}(?:\\[[0-?]*[ -/]*[@-~]|\\][^${BELL}${ESC}]*(?:${BELL}|${ESC}\\\\)?|.)`,
  'gu',
);
const CONTROL = /[\p{Cc}\p{Cs}]/gu;

/** Plain text for commit messages and pages: an agent can print anything. Line breaks and tabs stay. */
export const plainText = (text: string): string =>
  text
    .replaceAll(/\r\n?/g, '\n')
    .replaceAll(ESCAPE, '')
    .replaceAll(CONTROL, character => (/[\n\t]/.test(character) ? character : ''));

export const oneLine = (text: string): string => plainText(text).replaceAll(/\s+/g, ' ').trim();

/** At most `most` characters, never cut inside a surrogate pair. */
export function cutText(text: string, longest: number): string {
  const characters = Array.from(text);
  if (characters.length <= longest) return text;
  const kept = characters.slice(0, longest - 1).join('');
  return `${kept.trimEnd()}…`;
}
