import type { Template } from '../../domain/workspace/template.js';

/**
 * The templates for `carrel up --template claude` and others. Those of agents request a sandbox, which the user's own file and
 * `--isolation` override, and copy the agent's ignored files.
 */
export const shippedTemplates = {
  claude: {
    agent: 'claude',
    isolation: 'full',
    include: ['.env*', '.claude/settings.local.json', 'CLAUDE.local.md'],
  },
  codex: {
    agent: 'codex',
    isolation: 'full',
    include: ['.env*', '.codex/config.toml', 'AGENTS.override.md'],
  },
  gemini: { agent: 'gemini', isolation: 'full', include: ['.env*', '.gemini/.env', '.gemini/settings.json'] },
  shell: { agent: 'shell', include: ['.env*'] },
} as const satisfies Record<string, DeepReadonlyTemplate>;

type DeepReadonlyTemplate = Readonly<Omit<Template, 'include'>> & { readonly include: readonly string[] };
