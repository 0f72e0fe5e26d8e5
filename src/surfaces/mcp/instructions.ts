/** Sent to every agent that connects: how to use its workspace. */
export const INSTRUCTIONS = `Carrel gives you your own workspace on this repository: a directory with all files, on a separate branch. Nothing you do there changes the user's checkout, and no work is lost.

How to work:
1. workspace_create makes a workspace. Work in the directory "path" of its answer, not in the user's checkout.
2. workspace_exec runs commands there. If the workspace has isolation "full", they run in a sandbox. Only workspace_exec does that: a command that you start in "path" in another way is not sandboxed.
3. Commit in the workspace as you go (workspace_exec with git). Before something risky, workspace_checkpoint saves everything, including uncommitted changes. workspace_restore restores a checkpoint as another workspace.
4. workspace_diff shows what changed against the base.
5. workspace_land lands the commits on the branch that the workspace started from. Ask the user first, unless the user already wants you to land.
6. workspace_remove removes a workspace. It refuses if work would be lost and says which: land it, or ask the user. Accept a loss only if the user agreed; a snapshot is kept even then.

task_run runs a task with other agents in a separate workspace. With detach it answers at once; task_status shows the progress, and task_cancel stops the task.

Workspaces are named by "name" or "id". Errors have a code, a message and a hint with the next step.`;
