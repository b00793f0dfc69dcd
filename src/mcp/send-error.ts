import type { Response } from 'express';

/** Rejects a request before it reaches an MCP server, as a JSON-RPC error. */
export function sendError(response: Response, status: number, code: number, message: string): void {
  if (response.headersSent) return;
  response.status(status).json({ jsonrpc: '2.0', id: null, error: { code, message } });
}
