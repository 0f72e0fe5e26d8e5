import { bubblewrapAsUser } from '../helpers/escape-flavour.js';
import { describeEscapes } from './describe-escapes.js';

describeEscapes(bubblewrapAsUser);
