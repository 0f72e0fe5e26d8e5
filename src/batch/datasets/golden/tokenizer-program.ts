/** The part of the type eraser that cuts a program into words, marks, texts and templates. */
export const TOKENIZER = String.raw`
const WORD = /[\p{ID_Start}$_#][\p{ID_Continue}$\u200c\u200d]*/uy;
const NUMBER = /(?:0[xXbBoO][\da-fA-F_]+|(?:\d[\d_]*)?\.?\d[\d_]*(?:[eE][+-]?\d+)?)n?/y;
const PUNCTUATION = /=>|\.\.\.|\?\.(?!\d)|\?\?=?|===?|!==?|&&=?|\|\|=?|\+\+|--|\*\*|[-+*%&|^]=|./sy;

export function tokenize(source) {
  const tokens = [];
  let at = 0;
  let isNewLine = false;
  const match = expression => {
    expression.lastIndex = at;
    return expression.exec(source)?.[0];
  };
  const push = (kind, text) => {
    tokens.push({ kind, text, start: at, end: at + text.length, isNewLine });
    at += text.length;
    isNewLine = false;
  };
  while (at < source.length) {
    const blank = match(/\s+|\/\/[^\n]*|\/\*[\s\S]*?\*\//y) ?? (at === 0 ? match(/#![^\n]*/y) : undefined);
    if (blank !== undefined) {
      isNewLine ||= blank.includes('\n');
      at += blank.length;
      continue;
    }
    const character = source[at];
    const text = match(/'(?:[^'\\\n]|\\[\s\S])*'|"(?:[^"\\\n]|\\[\s\S])*"/y);
    if (text !== undefined) push('text', text);
    else if (character === '\x60') push('template', source.slice(at, endOfTemplate(source, at)));
    else if (character === '/' && !endsOperand(tokens.at(-1)))
      push('text', match(/\/(?:[^\/\\\[\n]|\\.|\[(?:[^\]\\\n]|\\.)*\])+\/[a-z]*/y) ?? '/');
    else {
      const word = match(WORD);
      const number = word === undefined ? match(NUMBER) : undefined;
      if (word !== undefined) push('word', word);
      else if (number !== undefined && number !== '') push('number', number);
      else push('mark', match(PUNCTUATION));
    }
  }
  return tokens;
}

function endOfTemplate(source, start) {
  let at = start + 1;
  while (at < source.length && source[at] !== '\x60') {
    if (source[at] === '\\') at += 2;
    else if (source.startsWith('$' + '{', at)) at = endOfPlaceholder(source, at + 2);
    else at++;
  }
  return at + 1;
}

export function endOfPlaceholder(source, start) {
  let depth = 1;
  let at = start;
  while (at < source.length && depth > 0) {
    if (source[at] === '\x60') at = endOfTemplate(source, at);
    else {
      if (source[at] === '{') depth++;
      if (source[at] === '}') depth--;
      at++;
    }
  }
  return at;
}

const NOT_OPERANDS = new Set(
  'return typeof instanceof in of new delete void throw case do else await yield extends default'.split(' '),
);

/** Whether a token can be the end of an operand, so that an operator follows it. */
export function endsOperand(token) {
  if (!token) return false;
  if (token.kind === 'word') return !NOT_OPERANDS.has(token.text);
  return token.kind !== 'mark' || token.text === ')' || token.text === ']' || token.text === '}';
}
`.trimStart();
