import { Engines } from '../rest/engine.ts';
import { engines } from './examples/engines.examples.ts';
import { defineOperation } from './operation.ts';

export const getEngines = defineOperation({
  id: 'getEngines',
  method: 'GET',
  path: '/api/engines',
  tag: 'Engines',
  summary: 'Get the engines',
  description:
    'Returns the speech-to-text, language model and text-to-speech engines of this installation, as its live media-workers report them: what each is, when it is used, and its health and latency since the workers started. The response has no addresses of servers, and no engines that need a key of the account.',
  example: { response: engines },
  status: 200,
  response: Engines,
});

export const engineOperations = [getEngines];
