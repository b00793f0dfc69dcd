import type { Router } from 'express';
import { fillTemplate } from '../../prompts/template.ts';
import { onlySuperusers } from '../authenticate.ts';
import { createRouter } from '../create-router.ts';
import { list, single } from '../envelope.ts';
import type { HttpServices } from '../http-services.ts';
import { readBody, readQuery } from '../read-request.ts';
import { newPrompt, promptChange, promptUse, toPromptRecord, valuesFor } from '../wire/prompt-record.ts';
import { defined } from '../wire/tolerant.ts';

/** docs/contract.md 13, for superusers. */
export function promptRoutes({ prompts }: Pick<HttpServices, 'prompts'>): Router {
  const router = createRouter();
  router.use(onlySuperusers);

  router.post('/', async (request, response) => {
    const { name, template, input_types: inputTypes } = readBody(request, newPrompt);
    await prompts.create(defined({ name, template, inputTypes }));
    response.json(single({ message: `Prompt '${name}' added successfully.` }));
  });

  router.get('/', (_request, response) => {
    const all = prompts.list();
    response.json(list(all.map(toPromptRecord), all.length));
  });

  router.post('/:name', (request, response) => {
    const prompt = prompts.get(request.params.name);
    const use = { ...readQuery(request, promptUse), ...defined(readBody(request, promptUse)) };
    const template = use.prompt_override ?? prompt.template;
    const message = fillTemplate(template, valuesFor(template, use.inputs));
    // Addition: `message`, the prompt filled with these inputs.
    response.json(single({ ...toPromptRecord(prompt), message }));
  });

  router.put('/:name', async (request, response) => {
    const { template, input_types: inputTypes } = readBody(request, promptChange);
    const { name } = await prompts.update(request.params.name, defined({ template, inputTypes }));
    response.json(single({ message: `Prompt '${name}' updated successfully.` }));
  });

  router.delete('/:name', async (request, response) => {
    await prompts.remove(request.params.name);
    response.json(single({ success: true }));
  });

  return router;
}
