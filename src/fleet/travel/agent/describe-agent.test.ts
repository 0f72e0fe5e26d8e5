import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { stringify } from 'yaml';
import { type Machine, openMachine } from '../../../../test/helpers/fleet/travel-bench.js';
import { writeFiles } from '../../../../test/helpers/repository.js';
import { tempDir } from '../../../../test/helpers/temp.js';
import { type AgentChoice, resolveEvalAgent } from '../../../batch/agents/resolve-eval-agent.js';
import { describeAgent } from './describe-agent.js';
import { openDescribedAgent } from './open-described-agent.js';

const SECRET = 'k-2f9d8e7c6b5a4f3e2d1c';

async function openConfigured(agents: object, variables: Record<string, string> = {}): Promise<Machine> {
  const home = tempDir();
  writeFiles(home, { 'config/carrel/config.yaml': stringify({ agents }) });
  return openMachine({ ...variables, XDG_CONFIG_HOME: join(home, 'config') });
}

const describe = async ({ context }: Machine, choice: AgentChoice) => {
  const agent = await resolveEvalAgent(context, choice, {
    repositoryRoot: null,
    model: 'm1',
    isInImage: true,
  });
  return { agent, ...(await describeAgent(context, agent)) };
};

const noFile = async (): Promise<string> => {
  throw new Error('expected no file');
};

test('a configured agent has the same fingerprint on another machine, with the secret of that machine', async () => {
  const submitter = await openConfigured({
    mine: { command: 'printenv', environment: { MY_API_KEY: SECRET, MODE: 'fast' }, hosts: ['a.example'] },
  });
  const { agent, description } = await describe(submitter, 'mine');
  expect(JSON.stringify(description)).not.toContain(SECRET);
  expect(description).toMatchObject({
    kind: 'program',
    secrets: ['MY_API_KEY'],
    settings: { environment: { MODE: 'fast' } },
    needs: { hosts: ['a.example'], keys: ['MY_API_KEY'], programs: [] },
  });
  const worker = await openMachine({ MY_API_KEY: 'another-secret' });
  const opened = await openDescribedAgent(worker.context, description, {
    placeFile: noFile,
    isInImage: true,
  });
  expect([opened.name, opened.fingerprint]).toEqual([agent.name, agent.fingerprint]);
  expect(opened.source).toMatchObject({
    agent: { environment: { MODE: 'fast', MY_API_KEY: 'another-secret' } },
  });
});

test('a preset needs its program, its hosts, and the keys that the submitter has', async () => {
  const submitter = await openMachine({ ANTHROPIC_API_KEY: SECRET });
  const { agent, description } = await describe(submitter, 'claude');
  expect(description).toMatchObject({
    settings: { program: { kind: 'preset', preset: 'claude', model: 'm1' } },
    needs: { programs: ['claude'], hosts: ['api.anthropic.com'], keys: ['ANTHROPIC_API_KEY'] },
  });
  const worker = await openMachine();
  const options = { placeFile: noFile, isInImage: true };
  const opened = await openDescribedAgent(worker.context, description, options);
  expect(opened.fingerprint).toBe(agent.fingerprint);
});

test('oracle and nop travel by name', async () => {
  const submitter = await openMachine();
  for (const name of ['oracle', 'nop']) {
    const { agent, description } = await describe(submitter, name);
    const opened = await openDescribedAgent(submitter.context, description, {
      placeFile: noFile,
      isInImage: false,
    });
    expect([opened.name, opened.fingerprint]).toEqual([agent.name, agent.fingerprint]);
  }
});

test('a function of the calling program stays local, with one clear error', async () => {
  const submitter = await openMachine();
  const choice = async function clever() {};
  await expect(describe(submitter, choice)).rejects.toMatchObject({
    code: 'AGENT_CANNOT_TRAVEL',
    message:
      'the agent function:clever cannot run on other machines: it is a function of the program that runs the batch',
    hint: 'export the function from a module, and name its file: --agent ./agent.mjs',
  });
});

test('a module that needs other files is refused before anything is sent', async () => {
  const submitter = await openMachine();
  const directory = tempDir();
  writeFileSync(join(directory, 'other.mjs'), 'export const text = "x";');
  const file = join(directory, 'agent.mjs');
  writeFileSync(file, 'import { text } from "./other.mjs"; export default async () => text;');
  await expect(describe(submitter, file)).rejects.toMatchObject({
    code: 'AGENT_CANNOT_TRAVEL',
    hint: expect.stringContaining('bundle it into one file'),
  });
});

test('settings with a secret in their text are refused', async () => {
  const submitter = await openConfigured(
    { mine: { command: `curl --header "x: ${SECRET}" a.example` } },
    { MY_API_KEY: SECRET },
  );
  submitter.context.redactor.add([SECRET]);
  await expect(describe(submitter, 'mine')).rejects.toMatchObject({
    code: 'AGENT_CANNOT_TRAVEL',
    message: expect.stringContaining('its settings contain a secret'),
  });
});
