/** A glibc version as two numbers, e.g. 2.36. */
export interface GlibcVersion {
  readonly major: number;
  readonly minor: number;
}

/** Reads `2.36` or `GLIBC_2.36`; undefined for anything else, `GLIBC_PRIVATE` among it. */
export function readGlibcVersion(text: string): GlibcVersion | undefined {
  const match = /^(?:GLIBC_)?(\d+)\.(\d+)(?:\.\d+)?$/.exec(text);
  return match ? { major: Number(match[1]), minor: Number(match[2]) } : undefined;
}

export const isNewer = (left: GlibcVersion, right: GlibcVersion): boolean =>
  left.major !== right.major ? left.major > right.major : left.minor > right.minor;

export const glibcName = ({ major, minor }: GlibcVersion): string => `${major}.${minor}`;

/** The glibc this process runs on; undefined on other systems and on Linux without glibc (Alpine's musl). */
export function installedGlibc(): GlibcVersion | undefined {
  // Asking for the network interfaces would make the report slow.
  process.report.excludeNetwork = true;
  const report: unknown = process.report.getReport();
  if (typeof report !== 'object' || report === null || !('header' in report)) return undefined;
  const { header } = report;
  if (typeof header !== 'object' || header === null || !('glibcVersionRuntime' in header)) return undefined;
  return readGlibcVersion(String(header.glibcVersionRuntime));
}
