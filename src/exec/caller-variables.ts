import { existsSync } from 'node:fs';
import { delimiter, join, relative } from 'node:path';

/** Where a command runs. */
export interface CommandPlace {
  /** Its working directory, which becomes its PWD. */
  readonly directory: string;
  /** The caller's checkout: a variable that names a path in it gets the same path in `directory`, where that exists. */
  readonly checkout?: string | undefined;
  /** Interactive use in the caller's own terminal or editor, so their variables are right. */
  readonly isForPerson?: boolean | undefined;
}

type Variables = Readonly<Record<string, string>>;

/**
 * The caller's variables without those about the caller's directory, which programs would use: opencode works
 * in `$PWD` wherever it is started, npm in `INIT_CWD`, and `code FILE` opens the file in the window whose socket it finds.
 */
export function withoutCallersPlace(caller: Variables, place: CommandPlace): Record<string, string> {
  const isDropped = (name: string) =>
    RULES.some(
      ({ names, isOfScreen, when }) =>
        names.test(name) && !(isOfScreen && place.isForPerson) && (when?.(caller) ?? true),
    );
  const kept = Object.entries(caller).filter(([name]) => !isDropped(name));
  return { ...movePaths(Object.fromEntries(kept), place), PWD: place.directory };
}

interface PlaceRule {
  readonly names: RegExp;
  /** Names the caller's terminal or editor: correct for `carrel shell` and `carrel open`. */
  readonly isOfScreen?: true;
  /** Whether the caller's environment sets it; otherwise it may be the user's own setting. */
  readonly when?: (caller: Variables) => boolean;
}

const hasAny = (pattern: RegExp) => (caller: Variables) =>
  Object.keys(caller).some(name => pattern.test(name));

/**
 * What is not here stays: PATH, HOME, LANG, TERM, DISPLAY, XDG_*, proxies, keys. So do SSH_AUTH_SOCK and
 * DBUS_SESSION_BUS_ADDRESS: they lead to the user's keys, not to a place, and agents on the host push with them. Of
 * npm_config_* only what names the package stays out: registries and caches are the user's settings.
 */
const RULES: readonly PlaceRule[] = [
  // Where the caller's shell was, and where its `cd` looks.
  { names: /^(OLDPWD|CDPATH)$/ },
  // The package and script that npm, pnpm, yarn or cargo runs the caller in.
  { names: /^(INIT_CWD|PROJECT_CWD|PNPM_SCRIPT_SRC_DIR|CARGO_MANIFEST_(DIR|PATH)|CARGO_PKG_.*)$/ },
  { names: /^npm_(?!config_)/ },
  { names: /^npm_config_(local_prefix|dir|workspaces?|include_workspace_root|user_agent)$/ },
  // The `make` that called, and its job server.
  { names: /^(MAKELEVEL|MAKEFLAGS|MFLAGS|MAKEOVERRIDES)$/, when: caller => 'MAKELEVEL' in caller },
  { names: /^COMPOSE_PROJECT_NAME$/ },
  // The workspace and task of a Carrel that called this one. Not its markers: processes are found by them.
  { names: /^CARREL_(WORKSPACE|WORKSPACE_ID|WORKSPACE_PATH|REPOSITORY|BRANCH|BASE_COMMIT|PORT(S|_\d+)?)$/ },
  { names: /^CARREL_(TASK_ID|STAGE|ATTEMPT|DEADLINE|MODEL|BUDGET_USD|WORKING_DIRECTORY|PROMPT_FILE)$/ },
  { names: /^CARREL_(INPUT|OUTPUT|FILES)_DIR$/ },
  // The session of an agent that called. Claude Code does not start inside another.
  { names: /^(CLAUDECODE|CLAUDE_CODE_(ENTRYPOINT|SSE_PORT|SESSION_ID)|(GEMINI_CLI|QWEN_CODE)_IDE_.*)$/ },
  // What direnv has loaded; direnv in a shell uses it to unload that.
  { names: /^DIRENV_/, isOfScreen: true },
  // Windows and sockets of editors. The password prompt of VS Code and its forks needs all of its variables.
  {
    names: /^(VSCODE_.*|CURSOR_.*|ZED_.*|__INTELLIJ_.*|TERMINAL_EMULATOR|TERM_PROGRAM.*)$/,
    isOfScreen: true,
  },
  { names: /^(NVIM.*|VIM|VIMRUNTIME|EMACS|INSIDE_EMACS|EMACS_SOCKET_NAME|kak_.*)$/, isOfScreen: true },
  { names: /^GIT_ASKPASS$/, isOfScreen: true, when: hasAny(/^VSCODE_GIT_/) },
  // Panes of multiplexers, and terminals.
  { names: /^(TMUX.*|STY|WINDOW|ZELLIJ.*|BYOBU_.*)$/, isOfScreen: true },
  {
    names: /^(SSH_(TTY|CONNECTION|CLIENT)|GPG_TTY|WINDOWID|TERM_SESSION_ID|SHELL_SESSION_.*)$/,
    isOfScreen: true,
  },
  {
    names: /^(ITERM_.*|KITTY_.*|WEZTERM_.*|ALACRITTY_.*|KONSOLE_.*|GNOME_TERMINAL_.*|WT_SESSION)$/,
    isOfScreen: true,
  },
];

/** Never moved: any program may need these files of the user. */
const FIXED = /^(HOME|TMPDIR|SHELL|XDG_.*|CARREL_.*|GIT_CONFIG_.*)$/;

/** Where the home directory itself is in the repository, as with dotfiles, its paths are the user's everywhere. */
function movePaths(kept: Variables, { directory, checkout }: CommandPlace): Variables {
  const { HOME } = kept;
  if (checkout === undefined || checkout === directory || (HOME !== undefined && isAt(HOME, checkout)))
    return kept;
  const move = (path: string) => moveInto(path, checkout, directory);
  const moved = Object.entries(kept).flatMap(([name, value]) => {
    if (FIXED.test(name) || !value.includes(checkout)) return [[name, value]];
    const paths = value.split(delimiter);
    // A program that only the checkout has is still found.
    if (name === 'PATH') return [[name, paths.flatMap(path => [...move(path), path]).join(delimiter)]];
    // Package managers install into it; one that is missing in the workspace is dropped.
    if (name === 'VIRTUAL_ENV') return move(value).map(path => [name, path]);
    return [[name, paths.map(path => move(path)[0] ?? path).join(delimiter)]];
  });
  return Object.fromEntries(moved);
}

const isAt = (path: string, directory: string): boolean => `${path}/`.startsWith(`${directory}/`);

/** The same path in the other directory; undefined when it is not in the first or does not exist. */
function moveInto(path: string, from: string, to: string): string[] {
  if (!isAt(path, from)) return [];
  const moved = join(to, relative(from, path));
  return existsSync(moved) ? [moved] : [];
}
