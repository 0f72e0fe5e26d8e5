import { join } from 'node:path';
import { createPsSource } from '../../../src/exec/process/ps-table.js';
import { runSystemProgram, type SystemProgram } from '../../../src/exec/process/system-program.js';
import { runProcess } from '../../../src/exec/run-process.js';

import type { Runtime } from '../../../src/runtime/runtime.js';
import { createSeatbeltRuntime, type SeatbeltRuntimeOptions } from '../../../src/runtime/seatbelt/runtime.js';
import { tempDir } from '../temp.js';

export const MACOS_FIXTURES = join(import.meta.dirname, '../../fixtures/macos');

/** The system's own `ps`, and a `sysctl` that answers as the one of macOS does: a small script. */
export const runAsMacos: SystemProgram = (program, args) =>
  runSystemProgram(program === 'sysctl' ? join(MACOS_FIXTURES, 'sysctl') : program, args);

/** Processes as a system without /proc shows them, on any machine. */
export const withoutProc = () => createPsSource(runAsMacos);

/**
 * A seatbelt that believes to be on macOS. Its sandbox-exec is a script that takes the same arguments and isolates
 * nothing, so only what is around it can be tested with it.
 */
export function createStandInSeatbelt(change: Partial<SeatbeltRuntimeOptions> = {}): Runtime {
  return createSeatbeltRuntime({
    run: runProcess,
    platform: 'darwin',
    program: join(MACOS_FIXTURES, 'sandbox-exec'),
    uid: process.getuid?.() ?? 0,
    hidden: ['/Users/me'],
    directory: tempDir(),
    ...change,
  });
}
