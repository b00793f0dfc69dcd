import type { CommunityGroup } from './find-communities.ts';
import type { Community, Entity, Relationship } from './graph.ts';

const MAX_NAMED_MEMBERS = 3;
const MAX_SUMMARY_LENGTH = 900;
const MAX_FINDINGS = 10;
const MAX_FINDING_LENGTH = 300;

/** Describes a community in the words of its documents: without a model, deterministic. */
export function describeCommunity(group: CommunityGroup): Community {
  const { rating, ratingExplanation } = rateCommunity(group);
  return {
    name: nameOf(group.members),
    summary: summaryOf(group),
    findings: findingsOf(group.relationships),
    rating,
    ratingExplanation,
    level: group.level,
    members: group.members.map(({ name }) => name),
  };
}

/** Importance of a community from 1 to 10, by its share of the graph, its size and its cohesion. */
function rateCommunity({
  members,
  relationships,
  cohesion,
  reach,
}: CommunityGroup): Pick<Community, 'rating' | 'ratingExplanation'> {
  const size = Math.min(1, Math.log2(members.length) / 7);
  const rating = Math.round(10 * (1 + 9 * (0.45 * size + 0.3 * Math.sqrt(reach) + 0.25 * cohesion))) / 10;
  const percent = (share: number): string => `${(100 * share).toFixed(share < 0.1 ? 1 : 0)} %`;
  const [central] = members;
  return {
    rating: Math.min(10, Math.max(1, rating)),
    ratingExplanation:
      `${members.length} entities with ${relationships.length}${relationships.length >= 200 ? ' or more' : ''} ` +
      `relationships among them${central ? `, most of them around ${central.name}` : ''}; it touches ${percent(reach)} of the ` +
      `graph by weight, and ${percent(cohesion)} of what it touches lies within it.`,
  };
}

/** Named after the most central members, without dates. */
function nameOf(members: readonly Entity[]): string {
  const named = members.filter(({ category }) => category !== 'date');
  const names = (named.length > 0 ? named : members).slice(0, MAX_NAMED_MEMBERS).map(({ name }) => name);
  const last = names.pop() ?? '';
  return names.length === 0 ? last : `${names.join(', ')} and ${last}`;
}

function summaryOf({ members, relationships }: CommunityGroup): string {
  const parts: string[] = [];
  let length = 0;
  const add = (text: string): boolean => {
    if (text === '' || parts.includes(text)) return true;
    if (length + text.length > MAX_SUMMARY_LENGTH) return false;
    parts.push(text);
    length += text.length + 1;
    return true;
  };
  // Descriptions of the most central members first, then those of relationships between members.
  for (const { description } of members.slice(0, 6)) add(description);
  for (const { description } of relationships.slice(0, 12)) if (!add(description)) break;
  const rest = members.length - MAX_NAMED_MEMBERS;
  if (rest > 0)
    add(
      `Also: ${members
        .slice(MAX_NAMED_MEMBERS, MAX_NAMED_MEMBERS + 12)
        .map(({ name }) => name)
        .join(', ')}.`,
    );
  return parts.join(' ');
}

/** One line for each of the strongest relationships; stated ones before mere co-occurrences. */
function findingsOf(relationships: readonly Relationship[]): string[] {
  const findings = relationships.map(({ subject, predicate, object, description }) => {
    const fact = `${subject} ${predicate.replaceAll('_', ' ')} ${object}`;
    const quoted = description === '' || description === fact ? fact : `${fact}: ${description}`;
    return quoted.length > MAX_FINDING_LENGTH ? `${quoted.slice(0, MAX_FINDING_LENGTH - 1).toWellFormed()}…` : quoted;
  });
  return [...new Set(findings)].slice(0, MAX_FINDINGS);
}
