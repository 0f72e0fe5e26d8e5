import { mkdirSync, writeFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import type { Page } from 'playwright-core';

/** Those that docs/guides shows; the others are there to be looked at. */
const IN_GUIDE = [
  'dashboard-overview.png',
  'dashboard-workspaces-dark.png',
  'dashboard-remove.png',
  'dashboard-task.png',
  'dashboard-diff-dark.png',
  'dashboard-batch.png',
  'dashboard-comparison.png',
  'dashboard-fleet.png',
];
const IMAGES = resolve(import.meta.dirname, '../../../docs/images');

/** The page in light, dark and narrow, into the directory that CARREL_PICTURES names. */
export async function takePictures(page: Page, name: string): Promise<void> {
  await page.setViewportSize({ width: 1000, height: 600 });
  await page.emulateMedia({ colorScheme: 'light' });
  await take(page, `dashboard-${name}.png`);
  await page.emulateMedia({ colorScheme: 'dark' });
  await take(page, `dashboard-${name}-dark.png`);
  await page.setViewportSize({ width: 400, height: 760 });
  await take(page, `dashboard-${name}-narrow.png`);
  await page.setViewportSize({ width: 1000, height: 600 });
}

async function take(page: Page, file: string): Promise<void> {
  const picture = await page.screenshot();
  const directories = [process.env.CARREL_PICTURES ?? '', ...(IN_GUIDE.includes(file) ? [IMAGES] : [])];
  for (const directory of directories) {
    mkdirSync(directory, { recursive: true });
    writeFileSync(join(directory, file), picture);
  }
}
