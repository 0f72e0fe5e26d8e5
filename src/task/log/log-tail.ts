/** Overhead of a line: stage, attempt and similar. */
const EXTRA_SIZE = 32;

/** The last lines of many, within a number of characters. */
export interface LogTail<Line> {
  add(line: Line, characters: number): void;
  /** The remaining lines, oldest first, and how much was dropped before them. */
  take(): {
    readonly lines: readonly Line[];
    readonly left: { readonly lines: number; readonly size: number };
  };
}

export function createLogTail<Line>(mostCharacters: number): LogTail<Line> {
  let kept: { readonly line: Line; readonly size: number }[] = [];
  let first = 0;
  let keptSize = 0;
  const left = { lines: 0, size: 0 };
  const letGo = (): void => {
    const size = kept[first++]?.size ?? 0;
    keptSize -= size;
    left.lines++;
    left.size += size - EXTRA_SIZE;
    // Shifting the array for every line would take minutes for a gigabyte of short lines.
    if (first < kept.length / 2) return;
    kept = kept.slice(first);
    first = 0;
  };
  return {
    add(line, characters) {
      const size = characters + EXTRA_SIZE;
      kept.push({ line, size });
      keptSize += size;
      while (keptSize > mostCharacters && kept.length - first > 1) letGo();
    },
    take: () => ({ lines: kept.slice(first).map(({ line }) => line), left }),
  };
}
