/** Where the agents of the shipped templates find their models; `allowlist` lets these through when one is chosen. */
const modelHosts: Readonly<Record<string, readonly string[]>> = {
  claude: ['api.anthropic.com'],
  codex: ['api.openai.com', 'auth.openai.com', 'chatgpt.com'],
  gemini: ['generativelanguage.googleapis.com', 'cloudcode-pa.googleapis.com', 'oauth2.googleapis.com'],
};

/** None for an agent that is not known, and for a plain command. */
export function modelHostsOf(agent: string | undefined): readonly string[] {
  return agent !== undefined && Object.hasOwn(modelHosts, agent) ? (modelHosts[agent] ?? []) : [];
}
