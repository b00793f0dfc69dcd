import { vectorIndexContract } from '../../contracts/vector-index.ts';
import { startEmbeddedChroma } from '../../support/embedded-chroma.ts';

vectorIndexContract('The embedded Chroma', startEmbeddedChroma);
