import { ModelAlias } from '../rest/voice.ts';
import { pageOf } from './examples/example-values.ts';
import { defineList } from './operation.ts';

export const listModels = defineList({
  id: 'listModels',
  path: '/api/models',
  tag: 'Models',
  summary: 'List models',
  description: 'Returns the language models that `model` of a call accepts.',
  example: { response: pageOf({ name: 'svc-v0.7', displayName: 'qwen3' }) },
  item: ModelAlias,
  itemName: 'ModelAlias',
});

export const modelOperations = [listModels];
