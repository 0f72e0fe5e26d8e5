import { expect, test } from 'vitest';
import { z } from 'zod';
import { ConfigSchema } from '../config-schema.js';
import { getEffectiveConfig } from '../effective-config.js';
import { userOnlyKeys } from '../precedence/user-only-settings.js';
import { defaultConfig } from './defaults.js';
import { shippedTemplates } from './shipped-templates.js';

test("the plain defaults are the schema's defaults and the shipped templates", () => {
  expect(defaultConfig).toEqual({ ...ConfigSchema.parse({}), templates: shippedTemplates });
});

test('the built-in templates are valid configuration, and those of agents request a sandbox', () => {
  expect(ConfigSchema.parse({ templates: shippedTemplates }).templates).toEqual(shippedTemplates);
  const modes = Object.entries(shippedTemplates).map(([name, template]) => [
    name,
    'isolation' in template ? template.isolation : undefined,
  ]);
  expect(Object.fromEntries(modes)).toEqual({
    claude: 'full',
    codex: 'full',
    gemini: 'full',
    shell: undefined,
  });
});

test('missing settings are filled in', () => {
  expect(getEffectiveConfig({}).isolation).toEqual({
    default: 'worktree',
    overrides: {},
    onUnavailable: 'degrade',
  });
  const config = getEffectiveConfig({ isolation: { default: 'full', overrides: undefined } });
  expect(config.isolation).toEqual({ default: 'full', overrides: {}, onUnavailable: 'degrade' });
});

test('filling in gives the same result as the schema for any configuration', () => {
  const written = {
    workspace: { ports: { from: 30_000, to: 31_000 }, setup: ['make'] },
    isolation: { overrides: { a: 'full' } },
  } as const;
  const { templates, ...effective } = getEffectiveConfig({
    ...written,
    workspace: { ...written.workspace, setup: ['make'] },
  });
  const { templates: _, ...parsed } = ConfigSchema.parse(written);
  expect(templates).toEqual(shippedTemplates);
  expect(effective).toEqual(parsed);
});

test('every key of the configuration has a description', () => {
  const properties = listProperties(configSchema, '');
  expect(properties.length).toBeGreaterThan(40);
  expect(properties.filter(([, schema]) => !schema.description).map(([key]) => key)).toEqual([]);
});

test('a key that only the user may set says so in its description', () => {
  const properties = new Map(listProperties(configSchema, ''));
  const descriptions = userOnlyKeys.map(key => properties.get(key)?.description);
  expect(descriptions.filter(text => !text?.endsWith("in the user's file only"))).toEqual([]);
});

interface JsonSchema {
  readonly description?: string;
  readonly properties?: Readonly<Record<string, JsonSchema>>;
  readonly additionalProperties?: JsonSchema | boolean;
  readonly $ref?: string;
}

const definitions = z.toJSONSchema(ConfigSchema, { io: 'input' }).$defs as Record<string, JsonSchema>;
const configSchema = definitions.config as JsonSchema;

/** Every key by its dotted name, `*` for any name. */
function listProperties(schema: JsonSchema, prefix: string): [string, JsonSchema][] {
  const own = Object.entries(schema.properties ?? {}).map(([key, child]): [string, JsonSchema] => [
    prefix + key,
    child,
  ]);
  const below = own.flatMap(([key, child]) => listProperties(child, `${key}.`));
  const any = schema.additionalProperties;
  const named = schema.$ref && definitions[schema.$ref.replace('#/$defs/', '')];
  return [
    ...own,
    ...below,
    ...(typeof any === 'object' ? listProperties(any, `${prefix}*.`) : []),
    ...(named ? listProperties(named, prefix) : []),
  ];
}
