/** Where a clause may end and another begin. */
const BORDER =
  /;\s+|,?\s+(?:and|but|while|whereas|und|aber|sondern|während|et|mais|y|pero|e|ma|mas|en|maar|och|men)\s+(?:then\s+|also\s+)?|,\s+(?=(?:which|who|where|whose)\s)|[，；]/giu;

/** The parts of a statement that may be clauses of their own, in order. */
export function piecesOf(statement: string): string[] {
  const pieces: string[] = [];
  let start = 0;
  for (const border of statement.matchAll(BORDER)) {
    pieces.push(statement.slice(start, border.index));
    start = border.index + border[0].length;
  }
  return [...pieces, statement.slice(start)];
}
