import { existsSync } from 'node:fs';

/** The end-to-end tests run the built command. `npm test` builds it first. */
export default function setup(): void {
  if (!existsSync('dist/index.js'))
    throw new Error('dist/ is missing; expected a build: run `npm test` or `npm run build`');
}
