import { bubblewrapAsRoot } from '../helpers/escape/escape-flavour.js';
import { describeEscapes } from './describe-escapes.js';

describeEscapes(bubblewrapAsRoot);
