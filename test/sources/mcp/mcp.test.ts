import { describeResources, overHttp } from './resources-contract.ts';

describeResources('over HTTP', overHttp);
