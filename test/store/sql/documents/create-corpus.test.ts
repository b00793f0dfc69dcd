import { corpusContract } from '../../../contracts/corpus.ts';
import { describeEngines } from '../../../support/engines.ts';

describeEngines('The record store', ({ name, openTestStore }) => {
  corpusContract(`createCorpus over ${name}`, openTestStore);
});
