import { Validator } from '@seriousme/openapi-schema-validator';
import { expect, test } from 'vitest';
import { startTestServer } from '../../../../test/helpers/server/test-server.js';

interface Operation {
  readonly operationId?: string;
  readonly summary?: string;
  readonly tags?: readonly string[];
  readonly responses: Readonly<Record<string, unknown>>;
}

test('the document is valid OpenAPI 3.1, and every operation has a name, a group and its problems', async () => {
  const { url } = await startTestServer();
  const document = (await (await fetch(`${url}/openapi.json`)).json()) as Record<string, unknown>;
  expect(document.openapi).toBe('3.1.0');
  const { valid, errors } = await new Validator().validate(structuredClone(document));
  expect(errors ?? []).toEqual([]);
  expect(valid).toBe(true);
  const paths = document.paths as Readonly<Record<string, Readonly<Record<string, Operation>>>>;
  const operations = Object.values(paths).flatMap(item => Object.values(item));
  const names = operations.map(({ operationId }) => operationId);
  expect(new Set(names).size).toBe(operations.length);
  const tags = (document.tags as readonly { name: string }[]).map(({ name }) => name);
  for (const operation of operations) {
    expect(operation).toMatchObject({ operationId: expect.any(String), summary: expect.any(String) });
    expect(tags).toContain(operation.tags?.[0]);
    if (operation.operationId !== 'health') expect(Object.keys(operation.responses)).toContain('401');
  }
  expect(JSON.stringify(document)).toContain('"examples":[{"story"');
});

test('the reference page needs no script, leads to every operation and schema, and has no dead link', async () => {
  const { url } = await startTestServer();
  const answer = await fetch(`${url}/docs`);
  const page = await answer.text();
  expect(answer.headers.get('content-security-policy')).toContain("default-src 'none'");
  expect(page).not.toMatch(/<script|<style| style=| on\w+=/);
  const ids = new Set([...page.matchAll(/ id="([^"]+)"/g)].map(([, id]) => id));
  const links = [...page.matchAll(/href="#([^"]+)"/g)].map(([, id]) => id);
  expect(links.filter(id => !ids.has(id))).toEqual([]);
  for (const id of ['submitWorkflow', 'removeWorktree', 'followEvents', 'schema-problem', 'schema-task'])
    expect(links).toContain(id);
  const styles = await fetch(`${url}/docs/reference.css`);
  expect(styles.headers.get('content-type')).toContain('text/css');
  expect(await styles.text()).toContain('prefers-color-scheme:dark');
});
