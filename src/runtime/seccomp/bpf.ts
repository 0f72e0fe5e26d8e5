/** One instruction of the kernel's classic packet filter (linux/bpf_common.h), which is what seccomp runs. */
export interface Instruction {
  readonly code: number;
  /** Instructions to skip when a comparison holds, and when not; at most 255. */
  readonly ifTrue: number;
  readonly ifFalse: number;
  readonly operand: number;
}

/** LD | W | ABS: the 32 bits at an offset of `struct seccomp_data` become the accumulator. */
export const LOAD = 0x20;
/** ALU | AND | K */
export const AND = 0x54;
/** JMP | JEQ | K */
export const JUMP_IF_EQUAL = 0x15;
/** JMP | JGE | K, unsigned */
export const JUMP_IF_AT_LEAST = 0x35;
/** JMP | JA: the one jump that can be far */
export const JUMP = 0x05;
/** RET | K */
export const RETURN = 0x06;

export const load = (offset: number): Instruction => plain(LOAD, offset);
export const and = (mask: number): Instruction => plain(AND, mask);
export const jump = (skip: number): Instruction => plain(JUMP, skip);
export const end = (action: number): Instruction => plain(RETURN, action);
export const unlessEqual = (value: number, skip: number): Instruction => ({
  code: JUMP_IF_EQUAL,
  ifTrue: 0,
  ifFalse: skip,
  operand: value,
});
export const unlessAtLeast = (value: number, skip: number): Instruction => ({
  code: JUMP_IF_AT_LEAST,
  ifTrue: 0,
  ifFalse: skip,
  operand: value,
});

function plain(code: number, operand: number): Instruction {
  return { code, ifTrue: 0, ifFalse: 0, operand };
}

/** As an array of `struct sock_filter`. Both architectures that there is a filter for are little-endian. */
export function encodeProgram(program: readonly Instruction[]): Buffer {
  const bytes = Buffer.alloc(program.length * 8);
  for (const [index, { code, ifTrue, ifFalse, operand }] of program.entries()) {
    bytes.writeUInt16LE(code, index * 8);
    bytes.writeUInt8(ifTrue, index * 8 + 2);
    bytes.writeUInt8(ifFalse, index * 8 + 3);
    bytes.writeUInt32LE(operand, index * 8 + 4);
  }
  return bytes;
}
