import { exhaustion } from './attacks/exhaustion.ts';
import { holdAgainst } from './support/hold-against.ts';

holdAgainst('exhaustion', exhaustion);
