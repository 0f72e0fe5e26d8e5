/** The part of the type eraser that finds where a type ends. */
export const TYPE_SKIPPER = `
export const OPENING = { '(': ')', '[': ']', '{': '}' };

export function createSkipper(tokens) {
  const text = index => tokens[index]?.text;
  const kind = index => tokens[index]?.kind;

  /** Index behind the bracket that closes the one at the index. */
  const skipBrackets = index => {
    let depth = 0;
    for (let at = index; at < tokens.length; at++) {
      if (kind(at) !== 'mark') continue;
      if (OPENING[text(at)]) depth++;
      else if (')]}'.includes(text(at)) && --depth === 0) return at + 1;
    }
    return tokens.length;
  };

  /** Index behind the type arguments at the index; -1 when it has none. */
  const skipTypeArguments = index => {
    if (text(index) !== '<') return -1;
    let at = index + 1;
    while (at < tokens.length && text(at) !== '>') {
      if (['const', 'in', 'out'].includes(text(at)) && kind(at + 1) === 'word') at++;
      const next = skipType(at);
      if (next === at) return -1;
      at = next;
      if (text(at) === 'extends' || text(at) === '=' || text(at) === ',') at++;
      else if (text(at) !== '>') return -1;
    }
    return text(at) === '>' ? at + 1 : -1;
  };

  const skipType = index => {
    let at = index;
    if (text(at) === '|' || text(at) === '&') at++;
    for (;;) {
      const next = skipOneType(at);
      if (next === at) return at;
      at = next;
      if (text(at) === '|' || text(at) === '&') at++;
      else if (text(at) === 'is' && !tokens[at].isNewLine) at++;
      else if (text(at) === 'extends' && isConditional(at)) at = skipConditional(at);
      else return at;
      if (at < 0) return -at;
    }
  };
  const isConditional = at => text(skipType(at + 1)) === '?';
  /** A negative index is the end of the whole type. */
  const skipConditional = at => {
    const first = skipType(skipType(at + 1) + 1);
    return text(first) === ':' ? -skipType(first + 1) : -first;
  };

  const skipOneType = index => {
    let at = index;
    while (['keyof', 'typeof', 'readonly', 'unique', 'infer', 'asserts', 'new', 'abstract', '-'].includes(text(at))) {
      if (![':', ',', ')', '>', '=', ';', '|', '['].includes(text(at + 1))) at++;
      else break;
    }
    const generic = skipTypeArguments(at);
    if (generic > 0) at = generic;
    if (text(at) === '(') {
      at = skipBrackets(at);
      if (text(at) === '=>') return skipType(at + 1);
    } else if (text(at) === '{' || text(at) === '[') at = skipBrackets(at);
    else if (kind(at) === 'mark' || at >= tokens.length) return index;
    else at++;
    for (;;) {
      const inner = text(at) === '<' ? skipTypeArguments(at) : -1;
      if (inner > 0) at = inner;
      else if (text(at) === '.') at += 2;
      else if (text(at) === '[' && !tokens[at].isNewLine) at = skipBrackets(at);
      else if (text(at) === '(' && text(at - 1) === 'import') at = skipBrackets(at);
      else return at;
    }
  };

  return { skipBrackets, skipType, skipTypeArguments };
}
`.trimStart();
