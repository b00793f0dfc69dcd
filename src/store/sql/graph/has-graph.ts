/** The tables that hold the content of graphs; all are empty where no graph has any. */
const GRAPH_TABLES = ['graph_names', 'graph_entities', 'graph_relationships', 'graph_communities'];

/** Whether any graph has content: one row with `has_graph`, in the SQL of both engines. */
export const HAS_GRAPH = `select ${GRAPH_TABLES.map((table) => `exists (select 1 from ${table})`).join(' or ')} as has_graph`;
