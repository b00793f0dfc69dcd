import express, { type Express } from 'express';

export interface Route {
  readonly method: string;
  /** As mounted, `/v3/documents/:id`. */
  readonly path: string;
}

interface Layer {
  readonly route?: {
    readonly path: string | RegExp | readonly string[];
    readonly methods: Readonly<Record<string, boolean>>;
  };
  readonly handle: object;
}

/** Records the paths under which routers are mounted, which Express does not keep. */
export function watchMounts() {
  const mounts = new Map<unknown, string>();
  const prototype = express.Router.prototype as { use: (...args: unknown[]) => unknown };
  const { use } = prototype;
  const apps: { stack: Layer[] }[] = [];
  prototype.use = function (this: { stack: Layer[] }, ...args: unknown[]) {
    const [path, ...handlers] = typeof args[0] === 'string' ? [args[0], ...args.slice(1)] : ['', ...args];
    for (const handler of handlers.flat(3)) mounts.set(handler, path === '/' ? '' : (path as string));
    if (!apps.includes(this)) apps.push(this);
    return use.apply(this, args);
  };
  const walk = async (stack: readonly Layer[], prefix: string): Promise<Route[]> => {
    const routes = await Promise.all(stack.map((layer) => routesIn(layer, prefix)));
    return routes.flat();
  };
  const routesIn = async ({ route, handle }: Layer, prefix: string): Promise<Route[]> => {
    if (route !== undefined) {
      const methods = Object.keys(route.methods).filter((name) => name !== '_all');
      const paths = [route.path].flat().map((path) => `${prefix}${path === '/' ? '' : path}`);
      return paths.flatMap((path) => methods.map((method) => ({ method: method.toUpperCase(), path: path || '/' })));
    }
    const { load } = handle as { load?: () => Promise<Layer['handle']> };
    const { stack } = (load === undefined ? handle : await load()) as Partial<Express> & { stack?: Layer[] };
    return stack === undefined ? [] : walk(stack, `${prefix}${mounts.get(handle) ?? ''}`);
  };
  return {
    stop: () => {
      prototype.use = use;
    },
    /** Routes of the app, whose router is not mounted itself; loads those that are loaded on demand. */
    routesOf: async (): Promise<readonly Route[]> => {
      const root = apps.find((app) => !mounts.has(app)) ?? { stack: [] };
      const found = await walk(root.stack, '');
      return [...new Map(found.map((route) => [`${route.method} ${route.path}`, route])).values()];
    },
  };
}
