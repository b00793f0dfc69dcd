export interface Sample {
  readonly name: string;
  readonly labels: Readonly<Record<string, string>>;
  readonly value: number;
}

/** Reads the samples in Prometheus's text format at an address. */
export async function exposed(url: string): Promise<{ readonly samples: readonly Sample[] }> {
  const text = await (await fetch(url)).text();
  const samples = text.split('\n').flatMap((line): Sample[] => {
    const [, name, labels = '', value] = /^([a-z0-9_]+)(?:\{(.*)\})? (\S+)$/.exec(line) ?? [];
    if (name === undefined) return [];
    const pairs = [...labels.matchAll(/(\w+)="([^"]*)"/g)].map(([, key = '', held = '']) => [key, held] as const);
    return [{ name, labels: Object.fromEntries(pairs), value: Number(value) }];
  });
  return { samples };
}
