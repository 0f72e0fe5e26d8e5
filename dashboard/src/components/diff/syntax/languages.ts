import type { Block, Language, TokenKind } from './language.js';

/** By file extension. Undefined for files without colors. */
export function findLanguage(path: string): Language | undefined {
  const name = path.split('/').at(-1)?.toLowerCase() ?? '';
  const ending = name.split('.').at(-1) ?? '';
  return LANGUAGES.find(({ endings }) => endings.includes(ending))?.language;
}

const DOUBLE = String.raw`"(?:[^"\\]|\\.)*"?`;
const SINGLE = String.raw`'(?:[^'\\]|\\.)*'?`;
const NUMBER = String.raw`\b(?:0[xXbo][\da-fA-F_]+|\d[\d_]*(?:\.\d+)?(?:[eE][+-]?\d+)?)`;
const HASH = '#.*';
const SLASHES = '//.*';
const COMMENT: Block = { kind: 'comment', open: String.raw`/\*`, close: String.raw`\*/` };
const MARKUP: Block = { kind: 'comment', open: '<!--', close: '-->' };
const TEMPLATE: Block = { kind: 'string', open: '`', close: String.raw`(?<!\\)\`` };

const words = (text: string): string => `\\b(?:${text.trim().split(/\s+/).join('|')})\\b`;

function program(
  keywords: string,
  {
    comment = SLASHES,
    strings = [DOUBLE, SINGLE],
    blocks = [COMMENT],
  }: { comment?: string; strings?: readonly string[]; blocks?: readonly Block[] } = {},
): Language {
  const tokens: (readonly [TokenKind, string])[] = [
    ['comment', comment],
    ...strings.map(each => ['string', each] as const),
    ['number', NUMBER],
    ['keyword', words(keywords)],
    ['name', String.raw`\b[A-Za-z_$][\w$]*(?=\()`],
  ];
  return { tokens, blocks };
}

const SCRIPT = program(
  `as async await break case catch class const continue debugger declare default delete do else enum export extends
  false finally for from function get if implements import in instanceof interface is keyof let namespace new null of
  private protected public readonly return satisfies set static super switch this throw true try type typeof undefined
  var void while with yield`,
  { blocks: [COMMENT, TEMPLATE] },
);
const PYTHON = program(
  `and as assert async await break case class continue def del elif else except False finally for from global if import
  in is lambda match None nonlocal not or pass raise return self True try while with yield`,
  {
    comment: HASH,
    blocks: [
      { kind: 'string', open: '"""', close: '"""' },
      { kind: 'string', open: "'''", close: "'''" },
    ],
  },
);
const SHELL = program(
  `case do done elif else esac exec exit export fi for function if in local readonly return set shift then trap until
  while`,
  { comment: String.raw`(?<![^\s;])#.*`, blocks: [] },
);
const GO = program(
  `break case chan const continue default defer else fallthrough false for func go goto if import interface map nil
  package range return select struct switch true type var`,
  { blocks: [COMMENT, { kind: 'string', open: '`', close: '`' }] },
);
const RUST = program(
  `as async await break const continue crate dyn else enum extern false fn for if impl in let loop match mod move mut pub
  ref return self Self static struct super trait true type unsafe use where while`,
  // A lifetime such as 'a is not a string.
  { strings: [DOUBLE, String.raw`'(?:[^'\\]|\\.[^']*)'`] },
);
const JAVA = program(
  `abstract assert boolean break byte case catch char class const continue default do double else enum extends false final
  finally float for if implements import instanceof int interface long native new null package private protected public
  record return sealed short static super switch synchronized this throw throws transient true try var void volatile
  while yield`,
);
const C = program(
  `auto bool break case catch char class const constexpr continue default delete do double else enum extern false float
  for goto if include inline int long namespace new nullptr private protected public return short signed sizeof static
  struct switch template this throw true try typedef typename union unsigned using virtual void volatile while`,
);
// Names are looked for from their beginning only: from every place in it, a long one would take the square of the time.
const JSON_TEXT: Language = {
  tokens: [
    ['name', String.raw`"(?:[^"\\]|\\.)*"(?=\s*:)`],
    ['string', DOUBLE],
    ['number', `-?${NUMBER}`],
    ['keyword', words('true false null')],
    ['comment', SLASHES],
  ],
  blocks: [],
};
const YAML: Language = {
  tokens: [
    ['comment', String.raw`(?<!\S)#.*`],
    ['name', String.raw`(?<![\w.$/-])[\w.$/-]+(?=:(?:\s|$))`],
    ['string', DOUBLE],
    ['string', SINGLE],
    ['number', NUMBER],
    ['keyword', words('true false null yes no on off')],
  ],
  blocks: [],
};
const MARKDOWN: Language = {
  tokens: [
    ['keyword', '^#{1,6} .*'],
    ['string', '`[^`]+`'],
    ['name', String.raw`\[[^\][]*\]\([^)]*\)`],
    ['keyword', String.raw`\*\*[^*]+\*\*`],
    ['keyword', String.raw`^\s*(?:[-*+]|\d+\.)(?=\s)`],
  ],
  blocks: [{ kind: 'string', open: '^```', close: '^```' }, MARKUP],
};
const STYLE: Language = {
  tokens: [
    ['string', DOUBLE],
    ['string', SINGLE],
    ['keyword', String.raw`@[\w-]+|!important`],
    ['name', String.raw`(?<![\w-])[\w-]+(?=\s*:(?:\s|$))`],
    ['number', String.raw`#[\da-fA-F]{3,8}\b|-?\b\d[\d.]*(?:[a-z]+|%)?`],
  ],
  blocks: [COMMENT],
};
const HTML: Language = {
  tokens: [
    ['keyword', String.raw`</?[A-Za-z][\w-]*|/?>`],
    ['string', DOUBLE],
    ['name', String.raw`(?<![\w:-])[\w:-]+(?==)`],
    ['number', String.raw`&[#\w]+;`],
  ],
  blocks: [MARKUP],
};

const LANGUAGES: readonly { readonly endings: readonly string[]; readonly language: Language }[] = [
  { endings: ['ts', 'tsx', 'mts', 'cts', 'js', 'jsx', 'mjs', 'cjs'], language: SCRIPT },
  { endings: ['py', 'pyi'], language: PYTHON },
  { endings: ['sh', 'bash', 'zsh'], language: SHELL },
  { endings: ['go'], language: GO },
  { endings: ['rs'], language: RUST },
  { endings: ['java', 'kt'], language: JAVA },
  { endings: ['c', 'h', 'cc', 'cpp', 'hpp', 'cxx'], language: C },
  { endings: ['json', 'jsonc', 'jsonl'], language: JSON_TEXT },
  { endings: ['yaml', 'yml'], language: YAML },
  { endings: ['md', 'markdown'], language: MARKDOWN },
  { endings: ['css', 'scss'], language: STYLE },
  { endings: ['html', 'htm', 'xml', 'svg', 'vue'], language: HTML },
];
