// An agent that is a function, for `carrel eval run --agent ./agent.mjs`. It works with any host that speaks the Messages
// interface: MODEL_URL says where it is (https://api.anthropic.com when left out), ANTHROPIC_API_KEY holds the key.
const { MODEL_URL = 'https://api.anthropic.com', ANTHROPIC_API_KEY = '' } = process.env;

export default async function agent({ task, tools, model = 'claude-sonnet-4-5', signal, log, reportUsage }) {
  const messages = [{ role: 'user', content: task.description }];
  const used = { inputTokens: 0, outputTokens: 0 };
  for (;;) {
    const answer = await ask({ model, max_tokens: 8192, messages, tools: describe(tools) }, signal);
    used.inputTokens += answer.usage.input_tokens;
    used.outputTokens += answer.usage.output_tokens;
    reportUsage(used);
    messages.push({ role: 'assistant', content: answer.content });
    for (const { text } of answer.content) if (text) log(text);
    const calls = answer.content.filter(({ type }) => type === 'tool_use');
    if (calls.length === 0) return answer.content.map(({ text }) => text ?? '').join('');
    messages.push({ role: 'user', content: await Promise.all(calls.map(call => use(tools, call))) });
  }
}

const describe = tools =>
  Object.values(tools).map(({ name, description, inputSchema }) => ({
    name,
    description,
    input_schema: inputSchema,
  }));

async function use(tools, { id, name, input }) {
  const { output, isError } = (await tools[name]?.run(input)) ?? { output: 'no such tool', isError: true };
  return { type: 'tool_result', tool_use_id: id, content: output, is_error: isError };
}

async function ask(body, signal) {
  const response = await fetch(`${MODEL_URL}/v1/messages`, {
    method: 'POST',
    headers: {
      'content-type': 'application/json',
      'x-api-key': ANTHROPIC_API_KEY,
      'anthropic-version': '2023-06-01',
    },
    body: JSON.stringify(body),
    signal,
  });
  if (!response.ok) throw new Error(`the model's host answered ${response.status}: ${await response.text()}`);
  return response.json();
}
