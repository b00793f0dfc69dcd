import type { z } from 'zod';
import type { FieldIssue } from '../errors.ts';
import { issue } from './issue.ts';
import type { variables } from './variables.ts';

export interface RemoteChromaConfig {
  readonly url: string;
  readonly token?: string;
  readonly tenant?: string;
  readonly database?: string;
  /** Quotas set by the operator; missing ones are those of Chroma Cloud, or are learned from the server's refusals. */
  readonly quotas: {
    readonly results?: number;
    readonly records?: number;
    readonly calls?: number;
    readonly predicates?: number;
  };
}

type Values = z.output<typeof variables>;

/** Undefined means embedded Chroma. */
export function chromaConfig(value: Values): RemoteChromaConfig | undefined {
  const token = value.CHROMA_API_KEY ?? value.CHROMA_TOKEN;
  return value.CHROMA_URL === undefined
    ? undefined
    : {
        url: value.CHROMA_URL,
        ...(token && { token }),
        ...(value.CHROMA_TENANT && { tenant: value.CHROMA_TENANT }),
        ...(value.CHROMA_DATABASE && { database: value.CHROMA_DATABASE }),
        quotas: {
          ...(value.CITEWELL_CHROMA_RESULTS && { results: value.CITEWELL_CHROMA_RESULTS }),
          ...(value.CITEWELL_CHROMA_RECORDS && { records: value.CITEWELL_CHROMA_RECORDS }),
          ...(value.CITEWELL_CHROMA_CALLS && { calls: value.CITEWELL_CHROMA_CALLS }),
          ...(value.CITEWELL_CHROMA_PREDICATES && { predicates: value.CITEWELL_CHROMA_PREDICATES }),
        },
      };
}

/** Issues for settings that contradict each other or would expose the key. */
export function chromaIssues(value: Values): FieldIssue[] {
  const { CHROMA_URL: address, CHROMA_API_KEY: key, CHROMA_TOKEN: token } = value;
  const complaints: FieldIssue[] = [];
  if (value.CITEWELL_VECTOR_INDEX === 'pgvector' && value.CITEWELL_DATABASE_URL === undefined) {
    const message = 'pgvector is a part of PostgreSQL: set CITEWELL_DATABASE_URL too, or leave it out';
    complaints.push(issue('CITEWELL_VECTOR_INDEX', message));
  }
  if (key && token && key !== token) {
    complaints.push(issue('CHROMA_API_KEY', 'differs from CHROMA_TOKEN; set only one of them'));
  }
  if (address === undefined) return complaints;
  const { protocol, hostname, username, password } = new URL(address);
  if (username !== '' || password !== '') {
    complaints.push(
      issue('CHROMA_URL', 'expected an address without a user or password; a key goes to CHROMA_API_KEY'),
    );
  }
  if (protocol === 'http:' && /(?:^|\.)trychroma\.com$/i.test(hostname)) {
    complaints.push(issue('CHROMA_URL', 'expected https: the key would be sent unencrypted'));
  }
  return complaints;
}

/** Warnings about Chroma variables that are set but have no effect. */
export function chromaWarnings(set: Readonly<Record<string, string>>): string[] {
  if (set['CITEWELL_VECTOR_INDEX'] === 'pgvector') {
    return ['CHROMA_URL', 'CHROMA_API_KEY', 'CHROMA_TOKEN', 'CHROMA_TENANT', 'CHROMA_DATABASE', ...QUOTAS]
      .filter((name) => name in set)
      .map((name) => `${name} does nothing with CITEWELL_VECTOR_INDEX=pgvector.`);
  }
  if ('CHROMA_URL' in set) return [];
  const names = ['CHROMA_TOKEN', 'CHROMA_TENANT', 'CHROMA_DATABASE', ...QUOTAS].filter((name) => name in set);
  const warnings = names.map((name) => `${name} does nothing without CHROMA_URL: the embedded Chroma is used.`);
  if ('CHROMA_API_KEY' in set) {
    warnings.push(
      'CHROMA_API_KEY does nothing without CHROMA_URL=https://api.trychroma.com: the embedded Chroma is used.',
    );
  }
  return warnings;
}

const QUOTAS = [
  'CITEWELL_CHROMA_RESULTS',
  'CITEWELL_CHROMA_RECORDS',
  'CITEWELL_CHROMA_CALLS',
  'CITEWELL_CHROMA_PREDICATES',
];
