import { bubblewrapAsRoot } from '../helpers/escape-flavour.js';
import { describeEscapes } from './describe-escapes.js';

describeEscapes(bubblewrapAsRoot);
