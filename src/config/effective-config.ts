import type { z } from 'zod';
import type { CarrelConfig, ConfigSchema } from './config-schema.js';
import { defaultConfig } from './defaults/defaults.js';
import { mergeValues } from './files/merge-values.js';

/** A configuration with every default filled in. Durations and sizes stay as written: `10m`, `512m`. */
export type EffectiveConfig = DeepReadonly<z.output<typeof ConfigSchema>>;

/** Fills in missing settings. Built-in templates stay unless the configuration changes them, key by key. */
export function getEffectiveConfig(config: CarrelConfig): EffectiveConfig {
  return mergeValues(defaultConfig, config) as EffectiveConfig;
}

type DeepReadonly<T> = T extends readonly (infer Item)[]
  ? readonly DeepReadonly<Item>[]
  : T extends object
    ? { readonly [Key in keyof T]: DeepReadonly<T[Key]> }
    : T;
