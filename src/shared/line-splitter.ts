const NEWLINE = 10;
const EXCERPT_BYTES = 1_000;

/** The beginning and the end of a line that exceeded the limit. */
export interface LongLine {
  readonly head: string;
  readonly tail: string;
}

/**
 * Returns a function that takes chunks of bytes and calls back with each complete line, without its terminator. A line
 * of more than `maxBytes` is dropped, and `onTooLong` is called at its end; without `onTooLong`, RangeError is thrown.
 */
export function lineSplitter(
  onLine: (line: string) => void,
  maxBytes = Number.POSITIVE_INFINITY,
  onTooLong?: (line: LongLine) => void,
): (chunk: Buffer) => void {
  let parts: Buffer[] = [];
  let length = 0;
  let head: string | undefined;
  const add = (bytes: Buffer) => {
    parts.push(bytes);
    length += bytes.length;
    if (length <= maxBytes) return;
    if (onTooLong === undefined) throw new RangeError(`A line is longer than ${maxBytes} bytes.`);
    const whole = Buffer.concat(parts);
    head ??= whole.toString('utf8', 0, EXCERPT_BYTES);
    // Copied, because a slice would keep the whole buffer in memory.
    parts = [Buffer.from(whole.subarray(-EXCERPT_BYTES))];
  };
  return (chunk) => {
    let start = 0;
    for (let end = chunk.indexOf(NEWLINE); end !== -1; end = chunk.indexOf(NEWLINE, start)) {
      add(chunk.subarray(start, end));
      start = end + 1;
      const line = Buffer.concat(parts).toString('utf8');
      const long = head;
      parts = [];
      length = 0;
      head = undefined;
      if (long === undefined) onLine(line);
      else onTooLong?.({ head: long, tail: line });
    }
    if (start < chunk.length) add(chunk.subarray(start));
  };
}
