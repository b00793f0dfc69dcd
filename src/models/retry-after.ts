/** Seconds to wait from `retry-after-ms` or `retry-after` (seconds or date). */
export function readRetryAfter(headers: Headers | undefined, now: number = Date.now()): number | undefined {
  const milliseconds = readNumber(headers?.get('retry-after-ms'));
  if (milliseconds !== undefined) return milliseconds / 1000;
  const value = headers?.get('retry-after');
  if (!value) return undefined;
  const seconds = readNumber(value);
  if (seconds !== undefined) return seconds;
  const date = Date.parse(value);
  return Number.isNaN(date) ? undefined : Math.max(0, (date - now) / 1000);
}

function readNumber(value: string | null | undefined): number | undefined {
  if (!value?.trim()) return undefined;
  const number = Number(value);
  return Number.isFinite(number) && number >= 0 ? number : undefined;
}
