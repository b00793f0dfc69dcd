import type { Quotas } from '../access/quotas.ts';
import type { Ingestor } from './ingestor.ts';

/** Enforces quotas on every way of ingestion: `submit` throws `forbidden` for a user who has reached theirs. */
export function withinQuota<T extends Ingestor>(ingestor: T, quotas: Quotas): T {
  return {
    ...ingestor,
    submit: (...[submission, options]: Parameters<Ingestor['submit']>) =>
      quotas.within(submission.ownerId, ['documents', 'chunks'], () => ingestor.submit(submission, options)),
  };
}
