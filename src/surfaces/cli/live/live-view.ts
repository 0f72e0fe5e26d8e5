import type { LogLine } from '../../../domain/task/log-line.js';
import type { Task } from '../../../domain/task/task.js';
import type { TaskObserver } from '../../../domain/task/task-observer.js';
import type { Paint, Terminal } from '../terminal/output.js';
import { createLogFormatter } from '../views/task/log-lines.js';
import { createActivities } from './activities.js';
import { createPainter } from './painter.js';
import { renderTask } from './render-task.js';

/** A task on a terminal: its stages in a block that is repainted, and above it what has happened. */
export interface LiveView {
  readonly observer: TaskObserver;
  /** Prints whole lines from elsewhere above the block. */
  readonly print: (text: string) => void;
  /** Call ten times a second. Paints when something has changed or the clocks must advance. */
  readonly tick: () => void;
  /** Another program has the terminal until the next tick. */
  readonly pause: () => void;
  /** Paints the last frame and releases the terminal. Idempotent. */
  readonly close: () => void;
}

export interface LiveViewOptions {
  readonly terminal: Terminal;
  readonly paint: Paint;
  readonly now: () => number;
  /** Whether to print the output of agents as well. */
  readonly verbose: boolean;
}

const CLOCK_MS = 1000;

export function createLiveView(task: Task, { terminal, paint, now, verbose }: LiveViewOptions): LiveView {
  const painter = createPainter(terminal);
  const activities = createActivities();
  const formatLine = createLogFormatter(
    task.stages.map(stage => stage.name),
    paint,
  );
  let current = task;
  let [paintedAt, paintedWidth, hasNews] = [0, 0, true];
  // Kept until the next frame, so that an agent that prints a lot does not cause a repaint per line.
  let above = '';
  const print = (text: string) => {
    above += text;
    hasNews = true;
  };
  const repaint = () => {
    const [width, height] = [terminal.columns() - 1, terminal.rows() - 1];
    [paintedAt, paintedWidth, hasNews] = [now(), width, false];
    const frame = { activities: activities.current, width, height, now: now(), paint };
    painter.paint(renderTask(current, frame), above);
    above = '';
  };
  const onLine = (line: LogLine) => {
    activities.print(line);
    hasNews = true;
    if (line.stream === 'carrel' || (verbose && !line.isForPrograms)) print(`${formatLine(line)}\n`);
  };
  return {
    observer: {
      onChange: changed => {
        current = changed;
        hasNews = true;
      },
      onLine,
      onActivity: (stage, activity) => {
        activities.tell(stage, activity);
        hasNews = true;
      },
    },
    print,
    tick: () => {
      const isResized = terminal.columns() - 1 !== paintedWidth;
      if (hasNews || isResized || now() - paintedAt >= CLOCK_MS) repaint();
    },
    pause: painter.pause,
    close: () => {
      if (hasNews) repaint();
      painter.close();
    },
  };
}
