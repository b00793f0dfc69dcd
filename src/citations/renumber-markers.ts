import { MarkerScanner } from './marker-scanner.ts';

/**
 * The text with new numbers in its markers; those without a new number are removed. Brackets in code, and links, are left
 * unchanged.
 */
export function renumberMarkers(text: string, newNumber: (number: number) => number | undefined): string {
  const scanner = new MarkerScanner(
    (number) => newNumber(number) !== undefined,
    (number) => newNumber(number) ?? number,
  );
  scanner.push(text);
  scanner.end();
  return scanner.text;
}
