import type { Static } from 'typebox';
import { requestNormalizer } from '../validation/request-normalizer.ts';
import { callSettingsOf } from './call-settings.ts';
import { Closed } from './common.ts';

/** What the `new-stage` response of a tool can set for the stage that it begins. */
export const NewStage = Closed(callSettingsOf.stage, 'NewStage');
export const normalizeNewStage = requestNormalizer(NewStage);
export type NewStage = Static<typeof NewStage>;
