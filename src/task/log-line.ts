export type { LogLine } from '../domain/log-line.js';
