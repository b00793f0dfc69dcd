import express from 'express';
import { answerFailure } from './failure.ts';
import type { HttpServices } from './http-services.ts';
import { requireHost } from './reject-invalid-host.ts';
import { healthRoutes } from './routes/health.ts';
import { metricsRoutes } from './routes/metrics.ts';
import { type Address, type HttpServer, listen } from './serve.ts';
import { unknownRoute } from './unknown-route.ts';

/** Serves `/health` and unauthenticated `/metrics`, for a process that serves no other requests. */
export function openProbeServer(services: HttpServices, address: Address): Promise<HttpServer> {
  const app = express();
  app.disable('x-powered-by');
  const isOpen = { ...services, opensMetrics: true };
  app.use(
    requireHost,
    healthRoutes(services),
    metricsRoutes(isOpen, (_request, _response, next) => next()),
  );
  app.use(unknownRoute, answerFailure(services.log));
  return listen(app, address);
}
