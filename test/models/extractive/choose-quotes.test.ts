import { describe, expect, it } from 'vitest';
import { chooseQuotes } from '../../../src/models/extractive/choose-quotes.ts';
import { answerFeatures } from '../../../src/models/extractive/confidence.ts';
import { readQuestion } from '../../../src/models/extractive/question.ts';
import { rankSentences } from '../../../src/models/extractive/rank-sentences.ts';
import { analyse, analyseQuery } from '../../../src/store/full-text/analyse.ts';
import { PROMPTLY_MS } from '../../support/patience.ts';

const analyser = { analyse, analyseQuery };

function quotesFor(question: string, texts: readonly string[], limit?: number): string[] {
  const sources = texts.map((text) => ({ text, about: '' }));
  return chooseQuotes({ question, sources, analyser, ...(limit !== undefined && { limit }) }).quotes.map(
    ({ sourceIndex, start, end }) => texts[sourceIndex]?.slice(start, end) ?? '',
  );
}

const history = [
  'The library of Alden was opened in 1911. Maria Lopez designed the building. It holds 240,000 books. Many visitors come in the summer months.',
  'Alden lies at the river Wend. The town has a library, a theatre and two schools. In 1911 the first bus ran.',
  'Opening hours of the library are from nine to five. On Sundays it is closed because the staff rests.',
];

describe('chooseQuotes', () => {
  it('leaves out labels that only repeat words of the question, and keeps statements that do', () => {
    const manual =
      'OSTYPE\n\nA string that describes the operating system. The default is system-dependent.\n\nPIPESTATUS\n\nAn array ' +
      'with the exit status of each process of the most recent pipeline.\n\nPPID\n\nThis variable is read only.';
    for (const question of ['What does the variable PIPESTATUS contain?', 'What is PIPESTATUS?']) {
      const quotes = quotesFor(question, [manual]);
      expect(quotes[0]).toBe('An array with the exit status of each process of the most recent pipeline.');
      expect(quotes).not.toContain('PIPESTATUS');
    }
    const rules = 'Dogs are allowed on a lead. Smoking is allowed on deck. The deck is open from May to September.';
    expect(quotesFor('Is smoking allowed on deck?', [rules])[0]).toMatch(/^Smoking is allowed on deck\./);
  });

  it('prefers the description of a command to its synopsis', () => {
    const manual =
      'git-stash - Stash the changes in a dirty working directory away\n\ngit stash drop [-q | --quiet] [<stash>] git stash ' +
      'pop [--index] [-q | --quiet] [<stash>]\n\nWith git stash pop, a single state is applied to the working tree.';
    const [first] = quotesFor('What does git stash pop do?', [manual]);
    expect(first).toBe('With git stash pop, a single state is applied to the working tree.');
  });

  it.each([
    ['who', 'Who designed the library of Alden?', history, 'Maria Lopez designed the building.'],
    ['when', 'When was the library of Alden opened?', history, 'The library of Alden was opened in 1911.'],
    ['how many', 'How many books does the library hold?', history, '240,000 books'],
    ['why', 'Why is the library closed on Sundays?', history, 'because the staff rests'],
    [
      'what follows an announcement',
      'What are the fees of the library of Alden?',
      ['The fees of the library of Alden are these:\n\nMembers of the library pay fees of two crowns a year.'],
      'Members of the library pay fees of two crowns a year.',
    ],
    [
      'a row of a table',
      'What is the area of Bonn?',
      ['| City | Area |\n|---|---|\n| Bonn | 141 km² |\n| Cologne | 405 km² |\n\nThe area of a city changes.'],
      '| Bonn | 141 km² |',
    ],
    [
      'German',
      'Wie viele Bücher hat die Bibliothek?',
      ['Die Bibliothek liegt am Fluss. Sie hat 240.000 Bücher. Im Sommer kommen viele Besucher.'],
      '240.000 Bücher',
    ],
    ['Chinese', '图书馆有多少本书？', ['图书馆位于河边。图书馆共有24万本书。夏天有很多游客。'], '图书馆共有24万本书。'],
    [
      'Japanese',
      '図書館には何冊の本がありますか',
      ['図書館は川沿いにあります。図書館には24万冊の本があります。夏は観光客が多いです。'],
      '24万冊の本',
    ],
    [
      'Russian',
      'Сколько книг в библиотеке?',
      ['Библиотека стоит у реки. В библиотеке хранится 240 тысяч книг. Летом много гостей.'],
      '240 тысяч книг',
    ],
    [
      'Thai',
      'ห้องสมุดมีหนังสือกี่เล่ม',
      ['ห้องสมุดตั้งอยู่ริมแม่น้ำใกล้กับตลาดเก่าของเมืองและสถานีรถไฟ ห้องสมุดมีหนังสือทั้งหมด 240,000 เล่ม'],
      '240,000 เล่ม',
    ],
  ])('finds the answer: %s', (_name, question, texts, expected) => {
    expect(quotesFor(question, texts, 2).join(' | ')).toContain(expected);
  });

  it.each([
    [
      'the thing asked about is not there',
      'What is the capital of Mars?',
      ['The capital of France is Paris.', 'Capital letters open a sentence.'],
    ],
    [
      'the same in lower case',
      'what is the capital of mars',
      ['The capital of France is Paris.', 'Capital letters open a sentence.'],
    ],
    ['nothing is about it', 'Who won the chess championship in 1972?', history],
    [
      'German',
      'Wer gewann 1972 die Schachweltmeisterschaft?',
      ['Die Bibliothek liegt am Fluss. Sie hat 240.000 Bücher.'],
    ],
    ['Chinese', '谁赢得了国际象棋冠军？', ['图书馆位于河边。图书馆共有24万本书。']],
    ['there are no words', '???', history],
    ['there is no text', 'Who designed it?', ['', ' \n ']],
    ['nothing was found', 'Who designed it?', []],
  ])('quotes nothing when %s', (_name, question, texts) => {
    expect(quotesFor(question, texts)).toEqual([]);
  });

  it.each([
    ['Are dogs allowed in building A?', '', 'closest'],
    ['Are dogs allowed in building C?', '', 'closest'],
    ['Are dogs allowed in building B?', '', 'answer'],
    ['Are dogs allowed in building A?', 'Building A and B', 'answer'],
    ['Am I allowed to bring dogs into building B?', '', 'answer'],
  ])('is sure of an answer only about the letter asked for: %s %s', (question, about, support) => {
    const text =
      'Since last year, dogs are allowed in building B, and people bring dogs. The canteen is closed on Sundays.';
    expect(chooseQuotes({ question, sources: [{ text, about }], analyser }).support).toBe(support);
  });

  it.each([
    ['Who is the traveller?', 'answer', { row: 'Traveller', column: '', value: 'Ottilie Brandvold' }],
    ['Which country?', 'answer', { row: 'Country', column: '', value: 'Norway' }],
    ['Who paid the advance?', 'answer', { row: 'Advance paid', column: '', value: 'Inga Moe' }],
  ])('quotes the value beside a label of a form: %s', (question, support, cell) => {
    // The first row of the form is where tables have the names of their columns.
    const form =
      '| Traveller: | Ottilie Brandvold |\n| --- | --- |\n| Country: | Norway |\n| Advance paid: | Inga Moe |\n| Approved by: | |';
    const chosen = chooseQuotes({ question, sources: [{ text: form, about: 'Travel expenses' }], analyser });
    expect([chosen.support, chosen.quotes[0]?.cell]).toEqual([support, cell]);
  });

  it('is not sure of an answer from a form in which the field asked for is empty', () => {
    const form = '| Traveller: | Ottilie Brandvold |\n| --- | --- |\n| Approved by: | |';
    const sources = [{ text: form, about: 'Travel expenses' }];
    expect(chooseQuotes({ question: 'Who approved the travel expenses?', sources, analyser }).support).toBe('closest');
  });

  it('finds the value of a label by what the heading above says', () => {
    const entry = (name: string, value: string, about: string) => ({
      text: `Specifies: The ${name}.\nType of value: Text\nDefault value: ${value}\nEffect if unset: The default value is used.`,
      about: `Settings\n${about}`,
    });
    const sources = [entry('name of the key file', 'key.pem', 'ca-key-file'), entry('password', 'none', 'ca-password')];
    const { quotes } = chooseQuotes({ question: 'What is the CA password by default?', sources, analyser });
    expect(quotes[0]).toMatchObject({ sourceIndex: 1 });
    expect(sources[1]?.text.slice(quotes[0]?.start, quotes[0]?.end)).toBe(
      'Specifies: The password.\nType of value: Text\nDefault value: none',
    );
  });

  it.each([
    ['How deep is the lake?', 'The lake was bought for 3 crowns.', 'The lake has a depth of 40 metres.'],
    [
      'Where is the log?',
      'The log of this service grows by one line a minute.',
      'The log goes to /var/log/daemon.log.',
    ],
  ])('knows the words in which such an answer is given: %s', (question, other, answer) => {
    expect(quotesFor(question, [`${other}\n\n${answer}`], 1)).toEqual([answer]);
  });

  it('adds the address to a sentence that only names what the question asks for', () => {
    const text =
      'To do so, you might want a copy of Pierview. You can find it and more software at https://example.com/tools today.';
    expect(quotesFor('Where do I get Pierview?', [text]).join()).toContain('https://example.com/tools');
  });

  it('finds the value of a label by the line that begins its record', () => {
    const record = (name: string, value: string, text: string) =>
      `Option: ${name}\n\nDefault: ${value}\n\nDescription: ${text}`;
    const text = [
      record('Hide-Columns', 'true', 'If this option is enabled, the results are not shown in columns.'),
      record('Show-Groups', 'none', 'If this option is enabled, the groups are shown above the results.'),
    ].join('\n\n');
    expect(quotesFor('What is the default of Show-Groups?', [text], 1)).toEqual([
      'Option: Show-Groups\n\nDefault: none',
    ]);
  });

  it('quotes no table of contents', () => {
    const text = 'Web caches of the school … 12\n\nSquid keeps pages for everybody in the school, as a cache.';
    expect(quotesFor('Which software is the web cache of the school?', [text]).join()).toMatch(/^Squid/);
  });

  it('quotes no part of a heading that consists of several questions', () => {
    const heading = '1.15. Can it remove spyware? Adware? Viruses?';
    const sources = [
      { text: `${heading}\n\nNo, and no viruses either, at least not reliably.`, about: `FAQ\n${heading}` },
    ];
    const { quotes } = chooseQuotes({ question: 'Can it remove viruses?', sources, analyser });
    expect(quotes.map(({ start, end }) => sources[0]?.text.slice(start, end))).toEqual([
      'No, and no viruses either, at least not reliably.',
    ]);
  });

  it('quotes no numbered heading', () => {
    const text = '3. Import limits\n\nEach channel refuses further routes beyond a number.\n\nImports of boats';
    expect(quotesFor('What are import limits?', [text])).not.toContain('3. Import limits');
  });

  it.each([
    ['What is the Q2 2025 of Anchors?', 'answer', { row: 'Anchors', column: 'Q2 2025', value: '18' }],
    ['What is the Q1 2025 of Buoys?', 'answer', { row: 'Buoys', column: 'Q1 2025', value: '77' }],
    ['What is the Q2 2025 of Buoys?', 'closest', undefined],
  ])('does not answer with another column when the cell is empty: %s', (question, support, cell) => {
    const rows = [
      'Product: Ropes; Q1 2025: 120; Q2 2025: 140; Unit: metres',
      'Product: Anchors; Q1 2025: 15; Q2 2025: 18; Unit: pieces',
      'Product: Buoys; Q1 2025: 77; Unit: pieces',
    ];
    const table = [
      '| Product | Q1 2025 | Q2 2025 |',
      '| --- | --- | --- |',
      '| Ropes | 120 | 140 |',
      '| Anchors | 15 | 18 |',
      '| Buoys | 77 | |',
    ];
    for (const lines of [rows, table]) {
      const chosen = chooseQuotes({ question, sources: [{ text: lines.join('\n'), about: 'stock' }], analyser });
      expect([chosen.support, chosen.quotes[0]?.cell]).toEqual([support, cell]);
    }
  });

  it('does not repeat itself', () => {
    const copies = [history[0] ?? '', history[0] ?? '', history[0] ?? ''];
    const quotes = quotesFor('When was the library of Alden opened?', copies);
    expect(new Set(quotes).size).toBe(quotes.length);
  });

  it.each([
    [
      'another number',
      'Up to how much are hotel costs reimbursed?',
      [
        'Hotel costs are reimbursed up to 140 euros per night.',
        'Hotel costs are reimbursed up to 165 euros per night.',
      ],
    ],
    [
      'another number in words',
      'How long may visitors park in front of the main gate?',
      ['Visitors may park twenty minutes at the main gate.', 'Visitors may park thirty minutes at the main gate.'],
    ],
    [
      'another Chinese number',
      '正式员工每年有几天带薪年假？',
      ['正式员工每年享有十五天带薪年假。', '正式员工每年享有二十天带薪年假。'],
    ],
    [
      'a negation',
      'Is business class allowed?',
      ['Business class is allowed on flights longer than six hours.', 'Business class is no longer allowed.'],
    ],
    [
      'a negation in German',
      'Ist Business Class auf Flügen erlaubt?',
      ['Business Class ist auf Flügen erlaubt.', 'Business Class ist auf Flügen nicht erlaubt.'],
    ],
  ])('quotes both of two documents that differ in %s', (_name, question, texts) => {
    expect(quotesFor(question, texts).toSorted()).toEqual(texts.toSorted());
  });

  it('gives three quotes at most, unless told otherwise', () => {
    const texts = Array.from(
      { length: 20 },
      (_, index) => `Library number ${index} opened in ${1900 + index} beside the ${index}th bridge.`,
    );
    expect(quotesFor('When did the library open?', texts).length).toBeLessThanOrEqual(3);
    expect(quotesFor('When did the library open?', texts, 1)).toHaveLength(1);
  });

  it('never quotes a heading, however well it fits', () => {
    const text = '### Fog\n\nWe sound the horn every two minutes.\n\nFog signals\n\nThe bell is for the crew.';
    const { quotes } = chooseQuotes({
      question: 'What is done in fog?',
      sources: [{ text, about: 'Fog signals' }],
      analyser,
    });
    const quoted = quotes.map(({ start, end }) => text.slice(start, end)).join('\n');
    expect(quoted).toContain('We sound the horn');
    expect(quoted).not.toMatch(/# Fog|Fog signals/);
  });

  it('drops quotes that add little to the first', () => {
    const texts = [
      'In fog we sound the horn every two minutes. The horn stands on the roof.',
      'Thirty-one departures were cancelled because of fog. The kiosk sells waffles.',
    ];
    expect(quotesFor('How often is the horn sounded in fog?', texts)).toEqual([
      'In fog we sound the horn every two minutes.',
    ]);
  });

  it('includes the sentence that a pronoun refers to', () => {
    const text =
      'Maria Lopez was an architect from Porto. She designed the library of Alden in 1909. The weather was fine.';
    expect(quotesFor('Who designed the library of Alden?', [text], 1)).toEqual([
      'Maria Lopez was an architect from Porto. She designed the library of Alden in 1909.',
    ]);
  });

  it('matches question words in title and headings', () => {
    const sources = [{ text: 'Press the red button. It beeps twice.', about: 'Acme Boiler 2000: resetting' }];
    expect(chooseQuotes({ question: 'How do I reset the Acme Boiler?', sources, analyser }).quotes).not.toEqual([]);
  });

  it('stays fast on long texts', () => {
    const texts = Array.from({ length: 50 }, () => 'The library opened in 1911 beside the river. '.repeat(200));
    const start = performance.now();
    quotesFor('When did the library of Alden open?', texts);
    expect(performance.now() - start).toBeLessThan(PROMPTLY_MS);
  });

  it.each([
    [
      'English',
      'How much were the net sales of Alden in 2021?',
      'The net sales of Alden in 2021 rose by 14 percent after two weak years.\n\nAmounts in EUR million\n\n' +
        '| | 2020 | 2021 |\n|---|---|---|\n| Net sales | 398 | 412 |\n| Net profit | 20 | 23 |',
      '| Net sales | 398 | 412 |',
      { row: 'Net sales', column: '2021', value: '412', unit: '(Amounts in EUR million)' },
    ],
    [
      'German, between tabs',
      'Wie viele Einwohner hat Bonn?',
      'Wie viele Einwohner Bonn hat, wird in Bonn seit 1950 gezählt.\n\nStadt\tFläche (km²)\tEinwohner\nBonn\t141\t331.885\nKöln\t405\t1.087.353',
      'Bonn\t141\t331.885',
      { row: 'Bonn', column: 'Einwohner', value: '331.885' },
    ],
  ])('prefers the cell of a table for how much, with its row and column: %s', (_name, question, text, row, cell) => {
    const [first] = chooseQuotes({ question, sources: [{ text, about: '' }], analyser }).quotes;
    expect(text.slice(first?.start, first?.end)).toBe(row);
    expect(first?.cell).toEqual(cell);
  });

  it.each([
    [
      'a year above the table, the unit above the year',
      'Balance sheet\n\n(in thousands)\n\nDecember 31,\n\n2021 2020\n\nAssets\n\n' +
        '| Goodwill | $180,516 | $182,687 |\n| --- | --- | --- |\n| Other assets | 46,455 | 16,970 |',
      'What was the goodwill in 2020?',
      { row: 'Goodwill', column: 'December 31, 2020', value: '$182,687', unit: '(in thousands)' },
    ],
    [
      'names of columns and the unit in further rows',
      'Results\n\n|  | 2021 | 2020 |\n| --- | --- | --- |\n|  |  | (in millions) |\n| Cost of revenue | 16 | 14 |\n| Revenue | 32 | 23 |',
      'What was the revenue in 2020?',
      { row: 'Revenue', column: '2020', value: '23', unit: '(in millions)' },
    ],
    [
      'names of columns below those that group them',
      '| Line | 2023 | 2023 | 2024 | 2024 |\n| --- | --- | --- | --- | --- |\n| Line | Passengers | Cars | Passengers | Cars |\n' +
        '| Northern line | 12040 | 3100 | 13555 | 3322 |\n| Southern line | 8120 | 1900 | 8777 | 2044 |',
      'How many cars did the Northern line carry in 2023?',
      { row: 'Northern line', column: '2023 Cars', value: '3100' },
    ],
  ])('gives the cell with its row, column, period and unit: %s', (_name, text, question, expected) => {
    const [first] = chooseQuotes({ question, sources: [{ text, about: '' }], analyser }).quotes;
    expect(first?.cell).toEqual(expected);
  });

  it.each([
    ['What is the height of Dunmere?', 'Dunmere', 'Height (m)', '558'],
    ['Who is the manager of Selwick?', 'Selwick', 'Manager', 'Cyril Voss'],
    ['When was Fenbury opened?', 'Fenbury', 'Opened', '1843'],
    ['How many platforms does Selwick have?', 'Selwick', 'Platforms', '7'],
  ])(
    'gives the cell of a column for a row that names its columns, and no other row: %s',
    (question, row, column, value) => {
      const text =
        'Station: Dunmere; Height (m): 558; Opened: 1980; Platforms: 8; Manager: Dora Finch\n' +
        'Station: Fenbury; Height (m): 404; Opened: 1843; Platforms: 2; Manager: Ben Crane; at times Ada Holm\n' +
        'Station: Selwick; Height (m): 624; Opened: 1851; Platforms: 7; Manager: Cyril Voss';
      const { quotes } = chooseQuotes({ question, sources: [{ text, about: 'stations.csv' }], analyser });
      expect(quotes.map(({ start, end }) => text.slice(start, end))).toEqual([
        expect.stringContaining(`Station: ${row};`),
      ]);
      expect(quotes[0]?.cell).toEqual({ row, column, value });
    },
  );

  it('knows the columns of a later part of a table from its headings', () => {
    const text = '| Norwold | 12 | Ada Holm |\n| Selwick | 624 | Cyril Voss |';
    const about = 'stations.xlsx\nStations\nStation | Height | Manager';
    const question = 'Who is the manager of Selwick?';
    const [first] = chooseQuotes({ question, sources: [{ text, about }], analyser }).quotes;
    expect(first?.cell).toEqual({ row: 'Selwick', column: 'Manager', value: 'Cyril Voss' });
  });

  it.each([
    [
      'When was the library of Alden opened?',
      'The library of Alden was opened by the mayor of Alden.',
      'The doors of the library opened in 1911.',
    ],
    [
      'Wann wurde die Bibliothek von Alden eröffnet?',
      'Die Bibliothek von Alden wurde feierlich eröffnet.',
      'Die Bibliothek steht dort, eröffnet 1911.',
    ],
    [
      '¿Cuántos libros tiene la biblioteca de Alden?',
      'La biblioteca de Alden tiene libros antiguos.',
      'La biblioteca compró 240 libros.',
    ],
    [
      'Combien de livres la bibliothèque d’Alden possède-t-elle ?',
      'La bibliothèque d’Alden possède de beaux livres.',
      'La bibliothèque possède 240 livres.',
    ],
    ['Alden kütüphanesinde kaç kitap var?', 'Alden kütüphanesinde eski kitap var.', 'Kütüphanede 240 kitap var.'],
    ['Câte cărți are biblioteca din Alden?', 'Biblioteca din Alden are cărți vechi.', 'Biblioteca are 240 de cărți.'],
    ['Thư viện Alden có bao nhiêu cuốn sách?', 'Thư viện Alden có nhiều cuốn sách cũ.', 'Thư viện có 240 cuốn sách.'],
  ])('quotes what holds the kind of answer asked for: %s', (question, near, right) => {
    const text = `${near} The weather was fine. ${right}`;
    const { quotes } = chooseQuotes({ question, sources: [{ text, about: '' }], analyser, limit: 1 });
    expect(quotes.map(({ start, end }) => text.slice(start, end))).toEqual([right]);
  });

  it('counts copies of a passage once in the lead of its score', () => {
    const question = 'When was the library of Alden opened?';
    const parsed = readQuestion(question, analyser);
    const leads = (texts: readonly string[]) => {
      const sources = texts.map((text) => ({ text, about: '', score: text === history[0] ? 9 : 3 }));
      const { leadOverSecond, leadOverFifth } = answerFeatures(
        parsed,
        rankSentences(parsed, { question, sources, analyser }),
      );
      return { leadOverSecond, leadOverFifth };
    };
    const copies = Array.from({ length: 4 }, () => history[0] ?? '');
    expect(leads([...copies, ...history])).toEqual(leads(history));
    expect(leads(history).leadOverSecond).toBeGreaterThan(0.5);
  });

  it.each([
    ['answer', 'When was the library of Alden opened?', history],
    ['closest', 'When was the library of Alden opened?', ['The library of Alden was opened by the mayor of Alden.']],
    ['closest', 'Who paid for the roof of the theatre of Alden?', history],
    ['none', 'Who won the chess championship in 1972?', history],
  ])('reports its confidence: %s', (support, question, texts) => {
    const sources = texts.map((text) => ({ text, about: '' }));
    const chosen = chooseQuotes({ question, sources, analyser });
    expect(chosen.support).toBe(support);
    expect(chosen.quotes.length > 0).toBe(support !== 'none');
  });
});
