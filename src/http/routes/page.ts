import { existsSync } from 'node:fs';
import type { Request, RequestHandler, Response, Router } from 'express';
import { ServiceError } from '../../errors.ts';
import { pageFolder } from '../../shared/page-folder.ts';
import { createRouter } from '../create-router.ts';
import { sendPageFile } from '../send-page.ts';

/** Views of the page by their address; the page itself reads the rest of it. */
const VIEWS = ['/search', '/library', '/graph', '/quality', '/settings', '/d/:document'];
/** What lies below these is for programs, also when a browser asks for it. */
const FOR_PROGRAMS = /^\/(v1|v3|dify|mcp|assets|session)(\/|$)/;
/** Files of pdf.js keep their names from version to version. */
const DAY = 'public, max-age=86400';
/** Names of built files contain a hash of their content. */
const FOREVER = 'public, max-age=31536000, immutable';

/**
 * The web page: `/` for those who accept HTML (others get what follows), its views, and the files it is made of. Public;
 * everything it shows it asks the interface for.
 */
export function pageRoutes(folder: string = pageFolder()): Router {
  const router = createRouter();
  const page: RequestHandler = (_request, response) => sendPage(response, folder);
  router.route('/').get((request, response, next) => {
    response.vary('Accept');
    if (prefersHtml(request)) sendPage(response, folder);
    else next();
  });
  router.get(VIEWS, page);
  router.get('/assets/:file', (request, response) => {
    const { file } = request.params;
    // `sendFile` refuses what would leave the folder.
    sendPageFile(response, file, { root: `${folder}/assets`, cacheControl: FOREVER });
  });
  router.get('/assets/pdf/:file', (request, response) => {
    sendPageFile(response, request.params.file, { root: `${folder}/assets/pdf`, cacheControl: DAY });
  });
  return router;
}

/** Sends a browser at an unknown address the page with status 404, which says so and leads on. Others get what follows. */
export function unknownView(folder: string = pageFolder()): RequestHandler {
  return (request, response, next) => {
    const isView = request.method === 'GET' && !FOR_PROGRAMS.test(request.path) && prefersHtml(request);
    if (!isView || !existsSync(indexOf(folder))) next();
    else sendPage(response.status(404), folder);
  };
}

function sendPage(response: Response, folder: string): void {
  if (!existsSync(indexOf(folder))) {
    throw new ServiceError('not_configured', 'The web page has not been built. Run "npm run build" in the checkout.');
  }
  sendPageFile(response, 'index.html', { root: folder, cacheControl: 'no-cache' });
}

const indexOf = (folder: string): string => `${folder}/index.html`;
const prefersHtml = (request: Request): boolean => request.accepts(['json', 'html']) === 'html';
