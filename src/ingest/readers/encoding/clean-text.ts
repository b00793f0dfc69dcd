import { oneLine } from '../../../shared/text.ts';

// biome-ignore lint/suspicious/noControlCharactersInRegex: control characters are what is looked for
const UNWANTED = /[\u0000-\u0008\u000e-\u001f\u007f-\u0084\u0086-\u009f\u00ad\ufeff\ufffe\uffff]/g;

/** Escape sequences in terminal output: colours, cursor movements, window titles. */
// biome-ignore lint/suspicious/noControlCharactersInRegex: terminals speak in control characters
const TERMINAL_COMMAND = /\u001b(?:\[[0-?]{0,200}[ -/]{0,9}[@-~]|\][^\u0007\u001b]{0,2000}(?:\u0007|\u001b\\))/g;

/**
 * Normalises a text: uniform line ends; no control characters, terminal commands, byte order marks, soft hyphens or
 * lone surrogates. A form feed becomes a paragraph break. All visible content is unchanged.
 */
export function cleanText(text: string): string {
  return text
    .replace(/\r\n?|[\u2028\u0085\v]/g, '\n')
    .replace(/[\f\u2029]/g, '\n\n')
    .replace(TERMINAL_COMMAND, '')
    .replace(UNWANTED, '')
    .toWellFormed();
}

/** The normalised text on one line. */
export const cleanLine = (text: string): string => oneLine(cleanText(text));
