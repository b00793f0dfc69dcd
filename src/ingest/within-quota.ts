import type { Quotas } from '../access/quotas.ts';
import type { Ingestor } from './ingestor.ts';

/** Enforces quotas on every way of ingestion: `submit` throws `forbidden` for a user who has reached theirs. */
export function withinQuota<T extends Ingestor>(ingestor: T, quotas: Quotas): T {
  return {
    ...ingestor,
    submit(...[submission, options]: Parameters<Ingestor['submit']>) {
      const { ownerId, newCollections = [] } = submission;
      const submit = () => ingestor.submit(submission, options);
      const submitWithCollections = () => quotas.within(ownerId, ['collections'], submit, newCollections.length);
      return quotas.within(
        ownerId,
        ['documents', 'chunks'],
        newCollections.length === 0 ? submit : submitWithCollections,
      );
    },
  };
}
