import { podman } from '../helpers/escape-flavour.js';
import { describeEscapes } from './describe-escapes.js';

describeEscapes(podman);
