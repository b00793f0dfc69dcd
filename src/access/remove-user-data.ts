import { ownedBy } from '../documents/filter.ts';
import type { Corpus, DeletionReceipt } from '../store/corpus.ts';
import type { CollectionRecords, ConversationRecords } from '../store/records.ts';

interface RemovalParts {
  readonly corpus: Corpus;
  readonly collections: CollectionRecords;
  readonly conversations: ConversationRecords;
  /** Stops following the user's folders and sites, which would bring documents back. */
  readonly stopFollowing?: (userId: string) => Promise<void>;
  /** Ends the user's runs, which would add to conversations, and removes their results. */
  readonly forgetRuns?: (userId: string) => Promise<void>;
}

const CONCURRENCY = 200;

/**
 * Deletes a user's documents, conversations, collections and memberships. The user's identifier is derived from the
 * e-mail, so anyone registering it later would see what was left. Idempotent, so an interrupted run can be repeated.
 */
export async function removeUserData(
  userId: string,
  { corpus, collections, conversations, stopFollowing, forgetRuns }: RemovalParts,
): Promise<DeletionReceipt> {
  await stopFollowing?.(userId);
  await forgetRuns?.(userId);
  const receipt = await corpus.remove(ownedBy(userId));
  const page = { offset: 0, limit: CONCURRENCY };
  for (;;) {
    const { items } = await conversations.list({ userId, ids: [], ...page });
    if (items.length === 0) break;
    for (const { id } of items) await conversations.remove(id);
  }
  for (;;) {
    const { items } = await collections.list({ ownerId: userId, ...page });
    if (items.length === 0) break;
    for (const { id } of items) await collections.remove(id);
  }
  for (const id of await collections.idsOfMember(userId)) await collections.removeMember(id, userId);
  return receipt;
}
