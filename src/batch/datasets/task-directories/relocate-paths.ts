/**
 * Shell text that enters the working tree by a path without special characters, whatever its real path is:
 * scripts of containers do not quote paths. It sets `carrel_home`, a directory that is removed when the shell exits.
 */
export const GO_BY_PLAIN_PATH = `carrel_home=$(mktemp -d) || exit 1
trap 'rm -rf "$carrel_home"' EXIT
ln -s "$PWD" "$carrel_home/work" || exit 1
cd "$carrel_home/work" || exit 1`;

/** A directory of a container, and where it is here: shell text inside double quotes. */
export interface Relocation {
  readonly from: string;
  readonly to: string;
}

/**
 * Shell text that rewrites the absolute paths in the files of a directory (shell text as well) to the actual locations
 * here. Scripts of container tasks name /app, /tests and /logs; here the directory of a task differs each
 * time, so this can only be done when they run.
 */
export function relocateFiles(directory: string, relocations: readonly Relocation[]): string {
  // Adjacent paths share the separator between them, so each replacement runs twice.
  const edits = relocations.flatMap(relocation => [editOf(relocation), editOf(relocation)]);
  return `
carrel_literal() { printf '%s' "$1" | sed 's/[\\\\&#]/\\\\&/g'; }
find "${directory}" -type f | while IFS= read -r carrel_file; do
  sed -E ${edits.join(' ')} "$carrel_file" > "$carrel_file.moved" || exit 1
  cat "$carrel_file.moved" > "$carrel_file" && rm "$carrel_file.moved"
done`.trimStart();
}

/** Only whole paths: not the end of a longer one, nor the beginning of a longer name. */
function editOf({ from, to }: Relocation): string {
  const path = from.replaceAll('.', '\\.');
  return `-e "s#(^|[^A-Za-z0-9_./-])${path}([^A-Za-z0-9_.-]|\\$)#\\1$(carrel_literal "${to}")\\2#g"`;
}
