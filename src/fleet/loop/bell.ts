/** Wakes one waiting caller. A ring while no caller waits is kept, so that none is missed. */
export interface Bell {
  ring(): void;
  /** Returns at the next ring, or after `longestMs`. */
  wait(longestMs: number): Promise<void>;
}

export function createBell(): Bell {
  let hasRung = false;
  let wake: (() => void) | undefined;
  return {
    ring: () => {
      hasRung = true;
      wake?.();
    },
    wait: async longestMs => {
      if (!hasRung) {
        await new Promise<void>(resolve => {
          const timer = setTimeout(resolve, longestMs);
          wake = () => {
            clearTimeout(timer);
            resolve();
          };
        });
        wake = undefined;
      }
      hasRung = false;
    },
  };
}
