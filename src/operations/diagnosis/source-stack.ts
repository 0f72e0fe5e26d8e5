import { readFileSync } from 'node:fs';
import { SourceMap } from 'node:module';
import { fileURLToPath } from 'node:url';

/**
 * The stack of an error, with `src/FILE.ts:LINE` for each frame of Carrel's own code. The build leaves a map next to each
 * bundle. Maps are read here and not when a program starts: that would slow down every command.
 */
export function sourceStack(error: Error): string {
  const findMap = createMapReader();
  return (error.stack ?? error.message).replaceAll(FRAME, (frame, before, file, line, column, after) => {
    const entry = findMap(file)?.findEntry(line - 1, column - 1);
    // Code of packages that are part of the bundle has no entry.
    if (!entry || !('originalSource' in entry) || !entry.originalSource) return frame;
    return `${before}${withinPackage(entry.originalSource)}:${entry.originalLine + 1}${after}`;
  });
}

/** `    at NAME (FILE:LINE:COLUMN)`, or without a name and parentheses. */
const FRAME = /^( +at (?:async |.*\()?)((?:file:\/\/)?\/.*\.c?js):(\d+):(\d+)(\)?)$/gm;

type FindMap = (file: string) => SourceMap | undefined;

function createMapReader(): FindMap {
  const known = new Map<string, SourceMap | undefined>();
  return file => {
    if (!known.has(file)) known.set(file, readMap(file));
    return known.get(file);
  };
}

function readMap(file: string): SourceMap | undefined {
  try {
    const path = file.startsWith('file:') ? fileURLToPath(file) : file;
    return new SourceMap(JSON.parse(readFileSync(`${path}.map`, 'utf8')));
  } catch {
    return undefined;
  }
}

/** Maps name sources from where they are themselves: `../src/…`, `../../src/…`. */
function withinPackage(source: string): string {
  return source.replace(/^(\.\.\/)+/, '');
}
