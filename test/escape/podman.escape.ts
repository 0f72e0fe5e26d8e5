import { podman } from '../helpers/escape/escape-flavour.js';
import { describeEscapes } from './describe-escapes.js';

describeEscapes(podman);
