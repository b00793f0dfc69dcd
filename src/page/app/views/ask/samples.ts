/** Questions that the samples answer. */
export const sampleQuestions: readonly string[] = [
  'Who checks the life rafts, and when?',
  'At what wind does the ferry stay in harbour?',
  'How much is refunded on the day of departure?',
  'May dogs travel on the ferry?',
];

/** Two short documents for trying out questions. */
export const samples: readonly { readonly name: string; readonly text: string }[] = [
  {
    name: 'ferry-handbook.md',
    text: `# Ferry handbook

## The departure check

The mate walks the deck ten minutes before departure and checks four things: gangway, life rafts, engine room hatch and
passenger count. The ferry does not leave until the mate has reported all four to the bridge.

## Weather

| Wind at the pier head | What we do |
| --- | --- |
| up to 14 m/s | sail as planned |
| 15 to 18 m/s | sail without the stop at Lunga |
| above 18 m/s | stay in harbour |

The skipper may always decide to stay in harbour below these limits. Nobody on shore may overrule the skipper.

## Animals on board

Dogs travel free of charge on a lead and stay on the open deck. Assistance dogs may go everywhere. No animal may be left
alone in the saloon.
`,
  },
  {
    name: 'ferry-refunds.md',
    text: `# Refunds

A passenger who cancels a day or more before departure gets the full price back, less 15 kroner. On the day of departure
half of the price is refunded.

When a departure is called off because of weather, the passenger chooses between the full price and a ticket for another
day. A ferry that is more than 45 minutes late costs the company a quarter of the price.

Refunds are asked for within 14 days, at the ticket office or in writing. The money is paid out within ten working days.
`,
  },
];
