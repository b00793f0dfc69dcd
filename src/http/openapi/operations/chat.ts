import { z } from 'zod';
import { chatChunk, chatCompletion } from '../../wire/chat-answer.ts';
import { chatModel, chatModels } from '../../wire/chat-model.ts';
import { chatRequest } from '../../wire/chat-request.ts';
import { externalKnowledge, externalKnowledgeRequest } from '../../wire/external-knowledge.ts';
import { embeddingsList, embeddingsRequest } from '../../wire/openai-embeddings.ts';
import { responseEvent, responseRecord } from '../../wire/response-answer.ts';
import { responseRequest } from '../../wire/response-request.ts';
import { json, jsonOrEvents, type OperationGroup, operation } from '../operation.ts';

export const chatOperations: OperationGroup = {
  tag: 'Chat',
  description: 'The documents by OpenAI’s Chat Completions and Responses APIs and by Dify’s external knowledge API.',
  operations: [
    operation('POST /v1/chat/completions', {
      name: 'chatCompletions',
      summary: 'Answer a chat, with the citations as annotations',
      body: json(chatRequest),
      examples: {
        rag: { model: 'citewell/rag', messages: [{ role: 'user', content: 'What is the notice period?' }] },
        streamed: {
          model: 'citewell/agent',
          messages: [{ role: 'user', content: 'Compare both contracts.' }],
          stream: true,
        },
      },
      answer: jsonOrEvents(chatCompletion, chatChunk),
      failures: [400, 404, 502, 503, 504],
    }),
    operation('POST /v1/responses', {
      name: 'createResponse',
      summary: 'Answer by OpenAI’s Responses API, with the citations as annotations',
      body: json(responseRequest),
      examples: {
        question: { model: 'citewell/rag', input: 'What is the notice period?' },
        conversation: {
          model: 'citewell/agent',
          instructions: 'Answer in one sentence.',
          input: [
            { role: 'user', content: 'Who signed the lease?' },
            { role: 'assistant', content: 'Ada Berg.' },
            { role: 'user', content: 'And when?' },
          ],
          stream: true,
        },
      },
      answer: jsonOrEvents(responseRecord, responseEvent),
      failures: [400, 404, 502, 503, 504],
    }),
    operation('POST /v1/embeddings', {
      name: 'createEmbeddings',
      summary: 'Embed texts with the embedder of the corpus, as by OpenAI’s Embeddings API',
      body: json(embeddingsRequest),
      examples: { passages: { model: 'citewell', input: ['The ferry leaves at nine.', 'The museum is closed.'] } },
      answer: json(embeddingsList),
      failures: [400, 502, 503, 504],
    }),
    operation('GET /v1/models', { name: 'listModels', summary: 'List the models', answer: json(chatModels) }),
    operation('GET /v1/models/{model}', {
      name: 'getModel',
      summary: 'Get a model',
      parts: { model: z.string().describe('May contain a slash.') },
      answer: json(chatModel),
    }),
    operation('POST /dify/retrieval', {
      name: 'retrieveForDify',
      summary: 'Find passages, as an external knowledge base of Dify',
      body: json(externalKnowledgeRequest),
      answer: json(externalKnowledge),
      failures: [404],
    }),
  ],
};
