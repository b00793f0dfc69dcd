import { call, RequestFailure } from '../../api/request.ts';
import { texts } from '../../texts.ts';
import type { Remedy } from './remedy.ts';
import type { RunUpload, UploadState } from './upload-queue.ts';

interface Accepted {
  readonly document_id: string;
  readonly task_id: string | null;
}

/** Uploads a file, or retries its failed task, and follows it until it is finished. */
export const createUploader =
  (collectionId: () => string | undefined): RunUpload =>
  async (upload, onChange) => {
    let { documentId, taskId } = upload;
    if (documentId !== undefined && taskId !== undefined) {
      await call(`/v3/tasks/${taskId}/retry`, { method: 'POST' });
    } else {
      const accepted = await submit(formOf(upload, collectionId()));
      if (accepted === undefined) return onChange({ state: { kind: 'same' } });
      documentId = accepted.document_id;
      taskId = accepted.task_id ?? undefined;
      if (taskId === undefined) return onChange({ documentId, state: { kind: 'same' } });
      onChange({ documentId, taskId });
    }
    await follow(documentId, (state) => onChange({ state }));
  };

/** Submits an upload; undefined if the document already exists. */
const submit = (body: FormData): Promise<Accepted | undefined> =>
  call<Accepted>('/v3/documents', { method: 'POST', body }).catch((error: unknown) => {
    if (error instanceof RequestFailure && error.status === 409) return undefined;
    throw error;
  });

function formOf({ file, folder, url }: Parameters<RunUpload>[0], collectionId: string | undefined): FormData {
  const form = new FormData();
  form.set('queued', 'true');
  if (folder !== '') form.set('metadata', JSON.stringify({ folder }));
  if (collectionId !== undefined) form.set('collection_ids', JSON.stringify([collectionId]));
  if (url === undefined) form.set('file', file, file.name);
  else form.set('url', url);
  return form;
}

/** Follows a document's event stream to its last event. The browser reconnects automatically. */
function follow(documentId: string, onChange: (state: UploadState) => void): Promise<void> {
  const source = new EventSource(`/v3/documents/${documentId}/events`);
  return new Promise((over) => {
    const end = (state: UploadState) => {
      source.close();
      onChange(state);
      over();
    };
    for (const name of eventNames) {
      source.addEventListener(name, ({ data }) => {
        const state = stateOf(name, JSON.parse(data));
        if (state === undefined) return;
        if (state.kind === 'working') onChange(state);
        else end(state);
      });
    }
    source.onerror = () => {
      if (source.readyState === EventSource.CLOSED)
        end({ kind: 'failed', reason: texts.library.lostSight, remedy: 'retry' });
    };
  });
}

const eventNames = ['status', 'progress', 'postponed', 'ingested', 'failed', 'cancelled'] as const;
type EventName = (typeof eventNames)[number];

interface EventData {
  readonly ingestion_status?: string;
  readonly done?: number;
  readonly total?: number;
  readonly reason?: string;
  readonly chunk_count?: number;
  readonly failure_remedy?: Remedy | null;
}

/** State for an event; undefined if a later event reports the result. */
function stateOf(name: EventName, data: EventData): UploadState | undefined {
  const { ingestion_status: stage = 'pending', done, total, reason = '', failure_remedy: remedy = null } = data;
  switch (name) {
    case 'status':
      return stage === 'success' || stage === 'failed' ? undefined : { kind: 'working', stage };
    case 'progress':
      return {
        kind: 'working',
        stage,
        ...(done !== undefined && total !== undefined && { done, total }),
      };
    case 'postponed':
      return { kind: 'postponed', reason };
    case 'ingested':
      return { kind: 'ready', chunks: data.chunk_count };
    case 'failed':
    case 'cancelled':
      return { kind: 'failed', reason, remedy };
  }
}
