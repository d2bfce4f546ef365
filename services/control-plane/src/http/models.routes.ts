import { listModels } from '@calls/api-contract/operations/models.operations';
import type { PageSource } from '@calls/store/keyset';
import type { ApiRouter } from './api-router.ts';

interface Model {
  name: string;
  position: number;
}

export interface ModelRoutesDeps {
  models: readonly string[];
  /** The name of a model for people. */
  modelDisplayName: (model: string) => string;
}

/** Lists the models that calls may use, in configuration order. */
export function modelRoutes(api: ApiRouter, { models, modelDisplayName }: ModelRoutesDeps): void {
  const rows: Model[] = models.map((name, position) => ({ name, position }));
  const source: PageSource<Model> = {
    fetch({ from, direction, limit }) {
      const ordered = direction === 'next' ? rows : rows.toReversed();
      const start = from === null ? 0 : ordered.findIndex((row) => row.position === Number(from[0])) + 1;
      return Promise.resolve(ordered.slice(start, start + limit));
    },
    count: () => Promise.resolve(rows.length),
    keyOf: (row) => [row.position],
  };
  api.list(listModels, () => ({
    source,
    item: ({ name }) => ({ name, displayName: modelDisplayName(name) }),
  }));
}
