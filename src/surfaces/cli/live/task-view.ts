import type { Task } from '../../../domain/task/task.js';
import type { TaskObserver } from '../../../domain/task/task-observer.js';
import type { Session } from '../cli-session.js';
import { createLogFormatter } from '../views/task/log-lines.js';
import { lookAfterTerminal } from './guard-cursor.js';
import { createLiveView, type LiveView } from './live-view.js';

/** The view of a running task: painted on a terminal, printed line by line in a pipe. */
export interface TaskView {
  readonly observer: TaskObserver;
  /** Idempotent. */
  readonly close: () => void;
}

export interface TaskViewOptions {
  /** Whether to print the output of agents, too. */
  readonly verbose: boolean;
}

export function openTaskView(session: Session, task: Task, { verbose }: TaskViewOptions): TaskView {
  const { terminal, narrationColors: paint, takeNarration } = session.output;
  if (!terminal) return { observer: createPlainObserver(session, task, verbose), close: () => undefined };
  const view = createLiveView(task, { terminal, paint, now: Date.now, verbose });
  const giveBack = [keepPainting(view), takeNarration(view.print), lookAfterTerminal(view)];
  return {
    observer: view.observer,
    close: () => {
      view.close();
      for (const undo of giveBack) undo();
    },
  };
}

/** Ten frames a second look smooth; more only cost CPU. */
const FRAME_MS = 100;

function keepPainting(view: LiveView): () => void {
  const timer = setInterval(view.tick, FRAME_MS);
  return () => clearInterval(timer);
}

function createPlainObserver({ output }: Session, { stages }: Task, verbose: boolean): TaskObserver {
  const names = stages.map(stage => stage.name);
  const format = createLogFormatter(names, output.narrationColors);
  return {
    onLine: line => {
      if (line.stream === 'carrel' || (verbose && !line.isForPrograms)) output.narrateBlock(format(line));
    },
  };
}
