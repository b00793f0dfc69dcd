/** Message of whatever was thrown; an aggregated error has those of its parts. */
export function errorMessage(error: unknown): string {
  if (error instanceof AggregateError) return error.errors.map(errorMessage).join('; ');
  return error instanceof Error && error.message !== '' ? error.message : String(error);
}
