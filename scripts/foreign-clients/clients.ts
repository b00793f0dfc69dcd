import { execFile } from 'node:child_process';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { promisify } from 'node:util';
import { Client } from '@modelcontextprotocol/sdk/client/index.js';
import { StdioClientTransport } from '@modelcontextprotocol/sdk/client/stdio.js';

export type Transport = 'stdio' | 'http';

/** How a client reaches the server, and where its packages are installed. */
export interface ClientEnvironment {
  readonly transport: Transport;
  /** Folder that the client's packages are installed in. */
  readonly packages: string;
  /** Address of `/mcp` of a running server. */
  readonly url: string;
  /** Command that starts a stdio server on the data folder of that server. */
  readonly command: string;
  readonly args: readonly string[];
  readonly env: Readonly<Record<string, string>>;
}

export interface Connection {
  /** Names of the tools. */
  tools(): Promise<readonly string[]>;
  /** Calls a tool and returns what the client passes to its model, as text. Throws what the client throws. */
  call(tool: string, given: Readonly<Record<string, unknown>>): Promise<string>;
  close(): Promise<void>;
}

export interface ForeignClient {
  /** Packages with versions; the first is the client. */
  readonly packages: readonly [string, ...string[]];
  /** Supported transports; both if absent. */
  readonly transports?: readonly Transport[];
  connect(environment: ClientEnvironment): Promise<Connection>;
}

const CALL_MS = 30_000;

async function load<Module>({ packages }: ClientEnvironment, file: string): Promise<Module> {
  return import(pathToFileURL(join(packages, 'node_modules', file)).href);
}

type Execute = (given: object, options: object) => Promise<unknown>;

/** A connection through a library that represents tools as callable objects. */
function overTools(
  tools: ReadonlyMap<string, (given: object) => Promise<unknown>>,
  close: () => Promise<void>,
): Connection {
  return {
    tools: async () => [...tools.keys()],
    async call(name, given) {
      const tool = tools.get(name);
      if (tool === undefined) throw new Error(`it has no tool ${name}`);
      const got = await tool(given);
      return typeof got === 'string' ? got : JSON.stringify(got);
    },
    close,
  };
}

interface LangChainTool {
  readonly name: string;
  invoke(given: object): Promise<unknown>;
}

const langChain: ForeignClient = {
  packages: ['@langchain/mcp-adapters@1.1.4', '@langchain/core@1.4.0', '@langchain/langgraph@1.7.3'],
  async connect(environment) {
    const { transport, url, command, args, env } = environment;
    const { MultiServerMCPClient } = await load<{
      readonly MultiServerMCPClient: new (
        options: object,
      ) => { getTools(): Promise<readonly LangChainTool[]>; close(): Promise<void> };
    }>(environment, '@langchain/mcp-adapters/dist/index.js');
    const server = transport === 'http' ? { transport, url } : { transport, command, args, env };
    const client = new MultiServerMCPClient({ mcpServers: { citewell: server } });
    const tools = await client.getTools();
    return overTools(new Map(tools.map((tool) => [tool.name, (given) => tool.invoke(given)])), () => client.close());
  },
};

const mastra: ForeignClient = {
  packages: ['@mastra/mcp@2.0.0', '@mastra/core@1.71.0'],
  async connect(environment) {
    const { transport, url, command, args, env } = environment;
    const { MCPClient } = await load<{
      readonly MCPClient: new (
        options: object,
      ) => { listTools(): Promise<Record<string, { readonly execute: Execute }>>; disconnect(): Promise<void> };
    }>(environment, '@mastra/mcp/dist/index.js');
    const server = transport === 'http' ? { url: new URL(url) } : { command, args, env };
    const client = new MCPClient({ servers: { citewell: server }, timeout: CALL_MS });
    const tools = Object.entries(await client.listTools());
    return overTools(
      new Map(tools.map(([name, tool]) => [name.replace(/^citewell_/, ''), (given) => tool.execute(given, {})])),
      () => client.disconnect(),
    );
  },
};

const aiSdk: ForeignClient = {
  packages: ['@ai-sdk/mcp@2.0.99'],
  async connect(environment) {
    const { transport, url, command, args, env } = environment;
    const { createMCPClient } = await load<{
      createMCPClient(options: object): Promise<{
        tools(): Promise<Record<string, { readonly execute: Execute }>>;
        close(): Promise<void>;
      }>;
    }>(environment, '@ai-sdk/mcp/dist/index.js');
    const { Experimental_StdioMCPTransport: Stdio } = await load<{
      readonly Experimental_StdioMCPTransport: new (options: object) => object;
    }>(environment, '@ai-sdk/mcp/dist/mcp-stdio/index.js');
    const over = transport === 'http' ? { type: 'http', url } : new Stdio({ command, args, env });
    const client = await createMCPClient({ transport: over });
    const tools = Object.entries(await client.tools());
    return overTools(
      new Map(tools.map(([name, tool]) => [name, (given) => tool.execute(given, { toolCallId: '1', messages: [] })])),
      () => client.close(),
    );
  },
};

interface OpenAiServer {
  connect(): Promise<void>;
  listTools(): Promise<readonly { readonly name: string }[]>;
  callTool(name: string, given: object): Promise<unknown>;
  close(): Promise<void>;
}

const openAiAgents: ForeignClient = {
  packages: ['@openai/agents@0.20.0'],
  async connect(environment) {
    const { transport, url, command, args, env } = environment;
    const { MCPServerStreamableHttp, MCPServerStdio } = await load<{
      readonly MCPServerStreamableHttp: new (options: object) => OpenAiServer;
      readonly MCPServerStdio: new (options: object) => OpenAiServer;
    }>(environment, '@openai/agents/dist/index.mjs');
    const server =
      transport === 'http'
        ? new MCPServerStreamableHttp({ url, name: 'citewell' })
        : new MCPServerStdio({ command, args, env });
    await server.connect();
    const tools = await server.listTools();
    return overTools(new Map(tools.map(({ name }) => [name, (given) => server.callTool(name, given)])), () =>
      server.close(),
    );
  },
};

/** Uses both transports: it bridges a server over HTTP to hosts that only support stdio. */
const mcpRemote: ForeignClient = {
  packages: ['mcp-remote@0.15.1'],
  transports: ['http'],
  async connect({ packages, url, command, env }) {
    const proxy = join(packages, 'node_modules/mcp-remote/dist/proxy.js');
    const client = new Client({ name: 'check', version: '1' });
    const args = [proxy, url, '--transport', 'http-only', '--allow-http'];
    await client.connect(new StdioClientTransport({ command, args, env: { ...env }, stderr: 'ignore' }));
    const { tools } = await client.listTools();
    return overTools(
      new Map(tools.map(({ name }) => [name, (given) => client.callTool({ name, arguments: { ...given } })])),
      () => client.close(),
    );
  },
};

/** Runs the inspector's command line once per request. Over HTTP it uses revision 2026-07-28. */
const inspector: ForeignClient = {
  packages: ['@modelcontextprotocol/inspector@2.12.0'],
  async connect({ transport, packages, url, command, args, env }) {
    const program = join(packages, 'node_modules/@modelcontextprotocol/inspector/clients/launcher/build/index.js');
    const variables = Object.entries(env).flatMap(([name, value]) => ['-e', `${name}=${value}`]);
    const server = transport === 'http' ? [url, '--protocol-era', 'modern'] : [command, ...args, ...variables];
    const inspect = async (...given: readonly string[]) => {
      const options = { env: { ...process.env, ...env }, timeout: CALL_MS };
      try {
        return (await promisify(execFile)(process.execPath, [program, '--cli', ...server, ...given], options)).stdout;
      } catch (error) {
        // A tool error also leads to a non-zero exit code.
        const { stdout = '' } = error as { readonly stdout?: string };
        if (stdout.includes('"isError":true')) return stdout;
        throw error;
      }
    };
    // --strict also checks the list for schema features that some models do not understand.
    const listed = JSON.parse(await inspect('--method', 'tools/list', '--strict', '--format', 'json')) as {
      readonly result: { readonly tools: readonly { readonly name: string }[] };
    };
    const call = (name: string) => async (given: object) =>
      inspect(
        ...['--method', 'tools/call', '--tool-name', name],
        ...['--tool-args-json', JSON.stringify(given), '--format', 'json'],
      );
    return overTools(new Map(listed.result.tools.map(({ name }) => [name, call(name)])), async () => {});
  },
};

export const foreignClients: Readonly<Record<string, ForeignClient>> = {
  LangChain: langChain,
  Mastra: mastra,
  'AI SDK': aiSdk,
  'OpenAI Agents': openAiAgents,
  'mcp-remote': mcpRemote,
  Inspector: inspector,
};
