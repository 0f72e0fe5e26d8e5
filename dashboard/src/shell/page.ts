import type { ComponentType } from 'react';

export interface PageProperties {
  /** From the URL: `id` for /workspaces/:id. */
  readonly parameters: Readonly<Record<string, string>>;
}

/** One page of the dashboard. All are listed in pages.ts. */
export interface Page {
  /** Such as /workspaces/:id. */
  readonly path: string;
  /** For the window; the page has its own heading. */
  readonly title: string;
  /** For a page in the menu: its label, and the key after g that opens it. */
  readonly menu?: { readonly label: string; readonly key: string } | undefined;
  readonly content: ComponentType<PageProperties>;
}
