// What the reference pages are made from. scripts/generate-docs.mjs reads it; no command does.
export { errorCatalog } from '../domain/error-catalog.js';
export { jsonSchema } from '../operations/schema.js';
export { describeCommands } from './describe-commands.js';
export { exitCodes } from './exit-code.js';
