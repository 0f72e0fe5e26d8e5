#!/usr/bin/env bash
# The golden data set in parallel, each attempt in a worktree of its own.
#   scripts/eval-golden.sh [--quick] [further options of `carrel eval run`]
# --quick takes three tasks. The agent is `oracle` unless --agent says otherwise.
set -euo pipefail
cd "$(dirname "$0")/.."

options=(--dataset golden --parallelism 3 --isolation worktree)
quick=(--task-ids fix-typo-001,fix-import-001,fix-type-error-001)
agent=(--agent oracle)
further=()
for word in "$@"; do
  case $word in
    --quick) options+=("${quick[@]}") ;;
    --agent | --agent=*) agent=() && further+=("$word") ;;
    *) further+=("$word") ;;
  esac
done

npm run --silent eval -- run "${options[@]}" "${agent[@]}" "${further[@]}"
