import fc from 'fast-check';
import { expect, test } from 'vitest';
import { isCarrelError } from '../../domain/error/error.js';
import { WorkflowDefinitionSchema } from '../../domain/workflow/workflow.js';
import { checkConfigFiles } from '../precedence/check-config-files.js';
import { parseYaml } from './parse-yaml.js';
import { requireValid } from './validate-yaml.js';

/** Fragments of YAML and of the configuration, in any order. */
const piece = fc.constantFrom(
  ...[
    'isolation',
    'default',
    'overrides',
    'workspace',
    'ports',
    'from',
    'templates',
    'claude',
    'environment',
    'stages',
  ],
  ...[
    'full',
    '5',
    '1.5',
    'true',
    'null',
    '~',
    '.inf',
    '0x1F',
    '10m',
    '__proto__',
    'constructor',
    'toString',
    '<<',
  ],
  ...[
    ':',
    ': ',
    '- ',
    '? ',
    ', ',
    '[',
    ']',
    '{',
    '}',
    '"',
    "'",
    '|',
    '>',
    '&a ',
    '*a',
    '!!map ',
    '!x ',
    '#',
    ' # ',
  ],
  ...[
    '\n',
    '\n  ',
    '\n    ',
    '\n\t',
    '\r\n',
    '---\n',
    '...\n',
    '%YAML 1.1\n',
    '\\',
    '\u0000',
    '\ufeff',
    '\u2028',
    '😀',
    'é',
  ],
);
const yamlish = fc.oneof(
  fc.array(piece, { maxLength: 40 }).map(pieces => pieces.join('')),
  fc.string({ unit: 'binary', maxLength: 60 }),
  fc.json(),
);

/** True, or the thrown error when it is not a CarrelError. */
function endsWell(action: () => unknown): true | unknown {
  try {
    action();
    return true;
  } catch (error) {
    return isCarrelError(error) || error;
  }
}

test('every text makes the configuration load or fail with a CarrelError', () => {
  fc.assert(
    fc.property(yamlish, yamlish, (user, repository) => {
      const texts = [user, repository].map((text, index) => ({ file: `${index}.yaml`, text })) as [
        never,
        never,
      ];
      expect(endsWell(() => checkConfigFiles(...texts, null))).toBe(true);
    }),
    { numRuns: 1000 },
  );
});

test('every text makes a workflow load or fail with a CarrelError', () => {
  fc.assert(
    fc.property(yamlish, text => {
      const parse = () => requireValid(WorkflowDefinitionSchema, parseYaml({ file: 'w.yaml', text }));
      expect(endsWell(parse)).toBe(true);
    }),
    { numRuns: 500 },
  );
});

test('a key called __proto__ is a key like any other and changes no prototype', () => {
  const text = '"__proto__":\n  polluted: true\n';
  expect(endsWell(() => checkConfigFiles({ file: 'u', text }, { file: 'r', text }, null))).toBe(true);
  expect(({} as Record<string, unknown>).polluted).toBeUndefined();
});

test('positions count lines and columns from 1, even after an alias and in a file with Windows line endings', () => {
  const file = parseYaml({ file: 'x', text: 'a:\r\n  b: [1, two]\r\nc: &c {d: 1}\r\ne: *c\r\nf:\r\n' });
  expect(file.positionOf(['a', 'b', 1])).toEqual({ line: 2, column: 10 });
  expect(file.keyPositionOf(['a', 'b'])).toEqual({ line: 2, column: 3 });
  expect(file.positionOf(['e', 'd'])).toEqual({ line: 4, column: 4 });
  expect(file.positionOf(['f'])).toEqual({ line: 5, column: 1 });
  expect(file.positionOf(['a', 'missing'])).toEqual({ line: 2, column: 3 });
});
