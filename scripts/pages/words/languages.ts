import { arabic } from './arabic.ts';
import { chinese } from './chinese.ts';
import { english } from './english.ts';
import { french } from './french.ts';
import { german } from './german.ts';
import { japanese } from './japanese.ts';
import { russian } from './russian.ts';
import { spanish } from './spanish.ts';
import type { Words } from './words.ts';

export const languages: readonly Words[] = [english, german, french, spanish, russian, japanese, chinese, arabic];
