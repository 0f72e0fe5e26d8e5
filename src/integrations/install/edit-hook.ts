import type { ConfigPart, EditAction } from './config-file.js';
import { isObject, type JsonObject } from './edit-json.js';

type HookPart = Extract<ConfigPart, { readonly kind: 'hook' }>;

/** Adds or takes out a hook of Claude Code's settings, whatever options the user has given it since. */
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
    notes.push(`hooks.${event} is no list and was left as it is`);
    return document;
  }
  const others = groups.filter(group => !isOurs(group, part));
  if (action === 'remove') return withGroups(document, event, others);
  if (others.length < groups.length) return document;
  // Claude Code calls all of them, and two would make two worktrees.
  if (groups.length > 0) {
    notes.push(`there is another hook for ${event}; it was left as it is, and Carrel's was left out`);
    return document;
  }
  return withGroups(document, event, [{ hooks: [{ type: 'command', command: part.command }] }]);
}

/** A group of which ours is one of several hooks was put together by the user. */
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
