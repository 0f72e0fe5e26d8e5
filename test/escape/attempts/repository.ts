import { shell } from '../harness/program.js';
import type { RepositoryAttempt } from '../harness/repository-attempt.js';

/** Where the parent's objects may be: beside the private ones, where git says, and where the host has them. */
const STORES = `
common=$(git rev-parse --git-common-dir)
stores="/run/carrel/parent/objects $common/objects $1/.git/objects"
`;

/** The repository that the workspace was made from, by way of its files. */
export const repository: readonly RepositoryAttempt[] = [
  {
    name: "names a program in the repository's configuration",
    program: ({ repository: root, mark }) =>
      shell(
        `git config core.fsmonitor "touch '$2'; false"
        git config core.hooksPath /tmp
        for file in "$1/.git/config" "$1/.git/config.worktree"; do echo '[alias] x = !true' >>"$file"; done
        true`,
        root,
        mark,
      ),
  },
  {
    name: 'leaves hooks for the next user of the repository',
    program: ({ repository: root, mark }) =>
      shell(
        String.raw`
        for place in "$(git rev-parse --git-common-dir)/hooks" "$1/.git/hooks"; do
          mkdir -p "$place"
          for hook in post-checkout pre-commit post-index-change reference-transaction; do
            printf '#!/bin/sh\ntouch "%s"\n' "$2" >"$place/$hook"; chmod +x "$place/$hook"
          done
        done; true`,
        root,
        mark,
      ),
  },
  {
    name: "overwrites an object of the repository's",
    program: ({ repository: root, object }) =>
      shell(
        `${STORES}
        for store in $stores; do chmod u+w "$store/$2"; echo garbage >"$store/$2"; done; true`,
        root,
        object,
      ),
  },
  {
    name: "takes away the mode of an object of the repository's",
    program: ({ repository: root, object }) =>
      shell(`${STORES} for store in $stores; do chmod 0 "$store/$2"; done; true`, root, object),
  },
  {
    name: "makes a hard link to an object of the repository's",
    program: ({ repository: root, object }) =>
      shell(`${STORES} for store in $stores; do ln "$store/$2" linked; done; true`, root, object),
  },
  {
    name: 'runs gc on the whole repository',
    program: () =>
      shell('git reflog expire --expire=now --all; git gc --quiet --prune=now; git prune --expire=now; true'),
  },
  {
    name: 'moves branches, tags and HEAD of the repository',
    program: ({ repository: root }) =>
      shell(
        `git commit --quiet --allow-empty -m moved
        for ref in refs/heads/main refs/tags/v1 refs/heads/carrel/ab refs/replace/$(git rev-parse HEAD); do
          git update-ref $ref HEAD
          git push --quiet --force "$1/.git" HEAD:$ref
          git --git-dir="$1/.git" update-ref $ref HEAD
        done
        git --git-dir="$1/.git" symbolic-ref HEAD refs/heads/carrel/a; true`,
        root,
      ),
  },
  {
    name: 'pushes to any ref that the host would accept',
    program: ({ repository: root }) =>
      shell(
        `git commit --quiet --allow-empty -m pushed
        git push --quiet --force "$1" '+HEAD:refs/heads/other' '+HEAD:refs/tags/v2' '+HEAD:refs/notes/commits'
        git push --quiet --mirror "$1"; true`,
        root,
      ),
  },
  {
    name: 'deletes what keeps its base from being collected',
    program: ({ repository: root }) =>
      shell(
        `for dir in "$(git rev-parse --git-common-dir)" "$1/.git"; do
          git --git-dir="$dir" for-each-ref --format='delete %(refname)' refs/carrel |
            git --git-dir="$dir" update-ref --stdin
        done; true`,
        root,
      ),
  },
  {
    name: 'makes the host run programs named in its git directory when commits are imported',
    program: ({ mark }) =>
      shell(
        `
        git commit --quiet --allow-empty -m taken
        run="touch '$1'; false"
        for key in core.fsmonitor core.sshCommand core.pager core.editor core.askPass gpg.program diff.external           credential.helper uploadpack.packObjectsHook sequence.editor filter.x.clean filter.x.process alias.push           remote.origin.receivepack remote.origin.uploadpack receive.procReceiveRefs core.gitProxy; do
          git config "$key" "$run"
        done
        git config uploadpack.packObjectsHook "$run"; git config receive.fsckObjects false
        echo '* filter=x diff=x merge=x' >.gitattributes
        hooks=$(git rev-parse --git-common-dir)/hooks; mkdir -p "$hooks"
        for hook in pre-push pre-receive update post-receive post-update reference-transaction proc-receive; do
          printf '#!/bin/sh
touch "%s"
' "$1" >"$hooks/$hook"; chmod +x "$hooks/$hook"
        done; true`,
        mark,
      ),
  },
  {
    name: 'makes its own refs a link to those of the repository',
    program: ({ repository: root }) =>
      shell(
        `
        git commit --quiet --allow-empty -m linked; tip=$(git rev-parse HEAD)
        bare=$(mktemp -d); git init --quiet --bare "$bare"
        for dir in /run/carrel/git "$bare"; do
          [ -d "$dir" ] || continue
          echo "$(git rev-parse --git-path objects)" >>"$dir/objects/info/alternates"
          mv "$dir/refs" "$dir/refs-old"; ln -s "$1/.git/refs" "$dir/refs"
          mkdir -p "$1/.git/refs/heads"; echo $tip >"$dir/refs/heads/main"
        done; rm -rf "$bare"; true`,
        root,
      ),
  },
];
