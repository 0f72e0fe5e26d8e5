import { type CallToolResult, Client, type Progress } from '@modelcontextprotocol/client';
import { StdioClientTransport } from '@modelcontextprotocol/client/stdio';
import { BINARY, type Carrel } from '../carrel.js';

/** The official client, connected to its own `carrel mcp`, which stops with it. */
export interface McpClient extends AsyncDisposable {
  readonly client: Client;
  readonly pid: number;
  /** What it has written to standard error. */
  readonly narrated: () => string;
  /** The structured content of an answer that is no error. */
  call<T = Record<string, unknown>>(name: string, input?: Record<string, unknown>): Promise<T>;
  /** Any answer. */
  ask(name: string, input?: Record<string, unknown>, options?: AskOptions): Promise<CallToolResult>;
}

interface AskOptions {
  readonly signal?: AbortSignal;
  readonly onprogress?: (progress: Progress) => void;
}

export async function connectMcp(carrel: Carrel, repository: string): Promise<McpClient> {
  const transport = new StdioClientTransport({
    command: process.execPath,
    args: [BINARY, 'mcp', '-R', repository],
    env: { ...carrel.env },
    cwd: repository,
    stderr: 'pipe',
  });
  let narrated = '';
  transport.stderr?.on('data', chunk => {
    narrated += chunk;
  });
  const client = new Client({ name: 'test', version: '1.0.0' });
  await client.connect(transport);
  const ask: McpClient['ask'] = (name, input = {}, options = {}) =>
    client.callTool({ name, arguments: input }, options);
  return {
    client,
    pid: transport.pid as number,
    narrated: () => narrated,
    ask,
    [Symbol.asyncDispose]: () => client.close(),
    call: async <T>(name: string, input?: Record<string, unknown>) => {
      const answer = await ask(name, input);
      if (answer.isError) throw new Error(`${name}: ${JSON.stringify(answer.content)}`);
      return answer.structuredContent as T;
    },
  };
}

/** The text that comes first in an answer. */
export function textOf({ content }: CallToolResult): string {
  const [first] = content;
  if (first?.type !== 'text') throw new Error(`expected text: ${JSON.stringify(content)}`);
  return first.text;
}
