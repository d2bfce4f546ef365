import { ModelAlias } from '../rest/voice.ts';
import { defineList } from './operation.ts';

export const listModels = defineList({
  id: 'listModels',
  path: '/api/models',
  tag: 'Models',
  summary: 'Lists the models that calls may name.',
  item: ModelAlias,
  itemName: 'ModelAlias',
});

export const modelOperations = [listModels];
