import { encodedForms } from './encoded-forms.js';
import { mapStrings } from './map-strings.js';
import { hideUrlCredentials } from './url-credentials.js';

/**
 * Removes secrets from everything that is stored: logs, transcripts, events, records and reports. It knows values, not
 * patterns: an added value is replaced everywhere, unchanged and in the encodings of `encodedForms`, and so are
 * credentials in URLs. It protects against accidents only: a malicious agent can print a key in pieces.
 */
export interface Redactor {
  /** Values shorter than SHORTEST_SECRET are not redacted: `1` and `true` are everywhere. */
  add(values: Iterable<string>): void;
  /** A whole text, such as a line. */
  text(text: string): string;
  /** Every string in a value made of plain objects and arrays, keys included. */
  within<T>(value: T): T;
  /** For streams: a secret may start in one piece and end in the next. */
  stream(): RedactingStream;
}

export interface RedactingStream {
  /** Returns what is certain; holds back an end that may be the start of a secret. */
  add(chunk: Buffer): Buffer;
  /** Returns what was held back. */
  end(): Buffer;
}

/** In characters. No service issues shorter keys, and many settings are shorter. */
export const SHORTEST_SECRET = 8;

export const REDACTED = '[redacted]';

export function createRedactor(): Redactor {
  const values = new Set<string>();
  let [texts, bytes] = [compile([]), compile([])];
  const text = (given: string): string => hideUrlCredentials(replaceAll(texts, given));
  return {
    add: added => {
      const before = values.size;
      for (const value of added) for (const part of partsOf(value)) values.add(part);
      if (values.size === before) return;
      const forms = [...new Set([...values].flatMap(encodedForms))].filter(isLongEnough);
      texts = compile(forms);
      bytes = compile(forms.map(form => Buffer.from(form).toString('latin1')));
    },
    text,
    within: value => mapStrings(value, text),
    stream: () => createStream(() => bytes),
  };
}

/** A key of several lines, such as a PEM file, is printed line by line as well. */
function partsOf(value: string): string[] {
  const lines = value.split(/\r?\n/).map(line => line.trim());
  const parts =
    lines.length === 1 ? lines : [value.trim(), ...lines.filter(line => line.length >= LONG_LINE)];
  return parts.filter(part => isLongEnough(part) && !/^-----.*-----$/.test(part));
}

/** Shorter lines of a longer secret may appear anywhere. */
const LONG_LINE = 16;

const isLongEnough = (text: string): boolean => text.length >= SHORTEST_SECRET;

interface Forms {
  /** Undefined when there are none. */
  readonly pattern: RegExp | undefined;
  readonly byFirst: ReadonlyMap<string, readonly string[]>;
  readonly longest: number;
}

/** Longer forms first: of two with a common prefix, the longer one is redacted as a whole. */
function compile(forms: readonly string[]): Forms {
  const sorted = forms.toSorted((a, b) => b.length - a.length);
  const escaped = sorted.map(form => form.replaceAll(/[\\^$.*+?()[\]{}|/-]/g, '\\$&'));
  return {
    pattern: sorted.length === 0 ? undefined : new RegExp(escaped.join('|'), 'g'),
    byFirst: groupByFirst(sorted),
    longest: sorted[0]?.length ?? 0,
  };
}

function groupByFirst(forms: readonly string[]): Map<string, string[]> {
  const groups = new Map<string, string[]>();
  for (const form of forms) groups.set(form.charAt(0), [...(groups.get(form.charAt(0)) ?? []), form]);
  return groups;
}

const replaceAll = ({ pattern }: Forms, text: string): string =>
  pattern ? text.replaceAll(pattern, REDACTED) : text;

/** Bytes map to characters one to one, so that invalid UTF-8 stays unchanged. */
function createStream(current: () => Forms): RedactingStream {
  let held = '';
  return {
    add: chunk => {
      const forms = current();
      if (!forms.pattern) return chunk;
      const { done, rest } = replaceCertain(forms, held + chunk.toString('latin1'));
      held = rest;
      return Buffer.from(done, 'latin1');
    },
    end: () => {
      const last = replaceAll(current(), held);
      held = '';
      return Buffer.from(last, 'latin1');
    },
  };
}

function replaceCertain(forms: Forms, text: string): { done: string; rest: string } {
  const open = findOpenEnd(forms, text);
  let [done, at] = ['', 0];
  for (const match of text.matchAll(forms.pattern as RegExp)) {
    // More may follow that makes it a longer one.
    if (match.index >= open) break;
    done += text.slice(at, match.index) + REDACTED;
    at = match.index + match[0].length;
  }
  const end = Math.max(at, open);
  return { done: done + text.slice(at, end), rest: text.slice(end) };
}

/** The index of an end that may be the start of a form. */
function findOpenEnd({ byFirst, longest }: Forms, text: string): number {
  for (let at = Math.max(0, text.length - longest + 1); at < text.length; at++) {
    const end = text.slice(at);
    if (byFirst.get(text.charAt(at))?.some(form => form.length > end.length && form.startsWith(end)))
      return at;
  }
  return text.length;
}
