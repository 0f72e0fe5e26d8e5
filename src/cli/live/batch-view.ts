import type { BatchObserver, BatchProgress } from '../../batch/observer.js';
import type { BatchPlan } from '../../domain/batch-run.js';
import type { Session } from '../session.js';
import { formatAttemptLine } from '../views/eval-attempt.js';
import { createPainter } from './painter.js';
import { renderBatch } from './render-batch.js';

/** Where a batch is followed: painted on a terminal, told line by line in a pipe. */
export interface BatchView {
  readonly observer: BatchObserver;
  /** Idempotent. */
  readonly close: () => void;
}

const FRAME_MS = 100;
const CLOCK_MS = 1000;

export function openBatchView(session: Session, plan: BatchPlan): BatchView {
  const { terminal, narrationColors: paint, narrateBlock } = session.output;
  if (!terminal)
    return {
      observer: { onAttempt: attempt => narrateBlock(formatAttemptLine(attempt, paint)) },
      close: () => undefined,
    };
  const painter = createPainter(terminal);
  let progress: BatchProgress | undefined;
  let above = '';
  let [paintedAt, hasNews] = [0, false];
  const repaint = () => {
    if (!progress) return;
    const width = terminal.columns() - 1;
    painter.paint(renderBatch(progress, plan, { width, now: Date.now(), paint }), above);
    above = '';
    [paintedAt, hasNews] = [Date.now(), false];
  };
  const timer = setInterval(() => {
    if (hasNews || Date.now() - paintedAt >= CLOCK_MS) repaint();
  }, FRAME_MS);
  const giveBack = session.output.takeNarration(text => {
    above += text;
    hasNews = true;
  });
  const close = () => {
    clearInterval(timer);
    giveBack();
    repaint();
    painter.close();
    process.off('exit', painter.close);
  };
  process.on('exit', painter.close);
  return {
    observer: {
      onChange: changed => {
        progress = changed;
        hasNews = true;
      },
      onAttempt: attempt => {
        above += `${formatAttemptLine(attempt, paint)}\n`;
        hasNews = true;
      },
    },
    close,
  };
}
