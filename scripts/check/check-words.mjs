// Fails where a text that people read has a word of the list below: strings and comments of the source, names of tests,
// pages and guides. `node scripts/check/check-words.mjs PATH...` looks at these paths only; `--count` counts by folder.
import { readdirSync, readFileSync, statSync } from 'node:fs';
import { join } from 'node:path';

/** What sounds translated, and what to write instead. */
const WORDS = [
  [
    /\b(who|what|which|when|where|how)(so)?ever\b(?! (the|its|it|he|they|you|was|is|kind|many|long|much|often|large|small|far)\b)/i,
    'name the actor or the thing',
  ],
  [/\b(nobody|somebody)\b/i, 'name the actor: the user, another process, the agent'],
  [/\b(is|are|was|were|be|been|being) told\b/i, 'is reported, shows, prints'],
  [/\btells?\b(?! (whether|apart))/i, 'reports, shows, says'],
  [/\bsaid plainly\b/i, 'reported'],
  [/\b(can't|cannot|can not|could not|couldn't) be had\b/i, 'is not available'],
  [/\bto be had\b/i, 'available'],
  [/\bcom(e|es|ing) to rest\b/i, 'stop, reach'],
  [/\bwishes\b/i, 'options'],
  [/\basked for\b/i, 'requested'],
  [/\bjudg(e|es|ed|ing|ement)\b/i, 'grade, check, decide'],
  [/\b(taken|takes|take|taking) back\b/i, 'imported, reclaimed'],
  [/\b(brought|brings|bring|bringing) in\b/i, 'imported, exported, copied'],
  [/\bdata sets?\b/i, 'dataset'],
  [/\bmend(s|ed|ing)?\b/i, 'fix'],
  [/\bso many\b/i, 'N'],
  [/\bby chance\b/i, 'random'],
  [/\bkept apart\b/i, 'isolated'],
  [/\bwhatever happen(s|ed)\b/i, 'after a crash or Ctrl-C'],
  [/\b(go|goes|going|went|gone) on with\b/i, 'resume, continue'],
  [/\blook(s|ed|ing)? whether\b/i, 'check that'],
  [/\bof (its|their|your|his|our) own\b/i, 'its own, your own'],
  [/\bdesks?\b/i, 'workspace, handoff'],
  [/\bcarr(y|ies|ied|ying) out\b/i, 'run'],
  [/\b(commit|item|problem|file|error)\(s\)/i, 'the plural that fits'],
  [/\bforsaken\b/i, 'abandoned'],
  [/\blitter\b/i, 'leftovers'],
  [/\ballow-lists?\b/i, 'allowlist'],
  [/\bcan not\b/i, 'cannot'],
  [/\b(gone|exists|exist) already\b/i, 'is already gone, already exists'],
  [/\b\w+ of ours\b/i, 'our own, one of our'],
  [/\bwhat (is|was|are) no (?!longer|more)[a-z]+/i, 'a thing that is not a ...'],
  [/\bruns? by (itself|themselves)\b/i, 'runs automatically'],
  [/\bmade again\b/i, 'recreated'],
  [/\bas it was made\b/i, 'as it was created'],
  [/\bregistered are\b/i, 'known:'],
  [/\byet to be\b/i, 'not ... yet'],
];

const args = process.argv.slice(2);
const roots = args.filter(arg => !arg.startsWith('--'));
const DEFAULT_ROOTS = [
  'src',
  'dashboard/src',
  'test',
  'docs',
  'examples',
  'README.md',
  'ARCHITECTURE.md',
  'CONTRIBUTING.md',
  'GLOSSARY.md',
  'SECURITY.md',
  'CHANGELOG.md',
];
const found = (roots.length > 0 ? roots : DEFAULT_ROOTS).flatMap(listFiles).flatMap(checkFile);

if (args.includes('--count')) printCounts();
else
  for (const { file, line, word, instead } of found)
    console.error(`${file}:${line}: "${word}"; write: ${instead}`);
console.error(found.length === 0 ? 'words: in order' : `words: ${found.length} to fix`);
process.exitCode = found.length === 0 ? 0 : 1;

function listFiles(root) {
  if (statSync(root).isFile()) return [root];
  return readdirSync(root, { recursive: true, withFileTypes: true })
    .filter(entry => entry.isFile() && /\.(ts|tsx|md|mjs)$/.test(entry.name))
    .map(entry => join(entry.parentPath, entry.name))
    .filter(file => !/\/(fixtures|golden)\/|harbor-scripts\.ts$/.test(file));
}

function checkFile(file) {
  const text = readFileSync(file, 'utf8');
  const prose = file.endsWith('.md') ? withoutCode(text) : proseOf(text);
  return prose.flatMap(({ line, text: part }) =>
    WORDS.flatMap(([pattern, instead]) => {
      const match = pattern.exec(part);
      return match ? [{ file, line, word: match[0], instead }] : [];
    }),
  );
}

function withoutCode(text) {
  let isCode = false;
  return text.split('\n').flatMap((each, index) => {
    if (/^\s*(```|~~~)/.test(each)) isCode = !isCode;
    return isCode ? [] : [{ line: index + 1, text: each.replaceAll(/`[^`]*`/g, '') }];
  });
}

/** Comments, and strings of more than one word. */
function proseOf(text) {
  const parts = [];
  const pattern =
    /\/\*[\s\S]*?\*\/|(?<![:\w'"`])\/\/[^\n]*|'(?:[^'\\\n]|\\.)*'|"(?:[^"\\\n]|\\.)*"|`(?:[^`\\]|\\.)*`/g;
  for (const match of text.matchAll(pattern)) {
    const first = text.slice(0, match.index).split('\n').length;
    const isComment = match[0].startsWith('/');
    match[0].split('\n').forEach((each, index) => {
      const words = isComment ? each.replaceAll(/`[^`]*`/g, '') : each.replaceAll(/\$\{[^}]*\}/g, '…');
      if (isComment || /\w \w/.test(words)) parts.push({ line: first + index, text: words });
    });
  }
  return parts;
}

function printCounts() {
  const counts = new Map();
  for (const { file } of found) {
    const folder = file.split('/').slice(0, 2).join('/');
    counts.set(folder, (counts.get(folder) ?? 0) + 1);
  }
  for (const [folder, count] of [...counts].sort((a, b) => b[1] - a[1]))
    console.log(String(count).padStart(6), folder);
}
