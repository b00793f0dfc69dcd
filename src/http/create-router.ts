import { type IRoute, type RequestHandler, Router } from 'express';
import { onlyMethods } from './unknown-route.ts';

const METHODS = ['GET', 'POST', 'PATCH', 'PUT', 'DELETE'] as const;

type Path = string | RegExp | string[];

/**
 * An Express router whose `get`, `post` and so on answer 405 to the path's other methods. `route` is unchanged, for
 * paths whose methods are spread over several routers.
 */
export function createRouter(): Router {
  const router = Router();
  const routes = new Map<string, { readonly route: IRoute; readonly methods: Set<string> }>();
  const open = (path: Path) => {
    const methods = new Set<string>();
    const route = router.route(path).all((request, response, next) => {
      if (methods.has(request.method === 'HEAD' ? 'GET' : request.method)) next();
      else onlyMethods(...METHODS.filter((method) => methods.has(method)))(request, response, next);
    });
    const opened = { route, methods };
    routes.set(String(path), opened);
    return opened;
  };
  for (const method of METHODS) {
    const name = method.toLowerCase() as Lowercase<typeof method>;
    const add = (path: Path, ...handlers: RequestHandler[]) => {
      const { route, methods } = routes.get(String(path)) ?? open(path);
      methods.add(method);
      route[name](...handlers);
      return router;
    };
    Object.assign(router, { [name]: add });
  }
  return router;
}
