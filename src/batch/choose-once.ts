import type { Context } from '../operations/context.js';
import type { RuntimeChoice, RuntimeWish } from '../sandbox/choose-runtime.js';
import type { Sandboxes } from '../sandbox/sandboxes.js';

/**
 * The context of a batch, which tries out once which runtime works here, and not for each of a thousand workspaces: a
 * sandbox is started for it, 30 ms. Nothing rests on it but which one is named in the workspace: every command proves
 * for itself that it runs inside, and fails where it can't. That none works is found out anew each time.
 */
export function chooseOnce(context: Context): Context {
  const choices = new Map<string, Promise<RuntimeChoice>>();
  return {
    ...context,
    sandboxes: async () => {
      const sandboxes = await context.sandboxes();
      return { ...sandboxes, choose: wish => choose(sandboxes, choices, wish) };
    },
  };
}

async function choose(
  sandboxes: Sandboxes,
  choices: Map<string, Promise<RuntimeChoice>>,
  wish: RuntimeWish,
): Promise<RuntimeChoice> {
  const key = `${wish.runtime} ${wish.wantsImage}`;
  const choosing = choices.get(key) ?? sandboxes.choose(wish);
  choices.set(key, choosing);
  try {
    const choice = await choosing;
    if (choice.runtime === null) choices.delete(key);
    return choice;
  } catch (error) {
    choices.delete(key);
    throw error;
  }
}
