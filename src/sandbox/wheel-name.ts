/** The parts of a wheel's file name (PEP 427). */
export interface WheelName {
  readonly name: string;
  readonly version: string;
  readonly python: string;
  readonly abi: string;
  readonly platform: string;
}

const WHEEL = /^([\w.]+)-([\w.!+]+)(?:-\d[\w.]*)?-([\w.]+)-([\w.]+)-([\w.]+)\.whl$/;

/** Undefined if it is not a wheel's name. */
export function parseWheelName(file: string): WheelName | undefined {
  const [, name, version, python, abi, platform] = WHEEL.exec(file) ?? [];
  if (!name || !version || !python || !abi || !platform) return undefined;
  return { name, version, python, abi, platform };
}

/**
 * How a wheel is used: pure Python ones as `archive`, those with native modules for this Pyodide version `unpacked`.
 * Undefined if incompatible.
 */
export function wheelKind(
  { python, platform }: WheelName,
  info: { readonly abi_version: string; readonly python: string },
): 'archive' | 'unpacked' | undefined {
  const ours = `cp${info.python.split('.', 2).join('')}`;
  if (platform === 'any') return python.split('.').some((tag) => tag === 'py3' || tag === ours) ? 'archive' : undefined;
  const isOurs = new RegExp(`^py(odide|emscripten)_${info.abi_version}_wasm32$`).test(platform);
  return isOurs && (python === ours || python.startsWith('py3') || python.startsWith('cp3')) ? 'unpacked' : undefined;
}
