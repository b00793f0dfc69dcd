import { hostAccess } from './attacks/host-access.ts';
import { holdAgainst } from './support/hold-against.ts';

holdAgainst('ways to the host', hostAccess);
