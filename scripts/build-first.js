// Scripts import this first if they start threads or child processes from `dist`.
import { buildIfStale } from './build.js';

buildIfStale();
