// Writes the reference pages from the definitions themselves. With --check it writes nothing and fails when a page is
// not what it would write. Either way it fails when a requirement names a test that does not exist.
import { mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { resolve } from 'node:path';
import { pathToFileURL } from 'node:url';
import { rolldown } from 'rolldown';
import { readOpenApiDocument, writeApi } from './write-api-page.mjs';
import { findSeedProblems, readSeeds, writeSeeds } from './write-seeds-page.mjs';

const folder = 'docs/reference';
const seeds = readSeeds();
const { describeCommands, errorCatalog, exitCodes, jsonSchema } = await loadDefinitions();
const pages = {
  'api.md': writeApi(await readOpenApiDocument(), { page, table }),
  'cli.md': writeCommandLine(await describeCommands()),
  'config.md': writeConfiguration(jsonSchema('config')),
  'errors.md': writeErrors(errorCatalog),
  'seeds.md': writeSeeds(seeds, { page, table }),
};

if (process.argv.includes('--check')) checkPages();
else writePages();
reportSeedProblems();

/** Bundled for this alone; the package has no use for it. */
async function loadDefinitions() {
  const draft = resolve(`.dist-docs-${process.pid}`);
  const made = await rolldown({
    platform: 'node',
    input: 'src/surfaces/cli/help/reference.ts',
    external: ['libsql', 'zod'],
    resolve: { extensionAlias: { '.js': ['.ts', '.js'] } },
  });
  try {
    await made.write({ dir: draft, format: 'esm', codeSplitting: false, entryFileNames: 'definitions.js' });
    return await import(pathToFileURL(`${draft}/definitions.js`).href);
  } finally {
    await made.close();
    rmSync(draft, { recursive: true, force: true });
  }
}

function writePages() {
  mkdirSync(folder, { recursive: true });
  for (const [name, text] of Object.entries(pages)) writeFileSync(`${folder}/${name}`, text);
}

function checkPages() {
  const stale = Object.entries(pages).filter(([name, text]) => readIfThere(`${folder}/${name}`) !== text);
  for (const [name] of stale)
    console.error(`${folder}/${name} is not current; write it with: npm run build && npm run docs`);
  process.exitCode = stale.length === 0 ? 0 : 1;
}

function reportSeedProblems() {
  const problems = findSeedProblems(seeds);
  for (const problem of problems) console.error(problem);
  if (problems.length > 0) process.exitCode = 1;
}

function readIfThere(file) {
  try {
    return readFileSync(file, 'utf8');
  } catch {
    return undefined;
  }
}

function page(title, introduction, sections) {
  const note = '<!-- Written by scripts/docs/generate-docs.mjs; edit the definitions instead. -->';
  return `${[note, `# ${title}`, introduction, ...sections].join('\n\n')}\n`;
}

function table(headings, rows) {
  const line = cells =>
    `| ${cells.map(cell => String(cell).replaceAll('|', '\\|').replaceAll('\n', ' ')).join(' | ')} |`;
  return [line(headings), line(headings.map(() => '---')), ...rows.map(line)].join('\n');
}

function writeCommandLine(commands) {
  const introduction = [
    'stdout is the answer, stderr is narration. `--json` gives one JSON document on stdout; `carrel schema` lists the',
    'shapes. Exit statuses are in [errors.md](errors.md). `-R` and `--json` may stand before or after the command.',
  ].join('\n');
  return page('Command line', introduction, commands.map(describeCommand));
}

function describeCommand({ name, aliases, summary, usage, arguments: operands, options }) {
  const alias = aliases.length > 0 ? [`Also: ${aliases.map(word => `\`carrel ${word}\``).join(', ')}.`] : [];
  const operandRows = operands.map(operand => [
    `\`${operand.name}\``,
    withChoices(operand.description, operand.value),
  ]);
  const optionRows = options.map(option => [`\`${option.flags}\``, describeOption(option)]);
  return [
    `## carrel ${name}`,
    `${summary}.`,
    ...alias,
    `    ${usage}`,
    ...(operandRows.length > 0 ? [table(['argument', 'meaning'], operandRows)] : []),
    table(['option', 'meaning'], optionRows),
  ].join('\n\n');
}

function describeOption({ description, value, defaultValue }) {
  return `${withChoices(description, value)}${defaultValue === undefined ? '' : ` (default: ${defaultValue})`}`;
}

function withChoices(description, value) {
  return value?.kind === 'choice'
    ? `${description}: ${value.choices.map(choice => `\`${choice}\``).join(', ')}`
    : description;
}

function writeConfiguration(schema) {
  const introduction = [
    '`.carrel/config.yaml` in a repository, and `$XDG_CONFIG_HOME/carrel/config.yaml` of the same shape for the user.',
    'All keys are optional. `carrel config show --origin` prints the effective values and where they come from.',
  ].join('\n');
  const rows = [...listKeys(schema, '', schema.$defs)].map(({ key, node }) => [
    `\`${key}\``,
    describeType(node),
    node.default === undefined ? '' : `\`${JSON.stringify(node.default)}\``,
    node.description ?? '',
  ]);
  return page('Configuration', introduction, [table(['key', 'type', 'default', 'meaning'], rows)]);
}

/** Every key that takes a value, in the order of the schema; `*` stands for a name of one's own choice. */
function* listKeys(reference, prefix, definitions) {
  const node = definitions?.[reference.$ref?.replace('#/$defs/', '')] ?? reference;
  const keys = Object.entries(node.properties ?? {}).map(([name, child]) => [`${prefix}${name}`, child]);
  const named =
    typeof node.additionalProperties === 'object' ? [[`${prefix}*`, node.additionalProperties]] : [];
  for (const [key, child] of [...keys, ...named]) {
    const inner = [...listKeys(child, `${key}.`, definitions)];
    if (inner.length === 0 || child.additionalProperties) yield { key, node: child };
    yield* inner;
  }
}

function describeType(node) {
  if (node.const !== undefined) return `\`${JSON.stringify(node.const)}\``;
  if (node.enum) return node.enum.map(value => `\`${value}\``).join(', ');
  const alternatives = node.anyOf ?? node.oneOf;
  if (alternatives) return [...new Set(alternatives.map(describeType))].join(' or ');
  if (node.type === 'array') return `list of ${describeType(node.items ?? {})}`;
  if (node.type === 'object') return 'mapping';
  return node.type ?? 'anything';
}

function writeErrors(catalog) {
  const introduction = [
    'With `--json` a failure is `{"error": {"code", "kind", "message", "hint", "details"}}` on stdout. Rely on the code,',
    'the kind and the exit status; messages and hints may change. Interrupted commands exit with 130 (SIGINT) or 143',
    '(SIGTERM), and a command whose task waits for an approval with 7.',
  ].join('\n');
  const kinds = Object.entries(exitCodes).map(([kind, code]) => [kind, code]);
  const rows = Object.entries(catalog).map(([code, { kind, summary }]) => {
    const exitStatus = code === 'INTERRUPTED' ? '130 or 143' : exitCodes[kind];
    return [`\`${code}\``, kind, exitStatus, summary];
  });
  return page('Errors', introduction, [
    table(['kind', 'exit status'], kinds),
    table(['code', 'kind', 'exit status', 'when it happens'], rows),
  ]);
}
