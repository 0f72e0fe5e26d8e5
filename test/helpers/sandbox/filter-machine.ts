import {
  AND,
  JUMP,
  JUMP_IF_AT_LEAST,
  JUMP_IF_EQUAL,
  LOAD,
  RETURN,
} from '../../../src/runtime/seccomp/bpf.js';

export interface SystemCall {
  readonly architecture: number;
  readonly number: number;
  readonly args?: readonly bigint[];
}

/** What the kernel does with a classic filter program, step by step; fails where the kernel would refuse to load it. */
export function runFilter(program: Buffer, call: SystemCall): number {
  const data = describeCall(call);
  let accumulator = 0;
  for (let at = 0; at * 8 < program.length; at++) {
    const code = program.readUInt16LE(at * 8);
    const [ifTrue, ifFalse] = [program.readUInt8(at * 8 + 2), program.readUInt8(at * 8 + 3)];
    const operand = program.readUInt32LE(at * 8 + 4);
    if (code === RETURN) return operand;
    if (code === LOAD) accumulator = data.readUInt32LE(operand);
    else if (code === AND) accumulator = (accumulator & operand) >>> 0;
    else if (code === JUMP) at += operand;
    else if (code === JUMP_IF_EQUAL) at += accumulator === operand ? ifTrue : ifFalse;
    else if (code === JUMP_IF_AT_LEAST) at += accumulator >= operand ? ifTrue : ifFalse;
    else throw new Error(`instruction ${at} is none: ${code}`);
  }
  throw new Error('ran past the end of the program');
}

/** `struct seccomp_data`, little-endian. */
function describeCall({ architecture, number, args = [] }: SystemCall): Buffer {
  const data = Buffer.alloc(64);
  data.writeUInt32LE(number, 0);
  data.writeUInt32LE(architecture, 4);
  for (const [index, value] of args.entries()) data.writeBigUInt64LE(value, 16 + 8 * index);
  return data;
}
