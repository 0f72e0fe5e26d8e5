import { podman } from '../helpers/escape/escape-flavour.js';
import { describeAdversary } from './adversary/describe-adversary.js';

describeAdversary(podman);
