const NEWLINE = 10;

/**
 * Returns a function that takes chunks of bytes and calls back with each complete line, without its end. It throws
 * RangeError when a line has more than `maxBytes`.
 */
export function lineSplitter(
  onLine: (line: string) => void,
  maxBytes = Number.POSITIVE_INFINITY,
): (chunk: Buffer) => void {
  let parts: Buffer[] = [];
  let length = 0;
  return (chunk) => {
    let start = 0;
    for (let end = chunk.indexOf(NEWLINE); end !== -1; end = chunk.indexOf(NEWLINE, start)) {
      const line = Buffer.concat([...parts, chunk.subarray(start, end)]).toString('utf8');
      parts = [];
      length = 0;
      start = end + 1;
      onLine(line);
    }
    if (start === chunk.length) return;
    parts.push(chunk.subarray(start));
    length += chunk.length - start;
    if (length > maxBytes) throw new RangeError(`A line is longer than ${maxBytes} bytes.`);
  };
}
