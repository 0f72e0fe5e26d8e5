export interface XmlTag {
  readonly name: string;
  readonly kind: 'open' | 'close' | 'empty';
  readonly attributes: ReadonlyMap<string, string>;
}

/** Ends of non-elements: comments, character data, declarations. They contain no tags. */
const OTHERS = [
  ['<!--', '-->'],
  ['<![CDATA[', ']]>'],
  ['<?', '?>'],
  ['<!', '>'],
] as const;

/**
 * The tags of an XML text in their order, for reports of test runners: nothing is resolved or expanded, text between
 * tags is skipped, and the time is linear. Stops where the text is no longer XML.
 */
export function* readTags(text: string): Generator<XmlTag> {
  for (let at = text.indexOf('<'); at !== -1; at = text.indexOf('<', at)) {
    const other = OTHERS.find(([begin]) => text.startsWith(begin, at));
    const end = other ? text.indexOf(other[1], at + other[0].length) : findEnd(text, at);
    if (end === -1) return;
    if (!other) yield parseTag(text.slice(at + 1, end));
    at = end + (other?.[1].length ?? 1);
  }
}

/** The `>` outside attributes. */
function findEnd(text: string, from: number): number {
  let quote = '';
  for (let at = from; at < text.length; at++) {
    const character = text[at] as string;
    if (quote !== '') quote = character === quote ? '' : quote;
    else if (character === '"' || character === "'") quote = character;
    else if (character === '>') return at;
  }
  return -1;
}

function parseTag(inner: string): XmlTag {
  const name = /^\/?([^\s/>]+)/.exec(inner)?.[1] ?? '';
  const kind = inner.startsWith('/') ? 'close' : inner.endsWith('/') ? 'empty' : 'open';
  const attributes = new Map<string, string>();
  for (const [, key, double, single] of inner.matchAll(/\s([^\s=]+)\s*=\s*(?:"([^"]*)"|'([^']*)')/g))
    attributes.set(key as string, decode(double ?? single ?? ''));
  return { name, kind, attributes };
}

const ENTITIES: Readonly<Record<string, string>> = { amp: '&', lt: '<', gt: '>', quot: '"', apos: "'" };

function decode(text: string): string {
  return text.replaceAll(/&(?:#x([0-9a-f]{1,6})|#(\d{1,7})|(\w+));/gi, (whole, hex, decimal, name) => {
    if (name !== undefined) return ENTITIES[name] ?? whole;
    const code = hex === undefined ? Number(decimal) : Number.parseInt(hex, 16);
    return code <= 0x10ffff ? String.fromCodePoint(code) : whole;
  });
}
