/** Colours of communities, largest first; each has a contrast of at least 3:1 to the background. */
const LIGHT = ['#1d5fbf', '#0b6b3a', '#a8201a', '#7a3fb0', '#8a5200', '#00707a', '#b0207f', '#4d6a00'];
const DARK = ['#86b4ff', '#7ddba5', '#ff9a92', '#cfa8ff', '#f3bd6b', '#6fd6e0', '#ff9fd8', '#c3db6b'];

export interface GraphColours {
  readonly communities: readonly string[];
  /** Nodes without a coloured community. */
  readonly other: string;
  readonly edge: string;
  readonly faded: string;
  readonly text: string;
  readonly surface: string;
}

export const MAX_COLOURS = LIGHT.length;

export const coloursOf = (isDark: boolean): GraphColours =>
  isDark
    ? { communities: DARK, other: '#a8b0bb', edge: '#4a5361', faded: '#2b313b', text: '#e8eaed', surface: '#1c2027' }
    : { communities: LIGHT, other: '#6a727c', edge: '#c3c8cf', faded: '#e6e8ea', text: '#1b1f24', surface: '#ffffff' };
