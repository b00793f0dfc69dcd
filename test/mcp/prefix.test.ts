import { describe, expect, it } from 'vitest';
import { toolsets } from '../../src/compose/toolsets.ts';
import { withPrefix } from '../../src/mcp/prefix.ts';

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
});
