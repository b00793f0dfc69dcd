/** A glibc version as two numbers, e.g. 2.36. */
export interface GlibcVersion {
  readonly major: number;
  readonly minor: number;
}

/** Parses `2.36` or `GLIBC_2.36`; undefined for anything else, including `GLIBC_PRIVATE`. */
export function readGlibcVersion(text: string): GlibcVersion | undefined {
  const match = /^(?:GLIBC_)?(\d+)\.(\d+)(?:\.\d+)?$/.exec(text);
  return match ? { major: Number(match[1]), minor: Number(match[2]) } : undefined;
}

export const isNewer = (left: GlibcVersion, right: GlibcVersion): boolean =>
  left.major !== right.major ? left.major > right.major : left.minor > right.minor;

export const glibcName = ({ major, minor }: GlibcVersion): string => `${major}.${minor}`;

let installed: { readonly version: GlibcVersion | undefined } | undefined;

/**
 * The glibc this process runs on; undefined on other systems and on Linux without glibc (Alpine's musl). The first call
 * interrupts all threads of the process and waits for them, which takes some 10 ms while they start.
 */
export function installedGlibc(): GlibcVersion | undefined {
  installed ??= { version: readInstalled() };
  return installed.version;
}

function readInstalled(): GlibcVersion | undefined {
  const header = valueIn(diagnosticReport(), 'header');
  const version = valueIn(header, 'glibcVersionRuntime');
  return typeof version === 'string' ? readGlibcVersion(version) : undefined;
}

// With network information included, the report resolves the host names of all open connections, which can take
// seconds.
function diagnosticReport(): unknown {
  const before = valueIn(process.report, 'excludeNetwork');
  Object.assign(process.report, { excludeNetwork: true });
  try {
    return process.report.getReport();
  } finally {
    Object.assign(process.report, { excludeNetwork: before });
  }
}

const valueIn = (object: unknown, name: string): unknown =>
  typeof object === 'object' && object !== null ? Reflect.get(object, name) : undefined;
