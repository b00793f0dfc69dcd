/** Configuration for one assistant, and where to paste it. */
export interface Assistant {
  readonly name: string;
  readonly where: string;
  readonly text: string;
}

export interface ServerFacts {
  /** Origin of this server, `http://host:port`. */
  readonly origin: string;
  /** Whether requests need a key. */
  readonly needsKey: boolean;
}

/** Placeholder for a key. */
export const KEY_PLACE = 'YOUR-API-KEY';

/** Configuration that connects each assistant to this server over MCP's HTTP transport. */
export function assistantsOf({ origin, needsKey }: ServerFacts): readonly Assistant[] {
  const url = `${origin}/mcp`;
  const bearer = `Bearer ${KEY_PLACE}`;
  const headers = needsKey ? { headers: { Authorization: bearer } } : {};
  const shellHeader = needsKey ? ` --header "Authorization: ${bearer}"` : '';
  const json = (value: object): string => JSON.stringify(value, null, 2);
  const bridge = ['-y', 'mcp-remote', url, ...(needsKey ? ['--header', `Authorization:${bearer}`] : [])];
  return [
    {
      name: 'Claude Code',
      where: 'In a shell.',
      text: `claude mcp add --transport http citewell ${url}${shellHeader}`,
    },
    {
      name: 'Claude Desktop',
      where: 'claude_desktop_config.json. It starts its own servers, so a bridge connects it to this one.',
      text: json({ mcpServers: { citewell: { command: 'npx', args: bridge } } }),
    },
    {
      name: 'Cursor',
      where: '.cursor/mcp.json of a project, or ~/.cursor/mcp.json.',
      text: json({ mcpServers: { citewell: { url, ...headers } } }),
    },
    {
      name: 'VS Code',
      where: '.vscode/mcp.json, or the MCP settings of the user.',
      text: json({ servers: { citewell: { type: 'http', url, ...headers } } }),
    },
    {
      name: 'Windsurf',
      where: '~/.codeium/windsurf/mcp_config.json',
      text: json({ mcpServers: { citewell: { serverUrl: url, ...headers } } }),
    },
    {
      name: 'Gemini CLI',
      where: '~/.gemini/settings.json',
      text: json({ mcpServers: { citewell: { httpUrl: url, ...headers } } }),
    },
    {
      name: 'Codex',
      where: needsKey
        ? 'In a shell; the key is read from the variable CITEWELL_KEY of the shell that Codex is started in.'
        : 'In a shell.',
      text: `codex mcp add citewell --url ${url}${needsKey ? ' --bearer-token-env-var CITEWELL_KEY' : ''}`,
    },
    {
      name: 'R2R, OpenAI clients',
      where: 'The base address of R2R’s clients, and of OpenAI’s for chat completions.',
      text: `${origin}\n${origin}/v1`,
    },
  ];
}
