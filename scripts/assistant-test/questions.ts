/** Files of this repository, copied into one folder; none was written for the questions. */
export const FILES = [
  ...['annual-report-2024.pdf', 'booking-terms.docx', 'fares.csv', 'fleet.json'].map(
    (file) => `scripts/samples/${file}`,
  ),
  ...['handbook.md', 'island-history.txt', 'tide_window.py', 'timetable.html'].map((file) => `scripts/samples/${file}`),
  ...['allotment/diary.txt', 'allotment/rules.md', 'band/1.eml', 'band/2.eml'].map(inSmallFolders),
  ...['school/letter.txt', 'school/menu.md', 'praxis/info.md'].map(inSmallFolders),
  ...['documentation', 'encyclopedia', 'magazine'].map((layout) => `test/fixtures/pages/${layout}.en.html`),
  ...['architecture', 'decisions', 'mcp', 'performance', 'quality', 'r2r'].map((name) => `docs/${name}.md`),
  ...['sandbox', 'security-untrusted-text', 'streaming', 'use-as-a-library'].map((name) => `docs/${name}.md`),
  'SECURITY.md',
  'src/store/process-identity.ts',
];

function inSmallFolders(file: string): string {
  return `test/fixtures/small-folders/${file}`;
}

export interface Question {
  readonly question: string;
  readonly file: string;
  /** Matches a passage that answers the question, after runs of white space have been replaced by one space. */
  readonly says: RegExp;
}

/** Written from the files alone, before any search, and unchanged since. */
export const QUESTIONS: readonly Question[] = [
  {
    file: 'handbook.md',
    question: 'What happens if the passenger count is missing?',
    says: /A missing count delays/,
  },
  {
    file: 'handbook.md',
    question: 'Where is the defibrillator on the ferries?',
    says: /hang beside the galley door/,
  },
  { file: 'fares.csv', question: 'How much does a ten-trip card cost?', says: /ten-trip card.{0,40}540/ },
  { file: 'fleet.json', question: 'How long does the Terna take to charge?', says: /charging_minutes\W{0,8}22/ },
  {
    file: 'island-history.txt',
    question: 'Who kept the lighthouse on Ytre Skerry for thirty-four years?',
    says: /Marta Lindgaard, took over/,
  },
  {
    file: 'tide_window.py',
    question: 'How much water does the skipper need over the sill at Lunga?',
    says: /needs at least 2\.4 metres of water/,
  },
  {
    file: 'timetable.html',
    question: 'When does the last ferry leave Ytre Skerry for Nordhaven?',
    says: /Havdis\W{1,8}18:50/,
  },
  {
    file: 'annual-report-2024.pdf',
    question: 'How much is put aside each year for a new battery for the Terna?',
    says: /400,000 kroner a year/,
  },
  {
    file: 'annual-report-2024.pdf',
    question: 'Why did the rescue boat fail to start?',
    says: /cause was water in the fuel/,
  },
  {
    file: 'booking-terms.docx',
    question: 'What do I get back if the ferry is over 45 minutes late?',
    says: /a quarter of the price/,
  },
  { file: 'diary.txt', question: 'What killed the courgettes?', says: /Frost during the night/ },
  { file: 'rules.md', question: 'When may I light a bonfire on the allotment?', says: /first Saturday of a month/ },
  { file: '1.eml', question: 'Why do we have to bring our own amplifiers?', says: /were stolen in spring/ },
  { file: '2.eml', question: 'Who replaces Jule on the drums?', says: /Tomasz would fill/ },
  { file: 'letter.txt', question: 'What does the museum trip cost per child?', says: /14 pounds a child/ },
  { file: 'menu.md', question: 'What is for dessert on Tuesday?', says: /Tuesday.{0,30}Rice pudding/ },
  { file: 'info.md', question: 'Wann ist die Tierarztpraxis nachmittags geöffnet?', says: /von 16 bis 19 Uhr/ },
  {
    file: 'magazine.en.html',
    question: 'What made the doubters change their minds?',
    says: /a line of mud on a kitchen wall/,
  },
  {
    file: 'streaming.md',
    question: 'How long can the events of an ended run be read?',
    says: /Ended runs can be read for 10 minutes/,
  },
  { file: 'SECURITY.md', question: 'How soon is a vulnerability report answered?', says: /an answer within a week/ },
];
