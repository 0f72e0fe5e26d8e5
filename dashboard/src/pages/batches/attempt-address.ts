export const attemptAddress = (run: string, taskId: string, attempt: number): string =>
  `/batches/${run}/${encodeURIComponent(taskId)}/${attempt}`;
