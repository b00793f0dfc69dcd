import { describe, expect, it } from 'vitest';
import {
  nameWithOptions,
  narrowGraph,
  plainName,
  readExtractorOptions,
  writeExtractorOptions,
} from '../../src/graph/extractor-options.ts';
import { graphWork } from '../../src/http/wire/graph-request.ts';

describe('the options of an extraction', () => {
  it('are stored as the plain model name when nothing else is set, as in earlier versions', () => {
    expect(writeExtractorOptions({})).toBeNull();
    expect(writeExtractorOptions({ model: 'openai/x' })).toBe('openai/x');
    expect(readExtractorOptions('openai/x')).toEqual({ model: 'openai/x' });
    expect(readExtractorOptions(null)).toEqual({});
  });

  it('are read from R2R’s settings, and round-trip through their stored form', () => {
    const settings = {
      generation_config: { model: 'openai/x' },
      entity_types: ['person'],
      relationTypes: ['founded'],
      chunk_merge_count: 2,
      max_knowledge_relationships: 7,
    };
    const { model, extractor } = graphWork.parse({ settings });
    expect(model).toBe('openai/x');
    expect(readExtractorOptions(extractor)).toEqual({
      model: 'openai/x',
      entityTypes: ['person'],
      relationTypes: ['founded'],
      chunksPerCall: 2,
      maxRelationships: 7,
    });
  });

  it('distinguish graphs extracted with other options', () => {
    const name = nameWithOptions('openai/x', { model: 'openai/x', entityTypes: ['person'] });
    expect(name).not.toBe(nameWithOptions('openai/x', { entityTypes: ['place'] }));
    expect(plainName(name)).toBe('openai/x');
    expect(nameWithOptions('openai/x', { model: 'openai/x' })).toBe('openai/x');
  });

  it('are ignored by an extractor that does not support them', () => {
    const entity = (name: string, category: string) => ({
      name,
      category,
      description: '',
      metadata: {},
      mentions: [],
    });
    const relation = (subject: string, predicate: string, object: string, weight: number) => ({
      subject,
      predicate,
      object,
      weight,
      description: '',
      metadata: {},
      mentions: [],
    });
    const graph = {
      entities: [entity('Ada', 'person'), entity('Bo', 'Person'), entity('Oslo', 'place')],
      relationships: [
        relation('Ada', 'lives_in', 'Oslo', 9),
        relation('Ada', 'knows', 'Bo', 1),
        relation('Bo', 'works-with', 'Ada', 5),
      ],
    };
    expect(narrowGraph(graph, {})).toEqual(graph);
    const people = narrowGraph(graph, { entityTypes: ['PERSON'], maxRelationships: 1 });
    expect(people.entities.map(({ name }) => name)).toEqual(['Ada', 'Bo']);
    expect(people.relationships.map(({ predicate }) => predicate)).toEqual(['works-with']);
    expect(narrowGraph(graph, { relationTypes: ['works with'] }).relationships).toHaveLength(1);
  });
});
