import { existsSync } from 'node:fs';
import { delimiter, join, resolve } from 'node:path';
import axe from 'axe-core';
import { type BrowserContextOptions, chromium, type Page } from 'playwright-core';
import { expect, type TestContext } from 'vitest';
import { requirePart } from '../../parts/required-part.js';
import type { TestServer } from './test-server.js';

/** The built pages, for the settings of a server. */
export const DASHBOARD = resolve(import.meta.dirname, '../../../dist/dashboard');

export interface Visit {
  readonly page: Page;
  /** What axe finds wrong with the page as it is, and with its colours in both themes. */
  checkAccessibility(): Promise<void>;
  /** What is expected to be complained about, such as a request that is refused. */
  expectComplaint(part: string): void;
}

/**
 * A signed-in Chromium on a server, closed at the end. Whatever the browser complains about fails the test: errors,
 * violations of the content policy, requests that leave the server. So does what Node warns of in the server.
 */
export async function visit(
  context: TestContext,
  { server }: TestServer,
  perform: (visit: Visit) => Promise<void>,
  options: BrowserContextOptions = {},
): Promise<void> {
  const program = findChromium();
  requirePart(context, program !== undefined, 'Chromium');
  const warnings: string[] = [];
  const addWarning = ({ message }: Error) => void warnings.push(message);
  const browser = await chromium.launch({ ...(program ? { executablePath: program } : {}), args: FLAGS });
  try {
    const page = await browser.newPage({ viewport: { width: 1280, height: 800 }, ...options });
    const link = server.createLoginLink();
    const complaints = collectComplaints(page, new URL(link).origin);
    const expected: string[] = [];
    process.on('warning', addWarning);
    await page.goto(link);
    await perform({
      page,
      checkAccessibility: () => checkAccessibility(page),
      expectComplaint: part => void expected.push(part),
    });
    expect(complaints.filter(text => !expected.some(part => text.includes(part)))).toEqual([]);
    expect(warnings).toEqual([]);
  } finally {
    process.off('warning', addWarning);
    await browser.close();
  }
}

const FLAGS = [
  '--no-sandbox',
  '--disable-gpu',
  '--disable-background-networking',
  '--disable-component-update',
];
const NAMES = ['chromium', 'chromium-browser', 'google-chrome'];

function findChromium(): string | undefined {
  const { CARREL_CHROMIUM, PATH = '' } = process.env;
  const onPath = PATH.split(delimiter).flatMap(directory => NAMES.map(name => join(directory, name)));
  return [CARREL_CHROMIUM, '/usr/bin/chromium', ...onPath].find(file => file && existsSync(file));
}

function collectComplaints(page: Page, url: string): readonly string[] {
  const complaints: string[] = [];
  page.on('console', message => {
    if (message.type() === 'error' || message.type() === 'warning')
      complaints.push(`${message.text()} ${message.location().url}`);
  });
  page.on('pageerror', error => complaints.push(String(error)));
  page.on('request', request => {
    if (!request.url().startsWith(url)) complaints.push(`request to ${request.url()}`);
  });
  return complaints;
}

interface Violation {
  readonly id: string;
  readonly nodes: readonly { readonly html: string; readonly failureSummary?: string }[];
}

async function checkAccessibility(page: Page): Promise<void> {
  await page.evaluate(axe.source);
  for (const [colorScheme, options] of [
    ['light', '{}'],
    // Another theme has other colours, and nothing else.
    ['dark', "{ runOnly: ['color-contrast'] }"],
  ] as const) {
    await page.emulateMedia({ colorScheme });
    const look = `axe.run(${options}).then(({ violations }) => violations)`;
    const violations = (await page.evaluate(look)) as Violation[];
    const told = violations.map(({ id, nodes }) => ({
      id,
      nodes: nodes.map(({ html, failureSummary }) => `${html} ${failureSummary}`),
    }));
    expect(told, `${colorScheme} theme at ${page.url()}`).toEqual([]);
  }
}
