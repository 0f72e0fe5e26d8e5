export type TomlValue = string | number | boolean | TomlValue[] | TomlTable;
export interface TomlTable {
  [key: string]: TomlValue;
}

export type TomlReading = { readonly value: TomlTable } | { readonly line: number; readonly problem: string };

/**
 * Reads TOML as task files use it: tables, lists of tables, dotted keys, every kind of text, numbers, lists and inline
 * tables. Dates are left as text.
 */
export function parseToml(text: string): TomlReading {
  const reader = new TomlReader(text.replace(/^\ufeff/, '').replaceAll('\r\n', '\n'));
  try {
    return { value: reader.readAll() };
  } catch (error) {
    if (!(error instanceof TomlProblem)) throw error;
    return { line: reader.line, problem: error.message };
  }
}

class TomlProblem extends Error {}

const BARE_KEY = /[A-Za-z0-9_-]+/y;
const NUMBER = /[+-]?(?:0x[\da-fA-F_]+|0o[0-7_]+|0b[01_]+|\d[\d_]*(?:\.\d[\d_]*)?(?:[eE][+-]?\d+)?|inf|nan)/y;
const DATE = /\d{4}-\d\d-\d\d(?:[T ]\d\d:\d\d:\d\d(?:\.\d+)?(?:Z|[+-]\d\d:\d\d)?)?|\d\d:\d\d:\d\d(?:\.\d+)?/y;
const ESCAPES: Readonly<Record<string, string>> = {
  b: '\b',
  t: '\t',
  n: '\n',
  f: '\f',
  r: '\r',
  e: '\x1b',
  '"': '"',
  '\\': '\\',
};

class TomlReader {
  #at = 0;
  readonly #text: string;

  constructor(text: string) {
    this.#text = text;
  }

  get line(): number {
    return this.#text.slice(0, this.#at).split('\n').length;
  }

  readAll(): TomlTable {
    const root = newTable();
    let table = root;
    for (this.#skipLines(); this.#at < this.#text.length; this.#skipLines()) {
      if (this.#take('[[')) table = this.#readHeader(root, true);
      else if (this.#take('[')) table = this.#readHeader(root, false);
      else this.#readPair(table);
      this.#endLine();
    }
    return root;
  }

  #readHeader(root: TomlTable, isList: boolean): TomlTable {
    const path = this.#readPath();
    this.#expect(isList ? ']]' : ']');
    const last = path.pop() as string;
    const parent = this.#descend(root, path);
    if (!isList) return this.#descend(parent, [last]);
    parent[last] ??= [];
    const list = parent[last];
    if (!Array.isArray(list)) throw new TomlProblem(`${last} is no list of tables`);
    const table = newTable();
    list.push(table);
    return table;
  }

  /** The table at a path, made where it is missing; of a list of tables the last. */
  #descend(table: TomlTable, path: readonly string[]): TomlTable {
    let current = table;
    for (const key of path) {
      current[key] ??= newTable();
      const found: TomlValue = current[key];
      const next = Array.isArray(found) ? found.at(-1) : found;
      if (!isTable(next)) throw new TomlProblem(`${key} is no table`);
      current = next;
    }
    return current;
  }

  #readPair(table: TomlTable): void {
    const path = this.#readPath();
    this.#expect('=');
    const last = path.pop() as string;
    const place = this.#descend(table, path);
    if (Object.hasOwn(place, last)) throw new TomlProblem(`the key ${last} is there twice`);
    place[last] = this.#readValue();
  }

  #readPath(): string[] {
    const path = [this.#readKey()];
    while (this.#take('.')) path.push(this.#readKey());
    return path;
  }

  #readKey(): string {
    this.#skipBlanks();
    const first = this.#text[this.#at];
    const key = first === '"' || first === "'" ? this.#readText() : this.#match(BARE_KEY);
    if (key === undefined) throw new TomlProblem('expected a key');
    return key;
  }

  #readValue(): TomlValue {
    this.#skipBlanks();
    const first = this.#text[this.#at];
    if (first === '"' || first === "'") return this.#readText();
    if (this.#take('[')) return this.#readList();
    if (this.#take('{')) return this.#readInlineTable();
    const date = this.#match(DATE);
    if (date !== undefined) return date;
    const word = this.#match(/true|false/y);
    if (word !== undefined) return word === 'true';
    const number = this.#match(NUMBER);
    if (number === undefined) throw new TomlProblem('expected a value');
    return toNumber(number);
  }

  #readList(): TomlValue[] {
    const list: TomlValue[] = [];
    for (this.#skipLines(); !this.#take(']'); this.#skipLines()) {
      list.push(this.#readValue());
      this.#skipLines();
      if (this.#take(',')) continue;
      this.#expect(']');
      break;
    }
    return list;
  }

  #readInlineTable(): TomlTable {
    const table = newTable();
    for (this.#skipLines(); !this.#take('}'); this.#skipLines()) {
      this.#readPair(table);
      this.#skipLines();
      if (this.#take(',')) continue;
      this.#expect('}');
      break;
    }
    return table;
  }

  #readText(): string {
    const quote = this.#text[this.#at] as string;
    const isLong = this.#text.startsWith(quote.repeat(3), this.#at);
    const fence = isLong ? quote.repeat(3) : quote;
    this.#at += fence.length;
    if (isLong) this.#take('\n');
    let value = '';
    while (!this.#text.startsWith(fence, this.#at)) {
      const character = this.#text[this.#at];
      if (character === undefined || (character === '\n' && !isLong))
        throw new TomlProblem('a text has no end');
      this.#at++;
      value += character === '\\' && quote === '"' ? this.#readEscape() : character;
    }
    this.#at += fence.length;
    // One or two quotes may stand before the fence of a long text.
    while (isLong && this.#text[this.#at] === quote) {
      value += quote;
      this.#at++;
    }
    return value;
  }

  #readEscape(): string {
    if (this.#match(/[ \t]*\n\s*/y) !== undefined) return '';
    const code = this.#match(/u[\da-fA-F]{4}|U[\da-fA-F]{8}|x[\da-fA-F]{2}/y);
    if (code !== undefined) return String.fromCodePoint(Number.parseInt(code.slice(1), 16));
    const meant = ESCAPES[this.#text[this.#at] ?? ''];
    if (meant === undefined) throw new TomlProblem('an escape that TOML does not have');
    this.#at++;
    return meant;
  }

  #match(pattern: RegExp): string | undefined {
    pattern.lastIndex = this.#at;
    const found = pattern.exec(this.#text)?.[0];
    this.#at += found?.length ?? 0;
    return found;
  }

  #take(mark: string): boolean {
    if (mark !== '\n') this.#skipBlanks();
    if (!this.#text.startsWith(mark, this.#at)) return false;
    this.#at += mark.length;
    return true;
  }

  #expect(mark: string): void {
    if (!this.#take(mark)) throw new TomlProblem(`expected ${mark}`);
  }

  #skipBlanks(): void {
    this.#match(/[ \t]*/y);
  }

  #skipLines(): void {
    this.#match(/(?:[ \t\n]|#[^\n]*)*/y);
  }

  #endLine(): void {
    this.#match(/[ \t]*(?:#[^\n]*)?/y);
    if (this.#at < this.#text.length && this.#text[this.#at] !== '\n')
      throw new TomlProblem('expected the end of the line');
  }
}

/** Without a prototype, so that no key means anything but itself. */
const newTable = (): TomlTable => Object.create(null) as TomlTable;

const isTable = (value: TomlValue | undefined): value is TomlTable =>
  typeof value === 'object' && !Array.isArray(value);

function toNumber(text: string): number {
  const plain = text.replaceAll('_', '');
  if (/inf$/.test(plain)) return plain.startsWith('-') ? -Infinity : Infinity;
  return Number(plain);
}
