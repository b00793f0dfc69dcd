import { javascript } from './attacks/javascript.ts';
import { holdAgainst } from './support/hold-against.ts';

holdAgainst('JavaScript around Python', javascript);
