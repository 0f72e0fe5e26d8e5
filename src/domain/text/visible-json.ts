/** Characters that control a terminal or are invisible: control, format and broken ones, except line breaks and tabs. */
export const UNPRINTABLE = /(?![\n\t])[\p{Cc}\p{Cf}\p{Cs}\p{Zl}\p{Zp}]/gu;

/** The same JSON with these characters escaped; JSON itself escapes only those below U+0020. */
export function visibleJson(json: string): string {
  return json.replaceAll(UNPRINTABLE, characters =>
    [...Array(characters.length).keys()]
      .map(at => `\\u${characters.charCodeAt(at).toString(16).padStart(4, '0')}`)
      .join(''),
  );
}
