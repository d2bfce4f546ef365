import { compileQueryValidator, PageQuery } from '@calls/api-contract';
import { countVoices, listVoices, type Database } from '@calls/store';
import { Router } from 'express';
import { voiceView } from '../voices/voice-view.ts';
import { holderOf } from './authentication.ts';
import { onlyMethods } from './not-allowed.ts';
import { answerPage, readQuery, type Paging } from './query.ts';

const listQuery = compileQueryValidator(PageQuery);

export function voiceRoutes(db: Database, paging: Paging): Router {
  const router = Router();
  router
    .route('/api/voices')
    .get(async (request, response) => {
      const query = readQuery(request, listQuery);
      const { accountId } = holderOf(response);
      const page = await answerPage(
        paging,
        request,
        query,
        `voices of ${accountId}`,
        {
          fetch: ({ from, direction, limit }) =>
            listVoices(db, accountId, {
              from: from && { position: Number(from[0]), voiceId: String(from[1]) },
              direction,
              limit,
            }),
          count: () => countVoices(db, accountId),
          keyOf: (row) => [row.position, row.voice_id],
        },
        voiceView,
      );
      response.json(page);
    })
    .all(onlyMethods('GET'));
  return router;
}
