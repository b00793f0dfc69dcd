import { completable, type McpServer } from '@modelcontextprotocol/server';
import { z } from 'zod';
import type { Principal } from '../access/principal.ts';
import type { Backend } from './backend.ts';
import { completeTitles } from './complete.ts';

const CITE =
  'Cite every statement with the number of the passage that supports it, as in [1], and list the cited passages at the end with title, page and document_id. Where the documents say nothing, say so; do not fill in from memory.';

/** MCP prompts, which hosts show as commands. */
export function createPrompts(
  backend: Backend,
  words: (text: string) => string,
): (server: McpServer, principal: Principal) => void {
  return (server, principal) => {
    const documentId = (description: string) =>
      completable(z.string().min(1).describe(description), (value) => completeTitles(backend, principal, value));
    const userMessage = (text: string) => ({
      messages: [{ role: 'user' as const, content: { type: 'text' as const, text: words(text) } }],
    });

    server.registerPrompt(
      'answer_with_citations',
      {
        title: 'Answer with citations',
        description: 'Answer a question from the documents, each statement with its source.',
        argsSchema: z.object({
          question: z.string().min(1).describe('The question'),
          document_type: z.string().optional().describe('Only documents of this type, e.g. pdf'),
        }),
      },
      ({ question, document_type: type }) =>
        userMessage(
          `Answer this question from the ingested documents: ${question}\n\nSearch with search_file_knowledge${
            type === undefined ? '' : ` and filters {"document_type": {"$eq": ${JSON.stringify(type)}}}`
          }; try other words if the first search finds little, and read around the best passages with content. ${CITE}`,
        ),
    );

    server.registerPrompt(
      'research_question',
      {
        title: 'Research a question',
        description: 'Split a larger question, search each part, weigh the evidence, and report with citations.',
        argsSchema: z.object({ topic: z.string().min(1).describe('What to find out') }),
      },
      ({ topic }) =>
        userMessage(
          `Research this in the ingested documents: ${topic}\n\nFirst get an overview of the documents (corpus_status, search_file_descriptions). Write down the sub-questions, search each with search_file_knowledge, and read the important places with content or get_file_content. Note where sources disagree. Then report: the answer, the evidence for each point, open questions. ${CITE}`,
        ),
    );

    server.registerPrompt(
      'compare_documents',
      {
        title: 'Compare documents',
        description: 'What two documents agree on, where they differ, and what only one of them says.',
        argsSchema: z.object({
          first: documentId('Title or identifier of the first document'),
          second: documentId('Title or identifier of the second document'),
          aspect: z.string().optional().describe('What to compare (default: everything relevant)'),
        }),
      },
      ({ first, second, aspect }) =>
        userMessage(
          `Compare the documents ${first} and ${second}${aspect === undefined ? '' : ` with regard to ${aspect}`}.\n\nRead both with get_file_content (or content for their structure). Report what they agree on, where they contradict each other, and what only one says, as a table. ${CITE}`,
        ),
    );

    server.registerPrompt(
      'summarize_document',
      {
        title: 'Summarise a document',
        description: 'The main points of one document, with their page or heading.',
        argsSchema: z.object({
          document_id: documentId('Title or identifier of the document'),
          length: z.string().optional().describe('How long, e.g. "five sentences"'),
        }),
      },
      ({ document_id: id, length }) =>
        userMessage(
          `Summarise the document ${id}${length === undefined ? '' : ` in ${length}`}.\n\nRead it whole with get_file_content, going on from each next_offset to its end. Give a short overview first, then the main points in the document's order with page or heading. ${CITE}`,
        ),
    );

    server.registerPrompt(
      'find_gaps',
      {
        title: 'Find gaps',
        description:
          'What the documents leave open on a topic: unanswered questions, missing evidence, contradictions.',
        argsSchema: z.object({ topic: z.string().min(1).describe('The topic') }),
      },
      ({ topic }) =>
        userMessage(
          `Find out what the ingested documents leave open about: ${topic}\n\nCollect what they say with several different searches. Then list questions one would expect to be answered and that are not, claims without evidence, numbers that are missing or out of date, and contradictions; with the searches that came back empty. ${CITE}`,
        ),
    );
  };
}
