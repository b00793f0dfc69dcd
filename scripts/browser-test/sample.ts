import { fileURLToPath } from 'node:url';

/** Path of a sample file. */
export const sample = (name: string): string => fileURLToPath(new URL(`../samples/${name}`, import.meta.url));
