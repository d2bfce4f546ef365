import { compileQueryValidator, PageQuery, type ModelAlias } from '@calls/api-contract';
import { Router } from 'express';
import { onlyMethods } from './not-allowed.ts';
import { answerPage, readQuery, type Paging } from './query.ts';

const listQuery = compileQueryValidator(PageQuery);

/** The models that calls may name, in the order of the configuration. */
export function modelRoutes(models: readonly string[], paging: Paging): Router {
  const router = Router();
  const rows = models.map((name, position) => ({ name, position }));
  router
    .route('/api/models')
    .get(async (request, response) => {
      const query = readQuery(request, listQuery);
      const page = await answerPage(
        paging,
        request,
        query,
        'models',
        {
          fetch({ from, direction, limit }) {
            const ordered = direction === 'next' ? rows : rows.toReversed();
            const fromPosition = from === null ? null : Number(from[0]);
            const isAfter = (position: number): boolean =>
              fromPosition === null ||
              (direction === 'next' ? position > fromPosition : position < fromPosition);
            return Promise.resolve(ordered.filter((row) => isAfter(row.position)).slice(0, limit));
          },
          count: () => Promise.resolve(rows.length),
          keyOf: (row) => [row.position],
        },
        (row): ModelAlias => ({ name: row.name }),
      );
      response.json(page);
    })
    .all(onlyMethods('GET'));
  return router;
}
