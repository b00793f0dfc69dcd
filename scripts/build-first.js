// Imported first by scripts whose threads and child processes are started from `dist`.
import { buildIfStale } from './build.js';

buildIfStale();
