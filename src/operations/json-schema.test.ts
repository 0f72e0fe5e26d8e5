import { expect, it } from 'vitest';
import { jsonSchema, schemaNames } from './json-schema.js';

it('has every shape of the contract', () => {
  const contract =
    'workspace workspace-details workspaces snapshot snapshots removal landing command-result gc doctor init';
  const names = [
    ...contract.split(' '),
    ...'trust config config-report workflow event error path'.split(' '),
  ];
  expect(schemaNames()).toEqual(expect.arrayContaining(names));
});

it.each(schemaNames())('gives %s as a JSON Schema with a title', name => {
  const schema = jsonSchema(name);
  expect(schema).toMatchObject({
    $schema: 'https://json-schema.org/draft/2020-12/schema',
    title: expect.any(String),
    type: expect.stringMatching(/^(object|array)$/),
  });
  expect(findDangling(schema), 'dangling references').toEqual([]);
});

it('requires nothing that has a default in files, and everything in answers', () => {
  expect(jsonSchema('config')).not.toHaveProperty('required');
  expect(jsonSchema('workspace')).toMatchObject({
    required: expect.arrayContaining(['id', 'name', 'path', 'warnings']),
  });
});

it('suggests the nearest name for an unknown one', () => {
  expect(() => jsonSchema('snapshto')).toThrow(
    expect.objectContaining({ code: 'UNKNOWN_SCHEMA', hint: 'carrel schema snapshot' }),
  );
  expect(() => jsonSchema('constructor')).toThrow(expect.objectContaining({ code: 'UNKNOWN_SCHEMA' }));
});

function findDangling(schema: object): string[] {
  const text = JSON.stringify(schema);
  const references = [...text.matchAll(/"\$ref":"#\/\$defs\/([^"]+)"/g)].map(match => match[1] as string);
  const definitions = Object.keys((schema as { $defs?: object }).$defs ?? {});
  return references.filter(name => !definitions.includes(name));
}
