import { getTtsKeys, setTtsKeys } from '@calls/api-contract/operations/tts-keys.operations';
import type { Clock } from '@calls/foundation/clock';
import type { SecretBox } from '@calls/secrets/secret-box/secret-box';
import type { Database } from '@calls/store/store';
import { changeProviderKeys, providerKeysOf } from '@calls/store/tables/provider-keys';
import { keyChanges, ttsKeyIssues, ttsKeysView } from '../accounts/tts-keys.ts';
import type { ApiRouter } from './api-router.ts';

export interface TtsKeyRoutesDeps {
  db: Database;
  secretBox: SecretBox;
  clock: Clock;
}

export function ttsKeyRoutes(api: ApiRouter, { db, secretBox, clock }: TtsKeyRoutesDeps): void {
  api
    .on(getTtsKeys, async ({ accountId }) => ttsKeysView(await providerKeysOf(db, accountId)))
    .on(
      setTtsKeys,
      async ({ accountId, body }) => {
        const changes = keyChanges(secretBox, accountId, body);
        return ttsKeysView(await changeProviderKeys(db, accountId, changes, new Date(clock.wallMs())));
      },
      { issues: ttsKeyIssues },
    );
}
