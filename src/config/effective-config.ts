import type { z } from 'zod';
import { defaultConfig } from './defaults.js';
import { mergeValues } from './merge-values.js';
import type { CarrelConfig, ConfigSchema } from './schema.js';

/** A configuration with every default filled in. Durations and sizes are still as written: `10m`, `512m`. */
export type EffectiveConfig = DeepReadonly<z.output<typeof ConfigSchema>>;

/** Fills in what a configuration leaves out. Shipped templates stay unless it changes them, key by key. */
export function getEffectiveConfig(config: CarrelConfig): EffectiveConfig {
  return mergeValues(defaultConfig, config) as EffectiveConfig;
}

type DeepReadonly<T> = T extends readonly (infer Item)[]
  ? readonly DeepReadonly<Item>[]
  : T extends object
    ? { readonly [Key in keyof T]: DeepReadonly<T[Key]> }
    : T;
