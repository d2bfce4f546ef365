import { listVoices } from '@calls/api-contract';
import { voicesOf, type Database } from '@calls/store';
import { voiceView } from '../voices/voice-view.ts';
import type { ApiRouter } from './api-router.ts';

export function voiceRoutes(api: ApiRouter, { db }: { db: Database }): void {
  api.list(listVoices, ({ accountId }) => ({ source: voicesOf(db, accountId), item: voiceView }));
}
