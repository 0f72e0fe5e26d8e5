import type { ConfigPart, EditAction } from './config-file.js';
import { isObject, type JsonObject } from './json-object.js';

type HookPart = Extract<ConfigPart, { readonly kind: 'hook' }>;

/** Adds or removes a hook in Claude Code's settings, even if the user has added options to it. */
export function editHook(
  document: JsonObject,
  part: HookPart,
  action: EditAction,
  notes: string[],
): JsonObject {
  const { event } = part;
  const hooks = document.hooks ?? {};
  const groups: unknown = isObject(hooks) ? (hooks[event] ?? []) : undefined;
  if (!Array.isArray(groups)) {
    notes.push(`hooks.${event} is not a list and was not changed`);
    return document;
  }
  const others = groups.filter(group => !isOurs(group, part));
  if (action === 'remove') return withGroups(document, event, others);
  if (others.length < groups.length) return document;
  // Claude Code calls all of them, and two would create two worktrees.
  if (groups.length > 0) {
    notes.push(`there is another hook for ${event}; it was kept, and Carrel's was not added`);
    return document;
  }
  return withGroups(document, event, [{ hooks: [{ type: 'command', command: part.command }] }]);
}

/** The user put together a group in which ours is one of several hooks. */
function isOurs(group: unknown, { command }: HookPart): boolean {
  if (!isObject(group) || !Array.isArray(group.hooks) || group.hooks.length !== 1) return false;
  const [hook] = group.hooks as readonly unknown[];
  return isObject(hook) && typeof hook.command === 'string' && hook.command.startsWith(command);
}

function withGroups(document: JsonObject, event: string, groups: readonly unknown[]): JsonObject {
  const { hooks, ...rest } = document;
  const { [event]: before, ...others } = (hooks ?? {}) as JsonObject;
  const after = groups.length > 0 ? { ...(hooks as JsonObject | undefined), [event]: groups } : others;
  if (Object.keys(after).length === 0) return rest;
  return { ...document, hooks: after };
}
