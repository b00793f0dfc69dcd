import { expect, it } from 'vitest';
import { questionPart } from '../../../src/models/extractive/question-part.ts';

it.each([
  [
    'According to the document, what is quantum entanglement? You must use the search_file_knowledge tool.',
    'what is quantum entanglement?',
  ],
  ['Please answer in one sentence. Who founded the firm?', 'Who founded the firm?'],
  ['My invoice 4711 is overdue. How do I pay? Be brief.', 'My invoice 4711 is overdue. How do I pay?'],
  ['Wann wurde sie gebaut? Antworte kurz.', 'Wann wurde sie gebaut?'],
])('removes instructions beside the question: %s', (given, asked) => {
  expect(questionPart(given)).toBe(asked);
});

it.each([
  'Please list the vertices.',
  'Use of force',
  'You must wear a helmet. Why?',
  'What does "answer" mean in the texts of Kant?',
])('keeps everything that may be part of the question: %s', (given) => {
  expect(questionPart(given)).toBe(given);
});
