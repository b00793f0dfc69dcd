import type { Quotas } from '../access/quotas.ts';
import type { Ingestor } from './ingestor.ts';

/** Takes nothing in from who has as much as they may have: `submit` throws `forbidden`, whatever way it came by. */
export function withinQuota<T extends Ingestor>(ingestor: T, quotas: Quotas): T {
  return {
    ...ingestor,
    submit: (...[submission, options]: Parameters<Ingestor['submit']>) =>
      quotas.within(submission.ownerId, ['documents', 'chunks'], () => ingestor.submit(submission, options)),
  };
}
