import {
  DEFAULT_JOIN_TIMEOUT,
  DEFAULT_MAX_DURATION,
  DEFAULT_MODEL,
  type StartCallRequest,
} from '@calls/api-contract';
import type { CallSettings } from '@calls/store';

/** A valid request with the defaults of its top-level fields filled in. `medium` must be set. */
export function resolveSettings(request: StartCallRequest & Pick<CallSettings, 'medium'>): CallSettings {
  const { initialOutputMedium } = request;
  return {
    ...request,
    temperature: request.temperature ?? 0,
    model: request.model ?? DEFAULT_MODEL,
    joinTimeout: request.joinTimeout ?? DEFAULT_JOIN_TIMEOUT,
    maxDuration: request.maxDuration ?? DEFAULT_MAX_DURATION,
    firstSpeakerSettings: request.firstSpeakerSettings ?? { agent: {} },
    metadata: request.metadata ?? {},
    recordingEnabled: request.recordingEnabled ?? false,
    initialOutputMedium:
      initialOutputMedium === 'MESSAGE_MEDIUM_TEXT' ? 'MESSAGE_MEDIUM_TEXT' : 'MESSAGE_MEDIUM_VOICE',
  };
}
