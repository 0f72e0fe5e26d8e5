import { open } from 'node:fs/promises';

export type ProgramFormat = 'elf' | 'mach-o' | 'other';

/** The kind of program, by the first bytes of the file: Linux, macOS, or a script or anything else. */
export async function readFormat(file: string): Promise<ProgramFormat> {
  const handle = await open(file);
  try {
    const { buffer } = await handle.read(Buffer.alloc(4), 0, 4, 0);
    return FORMATS[buffer.toString('hex')] ?? 'other';
  } finally {
    await handle.close();
  }
}

/** A universal program of macOS starts like a Java class file, which no program directory contains. */
const FORMATS: Readonly<Record<string, ProgramFormat>> = {
  '7f454c46': 'elf',
  cffaedfe: 'mach-o',
  cafebabe: 'mach-o',
  cafebabf: 'mach-o',
};
