import type { Config } from '../config.ts';
import { errorMessage } from '../shared/error-message.ts';
import { launchBrowser } from '../web/browser.ts';
import { describeWeb, webFacts } from '../web/describe-web.ts';
import type { Finding } from './doctor-checks.ts';

/** Which search services are configured (none is called), and whether a configured browser starts. */
export async function checkWeb({ web }: Pick<Config, 'web'>): Promise<Finding> {
  const name = 'Web';
  const detail = describeWeb(webFacts(web));
  if (web.browser !== undefined) {
    try {
      await (await launchBrowser(web.browser)).close();
    } catch (error) {
      const why = errorMessage(error);
      const fix = 'Correct or remove CITEWELL_BROWSER; only pages that need scripts are affected.';
      return { name, state: 'warning', detail: `${detail}. ${why}`, fix };
    }
  }
  if (web.engines.length > 0) return { name, state: 'ok', detail };
  const fix =
    'For web_search set SEARXNG_URL, BRAVE_API_KEY, SERPER_API_KEY, TAVILY_API_KEY or EXA_API_KEY ' +
    '(those that CITEWELL_WEB_SEARCH names, where it is set).';
  return { name, state: 'warning', detail, fix };
}
