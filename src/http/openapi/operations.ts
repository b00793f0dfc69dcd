import type { OperationGroup } from './operation.ts';
import { chatOperations } from './operations/chat.ts';
import { chunkOperations } from './operations/chunks.ts';
import { collectionOperations } from './operations/collections.ts';
import { conversationOperations } from './operations/conversations.ts';
import { documentOperations } from './operations/documents.ts';
import { graphOperations } from './operations/graphs.ts';
import { retrievalOperations } from './operations/retrieval.ts';
import {
  evaluationOperations,
  indexOperations,
  promptOperations,
  sourceOperations,
  systemOperations,
  taskOperations,
} from './operations/service.ts';
import { userOperations } from './operations/users.ts';

/** All operations of the interface; a test compares them with the mounted routes. */
export const operationGroups: readonly OperationGroup[] = [
  retrievalOperations,
  documentOperations,
  chunkOperations,
  conversationOperations,
  collectionOperations,
  graphOperations,
  taskOperations,
  sourceOperations,
  userOperations,
  chatOperations,
  promptOperations,
  indexOperations,
  evaluationOperations,
  systemOperations,
];
