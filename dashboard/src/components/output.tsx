import { plainText } from './visible-text.js';

/** The end of what a command printed. */
export function Output({ text }: { readonly text: string }) {
  return (
    // biome-ignore lint/a11y/noNoninteractiveTabindex: a box that scrolls has to be reached with the keyboard.
    <pre className="output" tabIndex={0}>
      {text.split('\n').map(plainText).join('\n')}
    </pre>
  );
}
