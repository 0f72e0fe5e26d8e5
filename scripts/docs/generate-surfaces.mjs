// Writes what the surfaces derive from the operations and can not compute themselves: the list of all operations, the
// table of commands (the command line loads no schema before it needs one), the routes of the client (which loads
// nothing else), and the dashboard's forms. With --check it writes nothing and fails when a file is not what it would write.
import { execFileSync } from 'node:child_process';
import { readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { pathToFileURL } from 'node:url';
import { rolldown } from 'rolldown';
import { z } from 'zod';
import { capital, clientFields, listForms } from './describe-forms.mjs';

const NOTE = '// Written by scripts/docs/generate-surfaces.mjs from the operations; do not edit.';
const isCheck = process.argv.includes('--check');

const files = readdirSync('src', { recursive: true, encoding: 'utf8' })
  .filter(name => name.endsWith('.operation.ts'))
  .map(name => `./${name.replace(/\.ts$/, '.js')}`)
  .sort();
const { operations, callOf, namesInPath } = await loadOperations();
write('src/declarations.ts', listDeclarations());
write('src/surfaces/cli/derived-commands.ts', listCommands());
write('src/surfaces/client/derived-routes.ts', listRoutes());
write('dashboard/src/forms/derived-forms.ts', listForms(operations, NOTE));

/** Each with the file that declares it and the name that it is exported under. */
async function loadOperations() {
  const entry = resolve(`src/.all-${process.pid}.ts`);
  const draft = resolve(`.dist-operations-${process.pid}`);
  const all = files.map((file, index) => `export * as file${index} from '${file}';`);
  writeFileSync(
    entry,
    ["export { callOf, namesInPath } from './operations/operation.js';", ...all].join('\n'),
  );
  try {
    const made = await rolldown({
      platform: 'node',
      input: entry,
      external: ['libsql', 'zod'],
      resolve: { extensionAlias: { '.js': ['.ts', '.js'] } },
    });
    await made.write({ dir: draft, format: 'esm', codeSplitting: false, entryFileNames: 'operations.js' });
    await made.close();
    const modules = await import(pathToFileURL(join(draft, 'operations.js')).href);
    const operations = files.flatMap((file, index) =>
      Object.entries(modules[`file${index}`])
        .filter(([, value]) => typeof value === 'object' && 'noun' in value)
        .map(([name, operation]) => ({ file, name, operation, types: typesOf(name) })),
    );
    return { operations, callOf: modules.callOf, namesInPath: modules.namesInPath };
  } finally {
    rmSync(entry, { force: true });
    rmSync(draft, { recursive: true, force: true });
  }
}

function listDeclarations() {
  return [
    NOTE,
    ...operations.map(({ file, name }) => `import { ${name} } from '${file}';`),
    '',
    '/** Every operation, for the surfaces that load all of them. */',
    `export const declarations = [${operations.map(({ name }) => name).join(', ')}] as const;`,
    '',
  ].join('\n');
}

function listCommands() {
  const offered = operations.filter(({ operation }) => !('not' in operation.commandLine));
  const entries = offered.map(({ file, name, operation }) => {
    const { command, aliases, group, prints } = operation.commandLine;
    const data = {
      name: command,
      aliases,
      summary: operation.commandLine.summary ?? operation.summary,
      group,
      prints: typeof prints === 'string' ? prints : undefined,
      fields: fieldsOf(operation),
    };
    const load = `() => import('../../${file.slice(2)}').then(module => module.${name})`;
    return `${JSON.stringify(data).slice(0, -1)}, load: ${load} }`;
  });
  return [
    NOTE,
    "import type { DerivedCommand } from './derive-command.js';",
    '',
    '/** The commands that are derived from an operation, with everything that their help and completion need. */',
    `export const derivedCommands: readonly DerivedCommand[] = [${entries.join(',\n')}];`,
    '',
  ].join('\n');
}

function fieldsOf({ input, commandLine }) {
  const schema = z.toJSONSchema(input, { io: 'input', unrepresentable: 'any' });
  const offered = Object.entries(schema.properties).filter(
    ([name]) => !(name in (commandLine.without ?? {})),
  );
  return offered.map(([name, field]) => ({
    name,
    position: commandLine.arguments.includes(name) ? commandLine.arguments.indexOf(name) : undefined,
    required: schema.required?.includes(name) || undefined,
    type: field.enum ? 'choice' : field.type,
    choices: field.enum,
    isPositive: field.exclusiveMinimum === 0 || field.minimum === 1 || undefined,
    description: field.description ?? '',
    ...commandLine.options?.[name],
  }));
}

function listRoutes() {
  const offered = operations.filter(({ operation }) => !('not' in operation.http));
  const nouns = [...new Set(offered.map(({ operation }) => operation.noun))];
  const types = nouns.map(noun => {
    const own = offered.filter(({ operation }) => operation.noun === noun);
    return `  readonly ${noun}: { ${own.map(describeCall).join('; ')} };`;
  });
  const rows = offered.map(({ operation }) => {
    const { noun, verb, input, http } = operation;
    const names = namesOf(operation);
    return JSON.stringify({
      noun,
      verb,
      call: callOf(operation),
      names: names.length === 0 ? undefined : names,
      method: http.method,
      path: http.path,
      isGlobal: http.repository === 'none' || undefined,
      isText: http.text !== undefined || undefined,
      isStream: http.isStream,
      isRepeatable: http.isRepeatable,
      fields: clientFields(input, http).filter(field => !names.includes(field)),
    });
  });
  const imports = offered.flatMap(({ file, types: { request, answer } }) => {
    const used = [answer, request].filter(type => new RegExp(`\\b${type}\\b`).test(types.join()));
    return used.length === 0 ? [] : `import type { ${used.join(', ')} } from '../../${file.slice(2)}';`;
  });
  return [
    NOTE,
    ...imports,
    `import type { ${usedTypes(types)} } from './derive-calls.js';`,
    '',
    '/** The functions of the client that are derived from an operation, by what they work on. */',
    `export interface DerivedCalls {\n${types.join('\n')}\n}`,
    '',
    `export const derivedRoutes: readonly DerivedRoute[] = [${rows.join(',\n')}];`,
    '',
  ].join('\n');
}

/** The arguments of a call: its subject, and what else is in its path. */
function namesOf({ subject, http }) {
  return [...new Set([...(subject === undefined ? [] : [subject]), ...namesInPath(http)])];
}

function describeCall({ types, operation }) {
  const { verb, subject, input, http } = operation;
  const answer = http.text ? 'string' : types.answer;
  const names = namesOf(operation);
  const own = clientFields(input, http).filter(field => !names.includes(field));
  const request = describeRequest(types.request, input, http);
  const isOnlyNames = own.length === 0 && names.length > 0;
  if (isOnlyNames && !(names.length === 1 && namesInPath(http).includes(subject)))
    return `readonly ${verb}: CallWithNames<${types.request}, ${answer}, ${JSON.stringify(names)}>`;
  if (http.isStream) return `readonly ${verb}: StreamOfSubject<${request}, ${answer}, '${subject}'>`;
  if (http.isRepeatable) return `readonly ${verb}: MakingCall<${request}, ${answer}>`;
  if (subject !== undefined)
    return own.length === 0
      ? `readonly ${verb}: CallOnSubjectAlone<${answer}>`
      : `readonly ${verb}: CallOnSubject<${request}, ${answer}, '${subject}'>`;
  const isQuery = http.method !== 'post' || own.length === 0;
  if (http.repository === 'none')
    return `readonly ${verb}: ${isQuery ? 'Query' : 'CallAlone'}<${request}, ${answer}>`;
  return `readonly ${verb}: ${isQuery ? 'QueryOfRepository' : 'CallInRepository'}<${request}, ${answer}>`;
}

/** The type of a request, without the fields that it may not have. */
function describeRequest(type, input, http) {
  const offered = clientFields(input, http);
  const left = Object.keys(input.shape).filter(field => !offered.includes(field));
  if (offered.length === 0) return 'object';
  return left.length === 0 ? type : `Omit<${type}, ${left.map(field => `'${field}'`).join(' | ')}>`;
}

/** Those that the text names. */
function usedTypes(types) {
  const calls = [
    'CallAlone',
    'CallInRepository',
    'CallOnSubject',
    'CallOnSubjectAlone',
    'CallWithNames',
    'MakingCall',
    'Query',
    'QueryOfRepository',
    'StreamOfSubject',
  ];
  const used = calls.filter(name => types.join().includes(`: ${name}<`));
  return [...used, 'DerivedRoute'].join(', ');
}

/** `RenameWorkspaceRequest` of `renameWorkspace` or `renameWorkspaceOperation`. */
function typesOf(name) {
  const stem = capital(name.replace(/Operation$/, ''));
  return { request: `${stem}Request`, answer: `${stem}Answer` };
}

/** As the formatter leaves it. */
function write(file, text) {
  const formatted = execFileSync(
    'node_modules/.bin/biome',
    ['check', '--write', `--stdin-file-path=${file}`],
    {
      input: text,
      encoding: 'utf8',
      stdio: ['pipe', 'pipe', 'ignore'],
    },
  );
  if (!isCheck) return writeFileSync(file, formatted);
  if (readIfThere(file) === formatted) return;
  console.error(`${file} is not current; write it with: npm run docs`);
  process.exitCode = 1;
}

function readIfThere(file) {
  try {
    return readFileSync(file, 'utf8');
  } catch {
    return undefined;
  }
}
