import { carrelError } from '../../domain/error/error.js';
import { createPortCheck } from './busy-ports.js';

/** Ports per workspace; a block starts at a multiple of this number. */
const BLOCK_SIZE = 10;

/**
 * Checking a port means binding it for a moment, so two processes that check one block at the same time both find it busy.
 * Blocks that seemed busy are therefore checked again before giving up.
 */
const PASSES = 3;

export interface PortRequest {
  readonly range: { readonly from: number; readonly to: number };
  /** First ports of the blocks that are known to be taken. */
  readonly taken: readonly number[];
  /** Records the block beginning at `first` as ours. False when another process was first. */
  readonly claim: (first: number, ports: number[]) => Promise<boolean>;
  /** Whether nothing listens on the port. */
  readonly isFree?: ((port: number) => Promise<boolean>) | undefined;
  /** A whole number in [0, limit). */
  readonly random: (limit: number) => number;
}

/**
 * Ten consecutive ports without a listener that no other workspace has. The search starts at a random block, so that
 * concurrent searches don't collide at the first one. NO_PORTS_LEFT when there is no such block.
 */
export async function claimPorts(request: PortRequest): Promise<number[]> {
  const taken = new Set(request.taken);
  let open = rotate(listBlocks(request.range), request.random).filter(first => !taken.has(first));
  for (let pass = 1; pass <= PASSES; pass++) {
    const isFree = request.isFree ?? createPortCheck();
    const busy: number[] = [];
    for (const first of open) {
      const ports = portsOf(first);
      if (!(await areAll(ports, isFree))) busy.push(first);
      else if (await request.claim(first, ports)) return ports;
    }
    open = busy;
  }
  throw carrelError('NO_PORTS_LEFT', request.range);
}

/** The ports as commands in the workspace see them. */
export function portVariables(ports: readonly number[]): Record<string, string> {
  const [first] = ports;
  if (first === undefined) return {};
  const numbered = ports.map((port, index) => [`CARREL_PORT_${index}`, `${port}`]);
  return {
    CARREL_PORT: `${first}`,
    ...Object.fromEntries(numbered),
    CARREL_PORTS: `${first}-${ports.at(-1)}`,
  };
}

function listBlocks(range: PortRequest['range']): number[] {
  const first = Math.ceil(range.from / BLOCK_SIZE) * BLOCK_SIZE;
  const count = Math.max(0, Math.floor((range.to + 1 - first) / BLOCK_SIZE));
  return Array.from({ length: count }, (_, index) => first + index * BLOCK_SIZE);
}

function rotate(blocks: readonly number[], random: (limit: number) => number): number[] {
  const start = blocks.length > 0 ? random(blocks.length) : 0;
  return [...blocks.slice(start), ...blocks.slice(0, start)];
}

const portsOf = (first: number): number[] => Array.from({ length: BLOCK_SIZE }, (_, index) => first + index);

async function areAll(
  ports: readonly number[],
  isFree: (port: number) => Promise<boolean>,
): Promise<boolean> {
  return (await Promise.all(ports.map(isFree))).every(Boolean);
}
