import type { KeyBinding } from '../../domain/sandbox/sandbox.js';

/**
 * The hosts that the keys of all presets may be sent to, and their headers. A sandbox can reach only the hosts of its
 * agent. A signing key (AWS) can't be listed: it is in no header.
 */
const KNOWN: Readonly<Record<string, KeyBinding>> = {
  ...bind(['ANTHROPIC_API_KEY', 'ANTHROPIC_AUTH_TOKEN', 'CLAUDE_CODE_OAUTH_TOKEN'], {
    hosts: ['api.anthropic.com'],
    headers: ['x-api-key', 'authorization'],
    baseUrls: ['ANTHROPIC_BASE_URL'],
  }),
  ...bind(['CODEX_API_KEY'], { hosts: ['api.openai.com'] }),
  ...bind(['OPENAI_API_KEY'], {
    hosts: [
      'api.openai.com',
      'openrouter.ai',
      'dashscope.aliyuncs.com',
      'dashscope-intl.aliyuncs.com',
      'coding.dashscope.aliyuncs.com',
      'coding-intl.dashscope.aliyuncs.com',
    ],
    baseUrls: ['OPENAI_BASE_URL', 'OPENAI_API_BASE'],
  }),
  ...bind(['GEMINI_API_KEY', 'GOOGLE_API_KEY', 'GOOGLE_GENERATIVE_AI_API_KEY'], {
    hosts: ['generativelanguage.googleapis.com'],
    headers: ['x-goog-api-key', 'authorization'],
    baseUrls: ['GOOGLE_GEMINI_BASE_URL'],
  }),
  ...bind(['DEEPSEEK_API_KEY'], { hosts: ['api.deepseek.com'] }),
  ...bind(['OPENROUTER_API_KEY'], { hosts: ['openrouter.ai'] }),
  ...bind(['OPENCODE_API_KEY'], { hosts: ['opencode.ai'], headers: ['authorization', 'x-api-key'] }),
  ...bind(['AMP_API_KEY'], { hosts: ['ampcode.com'], baseUrls: ['AMP_URL'] }),
  ...bind(['COPILOT_GITHUB_TOKEN', 'GH_TOKEN', 'GITHUB_TOKEN'], {
    hosts: [
      'api.github.com',
      'api.githubcopilot.com',
      'api.individual.githubcopilot.com',
      'api.business.githubcopilot.com',
      'api.enterprise.githubcopilot.com',
      'copilot-proxy.githubusercontent.com',
    ],
  }),
  ...bind(['COPILOT_PROVIDER_API_KEY'], {
    hosts: [],
    headers: ['authorization', 'x-api-key', 'api-key'],
    baseUrls: ['COPILOT_PROVIDER_BASE_URL'],
  }),
};

function bind(names: readonly string[], binding: Partial<KeyBinding>): Record<string, KeyBinding> {
  const whole = { hosts: [], headers: ['authorization'], baseUrls: [], ...binding };
  return Object.fromEntries(names.map(name => [name, whole]));
}

const USUAL_HEADERS = ['authorization', 'x-api-key'];

/** `sandbox.keyHosts` */
interface OwnBinding {
  readonly hosts: readonly string[];
  readonly headers?: readonly string[] | undefined;
}

/** All bindings; a binding of the user replaces the built-in one for the same variable. */
export function bindKeys(own: Readonly<Record<string, OwnBinding>>): Record<string, KeyBinding> {
  const chosen = Object.entries(own).map(
    ([name, { hosts, headers = USUAL_HEADERS }]): [string, KeyBinding] => [
      name,
      { hosts: [...hosts], headers: headers.map(header => header.toLowerCase()), baseUrls: [] },
    ],
  );
  return { ...KNOWN, ...Object.fromEntries(chosen) };
}
