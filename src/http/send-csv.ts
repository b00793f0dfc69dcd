import { Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import type { Request, Response } from 'express';
import type { Page, Paged } from '../store/corpus.ts';
import { toCsv } from './csv.ts';
import { readBody } from './read-request.ts';
import type { ExportColumns } from './wire/export-columns.ts';
import { exportRequest, planExport } from './wire/export-request.ts';

/**
 * Answers an export request. Rows are read after the request has been validated, and no faster than they are sent.
 */
export async function sendExport<Row>(
  request: Request,
  response: Response,
  {
    name,
    columns,
    rows,
  }: {
    /** File name without extension. */
    readonly name: string;
    readonly columns: ExportColumns<Row>;
    rows(): AsyncIterable<Row>;
  },
): Promise<void> {
  const plan = planExport(columns, readBody(request, exportRequest));
  const wanted = async function* () {
    for await (const row of rows()) if (plan.includes(row)) yield plan.values(row);
  };
  const pieces = toCsv(plan.includesHeader ? plan.names : undefined, wanted());
  // A failure on the first rows can still become an ordinary error response.
  const first = await pieces.next();
  response.setHeader('Content-Type', 'text/csv; charset=utf-8');
  response.setHeader('Content-Disposition', `attachment; filename="${name}.csv"`);
  response.setHeader('X-Content-Type-Options', 'nosniff');
  const body = async function* () {
    if (first.done !== true) yield first.value;
    yield* pieces;
  };
  await sendPieces(response, Readable.from(body()));
}

/** Streams to a reader who may disconnect, which is not a failure. */
export async function sendPieces(response: Response, pieces: Readable): Promise<void> {
  try {
    await pipeline(pieces, response);
  } catch (error) {
    pieces.destroy();
    if (!isConnectionClosed(error)) throw error;
  }
}

/** Error codes if the client disconnected before or during the response. */
const CONNECTION_CLOSED_CODES: readonly unknown[] = ['ERR_STREAM_PREMATURE_CLOSE', 'ERR_STREAM_UNABLE_TO_PIPE'];

const isConnectionClosed = (error: unknown): boolean =>
  error instanceof Error && 'code' in error && CONNECTION_CLOSED_CODES.includes(error.code);

const ROWS_PER_PAGE = 500;

/** All items of a paged read. */
export async function* eachOf<Item>(read: (page: Page) => Promise<Paged<Item>>): AsyncGenerator<Item, void> {
  for (let offset = 0; ; offset += ROWS_PER_PAGE) {
    const { items } = await read({ offset, limit: ROWS_PER_PAGE });
    yield* items;
    if (items.length < ROWS_PER_PAGE) return;
  }
}
