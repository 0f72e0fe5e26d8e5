import type { ComponentType } from 'react';

export interface PageProperties {
  /** From the address: `id` for /workspaces/:id. */
  readonly parameters: Readonly<Record<string, string>>;
}

/** One page of the dashboard. All are listed in pages.ts. */
export interface Page {
  /** Such as /workspaces/:id. */
  readonly path: string;
  /** For the window; the page has a heading of its own. */
  readonly title: string;
  /** A page that is in the menu: its word, and the key that goes there after g. */
  readonly menu?: { readonly label: string; readonly key: string } | undefined;
  readonly content: ComponentType<PageProperties>;
}
