import { type Command, Option } from 'commander';
import { parseAmount, parseCount, parseFilter, parseLimit, parseTimestamp } from '../parse-options.ts';
import { searchModes } from '../search-query.ts';

export const AS_OF = 'what the documents said at this time, e.g. 2026-03-01 or 2026-03-01T12:00:00Z';

/** Options of all commands that search. */
export function searchOptions(command: Command): Command {
  return command
    .addOption(new Option('--limit <number>', 'how many passages').argParser(parseLimit).default(10))
    .addOption(new Option('--as-of <time>', AS_OF).argParser(parseTimestamp))
    .addOption(new Option('--filter <json>', `such as '{"document_type": {"$eq": "pdf"}}'`).argParser(parseFilter))
    .addOption(
      new Option('--mode <mode>', 'kind of search; the default depends on the embedder').choices([...searchModes]),
    );
}

/** Options of all commands that let an agent answer. */
export function agentOptions(command: Command): Command {
  return command
    .option('--research', 'plan, ask sub-questions and review the draft')
    .option('--model <provider/name>', 'instead of CITEWELL_MODEL')
    .option('--thinking', "show the model's thinking")
    .addOption(new Option('--max-steps <number>', 'maximum number of model turns').argParser(parseCount(100)))
    .addOption(
      new Option('--max-tokens <number>', 'maximum number of tokens, read and written').argParser(
        parseCount(1_000_000_000),
      ),
    )
    .addOption(new Option('--max-seconds <number>', 'time at most').argParser(parseAmount))
    .addOption(new Option('--max-cost <dollars>', 'maximum cost, by CITEWELL_PRICES').argParser(parseAmount));
}
