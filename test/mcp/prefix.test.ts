import { Client } from '@modelcontextprotocol/client';
import { InMemoryTransport } from '@modelcontextprotocol/server';
import { describe, expect, it, onTestFinished } from 'vitest';
import { defaultAdmin } from '../../src/access/principal.ts';
import { toolsets } from '../../src/compose/toolsets.ts';
import type { Document } from '../../src/documents/document.ts';
import type { Backend } from '../../src/mcp/backend.ts';
import { withPrefix } from '../../src/mcp/prefix.ts';
import { mcpServers } from '../../src/mcp/server.ts';

const naming = withPrefix('kb_', Object.values(toolsets).flat());

describe('a prefix of tool names', () => {
  it.each([
    ['Search first (search_file_knowledge).', 'Search first (kb_search_file_knowledge).'],
    ['To read around it use content with around_chunk_id.', 'To read around it use kb_content with around_chunk_id.'],
    ['It looks at the content of files.', 'It looks at the content of files.'],
  ])('is added where the product’s own text names a tool: %s', (before, after) => {
    expect(naming.text(before)).toBe(after);
  });

  it.each([
    ['More: call content again with the same arguments.', 'More: call kb_content again with the same arguments.'],
    ['(cut; the rest: get_file_content with offset=1)', '(cut; the rest: kb_get_file_content with offset=1)'],
    ['They call get_file_content a function.', 'They call get_file_content a function.'],
    ['{"content": "search_file_knowledge"}', '{"content": "search_file_knowledge"}'],
  ])('is added to hints in results, but not to document text: %s', (before, after) => {
    const { content } = naming.result({ content: [{ type: 'text', text: before }] });
    expect(content).toEqual([{ type: 'text', text: after }]);
  });

  it('is added to the call that continues a document read as a resource', async () => {
    const document = async () => ({ document: { id: 'd' } as Document, text: 'x'.repeat(400_001) });
    const backend = { document, onChange: () => () => {} } as Partial<Backend> as Backend;
    const offer = { tools: toolsets['retrieval'] ?? [], absent: [] };
    const server = mcpServers({ backend, offer, folders: [], prefix: 'kb_', version: '0.0.0' })(defaultAdmin);
    const [own, other] = InMemoryTransport.createLinkedPair();
    await server.connect(own);
    const client = new Client({ name: 'test', version: '1.0.0' });
    await client.connect(other);
    onTestFinished(() => client.close());
    const [part] = (await client.readResource({ uri: 'kb://documents/d' })).contents;
    expect(part).toMatchObject({ text: expect.stringMatching(/the rest: kb_get_file_content with document_id="d"/) });
  });
});
