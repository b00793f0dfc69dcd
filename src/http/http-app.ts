import type { Authenticate } from '../access/credentials.ts';
import { createApp } from './app.ts';
import type { HttpServices } from './http-services.ts';
import type { App } from './serve.ts';

/**
 * The HTTP interface as a request handler for `listen`, or to mount in another server. Without `authenticate`,
 * everybody who can reach it acts as the default administrator.
 */
export const createHttpApp = (services: HttpServices, authenticate?: Authenticate): App =>
  createApp(services, authenticate);
