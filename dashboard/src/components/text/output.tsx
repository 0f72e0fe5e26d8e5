import { plainText } from './visible-text.js';

/** The end of a command's output. */
export function Output({ text }: { readonly text: string }) {
  return (
    // biome-ignore lint/a11y/noNoninteractiveTabindex: a scrolling box has to be reachable with the keyboard.
    <pre className="output" tabIndex={0}>
      {text.split('\n').map(plainText).join('\n')}
    </pre>
  );
}
