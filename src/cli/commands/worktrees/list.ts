export { define } from '../ls.js';
