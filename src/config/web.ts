import type { z } from 'zod';
import { engineNames, type WebSettings } from '../web/web-settings.ts';
import type { variables } from './variables.ts';

type Values = z.output<typeof variables>;

/** Search engines that have a key or address, in the configured order; engines that are not listed are not used. */
export function webSettings(value: Values, set: Readonly<Record<string, string>>): WebSettings {
  const access = {
    searxng: value.SEARXNG_URL,
    brave: value.BRAVE_API_KEY,
    serper: value.SERPER_API_KEY,
    tavily: value.TAVILY_API_KEY,
    exa: value.EXA_API_KEY,
  };
  const order = [...new Set(value.CITEWELL_WEB_SEARCH ?? engineNames)];
  // As in other programs, the lower-case names take precedence.
  const http = set['http_proxy'] ?? value.HTTP_PROXY;
  const https = set['https_proxy'] ?? value.HTTPS_PROXY;
  const except = set['no_proxy'] ?? value.NO_PROXY;
  return {
    openHosts: value.CITEWELL_ALLOW_HOSTS ?? [],
    obeysRobots: value.CITEWELL_OBEY_ROBOTS,
    engines: order.flatMap((name) => {
      const given = access[name];
      return given === undefined ? [] : [{ name, access: given }];
    }),
    ...(value.CITEWELL_BROWSER && { browser: value.CITEWELL_BROWSER }),
    ...((http || https) && { proxy: { http, https, except, resolvesNames: value.CITEWELL_PROXY_RESOLVES } }),
  };
}
