import { mkdir, readdir, readFile, rm } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { ignoreMissing } from '../../../domain/error/error.js';
import type { ProcessIdentity } from '../../../domain/process-identity.js';
import { replaceFile } from '../../../exec/filesystem/replace-file.js';

/**
 * What is known about a workspace's container without asking the engine, which takes longer than many commands. Written
 * before the container exists, so that none exists without a record.
 */
export interface ContainerRecord {
  /** Undefined while it is being made. */
  readonly container?: RunningContainer | undefined;
}

export interface RunningContainer {
  /** The engine's id for it. */
  readonly id: string;
  /** A hash of the arguments that it was created with. */
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

export function openContainerRecords(directory: string): ContainerRecords {
  const fileOf = (workspaceId: string) => join(directory, `${workspaceId}${SUFFIX}`);
  return {
    find: async workspaceId => parse(await readFile(fileOf(workspaceId), 'utf8').catch(ignoreMissing)),
    put: (workspaceId, record) => putFile(fileOf(workspaceId), JSON.stringify(record)),
    remove: workspaceId => rm(fileOf(workspaceId), { force: true }),
    list: async () => {
      const names = (await readdir(directory).catch(ignoreMissing)) ?? [];
      return names.filter(name => name.endsWith(SUFFIX)).map(name => name.slice(0, -SUFFIX.length));
    },
  };
}

export async function putFile(file: string, text: string): Promise<void> {
  await mkdir(dirname(file), { recursive: true, mode: 0o700 });
  await replaceFile(file, text, 0o600);
}

/** An empty file (after a power cut) belongs to an unknown container. */
function parse(text: string | undefined): ContainerRecord | undefined {
  if (text === undefined) return undefined;
  try {
    return JSON.parse(text);
  } catch {
    return {};
  }
}
