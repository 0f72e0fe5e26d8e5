import { REPORT_START } from './command-script.js';

/** The reports of a script in the standard error of its command. */
export interface ReportReader {
  /** Takes the next chunk of standard error and returns the command's part of it. */
  take(chunk: Buffer): Buffer;
  /** Text that was held back because it could have been the start of a report. */
  rest(): Buffer;
  readonly reports: Reports;
}

export interface Reports {
  /** Whether the command's script ran. */
  isStarted: boolean;
  /** The command's exit status; undefined when the script died before reporting it. */
  exitCode: number | undefined;
}

/** Output before the first report comes from the engine. It is dropped here; the caller keeps it for errors. */
export function createReportReader(mark: string): ReportReader {
  const reports: Reports = { isStarted: false, exitCode: undefined };
  const start = Buffer.from(`${REPORT_START}${mark} `);
  let held = Buffer.alloc(0);
  return {
    reports,
    take(chunk) {
      held = Buffer.concat([held, chunk]);
      const pieces: Buffer[] = [];
      for (let found = findReport(held, start); found; found = findReport(held, start)) {
        if (reports.isStarted) pieces.push(held.subarray(0, found.from));
        note(reports, held.toString('latin1', found.from + start.length, found.to - 1));
        held = held.subarray(found.to);
      }
      const keep = beginningAtEnd(held, start);
      if (reports.isStarted) pieces.push(held.subarray(0, held.length - keep));
      held = held.subarray(held.length - keep);
      return Buffer.concat(pieces);
    },
    rest: () => (reports.isStarted ? held : Buffer.alloc(0)),
  };
}

function note(reports: Reports, text: string): void {
  if (text === 'started') reports.isStarted = true;
  else reports.exitCode = Number(text);
}

function findReport(bytes: Buffer, start: Buffer): { from: number; to: number } | undefined {
  const from = bytes.indexOf(start);
  const end = from < 0 ? -1 : bytes.indexOf('\n', from + start.length);
  return end < 0 ? undefined : { from, to: end + 1 };
}

/** How many of the last bytes may become a report with the next chunk. Reports are short: a long rest is not one. */
function beginningAtEnd(bytes: Buffer, start: Buffer): number {
  const from = bytes.indexOf(start);
  if (from >= 0 && bytes.length - from < start.length + LONGEST_REPORT) return bytes.length - from;
  const longest = Math.min(start.length - 1, bytes.length);
  for (let length = longest; length > 0; length--)
    if (bytes.subarray(bytes.length - length).equals(start.subarray(0, length))) return length;
  return 0;
}

const LONGEST_REPORT = 16;
