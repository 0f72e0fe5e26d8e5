import { describe, expect, test } from 'vitest';
import { usePrograms } from '../../../test/helpers/machine/programs.js';
import { needProgram } from '../../../test/parts/required-part.js';

describe('when Carrel was started with an open file', () => {
  const start = usePrograms({
    modules: { run: 'src/exec/run-process.ts' },
    imports: "import { runProcess } from './run.js';",
    launcher: ['bash', '-c', 'exec 77</etc/passwd; exec "$@"', 'bash'],
  });

  const LIST = `
    const env = { PATH: '/usr/bin:/bin' };
    const list = async more => {
      const result = await runProcess({ command: 'ls', args: ['-l', '/proc/self/fd'], cwd: '/', env, ...more });
      return result.stdout.toString().split('\\n').find(line => line.includes(' 77 -> '))?.split(' -> ')[1];
    };
    print('plain ' + (await list({})));
    print('covered ' + (await list({ descriptors: [] })));
  `;

  test('a child inherits it, unless the descriptors of the child are listed', async () => {
    needProgram('bash');
    const program = start(LIST);
    expect(await program.printed('plain')).toBe('/etc/passwd');
    expect(await program.printed('covered')).toBe('/dev/null');
    expect((await program.ended).status).toBe(0);
  });
});
