import { z } from 'zod';
import { explainIssue } from '../shared/explain-issue.ts';
import { jsonOrUndefined } from '../shared/text.ts';

/** A configured MCP server whose tools the agent may use. */
export interface ExternalServer {
  readonly name: string;
  readonly transport:
    | {
        readonly kind: 'stdio';
        readonly command: string;
        readonly args: readonly string[];
        /** Environment variables of the process, in addition to PATH, HOME and the like. */
        readonly env: Readonly<Record<string, string>>;
        readonly cwd?: string;
      }
    | { readonly kind: 'http'; readonly url: URL; readonly headers: Readonly<Record<string, string>> };
  /** Names of the selected tools, as the server calls them; `*` selects all. */
  readonly tools: readonly string[] | '*';
  /** Whether its resources may be followed as a source. */
  readonly resources?: boolean;
  /** Milliseconds after which a call is aborted. */
  readonly deadline: number;
}

const MAX_SERVERS = 20;
const DEFAULT_DEADLINE_SECONDS = 30;
/** Separator between server and tool in names shown to models. */
export const SEPARATOR = '__';

const NAME = /^[A-Za-z0-9](?:[A-Za-z0-9-]|_(?!_|$)){0,29}$/;
const strings = z.record(z.string(), z.string());
const http = ['http', 'streamable-http', 'streamableHttp'] as const;

const TOOLS_EXPECTED =
  'list the tools that the agent may use, as in ["search"], or write "*" for all that the server has';

const serverEntry = z.object({
  type: z
    .enum(['stdio', ...http], { error: 'expected stdio or http (Streamable HTTP; the older SSE is not supported)' })
    .optional(),
  command: z.string().min(1).optional(),
  args: z.array(z.string()).default([]),
  env: strings.default({}),
  cwd: z.string().min(1).optional(),
  url: z.string().optional(),
  // Alternative names used by some hosts.
  serverUrl: z.string().optional(),
  httpUrl: z.string().optional(),
  headers: strings.default({}),
  tools: z.union([z.literal('*'), z.array(z.string().min(1)).min(1)], { error: TOOLS_EXPECTED }).optional(),
  resources: z.boolean().default(false),
  deadline: z.number().min(1).max(600).default(DEFAULT_DEADLINE_SECONDS),
  disabled: z.boolean().default(false),
});

// Other members are host-specific and ignored.
const serversFile = z.looseObject({
  mcpServers: z.record(z.string(), z.unknown(), { error: 'expected {"mcpServers": {"<name>": {…}}}' }),
});

export interface ServersReading {
  readonly servers: readonly ExternalServer[];
  /** Problems, without a final full stop. Values are never repeated, because they may be secrets. */
  readonly complaints: readonly string[];
}

/** Parses the `mcpServers` notation of MCP hosts; expands `${NAME}` and `${NAME:-default}` from `variables`. */
export function readExternalServers(json: string, variables: Readonly<Record<string, string>>): ServersReading {
  const parsed = serversFile.safeParse(jsonOrUndefined(json));
  if (!parsed.success) {
    return {
      servers: [],
      complaints: ['expected JSON such as {"mcpServers": {"<name>": {"command": "…", "tools": ["…"]}}}'],
    };
  }
  const servers: ExternalServer[] = [];
  const complaints: string[] = [];
  for (const [name, given] of Object.entries(parsed.data.mcpServers)) {
    const complain = (problem: string) => complaints.push(`server "${name.slice(0, 60)}": ${problem}`);
    const server = readServer(name, given, variables, complain);
    if (server !== undefined) servers.push(server);
  }
  if (servers.length > MAX_SERVERS) complaints.push(`expected at most ${MAX_SERVERS} servers`);
  return { servers, complaints };
}

function readServer(
  name: string,
  given: unknown,
  variables: Readonly<Record<string, string>>,
  complain: (problem: string) => void,
): ExternalServer | undefined {
  if (!NAME.test(name)) {
    complain('expected a name of up to 30 letters, digits, - and single _');
    return undefined;
  }
  const missing = new Set<string>();
  const parsed = serverEntry.safeParse(expandVariables(given, variables, missing), { error: explainIssue });
  if (!parsed.success) {
    for (const { path, message } of parsed.error.issues) complain(`${path.join('.') || 'entry'}: ${message}`);
    return undefined;
  }
  const {
    disabled,
    tools = [],
    resources,
    deadline,
    type,
    command,
    args,
    env,
    cwd,
    headers,
    ...addresses
  } = parsed.data;
  if (disabled) return undefined;
  if (tools.length === 0 && !resources) {
    complain(`tools: ${TOOLS_EXPECTED}`);
    return undefined;
  }
  for (const variable of missing) complain(`the variable ${variable} is not set`);
  const common = {
    name,
    tools: tools === '*' || tools.includes('*') ? ('*' as const) : [...new Set(tools)],
    deadline: deadline * 1000,
    ...(resources && { resources }),
  };
  const address = addresses.url ?? addresses.serverUrl ?? addresses.httpUrl;
  if ((command === undefined) === (address === undefined)) {
    complain('expected either a command or a url');
    return undefined;
  }
  if (command !== undefined) {
    if (type !== undefined && type !== 'stdio') complain('a command goes with type stdio');
    return { ...common, transport: { kind: 'stdio', command, args, env, ...(cwd === undefined ? {} : { cwd }) } };
  }
  if (type === 'stdio') complain('a url goes with type http');
  const url = URL.parse(address ?? '');
  if (url === null || !/^https?:$/.test(url.protocol)) {
    complain('url: expected an http or https address');
    return undefined;
  }
  if (url.username !== '' || url.password !== '') complain('url: put credentials into headers');
  return { ...common, transport: { kind: 'http', url, headers } };
}

/** Expands variables in all strings of a value. */
function expandVariables(value: unknown, variables: Readonly<Record<string, string>>, missing: Set<string>): unknown {
  if (typeof value === 'string') {
    return value.replace(/\$\{([A-Za-z_]\w*)(?::-([^}]*))?\}/g, (_, name: string, standard?: string) => {
      const known = variables[name] ?? standard;
      if (known === undefined) missing.add(name);
      return known ?? '';
    });
  }
  if (Array.isArray(value)) return value.map((item) => expandVariables(item, variables, missing));
  if (typeof value !== 'object' || value === null) return value;
  return Object.fromEntries(
    Object.entries(value).map(([key, member]) => [key, expandVariables(member, variables, missing)]),
  );
}
