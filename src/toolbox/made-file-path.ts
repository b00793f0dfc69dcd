/** Path below the service's origin at which a file made by a tool is downloaded (docs/streaming.md). */
export const madeFilePath = (runId: string, name: string): string =>
  `/v3/retrieval/runs/${runId}/files/${name.split('/').map(encodeURIComponent).join('/')}`;
