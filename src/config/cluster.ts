import type { z } from 'zod';
import type { FieldIssue } from '../errors.ts';
import { issue } from './issue.ts';
import type { variables } from './variables.ts';

/** How this process shares work with other processes, and how it shuts down. */
export interface ClusterConfig {
  /** Whether this process works on queued tasks in the background; if false, other processes do. */
  readonly takesTasks: boolean;
  /** Loopback port on which `citewell worker` serves /health and /metrics; undefined for none. */
  readonly workerPort?: number;
  /** Seconds between the stop signal and the refusal of new connections, so that proxies can notice. */
  readonly stopDelaySeconds: number;
  /** Seconds that running requests and streams have to end after the stop signal. */
  readonly stopSeconds: number;
}

export function clusterSettings(value: z.output<typeof variables>): ClusterConfig {
  return {
    takesTasks: value.CITEWELL_WORK === 'on',
    ...(value.CITEWELL_WORKER_PORT !== undefined && { workerPort: value.CITEWELL_WORKER_PORT }),
    stopDelaySeconds: value.CITEWELL_STOP_DELAY_SECONDS,
    stopSeconds: value.CITEWELL_STOP_SECONDS,
  };
}

/** Background work may only be switched off with a shared database, where another process can take the tasks. */
export function clusterIssues(value: z.output<typeof variables>): FieldIssue[] {
  if (value.CITEWELL_WORK === 'on' || value.CITEWELL_DATABASE_URL !== undefined) return [];
  return [issue('CITEWELL_WORK', 'expected on, as no other process can take the tasks without CITEWELL_DATABASE_URL')];
}
