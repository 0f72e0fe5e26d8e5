/**
 * Erases types where no compiler is installed, so that agents and graders can run TypeScript. A Node that can do it
 * itself (22.13 and later) does; Node 20 can't, and then this is used. It knows the syntax that can be erased, as Node's
 * own: no enums, namespaces or parameter properties. Its measure: of the 1,156 TypeScript files of Carrel itself, all
 * are valid JavaScript afterwards but one, which has a parameter property.
 */
export const TYPE_ERASER = String.raw`
import * as nodeModule from 'node:module';
import { createSkipper, OPENING } from './skip-types.mjs';
import { endOfPlaceholder, endsOperand, tokenize } from './tokenize.mjs';

/** The program without its types, each replaced by blanks so that lines and columns stay. */
export function eraseTypes(source) {
  if (typeof nodeModule.stripTypeScriptTypes === 'function') return nodeModule.stripTypeScriptTypes(source);
  return eraseByHand(source);
}

export function eraseByHand(source) {
  const tokens = tokenize(source);
  const erased = [];
  const edits = [];
  walk(tokens, erased, edits, source);
  const characters = [...Array(source.length).keys()].map(index => source[index]);
  for (const [start, end] of erased)
    for (let index = start; index < end; index++) if (characters[index] !== '\n') characters[index] = ' ';
  for (const { start, end, text } of edits) {
    characters[start] = text;
    for (let index = start + 1; index < end; index++) characters[index] = '';
  }
  return characters.join('');
}

const MODIFIERS = new Set('public private protected readonly override abstract declare'.split(' '));
const CONTROL = new Set('if for while switch with return await typeof of in case new'.split(' '));
const MEMBER_STARTS = new Set(['{', '}', ';', ',', '*']);

function walk(tokens, erased, edits, source) {
  const text = index => tokens[index]?.text;
  const kind = index => tokens[index]?.kind;
  const erase = (from, to) => to > from && erased.push([tokens[from].start, tokens[to - 1].end]);

  const { skipBrackets, skipType, skipTypeArguments } = createSkipper(tokens);

  const eraseAnnotation = index => {
    if (text(index) !== ':') return index;
    const end = skipType(index + 1);
    erase(index, end);
    return end;
  };

  const skipPattern = index => {
    let at = text(index) === '...' ? index + 1 : index;
    if (text(at) === '{' || text(at) === '[') {
      run(at + 1, skipBrackets(at) - 1);
      return skipBrackets(at);
    }
    return at + 1;
  };

  /** The parameters between two brackets. */
  const parameters = (from, to) => {
    let at = from;
    while (at < to) {
      if (text(at) === 'this' && text(at + 1) === ':') {
        const end = skipType(at + 2);
        erase(at, text(end) === ',' ? end + 1 : end);
        at = text(end) === ',' ? end + 1 : end;
        continue;
      }
      at = skipPattern(at);
      if (text(at) === '?') erase(at, ++at);
      at = eraseAnnotation(at);
      at = runUntilComma(at, to) + 1;
    }
  };

  const runUntilComma = (from, to) => {
    let at = from;
    while (at < to && text(at) !== ',') at = step(at);
    return at;
  };

  const skipStatement = index => {
    let at = index;
    while (at < tokens.length && text(at) !== ';' && !(at > index && tokens[at].isNewLine && endsHere(at))) {
      at = OPENING[text(at)] ? skipBrackets(at) : at + 1;
    }
    return text(at) === ';' ? at + 1 : at;
  };
  const endsHere = at => endsOperand(tokens[at - 1]) || text(at - 1) === '>';

  const isArrowHead = close => {
    if (text(close) === '=>') return true;
    return text(close) === ':' && text(skipType(close + 1)) === '=>';
  };

  /** Whether the bracket at the index begins the parameters of a method. */
  const isMethod = (index, close) => {
    let name = index - 1;
    if (text(name) === '>') while (name > 0 && text(name) !== '<') name--;
    if (text(index - 1) === '>') name--;
    if (text(name) === ']') return text(close) === '{' || (text(close) === ':' && text(skipType(close + 1)) === '{' && isInClass(index));
    if (!['word', 'text', 'number'].includes(kind(name)) || CONTROL.has(text(name))) return false;
    if (text(close) === '{') return true;
    if (text(close) !== ':' || text(skipType(close + 1)) !== '{') return false;
    const before = tokens[name - 1];
    return MEMBER_STARTS.has(before?.text) || ['async', 'get', 'set', 'static', ...MODIFIERS].includes(before?.text);
  };
  let inClass = 0;
  const isInClass = () => inClass > 0;

  const functionHead = index => {
    let at = index;
    const generic = skipTypeArguments(at);
    if (generic > 0) {
      erase(at, generic);
      at = generic;
    }
    if (text(at) !== '(') return at;
    const close = skipBrackets(at);
    parameters(at + 1, close - 1);
    return eraseAnnotation(close);
  };

  const declarators = index => {
    let at = index;
    for (;;) {
      at = skipPattern(at);
      if (text(at) === '!') erase(at, ++at);
      at = eraseAnnotation(at);
      if (text(at) === '=') {
        at++;
        while (at < tokens.length && ![',', ';', ')', '}', ']'].includes(text(at))) {
          if (tokens[at].isNewLine && endsOperand(tokens[at - 1]) && ['word'].includes(kind(at)) && !['as', 'satisfies', 'in', 'instanceof'].includes(text(at))) return at;
          at = step(at);
        }
      }
      if (text(at) !== ',') return at;
      at++;
    }
  };

  const classHead = index => {
    let at = index;
    if (kind(at) === 'word' && !['extends', 'implements'].includes(text(at))) at++;
    const generic = skipTypeArguments(at);
    if (generic > 0) {
      erase(at, generic);
      at = generic;
    }
    if (text(at) === 'extends') {
      at++;
      while (text(at) !== '{' && text(at) !== 'implements') {
        const inner = skipTypeArguments(at);
        if (inner > 0) erase(at, inner);
        at = inner > 0 ? inner : text(at) === '(' ? step(at) : at + 1;
      }
    }
    const start = at;
    while (text(at) !== '{') at++;
    erase(start, at);
    const end = skipBrackets(at);
    inClass++;
    members(at + 1, end - 1);
    inClass--;
    return end;
  };

  const members = (from, to) => {
    let at = from;
    while (at < to) {
      const start = at;
      const isName = index => ['(', ':', '=', ';', '?', '!', '<', '}'].includes(text(index));
      let isGone = false;
      while (kind(at) === 'word' && !isName(at + 1) && (MODIFIERS.has(text(at)) || ['static', 'async', 'get', 'set', 'accessor'].includes(text(at)))) {
        if (tokens[at + 1].isNewLine && !MODIFIERS.has(text(at))) break;
        if (['abstract', 'declare'].includes(text(at))) isGone = true;
        if (MODIFIERS.has(text(at))) erase(at, at + 1);
        at++;
      }
      if (text(at) === ';') {
        at++;
        continue;
      }
      if (text(at) === '{') {
        at = step(at);
        continue;
      }
      if (text(at) === '*') at++;
      const isIndex = text(at) === '[' && kind(at + 1) === 'word' && text(at + 2) === ':';
      at = text(at) === '[' ? step(at) : at + 1;
      if (isIndex) isGone = true;
      if (text(at) === '?' || text(at) === '!') erase(at, ++at);
      if (text(at) === '(' || text(at) === '<') {
        at = functionHead(at);
        if (text(at) === '{') at = step(at);
        else isGone = true;
      } else {
        at = eraseAnnotation(at);
        if (text(at) === '=') at = endOfField(at + 1, to);
      }
      if (text(at) === ';') at++;
      if (isGone) erase(start, at);
    }
  };
  const endOfField = (from, to) => {
    let at = from;
    while (at < to && text(at) !== ';') {
      if (at > from && tokens[at].isNewLine && endsOperand(tokens[at - 1]) && kind(at) !== 'mark' && !['as', 'in', 'instanceof', 'satisfies'].includes(text(at))) return at;
      at = step(at);
    }
    return at;
  };

  const importOrExport = index => {
    let at = index + 1;
    if (text(at) === 'type' && text(at + 1) !== 'from' && text(at + 1) !== ',') {
      if (text(index) === 'import' || text(at + 1) === '{' || text(at + 1) === '*') {
        const end = skipStatement(index);
        erase(index, end);
        return end;
      }
      return typeAlias(at, index);
    }
    if (text(index) === 'export' && ['interface', 'declare'].includes(text(at))) return declaration(at, index);
    if (text(index) === 'import' && kind(at) === 'word') at++;
    if (text(at) === ',') at++;
    if (text(at) !== '{') return text(index) === 'import' ? skipStatement(index) : at;
    const end = skipBrackets(at);
    for (let name = at + 1; name < end; ) {
      let next = name;
      while (next < end - 1 && text(next) !== ',') next++;
      if (text(name) === 'type' && kind(name + 1) === 'word' && text(name + 1) !== 'as') erase(name, text(next) === ',' ? next + 1 : next);
      name = next + 1;
    }
    return skipStatement(end);
  };

  const typeAlias = (index, start = index) => {
    let at = index + 2;
    const generic = skipTypeArguments(at);
    if (generic > 0) at = generic;
    at = skipType(at + 1);
    if (text(at) === ';') at++;
    erase(start, at);
    return at;
  };

  const declaration = (index, start = index) => {
    let at = index;
    if (text(at) === 'interface') {
      while (text(at) !== '{') at++;
      at = skipBrackets(at);
    } else at = skipStatement(at);
    erase(start, at);
    return at;
  };

  const isStatementStart = index => {
    const before = tokens[index - 1];
    return !before || tokens[index].isNewLine || [';', '{', '}'].includes(before.text);
  };

  /** Handles what begins at the index and gives the index behind it. */
  const step = index => {
    const token = tokens[index];
    const previous = tokens[index - 1];
    const isProperty = previous?.text === '.' || previous?.text === '?.';
    if (token.kind === 'template') {
      template(token);
      return index + 1;
    }
    if (token.kind === 'word' && !isProperty && text(index + 1) !== ':') {
      if (token.text === 'import' && !['(', '.'].includes(text(index + 1)) && isStatementStart(index)) return importOrExport(index);
      if (token.text === 'export') return importOrExport(index);
      if (token.text === 'type' && kind(index + 1) === 'word' && !tokens[index + 1].isNewLine && isStatementStart(index)) return typeAlias(index);
      if (token.text === 'interface' && kind(index + 1) === 'word' && isStatementStart(index)) return declaration(index);
      if (token.text === 'declare' && kind(index + 1) === 'word' && isStatementStart(index)) return declaration(index);
      if (token.text === 'abstract' && text(index + 1) === 'class') {
        erase(index, index + 1);
        return index + 1;
      }
      if (['const', 'let', 'var'].includes(token.text)) return declarators(index + 1);
      if (token.text === 'class') return classHead(index + 1);
      if (token.text === 'function') {
        let at = index + 1;
        if (text(at) === '*') at++;
        if (kind(at) === 'word') at++;
        const end = functionHead(at);
        if (text(end) !== '{') {
          const from = text(index - 1) === 'export' ? index - 1 : index;
          erase(from, text(end) === ';' ? end + 1 : end);
          return text(end) === ';' ? end + 1 : end;
        }
        return end;
      }
      if ((token.text === 'as' || token.text === 'satisfies') && endsOperand(previous) && !token.isNewLine) {
        const end = skipType(index + 1);
        erase(index, end);
        return end;
      }
    }
    if (token.kind === 'mark') {
      if (token.text === '!' && endsOperand(previous) && previous.end === token.start) {
        erase(index, index + 1);
        return index + 1;
      }
      if (token.text === '<') {
        const end = skipTypeArguments(index);
        const isCall = endsOperand(previous) && (text(end) === '(' || kind(end) === 'template');
        if (end > 0 && (isCall || (text(end) === '(' && !endsOperand(previous)))) {
          erase(index, end);
          return end;
        }
      }
      if (token.text === '(') {
        const close = skipBrackets(index);
        const isCatch = previous?.text === 'catch' && text(index - 2) !== '.';
        if (isCatch || isMethod(index, close) || (isArrowHead(close) && !isTernary(index, close))) return functionHead(index);
        run(index + 1, close - 1);
        return close;
      }
      if (OPENING[token.text]) {
        const close = skipBrackets(index);
        run(index + 1, close - 1);
        return close;
      }
    }
    return index + 1;
  };

  /** a ? (b) : c => d */
  const isTernary = (index, close) => text(close) === ':' && text(index - 1) === '?';

  const template = token => {
    const parts = [];
    let at = token.start + 1;
    while (at < token.end - 1) {
      if (source[at] === '\\') at += 2;
      else if (source.startsWith('$' + '{', at)) {
        const end = endOfPlaceholder(source, at + 2);
        parts.push([at + 2, end - 1]);
        at = end;
      } else at++;
    }
    for (const [start, end] of parts)
      edits.push({ start, end, text: eraseByHand(source.slice(start, end)) });
  };

  const run = (from, to) => {
    let at = from;
    while (at < to) at = step(at);
  };
  run(0, tokens.length);
}
`.trimStart();
