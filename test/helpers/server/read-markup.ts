/** An element of HTML or XML, with the text between its children. */
export interface MarkupElement {
  readonly name: string;
  readonly attributes: Readonly<Record<string, string>>;
  readonly children: MarkupElement[];
  text: string;
}

const VOID: ReadonlySet<string> = new Set(['meta', 'br', 'input']);

/**
 * Reads markup as strictly as we write it: every element is closed in order, attributes are quoted and never twice, and
 * no sign of markup stands alone in text. Whatever is not so throws.
 */
export function readMarkup(source: string): MarkupElement {
  const root: MarkupElement = { name: '#root', attributes: {}, children: [], text: '' };
  const open = [root];
  const token =
    /<(\/)?([a-z][\w-]*)((?:\s+[\w:-]+(?:="[^"<>]*")?)*)\s*(\/)?>|<!DOCTYPE html>|<\?xml [^?]*\?>|[^<>]+|([<>])/giy;
  for (let found = token.exec(source); found !== null; found = token.exec(source)) {
    const [whole, closes, name, attributes = '', closed, stray] = found;
    const parent = open.at(-1) ?? root;
    if (stray !== undefined && parent.name !== 'style') throw new Error(`stray ${stray} at ${found.index}`);
    if (name === undefined) parent.text += whole.startsWith('<') ? '' : decode(whole);
    else if (closes !== undefined) {
      if (parent.name !== name) throw new Error(`</${name}> closes <${parent.name}> at ${found.index}`);
      open.pop();
    } else {
      const element = { name, attributes: readAttributes(attributes), children: [], text: '' };
      parent.children.push(element);
      if (closed === undefined && !VOID.has(name)) open.push(element);
    }
  }
  if (open.length > 1) throw new Error(`<${open.at(-1)?.name}> is never closed`);
  return root;
}

/** The element and everything below it. */
export function allElements(element: MarkupElement): readonly MarkupElement[] {
  return [element, ...element.children.flatMap(allElements)];
}

function readAttributes(source: string): Readonly<Record<string, string>> {
  const attributes: Record<string, string> = {};
  for (const [, name = '', value = ''] of source.matchAll(/([\w:-]+)(?:="([^"]*)")?/g)) {
    if (name in attributes) throw new Error(`${name} is there twice`);
    attributes[name] = decode(value);
  }
  return attributes;
}

function decode(text: string): string {
  const bare = text.replaceAll(/&(?:#\d+|amp|lt|gt|quot);/g, '');
  if (bare.includes('&')) throw new Error(`stray & in ${text.slice(0, 80)}`);
  return text
    .replaceAll(/&#(\d+);/g, (_, code) => String.fromCodePoint(Number(code)))
    .replaceAll('&lt;', '<')
    .replaceAll('&gt;', '>')
    .replaceAll('&quot;', '"')
    .replaceAll('&amp;', '&');
}
