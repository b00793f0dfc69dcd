import type { CommunityGroup } from './find-communities.ts';
import type { Community, Entity, Relationship } from './graph.ts';

const NAMED = 3;
const MAX_SUMMARY = 900;
const MAX_FINDINGS = 10;
const MAX_FINDING = 300;

/** What a community is about in the words of its documents: made without a model, the same for the same group. */
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

/** How much a community matters: 1 to 10, by what part of the graph it touches, how large and how close it is. */
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

/** The most central members; dates name nothing. */
function nameOf(members: readonly Entity[]): string {
  const named = members.filter(({ category }) => category !== 'date');
  const names = (named.length > 0 ? named : members).slice(0, NAMED).map(({ name }) => name);
  const last = names.pop() ?? '';
  return names.length === 0 ? last : `${names.join(', ')} and ${last}`;
}

function summaryOf({ members, relationships }: CommunityGroup): string {
  const parts: string[] = [];
  let length = 0;
  const add = (text: string): boolean => {
    if (text === '' || parts.includes(text)) return true;
    if (length + text.length > MAX_SUMMARY) return false;
    parts.push(text);
    length += text.length + 1;
    return true;
  };
  // The most central members introduce themselves; what is said of two of them follows.
  for (const { description } of members.slice(0, 6)) add(description);
  for (const { description } of relationships.slice(0, 12)) if (!add(description)) break;
  const rest = members.length - NAMED;
  if (rest > 0)
    add(
      `Also: ${members
        .slice(NAMED, NAMED + 12)
        .map(({ name }) => name)
        .join(', ')}.`,
    );
  return parts.join(' ');
}

/** One line for each of the heaviest relationships; those that are stated come before those that only occur together. */
function findingsOf(relationships: readonly Relationship[]): string[] {
  const findings = relationships.map(({ subject, predicate, object, description }) => {
    const fact = `${subject} ${predicate.replaceAll('_', ' ')} ${object}`;
    const quoted = description === '' || description === fact ? fact : `${fact}: ${description}`;
    return quoted.length > MAX_FINDING ? `${quoted.slice(0, MAX_FINDING - 1).toWellFormed()}…` : quoted;
  });
  return [...new Set(findings)].slice(0, MAX_FINDINGS);
}
