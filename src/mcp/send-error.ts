import type { Response } from 'express';

/** Refuses a request before any server sees it, in the form that MCP clients read. */
export function sendError(response: Response, status: number, code: number, message: string): void {
  if (response.headersSent) return;
  response.status(status).json({ jsonrpc: '2.0', id: null, error: { code, message } });
}
