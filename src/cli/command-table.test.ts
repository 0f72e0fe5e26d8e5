import { readdirSync } from 'node:fs';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { commandTable } from './command-table.js';
import { describeCommands } from './describe-commands.js';

it('has exactly one line for each file in commands/', () => {
  const folder = join(import.meta.dirname, 'commands');
  const files = readdirSync(folder, { recursive: true, encoding: 'utf8' }).filter(name =>
    name.endsWith('.ts'),
  );
  const names = files
    .filter(name => !name.endsWith('.test.ts'))
    .map(name => name.replace(/\.ts$/, '').replaceAll('/', ' '));
  expect(commandTable.map(entry => entry.name).sort()).toEqual(names.sort());
});

it('loads for each line the file of that name', async () => {
  for (const entry of commandTable) {
    const file = `./commands/${entry.name.replace(' ', '/')}.js`;
    expect(await entry.load(), entry.name).toBe(await import(file));
  }
});

it('has no word twice', () => {
  const words = commandTable.flatMap(entry => [entry.name, ...(entry.aliases ?? [])]);
  expect(words).toEqual([...new Set(words)]);
});

it('gives every command --json, -R and --help', async () => {
  for (const { name, options } of await describeCommands()) {
    const flags = options.flatMap(option => option.names);
    expect(flags, name).toEqual(expect.arrayContaining(['--json', '-R', '--repository', '--help']));
  }
});

it('takes the arguments and options of the contract', async () => {
  const usage = (await describeCommands()).map(({ name, usage, options }) => {
    const own = options.flatMap(option => option.names).filter(flag => !common.has(flag));
    return [usage, ...own]
      .join(' ')
      .replace(`carrel ${name}`, name)
      .replace('[options] ', '')
      .replace(' [options]', '');
  });
  expect(usage).toMatchInlineSnapshot(`
    [
      "run <description> --workflow --agent --isolation --strict --base --detach --keep --priority --timeout --cost-limit --token-limit --server --token-file --land --into --push --pull-request --trust --verbose",
      "task ls --server --token-file --all --status",
      "task show <id> --server --token-file",
      "task logs <id> --server --token-file --follow --stage --raw",
      "task cancel <id> --server --token-file",
      "task retry <id> --timeout --cost-limit --token-limit --server --token-file --detach --verbose",
      "task publish <id> --remote --pull-request --draft",
      "workflow ls",
      "workflow show <name>",
      "workflow check [file]",
      "eval run --dataset --task-ids --tags --difficulty --language --sample --shuffle --parallelism --isolation --timeout --agent --model --attempts --cost-limit --out --gate --keep-failed --quarantined",
      "eval resume <run>",
      "eval ls",
      "eval show <run> --task",
      "eval compare <runs...>",
      "eval grade <run>",
      "eval check --dataset --task-ids --tags --difficulty --language --sample --shuffle --parallelism --isolation --timeout --repeats",
      "eval datasets [dataset]",
      "eval export <run> --format --out",
      "eval rm <run>",
      "up [name] --branch --base --isolation --strict --template --no-setup --trust --workspace --repo --git-worktree --copy",
      "ls --all --fast",
      "show <name>",
      "path <name>",
      "open <name> --with",
      "exec <name> [--] <command...> --timeout -t --terminal",
      "shell <name>",
      "diff <name> --stat --name-only",
      "snapshot <name> -m --message",
      "snapshots [name] --all",
      "restore <snapshot> --as",
      "land <name> --into --squash --rebase --merge -m --message --keep",
      "down <name> --discard-changes --discard-commits --stop-processes --break-lease",
      "gc --older-than --all --yes",
      "worktrees list --all --fast --server --token-file",
      "worktrees cleanup --older-than --all --yes --server --token-file",
      "worktrees remove <id> --discard-changes --discard-commits --stop-processes --break-lease --server --token-file",
      "pool status",
      "pool warm [count] --base --kind",
      "pool drain",
      "serve --port --host --host-name --allow --token-file --log-level",
      "dashboard --server --token-file --open",
      "story run <places...> --server --token-file --failed-only --report --parallel --tags --keep",
      "mcp",
      "install [agent] --write --remove --user --no-hooks",
      "hook worktree-create --isolation",
      "hook worktree-remove",
      "init",
      "trust --list --revoke --yes",
      "config show --origin",
      "doctor",
      "image build --engine --machine",
      "schema [name]",
      "completion <shell>",
    ]
  `);
});

const common = new Set(['-R', '--repository', '--json', '-h', '--help']);
