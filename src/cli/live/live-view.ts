import type { LogLine } from '../../domain/log-line.js';
import type { Task } from '../../domain/task.js';
import type { TaskObserver } from '../../task/observer.js';
import type { Paint, Terminal } from '../output.js';
import { createLogFormatter } from '../views/log-lines.js';
import { createActivities } from './activities.js';
import { createPainter } from './painter.js';
import { renderTask } from './render-task.js';

/** A task on a terminal: its stages in a block that is painted anew, and above it what has happened. */
export interface LiveView {
  readonly observer: TaskObserver;
  /** Whole lines from elsewhere, to be shown above. */
  readonly print: (text: string) => void;
  /** To be called ten times a second: paints when something has changed, or when the clocks have to move on. */
  readonly tick: () => void;
  /** Somebody else has the terminal until the next tick. */
  readonly pause: () => void;
  /** Paints what there is to paint and gives the terminal back. Idempotent. */
  readonly close: () => void;
}

export interface LiveViewOptions {
  readonly terminal: Terminal;
  readonly paint: Paint;
  readonly now: () => number;
  /** Whether the output of agents scrolls by as well. */
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
  // Until the next picture: an agent that prints a lot must not be painted for every line.
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
