import { Client, StreamableHTTPClientTransport } from '@modelcontextprotocol/client';
import { AppBridge, getToolUiResourceUri, PostMessageTransport } from '@modelcontextprotocol/ext-apps/app-bridge';

// A host in the browser, as `basic-host` of the ext-apps package has it: the package's AppBridge between an MCP client
// and a sandboxed frame. The test calls `window.useTool`.

/** The content security policy that the extension's specification prescribes for apps that declare none. */
const POLICY =
  "default-src 'none'; script-src 'self' 'unsafe-inline'; style-src 'self' 'unsafe-inline'; img-src 'self' data:; media-src 'self' data:; connect-src 'none'";
const UI = 'io.modelcontextprotocol/ui';
const HTML = 'text/html;profile=mcp-app';

/** Calls a tool and shows its app with the result. */
window.useTool = async (name, given) => {
  const client = new Client(
    { name: 'app-host', version: '1.0.0' },
    { capabilities: { extensions: { [UI]: { mimeTypes: [HTML] } } } },
  );
  await client.connect(new StreamableHTTPClientTransport(new URL('/mcp', window.location.href)));
  const { tools } = await client.listTools();
  const tool = tools.find((each) => each.name === name);
  const uri = getToolUiResourceUri(tool);
  const { contents } = await client.readResource({ uri });
  const [page] = contents;
  if (page.mimeType !== HTML) throw new Error(`The app has the type ${page.mimeType}.`);
  const result = await client.callTool({ name, arguments: given });

  const bridge = new AppBridge(
    client,
    { name: 'app-host', version: '1.0.0' },
    { serverTools: {}, serverResources: {}, logging: {} },
    { hostContext: { theme: 'light', displayMode: 'inline', toolInfo: { tool } } },
  );
  const sizes = [];
  bridge.onsizechange = (size) => sizes.push(size);
  const { promise: shown, resolve } = Promise.withResolvers();
  bridge.oninitialized = async () => {
    await bridge.sendToolInput({ arguments: given });
    await bridge.sendToolResult(result);
    resolve();
  };
  const frame = document.createElement('iframe');
  frame.setAttribute('sandbox', 'allow-scripts');
  frame.style = 'width: 600px; height: 400px';
  document.body.replaceChildren(frame);
  await bridge.connect(new PostMessageTransport(frame.contentWindow, frame.contentWindow));
  frame.srcdoc = page.text.replace(
    '<meta charset',
    `<meta http-equiv="Content-Security-Policy" content="${POLICY}"><meta charset`,
  );
  await shown;
  window.host = { sizes, app: bridge.getAppVersion(), end: () => bridge.teardownResource({}) };
  return result;
};
