/** A title with its lines below it; nothing at all when there are none. */
export function section(title: string, lines: readonly string[]): string[] {
  return lines.length === 0 ? [] : [`${title}:\n${lines.map(line => `  ${line}`).join('\n')}`];
}
