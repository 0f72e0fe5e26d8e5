import { createJsonReader } from '../../agent/readers/json-reader.js';
import { createTextReader } from '../../agent/readers/text-reader.js';
import type { ResultReader } from '../../agent/result-reader.js';

/** Lines of JSON report usage, as for `result: json`; without a final message in them, the end of the output is the message. */
export function createPlainReader(): ResultReader {
  const [json, text] = [createJsonReader(), createTextReader()];
  return {
    ...json,
    readLine: line => {
      json.readLine(line);
      text.readLine(line);
    },
    message: () => json.message() ?? text.message(),
  };
}
