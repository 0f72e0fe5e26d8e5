/**
 * Shell that makes a repository in the directory `$1` whose configuration runs a program at every turn that git takes:
 * each leaves a line in the file `$2`.
 */
export const PLANT_REPOSITORY = String.raw`
plant() {
  mkdir -p "$1"; git init -q "$1"; hooks=$1/.git/hooks
  printf '#!/bin/sh\necho "$0 $*" >>"%s"\ncat\n' "$2" >"$1/evil"; chmod +x "$1/evil"
  mkdir -p "$hooks"
  for hook in pre-commit post-checkout post-index-change reference-transaction fsmonitor-watchman; do
    cp "$1/evil" "$hooks/$hook"
  done
  evil=$(cd "$1" && pwd)/evil
  echo '* filter=evil diff=evil' >"$1/.gitattributes"; echo x >"$1/file"
  (cd "$1" && git add -A && git -c core.hooksPath=/dev/null commit -qm nested)
  for key in core.fsmonitor filter.evil.clean filter.evil.smudge filter.evil.process diff.evil.textconv \
    diff.evil.command diff.external gpg.program core.sshCommand core.pager credential.helper core.editor \
    core.askPass alias.status; do
    git -C "$1" config $key "$evil"
  done
  git -C "$1" config log.showSignature true; git -C "$1" config commit.gpgSign true
  echo y >>"$1/file"
}`;

/**
 * Shell that makes a bare repository in the directory `$1` which runs a program when git looks at it there: it leaves a
 * line in the file `$mark`.
 */
export const PLANT_BARE = String.raw`
bare() {
  git init -q --bare "$1"; printf '#!/bin/sh\necho "$0" >>"%s"\n' "$mark" >"$1/evil"; chmod +x "$1/evil"
  git -C "$1" config core.bare false; git -C "$1" config core.worktree ..
  git -C "$1" config core.fsmonitor "$(cd "$1" && pwd)/evil"
}`;
