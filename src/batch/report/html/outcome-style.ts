import type { Outcome } from '../../../domain/batch/attempt.js';
import { html, type Markup } from './markup.js';

/** Outcomes have a symbol as well as a colour, for colour-blind readers and print. */
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
  'agent-timeout': 'agent timeout',
  limit: 'limit reached',
  'grader-error': 'grader error',
  infrastructure: 'infrastructure',
  cancelled: 'cancelled',
};

/** In this order. Not `OUTCOMES`: that would load the schemas. */
export const OUTCOMES_SHOWN = Object.keys(OUTCOME_SIGNS) as readonly Outcome[];

export const outcomeBadge = (outcome: Outcome): Markup =>
  html`<span class="sign o-${outcome}" aria-hidden="true">${OUTCOME_SIGNS[outcome]}</span> ${OUTCOME_WORDS[outcome]}`;
