import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { Command } from 'commander';
import { expect, it } from 'vitest';
import { commandTable } from './command-table.js';
import { addFields } from './derive-command.js';
import { derivedCommands } from './derived-commands.js';
import { describeCommands } from './help/describe-commands.js';

const files = readdirSync(join(import.meta.dirname, 'commands'), {
  recursive: true,
  encoding: 'utf8',
}).filter(name => name.endsWith('-command.ts'));
/** A derived command that prints one field has no file. */
const derived = derivedCommands.filter(({ prints }) => prints !== undefined).map(({ name }) => name);
const isOwn = ({ name }: { readonly name: string }) => !derived.includes(name);
const fileOf = (name: string) => `/${name.replace(' ', '-')}-command.ts`;

it('has exactly one entry for each file in commands/', () => {
  const expected = commandTable.filter(isOwn).map(entry => fileOf(entry.name));
  expect(files.map(file => file.slice(file.indexOf('/'))).sort()).toEqual(expected.sort());
});

it('loads the file of the same name for each entry', async () => {
  for (const entry of commandTable.filter(isOwn)) {
    const file = files.find(each => each.endsWith(fileOf(entry.name)));
    const module = `./commands/${file?.replace(/ts$/, 'js')}`;
    expect(await entry.load(), entry.name).toBe(await import(module));
  }
});

it('has no duplicate names', () => {
  const words = commandTable.flatMap(entry => [entry.name, ...(entry.aliases ?? [])]);
  expect(words).toEqual([...new Set(words)]);
});

it('gives every command --json, -R and --help', async () => {
  for (const { name, options } of await describeCommands()) {
    const flags = options.flatMap(option => option.names);
    expect(flags, name).toEqual(expect.arrayContaining(['--json', '-R', '--repository', '--help']));
  }
});

it('has the documented arguments and options', async () => {
  const own = (await describeCommands()).filter(isOwn);
  const usage = own.map(({ name, usage, options }) => {
    const flags = options.flatMap(option => option.names).filter(flag => !common.has(flag));
    return [usage, ...flags]
      .join(' ')
      .replace(`carrel ${name}`, name)
      .replace('[options] ', '')
      .replace(' [options]', '');
  });
  expect(usage).toMatchInlineSnapshot(`
    [
      "run [description] --workflow --trigger --agent --isolation --strict --base --branch --keep --priority --timeout --cost-limit --token-limit --trust --server --token-file --detach --verbose --strategy --issue --on --label --land --into --push --pull-request",
      "task ls --all --status --limit --server --token-file",
      "task show <task> --server --token-file",
      "task logs <task> --follow --server --token-file --stage --raw",
      "task diff <task>",
      "task cancel <task> --server --token-file",
      "task approve <task> --stage -m --message --server --token-file --detach --verbose",
      "task reject <task> -m --message --stage --retry --server --token-file --detach --verbose",
      "task retry <task> --timeout --cost-limit --token-limit --server --token-file --detach --verbose",
      "task publish <task> --remote --pull-request --draft",
      "workflow ls",
      "workflow show <name>",
      "workflow check [file]",
      "eval run --dataset --task-ids --tags --difficulty --language --sample --shuffle --parallelism --isolation --timeout --agent --model --attempts --cost-limit --out --gate --keep-failed --quarantined --on --label --grade-on",
      "eval resume <run> --on --label --grade-on",
      "eval ls",
      "eval show <run> --task",
      "eval compare <runs...>",
      "eval grade <run>",
      "eval check --dataset --task-ids --tags --difficulty --language --sample --shuffle --parallelism --isolation --timeout --repeats",
      "eval datasets [dataset]",
      "eval export <run> --format --out",
      "eval rm <run>",
      "up [name] --branch --base --isolation --strict --template --no-setup --trust --workspace --repo --git-worktree --copy --with-repository",
      "ls --all --fast",
      "show <workspace>",
      "allow <workspace> [hosts...] --remove",
      "path <workspace>",
      "open <workspace> --with --port",
      "exec <workspace> [--] <command...> --timeout -t --terminal",
      "shell <workspace>",
      "diff <workspace> --stat --name-only",
      "snapshot <workspace> -m --message",
      "snapshots [workspace] --all",
      "reset <workspace> --discard-changes --discard-commits --stop-processes --setup --trust",
      "land <workspace> --into -m --message --keep --allow-autorun-files --squash --rebase --merge",
      "down <workspace> --discard-changes --discard-commits --stop-processes --break-lease",
      "gc --older-than --all --yes --trust-clock",
      "worktrees list --all --fast --server --token-file",
      "worktrees cleanup --older-than --all --yes --trust-clock --server --token-file",
      "worktrees remove <id> --discard-changes --discard-commits --stop-processes --break-lease --server --token-file",
      "pool status",
      "pool warm [count] --base --kind",
      "pool drain",
      "serve --port --host --host-name --allow --token-file --log-level",
      "dashboard --server --token-file --open",
      "worker --on --slots --label --allow --accept-key --allow-root --until-idle --env-file --name",
      "fleet init [fleet] --local --artifacts",
      "fleet ls --on",
      "fleet show <run> --on",
      "fleet drain <host> --on",
      "fleet gc --on --older-than --dry-run",
      "fleet key",
      "fleet template <kind> --slots",
      "story run <places...> --server --token-file --failed-only --report --parallel --tags --keep",
      "story ls",
      "story show [run]",
      "story compare <before> [after]",
      "mcp",
      "install [agent] --write --remove --user --no-hooks",
      "hook worktree-create --isolation",
      "hook worktree-remove",
      "init [path] --from",
      "trust --list --revoke --yes",
      "config show --origin",
      "doctor --repair --deep --all",
      "image build --engine --machine",
      "schema [name]",
      "completion <shell>",
    ]
  `);
});

it('explains every option that a command adds to its operation in README.md of the surfaces', async () => {
  const page = readFileSync(join(import.meta.dirname, '../README.md'), 'utf8');
  const added = (await describeCommands()).flatMap(({ name, options }) => {
    const operation = derivedCommands.find(each => each.name === name);
    if (!operation) return [];
    const declared = addFields(new Command(), operation.fields).options.map(({ long }) => long);
    const flags = options.flatMap(option => option.names).filter(flag => flag.startsWith('--'));
    return flags.filter(flag => !common.has(flag) && !declared.includes(flag));
  });
  expect(added).toContain('--detach');
  expect(added.filter(flag => !page.includes(`\`${flag}\``))).toEqual([]);
});

const common = new Set(['-R', '--repository', '--json', '-h', '--help']);
