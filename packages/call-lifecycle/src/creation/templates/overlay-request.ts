import type { StartCallRequest } from '@calls/api-contract/rest/call';

/** What is named in `request` over what `inherited` has. Fields that only make sense together are taken over together or not at all. */
export function overlayRequest(inherited: StartCallRequest, request: StartCallRequest): StartCallRequest {
  const named = withoutUnspecified(request);
  const kept = { ...inherited };
  if (named.voice !== undefined || named.externalVoice !== undefined) {
    delete kept.voice;
    delete kept.externalVoice;
    delete kept.voiceOverrides;
  }
  if (named.firstSpeaker !== undefined) delete kept.firstSpeakerSettings;
  if (named.mediumRestriction !== undefined) delete kept.initialOutputMedium;
  return { ...kept, ...named };
}

/** An enumeration's unspecified value says nothing: what is inherited stays. */
function withoutUnspecified(request: StartCallRequest): StartCallRequest {
  return Object.fromEntries(
    Object.entries(request).filter(
      ([, value]) => !(typeof value === 'string' && /^[A-Z_]+_UNSPECIFIED$/u.test(value)),
    ),
  );
}
