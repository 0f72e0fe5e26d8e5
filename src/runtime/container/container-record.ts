import { mkdir, readdir, readFile, rename, rm, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { ignoreMissing } from '../../domain/error.js';
import type { ProcessIdentity } from '../../domain/process-identity.js';

/**
 * What is known of a workspace's container without asking the engine, which takes longer than many a command. Written
 * before the container exists, so that there is none without a record.
 */
export interface ContainerRecord {
  /** Undefined while it is being made. */
  readonly container?: RunningContainer | undefined;
}

export interface RunningContainer {
  /** The engine's id of it. */
  readonly id: string;
  /** Of the arguments that it was made with. */
  readonly policyHash: string;
  /** Its first process, as this machine sees it; undefined when it runs elsewhere (in a virtual machine). */
  readonly main: ProcessIdentity | undefined;
}

/** The records of one engine, a file each. */
export interface ContainerRecords {
  find(workspaceId: string): Promise<ContainerRecord | undefined>;
  put(workspaceId: string, record: ContainerRecord): Promise<void>;
  remove(workspaceId: string): Promise<void>;
  list(): Promise<string[]>;
}

const SUFFIX = '.json';

export function openContainerRecords(directory: string, unique: () => string): ContainerRecords {
  const fileOf = (workspaceId: string) => join(directory, `${workspaceId}${SUFFIX}`);
  return {
    find: async workspaceId => parse(await readFile(fileOf(workspaceId), 'utf8').catch(ignoreMissing)),
    put: (workspaceId, record) => replaceFile(fileOf(workspaceId), JSON.stringify(record), unique()),
    remove: workspaceId => rm(fileOf(workspaceId), { force: true }),
    list: async () => {
      const names = (await readdir(directory).catch(ignoreMissing)) ?? [];
      return names.filter(name => name.endsWith(SUFFIX)).map(name => name.slice(0, -SUFFIX.length));
    },
  };
}

/** Whoever reads at the same time sees the old or the new, never a half. */
export async function replaceFile(file: string, text: string, unique: string): Promise<void> {
  await mkdir(dirname(file), { recursive: true, mode: 0o700 });
  const fresh = `${file}.${unique}`;
  await writeFile(fresh, text, { mode: 0o600 });
  await rename(fresh, file);
}

/** A file that says nothing (the machine lost its power) is one of a container that is not known. */
function parse(text: string | undefined): ContainerRecord | undefined {
  if (text === undefined) return undefined;
  try {
    return JSON.parse(text);
  } catch {
    return {};
  }
}
