export type { Config } from './config.ts';
export { loadConfig } from './config.ts';
export type { ErrorCode } from './errors.ts';
export { ServiceError } from './errors.ts';
export { createApp } from './http/app.ts';
export type { HttpServer } from './http/serve.ts';
export { listen } from './http/serve.ts';
export type { Services, ServicesOptions } from './services.ts';
export { createServices } from './services.ts';
