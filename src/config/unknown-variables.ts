import type { FieldIssue } from '../errors.ts';
import { misspelledName } from '../shared/nearest-name.ts';
import { issue } from './issue.ts';
import { PROVIDER_KEY } from './named-providers.ts';
import { variableNames } from './variables.ts';

/** Unknown variables with our prefix are errors, because a misspelled setting would silently have no effect. */
export const unknownVariables = (set: Readonly<Record<string, string>>): FieldIssue[] =>
  Object.keys(set)
    .filter((name) => name.startsWith(PREFIX) && !known.has(name) && !foreign.test(name))
    .filter((name) => !KUBERNETES.test(`${name}=${set[name]}`))
    .map((name) => issue(name, `is not a variable of Citewell${suggestion(name)}`));

const PREFIX = 'CITEWELL_';

/** Compares what follows the prefix, which would make every name similar. */
function suggestion(name: string): string {
  const meant = misspelledName(name.slice(PREFIX.length), ownNames);
  return meant === undefined ? '' : `; did you mean ${PREFIX}${meant}?`;
}

const ownNames = variableNames.filter((name) => name.startsWith(PREFIX)).map((name) => name.slice(PREFIX.length));
/**
 * Names with our prefix that are not in the schema: keys of providers (`namedProviders`), the variables in which
 * clients keep their key, credentials of sources, and variables of the tests.
 */
const foreign = new RegExp(`${PROVIDER_KEY.source}|^CITEWELL_(KEY|TOKEN|SOURCE_\\w+|TEST_\\w+)$`);
/** Variables that Kubernetes sets for each service of the namespace, such as "citewell" and "citewell-postgresql". */
const KUBERNETES =
  /^\w+?_(SERVICE_HOST=|SERVICE_PORT(_\w+)?=|PORT_\d+_(TCP|UDP|SCTP)(_(PROTO|PORT|ADDR))?=|PORT=(tcp|udp|sctp):\/\/)/;
const known: ReadonlySet<string> = new Set(variableNames);
