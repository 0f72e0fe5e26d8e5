import { spawnSync } from 'node:child_process';
import { expect, test } from 'vitest';
import { parseAllDocuments } from 'yaml';
import { formatTemplate } from './worker-templates.js';

const values = { key: `ed25519:${'A'.repeat(43)}`, slots: 2 };

test('the Kubernetes manifest is a deployment whose pods run a worker as an ordinary user', () => {
  const [document, ...others] = parseAllDocuments(formatTemplate('kubernetes', values));
  expect(others).toEqual([]);
  expect(document?.errors).toEqual([]);
  const { kind, spec } = document?.toJS() ?? {};
  expect(kind).toBe('Deployment');
  expect(spec.selector.matchLabels).toEqual(spec.template.metadata.labels);
  const [container] = spec.template.spec.containers;
  expect([...container.command, ...container.args].join(' ')).toBe(
    `carrel worker --slots 2 --label kubernetes --accept-key ${values.key}`,
  );
  expect(spec.template.spec.securityContext.runAsNonRoot).toBe(true);
  const mounts = container.volumeMounts.map(({ name }: { name: string }) => name);
  expect(spec.template.spec.volumes.map(({ name }: { name: string }) => name)).toEqual(mounts);
});

test('the Slurm script is valid for a shell, and its directives come first', () => {
  const text = formatTemplate('slurm', values);
  expect(spawnSync('sh', ['-n'], { input: text, encoding: 'utf8' })).toMatchObject({ status: 0, stderr: '' });
  const [directives = '', commands = ''] = text.split('\nset -eu\n');
  expect(directives).toContain('\n#SBATCH --array=1-10\n');
  expect(commands).not.toContain('#SBATCH');
});

test('the systemd unit has sections of assignments', () => {
  const lines = formatTemplate('systemd', values).split('\n');
  const other = lines.filter(line => !/^(#.*|\[(Unit|Service|Install)\]|[A-Z][A-Za-z]+=.+|)$/.test(line));
  expect(other).toEqual([]);
});
