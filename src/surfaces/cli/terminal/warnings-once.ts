import type { Output } from './output.js';

const PREFIX = 'warning: ';

/** An output that prints each warning once, and the warnings that it has printed. */
export function printWarningsOnce(output: Output): {
  readonly output: Output;
  readonly printed: ReadonlySet<string>;
} {
  const printed = new Set<string>();
  const narrate = (line: string) => {
    if (line.startsWith(PREFIX)) {
      const warning = line.slice(PREFIX.length);
      if (printed.has(warning)) return;
      printed.add(warning);
    }
    output.narrate(line);
  };
  return { output: { ...output, narrate }, printed };
}
