import { corpusContract } from '../../../contracts/corpus.ts';
import { openTestStore } from '../../../support/store.ts';

corpusContract('createCorpus over SQLite', openTestStore);
