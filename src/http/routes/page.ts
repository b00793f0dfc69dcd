import { existsSync } from 'node:fs';
import type { Request, RequestHandler, Response, Router } from 'express';
import { ServiceError } from '../../errors.ts';
import { pageFolder } from '../../shared/page-folder.ts';
import { createRouter } from '../create-router.ts';
import { sendPageFile } from '../send-page.ts';

/** Paths of the page's views; the page itself interprets the rest of the URL. */
const VIEWS = ['/search', '/library', '/graph', '/quality', '/settings', '/d/:document'];
/** Paths for programs, which never answer with the page, even to a browser. */
const FOR_PROGRAMS = /^\/(v1|v3|dify|mcp|assets|session)(\/|$)/;
/** For files of pdf.js, whose names do not change between versions. */
const DAY = 'public, max-age=86400';
/** For built files, whose names contain a hash of their content. */
const FOREVER = 'public, max-age=31536000, immutable';

/**
 * The web page: `/` for clients that prefer HTML (others fall through to the next route), its views, and its assets.
 * Public, because it gets all its data from the API.
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
    // `sendFile` refuses paths that leave the folder.
    sendPageFile(response, file, { root: `${folder}/assets`, cacheControl: FOREVER });
  });
  router.get('/assets/pdf/:file', (request, response) => {
    sendPageFile(response, request.params.file, { root: `${folder}/assets/pdf`, cacheControl: DAY });
  });
  return router;
}

/** Sends browsers at an unknown path the page with status 404; other clients fall through to the next handler. */
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
