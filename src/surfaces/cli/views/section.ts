/** A title with indented lines; empty when there are none. */
export function section(title: string, lines: readonly string[]): string[] {
  return lines.length === 0 ? [] : [`${title}:\n${lines.map(line => `  ${line}`).join('\n')}`];
}
