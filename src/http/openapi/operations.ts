import type { OperationGroup } from './operation.ts';
import { chatOperations } from './operations/chat.ts';
import { chunkOperations } from './operations/chunks.ts';
import { collectionOperations } from './operations/collections.ts';
import { conversationOperations } from './operations/conversations.ts';
import { documentOperations } from './operations/documents.ts';
import { graphOperations } from './operations/graphs.ts';
import { retrievalOperations } from './operations/retrieval.ts';
import { indexOperations, promptOperations, systemOperations, taskOperations } from './operations/service.ts';
import { userOperations } from './operations/users.ts';

/** All that can be asked of the service; a test holds it against the routes there are. */
export const operationGroups: readonly OperationGroup[] = [
  retrievalOperations,
  documentOperations,
  chunkOperations,
  conversationOperations,
  collectionOperations,
  graphOperations,
  taskOperations,
  userOperations,
  chatOperations,
  promptOperations,
  indexOperations,
  systemOperations,
];
