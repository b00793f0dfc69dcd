import { executeFor } from './execute-for.ts';
import type { SharedStep } from './shared-steps.ts';

/** Characters of a text that the index holds. Of longer texts, the beginnings are compared. */
export const MAX_INDEXED_TEXT = 64;

// A member that is no list is read like a list of one element.
const ELEMENTS = `json_each(case member.type when 'array' then member.value when 'true' then '[true]'
  when 'false' then '[false]' when 'text' then json_array(member.value) when 'integer' then json_array(member.value)
  when 'real' then json_array(member.value) else '[]' end)`;

/**
 * The rows of `metadata_values` for the document `row`: the scalars among the members of its metadata, and in their
 * lists. Numbers are kept as numbers, and a text that is a number in both forms.
 */
const valuesOf = (row: string, documents = '') => {
  const scalars = `from ${documents} json_each(${row}.metadata) as member, ${ELEMENTS} as element
    join metadata_fields as field on field.name = member.key`;
  return `
    select field.key, case element.type when 'text' then substr(element.value, 1, ${MAX_INDEXED_TEXT})
      when 'true' then 'true' when 'false' then 'false' else cast(element.value as real) end, ${row}.key ${scalars}
    where element.type in ('text', 'true', 'false', 'integer', 'real')
    union all
    select field.key, cast(element.value as real), ${row}.key ${scalars}
    where element.type = 'text' and json_valid(element.value) and json_type(element.value) in ('integer', 'real')`;
};

const ADD = `
  insert or ignore into metadata_fields (name) select member.key from json_each(new.metadata) as member;
  insert or ignore into metadata_values (field, value, document_key) ${valuesOf('new')};`;
// With the union directly inside `in`, SQLite would read the whole table.
const REMOVE = `
  delete from metadata_values where (field, value, document_key) in (select * from (${valuesOf('old')}));`;

/** Statements that create the index, its triggers, and its rows for the documents that exist. */
export const SQLITE_METADATA_INDEX = [
  'create table metadata_fields (key integer primary key, name text not null unique)',
  `create table metadata_values (field integer not null, value not null, document_key integer not null,
    primary key (field, value, document_key)) without rowid`,
  `create trigger metadata_values_added after insert on documents when new.metadata <> '{}' begin ${ADD} end`,
  `create trigger metadata_values_changed after update of metadata on documents when new.metadata <> old.metadata
    begin ${REMOVE} ${ADD} end`,
  `create trigger metadata_values_removed after delete on documents when old.metadata <> '{}' begin ${REMOVE} end`,
  'insert into metadata_fields (name) select distinct member.key from documents, json_each(documents.metadata) as member',
  `insert or ignore into metadata_values (field, value, document_key) ${valuesOf('documents', 'documents,')}`,
] as const;

/**
 * An index of the values in the metadata of documents, so that a selective filter reads only the documents that can
 * pass. Triggers maintain it, also for servers of earlier versions. Only for SQLite, whose filters would read every
 * document.
 */
export const metadataValues: SharedStep = {
  worksFrom: 25,
  up: (database) => executeFor(database, { sqlite: SQLITE_METADATA_INDEX, postgres: [] }),
};
