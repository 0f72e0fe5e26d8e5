export interface LimitedText {
  readonly text: string;
  readonly isLimited: boolean;
}

/** The beginning and the end of a long text; the end is longer, because failures are told there. */
export function limitMiddle(text: string, limit: number): LimitedText {
  if (text.length <= limit) return { text, isLimited: false };
  const head = wholeCharacter(text, Math.floor(limit / 4));
  const tail = wholeCharacter(text, text.length - (limit - Math.floor(limit / 4)));
  const gap = `\n[... ${tail - head} characters left out ...]\n`;
  return { text: text.slice(0, head) + gap + text.slice(tail), isLimited: true };
}

/** The next place that is not within a character of two units. */
function wholeCharacter(text: string, at: number): number {
  const unit = text.charCodeAt(at);
  return unit >= 0xdc00 && unit <= 0xdfff ? at + 1 : at;
}
