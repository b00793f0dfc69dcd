import { tampering } from './attacks/tampering.ts';
import { holdAgainst } from './support/hold-against.ts';

holdAgainst('tampering', tampering);
