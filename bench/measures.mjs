import { measureBatch } from './measures/batch.mjs';
import { measureCommandStart } from './measures/command-start.mjs';
import { measureInclude } from './measures/include.mjs';
import { measureListing } from './measures/listing.mjs';
import { measureParallel } from './measures/parallel.mjs';
import { measureProcesses } from './measures/processes.mjs';
import { measureProviderReset } from './measures/provider-reset.mjs';
import { measureReset } from './measures/reset.mjs';
import { measureSandbox } from './measures/sandbox.mjs';
import { measureWorkspace } from './measures/workspace.mjs';

/** By name: on which repositories each is measured (`quick` where fewer), and how. */
export const measures = {
  start: { sizes: ['S'], measure: measureCommandStart },
  processes: { sizes: ['S'], measure: measureProcesses },
  workspace: { sizes: ['S', 'M', 'L'], measure: measureWorkspace },
  reset: { sizes: ['S', 'M', 'L'], measure: measureReset },
  provider: { sizes: ['S', 'M', 'L'], measure: measureProviderReset },
  parallel: { sizes: ['S', 'M'], quick: ['S'], measure: measureParallel },
  list: { sizes: ['S'], measure: measureListing },
  batch: { sizes: ['S', 'M'], measure: measureBatch },
  sandbox: { sizes: ['S', 'M', 'L'], quick: ['S', 'M'], measure: measureSandbox },
  include: { sizes: ['M+ignored'], quick: [], measure: measureInclude },
};

/** The ignored tree belongs to the middle repository: who leaves that out leaves out this. */
export const baseSizeOf = size => size.split('+')[0];
