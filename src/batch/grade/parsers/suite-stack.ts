/** Tracks suites by the indentation of their lines. */
export interface SuiteStack {
  enter(indent: number, title: string): void;
  /** The suites around a line, outermost first. */
  around(indent: number): string[];
  clear(): void;
}

export function createSuiteStack(): SuiteStack {
  let open: { readonly indent: number; readonly title: string }[] = [];
  const around = (indent: number) => {
    open = open.filter(suite => suite.indent < indent);
    return open.map(({ title }) => title);
  };
  return {
    enter: (indent, title) => {
      around(indent);
      open.push({ indent, title });
    },
    around,
    clear: () => {
      open = [];
    },
  };
}
