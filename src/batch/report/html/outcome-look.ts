import type { Outcome } from '../../../domain/attempt.js';
import { html, type Markup } from './markup.js';

/** How outcomes are told apart: by a sign as well as a colour, which not everybody sees or prints. */
export const OUTCOME_SIGNS: Readonly<Record<Outcome, string>> = {
  passed: '✓',
  failed: '✗',
  'agent-error': 'E',
  'agent-timeout': 'T',
  limit: 'L',
  'grader-error': 'G',
  infrastructure: 'I',
  cancelled: '–',
};

export const OUTCOME_WORDS: Readonly<Record<Outcome, string>> = {
  passed: 'passed',
  failed: 'failed',
  'agent-error': 'agent error',
  'agent-timeout': 'agent time-out',
  limit: 'limit reached',
  'grader-error': 'grader error',
  infrastructure: 'infrastructure',
  cancelled: 'cancelled',
};

/** In this order. Not `OUTCOMES`: that would load the schemas. */
export const OUTCOMES_SHOWN = Object.keys(OUTCOME_SIGNS) as readonly Outcome[];

export const outcomeBadge = (outcome: Outcome): Markup =>
  html`<span class="sign o-${outcome}" aria-hidden="true">${OUTCOME_SIGNS[outcome]}</span> ${OUTCOME_WORDS[outcome]}`;
