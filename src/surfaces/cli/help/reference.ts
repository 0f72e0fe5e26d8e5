// The source of the reference pages. Only scripts/docs/generate-docs.mjs reads it.
export { errorCatalog } from '../../../domain/error/error-catalog.js';
export { jsonSchema } from '../../../operations/json-schema.js';
export { exitCodes } from '../exit/exit-code.js';
export { describeCommands } from './describe-commands.js';
