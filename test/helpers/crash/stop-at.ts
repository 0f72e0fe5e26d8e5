import type { App } from '../../../src/app.js';
import type { JournalKind } from '../../../src/domain/journal.js';
import type { Backend } from '../../../src/workspace/backend.js';

/** An operation of this process that waits after one of its steps until it is let go. */
export interface StoppedApp {
  /** Carrel whose operations stop there; only the first that gets there does. */
  readonly app: App;
  /** Settles when an operation is there. */
  readonly reached: Promise<void>;
  readonly letGo: () => void;
}

/** Stops where the step is in the journal, as a process that the machine gives no time to. */
export function stopAt(app: App, kind: JournalKind, step: string): StoppedApp {
  const { promise: reached, resolve: reach } = makeGate();
  const { promise: gone, resolve: letGo } = makeGate();
  const { journal } = app.store;
  const advance: typeof journal.advance = async (id, owner, to, data) => {
    await journal.advance(id, owner, to, data);
    const entry = (await journal.list()).find(found => found.id === id);
    if (to !== step || entry?.kind !== kind) return;
    reach();
    await gone;
  };
  // Some steps are written in a transaction, together with what they stand for.
  const atomically: App['store']['atomically'] = async action => {
    let isReached = false;
    const result = await app.store.atomically(async tables => {
      const note = async (id: string, to: string): Promise<void> => {
        const entry = (await tables.journal.list()).find(found => found.id === id);
        isReached ||= to === step && entry?.kind === kind;
      };
      const watched: typeof tables.journal = {
        ...tables.journal,
        advance: async (id, owner, to, data) => {
          await note(id, to);
          return tables.journal.advance(id, owner, to, data);
        },
        finish: async (id, owner) => {
          await note(id, 'done');
          return tables.journal.finish(id, owner);
        },
      };
      return action({ ...tables, journal: watched });
    });
    if (isReached) {
      reach();
      await gone;
    }
    return result;
  };
  const store = { ...app.store, atomically, journal: { ...journal, advance } };
  return { app: { ...app, store }, reached, letGo };
}

/** Where making a workspace can be stopped: most of its steps are not written to the journal. */
export const CREATION_STEPS = ['recorded', 'registered', 'populated', 'prepared', 'done'] as const;

/** The same for `up` and `restore`: around what makes the files, and around the change that says it is ready. */
export function stopCreationAt(app: App, step: string): StoppedApp {
  const [reached, gone] = [makeGate(), makeGate()];
  let isFilled = false;
  const passBy = async (passed: string): Promise<void> => {
    isFilled ||= passed === 'populated';
    if (passed !== step) return;
    reached.resolve();
    await gone.promise;
  };
  const stop = (backend: Backend): Backend => ({
    ...backend,
    create: async (record, hooks) => {
      await passBy('recorded');
      const onStep: typeof hooks.onStep = async to => {
        await hooks.onStep(to);
        await passBy(to);
      };
      return backend.create(record, { ...hooks, onStep });
    },
  });
  const { git, overlay, jj, direct, directory } = app.backends;
  const backends = {
    ...app.backends,
    git: stop(git),
    overlay: stop(overlay),
    jj: stop(jj),
    direct: stop(direct),
    directory: stop(directory),
  };
  const atomically: App['store']['atomically'] = async action => {
    const isLast = isFilled;
    if (isLast) await passBy('prepared');
    const result = await app.store.atomically(action);
    if (isLast) await passBy('done');
    return result;
  };
  const store = { ...app.store, atomically };
  return { app: { ...app, backends, store }, reached: reached.promise, letGo: gone.resolve };
}

/** Stops a snapshot that has claimed its workspace, before the first file is read. */
export function stopCaptureOf(app: App): StoppedApp {
  const [reached, gone] = [makeGate(), makeGate()];
  const { git } = app.backends;
  const { snapshots } = git;
  if (!snapshots) throw new Error('git workspaces can be snapshotted');
  const capture: typeof snapshots.capture = async (record, request) => {
    reached.resolve();
    await gone.promise;
    return snapshots.capture(record, request);
  };
  const backends = { ...app.backends, git: { ...git, snapshots: { ...snapshots, capture } } };
  return { app: { ...app, backends }, reached: reached.promise, letGo: gone.resolve };
}

export function makeGate(): { readonly promise: Promise<void>; readonly resolve: () => void } {
  let resolve = () => {};
  const promise = new Promise<void>(settle => {
    resolve = settle;
  });
  return { promise, resolve };
}
