/** Told to every agent that connects: how to use its desk. */
export const INSTRUCTIONS = `Carrel gives you a workspace of your own on this repository: a directory with all files, on a branch of its own. Nothing you do there touches the user's checkout, and nothing is lost.

How to work:
1. workspace_create makes one; work in the directory "path" that it answers with, not in the user's checkout.
2. workspace_exec runs commands there. Where the workspace has isolation "full", they run in a sandbox, and only workspace_exec does that: a command that you start in "path" by other means is not sandboxed.
3. Commit in the workspace as you go (workspace_exec with git). workspace_checkpoint keeps everything as it is now, also what is not committed, before something risky; workspace_restore brings a checkpoint back as another workspace.
4. workspace_diff shows what changed against the base.
5. workspace_land brings the commits to the branch that the workspace started from. Ask the user first unless you were told to land.
6. workspace_remove takes a workspace away. It refuses when work could be lost and says what: land it, or ask the user. Accept a loss only when the user said so; a snapshot is kept even then.

task_run has other agents do a piece of work in a workspace of their own; with detach it answers at once, task_status tells how far it is, task_cancel ends it.

Workspaces are named by "name" or "id". Errors have a code, a message and a hint, which says what to do next.`;
