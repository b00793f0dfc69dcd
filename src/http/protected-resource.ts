import type { RequestHandler } from 'express';
import {
  METADATA_PATH,
  metadataUrl,
  type ProtectedResource,
  protectedResourceMetadata,
} from '../access/protected-resource.ts';
import type { Mount } from './app.ts';

/** Tells clients without a token where to get one (RFC 9728, section 3). Public, and readable from any origin. */
export function protectedResource(describe: () => ProtectedResource): Mount {
  const handler: RequestHandler = (request, response, next) => {
    const { issuer, resource } = describe();
    const paths = ['/', '/mcp', new URL(metadataUrl(resource)).pathname.slice(METADATA_PATH.length) || '/'];
    if (request.method !== 'GET' || !paths.includes(request.path)) return next();
    response.set('Access-Control-Allow-Origin', '*');
    response.json(protectedResourceMetadata({ issuer, resource }));
  };
  return { path: METADATA_PATH, handler };
}
