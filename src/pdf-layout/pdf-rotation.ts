import type { PlacedText } from './pdf-lines.ts';

/** Rotation of a run of text in quarter turns counter-clockwise. */
export type QuarterTurns = 0 | 1 | 2 | 3;

export type RotatedText = Omit<PlacedText, 'isRotated'> & { readonly turn: QuarterTurns };

/** From the first two elements of a run's matrix, the text direction. */
export function quarterTurnsOf(right: number, up: number): QuarterTurns {
  if (Math.abs(right) >= Math.abs(up)) return right < 0 ? 2 : 0;
  return up > 0 ? 1 : 3;
}

/**
 * Rotates a page so that most of its text is upright. Landscape pages are stored in different ways, with or without a
 * rotation entry; the direction of the text is reliable in all of them.
 */
export function rotateUpright(runs: readonly RotatedText[]): PlacedText[] {
  const letters = [0, 0, 0, 0];
  for (const { turn, text } of runs) letters[turn] = (letters[turn] ?? 0) + text.trim().length;
  const main = letters.indexOf(Math.max(...letters)) as QuarterTurns;
  return runs.map(({ turn, ...run }) => ({ ...run, ...unrotate(run, main), isRotated: turn !== main }));
}

function unrotate({ x, y }: { readonly x: number; readonly y: number }, turn: QuarterTurns) {
  switch (turn) {
    case 0:
      return { x, y };
    case 1:
      return { x: y, y: -x };
    case 2:
      return { x: -x, y: -y };
    case 3:
      return { x: -y, y: x };
  }
}
