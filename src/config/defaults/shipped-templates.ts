import type { Template } from '../../domain/workspace/template.js';

/**
 * The templates for `carrel up --template claude` and others. They copy the agent's ignored files and leave the isolation
 * mode to the user.
 */
export const shippedTemplates = {
  claude: { agent: 'claude', include: ['.env*', '.claude/settings.local.json', 'CLAUDE.local.md'] },
  codex: { agent: 'codex', include: ['.env*', '.codex/config.toml', 'AGENTS.override.md'] },
  gemini: { agent: 'gemini', include: ['.env*', '.gemini/.env', '.gemini/settings.json'] },
  shell: { agent: 'shell', include: ['.env*'] },
} as const satisfies Record<string, DeepReadonlyTemplate>;

type DeepReadonlyTemplate = Readonly<Omit<Template, 'include'>> & { readonly include: readonly string[] };
