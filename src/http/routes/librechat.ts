import { type RequestHandler, type Response, Router } from 'express';
import type { Authenticate } from '../../access/credentials.ts';
import { libreChatAgent } from '../../access/librechat-tokens.ts';
import type { Principal } from '../../access/principal.ts';
import { mayChange } from '../../access/visible-filter.ts';
import type { Document } from '../../documents/document.ts';
import { allOf, type Filter, isDocument } from '../../documents/filter.ts';
import { uuidFromName } from '../../documents/ids.ts';
import { messageFor, ServiceError } from '../../errors.ts';
import type { Submission } from '../../ingest/ingestor.ts';
import { defaultSearchSettings } from '../../retrieval/search-settings.ts';
import { audienceOf, identify, principalOf } from '../authenticate.ts';
import { checkShape, invalidField } from '../check-shape.ts';
import { comparableScores } from '../comparable-scores.ts';
import { createRouter } from '../create-router.ts';
import { answerFailure } from '../failure.ts';
import type { HttpServices } from '../http-services.ts';
import { limitRequests } from '../limit-requests.ts';
import { bodyText, parseJson, readBody, receiveBytes } from '../read-request.ts';
import { readUpload, receiveUpload } from '../receive-upload.ts';
import { requestSignal, stopSignal } from '../request-signal.ts';
import { unknownRoute } from '../unknown-route.ts';
import { embedFields, fileIds, queryRequest, textFields, toLangChainDocument } from '../wire/librechat.ts';
import { runToEnd } from './upload.ts';

type Services = Pick<
  HttpServices,
  'corpus' | 'ingestor' | 'retriever' | 'accounts' | 'limits' | 'maxFileBytes' | 'uploadFolder' | 'log'
>;

/** Metadata key with the LibreChat agent for which a document was embedded. */
const ENTITY = 'librechat_entity';

/**
 * LibreChat's RAG API (RAG_API_URL): embeds the files of its users, searches a single file, returns its whole text,
 * deletes files, and reads files without storing them. A file is a document whose id is derived from LibreChat's file
 * id.
 */
export function libreChatRoutes(services: Services, authenticate: Authenticate): Router {
  const { corpus, retriever, limits, log } = services;
  const { findFile, requireFile } = createFileLookup(corpus);
  const router = createRouter();
  router.get('/health', (_request, response) => {
    response.json({ status: 'UP' });
  });
  router.use(identify(authenticate), limitRequests(services));
  router.post('/embed', ...receiveUpload(services), embedHandler(services));
  router.post('/text', ...receiveUpload(services), textHandler(services));
  router.use(receiveBytes(limits.body));
  router.post('/query', async (request, response) => {
    const { query, file_id: file, k, entity_id: entity } = readBody(request, queryRequest);
    const principal = principalOf(response);
    const owners = [principal.userId, ownerOf(entity, principal)];
    const owned: Filter = { kind: 'in', field: 'owner_id', values: owners };
    const { chunks } = await retriever.search(
      query,
      {
        ...defaultSearchSettings,
        filter: allOf(isDocument(documentIdOf(file)), owned),
        readable: owned,
        limit: k,
        explain: true,
      },
      requestSignal(request, response),
    );
    const scores = comparableScores(chunks);
    response.json(chunks.map((chunk, index) => [toLangChainDocument(chunk, file), 1 - (scores[index] ?? 0)]));
  });
  router.get('/documents/:file/context', async (request, response) => {
    const { id } = await requireFile(String(request.params['file']), response);
    response.json((await corpus.textOf(id))?.text ?? '');
  });
  router.delete('/documents', async (request, response) => {
    const ids = checkShape(fileIds, parseJson(bodyText(request), ['body']), 'body');
    const documents = await Promise.all(ids.map((file) => findFile(file, response)));
    const found = documents.flatMap((document) => document?.id ?? []);
    await corpus.remove({ kind: 'in', field: 'document_id', values: found });
    const missing = ids.filter((_, index) => documents[index] === undefined);
    if (missing.length > 0) throw new ServiceError('not_found', `There is no file ${missing.join(', ')}.`);
    response.json({ message: `Documents for ${ids.length} file${ids.length > 1 ? 's' : ''} deleted successfully` });
  });
  return Router().use(router, unknownRoute, answerFailure(log));
}

/** Finds files by the identifiers of LibreChat. */
function createFileLookup(corpus: Services['corpus']) {
  /** The file, if the caller or an agent owns it; undefined otherwise. LibreChat decides who may use which agent. */
  const findFile = async (file: string, response: Response): Promise<Document | undefined> => {
    const document = await corpus.get(documentIdOf(file));
    if (document === undefined || mayChange(document, principalOf(response))) return document;
    const entity = document.metadata[ENTITY];
    return typeof entity === 'string' && document.ownerId === libreChatAgent(entity) ? document : undefined;
  };
  const requireFile = async (file: string, response: Response): Promise<Document> => {
    const document = await findFile(file, response);
    if (document === undefined) throw new ServiceError('not_found', `There is no file ${file}.`);
    return document;
  };
  return { findFile, requireFile };
}

/** Embeds an uploaded file, and answers when it can be searched. */
function embedHandler({ corpus, ingestor }: Pick<Services, 'corpus' | 'ingestor'>): RequestHandler {
  return async (request, response) => {
    const { fields, file } = await readUpload(request);
    const { file_id: id, entity_id: entity } = checkShape(embedFields, fields, 'body');
    if (file === undefined) throw invalidField('missing', ['body', 'file'], 'Send the file in the part named "file".');
    const ownerId = ownerOf(entity, principalOf(response));
    const documentId = documentIdOf(id);
    const earlier = await corpus.get(documentId);
    if (earlier !== undefined && earlier.ownerId !== ownerId) {
      throw new ServiceError('conflict', `The file ${id} was embedded by someone else.`);
    }
    const embedded = { file_id: id, filename: file.fileName };
    let isSubmitted = false;
    try {
      const submission: Submission = {
        content: { kind: 'file', ...file },
        id: documentId,
        ownerId,
        metadata: { librechat_file_id: id, ...(entity !== undefined && { [ENTITY]: entity }) },
        collectionIds: [],
        settings: {},
        replace: earlier !== undefined,
      };
      await ingestor.submit(submission, { isAwaited: true });
      isSubmitted = true;
      await runToEnd(ingestor, documentId, stopSignal(request));
    } catch (error) {
      // LibreChat drops a file that could not be embedded, so its document is removed. A refused submission has stored
      // nothing: a document with this id then comes from another request.
      if (isSubmitted && earlier === undefined) await corpus.remove(isDocument(documentId));
      if (!(error instanceof ServiceError) || error.code !== 'unsupported_type') throw error;
      const message = messageFor(error, audienceOf(response));
      response.json({ status: false, message, ...embedded, known_type: false });
      return;
    }
    response.json({ status: true, message: 'File processed successfully.', ...embedded, known_type: true });
  };
}

/** Answers with the text of an uploaded file, which is not stored. */
function textHandler({ ingestor }: Pick<Services, 'ingestor'>): RequestHandler {
  return async (request, response) => {
    const { fields, file } = await readUpload(request);
    const { file_id: id } = checkShape(textFields, fields, 'body');
    if (file === undefined) throw invalidField('missing', ['body', 'file'], 'Send the file in the part named "file".');
    const content = { kind: 'file', ...file } as const;
    const { userId: ownerId } = principalOf(response);
    const submission = { content, ownerId, metadata: {}, collectionIds: [], settings: {} };
    const read = await ingestor.readText(submission, requestSignal(request, response));
    response.json({ text: read, file_id: id ?? null, filename: file.fileName, known_type: true });
  };
}

/** The owner of a file: the agent it is embedded for, or the caller. Without authentication there is only one user. */
const ownerOf = (entity: string | undefined, { userId, isSuperuser }: Principal): string =>
  entity === undefined || isSuperuser ? userId : libreChatAgent(entity);

const documentIdOf = (file: string): string => uuidFromName(`file of LibreChat: ${file}`);
