import type { z } from 'zod';
import { issue } from './config-issues.ts';
import type { variables } from './config-variables.ts';
import type { FieldIssue } from './errors.ts';

/** How this process shares work with others, and how it stops. */
export interface ClusterConfig {
  /** Whether tasks are worked on in the background; other processes do where it is false. */
  readonly takesTasks: boolean;
  /** Port on which `citewell worker` answers /health and /metrics to this machine; undefined for none. */
  readonly workerPort?: number;
  /** Seconds between the signal to stop and the refusal of connections, for proxies to notice. */
  readonly stopDelaySeconds: number;
  /** Seconds that running requests and streams may take to end after the signal to stop. */
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

/** Without a shared database nobody else could take the tasks. */
export function clusterComplaints(value: z.output<typeof variables>): FieldIssue[] {
  if (value.CITEWELL_WORK === 'on' || value.CITEWELL_DATABASE_URL !== undefined) return [];
  return [issue('CITEWELL_WORK', 'expected on, as no other process can take the tasks without CITEWELL_DATABASE_URL')];
}
