import type { Preset } from '../preset.js';
import { createGeminiReader } from '../readers/gemini-reader.js';
import { geminiArguments } from './gemini-arguments.js';

/** Gemini CLI. Observed with 0.61.0. */
export const gemini: Preset = {
  name: 'gemini',
  title: 'Gemini CLI',
  program: 'gemini',
  install: 'install it with: npm install --global @google/gemini-cli',
  keys: ['GEMINI_API_KEY', 'GOOGLE_API_KEY'],
  variables: [
    'GEMINI_MODEL',
    'GOOGLE_CLOUD_LOCATION',
    'GOOGLE_CLOUD_PROJECT',
    'GOOGLE_GEMINI_BASE_URL',
    'GOOGLE_GENAI_USE_GCA',
    'GOOGLE_GENAI_USE_VERTEXAI',
  ],
  hosts: ['generativelanguage.googleapis.com', 'cloudcode-pa.googleapis.com', 'oauth2.googleapis.com'],
  prompt: 'stdin',
  reportsCost: 'never',
  reportsTokens: 'at-the-end',
  allowsAllOnHost: true,
  arguments: geminiArguments,
  environment: ({ isSandboxed }) => ({
    // In non-interactive mode it refuses an untrusted directory: exit status 55.
    GEMINI_CLI_TRUST_WORKSPACE: 'true',
    GEMINI_TELEMETRY_ENABLED: 'false',
    ...(isSandboxed ? { GEMINI_SANDBOX: 'false' } : {}),
  }),
  createReader: createGeminiReader,
};
