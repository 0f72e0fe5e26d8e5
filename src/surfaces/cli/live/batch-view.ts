import type { BatchObserver, BatchProgress } from '../../../batch/batch-observer.js';
import type { BatchPlan } from '../../../domain/batch/batch-run.js';
import type { Session } from '../cli-session.js';
import type { Paint, Terminal } from '../terminal/output.js';
import { formatAttemptLine } from '../views/eval/eval-attempt.js';
import { lookAfterTerminal } from './guard-cursor.js';
import { createPainter } from './painter.js';
import { renderBatch } from './render-batch.js';

/** The view of a running batch: painted on a terminal, printed line by line in a pipe. */
export interface BatchView {
  readonly observer: BatchObserver;
  /** Idempotent. */
  readonly close: () => void;
}

/** Ten frames a second look smooth; more only cost CPU. */
const FRAME_MS = 100;

export function openBatchView(session: Session, plan: BatchPlan): BatchView {
  const { terminal, narrationColors: paint, narrateBlock, takeNarration } = session.output;
  if (!terminal)
    return {
      observer: { onAttempt: attempt => narrateBlock(formatAttemptLine(attempt, paint)) },
      close: () => undefined,
    };
  const view = createBatchPicture(plan, { terminal, paint, now: Date.now });
  const timer = setInterval(view.tick, FRAME_MS);
  const giveBack = [
    () => clearInterval(timer),
    takeNarration(view.print),
    lookAfterTerminal(view),
    // A blank line before the answer.
    () => terminal.write('\n'),
  ];
  return {
    observer: view.observer,
    close: () => {
      view.close();
      for (const undo of giveBack.splice(0)) undo();
    },
  };
}

interface BatchPicture extends BatchView {
  /** Prints whole lines from elsewhere above the block. */
  readonly print: (text: string) => void;
  /** Call ten times a second. Paints when something has changed or the clocks must advance. */
  readonly tick: () => void;
  readonly pause: () => void;
}

interface PictureOptions {
  readonly terminal: Terminal;
  readonly paint: Paint;
  readonly now: () => number;
}

const CLOCK_MS = 1000;

/** Finished attempts scroll by; a block below them, which is repainted, shows the progress of the batch. */
export function createBatchPicture(plan: BatchPlan, { terminal, paint, now }: PictureOptions): BatchPicture {
  const painter = createPainter(terminal);
  let progress: BatchProgress | undefined;
  let above = '';
  let [paintedAt, paintedWidth, hasNews] = [0, 0, false];
  const repaint = () => {
    const [width, height] = [terminal.columns() - 1, terminal.rows() - 1];
    [paintedAt, paintedWidth, hasNews] = [now(), width, false];
    painter.paint(progress ? renderBatch(progress, plan, { width, height, now: now(), paint }) : [], above);
    above = '';
  };
  const print = (text: string) => {
    above += text;
    hasNews = true;
  };
  return {
    observer: {
      onChange: changed => {
        progress = changed;
        hasNews = true;
      },
      onAttempt: attempt => print(`${formatAttemptLine(attempt, paint)}\n`),
    },
    print,
    tick: () => {
      const isResized = progress !== undefined && terminal.columns() - 1 !== paintedWidth;
      const isOld = progress !== undefined && now() - paintedAt >= CLOCK_MS;
      if (hasNews || isResized || isOld) repaint();
    },
    pause: painter.pause,
    close: () => {
      if (hasNews) repaint();
      painter.close();
    },
  };
}
